"""Takes a problem text, gives its sentences with their equations (paper, Appendix A).

A text is taken apart freely, and what was understood is written out again by the rules of the paper:
only a text that says the same, letter by letter, counts as read. No name of a theme holds a full stop, a
colon or one of the templates' words (`lexicon` makes sure), so that a text comes apart in one way only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading.equations import Equation, ReadProblem, ReadSentence, SentenceKind
from treecut_tasks.reading.vocabulary import Lexicon, UnreadableError, lexicon, shortened
from treecut_tasks.themes import BUILTIN_THEMES, Theme, Variable, load_theme

_QUESTION_START = "Question: how much does a "
_QUESTION_END = " cost?"
_EQUAL_START = "The price of "
_EQUAL_MIDDLE = " is the same as that of "
_VERB = re.compile(" costs? ")
_COMPARISON = re.compile(" (more|less) than ")


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
    if themes is not None and not themes:
        raise TreecutError("A problem cannot be read with the themes []: pass at least one theme.")
    candidates = [*map(load_theme, BUILTIN_THEMES)] if themes is None else [*dict.fromkeys(themes)]
    sentences, noun = _take_apart(text)
    readings: list[ReadProblem] = []
    for theme in candidates:
        with suppress(UnreadableError):
            readings.append(_read_under(sentences, noun, lexicon(theme)))
    if not readings:
        raise _refusal(sentences, noun, [*map(lexicon, candidates)])
    if len(readings) > 1:
        names = ", ".join(repr(reading.theme.name) for reading in readings)
        raise TreecutError(
            f"The problem {shortened(text)} can be read under the themes {names}: pass the one "
            "that is meant."
        )
    (read,) = readings
    for variable in read.variables:
        if (variable.entity is None) != (read.asked.entity is None):
            raise TreecutError(
                f"The problem {shortened(text)} cannot be read: it has prices of '{variable}' and of "
                f"'{read.asked}', but names must be all composite or all simple."
            )
    return read


def _take_apart(text: str) -> tuple[list[str], str]:
    """The sentences with their full stops, and the noun phrase of the question."""
    body, found, question = text.partition(" " + _QUESTION_START)
    if not found or not question.endswith(_QUESTION_END):
        raise TreecutError(
            f"The problem {shortened(text)} has no question after its sentences: it must end with "
            f"' {_QUESTION_START}…{_QUESTION_END}'."
        )
    sentences = body.removesuffix(".").split(". ")
    if not body.endswith("."):
        raise TreecutError(
            f"Sentence {len(sentences)}, {shortened(sentences[-1])}, cannot be read: it has no full stop."
        )
    return [f"{sentence}." for sentence in sentences], question.removesuffix(_QUESTION_END)


def _read_under(sentences: Sequence[str], noun: str, words: Lexicon) -> ReadProblem:
    read = tuple(_read_sentence(number, text, words) for number, text in enumerate(sentences, 1))
    asked = _asked(noun, words)
    mentioned = [variable for each in read for variable in each.equation.coefficients]
    return ReadProblem(read, tuple(dict.fromkeys([*mentioned, asked])), asked, words.theme)


def _asked(noun: str, words: Lexicon) -> Variable:
    asked = words.noun(noun)
    if str(asked) != noun:
        raise UnreadableError(f"it must name '{asked}', in the singular")
    return asked


def _read_sentence(number: int, text: str, words: Lexicon) -> ReadSentence:
    kind, equation = _meaning(text.removesuffix("."), words)
    if len(equation.coefficients) == 1 and kind != "fact":
        raise UnreadableError(f"it names '{next(iter(equation.coefficients))}' twice")
    written = _written(kind, equation, words)
    if written != text:
        raise UnreadableError(f"it must read {shortened(written)}")
    return ReadSentence(number, text, kind, equation)


def _meaning(body: str, words: Lexicon) -> tuple[SentenceKind, Equation]:
    """What a sentence says, whether or not it is well formed."""
    if body.startswith(_EQUAL_START):
        left, found, right = body[len(_EQUAL_START) :].partition(_EQUAL_MIDDLE)
        if not found:
            raise UnreadableError(f"after {_EQUAL_START!r} the words {_EQUAL_MIDDLE!r} must follow")
        return "equal", _equation(words, left, -1, right, 0)
    subject, *predicates = _VERB.split(body)
    if len(predicates) != 1:
        raise UnreadableError(
            "it has two verbs, as if a full stop were missing"
            if predicates
            else "it has neither 'cost' nor 'costs' nor the form of an equality"
        )
    # Undo the capital with which every sentence begins.
    subject = subject[:1].lower() + subject[1:]
    left, found, right = subject.partition(" and ")
    if found:
        return "sum", _equation(words, left, 1, right, words.money(predicates[0]))
    money, *compared = _COMPARISON.split(predicates[0], maxsplit=1)
    if compared:
        amount = words.money(money) * (1 if compared[0] == "more" else -1)
        return "difference", _equation(words, subject, -1, compared[1], amount)
    count, variable = words.quantity(subject)
    return "fact", Equation({variable: count}, words.money(money))


def _equation(words: Lexicon, left: str, sign: int, right: str, constant: int) -> Equation:
    (count, first), (other_count, second) = words.quantity(left), words.quantity(right)
    return Equation({first: count, second: sign * other_count}, constant)


def _written(kind: SentenceKind, equation: Equation, words: Lexicon) -> str:
    """A sentence as the paper writes it."""
    counts = [abs(count) for count in equation.coefficients.values()]
    first, *others = (
        words.written(count, variable)
        for count, variable in zip(counts, equation.coefficients, strict=True)
    )
    money = words.theme.money(abs(equation.constant))
    if kind == "equal" or (kind == "difference" and not equation.constant):
        return f"{_EQUAL_START}{first}{_EQUAL_MIDDLE}{others[0]}."
    first = first[:1].upper() + first[1:]
    if kind == "sum":
        return f"{first} and {others[0]} cost {money}."
    verb = "costs" if counts[0] == 1 else "cost"
    if kind == "fact":
        return f"{first} {verb} {money}."
    return f"{first} {verb} {money} {'more' if equation.constant > 0 else 'less'} than {others[0]}."


def _refusal(sentences: Sequence[str], noun: str, lexicons: Sequence[Lexicon]) -> TreecutError:
    """Says what is wrong, in the words of the theme that can read most of the text."""
    faults = [
        [
            *(
                _fault(_read_sentence, number, text, words)
                for number, text in enumerate(sentences, 1)
            ),
            _fault(_asked, noun, words),
        ]
        for words in lexicons
    ]
    closest = min(faults, key=lambda found: sum(reason is not None for reason in found))
    index, reason = next((i, reason) for i, reason in enumerate(closest) if reason is not None)
    for words, found in zip(lexicons, faults, strict=True):
        if found[index] is None:
            reason = f"the problem mixes themes, this part is of theme {words.theme.name!r}"
    if index < len(sentences):
        what = f"Sentence {index + 1}, {shortened(sentences[index])},"
    else:
        what = f"The question {shortened(f'{_QUESTION_START}{noun}{_QUESTION_END}')}"
    return TreecutError(f"{what} cannot be read: {reason}.")


def _fault(read: Callable[..., object], *arguments: object) -> str | None:
    try:
        read(*arguments)
    except UnreadableError as error:
        return str(error)
    return None
