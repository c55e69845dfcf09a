"""Numbers in plain text: where they stand, their exact value, and what stands around them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, load, one_of, place

TOLERANCE = Fraction(1, 10_000)
"""Values that differ by at most this share of the right one are equal."""

MOST_DIGITS = 40
"""A number with more digits is no price."""

SIMPLE = re2.compile(r"[+-]?\d+(\.\d+)?(/\d+)?")
WORD = "(?:" + "|".join(load()["number_words"]) + ")"
NUMBER = compiled(
    r"(?:^|[^\w.,/^\x{221a}$-]|[^\d\w]\.|(?:^|[^\w])(?:(?:us)?[$]|-|rs\.?) ?-?|-)"
    r"(?P<whole>(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+\b|\d+)(?:[.,]\d+)*|\.\d+)"
    r"(?: ?/ ?(?P<under>\d+)|[ -](?P<over>\d+) ?/ ?(?P<under2>\d+))?(?P<percent> ?%)?(?P<suffix>[a-z]*)"
    r"|\b(?P<words>" + WORD + r"(?:(?: and|-| )+" + WORD + r")*)\b"
)
UNIT = compiled("^" + one_of("unit") + "$")
ORDINAL = compiled("^" + one_of("ordinal") + "$")


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        start: index of its first character.
        end: index behind its last one, percent sign and joined unit included.
        value: its value; None for a number beyond all bounds.
        in_words: whether it is written in words.
        money: whether a dollar sign stands before it.
        bare: whether nothing is joined to it: no letter, no hyphen.
        factor: whether a letter is joined to it that is no unit, as in `2x`.
    """

    start: int
    end: int
    value: Fraction | None
    in_words: bool
    money: bool
    bare: bool
    factor: bool


def find_numbers(chars: str) -> list[Number]:
    """All numbers of a folded text, from left to right, ordinals left out."""
    found = (_number(chars, match) for match in NUMBER.finditer(chars))
    return [number for number in found if number is not None]


def _number(chars: str, match: Any) -> Number | None:
    if match["words"]:
        start, end = place(match, "words")
        return Number(
            start, end, _in_words(match["words"]), True, False, chars[end : end + 1] != "-", False
        )
    start, end = place(match, "whole")[0], match.end()
    suffix = match["suffix"]
    if ORDINAL.search(suffix):
        return None
    before = chars[match.start() : start]
    negative = "-" in before and not chars[
        max(0, match.start() - 9) : match.start()
    ].rstrip().endswith(tuple("0123456789)"))
    if (
        "-" in before
        and match.start() > 0
        and before.startswith("-")
        and chars[match.start() - 1].isalnum()
    ):
        negative = False
    value = _value(match["whole"], match["over"], match["under"] or match["under2"])
    if value is not None and negative:
        value = -value
    factor = bool(suffix) and not UNIT.search(suffix) and len(suffix) < 3
    after = chars[end : end + 2]
    bare = not (after[:1] == "-" and after[1:].isalpha())
    return Number(start, end, value, False, "$" in before, bare, factor)


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
    return Fraction(total + part)


def canonical(value: Fraction) -> str:
    """Write an exact value: `11`, `-3`, `10.5`, and `43/3` where no short decimal is exact."""
    for places in range(13):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            point = len(digits) - places
            sign = "-" if value < 0 else ""
            return sign + digits[:point] + ("." + digits[point:] if places else "")
    return f"{value.numerator}/{value.denominator}"


def values_equal(value: str, answer: str) -> bool:
    """Compare two numbers as the scorer does.

    Args:
        value: a number as `Judgement.value` writes it.
        answer: the right answer, `11` or `43/3`; `unknown` equals no number.

    Returns:
        Whether both are numbers that differ by at most one part in 10,000 of the answer.
    """
    left, right = _simple(value), _simple(answer)
    return left is not None and right is not None and nearly_equal(left, right)


def nearly_equal(value: Fraction, answer: Fraction) -> bool:
    """Whether two values differ by at most one part in 10,000 of the second."""
    return abs(value - answer) <= TOLERANCE * max(abs(answer), TOLERANCE)


def _simple(text: str) -> Fraction | None:
    text = text.strip().replace(",", "")
    if not SIMPLE.fullmatch(text) or len(text) > 3 * MOST_DIGITS:
        return None
    under = text.partition("/")[2]
    return None if under and int(under) == 0 else Fraction(text)
