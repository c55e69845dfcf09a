"""From a response to the confidence that it states, if it states one."""

from __future__ import annotations

import re

_NUMBER = r"(\d{1,3}(?:\.\d{1,6})?)"
_AS_LINE = re.compile(
    rf"\bconfiden(?:ce|t)(?: level| score)?[\s*_`]{{0,4}}[:=\u2248~][\s*_`~\u2248]{{0,6}}{_NUMBER}"
    r" ?(%|percent\b|/ ?100\b|/ ?10\b)?(?![\d/]|\.\d)",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    rf"(?<![\d.]){_NUMBER} ?(%|percent)[\s-](?:sure|certain|confiden(?:t|ce))\b", re.IGNORECASE
)
_NOTHING_TO_READ = re.compile(r"[\\*_`$]")


def stated_confidence(response: str | None) -> float | None:
    """The confidence that a response states, as a probability from 0 to 1.

    The last line of the form `Confidence: 80 %` counts (also `0.8`, `80/100`, `8/10`); where there is
    none, the last "I'm 80 % sure" (certain, confident). A number without a unit is a percentage, but
    a probability if it is 0 or has a decimal point and is at most 1. Words such as "high", and numbers
    beyond the scale, such as 140 %, state none.

    Args:
        response: the visible text of the response; None states none.
    """
    text = _NOTHING_TO_READ.sub("", response or "")
    for pattern in (_AS_LINE, _IN_WORDS):
        found = pattern.findall(text)
        if found:
            return _probability(*found[-1])
    return None


def _probability(number: str, unit: str) -> float | None:
    value = float(number)
    if unit.endswith("10"):
        value /= 10
    elif unit or "." not in number or value > 1:
        value /= 100
    return value if value <= 1 else None
