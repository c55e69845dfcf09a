"""Scores and aggregations, called from the task files; the judging is in `evaluation`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from treecut_tasks.evaluation import PAPER_RATES, score_pair, score_response
from treecut_tasks.scoring.rates import rate

_MAIN_CAUSES = (
    "cause_same_price",
    "cause_same_price_by_chance",
    "cause_misread_variable",
    "cause_misread_formula",
    "cause_unexplained",
)
"""The causes that lm-eval prints; Inspect has a metric for each."""


def process_results(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the response to one document.

    Args:
        doc: the row of the data set.
        results: the response, alone in a list; None counts as empty.

    Returns:
        A value for every metric of the task's `metric_list`, for every document: lm-eval would
        silently leave a document out of a metric that is missing.
    """
    rates = _score(doc, "", results[0])
    return _with_interval_ends(
        {
            name: value
            for name, value in rates.items()
            if name in _MAIN_CAUSES or not name.startswith("cause_")
        }
    )


def process_pair(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    """Judge the responses to both members of a pair; otherwise as `process_results`."""
    return _with_interval_ends(
        score_pair(_score(doc, "", results[0]), _score(doc, "counterpart_", results[1]))
    )


def _score(doc: Mapping[str, Any], member: str, response: str | None) -> dict[str, float]:
    return score_response(
        doc[f"{member}answer"],
        without_thinking(response or ""),
        problem=doc[f"{member}problem"],
        theme=doc["theme_file"] or None,
    ).rates


_THINK_TAG = re.compile(r"<think[^>]{0,200}>|</think>")


def without_thinking(response: str) -> str:
    """The response without its first closed `<think>` block.

    Local servers leave thinking in the text, and so does lm-eval unless its model argument
    `think_end_token` says otherwise. Inspect takes this block out of every response; without it the
    literal rule would judge two different texts.
    """
    depth = start = 0
    first_end: int | None = None
    for tag in _THINK_TAG.finditer(response):
        if not tag[0].startswith("</"):
            if depth == 0:
                start = tag.start()
            depth += 1
        elif depth:
            first_end = first_end or tag.end()
            depth -= 1
            if depth == 0:
                return (response[:start] + response[tag.end() :]).strip()
    # Opened more often than closed: as far as the first end.
    return response if first_end is None else (response[:start] + response[first_end:]).strip()


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
