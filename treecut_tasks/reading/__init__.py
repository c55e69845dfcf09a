"""The independent reader: from the text of a TreeCut problem to its linear system and back.

`read_problem` turns a text into sentences with equations, or refuses it; `solve` decides by exact
linear algebra whether the sentences fix the asked price, and returns a proof of what it says;
`check_certificate` checks such a proof by substitution alone. Nothing here shares code with the
writer (`treecut_tasks.problems`): this room is the check on it.
"""

from __future__ import annotations

from treecut_tasks.reading.linear import (
    Determined,
    Inconsistent,
    Undetermined,
    Verdict,
    check_certificate,
    drop_contradictions,
    solve,
)
from treecut_tasks.reading.merge import same_price_merge
from treecut_tasks.reading.parse import read_problem
from treecut_tasks.reading.solutions import (
    Equation,
    ReadProblem,
    ReadSentence,
    SentenceKind,
    Variable,
)

__all__ = [
    "Determined",
    "Equation",
    "Inconsistent",
    "ReadProblem",
    "ReadSentence",
    "SentenceKind",
    "Undetermined",
    "Variable",
    "Verdict",
    "check_certificate",
    "drop_contradictions",
    "read_problem",
    "same_price_merge",
    "solve",
]
