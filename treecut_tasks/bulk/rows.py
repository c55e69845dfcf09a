"""The rows of a data set, as tables or as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from treecut_tasks.bulk.columns import further_columns, pair_ids, schema, text_columns
from treecut_tasks.bulk.draws import Draws, Ints
from treecut_tasks.bulk.lines import LineWriter
from treecut_tasks.bulk.pieces import Pieces, Written
from treecut_tasks.bulk.recipe import Part, Recipe
from treecut_tasks.bulk.splits import Split
from treecut_tasks.bulk.stream import BLOCK, draw_block
from treecut_tasks.bulk.texts import Words, members

CHUNK = 1024
"""Entries that are written at once: few enough for a processor's cache, enough for NumPy."""

# Variables in all entries that are written at once, which bounds the memory for large problems.
_CHUNK_VARIABLES = 16 * CHUNK


def check_drawable(recipe: Recipe) -> None:
    """Draw where it may turn out only then that there is nothing to draw.

    Raises:
        TreecutError: a theme has too few names for a split, or a configuration no matched pairs.
    """
    for split in recipe.splits:
        for part in recipe.parts_of(split):
            if part.pairs == "matched" or not split.is_whole:
                draw_block(part.config, recipe.seed, 0, part.pairs, split)


class Rows:
    """The rows of one split of a recipe; any of them can be made without the others.

    An entry is a problem, or a pair, which makes two rows.

    Attributes:
        schema: the columns of its tables.
        chunk: entries in each table; fewer for large problems.
    """

    def __init__(self, recipe: Recipe, split: Split, text_only: bool = False) -> None:
        """Prepare the parts.

        Args:
            recipe: what the data set is made of.
            split: one of its splits.
            text_only: whether rows are just ids, problems, answers and solutions.
        """
        self.schema = schema(text_only, recipe.paired)
        largest = max(part.config.vars for part in recipe.parts)
        self.chunk = min(CHUNK, max(1, _CHUNK_VARIABLES // largest))
        # Parts that draw the same, such as the answerable problems of two cut depths, must not repeat
        # each other.
        before: Counter[Any] = Counter()
        self._parts = []
        for part in recipe.parts_of(split):
            self._parts.append(_PartRows(part, recipe.seed, split, text_only, before[part.stream]))
            before[part.stream] += 1
        self._cycle = np.array(recipe.cycle)
        turns = self._cycle[:, None] == np.arange(len(self._parts))
        self._turns_before = np.concatenate([[turns[0] * 0], np.cumsum(turns, axis=0)])

    def num_rows(self, start: int, stop: int) -> int:
        """How many rows the entries from start to stop have."""
        return sum(
            (self._index(stop, number) - self._index(start, number)) * part.rows_per_entry
            for number, part in enumerate(self._parts)
        )

    def _index(self, entry: int, number: int) -> int:
        """How many entries before this one are of a part."""
        cycles, turn = divmod(entry, len(self._cycle))
        before = self._turns_before
        return cycles * int(before[-1, number]) + int(before[turn, number])

    def tables(self, start: int, stop: int) -> Iterator[pa.Table]:
        """Tables with the rows of the entries from start to stop, a chunk in each."""
        for low, high in self._chunks(start, stop):
            tables, keys = [], []
            for number, part in enumerate(self._parts):
                entries = self._entries(low, high, number)
                for table, places in part.tables(*self._range(low, high, number)):
                    tables.append(pa.Table.from_pydict(_with_all(table, self.schema), self.schema))
                    keys.append(2 * entries[places // 2] + places % 2)
            yield _in_order(pa.concat_tables(tables), keys)

    def lines(self, start: int, stop: int) -> Iterator[memoryview]:
        """JSON Lines with the rows of the entries from start to stop, a chunk in each."""
        for low, high in self._chunks(start, stop):
            arrays, keys = [], []
            for number, part in enumerate(self._parts):
                written = list(part.lines(*self._range(low, high, number)))
                if len(self._parts) == 1:
                    yield from (each.bytes() for each in written)
                    continue
                arrays += [each.strings() for each in written]
                keys.append(self._entries(low, high, number))
            if arrays:
                ordered = pa.concat_arrays(arrays).take(pa.array(np.argsort(np.concatenate(keys))))
                size = np.frombuffer(ordered.buffers()[1], dtype=np.int32)[len(ordered)]
                yield memoryview(ordered.buffers()[2])[:size]

    def _chunks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        for low in range(start, stop, self.chunk):
            yield low, min(low + self.chunk, stop)

    def _range(self, start: int, stop: int, number: int) -> tuple[int, int]:
        return self._index(start, number), self._index(stop, number)

    def _entries(self, start: int, stop: int, number: int) -> Ints:
        """Which of the entries from start to stop are of a part."""
        entries = np.arange(start, stop)
        found: Ints = entries[self._cycle[entries % len(self._cycle)] == number]
        return found


class _PartRows:
    """The rows of one part, numbered for itself."""

    def __init__(self, part: Part, seed: int, split: Split, text_only: bool, repeat: int) -> None:
        self._part, self._seed, self._split, self._text_only = part, seed, split, text_only
        self._repeat = repeat
        self._paired = part.pairs != "none"
        self._block: tuple[int, Draws] | None = None
        self.rows_per_entry = part.rows_per_entry

    @cached_property
    def _words(self) -> Words:
        return Words(self._part.config, Pieces())

    @cached_property
    def _lines(self) -> LineWriter:
        return LineWriter(self._part.config, self._paired, self._text_only)

    def _draws(self, start: int, stop: int) -> Iterator[Draws]:
        if start == stop:
            return
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            if self._block is None or self._block[0] != block:
                part = self._part
                drawn = draw_block(
                    part.config, self._seed, block, part.pairs, self._split, self._repeat
                )
                self._block = block, drawn
            first = block * BLOCK
            yield self._block[1].rows(max(start - first, 0), min(stop - first, BLOCK))

    def lines(self, start: int, stop: int) -> Iterator[Written]:
        return map(self._lines.write, self._draws(start, stop))

    def tables(self, start: int, stop: int) -> Iterator[tuple[dict[str, pa.Array], Ints]]:
        """Columns, and for each of their rows twice the number of the entry, from 0, and its member."""
        done = 0
        for draws in self._draws(start, stop):
            words = self._words
            sentences = words.sentences(draws)
            columns = []
            for member in members(draws, self._paired):
                texts = text_columns(member, words, sentences)
                if not self._text_only:
                    texts |= further_columns(member, words, sentences)
                columns.append(texts)
            if self._paired:
                pairs = pa.array(pair_ids(*(each["id"].to_pylist() for each in columns)))
                columns = [{**each, "pair_id": pairs} for each in columns]
            places = 2 * np.arange(done, done + len(draws))
            for number, each in enumerate(columns):
                yield each, places + number
            done += len(draws)


def _with_all(columns: dict[str, pa.Array], wanted: pa.Schema) -> dict[str, pa.Array]:
    """Add what only other parts have."""
    rows = len(columns["id"])
    return {
        field.name: columns[field.name] if field.name in columns else pa.nulls(rows, field.type)
        for field in wanted
    }


def _in_order(table: pa.Table, keys: Sequence[Ints]) -> pa.Table:
    if len(keys) == 1:
        return table
    return table.take(pa.array(np.argsort(np.concatenate(keys)))).combine_chunks()
