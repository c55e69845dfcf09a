"""The independent reader: takes a problem's text, gives its linear system, and what follows from it.

`read_problem` turns a text into sentences with equations, or refuses it; `solve` decides by exact
linear algebra whether the sentences fix the asked price, and returns a proof of what it says;
`check_certificate` checks such a proof by substitution alone; `undetermined` and `settling` tell
which prices are open and which would settle the question. Nothing here shares code with the writer
(`treecut_tasks.problems`): this room is the check on it.
"""

from __future__ import annotations

from treecut_tasks.reading.equations import Equation, ReadProblem, ReadSentence
from treecut_tasks.reading.linear import (
    Determined,
    Inconsistent,
    Solution,
    Undetermined,
    check_certificate,
    satisfies,
    settling,
    solve,
    undetermined,
)
from treecut_tasks.reading.parse import read_problem

__all__ = [
    "Determined",
    "Equation",
    "Inconsistent",
    "ReadProblem",
    "ReadSentence",
    "Solution",
    "Undetermined",
    "check_certificate",
    "read_problem",
    "satisfies",
    "settling",
    "solve",
    "undetermined",
]
