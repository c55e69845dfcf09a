"""The files of `treecut verify`: single ones, and those of finished folders."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.problem import content_id
from treecut_tasks.problems.records import iter_data_file
from treecut_tasks.themes import Theme
from treecut_tasks.validity import FileReport

Say = Callable[[str], None]
"""Takes one message, of one or more lines."""


@dataclass(frozen=True)
class Target:
    """One file whose problems are to be proven.

    Attributes:
        path: the file.
        folder: the finished folder that it belongs to, or None.
        rows: how many problems the manifest says it has; None without a manifest.
    """

    path: str
    folder: str | None = None
    rows: int | None = None

    def count(self) -> int:
        """How many problems it has, for progress only; 0 if that cannot be told quickly."""
        if self.rows is not None:
            return self.rows
        if self.path.endswith(".parquet") or not Path(self.path).is_file():
            return 0
        with Path(self.path).open("rb") as file:
            return sum(1 for _ in file)


class Proven(NamedTuple):
    """What came out for one file.

    Attributes:
        all_proven: whether every stated answer is the proven one, and as many as the manifest says.
        ids: the ids of its problems as numbers, if it belongs to a folder.
        messages: what is to be said.
    """

    all_proven: bool
    ids: array[int]
    messages: list[str]


@dataclass(frozen=True)
class Proving:
    """How files are proven.

    Attributes:
        themes: vocabularies; None for the built-in ones.
        assumptions: whether extra assumptions are weighed.
        output: gets the certificates, or None.
        say: takes messages.
        advance: takes the number of problems done since the last call.
    """

    themes: Sequence[Theme] | None
    assumptions: bool
    output: TextIO | None
    say: Say
    advance: Callable[[int], None]


def check_folders(paths: Sequence[str], say: Say) -> tuple[list[Target], bool]:
    """Find the files to prove, and compare those of folders with their manifests.

    Returns:
        The files that are as they should be, and whether all are.
    """
    targets, all_right = [], True
    for path in paths:
        if not Path(path).is_dir():
            targets.append(Target(path))
            continue
        from treecut_tasks.bulk.folder import check_files

        whole = True
        for expected, fault in check_files(Path(path)):
            file = str(Path(path) / expected.name)
            if fault is None:
                targets.append(Target(file, path, expected.rows))
            else:
                say(f"{file} {fault}: remove it and run the command that made it again.")
                whole = False
        if whole:
            say(f"{path}: all files are as the manifest says")
        all_right = all_right and whole
    return targets, all_right


def prove_files(targets: Sequence[Target], workers: int, proving: Proving) -> bool:
    """Prove the problems of files.

    Returns:
        Whether all are proven.
    """
    all_proven = True
    ids: dict[str, array[int]] = {}
    for target, proven in zip(targets, _prove_all(targets, workers, proving), strict=True):
        for message in proven.messages:
            proving.say(message)
        all_proven = all_proven and proven.all_proven
        if target.folder is not None:
            ids.setdefault(target.folder, array("Q")).extend(proven.ids)
    for folder, numbers in ids.items():
        _tell_repeats(folder, numbers, proving.say)
    return all_proven


def _prove_all(targets: Sequence[Target], workers: int, proving: Proving) -> Iterator[Proven]:
    if workers == 1 or len(targets) < 2:
        for target in targets:
            yield _prove(target, proving)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(workers, len(targets)), get_context("spawn")) as pool:
        futures = [
            pool.submit(_prove_in_worker, target, proving.themes, proving.assumptions)
            for target in targets
        ]
        try:
            for target, future in zip(targets, futures, strict=True):
                yield future.result()
                proving.advance(target.rows or 0)
        except BrokenProcessPool as error:
            raise TreecutError(
                "A worker process was killed (perhaps the memory was full): run the same command again, "
                "with fewer workers if need be."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _prove_in_worker(target: Target, themes: Sequence[Theme] | None, assumptions: bool) -> Proven:
    messages: list[str] = []
    proving = Proving(themes, assumptions, None, messages.append, lambda _: None)
    return _prove(target, proving)._replace(messages=messages)


def _prove(target: Target, proving: Proving) -> Proven:
    in_folder = target.folder is not None
    report = FileReport(
        target.path, proving.say, proving.themes, proving.assumptions, mixed=in_folder
    )
    ids, rows = array("Q"), 0
    for problem, answer, source in _problems(target.path):
        certificate = report.add(problem, answer, source)
        if proving.output is not None:
            proving.output.write(json.dumps(certificate, ensure_ascii=False) + "\n")
        if in_folder:
            ids.append(int(content_id(problem, answer), 16))
        rows += 1
        proving.advance(1)
    report.summarise()
    if report.unreadable and proving.themes is None:
        proving.say("  Texts of a theme of your own are read with --theme FILE.")
    complete = target.rows in (None, rows)
    if not complete:
        proving.say(f"{target.path} has {rows} problems, but the manifest says {target.rows}.")
    return Proven(report.all_proven and complete, ids, [])


def _problems(path: str) -> Iterator[tuple[str, str, str]]:
    if path.endswith(".parquet"):
        from treecut_tasks.bulk.stored import iter_problems

        yield from iter_problems(Path(path))
        return
    for record in iter_data_file(path):
        yield record.problem, record.answer, record.source


def _tell_repeats(folder: str, ids: array[int], say: Say) -> None:
    import numpy as np

    repeats = len(ids) - len(np.unique(np.frombuffer(ids, dtype=np.uint64)))
    said = "no problem is repeated" if not repeats else f"{repeats} repeat an earlier one"
    say(f"{folder}: {len(ids)} problems, {said}")
