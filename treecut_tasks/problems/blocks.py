"""From a configuration, a seed and the number of a block to the rows of the stream.

The random words of a block are those of a counter-based generator (Philox) whose key is a SHA-256 of
everything that names the stream, and whose counter starts at the number of the block. Any block can
thus be made without the others, by any number of processes. Only raw words of the bit generator
are used, because NumPy keeps these, and not its distributions, the same for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.errors import TreecutError, shown
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.splits import HASHES, Split, name_numbers
from treecut_tasks.problems.tree import breadth_first
from treecut_tasks.themes import Theme

Ints = NDArray[np.int64]
"""Whole numbers; the first axis counts problems."""

PairKind = Literal["none", "full", "matched"]
"""How entries are paired: not at all, or with which kind of counterpart."""

BLOCK = 4096
"""Problems that are drawn at once. Part of what the stream is: another size, another stream."""

MAX_COEFFICIENT = 3
"""Coefficients are ±1, ±2, ±3 (paper, Algorithm 1, line 28)."""

ENTITIES_DRAWN = 2
"""Entities in a problem with composite names (paper, Appendix A)."""

_WORD = 32
# Of so many times the expected number of names for one that fits a split, one fits, or none does.
_MAX_DRAWS = 200
# Names that are drawn at once to find those of a split: at least and at most so many.
_FEW, _MANY = 32, 1 << 16

SIZES = range(1, MAX_COEFFICIENT + 1)
SIGNS = ((1, 1), (1, -1), (-1, 1))
SIGNED = (-3, -2, -1, 1, 2, 3)
"""The coefficients (parent, child) are drawn from these: the authors' data has two sizes and then a sum
or one of two differences, the paper (Algorithm 1, line 28) two of ±1, ±2, ±3."""

_FORMULAS = {
    "published": np.array([(i * a, j * b) for i, j in SIGNS for a in SIZES for b in SIZES]),
    "paper": np.array([(a, b) for a in SIGNED for b in SIGNED]),
}


@dataclass(frozen=True)
class Block:
    """Problems as arrays, one row each. Variable x_i is in column i - 1.

    A row is the full problem, with a formula for every edge, the cut one included; what is left out
    of the text is told by the configuration (`cut_into`) and by `spare`.

    Attributes:
        config: the configuration that they were drawn from.
        names: index of each variable's name among `all_names(config)`.
        values: prices in money units.
        parents: the parent of each variable, 0 for the root.
        a: coefficient of the parent in the formula of the edge into each variable; 0 at the root.
        b: coefficient of the variable itself.
        order: children of all edges in the order of their sentences.
        spare: child of the edge whose sentence a matched counterpart lacks; None unless matched.
        cut_drawn: whether formula and place of the cut sentence were drawn; the authors' stream
            draws none, see `authors.with_cuts`.
    """

    config: ProblemConfig
    names: Ints
    values: Ints
    parents: Ints
    a: Ints
    b: Ints
    order: Ints
    spare: Ints | None = None
    cut_drawn: bool = True

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def constants(self) -> Ints:
        """Right-hand side of the formula of the edge into each variable, in money units."""
        # The root has no value; what is taken for it is multiplied by 0.
        of_parent = np.take_along_axis(self.values, np.maximum(self.parents - 1, 0), axis=1)
        return self.a * of_parent + self.b * self.values

    def rows(self, start: int, stop: int) -> Block:
        """Some of the rows."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        part: dict[str, Any] = {
            name: each[start:stop] for name, each in values.items() if isinstance(each, np.ndarray)
        }
        return replace(self, **part)


class RandomWords:
    """Random words of one block, drawn as they are needed."""

    def __init__(self, name: Sequence[object], block: int) -> None:
        """Start at the beginning of a block of the stream with this name."""
        text = json.dumps(name, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode("ascii")).digest()
        # The counter has 256 bits: the block sets the upper half, the words run in the lower one.
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "big"), counter=block << 128)

    def below(self, bounds: Sequence[int] | Ints, rows: int) -> Ints:
        """Draw whole numbers from 0 to bound - 1; bounds are of the columns, or of each row and column.

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


def prices_of(theme: Theme) -> range:
    """The prices of a theme; one that is made by hand may have larger ones than a row can hold."""
    if 2 * MAX_COEFFICIENT * theme.value_max >= 2**63:
        raise TreecutError(
            f"The theme {theme.name!r} has prices up to {shown(theme.value_max)}: use prices of at most "
            f"{2**63 // (2 * MAX_COEFFICIENT)}."
        )
    return theme.prices


def draw_rest(
    config: ProblemConfig, words: RandomWords, names: Ints, parents: Ints | None = None
) -> Block:
    """Draw all that is not a name, nor a tree that is given already."""
    rows, num_vars, theme = len(names), config.vars, config.resolved_theme
    drawn_values = words.below([len(prices_of(theme))] * num_vars, rows)
    values = theme.value_min + theme.value_step * drawn_values
    if parents is None:
        parents = with_path(config, draw_branches(config, words, rows))
    choices = _FORMULAS[config.sampling]
    # At the root a formula states the price.
    drawn = choices[words.below([len(choices)] * num_vars, rows)]
    drawn[parents == 0] = (0, 1)
    if config.order == "random":
        order = 1 + shuffled(words, rows, num_vars, num_vars)
    else:
        order = forward(config, parents)
        if config.order == "backward":
            order = order[:, ::-1]
    return Block(config, names, values, parents, drawn[..., 0], drawn[..., 1], order)


def draw_names(config: ProblemConfig, words: RandomWords, rows: int, split: Split) -> Ints:
    """Draw names until all rows belong to a split."""
    if split.size == HASHES:
        return _draw_names(config, words, rows, split)
    numbers, asked_numbers = name_numbers(config.resolved_theme, config.composite_name)
    fitting = np.empty((0, config.vars), dtype=np.int64)
    drawn = 0
    while len(fitting) < rows:
        if not len(fitting) and drawn > _MAX_DRAWS * HASHES // split.size:
            raise _too_few_names(config, split)
        # About as many as it takes, but not more than memory has room for.
        expected = (rows - len(fitting)) * HASHES // split.size
        count = min(expected + _FEW, _MANY)
        names = _draw_names(config, words, count, split)
        hashes = numbers[names].sum(axis=1) + asked_numbers[names[:, config.ans_depth - 1]]
        fitting = np.concatenate([fitting, names[split.holds(hashes)]])
        drawn += count
    return fitting[:rows]


def _draw_names(config: ProblemConfig, words: RandomWords, rows: int, split: Split) -> Ints:
    """Names: two entities, half as many items as variables, and which of the pairs are used."""
    theme, num_vars = config.resolved_theme, config.vars
    items = split.item_numbers(theme)
    num_items = (num_vars + 1) // 2 if config.composite_name else num_vars
    if num_items > len(items):
        raise _too_few_names(config, split)
    items = items[shuffled(words, rows, len(items), num_items)]
    if not config.composite_name:
        return items
    entities = shuffled(words, rows, len(theme.entities), ENTITIES_DRAWN)
    candidates = (entities[:, :, None] * len(theme.items) + items[:, None, :]).reshape(rows, -1)
    chosen = shuffled(words, rows, candidates.shape[1], num_vars)
    return np.take_along_axis(candidates, chosen, axis=1)


def _too_few_names(config: ProblemConfig, split: Split) -> TreecutError:
    kind = "items of its own" if split.has_own_items else "names"
    return TreecutError(
        f"The theme {config.resolved_theme.name!r} has too few names to make problems of "
        f"num_vars={config.vars} for the split {split.name!r} (share {split.share}, {kind}): use fewer "
        "variables, larger shares or fewer splits, composite names, or a larger theme."
    )


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


def draw_branches(config: ProblemConfig, words: RandomWords, rows: int) -> Ints:
    """Parents of the variables off the path: earlier ones, the root included."""
    return words.below(range(config.ans_depth + 1, config.vars + 1), rows)


def with_path(config: ProblemConfig, branches: Ints) -> Ints:
    """Parents of all variables: those on the path hang on each other."""
    path = np.tile(np.arange(config.ans_depth), (len(branches), 1))
    return np.concatenate([path, branches], axis=1)


def _tree_numbers(config: ProblemConfig, parents: Ints) -> Ints:
    """A number for each row, the same for the same tree."""
    numbers = np.zeros(len(parents), dtype=np.int64)
    for column in range(config.ans_depth, config.vars):
        if int(numbers.max(initial=0)) > np.iinfo(np.int64).max // (column + 2):
            # Too many trees to number them all: number those that occur.
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * (column + 1) + parents[:, column]
    return numbers


def per_tree(
    config: ProblemConfig, parents: Ints, find: Callable[[tuple[int, ...]], tuple[int, ...]]
) -> Ints:
    """What is found in the tree of each row, once for each different tree, filled up with zeros."""
    _, first, line = np.unique(
        _tree_numbers(config, parents), return_index=True, return_inverse=True
    )
    found = [find(tuple(tree)) for tree in parents[first].tolist()]
    most = max(map(len, found))
    filled: Ints = np.array([each + (0,) * (most - len(each)) for each in found])[line]
    return filled


def forward(config: ProblemConfig, parents: Ints) -> Ints:
    """Children of the edges of each row, breadth first."""
    return per_tree(config, parents, lambda tree: tuple(c for _, c in breadth_first(tree)))
