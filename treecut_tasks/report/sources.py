"""From paths to evidence: logs are found, read, and counted once; what cannot be used gets a sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.report.evidence import Batch, Evidence, LeftOut, Progress, Words, gather
from treecut_tasks.report.untrusted import one_line

if TYPE_CHECKING:
    import pandas as pd


_HEAD = 4096
_INSPECT_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d{1,3}\s*,\s*"status"\s*:')
_LM_EVAL_RESULTS = re.compile(r"results_(.*)\.json")
_LM_EVAL_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_WANTED = (
    "give Inspect logs (.eval, .json), lm-eval results (results_….json, written with --log_samples), "
    "folders that hold some, or JSON Lines of responses"
)


def read_evidence(
    paths: Sequence[str],
    names: Mapping[str, str] | None = None,
    progress: Progress = lambda *_: None,
) -> Evidence:
    """Read all logs behind some paths.

    What cannot be used is listed in the result with a sentence for each; the rest is read.

    Args:
        paths: logs, results files, and folders of them.
        names: names that models shall have, by the names that they have in logs.
        progress: told about every log.

    Raises:
        TreecutError: nothing at all can be used.
    """
    left_out: list[LeftOut] = []
    batches: list[Batch] = []
    sources = find_sources(paths, left_out)
    for index, path in enumerate(sources):
        progress(index, len(sources), f"reading {path.name}")

        def complain(message: str, path: Path = path) -> None:
            left_out.append(LeftOut(str(path), one_line(message, 1000)))

        try:
            batches += _reader(path)(path, complain)
        except ValidationError as error:
            complain(str(from_validation(error, repr(str(path)))))
        except TreecutError as error:
            complain(str(error))
        except Exception as error:
            # Whatever a reader stumbles over, the file is at fault; the others are read all the same.
            said = one_line(str(error)) or type(error).__name__
            complain(
                f"{str(path)!r} cannot be read ({said}): it is damaged or half-written; of Inspect logs "
                "`inspect log recover` or `inspect eval-retry` may make good ones."
            )
    progress(len(sources), len(sources), "reading done")
    if not batches:
        raise TreecutError("\n".join(each.message for each in left_out) or "Give paths of logs.")
    return gather(batches, left_out, names)


def read_words(evidence: Evidence, chosen: pd.DataFrame) -> list[Words]:
    """The words of some responses and of what was asked, in their order.

    Args:
        evidence: what the responses are from.
        chosen: rows of its table of responses.
    """
    keys = ["task", "sample", "epoch"]
    words: dict[tuple[object, ...], Words] = {}
    for number, rows in chosen.groupby("run"):
        run = evidence.runs[int(number)]
        wanted = set(rows[keys].itertuples(index=False, name=None))
        if run.framework == "Inspect":
            from treecut_tasks.report.inspect_logs import inspect_words

            found = inspect_words(run, wanted)
        elif run.framework == "recorded":
            from treecut_tasks.report.recorded import recorded_words

            found = recorded_words(run, wanted)
        else:
            from treecut_tasks.report.lm_eval_results import lm_eval_words

            found = lm_eval_words(run, wanted)
        words |= {(number, *key): each for key, each in found}
    rows = chosen[["run", *keys]].itertuples(index=False, name=None)
    return [words.get(row, Words("", "", "", "")) for row in rows]


def find_sources(paths: Sequence[str], left_out: list[LeftOut]) -> list[Path]:
    """The logs behind paths of files and folders, each once, in order; what has none is left out."""
    found: dict[Path, Path] = {}
    for name in paths:
        path = Path(name)
        try:
            if path.is_dir():
                next(path.iterdir(), None)
                logs, complaint = list(_in_folder(path)), f"{name!r} holds no logs: {_WANTED}."
            else:
                log = _log_of(path)
                logs = [log] if log else []
                complaint = f"{name!r} is neither an Inspect log nor lm-eval results: {_WANTED}."
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            logs, complaint = [], f"{name!r} cannot be read ({reason}): {_WANTED}."
        if not logs:
            left_out.append(LeftOut(name, complaint))
        for log in logs:
            found.setdefault(log.resolve(), log)
    return list(found.values())


def samples_files(results: Path) -> dict[str, Path]:
    """The files of logged samples that belong to lm-eval results, by name of the task."""
    match = _LM_EVAL_RESULTS.fullmatch(results.name)
    files = {}
    for path in sorted(results.parent.glob("samples_*.jsonl")):
        samples = _LM_EVAL_SAMPLES.fullmatch(path.name)
        if match and samples and samples[2] == match[1]:
            files[samples[1]] = path
    return files


def _in_folder(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            if path.suffix in (".eval", ".json") and path.is_file() and _log_of(path) == path:
                yield path


def _log_of(path: Path) -> Path | None:
    """The log that a file is or belongs to, by its name and, for JSON, by how it begins."""
    samples = _LM_EVAL_SAMPLES.fullmatch(path.name)
    if samples:
        results = path.with_name(f"results_{samples[2]}.json")
        return results if results.exists() else None
    if path.suffix in (".eval", ".jsonl") or _LM_EVAL_RESULTS.fullmatch(path.name):
        return path
    with path.open("rb") as file:
        return path if _INSPECT_JSON.match(file.read(_HEAD)) else None


def _reader(path: Path) -> Callable[[Path, Callable[[str], None]], Sequence[Batch]]:
    if _LM_EVAL_RESULTS.fullmatch(path.name):
        from treecut_tasks.report.lm_eval_results import read_lm_eval_results

        return read_lm_eval_results
    if path.suffix == ".jsonl":
        from treecut_tasks.report.recorded import read_recorded

        return read_recorded
    from treecut_tasks.report.inspect_logs import read_inspect_log

    return read_inspect_log
