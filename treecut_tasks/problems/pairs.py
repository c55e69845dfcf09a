"""True pairs: an unanswerable problem and its answerable counterpart from one draw."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any, Literal, NamedTuple, get_args

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import Order, ProblemConfig
from treecut_tasks.problems.draws import below, shuffler
from treecut_tasks.problems.generator import generate_endlessly
from treecut_tasks.problems.problem import Problem
from treecut_tasks.problems.tree import Edge, breadth_first, remembering_trees
from treecut_tasks.themes import Variable

CounterpartKind = Literal["full", "matched"]

COUNTERPARTS: tuple[CounterpartKind, ...] = get_args(CounterpartKind)
"""`full` keeps the cut sentence; `matched` has as many sentences as the unanswerable problem."""

# A spare edge turns up in one draw of ten to some hundreds; after so many there is none.
_MAX_DRAWS = 20_000

# Some dozens suffice where there are names that differ in nothing.
_MAX_SHUFFLES = 200

# Names of three items do not always have lengths that fit; after so many the best are taken.
_MAX_NAMINGS = 20


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
    are drawn until the tree has a spare edge whose sentence can stand in for the cut one
    (`spare_edges`). Both edges share an end; their other ends, the free ends, have equally many
    other neighbours. So, with the names of the free ends exchanged in one member, the members say
    the same but for one thing: which free end is joined to which of the neighbours.

    The names are shuffled until that does not show in the lengths of the sentences in words, nor in
    which of them name the questioned item and its place, nor in which items share a sentence, nor in
    which places do: in each of these respects the free ends are alike, or the neighbours of the one
    are like those of the other (`differences`). As exchanged names are as likely, what depends on
    these alone is as frequent in one member as in the other. Three items are too few for the last
    two respects, so that the first two come first.

    In a fixed order of the sentences, the same ones, counted from the first, name the questioned
    item and its place.

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
    pairs = islice(_matched(problems, config, rng), _MAX_NAMINGS)
    best = next(pairs, None)
    if best is None:
        raise no_match(config, f"none was found in {_MAX_DRAWS} draws")
    while best[0].counted and (other := next(pairs, None)):
        best = min(best, other, key=itemgetter(0))
    return best[1]


def _matched(
    problems: Iterator[Problem], config: ProblemConfig, rng: random.Random
) -> Iterator[tuple[Differences, Pair]]:
    """The matched pairs among so many draws, each with the differences that its names leave."""
    for problem in islice(problems, _MAX_DRAWS):
        spare = spare_edges(problem.parents, config.ans_depth, _cut_into(config), config.order)
        if spare:
            edge = spare[below(rng.getrandbits, len(spare))]
            named = _named_alike(problem, edge, rng)
            if named is not None:
                left, renamed = named
                yield left, Pair(renamed, renamed.counterpart().without(edge))


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
        raise no_match(
            config,
            "a sentence can be spared only if two variables lie off the path, one below the other",
        )
    if config.composite_name and (config.vars, config.ans_depth) == (4, 2):
        raise no_match(
            config,
            "four composite names fill a two-by-two grid, in which a spare sentence cannot name the "
            "questioned item and its place as often as the cut one",
        )


def no_match(config: ProblemConfig, reason: str) -> TreecutError:
    """The error that says why a configuration has no matched counterpart."""
    return TreecutError(
        f"num_vars={config.num_vars}, ans_depth={config.ans_depth}, cut_depth={config.cut_depth} has no "
        f"matched counterpart, because {reason}: use num_vars "
        f"{default_num_vars(config.ans_depth, 'matched')} or more, or counterpart full."
    )


def _cut_into(config: ProblemConfig) -> int:
    assert config.cut_into is not None
    return config.cut_into


@remembering_trees
def spare_edges(
    parents: tuple[int, ...], ans_depth: int, cut_into: int, order: Order
) -> tuple[Edge, ...]:
    """The edges whose sentence a matched counterpart can lack, whatever the names.

    Such an edge leads into a variable off the path that has children (so that the variable is still
    named), does not touch the questioned variable, and shares an end with the cut edge, the root
    exactly if the cut edge starts there (so that the number of stated facts is equal). The free ends
    have equally many other neighbours. In a fixed order it stands, as the cut edge does, before all that
    touch the questioned variable.

    Args:
        parents: the tree; `parents[i - 1]` is the parent of x_i, 0 for the root.
        ans_depth: number of the questioned variable.
        cut_into: number of the variable that the cut edge leads into.
        order: order of the sentences.

    Returns:
        The edges, breadth first.
    """
    cut_edge = (parents[cut_into - 1], cut_into)
    edges = breadth_first(parents)
    if order != "random":
        edges = edges[: edges.index((parents[ans_depth - 1], ans_depth))]
    inner = set(parents)
    return tuple(
        (parent, child)
        for parent, child in edges
        if child > ans_depth
        and child in inner
        and parent != ans_depth
        and (parent == 0 if cut_edge[0] == 0 else parent in cut_edge)
        and _equally_joined(free_ends(parents, cut_edge, (parent, child)))
    )


class FreeEnds(NamedTuple):
    """The ends that a cut edge and a spare edge do not share, and their neighbours.

    Attributes:
        cut: number of the variable at the free end of the cut edge.
        spare: the same of the spare edge.
        beside_cut: numbers of the other variables joined to `cut`, and 0 if the root is.
        beside_spare: the same of `spare`.
    """

    cut: int
    spare: int
    beside_cut: tuple[int, ...]
    beside_spare: tuple[int, ...]


@remembering_trees
def free_ends(parents: tuple[int, ...], cut_edge: Edge, spare_edge: Edge) -> FreeEnds:
    """The free ends of two edges of a tree that share an end.

    Args:
        parents: the tree; `parents[i - 1]` is the parent of x_i, 0 for the root.
        cut_edge: the one edge.
        spare_edge: the other one.
    """
    (shared,) = {*cut_edge} & {*spare_edge}
    cut, spare = (sum(edge) - shared for edge in (cut_edge, spare_edge))

    def beside(end: int) -> tuple[int, ...]:
        children = (i for i, parent in enumerate(parents, start=1) if parent == end)
        return tuple(i for i in (parents[end - 1], *children) if i != shared)

    return FreeEnds(cut, spare, beside(cut), beside(spare))


def _equally_joined(ends: FreeEnds) -> bool:
    """Whether the free ends have as many other edges, and as many of them from the root.

    Otherwise it would tell how often variables are named: a path variable that a spare edge hangs on
    is named by both of its path edges and by the spare edge, hence three times, but not in a
    counterpart that lacks the spare sentence.
    """
    one, two = ends.beside_cut, ends.beside_spare
    return len(one) == len(two) and (0 in one) == (0 in two)


class Differences(NamedTuple):
    """In how many respects it shows which free end is joined to which of its neighbours.

    Attributes:
        counted: of two, the words in a name, and whether it has the questioned item or place: what
            adds up to lengths of sentences and to mentions.
        named: of two, the item and the place of a composite name.
    """

    counted: int
    named: int


def differences(names: Sequence[Variable], asked: int, ends: FreeEnds) -> Differences:
    """How well names hide which free end is joined to which of its neighbours.

    In a respect it is hidden if the free ends are alike, or the neighbours of the one are like those
    of the other.

    Args:
        names: names of x_1, x_2, …
        asked: number of the questioned variable.
        ends: the free ends.
    """
    questioned = names[asked - 1]
    cut, spare = names[ends.cut - 1], names[ends.spare - 1]
    beside_cut, beside_spare = (
        [names[i - 1] for i in beside if i] for beside in (ends.beside_cut, ends.beside_spare)
    )

    def shows(respect: Callable[[Variable], Any]) -> bool:
        return respect(cut) != respect(spare) and (
            sorted(map(respect, beside_cut)) != sorted(map(respect, beside_spare))
        )

    def has_questioned(name: Variable) -> tuple[bool, bool]:
        return name.item == questioned.item, name.entity == questioned.entity

    counted = shows(_words) + shows(has_questioned)
    # No two simple names are of one item.
    named = 0 if cut.entity is None else shows(_item) + shows(_entity)
    return Differences(counted, named)


_item = attrgetter("item")
_entity = attrgetter("entity")


@lru_cache(maxsize=4096)
def _words(name: Variable) -> int:
    return len(str(name).split())


def _named_alike(
    problem: Problem, spare_edge: Edge, rng: random.Random
) -> tuple[Differences, Problem] | None:
    """The problem, its names shuffled until they differ as little as they can; see `generate_pair`.

    None if a fixed order of the sentences shows the difference with all names that were tried.
    """
    cut_edge = _cut_edge(problem)
    ends = free_ends(problem.parents, cut_edge, spare_edge)
    phrases = problem.phrases
    shuffled = shuffler(len(phrases))
    best: tuple[Differences, Problem] | None = None
    for _ in range(_MAX_SHUFFLES):
        found = differences([each.variable for each in phrases], problem.asked, ends)
        if best is None or found < best[0]:
            named = replace(problem, phrases=phrases)
            if _in_the_same_places(named, cut_edge, spare_edge):
                best = found, named
                if found == (0, 0):
                    break
        order = shuffled(rng.getrandbits)
        phrases = tuple([phrases[i] for i in order])
    return best


def _cut_edge(problem: Problem) -> Edge:
    cut_into = _cut_into(problem.config)
    return problem.parents[cut_into - 1], cut_into


def _in_the_same_places(problem: Problem, cut_edge: Edge, spare_edge: Edge) -> bool:
    """Whether in a fixed order the same sentences name the questioned item and its place.

    They are compared without the one and without the other edge. The free ends are then alike in
    this respect, so that it makes no difference whether their names are exchanged.
    """
    if problem.config.order == "random":
        return True
    asked = problem.asked_variable
    marks = [(name.item == asked.item, name.entity == asked.entity) for name in problem.variables]

    def without(lacking: Edge) -> list[list[tuple[bool, bool]]]:
        edges = (edge for edge in breadth_first(problem.parents) if edge != lacking)
        return [sorted(marks[i - 1] for i in edge if i) for edge in edges]

    return without(cut_edge) == without(spare_edge)
