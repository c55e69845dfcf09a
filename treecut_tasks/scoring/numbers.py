"""Numbers in plain text: where they stand, their exact value, and what stands around them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, load, one_of

TOLERANCE = Fraction(1, 10_000)
"""Values that differ by at most this share of the right one are equal."""

MOST_DIGITS = 40
"""A number with more digits is no price."""

SIMPLE = re2.compile(r"[+-]?\d+(\.\d+)?(/\d+)?")
NUMBER_WORD = "(?:" + "|".join(load()["number_words"]) + ")"
NUMBER = compiled(
    r"(?:^|[^\w.,/^\x{221a}$-]|[^\d\w]\.|(?:^|[^\w])(?:(?:us)?[$]|-|rs\.?) ?-?|-|\b(?:minus|negative) )"
    r"((?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+\b|\d+)(?:[.,]\d+)*|\.\d+)"
    r"(?: ?/ ?(\d+)|(?: and | |-)(\d+) ?/ ?(\d+))?(?: ?%)?([a-z]*)"
    r"|\b(" + NUMBER_WORD + r"(?:(?: and|-| )+" + NUMBER_WORD + r")*(?: and a half)?)\b"
)
UNIT = compiled("^" + one_of("unit") + "$")
ORDINAL = compiled("^" + one_of("ordinal") + "$")


class Number(NamedTuple):
    """A number in a text; `bare`: nothing is joined to it; `factor`: a letter is, as in `2x`.

    The `end` is behind a percent sign or a unit; a `value` of None is beyond all bounds.
    """

    start: int
    end: int
    value: Fraction | None
    in_words: bool
    money: bool
    bare: bool
    factor: bool


@lru_cache(1024)
def find_numbers(chars: str) -> tuple[Number, ...]:
    """All numbers of a folded text, from left to right, ordinals left out."""
    found = (_number(chars, match) for match in NUMBER.finditer(chars))
    return tuple(number for number in found if number is not None)


def _number(chars: str, match: Any) -> Number | None:
    whole, under, over, under_over, suffix, in_words = match.groups()
    end = match.end()
    if in_words:
        bare = chars[end : end + 1] != "-"
        return Number(match.start(), end, _in_words(in_words), True, False, bare, False)
    start = match.span(1)[0]
    if ORDINAL.search(suffix):
        return None
    sign = chars[match.start() : start]
    left = chars[max(0, match.start() - 9) : match.start()]
    start = match.start() if sign.endswith(("minus ", "negative ")) else start
    negative = sign.rstrip().endswith(("-", "minus", "negative")) and not left.rstrip().endswith(
        tuple("0123456789)")
    )
    value = _value(whole, over, under or under_over)
    factor = bool(suffix) and not UNIT.search(suffix) and len(suffix) < 3
    bare = not (chars[end : end + 1] == "-" and chars[end + 1 : end + 2].isalpha())
    value = -value if value is not None and negative else value
    return Number(start, end, value, False, "$" in sign, bare, factor)


def _value(whole: str, over: str | None, under: str | None) -> Fraction | None:
    if len(whole) > MOST_DIGITS or len(under or "") > MOST_DIGITS or len(over or "") > MOST_DIGITS:
        return None
    head, comma, tail = whole.rpartition(",")
    if comma and len(tail) in (1, 2) and head.isdigit():
        whole = f"{head}.{tail}"
    whole = whole.replace(",", "").replace(" ", "")
    if whole.count(".") > 1:
        return None
    value = Fraction(whole)
    if under is None:
        return value
    if int(under) == 0:
        return None
    return value + Fraction(int(over), int(under)) if over else value / int(under)


def _in_words(words: str) -> Fraction:
    table = load()["number_words"]
    total, part = 0, 0
    for word in words.replace("-", " ").split():
        value = table.get(word, 0)
        if value == 1000:
            total, part = total + max(part, 1) * 1000, 0
        elif value == 100:
            part = max(part, 1) * 100
        else:
            part += value
    return Fraction(total + part) + Fraction(words.endswith("half"), 2)


def canonical(value: Fraction) -> str:
    """Write an exact value: `11`, `-3`, `10.5`, and `43/3` where no short decimal is exact."""
    decimal = Decimal(value.numerator) / value.denominator
    return f"{decimal:f}" if value.denominator > 1 and decimal == value else str(value)


def values_equal(value: str, answer: str) -> bool:
    """Compare two numbers as the scorer does.

    Args:
        value: a number as `Judgement.value` writes it.
        answer: the right answer, `11` or `43/3`; `unknown` equals no number.

    Returns:
        Whether both are numbers that differ by at most one part in 10,000 of the answer.
    """
    left, right = _simple(value), _simple(answer)
    if left is None or right is None:
        return False
    return abs(left - right) <= TOLERANCE * max(abs(right), TOLERANCE)


def _simple(text: str) -> Fraction | None:
    text = text.strip().replace(",", "")
    if not SIMPLE.fullmatch(text) or len(text) > 3 * MOST_DIGITS:
        return None
    under = text.partition("/")[2]
    return None if under and int(under) == 0 else Fraction(text)
