"""From a recipe and a size to the files of a data set: which file holds what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Literal, get_args

from treecut_tasks.data_sets.recipe import Recipe, portions
from treecut_tasks.errors import TreecutError, checked_choice, shown
from treecut_tasks.problems import Split

Format = Literal["jsonl", "parquet", "published"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""How rows are written: JSON Lines, Parquet, or the authors' keys and bytes."""

Columns = Literal["all", "text"]
COLUMNS: tuple[Columns, ...] = get_args(Columns)
"""`all` that is known of a problem, or just its ids and texts; see `columns.schema`."""

SHARD_NAME = r"[A-Za-z_]\w{0,63}-\d{5,6}-of-\d{5,6}\.(?:jsonl|parquet|published)"
"""A pattern for the names of files."""

# More files than any file system likes in one folder.
_MOST_SHARDS = 100_000


@dataclass(frozen=True)
class Shard:
    """One file of a data set.

    Attributes:
        name: its file name.
        split: the split that it belongs to.
        start: its first entry in the split, from 0.
        stop: the entry after its last one.
    """

    name: str
    split: Split
    start: int
    stop: int


@dataclass(frozen=True)
class Plan:
    """A data set as a set of files.

    Attributes:
        recipe: what it is made of.
        num_entries: its size over all splits, a pair counting once.
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
            checked_choice(name, getattr(self, name), allowed)
        splits = len(self.recipe.splits)
        least = "1" if splits == 1 else f"{splits}, one for each split,"
        for what, number in (("problems", self.num_entries), ("shards", self.num_shards)):
            if type(number) is not int or number < splits:
                raise TreecutError(
                    f"The number of {what} is {shown(number)}: it must be a whole number of {least} "
                    "or more."
                )
        if self.num_shards > min(self.num_entries, _MOST_SHARDS):
            raise TreecutError(
                f"{self.num_shards} shards were asked for {self.num_entries} problems: use at most one "
                f"shard for each problem, and at most {_MOST_SHARDS}."
            )

    @cached_property
    def shards(self) -> tuple[Shard, ...]:
        """The files, split by split; within a split their sizes differ by one entry at most."""
        splits = self.recipe.splits
        shards: list[Shard] = []
        sizes = portions(self.num_entries, splits)
        counts = portions(self.num_shards, splits)
        for split, size, count in zip(splits, sizes, counts, strict=True):
            # Rounding can give a split more of a smaller total (the Alabama paradox).
            files = min(size, count)
            for place in range(files):
                name = f"{split.name}-{place:05d}-of-{files:05d}.{self.format}"
                start, stop = size * place // files, size * (place + 1) // files
                shards.append(Shard(name, split, start, stop))
        return tuple(shards)

    @property
    def num_rows(self) -> int:
        """Its size in problems."""
        return sum(self.recipe.num_rows(shard.start, shard.stop) for shard in self.shards)

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
