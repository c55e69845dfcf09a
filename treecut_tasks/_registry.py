"""What Inspect finds through our entry point: tasks, solvers, scorers, metrics and models."""

from __future__ import annotations

from treecut_tasks.inspect_adapter.models import treecut
from treecut_tasks.inspect_adapter.scorers import (
    answerable_scorer,
    treecut_rates,
    unanswerable_scorer,
)
from treecut_tasks.inspect_adapter.solvers import cot_system_message
from treecut_tasks.tasks import answerable, unanswerable

__all__ = [
    "answerable",
    "answerable_scorer",
    "cot_system_message",
    "treecut",
    "treecut_rates",
    "unanswerable",
    "unanswerable_scorer",
]
