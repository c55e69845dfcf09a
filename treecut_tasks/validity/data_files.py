"""Takes data files and finished folders, gives what is proven of their problems and says it."""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TextIO

import numpy as np

from treecut_tasks.answers import UNKNOWN
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.records import Record, iter_data_file
from treecut_tasks.processes import in_processes
from treecut_tasks.reading import Undetermined
from treecut_tasks.themes import Theme
from treecut_tasks.validity.assumptions import ASSUMPTIONS, Assumption, Consequence, consequences
from treecut_tasks.validity.certificates import certificate, certificate_holds, finding
from treecut_tasks.validity.proofs import Proof, prove

Say = Callable[[str], None]
"""Takes one message, of one or more lines."""


@dataclass(frozen=True)
class DataFile:
    """One file whose problems are to be proven.

    Attributes:
        path: the file.
        folder: the finished folder that it belongs to, or None.
        rows: how many problems the manifest says it has; None without a manifest.
    """

    path: str
    folder: str | None = None
    rows: int | None = None


@dataclass
class Report:
    """What came out for one file.

    Attributes:
        counts: problems by `proven unknown`, `proven price`, `wrong`, `unreadable`, and asked prices
            by assumption and what it does to them.
        ids: the ids of its problems as numbers, if it belongs to a folder.
        messages: what has still to be said.
        all_proven: whether every stated answer is the one that its text proves, and none is missing.
    """

    counts: Counter[str] = field(default_factory=Counter)
    ids: array[int] = field(default_factory=lambda: array("Q"))
    messages: list[str] = field(default_factory=list)
    all_proven: bool = True


def prove_files(
    files: Sequence[DataFile],
    themes: Sequence[Theme] | None,
    assumptions: bool,
    workers: int,
    say: Say,
    advance: Callable[[int], None],
    output: TextIO | None = None,
) -> bool:
    """Prove the problems of files.

    Args:
        files: which.
        themes: vocabularies in which texts may be written; None for the built-in ones.
        assumptions: whether to weigh `ASSUMPTIONS` for every undetermined problem.
        workers: number of processes.
        say: takes every message; every fault is told at once if there is one process.
        advance: takes the number of problems done since the last call.
        output: gets the certificates of one process, or None.

    Returns:
        Whether all are proven.
    """
    reports: Iterable[Report]
    if workers == 1 or len(files) < 2:
        reports = (prove_file(each, themes, assumptions, say, output, advance) for each in files)
    else:
        work = partial(prove_file, themes=themes, assumptions=assumptions)
        reports = in_processes(work, files, workers)
    all_proven = True
    ids: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
    for file, report in zip(files, reports, strict=True):
        if report.messages:
            advance(file.rows or 0)
        for message in report.messages:
            say(message)
        all_proven = all_proven and report.all_proven
        if file.folder is not None:
            ids[file.folder].extend(report.ids)
    for folder, numbers in ids.items():
        repeats = len(numbers) - len(np.unique(np.frombuffer(numbers, dtype=np.uint64)))
        said = "no problem is repeated" if not repeats else f"{repeats} repeat an earlier one"
        say(f"{folder}: {len(numbers)} problems, {said}")
    return all_proven


def prove_file(
    file: DataFile,
    themes: Sequence[Theme] | None,
    assumptions: bool,
    say: Say | None = None,
    output: TextIO | None = None,
    advance: Callable[[int], None] = lambda problems: None,
) -> Report:
    """Prove the problems of one file; without `say` the messages are in the report."""
    report = Report()
    say = report.messages.append if say is None else say
    theme: tuple[str, str] | None = None
    for record in iter_data_file(file.path):
        source, stated, weighed = record.source, record.answer, {}
        found: Proof | TreecutError
        try:
            found = prove(record.problem, themes)
        except TreecutError as error:
            found = error
        if isinstance(found, TreecutError):
            kind, words = "unreadable", [str(found)]
        elif found.agrees(stated):
            kind, words = "proven unknown" if stated == UNKNOWN else "proven price", []
        else:
            first, *others = found.words
            kind, words = "wrong", [finding(found, stated), f"Proof: {first}", *others]
        report.counts[kind] += 1
        if words:
            report.all_proven = False
            say("\n  ".join([f"{source}: {words[0]}", f"Problem: {record.problem}", *words[1:]]))
        if isinstance(found, Proof):
            name = found.read.theme.name
            theme = theme or (name, source)
            # A folder may be a mixture.
            if name != theme[0] and file.folder is None:
                raise TreecutError(
                    f"{source} is of theme {name!r}, but {theme[1]} is of theme {theme[0]!r}: put the "
                    "problems of each theme into a file of their own."
                )
            if assumptions and isinstance(found.solution, Undetermined):
                weighed = consequences(found.read, found.solution)
        for assumption, consequence in weighed.items():
            report.counts[f"{assumption.key} {consequence.outcome}"] += 1
        if output is not None:
            written = _written(record, found, weighed, themes)
            output.write(json.dumps(written, ensure_ascii=False) + "\n")
        if file.folder is not None:
            report.ids.append(int(record.id, 16))
        advance(1)
    for message in _summary(file, report, own_theme=themes is not None):
        say(message)
    return report


def _written(
    record: Record,
    found: Proof | TreecutError,
    weighed: Mapping[Assumption, Consequence],
    themes: Sequence[Theme] | None,
) -> dict[str, Any]:
    """The certificate of a problem, checked as its reader would; of a text that is none, the reason."""
    if isinstance(found, TreecutError):
        return {
            "source": record.source,
            "problem": record.problem,
            "answer": record.answer,
            "agrees": False,
            "verdict": "unreadable",
            "words": str(found),
        }
    written = certificate(found, record.answer, record.source)
    if not certificate_holds(written, themes):
        raise RuntimeError(f"{record.source}: the written certificate does not hold.")
    if weighed:
        written["assumptions"] = {
            assumption.key: {"outcome": each.outcome}
            | ({} if each.price is None else {"price": str(each.price)})
            for assumption, each in weighed.items()
        }
    return written


def _summary(file: DataFile, report: Report, own_theme: bool) -> list[str]:
    counts = report.counts
    unknown, prices = counts["proven unknown"], counts["proven price"]
    wrong, unreadable = counts["wrong"], counts["unreadable"]
    total = unknown + prices + wrong + unreadable
    problems = f"{file.path}: {total} problem{'' if total == 1 else 's'}"
    proven = f"{unknown} unanswerable, {prices} answerable"
    if report.all_proven:
        lines = [f"{problems} ({proven}), all proven"]
    else:
        lines = [f"{problems}: proven {proven}; wrong {wrong}; unreadable {unreadable}"]
    if file.rows not in (None, total):
        report.all_proven = False
        lines.append(f"{file.path} has {total} problems, but the manifest says {file.rows}.")
    if unreadable and not own_theme:
        lines.append("  Texts of a theme of your own are read with --theme FILE.")
    first = ASSUMPTIONS[0].key
    weighed = sum(counts[f"{first} {outcome}"] for outcome in ("open", "forced", "impossible"))
    if weighed:
        lines.append(
            f"  Asked prices that an extra assumption would fix, of {weighed} that the sentences leave open:"
        )
        width = max(len(assumption.words) for assumption in ASSUMPTIONS)
        for assumption in ASSUMPTIONS:
            forced, impossible = (counts[f"{assumption.key} {o}"] for o in ("forced", "impossible"))
            line = f"    {assumption.words:{width}} {forced:>7} ({forced / weighed:.1%})"
            lines.append(line + (f"; {impossible} allow no prices" if impossible else ""))
    return lines
