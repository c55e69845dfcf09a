"""What Inspect finds through our entry point: tasks, solvers, scorers, metrics and models."""

# Inspect looks at what stands in the module.
# ruff: noqa: F401

from __future__ import annotations

from treecut_tasks.inspect_adapter.breaking_depth import breaking_depth_estimate
from treecut_tasks.inspect_adapter.models import treecut
from treecut_tasks.inspect_adapter.scorers import treecut_rates, treecut_scorer
from treecut_tasks.inspect_adapter.solvers import treecut_dialogue, treecut_prompt
from treecut_tasks.tasks import (
    answerable,
    breaking_depth,
    clarification,
    cut_location,
    diagnosis,
    paired,
    structure,
    unanswerable,
)
