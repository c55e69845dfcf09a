"""Linear formulas and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

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
"""The formulas among which the one of an edge is drawn, in the order of the draws; one for an edge
from the root, which draws nothing."""

_SIZES = range(1, MAX_COEFFICIENT + 1)
_SIGNED = (-3, -2, -1, 1, 2, 3)


@lru_cache(maxsize=4096)
def formula_choices(edge: Edge, sampling: Sampling) -> Choices:
    """All formulas that an edge can get."""
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


@remembering_trees
def tree_choices(
    parents: tuple[int, ...], cut_into: int | None, sampling: Sampling
) -> tuple[Choices, ...]:
    """The choices of every edge that is not cut, breadth first.

    Args:
        parents: the tree; `parents[i - 1]` is the parent of x_i, 0 for the root.
        cut_into: number of the variable that the cut edge leads into; None without a cut.
        sampling: how formulas are drawn.
    """
    return tuple(
        formula_choices(edge, sampling) for edge in breadth_first(parents) if edge[1] != cut_into
    )


def _draw_published(choices: Sequence[Choices], getrandbits: GetRandBits) -> list[Formula]:
    """Step 7 of generator.md: two coefficients from 1 to 3, then sum, difference or its opposite."""
    formulas = []
    for of_edge in choices:
        if len(of_edge) == 1:
            formulas.append(of_edge[0])
            continue
        # `choice` of three, written out thrice: this is the innermost loop of bulk generation.
        a = getrandbits(2)
        while a == 3:
            a = getrandbits(2)
        b = getrandbits(2)
        while b == 3:
            b = getrandbits(2)
        shape = getrandbits(2)
        while shape == 3:
            shape = getrandbits(2)
        formulas.append(of_edge[9 * shape + 3 * a + b])
    return formulas


def _draw_paper(choices: Sequence[Choices], getrandbits: GetRandBits) -> list[Formula]:
    """Algorithm 1, line 28: both coefficients from ±1, ±2, ±3."""
    formulas = []
    for of_edge in choices:
        if len(of_edge) == 1:
            formulas.append(of_edge[0])
        else:
            a = below(getrandbits, 6)
            b = below(getrandbits, 6)
            formulas.append(of_edge[6 * a + b])
    return formulas


DRAW_FORMULAS: dict[Sampling, Callable[[Sequence[Choices], GetRandBits], list[Formula]]] = {
    "published": _draw_published,
    "paper": _draw_paper,
}
"""How each kind of sampling draws one formula from each of several choices, in their order."""
