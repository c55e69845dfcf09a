"""From a configuration to matched pairs: trees and names that do not tell which sentence is lacking.

The answerable member of a matched pair lacks a *spare* sentence, so that both members have equally
many. The tree must have an edge that can be spared (`spare_edges`). It shares an end with the cut
edge; the other ends, the free ends, have equally many other neighbours. So, with the names of the
free ends exchanged in one member, the members say the same but for one thing: which free end is
joined to which of the neighbours.

The names are shuffled until that does not show in the lengths of the sentences in words, nor in which
of them name the questioned item and its place, nor in which items share a sentence, nor in which
places do: in each of these respects the free ends are alike, or the neighbours of the one are like
those of the other. As exchanged names are as likely, what depends on these alone is as frequent in
one member as in the other. Three items are too few for the last two respects, so that the first two
come first. In a fixed order of the sentences, the same ones, counted from the first, name the
questioned item and its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.problems.blocks import (
    Block,
    Ints,
    RandomWords,
    draw_branches,
    draw_names,
    draw_rest,
    forward,
    shuffled,
    with_path,
)
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.names import all_names
from treecut_tasks.problems.pairs import no_match
from treecut_tasks.problems.splits import WHOLE, Split

# Up to so many trees, those with a spare edge are listed; of more they are found by drawing, so many at
# a time and at most so many in all.
_LISTED, _AT_ONCE, _MOST_DRAWN = 200_000, 1 << 16, 1 << 25
# Some dozens of shuffles suffice where there are names that differ in nothing; names of three items do
# not always have lengths that fit, so that after so many other trees the best are taken.
_MAX_SHUFFLES, _MAX_NAMINGS = 200, 20
# Pairs from which it is learnt how well the names of a configuration can hide the cut.
_PILOT = 512
# What counts in a score: differences that can be counted weigh more than all others together.
_COUNTED = 3
# The score of names that may not be used.
_UNUSABLE = 99

Bools = NDArray[np.bool_]


def draw_matched(config: ProblemConfig, words: RandomWords, rows: int, split: Split) -> Block:
    """Draw so many matched pairs of an unanswerable configuration."""
    parents, spare, names = _draw_named(config, words, rows, split)
    return replace(draw_rest(config, words, names, parents), spare=spare)


def spare_edges(config: ProblemConfig, branches: Ints) -> Bools:
    """Which variables off the path a spare edge leads into, in each of some trees.

    The edge leads into a variable that has children (so that it is still named), does not touch the
    questioned variable, and shares an end with the cut edge, the root exactly if the cut edge starts
    there (so that as many facts are stated). The free ends have equally many other neighbours, and
    the root is none of them: otherwise it would tell how often variables are named. In a fixed
    order it stands, as the cut edge does, before all that touch the questioned variable.
    """
    cut, depth = _cut_into(config), config.ans_depth
    found = np.zeros(branches.shape, dtype=bool)
    # One path edge joins each free end of the cut to a further neighbour.
    below_cut, above_cut = (1 + (branches == end).sum(axis=1) for end in (cut, cut - 1))
    for column in range(branches.shape[1]):
        parent = branches[:, column]
        children = (branches[:, column + 1 :] == depth + 1 + column).sum(axis=1)
        found[:, column] = (parent == cut - 1) & (children == below_cut)
        # Beside the upper end of the cut edge stands what comes before it, which is the root for x_1;
        # and what hangs on its lower end comes behind the questioned variable if that does, too.
        if cut > 2 and (config.order == "random" or cut < depth - 1):
            found[:, column] |= (parent == cut) & (children == above_cut)
    return found


@dataclass(frozen=True)
class _Ends:
    """Trees with a spare edge, and the ends that it and the cut edge do not share.

    Attributes:
        parents: parents of all variables.
        spare: child of the spare edge.
        free: variables at the free ends of the cut edge and of the spare edge; shape [2, rows].
        beside: the other variables joined to each of these, filled up with zeros; [2, rows, most].
        edges: children of all edges breadth first; no columns in random order.
    """

    parents: Ints
    spare: Ints
    free: Ints
    beside: Ints
    edges: Ints

    def rows(self, chosen: Ints) -> _Ends:
        return _Ends(
            self.parents[chosen],
            self.spare[chosen],
            self.free[:, chosen],
            self.beside[:, chosen],
            self.edges[chosen],
        )


def _draw_ends(config: ProblemConfig, words: RandomWords, rows: int) -> _Ends:
    """Draw trees with a spare edge, each as likely as any other, and one of the edges of each."""
    branches, spare = _draw_branches(config, words, rows)
    # The nth of the spare edges of each row.
    nth = words.below(spare.sum(axis=1)[:, None], rows)
    column = np.argmax(spare & (np.cumsum(spare, axis=1) == nth + 1), axis=1)
    parents, cut = with_path(config, branches), _cut_into(config)
    child = config.ans_depth + 1 + column
    parent = branches[np.arange(rows), column]
    free = np.stack([np.where(parent == cut, cut - 1, cut), child])
    variables = np.arange(1, config.vars + 1)
    beside = []
    for end, other in ((free[0], np.where(parent == cut, cut, cut - 1)), (free[1], parent)):
        above = np.take_along_axis(parents, end[:, None] - 1, axis=1)
        joined = (parents == end[:, None]) | (variables == above)
        beside.append(np.where(joined & (variables != other[:, None]), variables, 0))
    both = np.sort(np.stack(beside), axis=2)[..., ::-1]
    most = int((both > 0).sum(axis=2).max())
    edges = parents[:, :0]
    if config.order != "random":
        edges = forward(config, parents)
    return _Ends(parents, child, free, both[..., :most], edges)


def _draw_branches(config: ProblemConfig, words: RandomWords, rows: int) -> tuple[Ints, Bools]:
    """Draw trees with a spare edge, and tell which edges of theirs are spare."""
    if prod(range(config.ans_depth + 1, config.vars + 1)) <= _LISTED:
        branches, spare = _listed(config)
        if not len(branches):
            raise no_match(config, "no tree has a sentence that could be spared unnoticed")
        line = words.below([len(branches)], rows)[:, 0]
        return branches[line], spare[line]
    branches = np.empty((0, config.vars - config.ans_depth), dtype=np.int64)
    for drawn in range(0, _MOST_DRAWN, _AT_ONCE):
        more = draw_branches(config, words, _AT_ONCE)
        branches = np.concatenate([branches, more[spare_edges(config, more).any(axis=1)]])
        if len(branches) >= rows:
            return branches[:rows], spare_edges(config, branches[:rows])
        if not len(branches) and drawn > _MOST_DRAWN // 16:
            break
    raise no_match(config, f"too few of {_MOST_DRAWN} trees have a sentence that could be spared")


@lru_cache(maxsize=64)
def _listed(config: ProblemConfig) -> tuple[Ints, Bools]:
    """All trees that have spare edges, and which these are."""
    grid = np.indices(range(config.ans_depth + 1, config.vars + 1))
    branches = grid.reshape(len(grid), -1).T.astype(np.int64)
    spare = spare_edges(config, branches)
    kept = spare.any(axis=1)
    return branches[kept], spare[kept]


def _cut_into(config: ProblemConfig) -> int:
    assert config.cut_into is not None
    return config.cut_into


def _draw_named(
    config: ProblemConfig, words: RandomWords, rows: int, split: Split
) -> tuple[Ints, Ints, Ints]:
    """Parents, spare edges and names that hide as well as any which sentence is lacking."""
    enough = _reachable(config)
    parents, names = (np.zeros((rows, config.vars), dtype=np.int64) for _ in range(2))
    spare, scores = np.zeros(rows, dtype=np.int64), np.full(rows, _UNUSABLE)
    left = np.arange(rows)
    for _ in range(_MAX_NAMINGS):
        ends = _draw_ends(config, words, len(left))
        found, found_names = _search(config, ends, words, split, enough)
        better = found < scores[left]
        at = left[better]
        scores[at], names[at] = found[better], found_names[better]
        parents[at], spare[at] = ends.parents[better], ends.spare[better]
        # Another tree is tried only where what can be counted still tells.
        left = left[scores[left] // _COUNTED > enough // _COUNTED]
        if not len(left):
            break
    if (scores == _UNUSABLE).any():
        raise no_match(config, f"none was found for a tree in {_MAX_NAMINGS} attempts")
    return parents, spare, names


def _search(
    config: ProblemConfig, ends: _Ends, words: RandomWords, split: Split, enough: int
) -> tuple[Ints, Ints]:
    """The best scores, and the names with these, among so many shuffles of the names of each row."""
    rows = len(ends.spare)
    names = draw_names(config, words, rows, split)
    best_scores, best_names = np.full(rows, _UNUSABLE), names.copy()
    moved = list(range(config.vars))
    if not split.is_whole:
        # With another name asked for, the problem could belong to another split.
        moved.remove(config.ans_depth - 1)
    left = np.arange(rows)
    for _ in range(_MAX_SHUFFLES):
        scores = _scores(config, ends, names)
        better = scores < best_scores[left]
        best_scores[left[better]], best_names[left[better]] = scores[better], names[better]
        stay = np.flatnonzero(best_scores[left] > enough)
        left = left[stay]
        if not len(left):
            break
        names, ends = names[stay], ends.rows(stay)
        names[:, moved] = np.take_along_axis(
            names[:, moved], shuffled(words, len(left), len(moved), len(moved)), axis=1
        )
    return best_scores, best_names


@lru_cache(maxsize=64)
def _reachable(config: ProblemConfig) -> int:
    """The best score that names of this configuration reach.

    Names with it are taken at once. Where there are so few items that some differences remain
    whatever the names, this saves the search for better ones.
    """
    words = RandomWords(["pilot"], 0)
    scores, _ = _search(config, _draw_ends(config, words, _PILOT), words, WHOLE, enough=0)
    return int(scores.min())


def _scores(config: ProblemConfig, ends: _Ends, names: Ints) -> Ints:
    """In how many respects names show which free end is joined to which neighbours, 0 being the best."""
    # Names are numbered entity by entity.
    entities, items = np.divmod(names, len(config.resolved_theme.items))
    asked = slice(config.ans_depth - 1, config.ans_depth)
    questioned = 2 * (items == items[:, asked]) + (entities == entities[:, asked])
    scores = _COUNTED * (_shows(ends, _lengths(config)[names]) + _shows(ends, questioned))
    if config.composite_name:
        scores += _shows(ends, items) + _shows(ends, entities)
    if config.order != "random":
        scores[~_in_the_same_places(config, ends, questioned)] = _UNUSABLE
    return scores


@lru_cache(maxsize=64)
def _lengths(config: ProblemConfig) -> Ints:
    """The words of each name."""
    return np.array([len(str(name).split()) for name in all_names(config)])


def _shows(ends: _Ends, respect: Ints) -> Ints:
    """Whether one respect of all variables shows it: the ends differ, and so do their neighbours."""
    cut, spare = (np.take_along_axis(respect, end[:, None] - 1, axis=1) for end in ends.free)

    def sorted_beside(variables: Ints) -> Ints:
        values = np.take_along_axis(respect, np.maximum(variables - 1, 0), axis=1)
        found: Ints = np.sort(np.where(variables > 0, values, -1), axis=1)
        return found

    beside_cut, beside_spare = map(sorted_beside, ends.beside)
    shows: Bools = (cut != spare)[:, 0] & (beside_cut != beside_spare).any(axis=1)
    return shows.astype(np.int64)


def _in_the_same_places(config: ProblemConfig, ends: _Ends, questioned: Ints) -> Bools:
    """Whether in a fixed order the same sentences name the questioned item and its place.

    They are compared without the one and without the other edge. The free ends are then alike in
    this respect, so that it makes no difference whether their names are exchanged.
    """
    edges = ends.edges
    of_child = np.take_along_axis(questioned, edges - 1, axis=1)
    parent = np.take_along_axis(ends.parents, edges - 1, axis=1)
    of_parent = np.take_along_axis(questioned, np.maximum(parent - 1, 0), axis=1)
    of_parent = np.where(parent > 0, of_parent, -1)
    # The two operands of a sentence stand in either order.
    marks = 8 * np.maximum(of_child, of_parent) + np.minimum(of_child, of_parent)

    def without(child: Ints) -> Ints:
        left: Ints = marks[edges != child[:, None]]
        return left.reshape(len(edges), -1)

    cut = np.full(len(edges), _cut_into(config))
    same: Bools = (without(cut) == without(ends.spare)).all(axis=1)
    return same
