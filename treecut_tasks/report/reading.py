"""From paths to evidence: every log read, copies and resumed runs counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecut_tasks.errors import TreecutError
from treecut_tasks.report.evidence import (
    Evidence,
    LeftOut,
    ResponseRow,
    ResponseText,
    Run,
    responses_frame,
)
from treecut_tasks.report.sources import Source, find_sources

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int, str], None]
"""Told how many steps are done, how many there are, and what the next one is."""


def no_progress(done: int, total: int, label: str) -> None:
    """Show nothing."""


def read_evidence(paths: Sequence[str], progress: Progress = no_progress) -> Evidence:
    """Read all logs behind some paths.

    What cannot be used is listed in the result with a sentence for each; the rest is read.

    Args:
        paths: logs, results files, and folders of them.
        progress: told about every log.

    Raises:
        TreecutError: nothing at all can be used.
    """
    sources, left_out = find_sources(paths)
    batches: list[_Batch] = []
    for index, source in enumerate(sources):
        progress(index, len(sources), f"reading {source.path.name}")
        try:
            batch = _read(source)
        except TreecutError as error:
            left_out.append(LeftOut(str(source.path), str(error)))
            continue
        left_out += [LeftOut(str(source.path), sentence) for sentence in batch.complaints]
        batches.append(batch)
    progress(len(sources), len(sources), "reading done")
    if not batches:
        raise TreecutError("\n".join(each.message for each in left_out) or "Give paths of logs.")
    return _evidence(batches, tuple(left_out))


def read_texts(evidence: Evidence, chosen: pd.DataFrame) -> list[ResponseText]:
    """The words of some responses, in their order.

    Args:
        evidence: what the responses are from.
        chosen: rows of its table of responses.
    """
    nothing = ResponseText("", "")
    texts: dict[tuple[int, str, int], ResponseText] = {}
    for number, rows in chosen.groupby("run"):
        run = evidence.runs[int(number)]
        keys = list(zip(rows["problem_id"], rows["epoch"].astype(int), strict=True))
        if run.framework == "Inspect":
            from treecut_tasks.report.inspect_logs import inspect_texts

            found = dict(zip(keys, inspect_texts(run.path, keys), strict=True))
        else:
            from treecut_tasks.report.lm_eval_results import lm_eval_texts

            by_id = lm_eval_texts(run.path, run.tasks, {identifier for identifier, _ in keys})
            found = {key: by_id.get(key[0], nothing) for key in keys}
        texts |= {(int(number), *key): text for key, text in found.items()}
    order = zip(chosen["run"], chosen["problem_id"], chosen["epoch"], strict=True)
    return [texts.get((int(run), name, int(epoch)), nothing) for run, name, epoch in order]


@dataclass(frozen=True)
class _Batch:
    """What one source holds; the rows count runs from 0."""

    runs: list[Run]
    rows: list[ResponseRow]
    identifiers: list[str]
    complaints: list[str]


def _read(source: Source) -> _Batch:
    if source.form == "inspect":
        from treecut_tasks.report.inspect_logs import read_inspect_log

        run, rows, identifiers = read_inspect_log(source)
        return _Batch([run], rows, identifiers, [])
    from treecut_tasks.report.lm_eval_results import read_lm_eval_results

    return _Batch(*read_lm_eval_results(source))


def _evidence(batches: list[_Batch], left_out: tuple[LeftOut, ...]) -> Evidence:
    """Join the batches; of copies, and of what a resumed run holds again, the newest counts."""
    batches = sorted(batches, key=lambda batch: batch.runs[0].created)
    runs: list[Run] = []
    rows: list[ResponseRow] = []
    identifiers: list[str] = []
    for batch in batches:
        rows += [replace(row, run=row.run + len(runs)) for row in batch.rows]
        identifiers += batch.identifiers
        runs += batch.runs
    frame = responses_frame(rows)
    frame["identifier"] = identifiers
    frame["task_id"] = [runs[row.run].task_id or f"run {row.run}" for row in rows]
    total = len(frame)
    frame = frame.sort_values(["scored", "run"], kind="stable")
    frame = frame.drop_duplicates("identifier", keep="last")
    frame = frame.drop_duplicates(["task_id", "problem_id", "epoch"], keep="last")
    frame = frame.sort_index().drop(columns=["identifier", "task_id"])
    kept = sorted(frame["run"].unique())
    frame["run"] = frame["run"].map({old: new for new, old in enumerate(kept)})
    return Evidence(
        runs=tuple(runs[number] for number in kept),
        responses=frame.reset_index(drop=True),
        left_out=left_out,
        superseded=total - len(frame),
    )
