"""Step 6: what a response without a marked answer concludes.

A concluding sentence ("Therefore, a fruit tart costs 11 dollars.") or a bare value counts if no
answer line, box or other marker does. Premises, intermediate prices and unfinished text do not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from treecut_tasks.scoring.folding import folded
from treecut_tasks.scoring.items import name_another_item, priced_items
from treecut_tasks.scoring.matching import Guarded, holds_any
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.retractions import reopens
from treecut_tasks.scoring.sentences import (
    MAX_TAIL,
    Sentence,
    has_cue,
    is_hypothetical,
    is_remark,
    opens_with_cue,
    quotes_others,
    split_sentences,
)
from treecut_tasks.scoring.values import Reading, read_span

_MAX_BACK = 60
"""Sentences that are looked back over; a loop of remarks is not followed any further."""

_MAX_PASSED = 6
"""Sentences that may follow a concluding sentence without being a check, an offer or a note."""

_MARKER = re.compile(r"answer[\"'\ue005]?\s?[:=]", re.IGNORECASE)
_STATES = re.compile(
    r"\b(?:costs?|price|priced|answer|equals|is|are|makes|each|gives|charges|dollars|get|"
    r"worth)\b|[=\u662f\u4e3a\u4ef7]",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"^[\W_]*(?:(?:so|thus|hence|then|therefore|next|now|and|but|first|actually)\W+)*(?:the (?:price|"
    r"cost|total)\w* (?:price |cost )?(?:of|for) )?"
    r"(?:[2-9]|\d{2,3}|two|three|four|both)\s(?!dollars?\b)[A-Za-z]",
    re.IGNORECASE,
)
_TOGETHER = Guarded(
    re.compile(
        r"\b(?:this|which|that) means (?:that )?(?:two|three|four|both|[2-9])\s(?:[A-Za-z]+\s){0,4}?cost\b",
        re.IGNORECASE,
    ),
    ("means",),
)
_REASONED = re.compile(
    r"\b(?:without|because|since|so|due to|depends|therefore|hence|thus)\b", re.IGNORECASE
)
_SINGLE = re.compile(r"\b(?:one|each|per|single|half|an?|1|divid\w+)\s", re.IGNORECASE)
_FINISHED = re.compile(
    r"(?:\d|dollars?|usd|euros?|each|apiece|unknown|\b(?:one|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|"
    r"twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty)|"
    r"[%\u5143\u20ac\u2713\u2705\u2714])\W*$",
    re.IGNORECASE,
)
_LEADING_CUE = re.compile(
    r"^\W*(?:therefore|thus|hence|so|consequently|finally),?\s", re.IGNORECASE
)
_STRONG_CUE = re.compile(
    r"^\W*(?:therefore|thus|hence|consequently|in conclusion|to conclude|finally|in summary|"
    r"we conclude|overall|accordingly)\b",
    re.IGNORECASE,
)
_TAKES_UP = re.compile(
    r"^\W*(?:(?:now|next|then|so|but|and|wait|hmm+|okay|ok|first)\W+){0,3}(?:let's|let us|let me|"
    r"we (?:now |next |still )?(?:need|have) to|we now|i(?:'ll| will| need to))\b",
    re.IGNORECASE,
)
_MOVES_ON = re.compile(r"^\W*(?:next|now|then),? we\b", re.IGNORECASE)
_WONDERS = re.compile(
    r"^\W*(?:(?:wait|hmm+|so|well|and|but|ok|okay)\W+){0,2}(?:maybe|perhaps|possibly|could it be|"
    r"is it|or|what if)\b",
    re.IGNORECASE,
)
_PAST_STATE = Guarded(
    re.compile(r"\b(?:was|were) (?:unknown|not known)\b", re.IGNORECASE), ("was ", "were ")
)
_RECALLS = re.compile(
    r"^\W*(?:(?:here|note that),? )?(?:we (?:know|used|are told|are given)|i used|given|only|"
    r"for (?:comparison|reference)|as (?:stated|given)|"
    r"[^.]{0,80}\b(?:was|were|is) (?:given|stated|listed))\b",
    re.IGNORECASE,
)
_STEP_LABEL = re.compile(
    r"^\W*(?:step|equation)\s?\(?(?P<number>\d{1,2})\)?\s?[:.)\u2014\u2013-]\s?", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Za-z]{2}")
_GOES_ON = re.compile(r"\b(?:but|however|let me|unless|yet)\b", re.IGNORECASE)
_UNFINISHED = re.compile(r"[-+*/=\u00d7\u00f7(,:;<>\u2248\u2192]$")
_OPEN_END = re.compile(
    r"\b(?:so|and|because|since|but|then|the|of|is|that|which|an?|to|if|or|with|from|by|as|for|"
    r"in|at|we|be)$",
    re.IGNORECASE,
)
_ONLY_REASON = re.compile(r"\W*(?:since|because)\b[^,:;=]*[^.!?,:;=]$", re.IGNORECASE)
_SETUP = re.compile(
    r"\b(?:equations?|conditions?|given|translat\w+|variables?|system|facts|information|define|"
    r"let|premises)\b[^\n]{0,80}:$",
    re.IGNORECASE,
)
_DASHED = re.compile(
    r"\W{0,4}[\w./]{1,20}(?: dollars)?\W{0,3}\s(?:[\u2014\u2013-]|because|since|as)\s",
    re.IGNORECASE,
)
EXPLAINED = re.compile(
    r"\W*(?:explanation|how (?:i|we)|here's|here is|reasoning|because|this is because|to see|why|"
    r"justification|working|"
    r"since|details|steps|solution|the reason|reason|derivation|proof)\b",
    re.IGNORECASE,
)
_ITEM_AND_PLACE = r"(?!price|cost)[a-zA-Z][a-zA-Z '-]{2,50}? at [A-Z][\w']*(?: [A-Z][\w']*){0,3}"
_ASKED = Guarded(
    re.compile(
        r"(?:\b(?:find|determine|calculate|compute|figure out|work out|asked|asks|want|need|"
        r"looking for|solve for|question)\b[^.\n]{0,60}?\b|how much (?:does|is|would)\s)"
        rf"(?:an?|one|the|each|single)\s(?P<item>{_ITEM_AND_PLACE})"
    ),
    (
        *("find", "determine", "calculate", "compute", "figure out", "work out", "ask", "want"),
        *("need", "looking for", "solve for", "question", "how much "),
    ),
)
_NAMED = re.compile(rf"\b(?:[Aa]n?|[Oo]ne|[Tt]he|[Ee]ach|1|single)\s(?P<item>{_ITEM_AND_PLACE})")


def closing_statement(text: str, *, truncated: bool = False) -> Commitment | None:
    """Find what an unmarked text concludes.

    Looks back from the end over checks, offers and notes to the last sentence that states a
    price or an abstention; then at a bare value that opens the text.

    Args:
        text: Plain text without an explicit commitment.
        truncated: Whether the text is known to be cut off.
    """
    offset = max(0, len(text) - MAX_TAIL)
    sentences = _without_list_number(split_sentences(text[offset:], offset))
    if holds_any(folded(text), ("step", "equation")):
        sentences = [_without_step(s) for s in sentences]
    sentences = _without_cut_copy(sentences)
    if not sentences:
        return None
    if _TAKES_UP.match(sentences[-1].text) and not is_remark(sentences[-1].text):
        return None
    if _MOVES_ON.match(sentences[-1].text) and not read_span(sentences[-1].text).commits:
        return None
    remarked = is_remark(sentences[-1].text)  # then what was remarked upon is complete
    complete = remarked or (_is_complete(sentences[-1]) and not truncated)
    passed = 0
    for sentence in reversed(sentences[-_MAX_BACK:]):
        if is_remark(sentence.text) or _only_wonders(sentences, sentence):
            continue
        last = passed == 0
        if last and complete and has_cue(sentence.text) and _states_less(sentence.text):
            return None
        found = _conclusion(sentence, text) if complete or not last else None
        if (
            found is not None
            and found.strength == Strength.BARE
            and _lists_premises(sentences, sentence)
        ):
            found = None
        if found is not None:
            announced = opens_with_cue(sentence.text)
            if not announced and (opening := _opening_value(text)) is not None:
                return opening
            stands = last or announced or found.reading.kind == "unknown"
            if stands or _restates_result(sentences, sentence, found):
                return found if announced else _concluded_before(text, sentences, found) or found
        if not complete:
            break
        passed += not _is_supposition(sentence.text)
        if passed > _MAX_PASSED:
            break
    return _opening_value(text)


def _without_step(sentence: Sentence) -> Sentence:
    """Leave out the number of a step, which is no value."""
    label = _STEP_LABEL.match(sentence.text)
    if label is None or label.end() >= len(sentence.text.rstrip()):
        return sentence
    if label["number"] == "1" and not _WORDS.search(sentence.text, label.end()):
        return sentence
    return Sentence(sentence.text[label.end() :], sentence.start + label.end(), sentence.end)


def _without_cut_copy(sentences: list[Sentence]) -> list[Sentence]:
    """Leave out a last sentence that is the start of a copy of an earlier one."""
    if len(sentences) < 2:
        return sentences
    last = sentences[-1].text.strip()
    whole = [s.text.strip() for s in sentences[-8:-1]]
    looped = any(w != last and w.startswith(last) and whole.count(w) > 1 for w in whole)
    return sentences[:-1] if looped else sentences


def _concluded_before(text: str, sentences: list[Sentence], found: Commitment) -> Commitment | None:
    """The conclusion that precedes a remark about another item, if the last statement is one."""
    remark = text[found.start : found.end]
    if not priced_items(remark):
        return None
    earlier = [s for s in sentences if s.end <= found.start]
    for sentence in reversed(earlier[-_MAX_PASSED:]):
        prior = _conclusion(sentence, None)
        if prior is None:
            continue
        announced = (
            opens_with_cue(sentence.text)
            or _restates_result(earlier, sentence, prior)
            or _RECALLS.match(remark) is not None
            or (prior.reading.kind == "unknown" and _REASONED.search(sentence.text) is not None)
        )
        if not announced or reopens(text[sentence.end : found.start]):
            continue
        if prior.reading == found.reading:
            return None
        other = name_another_item(remark, sentence.text)
        if found.reading.kind == "unknown":
            strong = _STRONG_CUE.match(sentence.text) is not None
            aside = other and strong and not _REASONED.search(remark)
            return prior if aside and prior.reading.kind == "number" else None
        if prior.reading.kind == "unknown":
            return prior if other else None
        recalled = _RECALLS.match(remark) or _is_premise(earlier, sentence, found)
        return prior if other and recalled else None
    return None


def _restates_result(earlier: list[Sentence], sentence: Sentence, prior: Commitment) -> bool:
    """Whether a sentence gives the value that the working before it announced."""
    before = [s for s in earlier if s.end <= sentence.start][-_MAX_PASSED:]
    return any(has_cue(s.text) and agrees(read_span(s.text), prior.reading) for s in before)


def agrees(left: Reading, right: Reading) -> bool:
    """Whether two readings state the same."""
    return (left.kind, left.value) == (right.kind, right.value)


def _is_premise(earlier: list[Sentence], sentence: Sentence, found: Commitment) -> bool:
    """Whether a later price was already used before the conclusion."""
    value = found.reading.value
    if value is None or value.denominator != 1:
        return False
    used = re.compile(rf"(?<![\d.]){value.numerator}(?![\d.]*\d)")
    return any(used.search(s.text) for s in earlier if s.end <= sentence.start)


def _only_wonders(sentences: list[Sentence], sentence: Sentence) -> bool:
    """Whether a sentence is a "maybe" that something follows, or one of several."""
    if _WONDERS.match(sentence.text) is None:
        return False
    others = sum(_WONDERS.match(s.text) is not None for s in sentences[-8:])
    return others > 1 or sentence.end != sentences[-1].end


def _lists_premises(sentences: list[Sentence], sentence: Sentence) -> bool:
    """Whether a bare equation is one of a list of equations that is only being set up."""
    if "=" not in sentence.text:
        return False
    heads = [s.text.rstrip() for s in sentences if s.start < sentence.start]
    for head in reversed(heads):
        if head.endswith(":") or has_cue(head):
            return bool(_SETUP.search(head))
    return False


def _states_less(text: str) -> bool:
    """Whether a sentence concludes with an expression or a range."""
    head, _, tail = text.partition(",")
    return read_span(tail if tail and len(head.split()) <= 3 else text).kind in (
        "expression",
        "range",
    ) or (read_span(_LEADING_CUE.sub("", text)).kind in ("expression", "range"))


def _is_supposition(text: str) -> bool:
    return is_hypothetical(text) and not has_cue(text)


def _conclusion(sentence: Sentence, whole: str | None) -> Commitment | None:
    """Read one sentence as a conclusion; about the item that the whole text asks for, if given."""
    text = sentence.text
    if _MARKER.search(text):
        return None  # a marker that was looked at and left out: an echo of the instructions
    reading = read_span(text)
    if not reading.commits or text.rstrip().endswith("?"):
        return None
    if reading.kind == "unknown" and _PAST_STATE.search(text):
        return None
    if reading.kind == "number":
        if quotes_others(text) or _is_supposition(text):
            return None
        if _is_intermediate(text, whole):
            return None
        if reading.direct and _is_short(text):
            return Commitment(sentence.start, sentence.end, Strength.BARE, "bare_value", reading)
        if not (_STATES.search(text) or has_cue(text)):
            return None
    return Commitment(sentence.start, sentence.end, Strength.SENTENCE, "sentence", reading)


def _is_intermediate(text: str, whole: str | None) -> bool:
    """Whether a sentence prices several items together, or another item than the one asked for."""
    several = _SEVERAL.match(text)
    if several is not None and not _SINGLE.search(text, several.end()):
        return True
    together = _TOGETHER.search(text)
    if together is not None and not _SINGLE.search(text, together.end()):
        return True
    items = [_plain_item(m["item"]) for m in _NAMED.finditer(text)] if whole is not None else []
    asked = _asked_item(whole) if items and whole is not None else None
    return asked is not None and asked not in items


@lru_cache(maxsize=4)
def _asked_item(text: str) -> str | None:
    """The item whose price the response says it is looking for."""
    match = _ASKED.search(text[:4000])
    return _plain_item(match["item"]) if match else None


def _plain_item(item: str) -> str:
    return re.sub(r"\W+", " ", item).lower().strip().removesuffix(" s")


def _is_short(text: str) -> bool:
    """Whether a line holds a value and nothing else."""
    return len(text.split()) <= 5


def _is_complete(sentence: Sentence) -> bool:
    """Whether a last sentence looks finished."""
    raw = sentence.text.rstrip()
    text = raw.rstrip(" \ue005\"'*_)]}\ue001")
    if not text:
        return True
    if _UNFINISHED.search(text) or _OPEN_END.search(text):
        return False
    if _ONLY_REASON.match(text):
        return False
    if text.endswith((".", "!", "?", "\u3002", "\uff01", "\u2026")):
        return True
    reading = read_span(text)
    if reading.kind == "unknown":
        return not _GOES_ON.search(text)
    if _FINISHED.search(text):
        return reading.commits
    return raw.endswith(("\ue001", ")", "]", "}", "|"))


def _without_list_number(sentences: list[Sentence]) -> list[Sentence]:
    """Mark a last "3." that numbers a list item which never came as unfinished."""
    last = re.fullmatch(r"\W*(\d{1,2})[.)]?\W*", sentences[-1].text) if sentences else None
    if last is None:
        return sentences
    previous = re.compile(rf"\W*{int(last[1]) - 1}[.)]\s")
    if any(previous.match(f"{s.text} ") for s in sentences[:-1]):
        return [*sentences[:-1], Sentence("and,", sentences[-1].start, sentences[-1].end)]
    return sentences


@lru_cache(maxsize=4)
def _opening_value(text: str) -> Commitment | None:
    """A value on the first line, before an explanation."""
    first, _, later = text.strip().partition("\n")
    sentences = split_sentences(first[:300])
    if not sentences or _MARKER.search(sentences[0].text):
        return None
    head = sentences[0].text
    if head.rstrip().endswith("?"):
        return None
    if re.fullmatch(r"\W*\d{1,2}[.)]\W*", head) and len(sentences) > 1:
        return None  # the number of a list item
    reading: Reading = read_span(head)
    if not reading.commits:
        return None
    following = (sentences[1].text if len(sentences) > 1 else later).strip()
    alone = len(sentences) == 1 or reading.kind == "unknown" or len(head.split()) <= 3
    if reading.direct and alone and _is_short(head) and "=" not in head and not has_cue(head):
        return Commitment(0, len(head), Strength.BARE, "bare_value", reading)
    if EXPLAINED.match(following) or (reading.direct and _DASHED.match(head)):
        return Commitment(0, len(head), Strength.SENTENCE, "sentence", reading)
    return None


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
