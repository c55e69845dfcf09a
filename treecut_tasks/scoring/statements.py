"""The concluding statement of a complete text without a marker."""

from __future__ import annotations

from typing import NamedTuple

from treecut_tasks.scoring.lexicon import compiled, one_of, words
from treecut_tasks.scoring.numbers import find_numbers
from treecut_tasks.scoring.question import Question, content_words
from treecut_tasks.scoring.sentences import Sentence, split_sentences
from treecut_tasks.scoring.spans import EDGE, Reading, read_about_asked, read_span, read_statement

LAST, TAIL = 60, 20_000
"""So many last sentences and characters can hold a conclusion."""

CUE = compiled(r"^[^\w]*(?:and |but |" + one_of("retraction") + r",? )?" + one_of("cue"))
HYPOTHETICAL = words("hypothetical")
NUMERIC = ("number", "expression", "range")
POLITE, CHECK, WOULD, CONDITION = map(words, ("polite", "check", "would", "condition"))
WORKING = words("working")
CONTRAST = compiled(r"[,;] (?:but|however|yet|though|although)\b|^(?:but|however),? ")


class Event(NamedTuple):
    """A sentence that says something about the answer.

    Attributes:
        sentence: the sentence.
        reading: what it says.
        firm: whether it opens with a cue such as "therefore".
        supposed: whether it only illustrates or checks, or stands under an assumption.
    """

    sentence: Sentence
    reading: Reading
    firm: bool
    supposed: bool


def conclude(chars: str, question: Question, *, cut: bool) -> tuple[Reading, int, int] | None:
    """Find what a text concludes, with its place; None if it stops before it concludes.

    Args:
        chars: folded plain text.
        question: what is asked for.
        cut: whether the text is known to be cut off.
    """
    skipped = max(0, len(chars) - TAIL)
    sentences = [s for s in split_sentences(chars[skipped:])[-LAST:] if s.chars.strip(EDGE)]
    while sentences and len(sentences) > 1 and _is_remark(sentences[-1]):
        sentences.pop()
    if cut or not sentences:
        return None
    last = sentences[-1]
    bare = read_span(last.chars, question)
    alone = len(sentences) == 1 or (len(last.chars) < 60 and last.line != sentences[0].line)
    if bare.commits and bare.direct and alone:
        return bare, skipped + last.start, skipped + last.end
    if _is_unfinished(last):
        return None
    chosen = _choose(_events(sentences, question))
    if chosen is None:
        return None
    return chosen.reading, skipped + chosen.sentence.start, skipped + chosen.sentence.end


def _is_remark(sentence: Sentence) -> bool:
    polite = POLITE.search(sentence.chars)
    return bool(polite) and read_statement(sentence.chars, Question()).kind != "unknown"


def _is_unfinished(sentence: Sentence) -> bool:
    chars = sentence.chars.rstrip("\"')]\u27e7 ")
    open_end = not sentence.ended and not chars[-1:].isdigit()
    return open_end and read_statement(chars, Question()).kind == "text"


def _events(sentences: list[Sentence], question: Question) -> list[Event]:
    """What each sentence says; what illustrates or checks is marked as supposed."""
    events: list[Event] = []
    lead = scope = False
    for sentence in sentences:
        chars = sentence.chars
        firm = bool(CUE.match(chars)) or lead
        lead = firm and chars.endswith((":", "is", "\u21d2"))
        reading = read_about_asked(chars, question)
        supposed = _is_supposed(chars)
        scope = not firm and (scope or supposed or bool(CHECK.search(chars)))
        if reading.kind == "unknown":
            events.append(_turned(sentence, reading, firm, question))
        elif reading.kind in NUMERIC and not (
            chars.endswith("?") or _is_premise(chars, firm, question)
        ):
            events.append(Event(sentence, reading, firm, supposed or scope))
    return events


def _is_premise(chars: str, firm: bool, question: Question) -> bool:
    """Whether a sentence only repeats numbers of the problem, or says what to do with them."""
    if firm or question.item or "=" in chars:
        return False
    repeated = all(number.value in question.numbers for number in find_numbers(chars))
    shared = len(content_words(chars) & question.words)
    return bool(WORKING.search(chars)) or (repeated and 2 * shared < len(question.words))


def _turned(sentence: Sentence, reading: Reading, firm: bool, question: Question) -> Event:
    """An abstention, unless the sentence turns to a number: "... alone does not, but ..."."""
    turn = CONTRAST.search(sentence.chars)
    if turn and not reading.weak:
        rest = sentence.chars[turn.end() :]
        later = read_statement(rest, question)
        if later.kind == "number" and not _is_supposed(rest):
            return Event(sentence, later, True, False)
    return Event(sentence, reading, firm, False)


def _is_supposed(chars: str) -> bool:
    """Whether a sentence only illustrates: "for example ...", "if it were 8, it would be 12"."""
    return bool(HYPOTHETICAL.search(chars) or (CONDITION.search(chars) and WOULD.search(chars)))


def _choose(events: list[Event]) -> Event | None:
    """The last statement, or an abstention, unless the text ends in a firm conclusion after it."""
    values = [e for e in events if e.reading.kind in NUMERIC]
    strong = [e for e in events if e.reading.kind == "unknown" and not e.reading.weak]
    weak = [e for e in events if e.reading.weak]
    real = [e for e in values if not e.supposed]
    chosen = real[-1] if real else None
    unknown = strong[-1] if strong else weak[-1] if weak else None
    if unknown is None:
        return chosen or (values[-1] if values and len(values) == len(events) else None)
    return chosen if chosen and chosen.firm and chosen is events[-1] else unknown
