"""Finding logs: paths become files of a known form, and sentences about what is none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treecut_tasks.report.evidence import LeftOut

Form = Literal["inspect", "lm-eval"]

_HEAD = 4096
_INSPECT_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d{1,3}\s*,\s*"status"\s*:')
_LM_EVAL_RESULTS = re.compile(r"results_.*\.json")
_LM_EVAL_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_WANTED = (
    "give Inspect logs (.eval, .json), lm-eval results (results_….json, written with --log_samples), "
    "or folders that hold some"
)


@dataclass(frozen=True)
class Source:
    """A file to read, and by which framework it was written."""

    path: Path
    form: Form


def find_sources(paths: Sequence[str]) -> tuple[list[Source], list[LeftOut]]:
    """The logs behind paths of files and folders, each once.

    Args:
        paths: what the user named; folders are searched with everything below them.

    Returns:
        The sources, in order of their paths, and the paths that have none.
    """
    found: dict[Path, Source] = {}
    left_out: list[LeftOut] = []
    for name in paths:
        path = Path(name)
        if not path.exists():
            left_out.append(LeftOut(name, f"{name!r} does not exist: {_WANTED}."))
            continue
        if path.is_dir():
            sources = list(_in_folder(path))
            if not sources:
                left_out.append(LeftOut(name, f"{name!r} holds no logs: {_WANTED}."))
        else:
            source = _form_of(path, named=True)
            sources = [source] if source else []
            if not sources:
                left_out.append(
                    LeftOut(
                        name, f"{name!r} is neither an Inspect log nor lm-eval results: {_WANTED}."
                    )
                )
        for source in sources:
            found.setdefault(source.path.resolve(), source)
    return list(found.values()), left_out


def samples_files(results: Path) -> dict[str, Path]:
    """The files of logged samples that belong to lm-eval results, by name of the task."""
    date = results.stem.removeprefix("results_")
    files = {}
    for path in sorted(results.parent.glob("samples_*.jsonl")):
        match = _LM_EVAL_SAMPLES.fullmatch(path.name)
        if match and match["date"] == date:
            files[match["task"]] = path
    return files


def _in_folder(folder: Path) -> Iterable[Source]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            source = _form_of(Path(root, name), named=False)
            if source:
                yield source


def _form_of(path: Path, named: bool) -> Source | None:
    """What a file is, by its name and, for JSON, by how it begins."""
    if path.suffix == ".eval":
        return Source(path, "inspect")
    if path.suffix == ".jsonl":
        return _results_beside(path) if named else None
    if path.suffix != ".json":
        return None
    if _LM_EVAL_RESULTS.fullmatch(path.name):
        return Source(path, "lm-eval")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        head = b""
    return Source(path, "inspect") if _INSPECT_JSON.match(head) else None


def _results_beside(samples: Path) -> Source | None:
    match = _LM_EVAL_SAMPLES.fullmatch(samples.name)
    if match is None:
        return None
    results = samples.with_name(f"results_{match['date']}.json")
    return Source(results, "lm-eval") if results.exists() else None
