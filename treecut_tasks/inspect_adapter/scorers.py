"""Scores and metrics; the judging is done by `treecut_tasks.evaluation`."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
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

from treecut_tasks.evaluation import TaskKind, score_pair, score_response, summarise

# Inspect's words for what our verdict calls by finer names.
_REASONS = {"empty": "no_response", "refused": "refusal"}


@metric
def treecut_rates(kind: TaskKind) -> Metric:
    """The rates of a task as named numbers; see `treecut_tasks.evaluation.summarise`.

    Args:
        kind: what the task serves, `unanswerable` or `answerable`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        return summarise([(_configuration(score), _rates(score)) for score in scores], kind)

    return compute


@metric(scores="unreduced")
def treecut_pair_rates() -> Metric:
    """The rates of a paired task: of both kinds of problems, and of the pairs' joint outcomes.

    Every rate is a mean over pairs, so that standard errors and intervals are clustered by pair.
    With several epochs a pair counts once, with its mean. Pairs of which a member was not scored
    (an error, a limit) are left out; `complete_pairs` says how many were not.
    """

    def compute(scores: list[SampleScore]) -> Value:
        pairs: dict[str, tuple[list[SampleScore], list[SampleScore]]] = {}
        for score in scores:
            metadata = score.sample_metadata or {}
            members = pairs.setdefault(str(metadata["pair_id"]), ([], []))
            members[0 if metadata["unanswerable"] else 1].append(score)
        rows = []
        for unanswerable, answerable in pairs.values():
            # The first epoch of one member goes with the first of the other, and so on.
            joint = [
                score_pair(_rates(first), _rates(second))
                for first, second in zip(unanswerable, answerable, strict=False)
            ]
            if joint:
                means = {name: fmean(row[name] for row in joint) for name in joint[0]}
                rows.append((_configuration(unanswerable[0]), means))
        table: dict[str, float] = dict(summarise(rows, "paired"))
        return {**table, "complete_pairs": len(rows)}

    return compute


def _configuration(score: SampleScore) -> str:
    return str((score.sample_metadata or {}).get("configuration", "unspecified"))


def _rates(score: SampleScore) -> Mapping[str, float]:
    # What our scorers put there, or its mean over epochs.
    return cast(Mapping[str, float], score.score.value)


@scorer(metrics=[treecut_rates("unanswerable")])
def unanswerable_scorer() -> Scorer:
    """Judge responses to unanswerable problems: the paper's rule, and a careful reader's verdict."""
    return _scorer()


@scorer(metrics=[treecut_rates("answerable")])
def answerable_scorer() -> Scorer:
    """Judge responses to answerable problems by the number that they commit to."""
    return _scorer()


@scorer(metrics=[treecut_pair_rates()])
def paired_scorer() -> Scorer:
    """Judge responses to problems of both kinds, and pairs by both responses together."""
    return _scorer()


def _scorer() -> Scorer:
    # A function of its own for each scorer: Inspect notes on the function which scorer it is.
    async def score(state: TaskState, target: Target) -> Score:
        return _score(state, target)

    return score


def _score(state: TaskState, target: Target) -> Score:
    stop_reason = state.output.stop_reason
    judged = score_response(
        target.text,
        state.output.completion,
        truncated=stop_reason in ("max_tokens", "model_length"),
        problem=state.metadata.get("problem"),
        theme=state.metadata.get("theme_file"),
    )
    outcome, cause = judged.outcome, judged.cause
    explanation = (
        f"The paper's rule finds {'' if judged.says_unknown else 'no '}'unknown' after the last "
        f"'answer'; a reader finds {outcome.verdict} ({outcome.reason})."
    )
    if cause is not None:
        explanation += f" The number may come from this: {cause.description}"
    return Score(
        value=judged.rates,
        answer=outcome.value if outcome.verdict == "number" else outcome.verdict,
        reason=_REASONS.get(outcome.reason, outcome.reason),
        explanation=explanation,
        metadata={
            "says_unknown": judged.says_unknown,
            "outcome": outcome.verdict,
            "outcome_reason": outcome.reason,
            "stop_reason": stop_reason,
            "cause": None if cause is None else cause.kind,
        },
    )
