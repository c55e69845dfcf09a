"""Comparing a stated answer with what the text says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import (
    Determined,
    ReadProblem,
    Undetermined,
    Verdict,
    check_certificate,
    read_problem,
    solve,
)
from treecut_tasks.themes import Theme

UNKNOWN = "unknown"
"""The answer of an unanswerable problem, as the authors' files write it."""

# The limits keep the conversion of hostile input fast.
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:[./][0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class Verified:
    """A problem that was read back, and what its sentences say about the asked price.

    Attributes:
        text: the problem's text.
        read: the text as a linear system.
        stated: the answer that was claimed, digits or `unknown`.
        verdict: what the sentences say, with a proof that was checked by substitution.
    """

    text: str
    read: ReadProblem
    stated: str
    verdict: Verdict

    @property
    def true_answer(self) -> str | None:
        """The answer that the text proves: a price, `unknown`, or None if it contradicts itself."""
        return true_answer(self.verdict)

    @property
    def agrees(self) -> bool:
        """Whether the stated answer is the one that the text proves."""
        return agrees(self.stated, self.verdict)


def verify(text: str, answer: str, themes: Sequence[Theme] | None = None) -> Verified:
    """Read a problem back, decide it exactly and check the proof of the decision.

    Args:
        text: the whole problem, question included.
        answer: what is claimed to be its answer: a number or `unknown`.
        themes: vocabularies in which it may be written; None for the built-in ones.

    Returns:
        The decision; whether it agrees with the answer is for the caller to ask.

    Raises:
        TreecutError: the text cannot be read in exactly one way, or the answer is neither a number
            nor `unknown`.
    """
    stated_price(answer)
    read = read_problem(text, themes)
    verdict = solve(read)
    if not check_certificate(read, verdict):
        # Not the user's fault: solver and checker of this package disagree.
        raise RuntimeError(f"The proof of the following problem does not hold: {text}")
    return Verified(text, read, answer, verdict)


def check_label(text: str, answer: str, themes: Sequence[Theme] | None = None) -> None:
    """Refuse a problem whose stated answer is not what its text proves.

    Args:
        text: the whole problem, question included.
        answer: a number or `unknown`.
        themes: vocabularies in which it may be written; None for the built-in ones.

    Raises:
        TreecutError: the answer is not the one that the text proves, or the text cannot be read.
    """
    verified = verify(text, answer, themes)
    if not verified.agrees:
        truth = verified.true_answer
        says = "contradicts itself" if truth is None else f"proves {truth!r}"
        raise TreecutError(
            f"The stated answer is {answer!r}, but the text {says}: correct the answer or the "
            f"problem {text!r}."
        )


def true_answer(verdict: Verdict) -> str | None:
    """The answer that a verdict stands for; see `Verified.true_answer`."""
    if isinstance(verdict, Determined):
        return str(verdict.value)
    return UNKNOWN if isinstance(verdict, Undetermined) else None


def agrees(stated: str, verdict: Verdict) -> bool:
    """Whether a stated answer is the one that a verdict stands for."""
    price = stated_price(stated)
    if price is None:
        return isinstance(verdict, Undetermined)
    return isinstance(verdict, Determined) and verdict.value == price


def stated_price(answer: str) -> Fraction | None:
    """The price that an answer states; None for `unknown`.

    Raises:
        TreecutError: neither a number such as `11`, `7/2` or `3.5` nor `unknown`.
    """
    if answer == UNKNOWN:
        return None
    if _NUMBER.fullmatch(answer):
        try:
            return Fraction(answer)
        except ZeroDivisionError:
            pass
    raise TreecutError(
        f"The answer is {answer[:40]!r}: it must be {UNKNOWN!r}, or a number of at most 18 digits "
        "such as '11'."
    )
