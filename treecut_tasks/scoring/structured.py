"""Find answers in structured text: JSON keys, tags, `####` lines, calls and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from treecut_tasks.scoring.closing import conclude
from treecut_tasks.scoring.folding import folded
from treecut_tasks.scoring.labels import find_labels
from treecut_tasks.scoring.matching import bounded_matches, holds_any, places
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.plain import BOX_OPEN
from treecut_tasks.scoring.sentences import split_sentences
from treecut_tasks.scoring.values import Reading, read_span

_KEY_NAMES = (
    r"final_?answer|finalanswer|answer|final_result|result|final|solution|verdict|price|"
    r"answer_value|"
    r"numeric_answer|answer_text|prediction|output|response|conclusion|cost|final_price|value|"
    r"unit_price|final_value"
)
_KEY = re.compile(rf"\\?[\"'](?P<key>{_KEY_NAMES})\\?[\"']\s{{0,8}}[:=]\s{{0,8}}", re.IGNORECASE)
_SOME_KEY = re.compile(rf"[\"'](?:{_KEY_NAMES})\\?[\"']")
_STRONG_KEY = re.compile(r"(?i)answer|final")
_STRING = re.compile(
    r"\\?\"((?:[^\"\\\n]|\\[^\"\n]){0,2000})\\?\"|\\?'((?:[^'\\\n]|"
    r"\\[^'\n]){0,2000})\\?'(?=\s*[,}\])])"
)
_LITERAL = re.compile(r"[^\s,}\]\"'][^,}\]\n\"']{0,200}(?:,\d{3}(?!\d))*")
_INNER_KEY = re.compile(
    r"[\"'](?:value|amount|price|answer|result|number|text|content|cost|"
    r"numeric)[\"']\s{0,4}:\s{0,4}",
    re.IGNORECASE,
)
_ANSWERABLE = re.compile(
    r"\\?[\"'](?:answerable|solvable|determinable|is_answerable|can_be_determined|is_solvable|"
    r"has_unique_solution)\\?[\"']\s{0,4}:\s{0,4}false\b",
    re.IGNORECASE,
)
_HASH = re.compile(r"^[ \t]{0,3}#{3,6}[ \t]*(?P<body>[^\n]{1,200})$", re.MULTILINE)
_TAG = re.compile(
    r"<\|?(?P<name>answer|final[_ ]?answer|final|result|output|solution|response|ans|verdict|"
    r"final_result|price|begin_of_solution)\|?"
    r"(?P<attributes>\s[^<>\n]{1,120})?(?P<empty>/)?>"
    r"|\[(?P<bracket>answer|final[ _]answer|final)\](?=[^\n(])",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?:value|answer|result|content|text|price)\s?=\s?[\"']([^\"'\n]{1,80})[\"']", re.IGNORECASE
)
_CALL = re.compile(
    r"\b(?:submit(?:_?(?:final_?)?answer)?|final_?answer|give_?answer|answer|finish|"
    r"report_?answer|return_?answer)\(\s{0,4}(?:\w{1,20}\s?=\s?)?(?P<body>[^()\n]{1,200})\)",
    re.IGNORECASE,
)
_FINISH = re.compile(r"\b(?:finish|submit|answer)\[(?P<body>[^\[\]\n]{1,60})\]", re.IGNORECASE)
_CALL_STARTS = ("answer(", "answer[", "submit", "finish")
_ONLY_PAIR = re.compile(
    r"\s{0,40}\{\s{0,20}[\"'](?!error|message|detail|status)[\w ]{1,60}[\"']\s{0,4}:\s{0,4}"
    r"(?P<value>[^{}\[\],\n]{1,60}?)\s{0,20}\}\s{0,40}"
)
_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]{1,600})\|[ \t]*$", re.MULTILINE)


def find_structured(text: str) -> Iterator[Commitment]:
    """Yield the commitments of structured text.

    Args:
        text: One turn of plain text.
    """
    # A finder is only run where its first character occurs: most texts hold none of them.
    if '"' in text or "'" in text:
        yield from _keys(text)
    if "<" in text or "[" in text:
        yield from _tags(text)
    if "###" in text:
        yield from _hashes(text)
    if "(" in text or "[" in text:
        yield from _calls(text)
    if "|" in text:
        yield from _tables(text)


def _keys(text: str) -> Iterator[Commitment]:
    """Find the answer key of JSON and of Python dictionaries."""
    pair = _ONLY_PAIR.fullmatch(text) if len(text) < 400 else None
    if pair is not None:
        reading = read_span(pair["value"])
        if reading.commits and reading.direct:
            yield Commitment(pair.start(), pair.end(), Strength.LINE, "json_key", reading)
            return
    plain = folded(text)
    keys = bounded_matches(_KEY.finditer(text)) if _has_key(plain) else []
    strong = [k for k in keys if _STRONG_KEY.search(k["key"])]
    flag = _ANSWERABLE.search(text) if "false" in plain else None
    if flag is not None:
        yield Commitment(
            flag.start(), flag.end(), Strength.LINE, "json_key", Reading("unknown", direct=True)
        )
    for key in strong or keys:
        span, end = _value_at(text, key.end())
        reading = read_span(span)
        if reading.kind in ("text", "template"):
            reading = conclude(span) or reading
        if reading.kind in ("text", "template"):
            continue
        if not strong and not reading.direct:
            continue
        yield Commitment(
            key.start(), end, Strength.LINE, "json_key", reading, "final" in key["key"].lower()
        )


def _value_at(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] in ("{", "["):
        inner = _INNER_KEY.search(text, at, at + 300)
        if inner is None:
            close = text.find("]" if text[at] == "[" else "}", at, at + 300)
            return (text[at + 1 : close], close) if close > 0 else ("", at + 1)
        at = inner.end()
    string = _STRING.match(text, at)
    if string is not None:
        body = string[1] if string[1] is not None else string[2]
        return body, string.end()
    literal = _LITERAL.match(text, at)
    if literal is None:
        return "", at
    return ("" if literal[0].strip() in ("null", "None", "nil") else literal[0]), literal.end()


def _hashes(text: str) -> Iterator[Commitment]:
    for match in bounded_matches(_HASH.finditer(text)):
        body = match["body"].strip()
        reading = read_span(body)
        whole = (
            re.fullmatch(r"[-$\u20ac\d.,/\s]{1,40}(?:\w{1,10})?\W{0,3}", body)
            or len(body.split()) <= 3
        )
        if reading.commits and reading.direct and whole and not re.match(r"\d{1,2}[.)]\s", body):
            yield Commitment(match.start(), match.end(), Strength.LINE, "hash_line", reading)


def _has_key(plain: str) -> bool:
    """Whether the name of a key stands in quotation marks; most texts hold a few apostrophes."""
    if '"' in plain:
        return _SOME_KEY.search(plain) is not None
    return any(_SOME_KEY.match(plain, at) for at in places(plain, ("'",)))


def _tags(text: str) -> Iterator[Commitment]:
    """Find `<answer>…</answer>` and its relatives."""
    for tag in bounded_matches(_TAG.finditer(text))[-60:]:
        name = (tag["name"] or tag["bracket"]).lower()
        attribute = _ATTRIBUTE.search(tag["attributes"] or "")
        if attribute is not None:
            reading = read_span(attribute[1])
            if reading.commits:
                yield Commitment(tag.start(), tag.end(), Strength.LINE, "tag", reading)
                continue
        if tag["empty"]:
            continue
        closing = re.compile(
            rf"<\|?(?:/|end_of_){re.escape(name)}\|?>|\[/{re.escape(name)}\]|"
            rf"(?=<\|?{re.escape(name)})",
            re.IGNORECASE,
        )
        close = closing.search(text, tag.end(), tag.end() + 20000)
        unclosed = close is None or not close[0]
        if close is None:
            newline = text.find("\n", tag.end())
            end = newline if newline > 0 else len(text)
        else:
            end = close.start()
        content = text[tag.end() : end]
        if unclosed and name not in ("answer", "final_answer", "final answer"):
            continue
        inner = [] if unclosed else list(find_labels(content))
        if any(c.strength >= Strength.LINE for c in inner) or (
            BOX_OPEN in content and not unclosed
        ):
            continue
        reading = read_span(content)
        if reading.kind == "template":
            continue
        if reading.kind == "text" or (len(split_sentences(content)) > 1 and not reading.direct):
            reading = conclude(content) or reading
        if reading.kind == "text" or (
            name not in ("answer", "final_answer", "ans", "final answer") and not reading.direct
        ):
            continue
        reason = "tag" if reading.kind != "empty" else "empty_answer"
        yield Commitment(tag.start(), close.end() if close else end, Strength.LINE, reason, reading)


def _calls(text: str) -> Iterator[Commitment]:
    plain = folded(text)
    if not holds_any(plain, _CALL_STARTS):
        return
    for call in bounded_matches(_FINISH.finditer(text)):
        reading = read_span(call["body"])
        if reading.commits and reading.direct:
            yield Commitment(call.start(), call.end(), Strength.LINE, "call", reading)
    for call in bounded_matches(_CALL.finditer(text)):
        reading = read_span(call["body"])
        if reading.commits and reading.direct:
            yield Commitment(call.start(), call.end(), Strength.LINE, "call", reading)


def _tables(text: str) -> Iterator[Commitment]:
    """Find the cell under a column that is headed "Answer"."""
    column: int | None = None
    for row in bounded_matches(_ROW.finditer(text)):
        cells = [c.strip() for c in row["cells"].split("|")]
        names = [re.fullmatch(r"(?:final )?answer", c, re.IGNORECASE) is not None for c in cells]
        if any(names):
            column = names.index(True) if names.index(True) > 0 or len(cells) == 1 else None
            if column is None and not read_span(cells[1] if len(cells) > 1 else "").commits:
                column = 0
            continue
        if column is not None and column < len(cells) and re.search(r"\w", cells[column]):
            reading = read_span(cells[column])
            if reading.commits:
                yield Commitment(row.start(), row.end(), Strength.LINE, "table", reading)
