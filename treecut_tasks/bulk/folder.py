"""A data set as a folder: what is in it, what is missing, and whether it is whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treecut_tasks.bulk.plan import Plan, Shard
from treecut_tasks.bulk.rows import Rows
from treecut_tasks.bulk.shards import WrittenShard, describe
from treecut_tasks.errors import TreecutError
from treecut_tasks.files import made_folder, remove_abandoned, whole_binary_file, writing

PLAN_NAME = "data_set.json"
"""The file that tells what a folder is to hold; written first."""

MANIFEST_NAME = "manifest.json"
"""The file that tells what a finished folder holds; written last."""

_SHARD_NAME = re.compile(r"[^\W\d]\w{0,99}-\d{5,9}-of-\d{5,9}\.(?:jsonl|parquet)")
_OUR_NAME = re.compile(rf"{_SHARD_NAME.pattern}|{re.escape(PLAN_NAME)}|{re.escape(MANIFEST_NAME)}")


@dataclass(frozen=True)
class Folder:
    """The folder of one data set.

    Attributes:
        path: where it is.
        plan: what it holds, or shall hold.
    """

    path: Path
    plan: Plan

    @classmethod
    def open(cls, path: str, plan: Plan, overwrite: bool = False) -> Folder:
        """Make the folder of a plan, or go on with one that was begun.

        Args:
            path: where.
            plan: what shall be in it.
            overwrite: whether files of another or the same data set are removed.

        Raises:
            TreecutError: it cannot be made, or holds another data set.
        """
        folder = cls(made_folder(path), plan)
        with writing(folder.path):
            if overwrite:
                folder._clear()
            folder._check_same()
            if not (folder.path / PLAN_NAME).exists():
                # On disk before any of the files that cannot be used without it.
                with whole_binary_file(folder.path / PLAN_NAME, exclusive=True) as file:
                    file.write(plan.as_json().encode("utf-8"))
                # Another run may have been first.
                folder._check_same()
        return folder

    def _clear(self) -> None:
        """Remove the files of the data set that is there, and those that this one will write."""
        ours = {shard.name for shard in self.plan.shards}
        theirs = _shard_names_of(self.path / PLAN_NAME)
        files = [file for file in sorted(self.path.iterdir()) if _SHARD_NAME.fullmatch(file.name)]
        for file in files:
            if file.name not in ours and not theirs.fullmatch(file.name):
                raise TreecutError(
                    f"{str(file)!r} belongs to no data set that {PLAN_NAME} tells of, so it is not "
                    "overwritten: move it away, or use another folder."
                )
        # The manifest goes first: what is left of an interrupted removal does not look finished.
        (self.path / MANIFEST_NAME).unlink(missing_ok=True)
        for file in files:
            file.unlink()
        (self.path / PLAN_NAME).unlink(missing_ok=True)
        remove_abandoned(self.path, _OUR_NAME)

    def _check_same(self) -> None:
        path = self.path / PLAN_NAME
        if not path.exists():
            for file in sorted(self.path.iterdir()):
                # Another run may have written its plan since.
                if file.name != PLAN_NAME and _OUR_NAME.fullmatch(file.name):
                    raise TreecutError(
                        f"{str(file)!r} is there already, but no {PLAN_NAME} tells what it is: use an empty "
                        "folder, or --overwrite."
                    )
            return
        difference = _difference(_read_json(path), json.loads(self.plan.as_json()))
        if difference is not None:
            key, theirs, ours = difference
            raise TreecutError(
                f"The folder {str(self.path)!r} holds another data set: its {key} is {_shown(theirs)}, not "
                f"{_shown(ours)}. Use another folder, or --overwrite."
            )

    def missing(self) -> list[Shard]:
        """The files that are not there, or of which a manifest says that they are not whole."""
        sizes = {each.name: each.bytes for each in self._listed()}
        return [shard for shard in self.plan.shards if not self._is_whole(shard, sizes)]

    def _listed(self) -> list[WrittenShard]:
        """What the manifest says, if there is one yet."""
        return read_manifest(self.path) if (self.path / MANIFEST_NAME).exists() else []

    def _is_whole(self, shard: Shard, sizes: Mapping[str, int]) -> bool:
        # Files get their names when they are whole, so that those without a known size are.
        path = self.path / shard.name
        return path.is_file() and path.stat().st_size == sizes.get(shard.name, path.stat().st_size)

    def finish(self, known: Sequence[WrittenShard] = ()) -> bool:
        """Write the manifest if all files are there, and remove what killed runs have left.

        Args:
            known: files that were described when they were written. Those of an earlier manifest stay
                as it describes them, so that it keeps telling of damage; the others are read.

        Returns:
            Whether the data set is finished.

        Raises:
            TreecutError: another run has made another data set in the folder meanwhile.
        """
        self._check_same()
        if self.missing():
            return False
        described = {each.name: each for each in (*self._listed(), *known)}
        entries = []
        for shard in self.plan.shards:
            each = described.get(shard.name) or describe_shard(self, shard)
            entries.append({**asdict(each), "split": shard.split.name})
        manifest = {
            "data_set": self.plan.as_dict(),
            "rows": sum(entry["rows"] for entry in entries),
            "files": entries,
        }
        with whole_binary_file(self.path / MANIFEST_NAME) as file:
            file.write((json.dumps(manifest, indent=2) + "\n").encode("utf-8"))
        remove_abandoned(self.path, _OUR_NAME)
        return True


def _shard_names_of(plan: Path) -> re.Pattern[str]:
    """What the files of the data set are called of which a plan tells; nothing if it tells of none."""
    try:
        data = json.loads(plan.read_text(encoding="utf-8"))
        names = [re.escape(str(split["name"])) for split in data["splits"]]
        ending = re.escape(str(data["format"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return re.compile("(?!)")
    return re.compile(rf"(?:{'|'.join(names)})-\d{{5,9}}-of-\d{{5,9}}\.{ending}")


def describe_shard(folder: Folder, shard: Shard) -> WrittenShard:
    """Describe a file of the folder by reading it."""
    rows = Rows(folder.plan.recipe, shard.split).num_rows(shard.start, shard.stop)
    return describe(folder.path / shard.name, rows)


def read_manifest(folder: Path) -> list[WrittenShard]:
    """What the manifest of a finished folder says of its files.

    Raises:
        TreecutError: there is none, or it is damaged.
    """
    path = folder / MANIFEST_NAME
    if not path.exists():
        raise TreecutError(
            f"The folder {str(folder)!r} has no {MANIFEST_NAME}: it is not a finished data set; run its "
            "`treecut generate` again to complete it."
        )
    data = _read_json(path)
    try:
        files = [
            WrittenShard(
                str(file["name"]), int(file["rows"]), int(file["bytes"]), str(file["sha256"])
            )
            for file in data["files"]
        ]
        num_shards = data["data_set"]["shards"]
    except (KeyError, TypeError, ValueError) as error:
        raise TreecutError(
            f"{str(path)!r} is not a manifest ({error!r}): make the data set again."
        ) from error
    for file in files:
        # Whoever made the manifest must not choose what else is read on this machine.
        if not _SHARD_NAME.fullmatch(file.name):
            raise TreecutError(
                f"{str(path)!r} is not a manifest (it lists the file {file.name!r:.80}): make the data set "
                "again."
            )
    different = len({file.name for file in files})
    if different != num_shards or different != len(files):
        raise TreecutError(
            f"{str(path)!r} is not a manifest (it lists {different} different files, the data set has "
            f"{num_shards!r:.20}): make the data set again."
        )
    return files


def check_files(folder: Path) -> Iterator[tuple[WrittenShard, str | None]]:
    """Compare every file of a finished folder with the manifest.

    Yields:
        What the manifest says of a file, and what is wrong with it, or None. A file that looks like
        one of the data set, but is not in the manifest, is wrong too.

    Raises:
        TreecutError: there is no manifest, or it is damaged.
    """
    manifest = read_manifest(folder)
    for expected in manifest:
        path = folder / expected.name
        if not path.is_file():
            yield expected, "is missing"
            continue
        found = describe(path, expected.rows)
        if found.bytes != expected.bytes:
            yield expected, f"has {found.bytes} bytes, not {expected.bytes}"
        elif found.sha256 != expected.sha256:
            yield expected, f"has the SHA-256 {found.sha256}, not {expected.sha256}"
        else:
            yield expected, None
    listed = {expected.name for expected in manifest}
    for path in sorted(folder.iterdir()):
        if path.name not in listed and _SHARD_NAME.fullmatch(path.name):
            yield WrittenShard(path.name, 0, path.stat().st_size, ""), "is not in the manifest"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TreecutError(
            f"{str(path)!r} cannot be read ({error}): use an empty folder, or --overwrite."
        ) from error
    if not isinstance(data, dict):
        raise TreecutError(
            f"{str(path)!r} is not a JSON object: use an empty folder, or --overwrite."
        )
    return data


def _difference(theirs: Any, ours: Any, key: str = "") -> tuple[str, Any, Any] | None:
    """The first value in which two plans differ, and its key, such as `parts[0].config.order`."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found = (
            _difference(theirs.get(name), ours.get(name), f"{key}.{name}" if key else name)
            for name in {**ours, **theirs}
        )
        return next(filter(None, found), None)
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        both = enumerate(zip(theirs, ours, strict=True))
        found = (_difference(*values, f"{key}[{place}]") for place, values in both)
        return next(filter(None, found), None)
    return None if theirs == ours else (key, theirs, ours)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
