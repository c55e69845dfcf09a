"""Reference models: they read the problem out of a prompt, as a model would, and answer it.

They hold no labels and never see them. `solver` shows that the task can be done, `guesser` what a
model scores that never abstains, and `same_price` the shortcut that the paper found behind
o3-mini's hallucinated answers (Appendix C.2). `abstains` always says `unknown`; `asks_blindly` picks
the price that it asks for by chance, where it may ask.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from treecut_tasks.causes import same_price_answer
from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import (
    Determined,
    Inconsistent,
    ReadProblem,
    read_problem,
    settling,
    solve,
    undetermined,
)
from treecut_tasks.themes import Theme, Variable

_Response: TypeAlias = tuple[Fraction | None, str]
"""A price, or None for `unknown`, and the reasoning that led to it."""

_QUESTION_START = "Question: how much does "
_QUESTION_END = " cost?"


def check_policy(policy: str) -> str:
    """Return the name of a policy if there is one of that name.

    Raises:
        TreecutError: there is not; the message lists `POLICIES`.
    """
    if policy not in _RESPONDERS:
        raise TreecutError(f"Unknown policy {policy!r}: use {' or '.join(POLICIES)}.")
    return policy


def respond(policy: str, prompt: str, themes: Sequence[Theme] | None = None) -> str:
    """Answer the last problem of a prompt in the way of a reference model.

    Args:
        policy: one of `POLICIES`. `solver` is always right, by exact linear algebra. `guesser`
            always gives a price of the theme's range, drawn by a hash of the problem's text.
            `same_price` is right where the price is determined; elsewhere it assumes that an item
            costs the same at every place (no matter whether the number that follows makes a
            sensible price), and says `unknown` only if even that leaves the price open. `abstains`
            says `unknown` to everything. `asks_blindly` answers as `solver` does.
        prompt: the last user message, or a whole prompt with examples before the problem; of a
            dialogue, with all that the model was told.
        themes: the vocabularies in which the problem may be written; None for the built-in ones.

    Returns:
        One or two sentences of reasoning and, on the last line, `Answer: ` with a number (whole or
        p/q, in money units) or with `unknown`. Where the prompt asks for a diagnosis, its lines come
        before; in a dialogue, `Ask: ` with an item may stand in place of the answer.

    Raises:
        TreecutError: unknown policy, or no readable problem in the prompt.
    """
    check_policy(policy)
    problem = find_problem(prompt)
    told = prompt[prompt.rindex(problem) + len(problem) :]
    read = _read(problem, told, themes)
    price, reasoning = _RESPONDERS[policy](read, problem)
    answer = f"Answer: {'unknown' if price is None else price}"
    ask = _ASKERS[policy](read, told) if "\nAsk:" in told else "nothing"
    if "\nUndetermined:" in told:
        names = map(str, undetermined(read)) if policy == "solver" else ()
        answer = f"Undetermined: {'; '.join(names) or 'none'}\nAsk: {ask}\n{answer}"
    elif ask != "nothing" and "no questions left" not in told:
        answer = f"Ask: {ask}"
    return f"{reasoning}\n{answer}"


def find_problem(prompt: str) -> str:
    """Return the text of the last problem in a prompt.

    The problem is the last line that ends with its question, without a label before it on that line
    (`Problem 7: …`): whatever ends with a colon and holds no full stop, as no sentence does.

    Args:
        prompt: any text.

    Returns:
        The problem's text, sentences and question.

    Raises:
        TreecutError: no line of the prompt ends with a question for a price.
    """
    for line in reversed(prompt.splitlines()):
        line = line.rstrip()
        if line.endswith(_QUESTION_END) and _QUESTION_START in line:
            sentences, start, noun = line.rpartition(_QUESTION_START)
            label, _, unlabelled = sentences.rpartition(":")
            # A label with a full stop would be part of a problem: keep it, for the reader to refuse.
            return (sentences if "." in label else unlabelled).lstrip() + start + noun
    raise TreecutError(
        f"The prompt of {len(prompt)} characters holds no problem: one of its lines must be the "
        f"problem's text, which ends with '{_QUESTION_START}…{_QUESTION_END}'."
    )


def _read(problem: str, told: str, themes: Sequence[Theme] | None) -> ReadProblem:
    """Read a problem together with the sentences that a dialogue added to it."""
    read = read_problem(problem, themes)
    sentences, question, noun = problem.rpartition(_QUESTION_START)
    for line in told.splitlines():
        if line.endswith("."):
            # What is no sentence of a problem is a part of the prompt.
            with contextlib.suppress(TreecutError):
                read = read_problem(f"{sentences}{line} {question}{noun}", themes)
                sentences = f"{sentences}{line} "
    return read


def _ask_nothing(read: ReadProblem, told: str) -> str:
    return "nothing"


def _ask_to_settle(read: ReadProblem, told: str) -> str:
    """The first price that would settle the question, unless nobody knows any."""
    found = () if "is not known" in told else settling(read)
    return str(found[0]) if found else "nothing"


def _ask_blindly(read: ReadProblem, told: str) -> str:
    """Any price but the asked one, by the hash of all that was said."""
    if isinstance(solve(read), Determined):
        return "nothing"
    others = [variable for variable in read.variables if variable != read.asked]
    said = "".join(sentence.text for sentence in read.sentences) + told
    digest = hashlib.sha256(said.encode("utf-8")).digest()
    return str(others[int.from_bytes(digest, "big") % len(others)]) if others else "nothing"


def _abstains(read: ReadProblem, _: str) -> _Response:
    return None, "I say so of every problem."


def _solver(read: ReadProblem, _: str) -> _Response:
    verdict = solve(read)
    if isinstance(verdict, Determined):
        return verdict.value, _capitalised(_derivation(read, verdict)) + "."
    if isinstance(verdict, Inconsistent):
        numbers = _numbers(read, verdict.combination)
        return None, f"Sentences {numbers} contradict one another: no prices fit them all."
    tied, sentences = _tied_to_asked(read)
    either = (
        f"it could be {read.theme.money(verdict.first[read.asked])} "
        f"or {read.theme.money(verdict.second[read.asked])}"
    )
    if not sentences:
        return None, f"No sentence says anything about the price of {read.asked}: {either}."
    return None, (
        f"The {len(tied)} prices of {_listed(tied)} are tied together by "
        f"{_sentence_or_sentences(sentences)}, without any of them being given. "
        f"So the price of {read.asked} stays open: {either}."
    )


def _guesser(read: ReadProblem, problem: str) -> _Response:
    """Draw one of the theme's prices by the hash of the text, so that a rerun guesses the same."""
    theme = read.theme
    prices = range(theme.value_min, theme.value_max + 1, theme.value_step)
    digest = hashlib.sha256(problem.encode("utf-8")).digest()
    price = Fraction(prices[int.from_bytes(digest, "big") % len(prices)])
    return price, (
        f"I do not combine the sentences. I guess that the price of {read.asked} is "
        f"{theme.money(price)}, as prices here go."
    )


def _same_price(read: ReadProblem, problem: str) -> _Response:
    """Answer as if items cost the same at every place, whatever else of the text that breaks."""
    price, reasoning = _solver(read, problem)
    belief = None if price is not None else same_price_answer(problem, [read.theme])
    if belief is None:
        return price, reasoning
    return belief.value, (
        f"The sentences alone do not settle the price of {read.asked}. {belief.description}"
    )


_RESPONDERS: Mapping[str, Callable[[ReadProblem, str], _Response]] = MappingProxyType(
    {
        "solver": _solver,
        "guesser": _guesser,
        "same_price": _same_price,
        "abstains": _abstains,
        "asks_blindly": _solver,
    }
)
_ASKERS: Mapping[str, Callable[[ReadProblem, str], str]] = MappingProxyType(
    {
        **dict.fromkeys(_RESPONDERS, _ask_nothing),
        "solver": _ask_to_settle,
        "asks_blindly": _ask_blindly,
    }
)

POLICIES: tuple[str, ...] = tuple(_RESPONDERS)
"""Names of the reference models."""


def _derivation(read: ReadProblem, verdict: Determined) -> str:
    """Say which sentences, multiplied by what and added up, leave the asked price alone."""
    used = [number for number in verdict.combination if number]
    end = f"the price of {read.asked}: {read.theme.money(verdict.value)}"
    numbers = _numbers(read, verdict.combination)
    if len(used) == 1:
        return f"sentence {numbers} gives {end}"
    return f"sentences {numbers}, taken {_listed(used)} times and added up, leave nothing but {end}"


def _tied_to_asked(read: ReadProblem) -> tuple[list[Variable], list[int]]:
    """Return the variables that sentences connect with the asked one, and those sentences."""
    tied = {read.asked}
    size = 0
    while size < len(tied):
        size = len(tied)
        for sentence in read.sentences:
            if not tied.isdisjoint(sentence.equation.coefficients):
                tied.update(sentence.equation.coefficients)
    numbers = [s.number for s in read.sentences if not tied.isdisjoint(s.equation.coefficients)]
    return [variable for variable in read.variables if variable in tied], numbers


def _numbers(read: ReadProblem, combination: Sequence[Fraction]) -> str:
    """List the numbers of the sentences that a combination uses."""
    pairs = zip(read.sentences, combination, strict=True)
    return _listed([sentence.number for sentence, multiplier in pairs if multiplier])


def _sentence_or_sentences(numbers: Sequence[int]) -> str:
    return f"sentence{'' if len(numbers) == 1 else 's'} {_listed(numbers)}"


def _listed(parts: Sequence[object]) -> str:
    *most, last = map(str, parts)
    return f"{', '.join(most)} and {last}" if most else last


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
