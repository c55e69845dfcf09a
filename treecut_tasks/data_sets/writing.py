"""From Arrow tables to files: JSON Lines, Parquet, and the authors' format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, StringConstraints

from treecut_tasks.data_sets.plan import SHARD_NAME, Plan, Shard
from treecut_tasks.data_sets.rows import Rows
from treecut_tasks.files import whole_file
from treecut_tasks.problems.columns import schema
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
    """What a finished file is known by: rows are problems, the SHA-256 is hexadecimal."""

    # Whoever made a manifest must not choose what else is read on this machine.
    name: Annotated[str, StringConstraints(pattern=rf"^{SHARD_NAME}$")]
    rows: int
    bytes: int
    sha256: str


def write_shard(
    plan: Plan, shard: Shard, folder: Path, advance: Advance = lambda _: None
) -> WrittenFile:
    """Write one file; an existing one is replaced when the new one is whole."""
    path, rows = folder / shard.name, Rows(plan.recipe, shard.split, plan.columns == "text")
    with whole_file(path) as file:
        write_tables(rows.tables(shard.start, shard.stop), plan, file.buffer, advance)
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
    tables: Iterable[pa.Table], plan: Plan, file: BinaryIO, advance: Advance = lambda _: None
) -> None:
    """Write tables to an open file as a plan says."""
    if plan.format == "parquet":
        _write_parquet(tables, plan, file, advance)
        return
    lines = _json_lines if plan.format == "jsonl" else _published_lines
    for table in tables:
        file.writelines(lines(table))
        advance(len(table))


def write_aligned(
    tables: Iterable[pa.Table], plan: Plan, files: Sequence[BinaryIO], advance: Advance
) -> None:
    """Write the first members of pairs to one file and the second ones to another, line by line."""
    for table in tables:
        for member, file in enumerate(files):
            write_tables([table.take(pa.array(range(member, len(table), 2)))], plan, file, advance)


def _json_lines(table: pa.Table) -> Iterator[bytes]:
    return (orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in table.to_pylist())


def _published_lines(table: pa.Table) -> Iterator[bytes]:
    texts = (table[name].to_pylist() for name in ("problem", "answer", "proof"))
    return (line.encode("ascii") for line in published_lines(*texts))


def _write_parquet(
    tables: Iterable[pa.Table], plan: Plan, file: BinaryIO, advance: Advance
) -> None:
    metadata = {METADATA_KEY: json.dumps(plan.as_dict())}
    fields = schema(plan.columns == "text", plan.recipe.paired).with_metadata(metadata)
    with pq.ParquetWriter(
        file,
        fields,
        compression=_COMPRESSION,
        compression_level=_LEVEL,
        use_dictionary=[
            path for field in fields for path in _leaves(field) if path not in _WITHOUT_DICTIONARY
        ],
    ) as writer:
        for group in _row_groups(tables):
            writer.write_table(group.cast(fields), row_group_size=_ROW_GROUP)
            advance(len(group))


def _row_groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Tables joined to as many rows as a row group holds, or a few less."""
    group: list[pa.Table] = []
    for table in tables:
        if sum(map(len, group)) + len(table) > _ROW_GROUP:
            yield pa.concat_tables(group)
            group = []
        group.append(table)
    yield pa.concat_tables(group)


def _leaves(field: pa.Field, within: str = "") -> Iterator[str]:
    """The paths of the columns that Parquet makes of a field."""
    path = within + field.name
    if pa.types.is_struct(field.type):
        for inner in field.type:
            yield from _leaves(inner, f"{path}.")
    else:
        yield f"{path}.list.element" if pa.types.is_list(field.type) else path
