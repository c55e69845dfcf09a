"""Takes paths of logs, gives runs and judged responses, whichever framework or file they are from.

`sources` finds logs and reads each; `inspect_logs`, `lm_eval_results` and `recorded` know one form each.
"""

from __future__ import annotations

from treecut_tasks.logs.records import Batch, ProblemFacts, Response, Run, Words
from treecut_tasks.logs.sources import find_sources, read_log

__all__ = [
    "Batch",
    "ProblemFacts",
    "Response",
    "Run",
    "Words",
    "find_sources",
    "read_log",
]
