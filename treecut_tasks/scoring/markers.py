"""Explicit markers in folded plain text: answer lines, boxes, tags, keys, spoken ones, and their spans."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, one_of, place, words
from treecut_tasks.scoring.question import Question
from treecut_tasks.scoring.sentences import DECORATION
from treecut_tasks.scoring.spans import Reading, read_span

ANSWER, HEADING, FINAL = one_of("answer"), one_of("heading"), one_of("final")
LABEL = compiled(
    r"(?m)(?:^[^\w\n\x{27e6}]{0,20}|[.!?] +)(?:" + FINAL + r"[ ,_-]*){0,6}"
    r"(?P<noun>(?P<answer>" + ANSWER + ")|" + HEADING + r")(?: ?\([^()\n]{0,40}\))?"
    r"(?: ?(?P<sign>[:=]|>| [-\x{2013}] |\x{21d2})|(?P<alone>[^\w\n]{0,4}$)| )"
    r"[ :]*(?:" + ANSWER + " ?[:=] ?)?"
)
BOX = re2.compile(r"\x{27e6}(?P<span>[^\x{27e6}\x{27e7}]*)\x{27e7}")
HASH = re2.compile(r"(?m)^ ?####+ *(?P<span>[^\n]*)")
TAG = re2.compile(
    r"(?s)[<\[](?:final[_ -]?)?answer[>\]]"
    r"(?P<span>.{0,400}?)(?:[<\[]/(?:final[_ -]?)?answer[>\]]|$)"
)
KEY = re2.compile(
    r"""["'](?:final[_ ]?)?(?:answer|result|price|value|solution)["'] ?: ?"""
    r"""(?P<span>"[^"\n]*"|'[^'\n]*'|[^,}\n]*)"""
)
SPOKEN = compiled(
    r"(?m)(?:^|\b(?:" + FINAL + " )+)" + ANSWER + r"(?: (?:to|for|of)\b[^.?!\n:]{0,120}?)?"
    r"(?:,? (?:is|would be|must be|should be|will be|remains|comes to)"
    r"(?: that| therefore| thus| then| simply)?\b:?| ?[:=\x{21d2}])"
)
FULL_STOP = re2.compile(r"[.!?](?: |$)")
EARLIER = re2.compile(r"[^.!?\n]*$")
NEXT_LINE = re2.compile(
    r"[ :*\"'.\x{2013}]*(?P<gap>(?:\n[ >*#]*)+)?"
    r"(?P<span>[^\n]*[\pL\pN\x{27e6}\x{27e7}?\x{221e}$<>][^\n]*)"
)

MOST = 50
"""So many of each form are read, from the end."""


class Marker(NamedTuple):
    """A marker (its kind is a key of `REASONS`), the span that it points to, and what that says."""

    kind: str
    start: int
    span: tuple[int, int]
    reading: Reading
    decisive: bool


def find_markers(chars: str, question: Question) -> list[Marker]:
    """The last markers of each form, from left to right."""
    found = [
        *_labels(chars, question),
        *_simple(chars, question),
        *_spoken(chars, question),
    ]
    return sorted(found, key=lambda marker: marker.span)


def _simple(chars: str, question: Question) -> Iterator[Marker]:
    for kind, pattern in (("boxed", BOX), ("hash_line", HASH), ("tag", TAG), ("json_key", KEY)):
        for match in deque(pattern.finditer(chars), MOST):
            reading = read_span(match["span"], question)
            if kind == "hash_line" and not (reading.direct and reading.commits):
                continue
            yield Marker(kind, match.start(), place(match, "span"), reading, True)


def _labels(chars: str, question: Question) -> Iterator[Marker]:
    for match in deque(LABEL.finditer(chars), MOST):
        start, end = _pointed(chars, match.end())
        reading = read_span(chars[start:end], question)
        sign, is_answer = (match["sign"] or "").strip(), match["answer"] is not None
        direct = reading.direct and reading.commits
        if not is_answer:
            # "Result: 11" counts where nothing follows: it may also head a step of the working.
            ends = sign == ":" or match["alone"] is not None
            certain = direct and ends and not chars[end:].strip()
        elif sign or match["alone"] is not None:
            certain = sign != "=" or direct
        else:
            certain = direct and end - start < 25
        if not certain:
            continue
        near = place(match, "noun")[0] - match.start() < 8 and start == match.end()
        contract = is_answer and near and sign == ":" and reading.direct
        yield Marker(
            "answer_line" if contract else "heading",
            match.start(),
            (start, end),
            reading,
            is_answer,
        )


def _spoken(chars: str, question: Question) -> Iterator[Marker]:
    for match in deque(SPOKEN.finditer(chars), MOST):
        before = EARLIER.search(chars[max(0, match.start() - 200) : match.start()]).group()
        if words("hypothetical", "condition").search(before):
            continue
        start, end = _pointed(chars, match.end())
        stop = FULL_STOP.search(chars[start:end])
        end = start + stop.start() if stop else end
        reading = read_span(chars[start:end], question)
        yield Marker("stated", match.start(), (start, end), reading, False)


def _pointed(chars: str, start: int) -> tuple[int, int]:
    """Where the value is: behind the marker, or on the next line if nothing stands there."""
    line = NEXT_LINE.match(chars[start : start + 2000])
    if line is None:
        return start, start
    bullet = DECORATION.match(line["span"]) if line["gap"] else None
    first, last = place(line, "span")
    skipped = bullet.end() if bullet and bullet.end() < last - first else 0
    return start + first + skipped, start + last
