"""From a recipe to the rows of its data set, as Arrow tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from treecut_tasks.data_sets.plan import Plan
from treecut_tasks.data_sets.recipe import Recipe
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Split
from treecut_tasks.problems.blocks import BLOCK, Ints, PairKind
from treecut_tasks.problems.columns import columns, schema
from treecut_tasks.problems.members import Member, chunk_size, pair_ids
from treecut_tasks.problems.streams import Stream, authors_stream


def check_drawable(recipe: Recipe) -> None:
    """Draw where it may turn out only then that there is nothing to draw."""
    for split in recipe.splits:
        for part in recipe.parts:
            if part.pairs == "matched" or not split.is_whole:
                Stream(part.config, recipe.seed, part.pairs, split).block(0)


class Rows:
    """The rows of one split of a recipe; any of them can be made without the others.

    An entry is a problem, or a pair, which makes two rows.
    """

    def __init__(self, recipe: Recipe, split: Split, text_only: bool = False) -> None:
        """Prepare the parts of a recipe; `text_only` leaves just ids, texts, answers and solutions."""
        self._empty = schema(text_only, recipe.paired).empty_table()
        self._chunk = min(chunk_size(part.config) for part in recipe.parts)
        # Parts that draw the same, such as the answerable problems of two cut depths, must not repeat
        # each other.
        before: Counter[Any] = Counter()
        self._text_only, self._blocks = text_only, []
        for part in recipe.parts:
            stream = Stream(part.config, recipe.seed, part.pairs, split, before[part.stream])
            # Several tables are made of each block, one after the other.
            self._blocks.append(lru_cache(maxsize=1)(stream.block))
            before[part.stream] += 1
        self._recipe, self._cycle = recipe, np.array(recipe.cycle)

    def tables(self, start: int, stop: int) -> Iterator[pa.Table]:
        """Tables with the rows of the entries from start to stop, a chunk in each."""
        for low in range(start, stop, self._chunk):
            entries = np.arange(low, min(low + self._chunk, stop))
            part_of = self._cycle[entries % len(self._cycle)]
            before = self._recipe.turns_before(low)
            tables: list[pa.Table] = []
            keys: list[Ints] = []
            for number, part in enumerate(self._recipe.parts):
                places = entries[part_of == number]
                if len(places):
                    tables += self._tables_of(number, int(before[number]), len(places))
                    keys.append(np.repeat(places, part.rows_per_entry))
            if len(self._recipe.parts) == 1:
                yield pa.concat_tables(tables)
                continue
            # What only other parts have is null.
            every = pa.concat_tables([self._empty, *tables], promote_options="default")
            order = np.argsort(np.concatenate(keys), kind="stable")
            yield every.take(pa.array(order)).combine_chunks()

    def _tables_of(self, number: int, start: int, count: int) -> Iterator[pa.Table]:
        """The rows of so many entries of a part, which are numbered for themselves."""
        stop = start + count
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            first = block * BLOCK
            rows = self._blocks[number](block).rows(max(start - first, 0), min(stop - first, BLOCK))
            pairs = self._recipe.parts[number].pairs
            yield _member_table(Member.of(rows), pairs, self._text_only)


def one_stream_tables(plan: Plan) -> Iterator[pa.Table]:
    """The rows of a plan, drawn as the authors did, from one generator."""
    (part,), (split,) = plan.recipe.parts, plan.recipe.splits
    if part.pairs == "matched" or not split.is_whole:
        raise TreecutError(
            "--one-stream is the authors' stream, which has neither matched pairs nor splits: leave it "
            "out, or use --pairs full and --split all."
        )
    left = plan.num_entries
    for member in authors_stream(part.config, plan.recipe.seed):
        rows = member.rows(0, left)
        yield _member_table(rows, part.pairs, plan.columns == "text")
        left -= len(rows.block)
        if left <= 0:
            return


def _member_table(drawn: Member, pairs: PairKind, text_only: bool) -> pa.Table:
    """The rows of some entries of one part; the two of a pair follow each other."""
    if pairs == "none":
        return pa.Table.from_pydict(columns(drawn, text_only), schema(text_only))
    both = [drawn, drawn.counterpart(matched=pairs == "matched")]
    shared = {"pair_id": pair_ids(*both)}
    wanted = schema(text_only, paired=True)
    members = pa.concat_tables(
        [pa.Table.from_pydict(columns(each, text_only) | shared, wanted) for each in both]
    )
    alternating = np.arange(len(members)).reshape(2, -1).T.reshape(-1)
    return members.take(pa.array(alternating)).combine_chunks()
