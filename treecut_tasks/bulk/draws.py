"""Many problems as arrays, and how they are drawn.

What is drawn is distributed as in `treecut_tasks.problems.generator`, one row for each problem.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.bulk.splits import HASHES, Split, name_numbers
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Pair, Problem, ProblemConfig
from treecut_tasks.problems.formulas import Formula, formula_choices
from treecut_tasks.problems.tree import breadth_first, subtree
from treecut_tasks.problems.wording import Phrases, composite_phrases, simple_phrases

Ints = NDArray[np.int64]
"""Whole numbers; the first axis counts problems."""

_WORD = 32
_ENTITIES_DRAWN = 2
# Times the expected number of draws after which a split counts as having no names.
_MAX_DRAWS = 50
# Names that are drawn at once to find those of a split: at least and at most so many.
_FEW, _MANY = 32, 1 << 16


@dataclass(frozen=True)
class Shapes:
    """What the rows of a batch need to know of their trees, one line for each different tree.

    Attributes:
        parents: `parents[t, i - 1]` is the parent of x_i in tree t, 0 for the root.
        breadth_first: children of the edges breadth first, as generator.md orders them.
        detached: the variables of the subtree that the cut detaches, breadth first, filled up with
            zeros; no columns without a cut.
    """

    parents: Ints
    breadth_first: Ints
    detached: Ints


@dataclass(frozen=True)
class Draws:
    """Problems as arrays, one row each. Variable x_i is in column i - 1.

    A row is the full problem, with a formula for every edge, the cut one included; what is left out
    of the text is told by the configuration (`cut_into`) and by `spare`.

    Attributes:
        config: the configuration that they were drawn from.
        phrases: index of each variable's name among `all_phrases(config)`.
        values: prices in money units.
        trees: index of each row's tree in `shapes`.
        shapes: the trees.
        a: coefficient of the parent in the formula of the edge into each variable; 0 at the root.
        b: coefficient of the variable itself.
        order: children of all edges in the order of their sentences.
        spare: child of the edge whose sentence a matched counterpart lacks; None unless matched.
    """

    config: ProblemConfig
    phrases: Ints
    values: Ints
    trees: Ints
    shapes: Shapes
    a: Ints
    b: Ints
    order: Ints
    spare: Ints | None = None

    def __len__(self) -> int:
        return len(self.phrases)

    @cached_property
    def parents(self) -> Ints:
        """The parent of each variable, 0 for the root."""
        return self.shapes.parents[self.trees]

    @cached_property
    def constants(self) -> Ints:
        """Right-hand side of the formula of the edge into each variable, in money units."""
        # The root has no value; what is taken for it is multiplied by 0.
        of_parent = np.take_along_axis(self.values, np.maximum(self.parents - 1, 0), axis=1)
        return self.a * of_parent + self.b * self.values

    def rows(self, start: int, stop: int) -> Draws:
        """Some of the rows."""
        part = slice(start, stop)
        return replace(
            self,
            phrases=self.phrases[part],
            values=self.values[part],
            trees=self.trees[part],
            a=self.a[part],
            b=self.b[part],
            order=self.order[part],
            spare=None if self.spare is None else self.spare[part],
        )

    def problem(self, row: int) -> Problem:
        """One row as a problem, the same that `treecut_tasks.problems` makes of the same draws."""
        config = self.config
        full = self._full_problem(row)
        if config.cut_into is None:
            return full
        return full.with_cut(config)

    def pair(self, row: int) -> Pair:
        """One row as a pair; of an unanswerable configuration."""
        full = self._full_problem(row)
        answerable = full
        if self.spare is not None:
            child = int(self.spare[row])
            answerable = full.without((full.parents[child - 1], child))
        return Pair(full.with_cut(self.config), answerable)

    def _full_problem(self, row: int) -> Problem:
        config = self.config
        names = all_phrases(config)
        parents = tuple(self.shapes.parents[self.trees[row]].tolist())
        edges = breadth_first(parents)
        a, b = self.a[row].tolist(), self.b[row].tolist()
        formulas = tuple(
            Formula(parent, child, a[child - 1], b[child - 1]) for parent, child in edges
        )
        places = {child: place for place, (_, child) in enumerate(edges)}
        return Problem(
            config.answerable(),
            tuple([names[i] for i in self.phrases[row].tolist()]),
            tuple(self.values[row].tolist()),
            parents,
            formulas,
            tuple([places[child] for child in self.order[row].tolist()]),
        )


@lru_cache(maxsize=64)
def all_phrases(config: ProblemConfig) -> tuple[Phrases, ...]:
    """Every name that the configuration can give to a variable."""
    theme = config.resolved_theme
    if config.composite_name:
        return tuple(phrases for place in composite_phrases(theme) for phrases in place)
    return tuple(simple_phrases(theme))


class RandomWords:
    """Random words of one block, drawn as they are needed."""

    def __init__(self, name: Sequence[object], block: int) -> None:
        """Start at the beginning of a block of the stream with this name."""
        text = json.dumps(name, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode("ascii")).digest()
        # The counter has 256 bits: the block sets the upper half, the words run in the lower one.
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "big"), counter=block << 128)

    def below(self, bounds: Sequence[int] | Ints, rows: int) -> Ints:
        """Draw whole numbers from 0 to bound - 1, a column for each bound.

        Args:
            bounds: the bounds of the columns, or of each row and column.
            rows: how many rows.

        A bound of n divides 2**32 words unevenly by at most one word, so that no number is likelier
        than another by more than one part in 2**32 / n.
        """
        limits = np.asarray(bounds, dtype=np.uint64)
        columns = limits.shape[-1]
        count = rows * columns
        raw = self._bits.random_raw((count + 1) // 2).astype("<u8", copy=False)
        words = raw.view("<u4")[:count].reshape(rows, columns).astype(np.uint64)
        words *= limits
        words >>= np.uint64(_WORD)
        numbers: Ints = words.view(np.int64)
        return numbers


def draw_rest(
    config: ProblemConfig, words: RandomWords, phrases: Ints, parents: Ints | None = None
) -> Draws:
    """Draw all that is not a name.

    Args:
        config: what to draw.
        words: the only source of randomness; it is advanced.
        phrases: the names of each row.
        parents: the tree of each row, if it is given already.
    """
    rows, num_vars, theme = len(phrases), config.vars, config.resolved_theme
    num_prices = (theme.value_max - theme.value_min) // theme.value_step + 1
    values = theme.value_min + theme.value_step * words.below([num_prices] * num_vars, rows)
    if parents is None:
        parents = _draw_parents(config, words, rows)
    trees, shapes = _shapes(config, parents)
    a, b = _draw_formulas(config, words, parents)
    if config.order == "random":
        order = 1 + shuffled(words, rows, num_vars, num_vars)
    else:
        order = shapes.breadth_first[trees]
        if config.order == "backward":
            order = order[:, ::-1]
    return Draws(config, phrases, values, trees, shapes, a, b, order)


def draw_phrases(config: ProblemConfig, words: RandomWords, rows: int, split: Split) -> Ints:
    """Draw names until all rows belong to a split.

    Raises:
        TreecutError: the theme has too few names for it.
    """
    if split.is_whole:
        return _draw_phrases(config, words, rows)
    numbers, asked_numbers = name_numbers(all_phrases(config))
    phrases = np.empty((rows, config.vars), dtype=np.int64)
    found, drawn, limit = 0, 0, _MAX_DRAWS * rows * HASHES // (split.high - split.low)
    while found < rows:
        if drawn > limit:
            raise TreecutError(
                f"The theme {config.resolved_theme.name!r} has too few names to make problems of "
                f"num_vars={config.vars} for the split {split.name!r} (share {split.share}): use "
                "larger shares, composite names or a larger theme."
            )
        # About as many as it takes, but not more than memory has room for.
        expected = (rows - found) * HASHES // (split.high - split.low)
        count = min(expected + _FEW, _MANY)
        names = _draw_phrases(config, words, count)
        hashes = numbers[names].sum(axis=1) + asked_numbers[names[:, config.ans_depth - 1]]
        fitting = names[split.holds(hashes)][: rows - found]
        phrases[found : found + len(fitting)] = fitting
        found += len(fitting)
        drawn += count
    return phrases


def _draw_phrases(config: ProblemConfig, words: RandomWords, rows: int) -> Ints:
    """Names: two entities, half as many items as variables, and which of the pairs are used."""
    theme, num_vars = config.resolved_theme, config.vars
    if not config.composite_name:
        return shuffled(words, rows, len(theme.items), num_vars)
    num_items = (num_vars + 1) // 2
    entities = shuffled(words, rows, len(theme.entities), _ENTITIES_DRAWN)
    items = shuffled(words, rows, len(theme.items), num_items)
    candidates = (entities[:, :, None] * len(theme.items) + items[:, None, :]).reshape(rows, -1)
    chosen = shuffled(words, rows, candidates.shape[1], num_vars)
    return np.take_along_axis(candidates, chosen, axis=1)


def shuffled(words: RandomWords, rows: int, n: int, k: int) -> Ints:
    """Draw k of 0 … n - 1 without replacement, in random order (Fisher and Yates)."""
    pool = np.tile(np.arange(n), (rows, 1))
    steps = min(k, n - 1)
    offsets = words.below(range(n, n - steps, -1), rows)
    flat, start = pool.reshape(-1), np.arange(rows) * n
    for place in range(steps):
        at = start + place + offsets[:, place]
        picked = flat[at]
        flat[at] = pool[:, place]
        pool[:, place] = picked
    return pool[:, :k]


def _draw_parents(config: ProblemConfig, words: RandomWords, rows: int) -> Ints:
    """Attach the variables off the path to earlier ones, the root included."""
    depth, num_vars = config.ans_depth, config.vars
    parents = np.tile(np.arange(num_vars), (rows, 1))
    parents[:, depth:] = words.below(range(depth + 1, num_vars + 1), rows)
    return parents


def _tree_numbers(parents: Ints, depth: int) -> Ints:
    """A number for each row, the same for the same tree."""
    numbers = np.zeros(len(parents), dtype=np.int64)
    for column in range(depth, parents.shape[1]):
        if int(numbers.max(initial=0)) > np.iinfo(np.int64).max // (column + 2):
            # Too many trees to number them all: number those that occur.
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * (column + 1) + parents[:, column]
    return numbers


def _shapes(config: ProblemConfig, parents: Ints) -> tuple[Ints, Shapes]:
    """Number the trees of all rows, and tell what is to be known of each."""
    numbers = _tree_numbers(parents, config.ans_depth)
    _, first, trees = np.unique(numbers, return_index=True, return_inverse=True)
    different = [tuple(tree) for tree in parents[first].tolist()]
    children = np.array([[child for _, child in breadth_first(tree)] for tree in different])
    subtrees: list[tuple[int, ...]] = [()]
    if config.cut_into is not None:
        subtrees = [subtree(tree, config.cut_into) for tree in different]
    detached = np.zeros((len(different), max(map(len, subtrees))), dtype=np.int64)
    for row, variables in zip(detached, subtrees, strict=False):
        row[: len(variables)] = variables
    return trees, Shapes(parents[first], children, detached)


def _draw_formulas(config: ProblemConfig, words: RandomWords, parents: Ints) -> tuple[Ints, Ints]:
    """A formula for every edge; one from the root states the price."""
    # The choices of an edge differ from those of another in the variables only.
    choices = formula_choices((1, 2), config.sampling)
    drawn = words.below([len(choices)] * parents.shape[1], len(parents))
    a = np.array([formula.a for formula in choices])[drawn]
    b = np.array([formula.b for formula in choices])[drawn]
    at_root = parents == 0
    return np.where(at_root, 0, a), np.where(at_root, 1, b)
