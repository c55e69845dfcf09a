"""Scores and aggregations, called from the task files; the judging is in `evaluation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treecut_tasks.evaluation import PAPER_RATES, score_pair, score_response
from treecut_tasks.scoring.rates import rate


def process_results(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the response to one document.

    Args:
        doc: the row of the data set.
        results: the response, alone in a list; None counts as empty.

    Returns:
        A value for every metric of the task's `metric_list`, for every document: lm-eval would
        silently leave a document out of a metric that is missing.
    """
    return _with_interval_ends(score_response(doc["answer"], results[0]).rates)


def process_pair(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the responses to both members of a pair; otherwise as `process_results`."""
    unanswerable = score_response(doc["answer"], results[0]).rates
    answerable = score_response(doc["counterpart_answer"], results[1]).rates
    return _with_interval_ends(score_pair(unanswerable, answerable))


def _with_interval_ends(rates: Mapping[str, float]) -> dict[str, float]:
    table = dict(rates)
    for name in PAPER_RATES:
        if name in rates:
            table[f"{name}_ci_low"] = table[f"{name}_ci_high"] = rates[name]
    return table


def ci_low(values: Sequence[float]) -> float:
    """Lower end of the 95 % Wilson interval of a rate."""
    return rate(values).ci_low


def ci_high(values: Sequence[float]) -> float:
    """Upper end of the 95 % Wilson interval of a rate."""
    return rate(values).ci_high
