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

from treecut_tasks.evaluation import score_response, summarise

# Inspect's words for what our verdict calls by finer names.
_REASONS = {"empty": "no_response", "refused": "refusal"}


@metric
def treecut_rates(unanswerable: bool) -> Metric:
    """The rates of a task as named numbers; see `treecut_tasks.evaluation.summarise`.

    Args:
        unanswerable: which kind of problems the task serves.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return summarise([(_ans_depth(score), _rates(score)) for score in scores], unanswerable)

    return compute


def _ans_depth(score: SampleScore) -> str:
    return str((score.sample_metadata or {}).get("ans_depth", "unspecified"))


def _rates(score: SampleScore) -> Mapping[str, float]:
    # What our scorers put there, or its mean over epochs.
    return cast(Mapping[str, float], score.score.value)


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
