"""Find the places to look at: with a plain search where that will do, and not too many of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MAX_FIRST = 60
MAX_LAST = 120
"""How many markers are looked at from the start and from the end of a text."""


def matches_at(
    pattern: re.Pattern[str], text: str, starts: Iterable[int]
) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer` yields, if every match starts at one of the given places.

    Args:
        pattern: a pattern that matches no empty text.
        text: the text to search.
        starts: all places where a match could start, in any order.
    """
    end = 0
    for start in sorted(starts):
        match = pattern.match(text, start) if start >= end else None
        if match is not None:
            yield match
            end = match.end()


def places(text: str, words: Iterable[str]) -> set[int]:
    """All places where one of several words starts in a text."""
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.add(at)
            at = text.find(word, at + 1)
    return found


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
