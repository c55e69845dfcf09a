"""From Arrow tables to files: JSON Lines, Parquet, and the authors' format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, StringConstraints

from treecut_tasks.data_sets.plan import SHARD_NAME, Format, Plan, Shard
from treecut_tasks.data_sets.rows import Rows
from treecut_tasks.files import whole_file
from treecut_tasks.problems.members import published_lines

# Rows in a Parquet row group, which readers load at once.
_ROW_GROUP = 16_384
# Chosen by measurement (benchmarks/data_sets.py): nearly as small as slower levels, and dictionaries
# cost time where texts do not repeat.
_COMPRESSION, _LEVEL = "zstd", 1
_WITHOUT_DICTIONARY = ("id", "problem", "proof", "pair_id", "lacks.text")

METADATA_KEY = b"treecut"
"""Key of the metadata of Parquet files; the value is the plan as JSON."""

Advance = Callable[[int], None]
"""Called with the number of rows that were written since the last call."""


class WrittenFile(BaseModel):
    """What a finished file is known by.

    Attributes:
        name: its file name.
        rows: problems in it.
        bytes: its size.
        sha256: hexadecimal digest of its content.
    """

    # Whoever made a manifest must not choose what else is read on this machine.
    name: Annotated[str, StringConstraints(pattern=rf"^{SHARD_NAME}$")]
    rows: int
    bytes: int
    sha256: str


def write_shard(
    plan: Plan, shard: Shard, folder: Path, advance: Advance = lambda _: None
) -> WrittenFile:
    """Write one file; an existing one is replaced when the new one is whole.

    Raises:
        TreecutError: the file cannot be written, or the recipe cannot be drawn.
    """
    path, rows = folder / shard.name, Rows(plan.recipe, shard.split, plan.columns == "text")
    with whole_file(path) as file:
        write_tables(
            rows.tables(shard.start, shard.stop), plan.format, file.buffer, advance, plan.as_json()
        )
    return WrittenFile(
        name=shard.name,
        rows=plan.recipe.num_rows(shard.start, shard.stop),
        bytes=path.stat().st_size,
        sha256=sha256_of(path),
    )


def sha256_of(path: Path) -> str:
    """The hexadecimal digest of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def write_tables(
    tables: Iterable[pa.Table],
    format: Format,
    file: BinaryIO,
    advance: Advance = lambda _: None,
    metadata: str = "{}",
) -> None:
    """Write tables to an open file.

    Args:
        tables: the rows; one table or more.
        format: how they are written.
        file: where to.
        advance: told of progress.
        metadata: JSON that a Parquet file carries.
    """
    if format == "parquet":
        _write_parquet(tables, file, advance, metadata)
        return
    for table in tables:
        file.writelines(_lines(table) if format == "jsonl" else published(table))
        advance(len(table))


def _lines(table: pa.Table) -> Iterator[bytes]:
    dumps, newline = orjson.dumps, orjson.OPT_APPEND_NEWLINE
    return (dumps(row, option=newline) for row in table.to_pylist())


def published(table: pa.Table) -> Iterator[bytes]:
    """The rows as lines of the authors' files."""
    texts = (table[name].to_pylist() for name in ("problem", "answer", "proof"))
    return (line.encode("ascii") for line in published_lines(*texts))


def _write_parquet(
    tables: Iterable[pa.Table], file: BinaryIO, advance: Advance, metadata: str
) -> None:
    writer: pq.ParquetWriter | None = None
    group: list[pa.Table] = []

    def write_group() -> None:
        assert writer is not None
        if group:
            writer.write_table(pa.concat_tables(group), row_group_size=_ROW_GROUP)
            advance(sum(map(len, group)))
            group.clear()

    for table in tables:
        table = table.replace_schema_metadata({METADATA_KEY: metadata.encode()})
        if writer is None:
            writer = pq.ParquetWriter(
                file,
                table.schema,
                compression=_COMPRESSION,
                compression_level=_LEVEL,
                use_dictionary=_repeating_columns(table.schema),
            )
        if sum(map(len, group)) + len(table) > _ROW_GROUP:
            write_group()
        group.append(table)
    write_group()
    assert writer is not None
    writer.close()


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
        yield f"{path}.list.element"
    else:
        yield path
