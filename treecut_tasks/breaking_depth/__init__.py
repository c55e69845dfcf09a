"""Breaking depth: from which depth on a model fails, measured with few calls; pure functions of counts."""

from treecut_tasks.breaking_depth.curves import Curves, curves
from treecut_tasks.breaking_depth.design import next_batch, next_depths, precise
from treecut_tasks.breaking_depth.estimate import Estimate, Outcome, Rate, estimate

__all__ = [
    "Curves",
    "Estimate",
    "Outcome",
    "Rate",
    "curves",
    "estimate",
    "next_batch",
    "next_depths",
    "precise",
]
