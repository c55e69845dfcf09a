"""Data sets of any size: mixtures and splits, files on one machine or many, Hugging Face, rewards."""

from __future__ import annotations

from treecut_tasks.data_sets.hugging_face import FORMS, to_dataset, to_iterable_dataset
from treecut_tasks.data_sets.mixtures import read_mixture
from treecut_tasks.data_sets.recipe import Part, Recipe
from treecut_tasks.data_sets.rewards import Reward, verdict

__all__ = [
    "FORMS",
    "Part",
    "Recipe",
    "Reward",
    "read_mixture",
    "to_dataset",
    "to_iterable_dataset",
    "verdict",
]
