"""JSON Lines of responses that were recorded elsewhere become runs, one a model, and their responses."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.recorded import RecordedResponse, recorded_response, recorded_rows
from treecut_tasks.logs.lm_eval_results import documents, is_sample
from treecut_tasks.logs.records import Batch, ProblemFacts, Response, Run
from treecut_tasks.problems import UNKNOWN, content_id

_TASK = "recorded"
_UNNAMED = "recorded responses"


def read_recorded(path: Path) -> list[Batch]:
    """Read a file as `recorded_responses` does; one run for each `model` that lines name."""
    batches: dict[str, Batch] = {}
    with path.open(encoding="utf-8-sig") as lines:
        for name, response in recorded_responses(lines, str(path)):
            run = Run(path=str(path), framework="recorded", tasks=(_TASK,), model=name)
            batches.setdefault(name, Batch(run, [])).responses.append(response)
    return list(batches.values())


def recorded_responses(lines: Iterable[str], where: str) -> Iterator[tuple[str, Response]]:
    """The name of the model and the response of each line, in their order.

    Lines have the keys of `RecordedResponse`, or are samples that lm-eval logged. What is known of the
    problem (`ans_depth` and so on) is taken from further keys, or from `config`, as `treecut generate`
    writes it.

    Args:
        lines: the lines.
        where: name of the file, for messages.
    """
    rows = list(recorded_rows(lines, where))
    if not rows:
        raise TreecutError(f"{where!r} is empty: it needs at least one response.")
    if is_sample(rows[0][1]):
        for _, responses in documents(rows, where, _TASK):
            for response in responses:
                yield _UNNAMED, response
        return
    repetitions: Counter[tuple[str, str]] = Counter()
    for place, row in rows:
        recorded = recorded_response(row, place)
        name = str((recorded.model_extra or {}).get("model") or _UNNAMED)
        problem_id = content_id(recorded.problem, recorded.answer)
        repetitions[name, problem_id] += 1
        epoch = repetitions[name, problem_id]
        digest = hashlib.sha256((recorded.response or "").encode()).hexdigest()
        yield (
            name,
            Response(
                identifier=f"{name} {problem_id} {epoch} {digest}",
                problem_id=problem_id,
                task=_TASK,
                sample=problem_id,
                epoch=epoch,
                problem=_facts(recorded, place),
                judged=recorded.judge(),
                unanswerable=recorded.answer == UNKNOWN,
                recorded=recorded,
            ),
        )


def _facts(recorded: RecordedResponse, place: str) -> ProblemFacts:
    extra = recorded.model_extra or {}
    config = extra.get("config")
    told = {**(config if isinstance(config, dict) else {}), **extra, "pair_id": recorded.pair_id}
    return validated(ProblemFacts, {**told, "problem": recorded.problem}, place)
