"""Attribution: from a wrong number to the false steps that lead to it.

The paper's author read hallucinated answers and said what had gone wrong in each (Appendix C).
`explain` does that for one number, by exact arithmetic on the problem's text, and `share_explained`
for many, beside what chance would explain.
"""

from __future__ import annotations

from treecut_tasks.causes.explanations import (
    KINDS,
    Analysis,
    Explanation,
    analyse,
    explain,
)
from treecut_tasks.causes.share import ExplainedShare, KindShare, share_explained
from treecut_tasks.causes.steps import CONVENIENT_PRICES

__all__ = [
    "CONVENIENT_PRICES",
    "KINDS",
    "Analysis",
    "ExplainedShare",
    "Explanation",
    "KindShare",
    "analyse",
    "explain",
    "share_explained",
]
