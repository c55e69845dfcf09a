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
from typing import TypeAlias

from treecut_tasks.causes import same_price_answer
from treecut_tasks.causes.words import capital, listed, sentences
from treecut_tasks.errors import TreecutError, checked_choice
from treecut_tasks.reading import (
    Determined,
    Inconsistent,
    ReadProblem,
    Undetermined,
    read_problem,
    settling,
    solve,
    undetermined,
)
from treecut_tasks.themes import Theme

_Response: TypeAlias = tuple[Fraction | None, str]
"""A price, or None for `unknown`, and the reasoning that led to it."""

_Asker: TypeAlias = Callable[[ReadProblem, str], str]
"""Names the item whose price a model asks for, in view of what it was told, or `nothing`."""

_QUESTION_START = "Question: how much does "
_QUESTION_END = " cost?"


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
    """
    respond_as, ask_as = _POLICIES[checked_choice("policy", policy, POLICIES)]
    problem = find_problem(prompt)
    told = prompt[prompt.rindex(problem) + len(problem) :]
    read = _read(problem, told, themes)
    price, reasoning = respond_as(read, problem)
    answer = f"Answer: {'unknown' if price is None else price}"
    ask = ask_as(read, told) if "\nAsk:" in told else "nothing"
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
    if isinstance(verdict, Undetermined):
        prices = [read.theme.money(each[read.asked]) for each in (verdict.first, verdict.second)]
        return None, f"The price of {read.asked} stays open: it could be {' or '.join(prices)}."
    used = [number for number, times in enumerate(verdict.combination, start=1) if times]
    which = capital(sentences(used))
    if isinstance(verdict, Inconsistent):
        return None, f"{which} contradict one another: no prices fit them all."
    times = listed([number for number in verdict.combination if number])
    added = f", taken {times} times and added up, leave nothing but"
    price = f"the price of {read.asked}: {read.theme.money(verdict.value)}"
    return verdict.value, f"{which}{added if len(used) > 1 else ' gives'} {price}."


def _guesser(read: ReadProblem, problem: str) -> _Response:
    """Draw one of the theme's prices by the hash of the text, so that a rerun guesses the same."""
    theme, prices = read.theme, read.theme.prices
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


_POLICIES: Mapping[str, tuple[Callable[[ReadProblem, str], _Response], _Asker]] = {
    "solver": (_solver, _ask_to_settle),
    "guesser": (_guesser, _ask_nothing),
    "same_price": (_same_price, _ask_nothing),
    "abstains": (_abstains, _ask_nothing),
    "asks_blindly": (_solver, _ask_blindly),
}

POLICIES: tuple[str, ...] = tuple(_POLICIES)
"""Names of the reference models."""
