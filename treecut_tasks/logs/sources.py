"""Paths become logs, each found once; a log becomes its runs and responses, whatever form it has."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.logs.records import Batch
from treecut_tasks.logs.untrusted import one_line

_HEAD = 4096
_INSPECT_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d{1,3}\s*,\s*"status"\s*:')
_LM_EVAL_RESULTS = re.compile(r"results_(.*)\.json")
_LM_EVAL_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_WANTED = (
    "give Inspect logs (.eval, .json), lm-eval results (results_….json, written with --log_samples), "
    "folders that hold some, or JSON Lines of responses"
)

Complain = Callable[[str], None]
"""Told, in one sentence with the remedy, what cannot be used."""


def find_sources(name: str) -> list[Path]:
    """The logs behind the path of a file or a folder, in order."""
    path = Path(name)
    try:
        if path.is_dir():
            next(path.iterdir(), None)
            logs = list(_in_folder(path))
            complaint = f"{name!r} holds no logs: {_WANTED}."
        else:
            log = _log_of(path)
            logs = [log] if log else []
            complaint = f"{name!r} is neither an Inspect log nor lm-eval results: {_WANTED}."
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TreecutError(f"{name!r} cannot be read ({reason}): {_WANTED}.") from error
    if not logs:
        raise TreecutError(complaint)
    return logs


def read_log(path: Path, complain: Complain, whole: bool = False) -> Sequence[Batch]:
    """Read the runs and responses of a log.

    Args:
        path: an Inspect log, a results file of lm-eval, or JSON Lines of responses.
        complain: told what of the log cannot be used while the rest can.
        whole: whether all responses are read and judged from their words; otherwise judgements that an
            Inspect log has are taken from it, and the words are left there, which is much faster.

    Raises:
        TreecutError: the log cannot be used; the message is one sentence.
    """
    try:
        if _LM_EVAL_RESULTS.fullmatch(path.name):
            from treecut_tasks.logs.lm_eval_results import read_lm_eval_results

            return read_lm_eval_results(path, samples_files(path), complain)
        if path.suffix == ".jsonl":
            from treecut_tasks.logs.recorded import read_recorded

            return read_recorded(path)
        from treecut_tasks.logs.inspect_logs import read_inspect_log

        return [read_inspect_log(path, whole)]
    except ValidationError as error:
        message = str(from_validation(error, repr(str(path))))
    except TreecutError as error:
        message = str(error)
    except Exception as error:
        # Whatever a reader stumbles over, the file is at fault; others are read all the same.
        said = one_line(str(error)) or type(error).__name__
        message = (
            f"{str(path)!r} cannot be read ({said}): it is damaged or half-written; of Inspect logs "
            "`inspect log recover` or `inspect eval-retry` may make good ones."
        )
    raise TreecutError(one_line(message, 1000))


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
    results = path.with_name(f"results_{samples[2]}.json") if samples else path
    if samples and results.exists():
        return results
    if path.suffix in (".eval", ".jsonl") or _LM_EVAL_RESULTS.fullmatch(path.name):
        return path
    with path.open("rb") as file:
        return path if _INSPECT_JSON.match(file.read(_HEAD)) else None
