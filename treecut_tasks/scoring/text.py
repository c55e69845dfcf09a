"""Text that remembers where in the response each of its characters stood."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

SIGNS = {
    **dict.fromkeys("\u2018\u2019\u201b\u2032\u02bc`\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d", '"'),
    **dict.fromkeys("\u2022\u25aa\u25cf\u25e6\u2023\u25c6\u25a0\u2043", "\u2022"),
    **dict(
        zip("\u2010\u2011\u2012\u2212\ufe63\uff0d\u2014\u2015", "------\u2013\u2013", strict=True)
    ),
    **dict(zip("\u2013\u2044\u2215\u00f7\u00d7\u22c5\u00b7\u2217", "\u2013///****", strict=True)),
    **dict(zip("\u2260\u2248\u2192", "\u2260\u2248\u21d2", strict=True)),
    "\u3002": ". ",
    "\u2234": " therefore ",
    "\u2026": "...",
}
SURROGATE = re.compile("[\ud800-\udfff]")
OTHER = re.compile(r"[^\x00-\x7f]|[\t\r\x0b\x0c\x00-\x08]")
NEGATED = re.compile("=\u0338")
BLANKS = re.compile(r"[ \x1c-\x1f]{2,}")


class Text(NamedTuple):
    """A text and, for each of its characters and for its end, the place in the response."""

    chars: str
    places: list[int]

    def sub(self, pattern: Any, new: str | Callable[[Any], str]) -> Text:
        """Replace what a pattern finds."""
        parts: list[str] = []
        places: list[int] = []
        done = 0
        for match in pattern.finditer(self.chars):
            start, end = match.span()
            chars = new if isinstance(new, str) else new(match)
            parts += (self.chars[done:start], chars)
            places += self.places[done:start]
            places += repeat(self.places[start], len(chars))
            done = end
        if not done:
            return self
        return Text("".join([*parts, self.chars[done:]]), places + self.places[done:])

    def cut(self, start: int, end: int) -> Text:
        """A part of the text."""
        return Text(self.chars[start:end], self.places[start : end + 1])


def join(parts: list[Text]) -> Text:
    """Texts one behind the other."""
    places = [place for part in parts for place in part.places[:-1]]
    return Text("".join(part.chars for part in parts), [*places, parts[-1].places[-1]])


def as_text(response: str) -> Text:
    """The response itself."""
    return Text(SURROGATE.sub("\ufffd", response), list(range(len(response) + 1)))


def plain_characters(text: Text) -> Text:
    """One character for each meaning: NFKC without accents, simple quotes, dashes, blanks, digits.

    Emoji and what has no width are dropped; `½` becomes ` 1/2`.
    """
    text = text.sub(NEGATED, "\u2260")
    return text.sub(OTHER, lambda match: _plain(match.group())).sub(BLANKS, " ")


def fold(chars: str) -> str:
    """Plain characters in lower case, without places."""
    return plain_characters(as_text(chars)).chars.lower()


@lru_cache(4096)
def _plain(char: str) -> str:
    if char in SIGNS:
        return SIGNS[char]
    if char == "\r":
        return "\n"
    kind = unicodedata.category(char)
    if kind in ("Mn", "Cf", "Cc", "Cs", "Co"):
        return " " if char in "\t\x0b\x0c" else ""
    if kind == "Nd":
        return str(unicodedata.decimal(char))
    plain = unicodedata.normalize("NFKD", char)
    if kind == "No":
        if "\u2044" in plain:
            return " " + plain.replace("\u2044", "/")
        return ("^" if "super" in unicodedata.name(char, "").lower() else "") + plain
    if kind in ("Zs", "Zl", "Zp"):
        return " " if kind == "Zs" else "\n"
    if kind == "So":
        return " "
    return "".join(c for c in plain if unicodedata.category(c) != "Mn") or plain
