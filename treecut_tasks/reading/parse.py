"""Reading a problem text, sentence by sentence (paper, Appendix A).

No name of a theme holds a full stop, a colon or one of the templates' words (`lexicon` makes sure),
so a text comes apart at the first occurrence of each of them, in one way only and in linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading.equations import Equation, ReadProblem, ReadSentence
from treecut_tasks.reading.vocabulary import Lexicon, UnreadableError, lexicon, shortened
from treecut_tasks.themes import BUILTIN_THEMES, Theme, Variable, load_theme

_QUESTION = "Question:"
_QUESTION_START = "Question: how much does a "
_QUESTION_END = " cost?"
_COMPARISONS = ((" more than ", 1), (" less than ", -1))
_EQUAL_START = "The price of "
_EQUAL_MIDDLE = " is the same as that of "


@dataclass(frozen=True, slots=True)
class _Parts:
    """A text taken apart, before any theme is looked at.

    Attributes:
        sentences: the sentences without their full stops.
        question: the noun phrase after `how much does a`.
    """

    sentences: tuple[str, ...]
    question: str


def read_problem(text: str, themes: Sequence[Theme] | None = None) -> ReadProblem:
    """Read a problem text into sentences, equations and a question.

    Every sentence must be well formed in the sense of the paper (Appendix A), agreement of
    number, article and verb included. `2 burgers cost 10 dollars.`, which the generator never
    writes, says one thing only and is read as a fact.

    Args:
        text: the problem, sentences and question joined by single spaces, nothing around them.
        themes: vocabularies to try; None for the built-in ones.

    Returns:
        The problem as read under the one theme that fits.

    Raises:
        TreecutError: the text, or a sentence of it, cannot be read in exactly one way; the message
            names the sentence and the reason.
    """
    candidates = _distinct(themes)
    parts = _take_apart(text)
    readings: list[ReadProblem] = []
    for theme in candidates:
        try:
            readings.append(_read_under(parts, lexicon(theme)))
        except UnreadableError:
            continue
    if len(readings) == 1:
        return readings[0]
    if readings:
        names = ", ".join(repr(reading.theme.name) for reading in readings)
        raise TreecutError(
            f"The problem {shortened(text)} can be read under the themes {names}: pass the one "
            "that is meant."
        )
    raise TreecutError(_explanation(parts, candidates))


def _distinct(themes: Sequence[Theme] | None) -> tuple[Theme, ...]:
    if themes is None:
        return tuple(load_theme(name) for name in BUILTIN_THEMES)
    if not themes:
        raise TreecutError("A problem cannot be read with the themes []: pass at least one theme.")
    return tuple(dict.fromkeys(themes))


def _take_apart(text: str) -> _Parts:
    start = text.find(_QUESTION)
    if start < 0:
        raise TreecutError(
            f"The problem {shortened(text)} has no question: it must end with "
            "'Question: how much does a … cost?'."
        )
    pieces = text[:start].split(".")
    if len(pieces) == 1:
        if pieces[0].strip():
            raise _refusal(1, pieces[0].strip(), "it has no full stop")
        raise TreecutError(
            f"The problem {shortened(text)} has no sentence before its question: give the whole "
            "problem."
        )
    if pieces[-1] != " ":
        if pieces[-1].strip():
            raise _refusal(len(pieces), pieces[-1].strip(), "it has no full stop")
        raise _refusal(
            len(pieces) - 1, pieces[-2].strip() + ".", "one space must stand before the question"
        )
    sentences = tuple(
        _without_gap(number, piece) for number, piece in enumerate(pieces[:-1], start=1)
    )
    return _Parts(sentences, _question(text[start:]))


def _without_gap(number: int, piece: str) -> str:
    """Return a sentence without the single space that parts it from the one before."""
    gap = "" if number == 1 else " "
    sentence = piece.removeprefix(gap)
    if not piece.startswith(gap) or sentence != " ".join(sentence.split()):
        raise _refusal(
            number, piece + ".", "sentences and words must be parted by exactly one space each"
        )
    if not sentence:
        raise _refusal(number, ".", "it is empty")
    return sentence


def _question(question: str) -> str:
    end = question.find("?")
    if end < 0:
        raise _bad_question(question, "it has no question mark")
    if question[end + 1 :]:
        raise _bad_question(question, f"{shortened(question[end + 1 :])} follows it")
    if not question.startswith(_QUESTION_START) or not question.endswith(_QUESTION_END):
        raise _bad_question(question, "it must read 'Question: how much does a … cost?'")
    return question[len(_QUESTION_START) : -len(_QUESTION_END)]


def _refusal(number: int, sentence: str, reason: str) -> TreecutError:
    return TreecutError(f"Sentence {number}, {shortened(sentence)}, cannot be read: {reason}.")


def _bad_question(question: str, reason: str) -> TreecutError:
    return TreecutError(f"The question {shortened(question)} cannot be read: {reason}.")


def _read_under(parts: _Parts, words: Lexicon) -> ReadProblem:
    sentences = tuple(
        _read_sentence(number, body, words) for number, body in enumerate(parts.sentences, start=1)
    )
    asked = words.asked(parts.question)
    variables: dict[Variable, None] = {}
    for sentence in sentences:
        variables.update(dict.fromkeys(sentence.equation.coefficients))
    variables[asked] = None
    if any((variable.entity is None) != (asked.entity is None) for variable in variables):
        _check_one_style(sentences, asked)
    return ReadProblem(sentences, tuple(variables), asked, words.theme)


def _check_one_style(sentences: tuple[ReadSentence, ...], asked: Variable) -> None:
    """Refuse a text in which some prices belong to a place and others do not."""
    composite = asked.entity is not None
    for sentence in sentences:
        for variable in sentence.equation.coefficients:
            if (variable.entity is not None) != composite:
                # The text reads well under this theme, so no other theme can explain the fault.
                raise _refusal(
                    sentence.number,
                    sentence.text,
                    f"'{variable}' {'has no place' if composite else 'has a place'}, but the "
                    f"question asks for '{asked}', and names must be all composite or all simple",
                )


def _read_sentence(number: int, body: str, words: Lexicon) -> ReadSentence:
    text = body + "."
    if body.startswith(_EQUAL_START):
        return ReadSentence(number, text, "equal", _equal(body, words))
    subject, verb, predicate = _split_at_verb(body)
    subject = _uncapitalised(subject)
    if " and " in subject:
        return ReadSentence(number, text, "sum", _sum(subject, verb, predicate, words))
    count, variable = words.quantity(subject)
    _check_verb(verb, "costs" if count == 1 else "cost", subject)
    for comparison, sign in _COMPARISONS if " than " in predicate else ():
        money, found, other = predicate.partition(comparison)
        if found:
            amount = words.money(money)
            if amount == 0:
                raise UnreadableError("equal prices are written with 'is the same as'")
            coefficients = _difference((count, variable), words.quantity(other))
            return ReadSentence(number, text, "difference", Equation(coefficients, sign * amount))
    return ReadSentence(number, text, "fact", Equation({variable: count}, words.money(predicate)))


def _equal(body: str, words: Lexicon) -> Equation:
    left, found, right = body[len(_EQUAL_START) :].partition(_EQUAL_MIDDLE)
    if not found:
        raise UnreadableError(f"after {_EQUAL_START!r} the words {_EQUAL_MIDDLE!r} must follow")
    return Equation(_difference(words.quantity(left), words.quantity(right)), 0)


def _sum(subject: str, verb: str, predicate: str, words: Lexicon) -> Equation:
    left, _, right = subject.partition(" and ")
    left_count, left_variable = words.quantity(left)
    right_count, right_variable = words.quantity(right)
    _check_two(left_variable, right_variable)
    _check_verb(verb, "cost", subject)
    coefficients = {left_variable: left_count, right_variable: right_count}
    return Equation(coefficients, words.money(predicate))


def _difference(left: tuple[int, Variable], right: tuple[int, Variable]) -> dict[Variable, int]:
    _check_two(left[1], right[1])
    return {left[1]: left[0], right[1]: -right[0]}


def _check_two(left: Variable, right: Variable) -> None:
    if left == right:
        raise UnreadableError(f"it names '{left}' twice")


def _split_at_verb(body: str) -> tuple[str, str, str]:
    """Split at the first verb: names hold none, so everything before it is the subject."""
    at, verb = body.find(" cost "), "cost"
    plural = body.find(" costs ")
    if plural >= 0 and (at < 0 or plural < at):
        at, verb = plural, "costs"
    if at < 0:
        raise UnreadableError("it has neither 'cost' nor 'costs' nor the form of an equality")
    predicate = body[at + len(verb) + 2 :]
    if " cost " in predicate or " costs " in predicate:
        raise UnreadableError("it has two verbs, as if a full stop were missing")
    return body[:at], verb, predicate


def _uncapitalised(subject: str) -> str:
    """Undo the capital with which every sentence begins, unless it begins with a digit."""
    if subject[:1].islower():
        raise UnreadableError("its first letter must be upper case")
    return subject[:1].lower() + subject[1:]


def _check_verb(verb: str, expected: str, subject: str) -> None:
    if verb != expected:
        raise UnreadableError(f"{shortened(subject)} takes {expected!r}, not {verb!r}")


def _explanation(parts: _Parts, themes: tuple[Theme, ...]) -> str:
    """Say what is wrong, in the words of the theme that can read most of the text."""
    reasons = {theme: _reasons(parts, lexicon(theme)) for theme in themes}
    closest = min(themes, key=lambda theme: sum(reason is not None for reason in reasons[theme]))
    index, reason = next(
        (index, reason) for index, reason in enumerate(reasons[closest]) if reason is not None
    )
    others = [theme.name for theme in themes if reasons[theme][index] is None]
    if others:
        reason = (
            f"the problem mixes themes, this part is of theme {others[0]!r} and others are of "
            f"theme {closest.name!r}"
        )
    if index < len(parts.sentences):
        return str(_refusal(index + 1, parts.sentences[index] + ".", reason))
    return str(_bad_question(f"{_QUESTION_START}{parts.question}{_QUESTION_END}", reason))


def _reasons(parts: _Parts, words: Lexicon) -> list[str | None]:
    """Say for each sentence, and then for the question, why the theme cannot read it, or None."""
    reasons: list[str | None] = []
    for number, body in enumerate(parts.sentences, start=1):
        try:
            _read_sentence(number, body, words)
            reasons.append(None)
        except UnreadableError as error:
            reasons.append(str(error))
    try:
        words.asked(parts.question)
        reasons.append(None)
    except UnreadableError as error:
        reasons.append(str(error))
    return reasons
