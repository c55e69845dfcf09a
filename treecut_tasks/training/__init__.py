"""Training on the problems: data sets for fine-tuning, and rewards for reinforcement learning."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from treecut_tasks.training.rewards import Reward, Verdict, verdict

if TYPE_CHECKING:
    from treecut_tasks.bulk.mixtures import read_mixture
    from treecut_tasks.bulk.recipe import Part, Recipe
    from treecut_tasks.bulk.splits import Split, disjoint_splits
    from treecut_tasks.training.datasets import FORMS, Form, to_dataset, to_iterable_dataset

__all__ = [
    "FORMS",
    "Form",
    "Part",
    "Recipe",
    "Reward",
    "Split",
    "Verdict",
    "disjoint_splits",
    "read_mixture",
    "to_dataset",
    "to_iterable_dataset",
    "verdict",
]

# What needs NumPy and Arrow is imported when it is first used.
_HOMES = {
    "treecut_tasks.bulk.mixtures": ("read_mixture",),
    "treecut_tasks.bulk.recipe": ("Part", "Recipe"),
    "treecut_tasks.bulk.splits": ("Split", "disjoint_splits"),
    "treecut_tasks.training.datasets": ("FORMS", "Form", "to_dataset", "to_iterable_dataset"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
