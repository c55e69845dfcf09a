"""Writing the files of a data set, each whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from treecut_tasks.bulk.plan import Plan, Shard
from treecut_tasks.bulk.rows import Rows
from treecut_tasks.files import whole_binary_file

# Chunks in a Parquet row group, which readers load at once: of 16 thousand entries, or fewer large ones.
_ROW_GROUP = 16
# Chosen by measurement (benchmarks/bulk.py --compression): nearly as small as slower levels, and
# dictionaries cost time where texts do not repeat.
_COMPRESSION, _LEVEL = "zstd", 1
_WITHOUT_DICTIONARY = ("id", "problem", "proof", "pair_id", "sentences.list.element.text")

METADATA_KEY = b"treecut"
"""Key of the metadata of Parquet files; the value is the plan as JSON."""


@dataclass(frozen=True)
class WrittenShard:
    """What a finished file is known by.

    Attributes:
        name: its file name.
        rows: problems in it.
        bytes: its size.
        sha256: hexadecimal digest of its content.
    """

    name: str
    rows: int
    bytes: int
    sha256: str


Advance = Callable[[int], None]
"""Called with the number of entries that were written since the last call."""


def write_shard(plan: Plan, shard: Shard, path: Path, advance: Advance = lambda _: None) -> None:
    """Write one file; an existing one is replaced when the new one is whole.

    Raises:
        TreecutError: the file cannot be written, or the recipe cannot be drawn.
    """
    rows = Rows(plan.recipe, shard.split, plan.columns == "text")
    with whole_binary_file(path) as file:
        write_rows(plan, rows, shard, file, advance)


def write_rows(plan: Plan, rows: Rows, shard: Shard, file: BinaryIO, advance: Advance) -> None:
    """Write the rows of a shard to an open file."""
    if plan.format == "parquet":
        _write_parquet(plan, rows, shard, file, advance)
        return
    for start, stop in _steps(shard, rows):
        for lines in rows.lines(start, stop):
            file.write(lines)
        advance(stop - start)


def _write_parquet(plan: Plan, rows: Rows, shard: Shard, file: BinaryIO, advance: Advance) -> None:
    metadata = {METADATA_KEY: json.dumps(plan.as_dict()).encode("utf-8")}
    schema = rows.schema.with_metadata(metadata)
    with pq.ParquetWriter(
        file,
        schema,
        compression=_COMPRESSION,
        compression_level=_LEVEL,
        use_dictionary=_repeating_columns(schema),
    ) as writer:
        for start, stop in _steps(shard, rows):
            group = pa.concat_tables(rows.tables(start, stop))
            writer.write_table(group.replace_schema_metadata(metadata), row_group_size=len(group))
            advance(stop - start)


def _repeating_columns(schema: pa.Schema) -> list[str]:
    """Paths of the columns in which values repeat so often that a dictionary pays."""
    return [path for field in schema for path in _leaves(field) if path not in _WITHOUT_DICTIONARY]


def _leaves(field: pa.Field, within: str = "") -> Iterator[str]:
    """The paths of the columns that Parquet makes of a field."""
    path = within + field.name
    if pa.types.is_struct(field.type):
        for inner in field.type:
            yield from _leaves(inner, f"{path}.")
    elif pa.types.is_list(field.type):
        yield from _leaves(field.type.value_field.with_name("element"), f"{path}.list.")
    else:
        yield path


def _steps(shard: Shard, rows: Rows) -> Iterator[tuple[int, int]]:
    size = _ROW_GROUP * rows.chunk
    for start in range(shard.start, shard.stop, size):
        yield start, min(start + size, shard.stop)


def describe(path: Path, rows: int) -> WrittenShard:
    """Describe a finished file by reading it."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
            size += len(block)
    return WrittenShard(path.name, rows, size, digest.hexdigest())
