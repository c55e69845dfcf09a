"""Step 7: choose between the commitments of one turn."""

from __future__ import annotations

import re
from fractions import Fraction

from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.numerals import canonical
from treecut_tasks.scoring.plain import BOX_CLOSE
from treecut_tasks.scoring.retractions import reopens, replaces
from treecut_tasks.scoring.values import Reading, same_value

_VARIATION = re.compile(
    r"^[^\w\n]{0,8}(?:now,? )?(?:suppose|what if|imagine|let's (?:say|suppose|assume)|"
    r"for (?:practice|fun)|variation|variant|as a variation)\b",
    re.IGNORECASE | re.MULTILINE,
)

_SEVERAL_ITEMS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|both|[2-9])\s(?!dollars?\b|usd\b)"
    r"(?:[A-Za-z'-]+\s){0,3}?[A-Za-z'-]*s\b|\bfor (?:two|three|four|both|[2-9])\b"
    r"|\bfor the [a-z]+s\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"^\W*step\s?\d", re.IGNORECASE)
_SPEAKS_OF_IT = re.compile(
    r"\s*\W{0,3}(?:(?:this|that|it|which) (?:is|was|gives|would be)|for|is|price of)\b",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(r"[.!?;]\s|,\s(?=(?:so|hence|thus|therefore|and|ie|then)\b)")
_FOR_PREVIOUS = re.compile(r"\s?(?:dollars )?for [^,;.\n]{1,40}[,;.]")
_NEXT_LABEL = re.compile(r"\n\s*\n")


def relevant(text: str, commitments: list[Commitment]) -> list[Commitment]:
    """Leave out answers to an invented variation, and a last repeat that was cut off.

    Args:
        text: The turn that the commitments come from.
        commitments: Its commitments in order.
    """
    return _before_variation(text, _without_cut_repeat(text, commitments))


def _before_variation(text: str, commitments: list[Commitment]) -> list[Commitment]:
    """Leave out answers to a variation of the problem that is posed after the answer."""
    first = next((c for c in commitments if c.reading.commits and c.strength >= Strength.BOX), None)
    variation = _VARIATION.search(text, first.end) if first is not None else None
    if variation is None:
        return commitments
    return [c for c in commitments if c.start < variation.start()]


def _without_cut_repeat(text: str, commitments: list[Commitment]) -> list[Commitment]:
    """Leave out a last repeat that the end of the text cuts off: "Answer: 11", "Answer: 1"."""
    if len(commitments) < 2 or text[commitments[-1].end :].strip():
        return commitments
    last, previous = commitments[-1], commitments[-2]
    span = text[last.start : last.end]
    earlier = text[previous.start : previous.end]
    if len(span) < len(earlier) and earlier.startswith(span):
        return commitments[:-1]
    return commitments


def choose(text: str, commitments: list[Commitment]) -> Commitment | str:
    """Apply retractions, then strength, then agreement.

    Args:
        text: The turn that the commitments come from.
        commitments: Its marked commitments in order, at least one.

    Returns:
        The commitment that stands, or why there is none: a reason of `Outcome`, `dangling` (the
        text ends at a marker) or `unread` (a marker heads text that states nothing by itself).
    """
    standing = _after_retractions(text, commitments)
    top = max(c.strength for c in standing)
    ranked = [c for c in standing if c.strength == top]
    last_top = ranked[-1]
    ranked += [
        c
        for c in standing
        if c.strength == Strength.STATED and c.start > last_top.end and top == Strength.LINE
    ]
    committed = [c for c in ranked if c.reading.commits]
    if not committed:
        weaker = [c for c in standing if c.reading.commits and c.strength >= Strength.STATED]
        last = ranked[-1]
        if last.reading.kind == "text":
            return weaker[-1] if weaker else "unread"
        if last.reason == "dangling":
            return weaker[-1] if weaker else "dangling"
        if last.reading.kind in ("expression", "range", "unreadable"):
            return last.reading.kind
        return "empty_answer" if last.reading.kind == "empty" else "no_commitment"
    if all(agree(c.reading, committed[-1].reading) for c in committed):
        exact = [c for c in committed if c.reading.kind == committed[-1].reading.kind]
        return max(exact, key=lambda c: (_exactness(c.reading), c.start))
    single = _without_intermediates(text, committed)
    if single is not None:
        return single
    finals = [c for c in committed if c.final]
    if (
        finals
        and finals[-1] is committed[-1]
        and not any(c.final and not agree(c.reading, finals[-1].reading) for c in committed)
    ):
        return finals[-1]
    return "conflicting_answers"


def _without_intermediates(text: str, committed: list[Commitment]) -> Commitment | None:
    """The last answer, if every different one before it is labelled as an intermediate result."""
    last = committed[-1]
    bounds = [c.start for c in committed[1:]]
    if _prices_several(text, last, len(text)):
        return None
    steps = _STEP.search(_line_before(text, last)) is not None
    for commitment, limit in zip(committed[:-1], bounds, strict=True):
        if agree(commitment.reading, last.reading):
            continue
        step = steps and _STEP.search(_line_before(text, commitment))
        if not step and not _prices_several(text, commitment, limit):
            return None
    return last


def _prices_several(text: str, commitment: Commitment, limit: int) -> bool:
    """Whether the words around an answer say that it is the price of several items."""
    own = text[commitment.start : commitment.end]
    behind = text[commitment.end : min(limit, commitment.end + 120)]
    paragraph = _NEXT_LABEL.split(behind.lstrip("\n"), maxsplit=1)[0]
    about = paragraph if _SPEAKS_OF_IT.match(behind) else behind.partition("\n")[0]
    about = _NEXT_SENTENCE.split(about, maxsplit=1)[0]
    before = _line_before(text, commitment)
    return any(_SEVERAL_ITEMS.search(part) for part in (before, own, about))


def _line_before(text: str, commitment: Commitment) -> str:
    line = text[max(0, commitment.start - 160) : commitment.start].rpartition("\n")[2]
    line = line.rpartition(BOX_CLOSE)[2]
    line = line[found.end() :] if (found := _FOR_PREVIOUS.match(line)) else line
    return _NEXT_SENTENCE.split(line)[-1]


def agree(left: Reading, right: Reading) -> bool:
    """Whether two readings are one answer: the same, or an exact value and its rounding."""
    if left.kind != right.kind:
        return False
    if left.value is None or right.value is None or same_value(left.value, right.value):
        return True
    return _rounds_to(left.value, right.value) or _rounds_to(right.value, left.value)


def _rounds_to(exact: Fraction, rounded: Fraction) -> bool:
    """Whether a decimal rounds a value that no short decimal equals: 43/3 and 14.33."""
    _, _, decimals = canonical(rounded).partition(".")
    is_ratio = "/" in canonical(exact) and "/" not in canonical(rounded)
    return is_ratio and bool(decimals) and abs(exact - rounded) * 10 ** len(decimals) <= 1


def _exactness(reading: Reading) -> int:
    return 1 if reading.value is not None and "/" in canonical(reading.value) else 0


def _after_retractions(text: str, commitments: list[Commitment]) -> list[Commitment]:
    """Drop what a later commitment explicitly replaces."""
    standing: list[Commitment] = []
    for commitment in commitments:
        if standing and commitment.reading.commits:
            previous = standing[-1]
            # An answer line may take itself back: "Answer: 6 - no, that is for one lasagna."
            behind = previous.start if previous.reason == "answer_line" else previous.end
            between = text[behind : commitment.start][-6000:] + commitment.label
            differs = not agree(previous.reading, commitment.reading)
            line = text[commitment.start :].partition("\n")[0][:400]
            reopened = reopens(between) or replaces(line)
            if differs and reopened and commitment.strength >= Strength.STATED:
                standing = []
        standing.append(commitment)
    return standing
