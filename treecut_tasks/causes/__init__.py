"""Causes: takes a problem's text and a wrong number, gives the false steps that lead to it.

The paper's author read hallucinated answers and said what had gone wrong in each (Appendix C).
`explain` does that for one number, by exact arithmetic on the problem's text.
"""

from __future__ import annotations

from treecut_tasks.causes.explanations import (
    KINDS,
    Analysis,
    Explanation,
    analyse,
    explain,
    same_price_answer,
)

__all__ = ["KINDS", "Analysis", "Explanation", "analyse", "explain", "same_price_answer"]
