"""Explicit markers in folded plain text: answer lines, boxes, tags, keys, spoken ones, and their spans."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, one_of, place, words
from treecut_tasks.scoring.question import Question
from treecut_tasks.scoring.sentences import DECORATION
from treecut_tasks.scoring.spans import Reading, read_span

ANSWER, HEADING, FINAL = one_of("answer"), one_of("heading"), one_of("final")
LABEL = compiled(
    r"(?m)(?:^[^\w\n\x{27e6}]{0,20}|[.!?] +)(?:"
    + FINAL
    + r"[ ,_-]*){0,6}(?:(?P<answer>"
    + ANSWER
    + ")|(?P<heading>"
    + HEADING
    + r"))"
    r"(?: ?\([^()\n]{0,40}\))?(?: ?(?P<sign>[:=]|\x{21d2}| is:| is\b| would be:?)|(?P<alone>[^\w\n]{0,4}$))"
    r"[ :]*(?:" + ANSWER + r" ?[:=] ?)?(?P<span>[^\n]*)"
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
    r"\b(?:" + FINAL + " )+" + ANSWER + r"(?: (?:to|for|of)\b[^.?!\n:]{0,120}?)?"
    r"(?:,? (?:is|would be|must be|should be|will be|remains|comes to)"
    r"(?: that| therefore| thus| then| simply)?\b:?| ?[:=\x{21d2}])(?P<span>[^\n]*)"
)
FULL_STOP = re2.compile(r"[.!?](?: |$)")
BLANK = re2.compile(r"^[^\w\x{27e6}?\x{221e}$<]*$")
NEXT_LINE = re2.compile(r"\n(?P<span>[^\n]*[\w?\x{221e}][^\n]*)")
EARLIER = re2.compile(r"[^.!?\n]*$")

MOST = 50
"""So many of each form are read, from the end."""


class Marker(NamedTuple):
    """A marker and what it says.

    Attributes:
        kind: a key of `REASONS`.
        start: where the marker starts.
        span: start and end of what it points to.
        reading: what that says.
        decisive: whether it outranks every sentence.
    """

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
        if match["sign"] is None and match["alone"] is None:
            continue
        start, end = _pointed(chars, match)
        reading = read_span(chars[start:end], question)
        is_answer = match["answer"] is not None
        if (match["sign"] or "").strip() == "=" and not reading.direct:
            continue
        plain = (
            is_answer
            and match["sign"] == ":"
            and place(match, "answer")[0] - match.start() < 8
            and start == place(match, "span")[0]
        )
        kind = "answer_line" if plain and reading.direct else "heading"
        if not is_answer and not (reading.direct and reading.commits):
            continue
        yield Marker(kind, match.start(), (start, end), reading, is_answer)


def _spoken(chars: str, question: Question) -> Iterator[Marker]:
    for match in deque(SPOKEN.finditer(chars), MOST):
        before = EARLIER.search(chars[max(0, match.start() - 200) : match.start()]).group()
        if words("hypothetical").search(before) or before.endswith(('"', "'")):
            continue
        start, end = _pointed(chars, match)
        stop = FULL_STOP.search(chars[start:end])
        if stop:
            end = start + stop.start()
        yield Marker(
            "stated", match.start(), (start, end), read_span(chars[start:end], question), False
        )


def _pointed(chars: str, match: Any) -> tuple[int, int]:
    """Where the value is: behind the marker, or on the next line if nothing stands there."""
    start, end = place(match, "span")
    if BLANK.match(chars[start:end]):
        following = NEXT_LINE.match(
            chars[end : end + 600].replace("\n\n", "\n ").replace("\n \n", "\n  ")
        )
        if following:
            bullet = DECORATION.match(following["span"])
            first, last = place(following, "span")
            return end + first + (
                bullet.end() if bullet and bullet.end() < last - first else 0
            ), end + last
    return start, end
