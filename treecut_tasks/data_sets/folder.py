"""From a plan to a folder of files and a manifest: what is there, what is missing, what is damaged.

The manifest names every file that is whole, by size and hash, and is written anew after each. A file
that it does not name, or that is not as it says, is made again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from treecut_tasks.data_sets.plan import SHARD_NAME, Plan, Shard
from treecut_tasks.data_sets.rows import check_drawable
from treecut_tasks.data_sets.writing import Advance, WrittenFile, sha256_of, write_shard
from treecut_tasks.errors import TreecutError, shown, validated
from treecut_tasks.files import made_folder, read_text, whole_file
from treecut_tasks.processes import in_processes

MANIFEST_NAME = "manifest.json"
"""The file that tells what a folder holds."""

# What a run that was killed may leave.
_TEMPORARY = re.compile(rf"\.(?:{SHARD_NAME}|{re.escape(MANIFEST_NAME)})\.[0-9a-f]{{16}}")


class _Manifest(BaseModel):
    data_set: dict[str, Any]
    num_files: int
    rows: int
    files: list[WrittenFile]


Write = Callable[[Plan, Sequence[Shard], Path, Advance], Iterator[WrittenFile]]
"""Writes shards into a folder and tells of each when it is whole."""


def write_folder(
    plan: Plan, path: str, overwrite: bool, write: Write, advance: Advance
) -> tuple[int, int]:
    """Make the files of a data set that are missing in a folder; `overwrite` removes what is there.

    Returns:
        How many files were written, and how many were there already.
    """
    check_drawable(plan.recipe)
    folder = made_folder(path)
    if overwrite:
        # The manifest goes first: what is left of an interrupted removal does not look finished.
        for file in (folder / MANIFEST_NAME, *_shards_in(folder)):
            file.unlink(missing_ok=True)
    known = _whole_files(folder, plan)
    there = len(known)
    # Written first, so that the folder belongs to this data set before any file is in it.
    _write_manifest(folder, plan, known)
    missing = [shard for shard in plan.shards if shard.name not in known]
    for written in write(plan, missing, folder, advance):
        known[written.name] = written
        _write_manifest(folder, plan, known)
    for file in folder.iterdir():
        if _TEMPORARY.fullmatch(file.name):
            file.unlink(missing_ok=True)
    return len(missing), there


def _shards_in(folder: Path) -> list[Path]:
    """Files that are named like those of a data set."""
    return [file for file in sorted(folder.iterdir()) if re.fullmatch(SHARD_NAME, file.name)]


def _whole_files(folder: Path, plan: Plan) -> dict[str, WrittenFile]:
    """The files of a data set that are in a folder as its manifest says."""
    if not (folder / MANIFEST_NAME).exists():
        for file in _shards_in(folder):
            raise TreecutError(
                f"{str(file)!r} is there already, but no {MANIFEST_NAME} tells what it is: use an empty "
                "folder, or --overwrite."
            )
        return {}
    manifest = _read(folder)
    theirs, ours = dict(_flat(manifest.data_set)), dict(_flat(plan.as_dict()))
    for key in {**ours, **theirs}:
        if theirs.get(key) != ours.get(key):
            raise TreecutError(
                f"The folder {str(folder)!r} holds another data set: its {key} is "
                f"{shown(theirs.get(key))}, not {shown(ours.get(key))}. Use another folder, or "
                "--overwrite."
            )
    return {file.name: file for file in manifest.files if _fault(folder, file) is None}


def _write_manifest(folder: Path, plan: Plan, known: dict[str, WrittenFile]) -> None:
    files = [known[shard.name] for shard in plan.shards if shard.name in known]
    manifest = _Manifest(
        data_set=plan.as_dict(),
        num_files=len(plan.shards),
        rows=sum(file.rows for file in files),
        files=files,
    )
    with whole_file(folder / MANIFEST_NAME) as out:
        out.write(json.dumps(manifest.model_dump(), indent=1) + "\n")


def _read(folder: Path) -> _Manifest:
    path = folder / MANIFEST_NAME
    text = read_text(path, "manifest")
    return validated(_Manifest, text.encode(), f"The manifest {str(path)!r}")


def _fault(folder: Path, expected: WrittenFile) -> str | None:
    """What is wrong with a file of a manifest, or None."""
    path = folder / expected.name
    if not path.is_file():
        return "is missing"
    if (size := path.stat().st_size) != expected.bytes:
        return f"has {size} bytes, not {expected.bytes}"
    if (digest := sha256_of(path)) != expected.sha256:
        return f"has the SHA-256 {digest}, not {expected.sha256}"
    return None


def check_files(folder: Path) -> Iterator[tuple[WrittenFile, str | None]]:
    """Compare every file of a finished folder with the manifest.

    Yields:
        What the manifest says of a file, and what is wrong with it, or None. A file that looks like
        one of the data set, but is not in the manifest, is wrong too.
    """
    manifest = _read(folder) if (folder / MANIFEST_NAME).exists() else None
    if manifest is None or len(manifest.files) != manifest.num_files:
        raise TreecutError(
            f"The folder {str(folder)!r} has no {MANIFEST_NAME} of a finished data set: run its "
            "`treecut generate` again to complete it."
        )
    for file in manifest.files:
        yield file, _fault(folder, file)
    known = {file.name for file in manifest.files}
    for path in _shards_in(folder):
        if path.name not in known:
            yield WrittenFile(name=path.name, rows=0, bytes=0, sha256=""), "is not in the manifest"


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The single values of a plan, by keys such as `parts[0].config.order`."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _flat(inner, f"{key}[{place}]")
    else:
        yield key, value


def write_here(workers: int) -> Write:
    """Writes shards with so many processes of this machine; the bytes do not depend on it."""

    def write(
        plan: Plan, shards: Sequence[Shard], folder: Path, advance: Advance
    ) -> Iterator[WrittenFile]:
        if workers == 1 or len(shards) < 2:
            for shard in shards:
                yield write_shard(plan, shard, folder, advance)
            return
        for written in in_processes(partial(write_shard, plan, folder=folder), shards, workers):
            yield written
            advance(written.rows)

    return write
