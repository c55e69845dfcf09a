"""Responses that were recorded elsewhere become judged responses and rates, without any framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.rates import Rate, TaskKind, counts, summarise
from treecut_tasks.problems import is_answer

RESPONSE_KEYS = ("problem", "answer", "response")
"""Keys of a response that was recorded elsewhere; `truncated` and `theme` may be added."""


def score_responses(responses: Iterable[Mapping[str, Any]]) -> list[JudgedResponse]:
    """Judge responses that were recorded elsewhere, without any framework.

    Args:
        responses: mappings with the keys `problem` (the text), `answer` (a number in digits, or
            `unknown`) and `response` (the model's visible text; None counts as empty). `truncated`
            (true where the response was cut off) and `theme` (name or path, for themes of one's
            own) may be added; other keys are ignored.

    Raises:
        TreecutError: a key is missing or has a value of the wrong type.
    """
    return [_judge(number, row) for number, row in enumerate(responses, start=1)]


def _judge(number: int, row: Mapping[str, Any]) -> JudgedResponse:
    for key in RESPONSE_KEYS:
        if key not in row:
            raise TreecutError(
                f"Response {number} lacks the key {key!r}: each needs the keys "
                f"{', '.join(RESPONSE_KEYS)}."
            )
    problem, answer, response = (row[key] for key in RESPONSE_KEYS)
    if not isinstance(response, str | None):
        raise TreecutError(f"Response {number} is {response!r}: it must be a text or null.")
    if not isinstance(problem, str) or not is_answer(answer):
        raise TreecutError(
            f"Response {number} has the answer {answer!r}: problem must be a text, and answer "
            "'unknown' or a number in quotes such as '11'."
        )
    truncated = bool(row.get("truncated") or False)
    return judge_response(
        answer, response, truncated=truncated, problem=problem, theme=row.get("theme")
    )


def summarise_responses(judged: Iterable[JudgedResponse]) -> dict[TaskKind, dict[str, Rate]]:
    """The rates of judged responses by name, with those of causes, for each kind that occurs."""
    rows: dict[TaskKind, list[dict[str, float]]] = {"unanswerable": [], "answerable": []}
    for each in judged:
        kind: TaskKind = "unanswerable" if each.unanswerable else "answerable"
        rows[kind].append(counts(each, causes=True))
    return {kind: summarise(each) for kind, each in rows.items() if each}
