"""Which file of a data set holds what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Literal, get_args

from treecut_tasks.bulk.recipe import Recipe
from treecut_tasks.bulk.splits import Split, portions
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import check_count

Format = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""`jsonl` for JSON Lines, `parquet` for Parquet."""

Columns = Literal["all", "text"]
COLUMNS: tuple[Columns, ...] = get_args(Columns)
"""`all` that is known of a problem, or just its ids and texts; see `columns.schema`."""


@dataclass(frozen=True)
class Shard:
    """One file of a data set.

    Attributes:
        number: its number among all files, from 0.
        name: its file name.
        split: the split that it belongs to.
        start: its first entry in the split, from 0.
        stop: the entry after its last one.
    """

    number: int
    name: str
    split: Split
    start: int
    stop: int


@dataclass(frozen=True)
class Plan:
    """A data set as a set of files.

    Attributes:
        recipe: what it is made of.
        num_entries: its size, a pair counting once.
        num_shards: number of files.
        format: of the files.
        columns: what is written of each problem.
    """

    recipe: Recipe
    num_entries: int
    num_shards: int = 1
    format: Format = "jsonl"
    columns: Columns = "all"

    def __post_init__(self) -> None:
        for name, allowed in (("format", FORMATS), ("columns", COLUMNS)):
            value = getattr(self, name)
            if value not in allowed:
                raise TreecutError(f"{name} is {value!r}: it must be {' or '.join(allowed)}.")
        splits = len(self.recipe.splits)
        _check_number("The number of problems", self.num_entries, splits)
        _check_number("The number of shards", self.num_shards, splits)
        if self.num_shards > self.num_entries:
            raise TreecutError(
                f"{self.num_shards} shards were asked for {self.num_entries} problems: use at most one shard "
                "for each problem."
            )

        turns = len(self.recipe.cycle)
        for part in self.recipe.parts:
            check_count(part.config, -(-self.num_entries * part.weight // turns))

    @cached_property
    def shards(self) -> tuple[Shard, ...]:
        """The files, split by split; within a split their sizes differ by one entry at most."""
        splits = self.recipe.splits
        shards: list[Shard] = []
        sizes = _at_least_one(self.num_entries, splits)
        counts = _no_more_than(sizes, _at_least_one(self.num_shards, splits))
        for split, size, count in zip(splits, sizes, counts, strict=True):
            for place in range(count):
                name = f"{split.name}-{place:05d}-of-{count:05d}.{self.format}"
                start, stop = size * place // count, size * (place + 1) // count
                shards.append(Shard(len(shards), name, split, start, stop))
        return tuple(shards)

    def as_dict(self) -> dict[str, Any]:
        """Everything that names the bytes of the files; ready for JSON."""
        return {
            "format": self.format,
            "columns": self.columns,
            "n": self.num_entries,
            "shards": self.num_shards,
            "version": version("treecut-tasks"),
            **self.recipe.as_dict(),
        }

    def as_json(self) -> str:
        """The same as text that a person can read."""
        return json.dumps(self.as_dict(), indent=2) + "\n"


def _check_number(what: str, number: object, splits: int) -> None:
    if type(number) is not int or number < splits:
        least = "1" if splits == 1 else f"{splits}, one for each split,"
        raise TreecutError(f"{what} is {number!r}: it must be a whole number of {least} or more.")


def _at_least_one(total: int, splits: Sequence[Split]) -> list[int]:
    """Portions of a number, at the cost of the largest if a split would get nothing."""
    counts = portions(total, splits)
    while 0 in counts:
        counts[counts.index(max(counts))] -= 1
        counts[counts.index(0)] += 1
    return counts


def _no_more_than(sizes: Sequence[int], counts: list[int]) -> list[int]:
    """Move files from splits with too few entries for them to those with the most to spare.

    Rounding can give a split more of a smaller total (the Alabama paradox).
    """
    while any(count > size for size, count in zip(sizes, counts, strict=True)):
        spare = [size - count for size, count in zip(sizes, counts, strict=True)]
        counts[spare.index(min(spare))] -= 1
        counts[spare.index(max(spare))] += 1
    return counts
