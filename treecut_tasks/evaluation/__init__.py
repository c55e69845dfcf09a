"""What a task is, for both frameworks: parameters become items; answer and response a judged response."""

from __future__ import annotations

from treecut_tasks.evaluation.designs import (
    ANSWERABLE,
    CUT_LOCATION,
    DIAGNOSED,
    PAIRED,
    STRUCTURE,
    UNANSWERABLE,
    Design,
)
from treecut_tasks.evaluation.items import Item, ItemSet, build_items, describe_run
from treecut_tasks.evaluation.judging import Cause, JudgedResponse, judge_response
from treecut_tasks.evaluation.parameters import (
    DEFAULT_SEED,
    PAPER_DEPTHS,
    PAPER_NUM_PROBLEMS,
    Configuration,
    TaskParameters,
)
from treecut_tasks.evaluation.prompts import problem_prompt
from treecut_tasks.evaluation.rates import (
    CONFIDENCE,
    Rate,
    TaskKind,
    counts,
    definitions,
    mean_counts,
    pair_counts,
    pair_kind,
    rate,
    ratios,
    summarise,
)
from treecut_tasks.evaluation.recorded import (
    RecordedResponse,
    score_responses,
    summarise_responses,
)

__all__ = [
    "ANSWERABLE",
    "CONFIDENCE",
    "CUT_LOCATION",
    "DEFAULT_SEED",
    "DIAGNOSED",
    "PAIRED",
    "PAPER_DEPTHS",
    "PAPER_NUM_PROBLEMS",
    "STRUCTURE",
    "UNANSWERABLE",
    "Cause",
    "Configuration",
    "Design",
    "Item",
    "ItemSet",
    "JudgedResponse",
    "Rate",
    "RecordedResponse",
    "TaskKind",
    "TaskParameters",
    "build_items",
    "counts",
    "definitions",
    "describe_run",
    "judge_response",
    "mean_counts",
    "pair_counts",
    "pair_kind",
    "problem_prompt",
    "rate",
    "ratios",
    "score_responses",
    "summarise",
    "summarise_responses",
]
