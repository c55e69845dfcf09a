"""Read one quantity at a given place of a plain text, exactly.

A quantity is a number in any notation: digits with separators, fractions, mixed numbers, periodic
and scientific decimals, number words in English and Chinese.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_MAX_DIGITS = 1000
"""Longer digit strings are not converted: no price is meant, and conversion is quadratic."""

_MAX_EXPONENT = 40


@dataclass(frozen=True)
class Quantity:
    """A number read from a text.

    Attributes:
        value: Its exact value, or None if it cannot be represented (division by zero, a digit
            string or an exponent beyond all bounds).
        start: Where it starts in the text, sign included.
        end: Where it ends.
        in_words: Whether it is written in words.
    """

    value: Fraction | None
    start: int
    end: int
    in_words: bool = False


_INTEGER = r"(?:\d{1,3}(?:,\d{3})+(?![\d])|\d{1,3}(?:['\u00a0]\d{3})+(?!\d)|\d{1,3}(?: \d{3})+(?![\d/.])|\d+)"
_NUMBER = re.compile(
    r"(?P<sign>[-+]\s{0,2}|[\u2013\u2014](?=[\d.])|(?:minus|negative)\s{1,2})?"
    rf"(?P<int>{_INTEGER})?(?:(?P<point>[.,])(?P<dec>\d*))?",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"\((\d{1,20})\)(?!\s?[\w(])|\s?\(?(?:repeating|recurring)\)?")
_ELLIPSIS = re.compile(r"\.{2,4}(?!\d)")
_OVER = re.compile(
    r"\s?(?:/|\u00f7|over\b|divided by\b)\s?\(?(?P<int>\d+)(?:\.(?P<dec>\d+))?\)?", re.IGNORECASE
)
_MIXED = re.compile(
    r"(?:\s{1,2}|\s?(?:and|&|\+)\s?|-)(?P<top>\d{1,20})\s?/\s?(?P<bottom>\d{1,20})(?![\d.])",
    re.IGNORECASE,
)
_AND_WORDS = re.compile(
    r"(?:\s{1,2}and\s{1,2}|\s{1,2}|-)"
    r"(?P<top>a|one|two|three|four|five|six|seven|eight|nine)[\s-]"
    r"(?P<bottom>half|halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|"
    r"ninths?|tenths?)\b",
    re.IGNORECASE,
)
_AND_PART = re.compile(
    r"\s{1,2}and\s{1,2}(?:a|one|two|three|four|five)[\s-](?:half|thirds?|quarters?|fourths?|"
    r"fifths?)\b",
    re.IGNORECASE,
)
_POWER = re.compile(
    r"(?:e(?P<e>[-+]?\d{1,9})(?![\w])"
    r"|\s?[\u00d7x*]\s?10\s?\^\s?[{(]?(?P<ten>[-+]?\d{1,9})[})]?)",
    re.IGNORECASE,
)

_UNITS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
} | {"fourty": 40}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "eleventh": 11,
    "twelfth": 12,
}
_PARTS |= {f"{part}s": size for part, size in list(_PARTS.items()) if not part.endswith("s")}
_DIGIT_PARTS = re.compile(r"\s(halves|thirds|quarters|fourths|fifths|sixths)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{1,12}")
_WORD_GAP = re.compile(r"(?:\s{1,2}|-|\s?,\s?)(?=[A-Za-z])")
_WORD_SIGN = re.compile(r"(?:(?:minus|negative)\s{1,2})", re.IGNORECASE)

_SIMPLE_PART = re.compile(
    r"(?:an? (?P<part>half|third|quarter|fourth|fifth|sixth)|half(?= an? ))\b", re.IGNORECASE
)
_OVER_WORD = re.compile(r"\s(?:over|divided by)\s([a-z]{3,9})\b", re.IGNORECASE)
_POINT_WORDS = re.compile(
    r"\spoint((?:[\s-](?:zero|one|two|three|four|five|six|seven|eight|nine)){1,12})\b",
    re.IGNORECASE,
)
_SCALE_WORD = re.compile(r"\s(hundred|thousand|million)\b", re.IGNORECASE)
_DOZEN = re.compile(r"(?:a|one) dozen\b", re.IGNORECASE)
_A_HUNDRED = re.compile(
    r"an? (hundred|thousand|million)\b(?!\s(?:and|[a-z]{2,5}ty|one|two))", re.IGNORECASE
)
_HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_NUMBER = re.compile(r"负?[零〇一二两兩三四五六七八九十百]{1,8}")


def read_quantity(text: str, at: int) -> Quantity | None:
    """Read the quantity that starts exactly at a position.

    Args:
        text: Plain text.
        at: Index of its first character (the sign, if there is one).

    Returns:
        The quantity, or None if no quantity starts here.
    """
    return _read_digits(text, at) or _read_words(text, at) or _read_han(text, at)


def canonical(value: Fraction) -> str:
    """Write an exact value: `11`, `-3`, `10.5`, and `43/3` where no short decimal is exact."""
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1 or value.denominator > 10**12:
        return f"{value.numerator}/{value.denominator}"
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs((value * 10**places).numerator)).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def _read_digits(text: str, at: int) -> Quantity | None:
    match = _NUMBER.match(text, at)
    if match is None or not (match["int"] or match["dec"]):
        return None
    whole = re.sub(r"\D", "", match["int"] or "")
    decimals = match["dec"] or ""
    end = match.end()
    if match["point"] == "," and (not decimals or len(decimals) == 3 or not match["int"]):
        decimals, end = "", match.end("int")  # the comma of a list or of a sentence
        if not match["int"]:
            return None
    elif match["point"] == "." and not decimals:
        end = match.end("int")  # a full stop
    if len(whole) + len(decimals) > _MAX_DIGITS:
        return Quantity(None, at, end)
    digits = Fraction(int((whole + decimals) or "0"), 10 ** len(decimals))
    value, end = _extend(text, end, digits, bool(decimals) or match["point"] == ".", decimals)
    sign = (match["sign"] or "").strip().lower()
    if value is not None and sign and sign != "+":
        value = -value
    return Quantity(value, at, end)


def _extend(
    text: str, end: int, value: Fraction, decimal: bool, decimals: str
) -> tuple[Fraction | None, int]:
    """Add what may follow the digits: a period, a denominator, a fractional part, a power."""
    if decimal:
        value, end = _add_period(text, end, value, decimals)
    over = _OVER.match(text, end)
    if over is not None and len(over["int"]) + len(over["dec"] or "") <= _MAX_DIGITS:
        below = over["dec"] or ""
        divisor = Fraction(int(over["int"] + below), 10 ** len(below))
        # "x/2y" and "2/3 * 4" are no plain fractions; the caller sees what follows.
        return (value / divisor if divisor else None), over.end()
    if not decimal:
        mixed = _MIXED.match(text, end)
        if mixed is not None and int(mixed["bottom"]):
            return value + Fraction(int(mixed["top"]), int(mixed["bottom"])), mixed.end()
        words = _AND_WORDS.match(text, end)
        if words is not None:
            top = 1 if words["top"].lower() == "a" else _UNITS[words["top"].lower()]
            return value + Fraction(top, _PARTS[words["bottom"].lower()]), words.end()
    parts = _DIGIT_PARTS.match(text, end)
    if parts is not None:
        return value / _PARTS[parts[1].lower()], parts.end()
    power = _POWER.match(text, end)
    if power is not None:
        exponent = int(power["e"] or power["ten"])
        if abs(exponent) > _MAX_EXPONENT:
            return None, power.end()
        return value * Fraction(10) ** exponent, power.end()
    scale = _SCALE_WORD.match(text, end)
    if scale is not None:
        return value * _SCALES[scale[1].lower()], scale.end()
    return value, end


def _add_period(text: str, end: int, value: Fraction, decimals: str) -> tuple[Fraction, int]:
    """Read a repeating decimal: 14.(3), 14.3 repeating, 14.333..."""
    at = end
    if not decimals and text[end : end + 1] == ".":
        at = end + 1  # 14.(3): the point was taken for a full stop
    period = _PERIOD.match(text, at)
    if period is not None and (decimals or period[1]):
        repeated = period[1] or decimals[-1]
        places = len(decimals) if period[1] else len(decimals) - 1
        head = value if period[1] else value - Fraction(int(repeated), 10 ** len(decimals))
        tail = Fraction(int(repeated), (10 ** len(repeated) - 1) * 10**places)
        return head + tail, period.end()
    ellipsis = _ELLIPSIS.match(text, end)
    if ellipsis is not None and decimals:
        if len(decimals) >= 3 and len(set(decimals)) == 1:
            exact = Fraction(int(decimals[0]), 9)
            return value - Fraction(int(decimals), 10 ** len(decimals)) + exact, ellipsis.end()
        return value, ellipsis.end()
    return value, end


def _read_words(text: str, at: int) -> Quantity | None:
    sign = _WORD_SIGN.match(text, at)
    place = sign.end() if sign else at
    total = group = 0
    fraction: Fraction | None = None
    end = place
    seen = False
    dozen = _DOZEN.match(text, place)
    if dozen:
        return Quantity(Fraction(-12 if sign else 12), at, dozen.end(), in_words=True)
    hundred = _A_HUNDRED.match(text, place)
    if hundred:
        scale = Fraction(-1 if sign else 1) * _SCALES[hundred[1].lower()]
        return Quantity(scale, at, hundred.end(), in_words=True)
    part = _SIMPLE_PART.match(text, place)
    if part:
        size = _PARTS[(part["part"] or "half").lower()]
        return Quantity(Fraction(-1 if sign else 1, size), at, part.end(), in_words=True)
    while True:
        word = _WORD.match(text, place)
        if word is None or text[word.end() : word.end() + 1].isalpha():
            break
        name = word[0].lower()
        if name in _UNITS:
            group += _UNITS[name]
        elif name in _TENS:
            group += _TENS[name]
        elif name == "hundred" and (seen or text[max(0, at - 2) : at].lower() == "a "):
            group = max(group, 1) * 100
        elif name in _SCALES and seen:
            total += max(group, 1) * _SCALES[name]
            group = 0
        elif name in _PARTS and seen and "second" not in name:
            fraction = Fraction(total + group, _PARTS[name])
            end = word.end()
            break
        elif not (name == "and" and seen):
            break
        if name != "and":
            seen, end = True, word.end()
        if seen and _AND_PART.match(text, word.end()):
            break
        gap = _WORD_GAP.match(text, word.end())
        if gap is None:
            break
        if name == "and" and text[word.end() : word.end() + 2].strip().startswith("a"):
            break
        place = gap.end()
    if not seen:
        return None
    value = fraction if fraction is not None else Fraction(total + group)
    if fraction is None:
        value, end = _add_word_part(text, end, value)
    return Quantity(-value if sign else value, at, end, in_words=True)


def _add_word_part(text: str, end: int, value: Fraction) -> tuple[Fraction, int]:
    """Add the fraction of a mixed number: fourteen and a third; or decimals: ten point five."""
    part = _AND_WORDS.match(text, end)
    if part is not None:
        top = 1 if part["top"].lower() == "a" else _UNITS[part["top"].lower()]
        return value + Fraction(top, _PARTS[part["bottom"].lower()]), part.end()
    mixed = _MIXED.match(text, end)
    if mixed is not None and int(mixed["bottom"]):
        return value + Fraction(int(mixed["top"]), int(mixed["bottom"])), mixed.end()
    over = _OVER_WORD.match(text, end)
    if over is not None and _UNITS.get(over[1].lower()):
        return value / _UNITS[over[1].lower()], over.end()
    point = _POINT_WORDS.match(text, end)
    if point is not None:
        digits = "".join(str(_UNITS[w.lower()]) for w in re.findall(r"[A-Za-z]+", point[1]))
        return value + Fraction(int(digits), 10 ** len(digits)), point.end()
    return value, end


def _read_han(text: str, at: int) -> Quantity | None:
    match = _HAN_NUMBER.match(text, at)
    if match is None:
        return None
    total = digit = 0
    for char in match[0].lstrip("负"):
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        else:
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
    value = Fraction(total + digit)
    return Quantity(-value if match[0][0] == "负" else value, at, match.end(), in_words=True)
