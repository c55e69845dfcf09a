"""From scores to the named rates of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treecut_tasks.evaluation.kinds import PAPER_RATES, TaskKind, rate_names
from treecut_tasks.scoring.rates import rate_table


def summarise(
    scores: Sequence[tuple[str, Mapping[str, float]]], kind: TaskKind
) -> dict[str, float]:
    """The rates of a run as named numbers (see `rate_table`).

    All rates over all responses (or pairs), then the paper's for each configuration, with
    `_ans_depth_8` for example behind the name, where there are several configurations.

    Args:
        scores: for each response the label of its configuration and its `ScoredResponse.rates`;
            for each pair the label and its `score_pair`.
        kind: what the task served.
    """
    names = rate_names(kind)
    if not scores:
        return dict.fromkeys(names, math.nan)
    paper_names = [name for name in names if name in PAPER_RATES]
    groups: dict[str, list[Mapping[str, float]]] = {}
    for label, rates in scores:
        groups.setdefault(label, []).append(rates)
    table = rate_table(_columns([rates for _, rates in scores], names), PAPER_RATES)
    if len(groups) > 1:
        for label in sorted(groups, key=_numbers_in_order):
            table |= rate_table(_columns(groups[label], paper_names), PAPER_RATES, f"_{label}")
    return table


def _numbers_in_order(label: str) -> list[tuple[int, str]]:
    """A sorting key that puts ans_depth_8 before ans_depth_10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in label.split("_")]


def _columns(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, list[float]]:
    return {name: [float(row[name]) for row in rows] for name in names}
