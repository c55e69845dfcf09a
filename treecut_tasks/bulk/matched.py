"""Drawing many matched pairs at once; `treecut_tasks.problems.pairs` says what they are.

The conditions are those of `pairs.generate_pair`, for whole blocks of pairs: the tree must have a
spare edge, and names are drawn until they hide, as well as they can, which sentence is lacking.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.bulk.draws import (
    Draws,
    Ints,
    RandomWords,
    all_phrases,
    draw_phrases,
    draw_rest,
    shuffled,
)
from treecut_tasks.bulk.splits import WHOLE, Split
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Order, ProblemConfig
from treecut_tasks.problems.pairs import free_ends, no_match, spare_edges
from treecut_tasks.problems.tree import breadth_first

# All trees are listed before any is drawn; a configuration that has more gives no pairs in bulk.
_MAX_TREES = 200_000
# As in `pairs`: how often the names of a tree are shuffled, and how often trees are drawn anew.
_MAX_SHUFFLES, _MAX_NAMINGS = 200, 20
# Pairs from which it is learnt how well the names of a configuration can hide the cut.
_PILOT = 512
# What counts in a score: differences that can be counted weigh more than all others together.
_COUNTED = 3
# The score of names that may not be used.
_UNUSABLE = 99


@dataclass(frozen=True)
class _Choices:
    """Every spare edge of every tree of a configuration, one line each.

    Attributes:
        first: number of the first line of each tree; of shape [trees].
        count: number of lines of each tree; of shape [trees].
        parents: the tree.
        edges: children of its edges, breadth first.
        spare: child of the spare edge.
        cut_end: variable at the end of the cut edge that the spare edge does not share.
        spare_end: the same of the spare edge.
        beside_cut: the other variables joined to `cut_end`, filled up with zeros.
        beside_spare: the other variables joined to `spare_end`, filled up with zeros.
    """

    first: Ints
    count: Ints
    parents: Ints
    edges: Ints
    spare: Ints
    cut_end: Ints
    spare_end: Ints
    beside_cut: Ints
    beside_spare: Ints


def draw_matched(config: ProblemConfig, words: RandomWords, rows: int, split: Split) -> Draws:
    """Draw matched pairs.

    Args:
        config: what to draw; an unanswerable configuration.
        words: the only source of randomness; it is advanced.
        rows: how many pairs.
        split: which names may stand together.

    Raises:
        TreecutError: the configuration has no matched pairs, or too many trees to list them.
    """
    choices = _choices(config)
    lines, phrases = _draw_named(config, choices, words, rows, split)
    draws = draw_rest(config, words, phrases, choices.parents[lines])
    return replace(draws, spare=choices.spare[lines])


def _choices(config: ProblemConfig) -> _Choices:
    depth, num_vars = config.ans_depth, config.vars
    if prod(range(depth + 1, num_vars + 1)) > _MAX_TREES:
        raise TreecutError(
            f"num_vars={num_vars} and ans_depth={depth} have too many trees to draw matched pairs in the "
            "formats jsonl and parquet: use fewer variables off the path, --format full, or full pairs."
        )
    choices = _choices_among(depth, num_vars, _cut_into(config), config.order)
    if choices is None:
        raise no_match(config, "no tree has a sentence that could be spared unnoticed")
    return choices


@lru_cache(maxsize=64)
def _choices_among(depth: int, num_vars: int, cut_into: int, order: Order) -> _Choices | None:
    """The spare edges of all trees; None if there is none. Names do not matter."""
    path = tuple(range(depth))
    lines, counts = [], []
    for attached in product(*(range(i) for i in range(depth + 1, num_vars + 1))):
        tree = path + attached
        spare = spare_edges(tree, depth, cut_into, order)
        cut = (tree[cut_into - 1], cut_into)
        lines += [(tree, edge, free_ends(tree, cut, edge)) for edge in spare]
        if spare:
            counts.append(len(spare))
    if not lines:
        return None
    trees, edges, ends = zip(*lines, strict=True)
    width = max(len(each.beside_cut) for each in ends)
    count = np.array(counts)
    return _Choices(
        first=np.cumsum(count) - count,
        count=count,
        parents=np.array(trees),
        edges=np.array([[child for _, child in breadth_first(tree)] for tree in trees]),
        spare=np.array([child for _, child in edges]),
        cut_end=np.array([each.cut for each in ends]),
        spare_end=np.array([each.spare for each in ends]),
        beside_cut=np.array([_filled(each.beside_cut, width) for each in ends]),
        beside_spare=np.array([_filled(each.beside_spare, width) for each in ends]),
    )


def _cut_into(config: ProblemConfig) -> int:
    assert config.cut_into is not None
    return config.cut_into


def _filled(variables: tuple[int, ...], width: int) -> tuple[int, ...]:
    return variables + (0,) * (width - len(variables))


def _draw_lines(choices: _Choices, words: RandomWords, rows: int) -> Ints:
    """Draw trees, each as likely as any other, and for each one of its spare edges."""
    trees = words.below([len(choices.count)], rows)[:, 0]
    edges = words.below(choices.count[trees][:, None], rows)[:, 0]
    lines: Ints = choices.first[trees] + edges
    return lines


def _draw_named(
    config: ProblemConfig, choices: _Choices, words: RandomWords, rows: int, split: Split
) -> tuple[Ints, Ints]:
    """Draw trees with spare edges, and names for them; see `pairs.generate_pair`."""
    enough = _reachable(config)
    lines, phrases = np.zeros(rows, dtype=np.int64), np.zeros((rows, config.vars), dtype=np.int64)
    scores = np.full(rows, _UNUSABLE)
    left = np.arange(rows)
    for _ in range(_MAX_NAMINGS):
        drawn = _draw_lines(choices, words, len(left))
        found, names = _search(config, choices, drawn, words, split, enough)
        better = found < scores[left]
        at = left[better]
        scores[at], lines[at], phrases[at] = found[better], drawn[better], names[better]
        # As in `pairs`, another tree is tried only where what can be counted still tells.
        left = left[scores[left] // _COUNTED > enough // _COUNTED]
        if not len(left):
            break
    if (scores == _UNUSABLE).any():
        raise no_match(config, f"none was found for a tree in {_MAX_NAMINGS} attempts")
    return lines, phrases


def _search(
    config: ProblemConfig,
    choices: _Choices,
    lines: Ints,
    words: RandomWords,
    split: Split,
    enough: int,
) -> tuple[Ints, Ints]:
    """The best scores, and the names with these, among so many for each row."""
    rows = len(lines)
    names = draw_phrases(config, words, rows, split)
    best_scores, best_names = np.full(rows, _UNUSABLE), names.copy()
    moved = list(range(config.vars))
    if not split.is_whole:
        # With another name asked for, the problem could belong to another split.
        moved.remove(config.ans_depth - 1)
    left = np.arange(rows)
    for _ in range(_MAX_SHUFFLES):
        scores = _scores(config, choices, lines[left], names)
        better = scores < best_scores[left]
        best_scores[left[better]], best_names[left[better]] = scores[better], names[better]
        stay = best_scores[left] > enough
        left = left[stay]
        if not len(left):
            break
        names = names[stay]
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
    choices, words = _choices(config), RandomWords(["pilot"], 0)
    scores, _ = _search(
        config, choices, _draw_lines(choices, words, _PILOT), words, WHOLE, enough=0
    )
    return int(scores.min())


def _scores(config: ProblemConfig, choices: _Choices, lines: Ints, names: Ints) -> Ints:
    """How much names tell of which sentence is lacking; `pairs.differences` as one number."""
    of_all = _NameNumbers.of(config)
    items, entities = of_all.items[names], of_all.entities[names]
    asked = slice(config.ans_depth - 1, config.ans_depth)
    questioned = 2 * (items == items[:, asked]) + (entities == entities[:, asked])
    tells = _Telling(choices, lines)
    scores = _COUNTED * (tells(of_all.words[names]) + tells(questioned))
    if config.composite_name:
        scores += tells(items) + tells(entities)
    if config.order != "random":
        scores[~_in_the_same_places(config, choices, lines, questioned)] = _UNUSABLE
    return scores


@dataclass(frozen=True)
class _NameNumbers:
    """What names have in common, as numbers, by the index of the name."""

    items: Ints
    entities: Ints
    words: Ints

    @staticmethod
    @lru_cache(maxsize=64)
    def of(config: ProblemConfig) -> _NameNumbers:
        names = [phrases.variable for phrases in all_phrases(config)]
        return _NameNumbers(
            items=_numbered([name.item for name in names]),
            entities=_numbered([name.entity for name in names]),
            words=np.array([len(str(name).split()) for name in names]),
        )


def _numbered(values: list[str] | list[str | None]) -> Ints:
    numbers: dict[str | None, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values])


class _Telling:
    """Tells for each row whether one respect shows which free end has which neighbours."""

    def __init__(self, choices: _Choices, lines: Ints) -> None:
        self._ends = choices.cut_end[lines], choices.spare_end[lines]
        self._beside = choices.beside_cut[lines], choices.beside_spare[lines]

    def __call__(self, respect: Ints) -> Ints:
        """Compare values of all variables, of shape [rows, variables]."""
        cut, spare = (np.take_along_axis(respect, end[:, None] - 1, axis=1) for end in self._ends)
        beside_cut, beside_spare = (self._sorted(respect, beside) for beside in self._beside)
        tells: Ints = (cut != spare)[:, 0] & (beside_cut != beside_spare).any(axis=1)
        return tells.astype(np.int64)

    def _sorted(self, respect: Ints, variables: Ints) -> Ints:
        values = np.take_along_axis(respect, np.maximum(variables - 1, 0), axis=1)
        found: Ints = np.sort(np.where(variables > 0, values, -1), axis=1)
        return found


def _in_the_same_places(
    config: ProblemConfig, choices: _Choices, lines: Ints, questioned: Ints
) -> NDArray[np.bool_]:
    """Whether in a fixed order the same sentences name the questioned item and its place.

    Args:
        config: the configuration.
        choices: the trees.
        lines: the line of each row.
        questioned: of each variable a number that says whether it has the item, and the place.
    """
    edges, parents = choices.edges[lines], choices.parents[lines]
    of_child = np.take_along_axis(questioned, edges - 1, axis=1)
    parent = np.take_along_axis(parents, edges - 1, axis=1)
    of_parent = np.take_along_axis(questioned, np.maximum(parent - 1, 0), axis=1)
    of_parent = np.where(parent > 0, of_parent, -1)
    # The two operands of a sentence stand in either order.
    marks = 8 * np.maximum(of_child, of_parent) + np.minimum(of_child, of_parent)

    def without(child: Ints) -> Ints:
        left: Ints = marks[edges != child[:, None]]
        return left.reshape(len(lines), -1)

    cut = np.full(len(lines), _cut_into(config))
    same: NDArray[np.bool_] = (without(cut) == without(choices.spare[lines])).all(axis=1)
    return same
