"""Audit of shortcuts: how well can the two classes be told apart without doing the algebra.

`read_classes` reads two data files and finds out which problems are pairs; `audit` cross-validates
classifiers over surface features of the texts and names what they go by; `as_text`, `as_markdown`
and `as_json` write the result down, `draw_figure` draws it. Nothing here knows how a problem was
generated: features come from the texts, by way of the independent reader.

The libraries of the extra `audit` are imported when they are needed.
"""

from __future__ import annotations

from treecut_tasks.validity.audit.data import AuditedProblem, Classes, read_classes
from treecut_tasks.validity.audit.features import FEATURE_SETS, surface_features
from treecut_tasks.validity.audit.libraries import require_libraries
from treecut_tasks.validity.audit.models import (
    MAX_SEED,
    SET_NAMES,
    audit,
    check_folds,
    check_seed,
    steps,
)
from treecut_tasks.validity.audit.result import AuditResult, Estimate, Feature, SetResult
from treecut_tasks.validity.audit.show import as_json, as_markdown, as_text, draw_figure

__all__ = [
    "FEATURE_SETS",
    "MAX_SEED",
    "SET_NAMES",
    "AuditResult",
    "AuditedProblem",
    "Classes",
    "Estimate",
    "Feature",
    "SetResult",
    "as_json",
    "as_markdown",
    "as_text",
    "audit",
    "check_folds",
    "check_seed",
    "draw_figure",
    "read_classes",
    "require_libraries",
    "steps",
    "surface_features",
]
