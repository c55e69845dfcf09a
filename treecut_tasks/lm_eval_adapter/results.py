"""Documents and responses become what lm-eval averages; the judging is in `evaluation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treecut_tasks.evaluation import JudgedResponse, counts
from treecut_tasks.evaluation.rates import corrected_for_chance
from treecut_tasks.evaluation.recorded import response_to
from treecut_tasks.scoring.visible import split_thinking


def process_results(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the response to one document.

    lm-eval does not say which responses a token limit cut off: they are judged by their text alone.

    Args:
        doc: the row of the data set.
        results: the response, alone in a list; None counts as empty.

    Returns:
        A value for every metric of the task's `metric_list`, for every document: lm-eval would
        silently leave a document out of a metric that is missing.
    """
    return counts(_judge(doc, "", results[0]))


def process_pair(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the responses to both members of a pair; otherwise as `process_results`."""
    return counts(_judge(doc, "", results[0]), _judge(doc, "counterpart_", results[1]))


def process_diagnosis(
    doc: Mapping[str, Any], results: Sequence[str | None]
) -> dict[str, float | tuple[float, float]]:
    """The same for a pair that is to be diagnosed."""
    counted = process_pair(doc, results)
    both = counted["ask_settles_rate"], counted["ask_settles_by_chance"]
    return {**counted, "ask_settles_corrected": both}


def corrected(items: Sequence[tuple[float, float]]) -> float:
    """Aggregate what counts, and what counts by chance, to a score corrected for chance."""
    right, by_chance = zip(*items, strict=True)
    return corrected_for_chance(right, by_chance)


def _judge(doc: Mapping[str, Any], member: str, response: str | None) -> JudgedResponse:
    visible, reasoning = split_thinking(response or "")
    return response_to(
        doc,
        str(doc["id"]),
        answer=doc[f"{member}answer"],
        response=visible,
        reasoning=reasoning,
        problem=doc[f"{member}problem"],
    ).judge()
