"""Samples become scores that keep the judged response, and scores become the rates of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ContentReasoning, ModelOutput
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

from treecut_tasks.evaluation import (
    RATES,
    JudgedResponse,
    TaskKind,
    counts,
    mean_counts,
    ratios,
    summarise,
)
from treecut_tasks.evaluation.describing import describe_response
from treecut_tasks.evaluation.penalties import measure
from treecut_tasks.evaluation.rates import PAIR_KINDS, kind_of
from treecut_tasks.evaluation.recorded import response_to

# Inspect's words for what our judgement calls by finer names.
_REASONS = {"empty": "no_response", "refused": "refusal"}

_Row = tuple[Mapping[str, Any], dict[str, float]]
"""Metadata of a problem, and what it counts towards each rate (the mean of its epochs)."""


@metric(scores="unreduced")
def treecut_rates(full: bool = False) -> Metric:
    """The rates of a run: of the kind of its problems, or over pairs where there are both kinds.

    The headline comes first, then its standard error, the shares that add up to one, agreement of
    the paper's rule with the verdict, and the headline by depth. All epochs count: a problem, or a
    pair, with the mean of its epochs. Pairs of which a member was not scored (an error, a limit) are
    left out.

    Args:
        full: also the shares of causes, the headline of each configuration, and scores under penalties.
    """

    def compute(scores: list[SampleScore]) -> Value:
        if not scores:
            # Inspect asks before the first sample is scored, too, and looks for the task's headline.
            return {next(iter(rates)): float("nan") for rates in RATES.values()}
        judged = [JudgedResponse.from_record(score.score.metadata or {}) for score in scores]
        kind, rows = _rows(scores, judged, causes=full)
        headline = next(iter(RATES[kind]))
        rates = summarise([row for _, row in rows])
        if not rates:
            return {headline: float("nan")}
        table = {headline: rates[headline].value, "stderr": rates[headline].stderr or 0.0}
        table |= {name: rate.value for name, rate in rates.items()}
        table |= ratios(kind, judged)
        for key in ("ans_depth", "configuration")[: 1 + full]:
            groups: dict[Any, list[dict[str, float]]] = {}
            for metadata, row in rows:
                groups.setdefault(metadata.get(key), []).append(row)
            if len(groups) > 1:
                for value in sorted(groups, key=lambda each: (len(str(each)), str(each))):
                    name = f"depth{value}" if isinstance(value, int) else value
                    table[f"{headline}_{name}"] = summarise(groups[value])[headline].value
        if full:
            table |= measure(judged)
        return table

    return compute


def _rows(
    scores: Sequence[SampleScore], judged: Sequence[JudgedResponse], causes: bool
) -> tuple[TaskKind, list[_Row]]:
    """One row for each problem, or for each pair if there are problems of both kinds."""
    both_kinds = len({each.unanswerable for each in judged}) == 2
    metadata: dict[str, Mapping[str, Any]] = {}
    epochs: dict[str, tuple[list[JudgedResponse], list[JudgedResponse]]] = {}
    for score, each in zip(scores, judged, strict=True):
        about = score.sample_metadata or {}
        key = str(about["pair_id"] if both_kinds else score.sample_id)
        metadata.setdefault(key, about)
        epochs.setdefault(key, ([], []))[not each.unanswerable].append(each)
    served = {about.get("served") for about in metadata.values()}
    kind = next((each for each in PAIR_KINDS if each in served), None)
    if kind is not None and not both_kinds:
        # No pair is complete so far.
        return kind, []
    rows: list[_Row] = []
    for key, (first, second) in epochs.items():
        # The first epoch of one member goes with the first of the other, and so on.
        answers = (
            zip(first, second, strict=False) if both_kinds else zip(first + second, strict=True)
        )
        counted = [counts(*each, causes=causes and not both_kinds) for each in answers]
        if counted:
            rows.append((metadata[key], mean_counts(counted)))
    if kind is None:
        kind = "paired" if both_kinds else kind_of(judged[0])
    return kind, rows


def reasoning_of(output: ModelOutput) -> str:
    """What a model's output keeps apart as reasoning."""
    content = output.message.content if output.choices else ""
    if isinstance(content, str):
        return ""
    return "\n".join(each.reasoning for each in content if isinstance(each, ContentReasoning))


@scorer(metrics=[treecut_rates()])
def treecut_scorer() -> Scorer:
    """Judge responses: what a careful reader says they commit to, and by the paper's rule."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        response = response_to(
            metadata,
            f"Sample {state.sample_id}",
            answer=target.text,
            response=state.output.completion,
            reasoning=reasoning_of(state.output),
            finish_reason=state.output.stop_reason,
        )
        judged = response.judge()
        judgement = judged.judgement
        about = {
            "depth": metadata.get("ans_depth"),
            "cut": metadata.get("cut_depth"),
            "verdict": judged.ending,
            "cause": "" if judged.cause is None else judged.cause.kind,
            "rule": "unknown" if judged.says_unknown else "answered",
        }
        # What a dialogue ends with is no answer to the problem as it stands.
        single = counts(judged) if judged.dialogue is None else {}
        return Score(
            value={**about, **single},
            answer=judgement.value or judgement.verdict,
            reason=_REASONS.get(judgement.reason, judgement.reason),
            explanation=describe_response(
                judged, response.problem, metadata.get("lacks"), response.theme
            ),
            metadata=judged.record(),
        )

    return score


task_scorer = scorer(metrics=[treecut_rates()], name="treecut_tasks/treecut_scorer")(treecut_scorer)
"""The same for tasks. Inspect logs a scorer without the name of its package, and would not find it again;
so this one's name holds the package twice, and `inspect score LOG` finds `treecut_scorer`."""
