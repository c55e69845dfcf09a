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
    JudgedResponse,
    TaskKind,
    counts,
    definitions,
    judge_response,
    mean_counts,
    pair_counts,
    pair_kind,
    ratios,
    summarise,
)
from treecut_tasks.evaluation.clarification import DialogueRecord
from treecut_tasks.evaluation.describing import describe_response
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.penalties import measure
from treecut_tasks.evaluation.rates import RATES_OF_PAIRS

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
        kind, rows = _rows(scores, causes=full)
        headline = next(iter(definitions(kind)))
        rates = summarise([row for _, row in rows])
        if not rates:
            return {headline: float("nan")}
        table = {headline: rates[headline].value, "stderr": rates[headline].stderr or 0.0}
        table |= {name: rate.value for name, rate in rates.items()}
        judged = [JudgedResponse.from_record(score.score.metadata or {}) for score in scores]
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


def _rows(scores: Sequence[SampleScore], causes: bool) -> tuple[TaskKind, list[_Row]]:
    """One row for each problem, or for each pair if there are problems of both kinds."""
    problems: dict[tuple[str, bool], list[JudgedResponse]] = {}
    metadata: dict[str, Mapping[str, Any]] = {}
    judged = [JudgedResponse.from_record(score.score.metadata or {}) for score in scores]
    kinds = {each.unanswerable for each in judged}
    for score, each in zip(scores, judged, strict=True):
        about = score.sample_metadata or {}
        key = str(about["pair_id"] if len(kinds) == 2 else score.sample_id)
        metadata.setdefault(key, about)
        problems.setdefault((key, each.unanswerable), []).append(each)
    if len(kinds) < 2:
        served = {about.get("served") for about in metadata.values()}
        kind: TaskKind = "answerable" if kinds == {False} else "unanswerable"
        kind = next((each for each in RATES_OF_PAIRS if each in served), kind)
        # Of a task of pairs, none is complete so far.
        return kind, [] if kind in RATES_OF_PAIRS else [
            (metadata[key], mean_counts(counts(each, causes=causes) for each in epochs))
            for (key, _), epochs in problems.items()
        ]
    # The first epoch of one member goes with the first of the other, and so on.
    return pair_kind(judged[0]), [
        (
            metadata[key],
            mean_counts(
                pair_counts(*both)
                for both in zip(problems[key, True], problems[key, False], strict=False)
            ),
        )
        for key in metadata
        if (key, True) in problems and (key, False) in problems
    ]


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
        problem, theme = state.metadata.get("problem"), state.metadata.get("theme_file")
        dialogue = state.metadata.get("dialogue")
        judged = judge_response(
            target.text,
            state.output.completion,
            truncated=state.output.stop_reason in ("max_tokens", "model_length"),
            problem=problem,
            theme=theme,
            reasoning=reasoning_of(state.output),
            instruction=state.metadata.get("instruction", STANDARD),
            dialogue=None if dialogue is None else DialogueRecord.from_record(dialogue),
        )
        judgement = judged.judgement
        about = {
            "depth": state.metadata.get("ans_depth"),
            "cut": state.metadata.get("cut_depth"),
            "verdict": judged.ending,
            "cause": "" if judged.cause is None else judged.cause.kind,
            "rule": "unknown" if judged.says_unknown else "answered",
        }
        return Score(
            value={**about, **counts(judged)},
            answer=judgement.value or judgement.verdict,
            reason=_REASONS.get(judgement.reason, judgement.reason),
            explanation=describe_response(judged, problem, state.metadata.get("lacks"), theme),
            metadata=judged.record(),
        )

    return score


task_scorer = scorer(metrics=[treecut_rates()], name="treecut_tasks/treecut_scorer")(treecut_scorer)
"""The same for tasks. Inspect logs a scorer without the name of its package, and would not find it again;
so this one's name holds the package twice, and `inspect score LOG` finds `treecut_scorer`."""
