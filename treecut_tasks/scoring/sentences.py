"""Sentences and lines of plain text, with their places in it."""

from __future__ import annotations

from typing import NamedTuple

import re2

from treecut_tasks.scoring.lexicon import entries

LINE = re2.compile(r"[^\n]+")
DECORATION = re2.compile(r"^(?:[\s>#|\x{2022}\x{2013}+*]|-[ -]|\d{1,2}[.)] +|\([a-z\d]\) |:)+")
END = re2.compile(r"[.!?]+[\"')\]*\x{27e7}]*(?: |$)|[;|\x{ff1b}] ")
ABBREVIATED = tuple(" " + entry for entry in entries("abbreviated"))


class Sentence(NamedTuple):
    """A sentence: its folded characters, its place in the text, and the number of its line."""

    chars: str
    start: int
    end: int
    line: int

    @property
    def ended(self) -> bool:
        """Whether a full stop or the like closes it."""
        return self.chars.rstrip("\"')]*\u27e7 ").endswith((".", "!", "?"))


def split_sentences(chars: str) -> list[Sentence]:
    """Cut folded plain text at line ends and behind full stops, bullets and numbering left out."""
    found: list[Sentence] = []
    for number, line in enumerate(LINE.finditer(chars)):
        text = line.group()
        lead = DECORATION.match(text)
        start = lead.end() if lead and lead.end() < len(text.rstrip()) else 0
        for end in _ends(text):
            part = text[start:end]
            if part.strip():
                first = line.start() + end - len(part.lstrip())
                found.append(Sentence(part.strip(), first, line.start() + end, number))
            start = max(start, end)
    return found


def _ends(text: str) -> list[int]:
    ends = []
    for match in END.finditer(text):
        before = text[max(0, match.start() - 8) : match.start() + 1]
        if not (" " + before.replace("(", " ")).endswith(ABBREVIATED):
            ends.append(match.end())
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]
