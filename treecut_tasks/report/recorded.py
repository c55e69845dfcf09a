"""Responses that were recorded elsewhere, as JSON Lines, become runs and responses: one run a model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from treecut_tasks.evaluation.recorded import RecordedResponse, recorded_response, recorded_rows
from treecut_tasks.problems import UNKNOWN, content_id
from treecut_tasks.report.evidence import Batch, Response, Run, Words
from treecut_tasks.report.schemas import LoggedProblem

_TASK = "recorded"
_UNNAMED = "recorded responses"


def read_recorded(path: Path, complain: Callable[[str], None]) -> Sequence[Batch]:
    """Read responses with the keys of `RecordedResponse`, and `model` where a line names it.

    A problem's own configuration (`ans_depth` and so on) is taken from keys of the line, or from its
    `config`, as `treecut generate` writes it.

    Args:
        path: the file.
        complain: not used: a file is read whole or not at all.

    Raises:
        TreecutError: a line is no such response.
    """
    batches: dict[str, Batch] = {}
    for name, recorded, identity in _responses(path):
        run = Run(path=str(path), framework="recorded", tasks=(_TASK,), model=name)
        batch = batches.setdefault(name, Batch(run, []))
        problem_id, epoch = identity
        digest = hashlib.sha256((recorded.response or "").encode()).hexdigest()
        batch.responses.append(
            Response(
                identifier=f"{name} {problem_id} {epoch} {digest}",
                problem_id=problem_id,
                task=_TASK,
                sample=problem_id,
                epoch=epoch,
                problem=_problem(recorded),
                judged=recorded.judge(),
                unanswerable=recorded.answer == UNKNOWN,
            )
        )
    return list(batches.values())


def recorded_words(
    run: Run, wanted: set[tuple[str, int | str, int]]
) -> Iterator[tuple[tuple[str, int | str, int], Words]]:
    """The words of some responses of a run, by task, identifier of the problem, and repetition."""
    for name, recorded, identity in _responses(Path(run.path)):
        key = (_TASK, *identity)
        if name == run.model and key in wanted:
            yield key, Words(recorded.problem, "", "", recorded.response or "")


def _responses(path: Path) -> Iterator[tuple[str, RecordedResponse, tuple[str, int]]]:
    repetitions: Counter[tuple[str, str]] = Counter()
    for where, row in recorded_rows(path.read_text(encoding="utf-8-sig"), str(path)):
        recorded = recorded_response(row, where)
        name = str(_extra(recorded).get("model") or _UNNAMED)
        problem_id = content_id(recorded.problem, recorded.answer)
        repetitions[name, problem_id] += 1
        yield name, recorded, (problem_id, repetitions[name, problem_id])


def _extra(recorded: RecordedResponse) -> dict[str, Any]:
    return recorded.model_extra or {}


def _problem(recorded: RecordedResponse) -> LoggedProblem:
    config = _extra(recorded).get("config")
    told = {**(config if isinstance(config, dict) else {}), **_extra(recorded)}
    known = {key: told[key] for key in LoggedProblem.model_fields if key in told}
    return LoggedProblem.model_validate(
        {**known, "pair_id": recorded.pair_id, "problem": recorded.problem}
    )
