"""Linear formulas and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from treecut_tasks.problems.config import Sampling
from treecut_tasks.problems.draws import GetRandBits, below
from treecut_tasks.problems.tree import Edge, breadth_first, remembering_trees

MAX_COEFFICIENT = 3
"""Coefficients are ±1, ±2, ±3 (Algorithm 1, line 28)."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One linear formula, `a * x_parent + b * x_child = constant`; the edge is (parent, child).

    Variables are numbered from 1 as in the paper, 0 is the root. A root edge has `a = 0`, `b = 1`
    and states the child's value. The constant follows from the values of the variables.
    """

    parent: int
    child: int
    a: int
    b: int

    def constant(self, values: Sequence[int]) -> int:
        """The right-hand side, in money units; `values[i - 1]` is the value of x_i."""
        left = self.a * values[self.parent - 1] if self.parent else 0
        return left + self.b * values[self.child - 1]


Choices = tuple[Formula, ...]
"""The formulas among which the one of an edge is drawn, in the order of the draws."""

_SIZES = range(1, MAX_COEFFICIENT + 1)
_SIGNED = (-3, -2, -1, 1, 2, 3)


@lru_cache(maxsize=4096)
def formula_choices(edge: Edge, sampling: Sampling) -> Choices:
    """All formulas that an edge can get; one if it is from the root."""
    parent, child = edge
    if parent == 0:
        return (Formula(0, child, 0, 1),)
    if sampling == "paper":
        return tuple(Formula(parent, child, a, b) for a in _SIGNED for b in _SIGNED)
    signs = ((1, 1), (1, -1), (-1, 1))
    return tuple(
        Formula(parent, child, sign_a * a, sign_b * b)
        for sign_a, sign_b in signs
        for a in _SIZES
        for b in _SIZES
    )


class EdgeChoices(NamedTuple):
    """What the formulas of some edges are drawn from.

    Attributes:
        given: the formulas of the edges from the root, which draw nothing.
        choices: the choices of the other edges.
    """

    given: tuple[Formula, ...]
    choices: tuple[Choices, ...]


def edge_choices(edges: Iterable[Edge], sampling: Sampling) -> EdgeChoices:
    """What the formulas of these edges are drawn from.

    Args:
        edges: those from the root first, as breadth first.
        sampling: how formulas are drawn.
    """
    of_edges = [formula_choices(edge, sampling) for edge in edges]
    return EdgeChoices(
        given=tuple(choices[0] for choices in of_edges if len(choices) == 1),
        choices=tuple(choices for choices in of_edges if len(choices) > 1),
    )


@remembering_trees
def tree_choices(parents: tuple[int, ...], cut_into: int | None, sampling: Sampling) -> EdgeChoices:
    """The choices of every edge that is not cut, breadth first.

    Args:
        parents: the tree; `parents[i - 1]` is the parent of x_i, 0 for the root.
        cut_into: number of the variable that the cut edge leads into; None without a cut.
        sampling: how formulas are drawn.
    """
    return edge_choices([edge for edge in breadth_first(parents) if edge[1] != cut_into], sampling)


def _draw_published(edges: EdgeChoices, getrandbits: GetRandBits) -> tuple[Formula, ...]:
    """Step 7 of generator.md: two coefficients from 1 to 3, then sum, difference or its opposite."""
    formulas = [*edges.given]
    for choices in edges.choices:
        # `choice` of three, written out thrice: this is the innermost loop of bulk generation.
        while (a := getrandbits(2)) == 3:
            pass
        while (b := getrandbits(2)) == 3:
            pass
        while (shape := getrandbits(2)) == 3:
            pass
        formulas.append(choices[9 * shape + 3 * a + b])
    return tuple(formulas)


def _draw_paper(edges: EdgeChoices, getrandbits: GetRandBits) -> tuple[Formula, ...]:
    """Algorithm 1, line 28: both coefficients from ±1, ±2, ±3."""
    formulas = [*edges.given]
    for choices in edges.choices:
        a = below(getrandbits, 6)
        b = below(getrandbits, 6)
        formulas.append(choices[6 * a + b])
    return tuple(formulas)


DRAW_FORMULAS: dict[Sampling, Callable[[EdgeChoices, GetRandBits], tuple[Formula, ...]]] = {
    "published": _draw_published,
    "paper": _draw_paper,
}
"""How each kind of sampling draws the formulas of some edges, in the order of the edges."""
