"""Takes an answer as files and people write it, tells whether it is one, and which number."""

from __future__ import annotations

import re
from fractions import Fraction

UNKNOWN = "unknown"
"""The answer of an unanswerable problem, as the authors' files write it."""

MOST_DIGITS = 40
"""Digits of a number before and behind its point or stroke; more take long to convert."""

_DIGITS = f"[0-9]{{1,{MOST_DIGITS}}}"
_NUMBER = re.compile(rf"-?{_DIGITS}(?:\.{_DIGITS}|/(?!0*$){_DIGITS})?")


def parse_number(text: str) -> Fraction | None:
    """The number that a text is, such as `11`, `7/2` or `3.5`; None for anything else."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def is_answer(answer: object) -> bool:
    """Whether a value is an answer as data files write it: `unknown`, or a number in digits."""
    return isinstance(answer, str) and (answer == UNKNOWN or parse_number(answer) is not None)


def answer_text(value: object) -> str:
    """An answer as data files write it, of such a text or of a number: 11 and 11.0 are `11`.

    Raises:
        ValueError: neither `unknown` nor a number.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value) if type(value) in (int, float) else value
    if not isinstance(text, str) or not is_answer(text):
        raise ValueError(f"must be {UNKNOWN!r} or a number such as 11")
    return text
