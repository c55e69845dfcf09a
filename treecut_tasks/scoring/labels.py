"""Find `Answer: …` lines, answer headings and sentences like "the answer is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from treecut_tasks.scoring.closing import EXPLAINED, conclude
from treecut_tasks.scoring.folding import fold, folded, without_signs
from treecut_tasks.scoring.matching import bounded_matches, holds_any, matches_at, places
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.plain import BOX_CLOSE, BOX_OPEN
from treecut_tasks.scoring.sentences import (
    MAX_TAIL,
    has_cue,
    is_hypothetical,
    is_instruction,
    quotes_others,
    split_sentences,
)
from treecut_tasks.scoring.values import MAX_SPAN, Reading, read_span

_NOUN = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=A))"
    r"(?P<noun>answers(?=[\"*_]{0,3}\s?:)|answer|ans|result|solution|verdict|conclusion|output|response|final|price|cost|"
    r"total|tl;?dr|a(?=\W{0,2}:))(?![A-Za-z])"
    r"|(?<!\w)(?P<foreign>respuesta|resposta|reponse|antwort|risposta|antwoord|cevap|odpowiedz|"
    r"\u043e\u0442\u0432\u0435\u0442)(?!\w)"
    r"|(?P<han>\u7b54\u6848|\u7b54\u3048|\u89e3\u7b54|\u7ed3\u8bba|\u7d50\u8ad6|"
    r"\u7b54(?=[:\u662f])|\uc815\ub2f5|\ub2f5(?=:))",
    re.IGNORECASE,
)
_FOREIGN_STARTS = ("respuesta", "resposta", "reponse", "antwo", "risposta", "cevap", "odpowiedz")
_FOREIGN_PARTS = ("spuesta", "sposta", "reponse", "antwo", "cevap", "odpow")
"""How the nouns of other languages begin in folded text, and of what they hold one."""
_SOME_ANSWER = re.compile(r"ans(?:wer|(?![a-z]))")
_A_LABEL = re.compile(r":(?:(?<=a:)|(?<=a\W:)|(?<=a\W\W:))")
"""The colon of `a:`."""
_OTHER_SCRIPT = re.compile("[\u0400-\u04ff\u1c80-\u1c8f\u7b54\u89e3\u7ed3\u7d50\uc815\ub2f5]")
_SEPARATOR = re.compile(
    r"(?P<close>[\"'\ue005\])}]{0,4})"
    r"(?P<label>(?:\s?\([^()\n]{0,80}\)|\s?\[[^\[\]\n]{0,40}\])?"
    r"(?:\s(?:to|for|of|in|as|by|on|from)\s[^:=\n.|\"'\ue005]{1,100}?|\s?#?\d{1,2}(?=\s?[:=]))?)"
    r"(?P<close2>[\"'\ue005\])}]{0,4})\s{0,4}"
    r"(?P<sep>:{1,2}=?|=>|=(?!=)|\||\u2192|-{1,2}>|=>|,(?=[-\w.$]{1,20}[ ]?(?:\n|\Z))|"
    r"[-\u2013\u2014](?=\s?\S)|"
    r"(?:,?\s?(?:therefore|thus|then|hence|here|now|so|clearly|simply)\s?,?\s?)?"
    r"(?:is|are|was|would be|will be|must be|should be|remains|equals|comes out to|comes to|"
    r"has to be|can only be|turns out to be)\b"
    r"(?:\s?(?:therefore|thus|then|hence|simply|just|clearly|indeed)\b,?)?\s?:?"
    r"|\u662f|\u4e3a|\u70ba|(?=(?:cannot|can't|can not|could not)\b)|(?=\n)|(?=\Z)|(?=\ue001)|"
    r"(?=\ue000))",
    re.IGNORECASE,
)
_DECORATION = re.compile(
    r"(?:[\s#>*\-\u2013\u2014\u00b7|\"'\ue005\ue000\[\](){}:,;=~+.!\u2234\u2192\u2705\u2714\u2611]|\d{1,2}[.)](?=\s|$)|[^\w\s\u4e00-\u9fff])+"
)
_PLAIN_WORDS = (
    "final|my|the|our|correct|corrected|revised|updated|new|so|thus|hence|therefore|and|"
    "short|numeric|numerical|overall|ultimate|exact|conclusive|conclusion|in|summary|then|"
    "is|direct|best|here|here's|below|actual|real|single|submitted|complete|definitive|"
    "formal|required|requested|simple|amended|result|response|end|this|gives|a|assistant|"
    "which|finally|now|model|step|last|that|s|it|unit|to|conclude|text|quick|brief|tl;dr|"
    "as|we|get|output|with|have|accordingly|consequently|solution|answer|ok|okay|great|i|"
    "report|give|would|answering|sum|up|official|bold|key|explicit|clear"
)
_PLAIN = frozenset(_PLAIN_WORDS.split("|"))
_PLAIN_LABEL = re.compile(rf"(?:\b(?:{_PLAIN_WORDS})\b|[\W_\d])*", re.IGNORECASE)
_FINAL_LABEL = re.compile(
    r"\b(?:final|corrected|correct|revised|updated|new|amended|definitive|ultimate|last|actual|"
    r"real)\b",
    re.IGNORECASE,
)
_INTERMEDIATE = re.compile(
    r"\b(?:intermediate|partial|preliminary|sub-?(?:answer|result)?|interim|tentative|"
    r"provisional|initial|draft|"
    r"wrong|incorrect|naive|hasty|tempting|previous|earlier|old|original|example|sample|"
    r"alternative|"
    r"hypothetical|temporary|first attempt|auxiliary|side|rough|student'?s?|friend'?s?|"
    r"textbook|possible|rejected|quick guess|your|his|her|their)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:confiden\w+|certain\w*|probability|score|difficulty|length|number of|type|rating|"
    r"source|explain\w*|"
    r"explanation|format|grade|quality|check(?:ing)?|verification|proof|derivation)\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:step|part|stage|sub-?question|sub-?problem|question|problem)\s?\(?(?:\d{1,2}|[a-d]|"
    r"one|two|three|four)\b|^\W*\(?[a-d1-9]\)\s",
    re.IGNORECASE,
)
_OTHER_TARGET = re.compile(
    r"\b(?:to|for|of)\s(?:part|step|stage|the (?:first|second|third|previous|sub)|sub|"
    r"condition|\(?[a-d1-9]\)|two|three|both|\d)",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"[a-z,\u662f\u4e3a\u70ba]")
_WEAK_NOUNS = {
    "output",
    "tldr",
    "a",
    "tl;dr",
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
_WEAK_WORDS = {
    "price": ("price",),
    "cost": ("cost",),
    "total": ("total",),
    "final": ("final",),
    "utp": ("output",),
    "verd": ("verdict",),
    "resu": ("result",),
    "lu": ("solution", "conclusion"),
    "spo": ("response",),
    "tl": ("tldr", "tl;dr"),
}
"""All of `_WEAK_NOUNS` but `a`, by what is looked for before they are."""
_ECHO_CONDITION = re.compile(
    r"[\W_]*unknown[\"'\ue005>.]{0,3},?\s(?:(?:if|when|in case|only if|whenever|otherwise)\b"
    r"|(?:is|may be|must be|should be)\s(?:only\s)?(?:allowed|used|permitted|reserved|for|"
    r"meant|to be)\b)"
    r"[^\d\n]{0,300}(?:\n|$)",
    re.IGNORECASE,
)
_STRICT_INSTRUCTION = re.compile(
    r"\b(?:must|should|finish|end(?:ing)? with|format|instruct\w*|need to|have to|either|or)\b",
    re.IGNORECASE,
)
_TEMPLATE_LINE = re.compile(
    r"answer\W{0,6}[<\[{(\ue004](?:(?!unknown)[^\n]){0,40}\n[\s\W]{0,12}(?:or\W{0,3})?$",
    re.IGNORECASE,
)
_JOINS_FORM = re.compile(
    r"(?:>|\]|\}|\ue004|\bnumber|\bvalue)[\"'\ue005.\s]{0,4}\s{0,2},?\s?(?:or|/|"
    r"\|)\s{0,3}(?:with\s|write\s|as\s)?[\"'\ue005]{0,2}(?:final )?$",
    re.IGNORECASE,
)
_FORM_ENDS = (">", "]", "}", "\ue004", "number", "value")
_WORKING_START = re.compile(
    r"[\W_]*(?:let\b|let's|let us|since|because|first\b|firstly|from (?:the|condition|sentence|"
    r"equation|statement|\(?1)|step\b|if\b|suppose|consider|given|denote|using|by the|start|"
    r"to (?:find|determine|solve|compute|calculate|get|answer|work)|"
    r"we (?:first|start|begin|have|know|need|are|can|let|will|set|use)|"
    r"the (?:first|second|third|given) (?:condition|sentence|equation|statement))",
    re.IGNORECASE,
)
_COMPLIES = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|finally|and|now),? )?(?:following|according to|as (?:requested|"
    r"required|instructed|asked|specified)|in (?:the|accordance)|using|per )\b",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"(?<![\w.$/+*=-])(?P<value>-?[\d.,/]{1,15}|unknown|[a-z]{3,9})(?P<unit>\sdollars)?\sis\s"
    r"(?:therefore\s|thus\s)?(?:the|our|my)\s(?:final\s|correct\s)?answer"
    r"(?![\w:])(?!\s?[:=?])(?!\sto\s(?!(?:the|this) (?:question|problem)))",
    re.IGNORECASE,
)
_ANSWER_LINE = re.compile(
    r"(?P<label>(?:final )?)(?P<noun>answer):"
    r"(?P<span> (?:[1-9]\d{0,8}(?: dollars)?|unknown)\.?)",
    re.IGNORECASE | re.ASCII,
)
_IS_THE_ANSWER = re.compile(
    r"is\s(?:therefore\s|thus\s)?(?:the|our|my)\s(?:final\s|correct\s)?answer"
)
_SENTENCE_END = re.compile(r"[.!?][\"')\ue005\ue001]{0,3}\s+|[\u3002\uff01\uff1f]|[.!?](?=[A-Z]|$)")
_LISTED = re.compile(r"\W*\d{1,2}[.)]\s+(?=[-\d]|unknown\b)", re.IGNORECASE)
_EQUATION = re.compile(r"\W*\w[\w.()+*/\u00d7\u00f7 -]{0,40}=")
_ONLY_REASON = re.compile(r"\W*(?:since|because|if)\b[^,:;=]*[^.!,:;=]$", re.IGNORECASE)
_KEY_BEFORE = re.compile(r"[\"']\w{1,30}[\"']\s?:\s?[\"']$")
_QUOTED_REST = re.compile(r"[^\"\ue005'\n]{1,40}[\"\ue005'](?P<after>[^\n]{0,300})")
_SUM_LINE = re.compile(r"\W*\d[\d.]{0,12}\s?[-+*/\u00d7\u00f7]\s?\d[^=\n]{0,60}=")
_BREAKS_OFF = re.compile(r"(?:,|\b(?:so|then|hence|thus|therefore|and|with))\W*$", re.IGNORECASE)
_SAYS_UNKNOWN = re.compile(r"[\W_]*unknown\b", re.IGNORECASE)


_CROWDED = 60
"""With more markers than this, none is read beyond the next one."""


def find_labels(text: str) -> Iterator[Commitment]:
    """Find `Answer: …`, answer headings, and sentences like "the answer is …"."""
    nouns = bounded_matches(_nouns(text))
    indices = range(len(nouns))

    @cache  # the dearest of the questions about a noun
    def separator_of(index: int) -> re.Match[str] | None:
        return _SEPARATOR.match(text, nouns[index].end())

    crowded = len(nouns) > _CROWDED and sum(map(bool, map(separator_of, indices))) > _CROWDED
    for index, noun in enumerate(nouns):
        if _word(noun) in _WEAK_NOUNS and not _is_anchored(text, noun):
            continue
        separator = separator_of(index)
        if separator is None:
            continue
        following = (nouns[other].start() for other in indices[index + 1 :] if separator_of(other))
        commitment = _read_label(text, noun, separator, next(following, len(text)), crowded)
        if commitment is not None:
            yield commitment
    yield from _inverted(text)


def last_answer_line(text: str) -> Commitment | None:
    """Read the last line if it is a plain answer line beside which no other label counts.

    That is how most responses end. All other labels are then only looked at as far as is needed to
    see that each is weaker than a line, in which case what they say makes no difference.

    Args:
        text: One turn of plain text in which nothing is boxed and `find_structured` finds nothing.

    Returns:
        What `find_labels` yields last; None where all labels have to be read.
    """
    end = len(text.rstrip())
    line = _ANSWER_LINE.fullmatch(text, text.rfind("\n", 0, end) + 1, end)
    if line is None:
        return None
    start, label = line.start("noun"), line["label"]
    for noun in bounded_matches(_nouns(text, telling=True)):
        if noun.start() < line.start() and _may_be_line(text, noun):
            return None
    if _follows_template(text, start) or _joins_template(text, start):
        return None
    if _hypothesis_before(text, start):
        return None
    reading = read_span(line["span"])
    return Commitment(start, end, Strength.LINE, "answer_line", reading, bool(label), label)


def _may_be_line(text: str, noun: re.Match[str]) -> bool:
    """Whether a noun could make a commitment that is as strong as an answer line."""
    if _word(noun) in _WEAK_NOUNS and not _is_anchored(text, noun):
        return False
    separator = _SEPARATOR.match(text, noun.end())
    return separator is not None and _SPOKEN.match(separator["sep"].strip().lower()) is None


def _nouns(text: str, *, telling: bool = False) -> Iterator[re.Match[str]]:
    """What `_NOUN` finds, which is slow at finding.

    Args:
        text: the text to search.
        telling: leave out weak nouns inside ordinary sentences, of which most texts hold many.
    """
    others = without_signs(text)
    if not others.isascii() and _OTHER_SCRIPT.search(others):
        return _NOUN.finditer(text)
    plain = folded(text)
    starts = places(plain, ("ans",))
    if holds_any(plain, _FOREIGN_PARTS):
        starts |= places(plain, _FOREIGN_STARTS)
    for part, words in _WEAK_WORDS.items():
        if part in plain:
            for word in words:
                starts.update(_weak_places(plain, word, telling))
    if ":" in plain:
        for label in _A_LABEL.finditer(plain):
            colon = label.start()
            starts |= {at for at in range(max(0, colon - 3), colon) if plain[at] == "a"}
    return matches_at(_NOUN, text, starts)


def holds_only_ordinary_nouns(plain: str) -> bool:
    """Whether no noun of a folded text can make a commitment as strong as an answer line.

    Args:
        plain: folded text in ASCII characters without the marks of boxes; emphasis may be left.
    """
    if _SOME_ANSWER.search(plain) or holds_any(plain, _FOREIGN_PARTS):
        return False
    if ":" in plain and _A_LABEL.search(plain):
        return False
    for part, words in _WEAK_WORDS.items():
        if part in plain:
            for word in words:
                for at in _weak_places(plain, word, telling=True):
                    separator = _SEPARATOR.match(plain, at + len(word))
                    if separator is None or not _SPOKEN.match(separator["sep"].lstrip()):
                        return False
    return True


def _weak_places(plain: str, word: str, telling: bool) -> Iterator[int]:
    """Where a weak noun stands in a folded text and no longer word does."""
    at = 0
    for before, after in pairwise(plain.split(word)):
        at += len(before)
        if not ("a" <= after[:1] <= "z" or (telling and _continues_sentence(before[-_REACH:]))):
            yield at
        at += len(word)


_REACH = 80
"""Characters before a noun that are looked at before its sentence is; `label_before` sees more."""


def _continues_sentence(before: str) -> bool:
    """Whether one of the last three words of a text is none that may stand before a marker.

    Args:
        before: folded text up to a marker; false if it is not written plainly enough to tell.
    """
    *words, gap = before.rsplit(" ", 4)
    if gap:
        return False
    for word in words[:0:-1]:  # the first one may lack its beginning
        if word not in _PLAIN:
            if not word.isalpha():
                word = word.strip(_AROUND_WORDS)
            if word not in _PLAIN:
                return word.isidentifier() and word.isascii()
    return False


_AROUND_WORDS = "_:,;*\"'\ue005()[]{}=+/|#>-\u2013\u2014\u00d7\u2192"
"""Stands beside words within a sentence; nothing here ends one."""


def _word(noun: re.Match[str]) -> str:
    """The noun of a marker in English; empty for other languages."""
    word = (noun["noun"] or "").lower()
    return "answer" if word == "answers" else word


def _is_anchored(text: str, noun: re.Match[str]) -> bool:
    """Whether a noun stands at the start of its sentence but for words such as "my final"."""
    start = noun.start()
    if _continues_sentence(fold(text[max(0, start - _REACH) : start])):
        return False
    label = label_before(text, start)
    decoration = _DECORATION.match(label)
    return _PLAIN_LABEL.fullmatch(label, decoration.end() if decoration else 0) is not None


def _inverted(text: str) -> Iterator[Commitment]:
    """Find "11 is the answer"."""
    if _IS_THE_ANSWER.search(folded(text)) is None:
        return
    for match in bounded_matches(_INVERTED.finditer(text)):
        reading = read_span(match["value"])
        label = label_before(text, match.start())
        excluded = quotes_others(label) or is_hypothetical(label) or "?" in text[match.end() :][:2]
        if reading.commits and reading.direct and not excluded:
            yield Commitment(
                match.start(), match.end(), Strength.STATED, "stated", reading, label=label
            )


def _read_label(
    text: str, noun: re.Match[str], separator: re.Match[str], limit: int, crowded: bool
) -> Commitment | None:
    word = _word(noun)
    sep = separator["sep"].strip().lower()
    after_label = separator["label"]
    spoken = _SPOKEN.match(sep) is not None or (
        not sep and text[separator.end() : separator.end() + 3].lower() == "can"
    )
    heading = not sep and not spoken
    if word in _WEAK_NOUNS and spoken:
        return None
    label = label_before(text, noun.start())
    anchored = _is_anchored(text, noun)
    if word == "final" and sep not in (":", "="):
        return None
    if (
        _ABOUT.search(_own_label(label))
        or _INTERMEDIATE.search(label)
        or _INTERMEDIATE.search(after_label)
    ):
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
    if crowded and start < limit < end:
        span, end = text[start:limit], limit
    if _SAYS_UNKNOWN.match(span) and _follows_template(text, noun.start()):
        return None  # the second half of a list of the two permitted forms
    if _ECHO_CONDITION.match(span) or _joins_template(text, noun.start()):
        return None
    reading = read_span(span)
    if anchored and not spoken and word in ("", "answer", "ans"):
        rest = text[end:].strip()
        broken = not reading.direct and not rest and _BREAKS_OFF.search(span[-20:])
        if broken or heads_working(span, rest):
            return Commitment(
                noun.start(), start, Strength.LINE, "answer_line", Reading("text"), False, label
            )
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
    if reading.kind == "text" and (spoken or not anchored or word in _WEAK_NOUNS or quoted):
        return None
    strength = Strength.LINE if anchored and not spoken else Strength.STATED
    if word in _WEAK_NOUNS and word not in ("result", "final"):
        strength = Strength.STATED
    if not anchored and re.match(r"[:=]", sep) and noun[0][0] in "A" and not is_instruction(label):
        strength = Strength.LINE
    if (not anchored and is_hypothetical(label)) or ("would" in sep and is_hypothetical(span)):
        strength = Strength.HYPOTHETICAL
    elif anchored and (introduction := _hypothesis_before(text, noun.start())):
        strength = Strength.HYPOTHETICAL
        label = introduction + label
    if spoken and "?" in span[-2:]:
        return None
    final = bool(_FINAL_LABEL.search(label) or _FINAL_LABEL.search(after_label[:12]))
    if reading.direct and not spoken and (first := split_sentences(span)):
        end = min(end, start + first[0].end)
    other = _OTHER_TARGET.search(after_label) or (spoken and _aside(after_label))
    if ((_PART.search(label) or _PART.search(after_label)) and not final) or other:
        strength = min(strength, Strength.PART)
    if _is_mention(text, noun, text[start : start + 400], "" if anchored else label):
        strength = min(strength, Strength.PART)
    return Commitment(
        noun.start(),
        end,
        strength,
        "answer_line" if strength == Strength.LINE else "stated",
        reading,
        final,
        label,
    )


def _own_label(label: str) -> str:
    """The words before a marker without what is quoted before them."""
    head, quote, tail = label.rpartition('"')
    return tail if quote and head.count('"') % 2 else label


def heads_working(span: str, rest: str) -> bool:
    """Whether a marker is followed by working, whose conclusion is what it refers to.

    Args:
        span: What stands on the line of the marker, or on the first line under a heading.
        rest: The text after it.
    """
    if _WORKING_START.match(span) is None:
        return False
    only_reason = _ONLY_REASON.match(span) is not None and read_span(span).kind != "unknown"
    return bool(rest) or only_reason or len(split_sentences(span)) > 1


def _is_mention(text: str, noun: re.Match[str], span: str, label: str) -> bool:
    """Whether a marker and its value stand in quotation marks within a longer sentence."""
    if text[max(0, noun.start() - 1) : noun.start()] not in ('"', "\ue005", "'"):
        return False
    if _KEY_BEFORE.search(label):
        return False  # the value of a key
    quoted = _QUOTED_REST.match(span)
    around = label + (quoted["after"] if quoted else "")
    return quoted is not None and bool(re.search(r"[A-Za-z]{2}", around))


def _aside(qualifier: str) -> bool:
    """Whether "the answer to …" speaks of something else than the question."""
    return bool(qualifier.strip()) and not re.search(
        r"question|problem|puzzle|exercise|task|above|this|that|it\b|you|price|cost| at |dollar",
        qualifier,
        re.IGNORECASE,
    )


def label_before(text: str, start: int) -> str:
    """The words before a marker in its sentence and line."""
    window = text[max(0, start - 160) : start]
    line = window[window.rfind("\n") + 1 :]
    cut = 0
    for boundary in _SENTENCE_END.finditer(line):
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
    if not line.rpartition("nswer")[2].strip().count(" ") > 2 and label.rstrip(
        " \"'\ue005"
    ).endswith(":"):
        return bool(_STRICT_INSTRUCTION.search(label))
    return is_instruction(label) or is_hypothetical(line) or quotes_others(label)


def _follows_template(text: str, start: int) -> bool:
    """Whether the line before a marker shows a form to fill in: "Answer: <number> or"."""
    before = text[max(0, start - 90) : start]
    return "answer" in fold(before) and _TEMPLATE_LINE.search(before) is not None


def _joins_template(text: str, start: int) -> bool:
    """Whether a marker is the second half of "Answer: <number> or Answer: unknown"."""
    before = text[max(0, start - 60) : start]
    return holds_any(fold(before), _FORM_ENDS) and _JOINS_FORM.search(before) is not None


def _hypothesis_before(text: str, start: int) -> str:
    """The line before a marker if it reads "if …:" or quotes somebody, else nothing."""
    head = text[max(0, start - 400) : start].rstrip(" \t*#>-\"'\ue005")
    if not head.endswith("\n"):
        return ""
    previous = head.rstrip().rpartition("\n")[2]
    if not previous.endswith((":", ",")) or _COMPLIES.match(previous):
        return ""
    last = split_sentences(previous)
    supposes = bool(last) and (
        bool(
            re.match(
                r"\W*(?:if|suppose|assuming|supposing|hypothetically|for example|example|"
                r"under the assumption|were)\b",
                last[-1].text,
                re.IGNORECASE,
            )
        )
        or bool(
            re.search(
                r"\b(?:some|one) (?:might|may|would|could)|friend|student|textbook|format|"
                r"finish with|end with|in the form\b",
                last[-1].text,
                re.IGNORECASE,
            )
        )
    )
    return last[-1].text if supposes else ""


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
    closing_tag = text.find("</", start, end)
    end = closing_tag if closing_tag >= 0 else end
    end = min(end, start + MAX_SPAN, max(limit, start + 1) if spoken else len(text))
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
    named = marker is not None and (marker["noun"] or "").lower() not in ("price", "cost", "total")
    if named and marker and _SEPARATOR.match(line, marker.end()) and marker.start() < 20:
        return None
    listed = _LISTED.match(line)
    reading = read_span(line[listed.end() :] if listed else line)
    if reading.kind == "template" or re.match(r"\W*\d{1,2}[.)]\s+[A-Za-z]", line):
        return None
    rest = text[line_end:].strip()
    if reading.commits and EXPLAINED.match(rest) and not heads_working(line, ""):
        return Commitment(
            noun.start(), line_end, Strength.LINE, "answer_line", reading, final, label
        )
    word = (noun["noun"] or "answer").lower()
    if word not in ("answer", "answers", "ans") and not (reading.direct and len(line.split()) <= 4):
        return None
    adds_up = _SUM_LINE.match(line) is not None and _SUM_LINE.match(rest) is not None
    summed = adds_up or (reading.kind == "expression" and _EQUATION.match(rest) is not None)
    if summed or heads_working(line, rest):
        return Commitment(
            noun.start(), end, Strength.LINE, "answer_line", Reading("text"), final, label
        )
    if not reading.commits and _concludes_later(rest):
        return None
    if (reading.direct and len(line) <= 300) or (
        reading.commits and (not rest or (len(split_sentences(line)) == 1 and has_cue(line)))
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


def is_intermediate_label(label: str) -> bool:
    """Whether the words before a value mark it as intermediate, rejected or somebody else's."""
    return bool(_INTERMEDIATE.search(label))
