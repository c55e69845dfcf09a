"""True pairs: an unanswerable problem and its answerable counterpart from one draw."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.draws import below
from treecut_tasks.problems.generator import generate_endlessly
from treecut_tasks.problems.problem import Problem
from treecut_tasks.problems.tree import Edge, breadth_first

CounterpartKind = Literal["full", "matched"]

COUNTERPARTS: tuple[CounterpartKind, ...] = get_args(CounterpartKind)
"""`full` keeps the cut sentence; `matched` has as many sentences as the unanswerable problem."""

# A spare edge turns up in one draw of ten to some hundreds; after so many there is none.
_MAX_DRAWS = 20_000


@dataclass(frozen=True)
class Pair:
    """An unanswerable problem and its answerable counterpart.

    Both have the same tree, names, values, formulas, wording and sentence order. Beside the full
    problem the unanswerable one lacks the cut sentence (`unanswerable.lacks`). A full counterpart
    lacks nothing; a matched one lacks a sentence that its answer does not need
    (`answerable.lacks`), so that sentence counts tell nothing.

    Attributes:
        unanswerable: the problem with the cut.
        answerable: its counterpart.
    """

    unanswerable: Problem
    answerable: Problem

    @cached_property
    def id(self) -> str:
        """Identifier made from the content of both members."""
        ids = f"{self.unanswerable.id}\n{self.answerable.id}"
        return hashlib.sha256(ids.encode()).hexdigest()[:16]

    def records(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The full records of both members, unanswerable first, with the pair's id."""
        return (
            {**self.unanswerable.record(), "pair_id": self.id},
            {**self.answerable.record(), "pair_id": self.id},
        )


def check_counterpart(value: object) -> CounterpartKind:
    """Return the value if it is a kind of counterpart.

    Raises:
        TreecutError: it is not.
    """
    for kind in COUNTERPARTS:
        if value == kind:
            return kind
    raise TreecutError(f"counterpart is {value!r}: it must be {' or '.join(COUNTERPARTS)}.")


def default_num_vars(ans_depth: int, counterpart: CounterpartKind) -> int:
    """Number of variables of a pair where none is given.

    The paper's `ans_depth + 2`, but 6 for matched counterparts at depth 2, because four composite
    names leave no sentence that could be spared unnoticed.
    """
    return 6 if counterpart == "matched" and ans_depth == 2 else ans_depth + 2


def generate_pair(
    config: ProblemConfig, rng: random.Random, counterpart: CounterpartKind = "full"
) -> Pair:
    """Draw an unanswerable problem and its answerable counterpart.

    With `full` the unanswerable problem is the one that `generate` draws. With `matched`, problems
    are drawn until one has a spare edge whose sentence can stand in for the cut one. It leads into
    a variable off the path that has children (so that the variable is still named), does not touch
    the questioned variable, and shares an end with the cut edge, the root exactly if the cut edge
    starts there (so that the number of stated facts is equal). The variables at the other ends are
    named equally often, and related alike to the questioned item and its place. In a fixed order of
    the sentences, the same ones name that item and that place without the one and without the
    other.

    Args:
        config: what to draw; an unanswerable configuration.
        rng: the only source of randomness; it is advanced.
        counterpart: `full` or `matched`.

    Raises:
        TreecutError: an answerable configuration, an unknown kind of counterpart, or a
            configuration that has no matched counterpart.
    """
    check_pair(config, counterpart)
    problems = generate_endlessly(config, rng)
    if counterpart == "full":
        problem = next(problems)
        return Pair(problem, problem.counterpart())
    for _ in range(_MAX_DRAWS):
        problem = next(problems)
        spare = _spare_edges(problem)
        if spare:
            edge = spare[below(rng.getrandbits, len(spare))]
            return Pair(problem, problem.counterpart().without(edge))
    raise _no_match(config, f"none was found in {_MAX_DRAWS} draws")


def check_pair(config: ProblemConfig, counterpart: CounterpartKind) -> None:
    """Check that a configuration has pairs of this kind, as far as that can be told without drawing.

    Raises:
        TreecutError: it has not.
    """
    check_counterpart(counterpart)
    if not config.unanswerable:
        raise TreecutError(
            "A pair was asked of an answerable configuration: give the configuration of the "
            "unanswerable problem."
        )
    if counterpart == "full":
        return
    if config.vars < config.ans_depth + 2:
        raise _no_match(
            config,
            "a sentence can be spared only if two variables lie off the path, one below the other",
        )
    if config.composite_name and (config.vars, config.ans_depth) == (4, 2):
        raise _no_match(
            config,
            "four composite names fill a two-by-two grid, in which a spare sentence cannot name the "
            "questioned item and its place as often as the cut one",
        )


def _no_match(config: ProblemConfig, reason: str) -> TreecutError:
    return TreecutError(
        f"num_vars={config.num_vars}, ans_depth={config.ans_depth}, cut_depth={config.cut_depth} has no "
        f"matched counterpart, because {reason}: use num_vars "
        f"{default_num_vars(config.ans_depth, 'matched')} or more, or counterpart full."
    )


def _spare_edges(problem: Problem) -> list[Edge]:
    """The edges whose sentence a matched counterpart can lack; see `generate_pair`."""
    asked, cut_into = problem.asked, problem.config.cut_into
    assert cut_into is not None
    cut_edge = (problem.parents[cut_into - 1], cut_into)
    inner = set(problem.parents)
    candidates = {
        (parent, child)
        for child, parent in enumerate(problem.parents[asked:], start=asked + 1)
        if child in inner
        and parent != asked
        and (parent == 0 if cut_edge[0] == 0 else parent in cut_edge)
    }
    if not candidates:
        return []
    # Breadth first, so that the choice among several does not depend on how they were collected.
    edges = breadth_first(problem.parents)
    spare = [edge for edge in edges if edge in candidates and _alike(problem, cut_edge, edge)]
    if spare and problem.config.order != "random":
        places = _relations_without(problem, cut_edge)
        spare = [edge for edge in spare if _relations_without(problem, edge) == places]
    if not spare:
        return []
    naming = _naming_without(problem, cut_edge)
    return [edge for edge in spare if _naming_without(problem, edge) == naming]


def _alike(problem: Problem, cut_edge: Edge, spare_edge: Edge) -> bool:
    """Whether the names at the free ends of two edges that share an end can be exchanged unnoticed.

    Both must be related in the same way to the questioned variable, so that the two sentences name
    its item, and its place, equally often. Where the free end of the cut shares a sentence with the
    questioned variable, such a sentence can then never name one item twice; so neither may the
    sentences at the other free end, nor would they with the two names exchanged.
    """
    (shared,) = set(cut_edge) & set(spare_edge)
    (cut_end,), (spare_end,) = {*cut_edge} - {shared}, {*spare_edge} - {shared}
    others = {problem.asked}
    if problem.asked in _neighbours(problem, cut_end):
        others |= _neighbours(problem, spare_end) - {shared}
    return all(
        _relation(problem, other, cut_end) == _relation(problem, other, spare_end)
        for other in others
    )


def _neighbours(problem: Problem, variable: int) -> set[int]:
    """The variables, and the root, that an edge joins to a variable."""
    children = {i for i, parent in enumerate(problem.parents, start=1) if parent == variable}
    return children | {problem.parents[variable - 1]}


def _relation(problem: Problem, one: int, two: int) -> tuple[bool, bool]:
    """Whether two variables have the same item, and whether they have the same place."""
    first, second = problem.phrases[one - 1].variable, problem.phrases[two - 1].variable
    same_place = first.entity is not None and first.entity == second.entity
    return first.item == second.item, same_place


def _relations_without(problem: Problem, lacking: Edge) -> list[list[tuple[bool, bool]]]:
    """How the variables of each sentence are related to the questioned one, without one sentence."""
    return [
        sorted(_relation(problem, problem.asked, variable) for variable in edge if variable)
        for edge in breadth_first(problem.parents)
        if edge != lacking
    ]


def _naming_without(problem: Problem, lacking: Edge) -> list[tuple[int, int]]:
    """For each variable how often it is named and how often as a fact, without one sentence; sorted.

    Without this condition most of the unanswerable problems name a variable three times, and none
    of their counterparts does: a path variable that a spare edge hangs on is named by both of its
    path edges and by the spare edge, which only the unanswerable problem has all three of.
    """
    counts = [[0, 0] for _ in range(len(problem.parents) + 1)]
    for child, parent in enumerate(problem.parents, start=1):
        if (parent, child) == lacking:
            continue
        counts[parent][0] += 1
        counts[child][0] += 1
        counts[child][1] += parent == 0
    return sorted((named, facts) for named, facts in counts[1:])
