"""Responses that were recorded elsewhere, scored without any framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.kinds import TaskKind
from treecut_tasks.evaluation.scored import ScoredResponse, score_response
from treecut_tasks.evaluation.summary import summarise
from treecut_tasks.problems import UNKNOWN, is_answer

RESPONSE_KEYS = ("problem", "answer", "response")
"""Keys of a response that was recorded elsewhere; `truncated` and `theme` may be added."""


def score_responses(
    responses: Iterable[Mapping[str, Any]],
) -> list[tuple[TaskKind, ScoredResponse]]:
    """Judge responses that were recorded elsewhere, without any framework.

    Args:
        responses: mappings with the keys `problem` (the text), `answer` (a number in digits, or
            `unknown`) and `response` (the model's visible text; None counts as empty). `truncated`
            (true where the response was cut off) and `theme` (name or path, for themes of one's
            own) may be added; other keys are ignored.

    Returns:
        For each response the kind of its problem and the judgement.

    Raises:
        TreecutError: a key is missing or has a value of the wrong type.
    """
    scored: list[tuple[TaskKind, ScoredResponse]] = []
    for number, row in enumerate(responses, start=1):
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
        truncated = row.get("truncated") or False
        judged = score_response(answer, response, bool(truncated), problem, row.get("theme"))
        scored.append(("unanswerable" if answer == UNKNOWN else "answerable", judged))
    return scored


def summarise_responses(
    scored: Iterable[tuple[TaskKind, ScoredResponse]],
) -> dict[TaskKind, dict[str, float]]:
    """The rates of judged responses, for each kind of problem that occurs; see `summarise`."""
    by_kind: dict[TaskKind, list[tuple[str, Mapping[str, float]]]] = {}
    for kind, judged in scored:
        by_kind.setdefault(kind, []).append(("", judged.rates))
    return {kind: summarise(rows, kind) for kind, rows in sorted(by_kind.items(), reverse=True)}
