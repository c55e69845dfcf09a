"""What reading gives: sentences, each with its equation, and the asked variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treecut_tasks.themes import Theme, Variable

SentenceKind: TypeAlias = Literal["fact", "sum", "difference", "equal"]
"""Which of the four sentence templates (paper, Appendix A) a sentence follows."""


@dataclass(frozen=True, slots=True)
class Equation:
    """A linear equation: the sum of coefficient times variable equals the constant.

    Attributes:
        coefficients: whole coefficient of each variable, none of them zero, in the order in which
            the sentence mentions the variables.
        constant: right-hand side, in money units.
    """

    coefficients: Mapping[Variable, int]
    constant: int


@dataclass(frozen=True, slots=True)
class ReadSentence:
    """One sentence with its meaning.

    Attributes:
        number: position in the problem, from 1.
        text: the sentence as written, full stop included.
        kind: the template it follows.
        equation: what it says; for a difference or an equality the first side minus the second.
    """

    number: int
    text: str
    kind: SentenceKind
    equation: Equation


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem text as a linear system and a question.

    Attributes:
        sentences: the sentences before the question, in text order.
        variables: every variable, in the order of first mention, the asked one included.
        asked: the variable whose price the question asks for.
        theme: the theme under which the text was read.
    """

    sentences: tuple[ReadSentence, ...]
    variables: tuple[Variable, ...]
    asked: Variable
    theme: Theme
