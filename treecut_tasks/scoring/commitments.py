"""Step 5: find every place where the response commits to something.

Each finder looks for one way of committing and reports what it reads there. Whether a commitment
stands is decided later (`outcome`); a finder only leaves out what is quoted, a template or
somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from treecut_tasks.scoring.plain import BOX_CLOSE, BOX_OPEN
from treecut_tasks.scoring.sentences import (
    MAX_TAIL,
    Sentence,
    has_cue,
    is_hypothetical,
    is_instruction,
    is_remark,
    quotes_others,
    split_sentences,
)
from treecut_tasks.scoring.values import MAX_SPAN, Reading, read_span


class Strength(IntEnum):
    """How explicitly a place commits; a stronger one outranks weaker ones."""

    HYPOTHETICAL = 0
    PART = 1
    BARE = 2
    SENTENCE = 3
    STATED = 4
    BOX = 5
    LINE = 6


@dataclass(frozen=True)
class Commitment:
    """One place where the response commits.

    Attributes:
        start: Where the marker starts.
        end: Where the span that was read ends.
        strength: How explicit it is.
        reason: The way of committing, as in `Outcome.reason`.
        reading: What it states.
        final: Whether it is labelled as the final or corrected answer.
        label: The words before the marker on its line or in its sentence.
    """

    start: int
    end: int
    strength: Strength
    reason: str
    reading: Reading
    final: bool = False
    label: str = ""


MAX_FIRST = 300
MAX_LAST = 700
"""How many markers are looked at from the start and from the end of a text."""

_NOUN = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=A))"
    r"(?P<noun>answer|ans|result|solution|verdict|conclusion|output|response|final|price|cost|total)(?![A-Za-z])"
    r"|(?<!\w)(?P<foreign>respuesta|resposta|reponse|antwort|risposta|antwoord|cevap|odpowiedz|"
    r"\u043e\u0442\u0432\u0435\u0442)(?!\w)"
    r"|(?P<han>\u7b54\u6848|\u7b54\u3048|\u89e3\u7b54|\u7ed3\u8bba|\u7d50\u8ad6|\u7b54(?=[:\u662f])|\uc815\ub2f5|\ub2f5(?=:))",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"(?P<close>[\"'\ue005\])}]{0,4})"
    r"(?P<label>(?:\s?\([^()\n]{0,80}\)|\s?\[[^\[\]\n]{0,40}\])?"
    r"(?:\s(?:to|for|of|in|as|by|on|from)\s[^:=\n.|]{1,100}?)?)"
    r"(?P<close2>[\"'\ue005\])}]{0,4})\s{0,4}"
    r"(?P<sep>:{1,2}=?|=(?!=)|\||\u2192|-{1,2}>|=>|[-\u2013\u2014](?=\s?\S)|"
    r"(?:,?\s?(?:therefore|thus|then|hence|here|now|so|clearly|simply)\s?,?\s?)?"
    r"(?:is|are|was|would be|will be|must be|should be|remains|equals|comes out to|comes to|has to be|can only be|turns out to be)\b"
    r"(?:\s?(?:therefore|thus|then|hence|simply|just|clearly|indeed)\b,?)?\s?:?"
    r"|\u662f|\u4e3a|\u70ba|(?=(?:cannot|can't|can not|could not)\b)|(?=\n)|(?=\Z)|(?=\ue001)|(?=\ue000))",
    re.IGNORECASE,
)
_DECORATION = re.compile(
    r"^(?:[\s#>*\-\u2013\u2014\u00b7|\"'\ue005\ue000\[\](){}:,;=~+.!\u2234\u2192\u2705\u2714\u2611]|\d{1,2}[.)](?=\s|$)|[^\w\s\u4e00-\u9fff])+"
)
_PLAIN_LABEL = re.compile(
    r"(?:\b(?:final|my|the|our|correct|corrected|revised|updated|new|so|thus|hence|therefore|and|short|numeric(?:al)?|"
    r"overall|ultimate|exact|conclusive|conclusion|in|summary|then|is|direct|best|here|here's|below|actual|real|single|"
    r"submitted|complete|definitive|formal|required|requested|simple|amended|result|response|end|this|gives|a|assistant|"
    r"which|finally|now|model|step|last|that|s|it|unit|to|conclude|text|quick|brief|tl;dr|as|we|get|output|with|have|accordingly|consequently|"
    r"solution|answer|ok|okay|great|i|report|give|would|answering|sum|up|official|bold|key|explicit|clear)\b|[\W_\d])*",
    re.IGNORECASE,
)
_FINAL_LABEL = re.compile(
    r"\b(?:final|corrected|correct|revised|updated|new|amended|definitive|ultimate|last|actual|real)\b",
    re.IGNORECASE,
)
_INTERMEDIATE = re.compile(
    r"\b(?:intermediate|partial|preliminary|sub-?(?:answer|result)?|interim|tentative|provisional|initial|draft|"
    r"wrong|incorrect|naive|hasty|tempting|previous|earlier|old|original|example|sample|alternative|"
    r"hypothetical|temporary|first attempt|auxiliary|side|rough|student'?s?|friend'?s?|textbook|possible|rejected|quick guess|your|his|her|their)\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:step|part|stage|sub-?question|sub-?problem|question|problem)\s?\(?(?:\d{1,2}|[a-d]|one|two|three|four)\b|^\W*\(?[a-d1-9]\)\s",
    re.IGNORECASE,
)
_OTHER_TARGET = re.compile(
    r"\b(?:to|for|of)\s(?:part|step|stage|the (?:first|second|third|previous|sub)|sub|condition|\(?[a-d1-9]\)|two|three|both|\d)",
    re.IGNORECASE,
)
_WEAK_NOUNS = {
    "output",
    "response",
    "final",
    "price",
    "cost",
    "total",
    "result",
    "solution",
    "conclusion",
    "verdict",
}
_KEY_NAMES = (
    r"final_?answer|finalanswer|answer|final_result|result|final|solution|verdict|price|answer_value|"
    r"numeric_answer|answer_text|prediction|output|response|conclusion|cost|final_price|value|unit_price|final_value"
)
_KEY = re.compile(rf"\\?[\"'](?P<key>{_KEY_NAMES})\\?[\"']\s{{0,8}}[:=]\s{{0,8}}", re.IGNORECASE)
_STRONG_KEY = re.compile(r"(?i)answer|final")
_STRING = re.compile(
    r"\\?\"((?:[^\"\\\n]|\\[^\"\n]){0,2000})\\?\"|\\?'((?:[^'\\\n]|\\[^'\n]){0,2000})\\?'(?=\s*[,}\])])"
)
_LITERAL = re.compile(r"[^\s,}\]\"'][^,}\]\n\"']{0,200}(?:,\d{3}(?!\d))*")
_INNER_KEY = re.compile(
    r"[\"'](?:value|amount|price|answer|result|number|text|content|cost|numeric)[\"']\s{0,4}:\s{0,4}",
    re.IGNORECASE,
)
_ANSWERABLE = re.compile(
    r"\\?[\"'](?:answerable|solvable|determinable|is_answerable|can_be_determined|is_solvable|has_unique_solution)\\?[\"']\s{0,4}:\s{0,4}false\b",
    re.IGNORECASE,
)
_HASH = re.compile(r"^[ \t]{0,3}#{3,6}[ \t]*(?P<body>[^\n]{1,200})$", re.MULTILINE)
_TAG = re.compile(
    r"<\|?(?P<name>answer|final_?answer|final|result|output|solution|response|ans|verdict|final_result|price|begin_of_solution)\|?"
    r"(?P<attributes>\s[^<>\n]{1,120})?(?P<empty>/)?>"
    r"|\[(?P<bracket>answer|final[ _]answer|final)\](?=[^\n(])",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?:value|answer|result|content|text|price)\s?=\s?[\"']([^\"'\n]{1,80})[\"']", re.IGNORECASE
)
_CALL = re.compile(
    r"\b(?:submit(?:_?(?:final_?)?answer)?|final_?answer|give_?answer|answer|finish|report_?answer|return_?answer)\(\s{0,4}(?:\w{1,20}\s?=\s?)?(?P<body>[^()\n]{1,200})\)",
    re.IGNORECASE,
)
_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]{1,600})\|[ \t]*$", re.MULTILINE)
_ECHO_CONDITION = re.compile(
    r"[\W_]*unknown[\W_]{1,4}(?:if|when|in case|only if|whenever|otherwise)\b", re.IGNORECASE
)


def find_commitments(text: str) -> list[Commitment]:
    """Return the explicit commitments of a plain text, in order of position.

    Args:
        text: One turn of plain text.

    Returns:
        The commitments that are marked in some way; sentences without a marker are left to
        `closing_statement`.
    """
    found = [*_keys(text), *_tags(text), *_hashes(text), *_calls(text), *_tables(text)]
    taken = [(c.start, c.end) for c in found]
    found += [c for c in _labels(text) if not _inside(c, taken)]
    taken = [(c.start, c.end) for c in found]
    found += [c for c in _boxes(text) if not _inside(c, taken)]
    return sorted(found, key=lambda c: c.start)


def _inside(commitment: Commitment, spans: list[tuple[int, int]]) -> bool:
    return any(start <= commitment.start < end for start, end in spans[-200:] + spans[:200])


def _bounded(matches: Iterator[re.Match[str]]) -> list[re.Match[str]]:
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


def _labels(text: str) -> Iterator[Commitment]:
    """Find `Answer: …`, answer headings, and sentences like "the answer is …"."""
    nouns = _bounded(_NOUN.finditer(text))
    marks: list[tuple[re.Match[str], re.Match[str]]] = []
    for noun in nouns:
        separator = _SEPARATOR.match(text, noun.end())
        if separator is not None:
            marks.append((noun, separator))
    for index, (noun, separator) in enumerate(marks):
        limit = marks[index + 1][0].start() if index + 1 < len(marks) else len(text)
        commitment = _read_label(text, noun, separator, limit)
        if commitment is not None:
            yield commitment


def _read_label(
    text: str, noun: re.Match[str], separator: re.Match[str], limit: int
) -> Commitment | None:
    label = _label_before(text, noun.start())
    anchored = _PLAIN_LABEL.fullmatch(_DECORATION.sub("", label)) is not None
    word = (noun["noun"] or "").lower()
    sep = separator["sep"].strip().lower()
    after_label = separator["label"]
    spoken = bool(re.match(r"[a-z,\u662f\u4e3a\u70ba]", sep)) or (
        not sep and text[separator.end() : separator.end() + 3].lower() == "can"
    )
    heading = not sep and not spoken
    if word in _WEAK_NOUNS and (spoken or not anchored):
        return None
    if word == "final" and sep not in (":", "="):
        return None
    if _INTERMEDIATE.search(label) or _INTERMEDIATE.search(after_label):
        return None
    if heading and not _is_heading(text, noun, separator, anchored):
        return None
    quoted = _is_quoted(text, noun, label)
    if quoted and _is_echo(text, noun, label):
        return None
    if not anchored and quotes_others(label):
        return None
    start = separator.end()
    span, end = _span_after(text, start, limit, spoken)
    if _ECHO_CONDITION.match(span) or _joins_template(text, noun.start(), label):
        return None
    reading = read_span(span)
    if reading.kind == "empty" and not spoken:
        return _read_heading(text, noun, start, end, label)
    if reading.kind == "template":
        return None
    if (
        spoken
        and not reading.direct
        and not re.match(r"\s*(?:that|:|the (?:price|cost)|a |an |it )", span)
    ):
        return None
    if reading.kind == "text" or (not reading.direct and len(split_sentences(span)) > 1):
        reading = conclude(span) or reading
    if reading.kind == "text":
        return None
    strength = Strength.LINE if anchored and not spoken else Strength.STATED
    if word in _WEAK_NOUNS and word not in ("result", "final"):
        strength = Strength.STATED
    if not anchored and re.match(r"[:=]", sep) and noun[0][0] in "A" and not is_instruction(label):
        strength = Strength.LINE
    if not anchored and is_hypothetical(label):
        strength = Strength.HYPOTHETICAL
    elif _introduces_hypothesis(text, noun.start()) and anchored:
        strength = Strength.HYPOTHETICAL
    if spoken and "?" in span[-2:]:
        return None
    if _PART.search(label) or _OTHER_TARGET.search(after_label):
        strength = min(strength, Strength.PART)
    return Commitment(
        noun.start(),
        end,
        strength,
        "answer_line" if strength == Strength.LINE else "stated",
        reading,
        bool(_FINAL_LABEL.search(label)),
        label,
    )


def _label_before(text: str, start: int) -> str:
    """The words before a marker in its sentence and line."""
    window = text[max(0, start - 160) : start]
    line = window[window.rfind("\n") + 1 :]
    cut = 0
    for boundary in re.finditer(
        r"[.!?][\"')\ue005\ue001]{0,3}\s+|[\u3002\uff01\uff1f]|[.!?](?=[A-Z]|$)", line
    ):
        cut = boundary.end()
    return line[cut:]


def _is_heading(text: str, noun: re.Match[str], separator: re.Match[str], anchored: bool) -> bool:
    line_start = text.rfind("\n", 0, noun.start()) + 1
    alone = noun.start() - line_start < 40
    named = noun["noun"] is None or noun["noun"].lower() in (
        "answer",
        "ans",
        "result",
        "verdict",
        "conclusion",
        "solution",
    )
    return anchored and alone and named and not separator["label"]


def _is_quoted(text: str, noun: re.Match[str], label: str) -> bool:
    """Whether the marker stands in quotation marks inside a longer line."""
    before = label.rstrip()
    opened = label.count('"') % 2 == 1 or label.count("\ue005") % 2 == 1 or before.endswith("'")
    return opened and bool(re.search(r"\w", label))


def _is_echo(text: str, noun: re.Match[str], label: str) -> bool:
    line_end = text.find("\n", noun.end())
    line = text[
        max(0, noun.start() - 200) : line_end
        if 0 <= line_end < noun.end() + 300
        else noun.end() + 300
    ]
    concrete = re.match(r"\s?[:=]?\s?[-$\u20ac]?\d", text[noun.end() : noun.end() + 8])
    if concrete:
        return quotes_others(label) or is_hypothetical(label)
    return is_instruction(label) or is_hypothetical(line) or quotes_others(label)


def _joins_template(text: str, start: int, label: str) -> bool:
    """Whether a marker is the second half of "Answer: <number> or Answer: unknown"."""
    before = text[max(0, start - 60) : start]
    return bool(
        re.search(
            r"(?:>|\]|\}|\ue004|\bnumber|\bvalue)[\"'\ue005.\s]{0,4}\s{0,2},?\s?(?:or|/|\|)\s{0,3}(?:with\s|write\s|as\s)?[\"'\ue005]{0,2}(?:final )?$",
            before,
            re.IGNORECASE,
        )
    )


def _introduces_hypothesis(text: str, start: int) -> bool:
    """Whether the line before a marker reads "if …:" or quotes somebody."""
    head = text[max(0, start - 400) : start].rstrip(" \t*#>-\"'\ue005")
    if not head.endswith("\n"):
        return False
    previous = head.rstrip().rpartition("\n")[2]
    if not previous.endswith((":", ",")):
        return False
    last = split_sentences(previous)
    return bool(last) and (
        bool(
            re.match(
                r"\W*(?:if|suppose|assuming|supposing|hypothetically|for example|example|under the assumption|were)\b",
                last[-1].text,
                re.IGNORECASE,
            )
        )
        or bool(
            re.search(
                r"\b(?:some|one) (?:might|may|would|could)|friend|student|textbook|format|finish with|end with|in the form\b",
                last[-1].text,
                re.IGNORECASE,
            )
        )
    )


def _span_after(text: str, start: int, limit: int, spoken: bool) -> tuple[str, int]:
    """The text that a marker introduces: the rest of its line, or of its sentence."""
    line_end = text.find("\n", start)
    end = len(text) if line_end < 0 else line_end
    if start <= limit < end and re.search(r"(?:^|[.;!?\s\"'\ue005(])$", text[limit - 1 : limit]):
        following = _SEPARATOR.match(text, limit + 6)
        if (
            following is not None
            and text[limit : limit + 6].lower() == "answer"
            and following["sep"].startswith((":", "="))
        ):
            end = limit
    end = min(end, start + MAX_SPAN)
    span = text[start:end]
    if spoken:
        sentences = split_sentences(span)
        if sentences:
            end = start + sentences[0].end
            span = sentences[0].text
    if re.search(r"(?:[:=]|\bis|\bcosts?|\bof|\bequals)\W{0,4}$", span) or span.strip() in (
        ":",
        "is",
    ):
        extended, extended_end = _next_block(text, end)
        if extended:
            return span + " " + extended, extended_end
    return span, end


def _next_block(text: str, start: int) -> tuple[str, int]:
    """The next line that is not blank, at most a few lines on."""
    at = start
    for _ in range(6):
        newline = text.find("\n", at)
        if newline < 0:
            return "", start
        line_end = text.find("\n", newline + 1)
        line_end = len(text) if line_end < 0 else line_end
        line = text[newline + 1 : min(line_end, newline + 1 + MAX_SPAN)]
        if re.search(r"[\w?\ue000\ue004\u2153]", line):
            return line, line_end
        at = newline + 1
    return "", start


def _read_heading(
    text: str, noun: re.Match[str], start: int, end: int, label: str
) -> Commitment | None:
    """Read the block under a heading; a worked solution there is left to its own conclusion."""
    line, line_end = _next_block(text, end)
    final = bool(_FINAL_LABEL.search(label))
    if not line:
        box_is_empty = BOX_OPEN in text[start : end + 2]
        kind = (
            "empty_answer"
            if box_is_empty or text[start:end].strip(" \n*_\ue005\"'")
            else "dangling"
        )
        return Commitment(
            noun.start(), end, Strength.LINE, kind, Reading("empty", direct=True), final, label
        )
    if BOX_OPEN in text[start:end] and BOX_CLOSE in text[start:end]:
        return Commitment(
            noun.start(),
            end,
            Strength.LINE,
            "empty_answer",
            Reading("empty", direct=True),
            final,
            label,
        )
    marker = _NOUN.search(line)
    if marker is not None and _SEPARATOR.match(line, marker.end()) and marker.start() < 20:
        return None
    reading = read_span(line)
    if reading.kind == "template":
        return None
    rest = text[line_end:].strip()
    if (
        reading.direct
        and len(line) <= 300
        or reading.commits
        and (not rest or len(split_sentences(line)) == 1 and has_cue(line))
    ):
        return Commitment(
            noun.start(), line_end, Strength.LINE, "answer_line", reading, final, label
        )
    if reading.commits and not _concludes_later(rest):
        found = conclude(line) or reading
        return Commitment(noun.start(), line_end, Strength.LINE, "answer_line", found, final, label)
    return None


def _concludes_later(text: str) -> bool:
    return any(has_cue(s.text) for s in split_sentences(text[:MAX_TAIL])) or BOX_OPEN in text


def conclude(span: str) -> Reading | None:
    """Read the conclusion of several sentences: the last that announces one, else the first.

    Args:
        span: Plain text of a worked solution.
    """
    sentences = [s for s in split_sentences(span[-MAX_TAIL:]) if not is_remark(s.text)]
    readings = [(s, read_span(s.text)) for s in sentences[-40:]]
    for sentence, reading in reversed(readings):
        if reading.commits and has_cue(sentence.text):
            return reading
    for _, reading in readings:
        if reading.commits:
            return reading
    return None


def _boxes(text: str) -> Iterator[Commitment]:
    for match in _bounded(re.finditer(f"{BOX_OPEN}([^{BOX_CLOSE}]*){BOX_CLOSE}", text)):
        reading = read_span(match[0])
        before = text[max(0, match.start() - 80) : match.start()].rpartition("\n")[2]
        if reading.kind == "number" and reading.value is not None and before.rstrip().endswith("-"):
            reading = replace(reading, value=-reading.value)
        if reading.kind == "template":
            continue
        if reading.kind == "text":
            reading = conclude(match[1]) or reading
        strength = Strength.BOX
        if re.search(r"\d\s?[A-Za-z](?:_\w+)?\s?=[^=]*$", before) or _INTERMEDIATE.search(before):
            strength = Strength.PART
        elif quotes_others(_label_before(text, match.start())):
            strength = Strength.HYPOTHETICAL
        elif is_hypothetical(_label_before(text, match.start())):
            strength = Strength.HYPOTHETICAL
        yield Commitment(
            match.start(),
            match.end(),
            strength,
            "boxed" if reading.kind != "empty" else "empty_answer",
            reading,
        )


def _keys(text: str) -> Iterator[Commitment]:
    """Find the answer key of JSON and of Python dictionaries."""
    keys = _bounded(_KEY.finditer(text))
    strong = [k for k in keys if _STRONG_KEY.search(k["key"])]
    flag = _ANSWERABLE.search(text)
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
    for match in _bounded(_HASH.finditer(text)):
        body = match["body"].strip()
        reading = read_span(body)
        whole = (
            re.fullmatch(r"[-$\u20ac\d.,/\s]{1,40}(?:\w{1,10})?\W{0,3}", body)
            or len(body.split()) <= 3
        )
        if reading.commits and reading.direct and whole and not re.match(r"\d{1,2}[.)]\s", body):
            yield Commitment(match.start(), match.end(), Strength.LINE, "hash_line", reading)


def _tags(text: str) -> Iterator[Commitment]:
    """Find `<answer>…</answer>` and its relatives."""
    for tag in _bounded(_TAG.finditer(text))[-60:]:
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
            rf"<\|?(?:/|end_of_){re.escape(name)}\|?>|\[/{re.escape(name)}\]|(?=<\|?{re.escape(name)})",
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
        if unclosed and name not in ("answer", "final_answer"):
            continue
        marker = _NOUN.search(content)
        inner = (
            find_commitments(content) if not unclosed and (marker or BOX_OPEN in content) else []
        )
        if any(c.strength >= Strength.BOX for c in inner):
            continue
        reading = read_span(content)
        if reading.kind == "template":
            continue
        if reading.kind == "text" or len(split_sentences(content)) > 1 and not reading.direct:
            reading = conclude(content) or reading
        if reading.kind == "text" or (
            name not in ("answer", "final_answer", "ans", "final answer") and not reading.direct
        ):
            continue
        reason = "tag" if reading.kind != "empty" else "empty_answer"
        yield Commitment(tag.start(), close.end() if close else end, Strength.LINE, reason, reading)


def _calls(text: str) -> Iterator[Commitment]:
    for call in _bounded(_CALL.finditer(text)):
        reading = read_span(call["body"])
        if reading.commits and reading.direct:
            yield Commitment(call.start(), call.end(), Strength.LINE, "call", reading)


def _tables(text: str) -> Iterator[Commitment]:
    """Find the cell under a column that is headed "Answer"."""
    if "|" not in text:
        return
    column: int | None = None
    for row in _bounded(_ROW.finditer(text)):
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


def closing_statement(text: str, *, truncated: bool = False) -> Commitment | None:
    """Find what an unmarked response concludes.

    Looks back from the end over checks, offers and notes to the last sentence that states a
    price or an abstention; then at a bare value that opens the response.

    Args:
        text: One turn of plain text without an explicit commitment.
        truncated: Whether the text is known to be cut off.
    """
    offset = max(0, len(text) - MAX_TAIL)
    sentences = split_sentences(text[offset:], offset)
    if not sentences:
        return None
    complete = _is_complete(sentences[-1]) and not truncated
    opening = _opening_value(text)
    passed = 0
    for index in range(len(sentences) - 1, max(-1, len(sentences) - 60), -1):
        sentence = sentences[index]
        last = passed == 0
        if is_remark(sentence.text):
            continue
        found = _closing_sentence(
            sentence, last=last, complete=complete or index < len(sentences) - 1
        )
        if found is not None and (last or found.strength == Strength.SENTENCE and complete):
            return found
        passed += 1
        if passed > 6 or not complete:
            break
    return opening


def _closing_sentence(sentence: Sentence, *, last: bool, complete: bool) -> Commitment | None:
    text = sentence.text
    if not complete or quotes_others(text) and not _abstains(text):
        return None
    reading = read_span(text)
    if not reading.commits:
        return None
    cue = has_cue(text)
    price = re.search(
        r"\b(?:costs?|price|answer|equals|is|are)\b|=|\u662f|\u4e3a|\u4ef7", text, re.IGNORECASE
    )
    if is_hypothetical(text) and reading.kind == "number" and not cue:
        return None
    if cue or reading.kind == "unknown":
        strength, reason = Strength.SENTENCE, "sentence"
    elif last and (reading.direct and _is_bare(text) or price):
        bare = reading.direct and _is_bare(text)
        strength, reason = (
            (Strength.BARE, "bare_value") if bare else (Strength.SENTENCE, "sentence")
        )
    else:
        return None
    return Commitment(sentence.start, sentence.end, strength, reason, reading)


def _abstains(text: str) -> bool:
    return read_span(text).kind == "unknown"


def _is_bare(text: str) -> bool:
    """Whether a line holds a value and nothing else."""
    return len(text.split()) <= 5


def _is_complete(sentence: Sentence) -> bool:
    """Whether a last sentence looks finished."""
    text = sentence.text.rstrip(" \ue005\"'*_)]}\ue001\ue003")
    if not text:
        return True
    if re.search(r"[-+*/=\u00d7(,:;<\u2248\u2192]$", text):
        return False
    if text.endswith((".", "!", "?", "\u3002", "\uff01", "\u2026")):
        return True
    reading = read_span(text)
    if reading.commits:
        return True
    return sentence.text.rstrip().endswith(("\ue001", ")", "]", "}", "|"))


def _opening_value(text: str) -> Commitment | None:
    """A bare value on the first line, before an explanation."""
    lines = text.strip().split("\n", 1)
    first = lines[0][:300]
    sentences = split_sentences(first)
    if not sentences:
        return None
    head = sentences[0].text
    reading = read_span(head)
    if reading.commits and reading.direct and _is_bare(head):
        return Commitment(0, len(head), Strength.BARE, "bare_value", reading)
    following = (
        sentences[1].text if len(sentences) > 1 else (lines[1] if len(lines) > 1 else "")
    ).strip()
    explained = re.match(
        r"\W*(?:explanation|here's|here is|reasoning|because|this is because|to see|why|justification|working|since|details|steps|solution|the reason|reason)\b",
        following,
        re.IGNORECASE,
    )
    if reading.commits and explained:
        return Commitment(0, len(head), Strength.SENTENCE, "sentence", reading)
    return None
