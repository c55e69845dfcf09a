"""Bound the number of matches that are looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_FIRST = 60
MAX_LAST = 120
"""How many markers are looked at from the start and from the end of a text."""


def bounded_matches(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
    """Keep the first and the last matches, so that a repeated marker costs no more than that."""
    first: list[re.Match[str]] = []
    last: list[re.Match[str]] = []
    for match in matches:
        if len(first) < MAX_FIRST:
            first.append(match)
            continue
        last.append(match)
        if len(last) > 2 * MAX_LAST:
            del last[:MAX_LAST]
    return first + last[-MAX_LAST:]
