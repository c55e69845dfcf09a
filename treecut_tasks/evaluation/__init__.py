"""What a task is, for both frameworks: parameters become items, an item and a response a score."""

from __future__ import annotations

from treecut_tasks.evaluation.items import Item, ItemSet, build_items, describe_run, draw_items
from treecut_tasks.evaluation.kinds import (
    ANSWERABLE_RATES,
    CAUSE_RATES,
    DEFAULT_SEED,
    PAIRED_RATES,
    PAPER_DEPTHS,
    PAPER_NUM_PROBLEMS,
    PAPER_RATES,
    UNANSWERABLE_RATES,
    TaskKind,
    rate_names,
)
from treecut_tasks.evaluation.parameters import Configuration, TaskParameters
from treecut_tasks.evaluation.recorded import RESPONSE_KEYS, score_responses, summarise_responses
from treecut_tasks.evaluation.scored import ScoredResponse, score_pair, score_response
from treecut_tasks.evaluation.summary import summarise

__all__ = [
    "ANSWERABLE_RATES",
    "CAUSE_RATES",
    "DEFAULT_SEED",
    "PAIRED_RATES",
    "PAPER_DEPTHS",
    "PAPER_NUM_PROBLEMS",
    "PAPER_RATES",
    "RESPONSE_KEYS",
    "UNANSWERABLE_RATES",
    "Configuration",
    "Item",
    "ItemSet",
    "ScoredResponse",
    "TaskKind",
    "TaskParameters",
    "build_items",
    "describe_run",
    "draw_items",
    "rate_names",
    "score_pair",
    "score_response",
    "score_responses",
    "summarise",
    "summarise_responses",
]
