"""From a model's messages to the replies of an exact oracle, and to how a dialogue went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt

from treecut_tasks.causes.words import capital, one
from treecut_tasks.evaluation.diagnosis import AskKind, Gap, find_gap
from treecut_tasks.reading import Equation, ReadProblem, ReadSentence
from treecut_tasks.scoring.names import NameReader, find_final_lines
from treecut_tasks.themes import Variable, load_theme

Oracle = Literal["truthful", "ignorant"]
"""Tells the price that is asked for; knows none, so that `unknown` is the right end."""


class DialogueSettings(BaseModel):
    """How a dialogue goes.

    Attributes:
        max_questions: how often the model may ask, 1 to 20.
        oracle: `truthful` or `ignorant`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_questions: Annotated[StrictInt, Field(ge=1, le=20)] = 3
    oracle: Oracle = "truthful"

    @property
    def instruction(self) -> str:
        """Name of the instruction that tells the model of its questions."""
        return f"clarification:{self.max_questions}"


@dataclass(frozen=True)
class Question:
    """One question of a model.

    Attributes:
        kind: what it is worth, in view of what was told before.
        asks_for: the item whose price it is for, if it is one of this problem.
        reply: what the model is told.
        settles_by_chance: probability that a blind pick would have settled the question.
    """

    kind: AskKind
    asks_for: str | None
    reply: str
    settles_by_chance: float


@dataclass(frozen=True)
class DialogueRecord:
    """How a dialogue went.

    Attributes:
        oracle: who replied.
        questions: the model's questions, in order.
        settled: whether the text and what was told fix the asked price, though the text does not.
        price: the asked price, in digits.
    """

    oracle: Oracle
    questions: Sequence[Question]
    settled: bool
    price: str


class Dialogue:
    """The other side of a dialogue about one problem: code, not a model.

    Args:
        problem: the problem's text.
        prices: the price of each variable, in money units, under the name that the text gives it.
        settings: how the dialogue goes.
        theme: name or path of the problem's theme, if it is not a built-in one.
    """

    def __init__(
        self,
        problem: str,
        prices: Mapping[str, int],
        settings: DialogueSettings,
        theme: str | None = None,
    ) -> None:
        self._settings = settings
        self._gap = find_gap(problem, None if theme is None else load_theme(theme))
        self._open = self._gap.read.asked in self._gap.undetermined
        self._prices = prices
        self._names = NameReader(self._gap.read.theme, self._gap.read.variables)
        self._questions: list[Question] = []

    def reply(self, response: str) -> str | None:
        """What the model is told; None if it does not ask, or asks on after its last question."""
        lines = find_final_lines(response)
        named = self._names.read(lines.ask) if lines.asks_last and lines.ask else None
        left = self._settings.max_questions - len(self._questions)
        if left == 0 or named is None or named == ((), ()):
            return None
        by_chance = self._gap.settles_by_chance
        kind, variable = self._gap.worth(named)
        told = _NO_PRICE.get(kind) or self._price(variable)
        asks_for = None if variable is None else str(variable)
        self._questions.append(Question(kind, asks_for, told, by_chance))
        if left == 1:
            return f"{told}\n\n{_LAST_WORDS}"
        more = _QUESTIONS_LEFT.format(left - 1, "" if left == 2 else "s")
        return f"{told}\n\n{more}"

    def record(self) -> DialogueRecord:
        """How the dialogue went so far."""
        settled = self._open and self._gap.read.asked not in self._gap.undetermined
        price = str(self._prices[str(self._gap.read.asked)])
        return DialogueRecord(self._settings.oracle, tuple(self._questions), settled, price)

    def _price(self, variable: Variable | None) -> str:
        assert variable is not None
        if self._settings.oracle == "ignorant":
            return f"The price of the {variable} is not known."
        price = self._prices[str(variable)]
        fact = f"{capital(one(variable))} costs {self._gap.read.theme.money(price)}."
        self._gap = Gap.of(_with_fact(self._gap.read, fact, variable, price))
        return fact


_NO_PRICE: dict[str, str] = {
    "the_question": "That is what the problem asks for: it cannot be told.",
    "foreign": "The problem has no such item.",
    "unclear": "Ask for the price of one item.",
}
_QUESTIONS_LEFT = "You may ask {} more question{}. Finish with an Ask line or an Answer line."
_LAST_WORDS = "You have no questions left. Finish with an Answer line."


def _with_fact(read: ReadProblem, text: str, variable: Variable, price: int) -> ReadProblem:
    equation = Equation({variable: 1}, price)
    fact = ReadSentence(len(read.sentences) + 1, text, "fact", equation)
    return replace(read, sentences=(*read.sentences, fact))
