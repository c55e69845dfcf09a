"""Scoring: from a response to an outcome.

`says_unknown` is the literal rule of the paper; `classify_outcome` is the robust reading, what a
careful human reader would say the model finally committed to.
"""

from __future__ import annotations

from treecut_tasks.scoring.confidence import stated_confidence
from treecut_tasks.scoring.judgement import Judgement, Tier
from treecut_tasks.scoring.notice import Notice, assumes, find_notice
from treecut_tasks.scoring.numbers import values_equal
from treecut_tasks.scoring.outcome import REASONS, classify_outcome
from treecut_tasks.scoring.paper_rule import says_unknown

__all__ = [
    "REASONS",
    "Judgement",
    "Notice",
    "Tier",
    "assumes",
    "classify_outcome",
    "find_notice",
    "says_unknown",
    "stated_confidence",
    "values_equal",
]
