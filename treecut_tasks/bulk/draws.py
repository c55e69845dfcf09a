"""Drawing many problems at once: the bulk stream.

The streams of `treecut_tasks.problems` draw one problem after the other with Python's generator;
seeding it for every problem costs as much as the problem. The bulk stream draws the same
distribution in blocks: block b of a configuration and a seed is made from a Philox generator whose
key is a SHA-256 of everything that names the stream and whose counter begins at b. Any problem can
thus be made without those of other blocks, by any number of processes, and NumPy does the work.
Only raw words of the bit generator are used, because NumPy keeps these, and not its distributions,
the same for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.bulk.splits import HASHES, WHOLE, PairKind, Split, name_numbers
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Pair, Problem, ProblemConfig
from treecut_tasks.problems.formulas import Formula, formula_choices
from treecut_tasks.problems.streams import check_seed
from treecut_tasks.problems.tree import breadth_first, subtree
from treecut_tasks.problems.wording import Phrases, composite_phrases, simple_phrases

Ints = NDArray[np.int64]
"""Whole numbers; the first axis counts problems."""

BLOCK = 4096
"""Problems that are drawn at once. Part of what the stream is: another size, another stream."""

# Part of every key. A change of what the stream holds gets a new name, never a silent change.
_VERSION = "treecut-bulk-1"
_WORD = 32
_ENTITIES_DRAWN = 2
# Times the expected number of draws after which a split counts as having no names.
_MAX_DRAWS = 50


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


class Words:
    """Random words of one block, drawn as they are needed."""

    def __init__(self, name: Sequence[object], block: int) -> None:
        """Start at the beginning of a block of the stream with this name."""
        text = json.dumps(name, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode("ascii")).digest()
        # The counter has 256 bits: the block sets the upper half, the words run in the lower one.
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "big"), counter=block << 128)

    def below(self, bounds: Sequence[int], rows: int) -> Ints:
        """Draw whole numbers from 0 to bound - 1, a column for each bound.

        A bound of n divides 2**32 words unevenly by at most one word, so that no number is likelier
        than another by more than one part in 2**32 / n.
        """
        count = rows * len(bounds)
        raw = self._bits.random_raw((count + 1) // 2).astype("<u8", copy=False)
        words = raw.view("<u4")[:count].reshape(rows, len(bounds)).astype(np.uint64)
        words *= np.asarray(bounds, dtype=np.uint64)
        words >>= np.uint64(_WORD)
        return words.view(np.int64)


def draw_block(
    config: ProblemConfig,
    seed: int,
    block: int,
    pairs: PairKind = "none",
    split: Split = WHOLE,
    repeat: int = 0,
) -> Draws:
    """Draw one block of the bulk stream, `BLOCK` problems or pairs.

    Args:
        config: what to draw.
        seed: a whole number of 0 or more.
        block: number of the block, from 0.
        pairs: `none`, `full` or `matched`. The unanswerable members of full pairs are the problems
            that come with `none`.
        split: which names may stand together; the stream of every split is different.
        repeat: numbers the streams of a data set that would otherwise be the same.

    Raises:
        TreecutError: the theme has too few names for the split.
    """
    parameters = config.as_dict() | {"theme": config.resolved_theme.digest}
    kind = "matched" if pairs == "matched" else ""
    name = [_VERSION, parameters, check_seed(seed), kind, split.as_list()]
    words = Words([*name, repeat] if repeat else name, block)
    return _draw(config, words, split)


def _draw(config: ProblemConfig, words: Words, split: Split) -> Draws:
    rows = BLOCK
    phrases = _draw_phrases_of(split, config, words, rows)
    num_vars, theme = config.vars, config.resolved_theme
    num_prices = (theme.value_max - theme.value_min) // theme.value_step + 1
    values = theme.value_min + theme.value_step * words.below([num_prices] * num_vars, rows)
    trees, shapes = _draw_trees(config, words, rows)
    a, b = _draw_formulas(config, words, shapes.parents[trees])
    if config.order == "random":
        order = 1 + _shuffled(words, rows, num_vars, num_vars)
    else:
        order = shapes.breadth_first[trees]
        if config.order == "backward":
            order = order[:, ::-1]
    return Draws(config, phrases, values, trees, shapes, a, b, order)


def _draw_phrases_of(split: Split, config: ProblemConfig, words: Words, rows: int) -> Ints:
    """Names, drawn anew until all rows belong to a split."""
    phrases = _draw_phrases(config, words, rows)
    if split.is_whole:
        return phrases
    numbers, asked_numbers = name_numbers(all_phrases(config))
    drawn, limit = 0, _MAX_DRAWS * rows * HASHES // (split.high - split.low)
    wrong = np.arange(rows)
    while True:
        names = phrases[wrong]
        hashes = numbers[names].sum(axis=1) + asked_numbers[names[:, config.ans_depth - 1]]
        wrong = wrong[~split.holds(hashes)]
        if not len(wrong):
            return phrases
        drawn += len(wrong)
        if drawn > limit:
            raise TreecutError(
                f"The theme {config.resolved_theme.name!r} has too few names to make problems of "
                f"num_vars={config.num_vars} for the split {split.name!r} (share {split.share}): use "
                "larger shares, composite names or a larger theme."
            )
        phrases[wrong] = _draw_phrases(config, words, len(wrong))


def _draw_phrases(config: ProblemConfig, words: Words, rows: int) -> Ints:
    """Names: two entities, half as many items as variables, and which of the pairs are used."""
    theme, num_vars = config.resolved_theme, config.vars
    if not config.composite_name:
        return _shuffled(words, rows, len(theme.items), num_vars)
    num_items = (num_vars + 1) // 2
    entities = _shuffled(words, rows, len(theme.entities), _ENTITIES_DRAWN)
    items = _shuffled(words, rows, len(theme.items), num_items)
    candidates = (entities[:, :, None] * len(theme.items) + items[:, None, :]).reshape(rows, -1)
    chosen = _shuffled(words, rows, candidates.shape[1], num_vars)
    return np.take_along_axis(candidates, chosen, axis=1)


def _shuffled(words: Words, rows: int, n: int, k: int) -> Ints:
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


def _draw_trees(config: ProblemConfig, words: Words, rows: int) -> tuple[Ints, Shapes]:
    """Attach the variables off the path to earlier ones, the root included."""
    depth, num_vars = config.ans_depth, config.vars
    parents = np.tile(np.arange(num_vars), (rows, 1))
    parents[:, depth:] = words.below(range(depth + 1, num_vars + 1), rows)
    _, first, trees = np.unique(
        _tree_numbers(parents, depth), return_index=True, return_inverse=True
    )
    return trees, _shapes(parents[first], config.cut_into)


def _tree_numbers(parents: Ints, depth: int) -> Ints:
    """A number for each row, the same for the same tree."""
    numbers = np.zeros(len(parents), dtype=np.int64)
    for column in range(depth, parents.shape[1]):
        if int(numbers.max(initial=0)) > np.iinfo(np.int64).max // (column + 2):
            # Too many trees to number them all: number those that occur.
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * (column + 1) + parents[:, column]
    return numbers


def _shapes(parents: Ints, cut_into: int | None) -> Shapes:
    trees = [tuple(tree) for tree in parents.tolist()]
    children = np.array([[child for _, child in breadth_first(tree)] for tree in trees])
    if cut_into is None:
        return Shapes(parents, children, np.zeros((len(trees), 0), dtype=np.int64))
    subtrees = [subtree(tree, cut_into) for tree in trees]
    detached = np.zeros((len(trees), max(map(len, subtrees))), dtype=np.int64)
    for row, variables in zip(detached, subtrees, strict=True):
        row[: len(variables)] = variables
    return Shapes(parents, children, detached)


def _draw_formulas(config: ProblemConfig, words: Words, parents: Ints) -> tuple[Ints, Ints]:
    """A formula for every edge; one from the root states the price."""
    # The choices of an edge differ from those of another in the variables only.
    choices = formula_choices((1, 2), config.sampling)
    drawn = words.below([len(choices)] * parents.shape[1], len(parents))
    a = np.array([formula.a for formula in choices])[drawn]
    b = np.array([formula.b for formula in choices])[drawn]
    at_root = parents == 0
    return np.where(at_root, 0, a), np.where(at_root, 1, b)
