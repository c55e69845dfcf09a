"""Psychometric functions over depth: counts become a breaking depth, and the depths to ask for next."""

from treecut_tasks.psychometrics.curves import curves
from treecut_tasks.psychometrics.design import next_batch, next_depths, precise
from treecut_tasks.psychometrics.estimate import Estimate, Outcome, estimate

__all__ = [
    "Estimate",
    "Outcome",
    "curves",
    "estimate",
    "next_batch",
    "next_depths",
    "precise",
]
