"""From an answer and a response to the judged response, which everything else is derived from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from treecut_tasks.causes import analyse
from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.evaluation.clarification import DialogueRecord
from treecut_tasks.evaluation.diagnosis import Diagnosis, judge_diagnosis
from treecut_tasks.evaluation.instructions import DIAGNOSIS, STANDARD
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.scoring import (
    Judgement,
    Notice,
    assumes,
    classify_outcome,
    find_notice,
    says_unknown,
    stated_confidence,
    values_equal,
)
from treecut_tasks.scoring.names import find_final_lines
from treecut_tasks.themes import load_theme

Ending = Literal["right", "wrong_number", "false_unknown", "hallucination", "unknown", "no_answer"]
"""How a response ends. On an answerable problem: the right number, another one, or `unknown`; on an
unanswerable one: a number (hallucination) or `unknown`; on both: no commitment."""


@dataclass(frozen=True)
class Cause:
    """What explains a wrong number; see `treecut_tasks.causes`.

    Attributes:
        kind: kind of the first explanation; `unexplained` where nothing explains the number.
        description: the false step in a sentence; None where nothing explains the number.
        sentences: numbers, from 1, of the sentences in which that step is taken.
        by_chance: probability that a guess would have been explained: by `same_price`, and by
            `any` kind. Empty where the problem's text is not at hand.
    """

    kind: str
    description: str | None = None
    sentences: Sequence[int] = ()
    by_chance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgedResponse:
    """A response judged: what it commits to, and whether that is right.

    Attributes:
        answer: the price in digits, or `unknown` for an unanswerable problem.
        judgement: what a careful reader says the response commits to.
        says_unknown: the paper's rule (Appendix B.2) on the raw visible text.
        truncated: whether the framework knows that the response was cut off.
        cause: what explains a wrong number; None for every other response.
        confidence: the probability of being right that the response states, from 0 to 1, or None.
        noticed: the first statement that something needed is missing, or None.
        assumed: whether a number is given on an assumption that the response states.
        diagnosis: what it says is missing, where it was asked; else None.
        dialogue: the questions that led to it, where the model might ask; else None.
    """

    answer: str
    judgement: Judgement
    says_unknown: bool
    truncated: bool = False
    cause: Cause | None = None
    confidence: float | None = None
    noticed: Notice | None = None
    assumed: bool = False
    diagnosis: Diagnosis | None = None
    dialogue: DialogueRecord | None = None

    @property
    def unanswerable(self) -> bool:
        """Whether the problem is unanswerable."""
        return self.answer == UNKNOWN

    @property
    def due(self) -> str:
        """The right answer: the problem's own, or the price that the model's questions settled."""
        settled = self.dialogue is not None and self.dialogue.settled
        return self.dialogue.price if self.dialogue and settled else self.answer

    @cached_property
    def ending(self) -> Ending:
        """How the response ends, measured by what is due."""
        match self.judgement.verdict:
            case "none":
                return "no_answer"
            case "unknown":
                return "unknown" if self.due == UNKNOWN else "false_unknown"
            case "number":
                if self.due == UNKNOWN:
                    return "hallucination"
                value = self.judgement.value
                right = value is not None and values_equal(value, self.due)
                return "right" if right else "wrong_number"

    @property
    def right(self) -> bool:
        """Whether it is right: the right number, or a justified `unknown`."""
        return self.ending in ("right", "unknown")

    def record(self) -> dict[str, Any]:
        """All fields by name, ready for JSON, as logs and files keep them."""
        record = asdict(self)
        judgement: Judgement = record.pop("judgement")
        return judgement._asdict() | record

    @classmethod
    def from_record(cls, record: Mapping[str, Any], where: str = "judgement") -> JudgedResponse:
        """The judged response of a `record`, which anybody may have changed; further keys are ignored.

        Messages begin with `where`.
        """
        judgement = {name: record[name] for name in Judgement._fields if name in record}
        try:
            return _RECORDS.validate_python({**record, "judgement": judgement})
        except ValidationError as error:
            raise from_validation(error, where) from error


_RECORDS = TypeAdapter(JudgedResponse)


def judge_response(
    answer: str,
    response: str | None,
    *,
    truncated: bool = False,
    problem: str | None = None,
    theme: str | None = None,
    reasoning: str | None = None,
    instruction: str = STANDARD,
    dialogue: DialogueRecord | None = None,
) -> JudgedResponse:
    """Judge a response.

    Args:
        answer: the price in digits, or `unknown` for an unanswerable problem.
        response: the visible text of the response; None counts as empty.
        truncated: whether the framework knows that the response was cut off.
        problem: the problem's text: what was asked for, and what a wrong number is explained from;
            without it, or where it is not a TreeCut text, a wrong number counts as unexplained.
        theme: name or path of the theme of the problem, if it is not a built-in one.
        reasoning: what the framework keeps apart as the model's reasoning; it decides no verdict.
        instruction: what the prompt asked for: a `diagnosis` is judged only where it was.
        dialogue: the questions that came before, if the model might ask.

    Raises:
        TreecutError: a diagnosis of a text that is not a TreeCut problem.
    """
    raw = text = response or ""
    diagnosis = None
    if instruction == DIAGNOSIS and problem is not None:
        lines = find_final_lines(raw)
        # What it calls undetermined must not be taken for its answer.
        text = lines.rest
        diagnosis = judge_diagnosis(lines, problem, theme)
    judgement = classify_outcome(text, problem=problem, truncated=truncated)
    judged = JudgedResponse(
        answer,
        judgement,
        says_unknown(raw),
        truncated,
        confidence=stated_confidence(text),
        noticed=find_notice(text, reasoning=reasoning, judgement=judgement),
        assumed=judgement.verdict == "number" and assumes(text),
        diagnosis=diagnosis,
        dialogue=dialogue,
    )
    if judged.ending not in ("wrong_number", "hallucination"):
        return judged
    assert judgement.value is not None
    return replace(judged, cause=_cause(problem, judgement.value, theme))


def _cause(problem: str | None, value: str, theme: str | None) -> Cause:
    """The first explanation of a wrong number, and what guesses would have given."""
    unexplained = Cause("unexplained")
    if problem is None:
        return unexplained
    themes = None if theme is None else [load_theme(theme)]
    try:
        analysis = analyse(problem, themes)
    except TreecutError:
        # Not a text of ours, in a data file of the user's for example.
        return unexplained
    by_chance = {"same_price": analysis.expected("same_price"), "any": analysis.expected()}
    explanations = analysis.explanations(value)
    if not explanations:
        return Cause("unexplained", by_chance=by_chance)
    first = explanations[0]
    return Cause(first.kind, first.description, first.sentences, by_chance)
