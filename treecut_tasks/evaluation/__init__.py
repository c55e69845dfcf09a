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
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.parameters import (
    PAPER_DEPTHS,
    PAPER_NUM_PROBLEMS,
    TaskParameters,
)
from treecut_tasks.evaluation.prompts import problem_prompt
from treecut_tasks.evaluation.rates import (
    RATES,
    TaskKind,
    counts,
    mean_counts,
    ratios,
    summarise,
)
from treecut_tasks.evaluation.recorded import (
    score_responses,
    summarise_responses,
)

__all__ = [
    "ANSWERABLE",
    "CUT_LOCATION",
    "DIAGNOSED",
    "PAIRED",
    "PAPER_DEPTHS",
    "PAPER_NUM_PROBLEMS",
    "RATES",
    "STRUCTURE",
    "UNANSWERABLE",
    "Design",
    "Item",
    "ItemSet",
    "JudgedResponse",
    "TaskKind",
    "TaskParameters",
    "build_items",
    "counts",
    "describe_run",
    "judge_response",
    "mean_counts",
    "problem_prompt",
    "ratios",
    "score_responses",
    "summarise",
    "summarise_responses",
]
