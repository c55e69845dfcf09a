"""Scores and metrics; the judging is done by `treecut_tasks.evaluation`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState

from treecut_tasks.evaluation import rate_names, score_response
from treecut_tasks.scoring.rates import rate_table

_GROUP_KEY = "ans_depth"

# Inspect's words for what our verdict calls by finer names.
_REASONS = {"empty": "no_response", "refused": "refusal"}


@metric
def treecut_rates(unanswerable: bool) -> Metric:
    """All rates of a task: overall and for each ans_depth, with standard error and 95 % interval.

    `NAME`, `NAME_stderr`, `NAME_ci_low`, `NAME_ci_high`, and the same with `_ans_depth_8` behind
    NAME where there are several depths. The names are those of
    `treecut_tasks.evaluation.rate_names`.

    Args:
        unanswerable: which kind of problems the task serves.
    """
    names = rate_names(unanswerable)

    def compute(scores: list[SampleScore]) -> Value:
        table: dict[str, float] = {}
        if scores:
            table.update(rate_table(_columns(scores, names)))
        groups: dict[str, list[SampleScore]] = {}
        for score in scores:
            group = str((score.sample_metadata or {}).get(_GROUP_KEY, "unspecified"))
            groups.setdefault(group, []).append(score)
        if len(groups) > 1:
            for group in sorted(groups, key=lambda name: (len(name), name)):
                columns = _columns(groups[group], names)
                table.update(rate_table(columns, suffix=f"_{_GROUP_KEY}_{group}"))
        return table

    return compute


def _columns(scores: list[SampleScore], names: tuple[str, ...]) -> dict[str, list[float]]:
    values = [cast(Mapping[str, float], score.score.value) for score in scores]
    return {name: [float(value[name]) for value in values] for name in names}


@scorer(metrics=[treecut_rates(unanswerable=True)])
def unanswerable_scorer() -> Scorer:
    """Judge responses to unanswerable problems: the paper's rule, and a careful reader's verdict."""
    return _score


@scorer(metrics=[treecut_rates(unanswerable=False)])
def answerable_scorer() -> Scorer:
    """Judge responses to answerable problems by the number that they commit to."""
    return _score


async def _score(state: TaskState, target: Target) -> Score:
    stop_reason = state.output.stop_reason
    judged = score_response(
        target.text,
        state.output.completion,
        truncated=stop_reason in ("max_tokens", "model_length"),
    )
    outcome = judged.outcome
    return Score(
        value=judged.rates,
        answer=outcome.value if outcome.outcome == "number" else outcome.outcome,
        reason=_REASONS.get(outcome.reason, outcome.reason),
        explanation=(
            f"The paper's rule finds {'' if judged.says_unknown else 'no '}'unknown' after the last "
            f"'answer'; a reader finds {outcome.outcome} ({outcome.reason})."
        ),
        metadata={
            "says_unknown": judged.says_unknown,
            "outcome": outcome.outcome,
            "outcome_reason": outcome.reason,
            "stop_reason": stop_reason,
        },
    )
