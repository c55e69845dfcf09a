"""Audit of shortcuts: how well can the two classes be told apart without doing the algebra.

`read_classes` reads two data files and finds out which problems are pairs; `audit` cross-validates
classifiers over surface features of the texts and names what they go by; `as_markdown` and `as_json`
write the result down, `draw_figure` draws it. Nothing here knows how a problem was generated:
features come from the texts, by way of the independent reader.

It needs the libraries of the extra `audit`.
"""

from __future__ import annotations

from treecut_tasks.validity.audit.data import AuditedProblem, read_classes
from treecut_tasks.validity.audit.features import surface_features
from treecut_tasks.validity.audit.models import SET_NAMES, audit
from treecut_tasks.validity.audit.result import AuditResult
from treecut_tasks.validity.audit.show import as_json, as_markdown, draw_figure

__all__ = [
    "SET_NAMES",
    "AuditResult",
    "AuditedProblem",
    "as_json",
    "as_markdown",
    "audit",
    "draw_figure",
    "read_classes",
    "surface_features",
]
