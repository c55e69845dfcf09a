"""Find the places to look at: with a plain search where that will do, and not too many of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from treecut_tasks.scoring.folding import fold, without_signs

MAX_FIRST = 60
MAX_LAST = 120
"""How many markers are looked at from the start and from the end of a text."""


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of several words occurs in a text, which is quicker than any pattern.

    Args:
        text: the text to search.
        words: in the case in which they occur.
    """
    for word in words:  # noqa: SIM110  (`any` takes twice as long)
        if word in text:
            return True
    return False


class Guarded:
    """A slow pattern that is only tried where words occur without which it cannot match.

    Args:
        pattern: the pattern.
        words: lower case; the folded text of whatever the pattern matches holds one of them, unless
            it is written in other characters than ASCII and the pattern knows other languages.
        languages: whether the pattern knows other languages.
    """

    def __init__(
        self, pattern: re.Pattern[str], words: Iterable[str], *, languages: bool = False
    ) -> None:
        self.pattern = pattern
        self.words = tuple(words)
        self.languages = languages

    def may_match(self, text: str) -> bool:
        """Whether the pattern has to be tried on a text."""
        if holds_any(fold(text), self.words):
            return True
        return self.languages and not without_signs(text).isascii()

    def search(self, text: str) -> re.Match[str] | None:
        """What `pattern.search` returns."""
        return self.pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """What `pattern.finditer` yields."""
        return self.pattern.finditer(text) if self.may_match(text) else iter(())


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
