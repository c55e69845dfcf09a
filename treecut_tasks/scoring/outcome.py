"""Decide what a careful reader would say that a response finally commits to."""

from __future__ import annotations

from itertools import pairwise

import re2

from treecut_tasks.scoring.judgement import Judgement, Quote, Tier
from treecut_tasks.scoring.lexicon import compiled, one_of, words
from treecut_tasks.scoring.markers import Marker, find_markers
from treecut_tasks.scoring.plain import CLOSE, OPEN, plain_text
from treecut_tasks.scoring.question import Question, read_question
from treecut_tasks.scoring.spans import Reading
from treecut_tasks.scoring.statements import conclude
from treecut_tasks.scoring.text import Text, as_text, plain_characters
from treecut_tasks.scoring.visible import visible_text

REASONS: dict[str, str] = {
    "answer_line": "the answer line that the prompt asks for",
    "heading": "an answer heading, or an answer line in other words",
    "boxed": "a box",
    "hash_line": "a line that starts with ####",
    "tag": "an answer tag",
    "json_key": "the answer key of JSON or of a dictionary",
    "stated": "a spoken marker, such as `the answer is`",
    "sentence": "the concluding statement",
    "asks": "it needs or asks for what is missing",
    "empty": "no text",
    "thinking_only": "nothing is visible beside closed thinking",
    "truncated_thinking": "thinking that never ends, and nothing visible before it",
    "refused": "a refusal or an error message",
    "truncated": "the text stops before it commits",
    "empty_answer": "an answer marker or a box with nothing in it",
    "expression": "only an expression or an equation",
    "range": "only a range, a bound or alternatives",
    "unreadable": "a number beyond all bounds",
    "conflicting_answers": "different final answers, none of them retracted",
    "no_commitment": "complete text that commits to nothing",
}
"""Every `Judgement.reason` and its meaning; the first nine go with a commitment."""

TURN = compiled(r"(?m)^[^\w\n]*(?:\w+ )?" + one_of("turn") + r" ?\d{0,3}\W{0,4}:")
SAYS_SOMETHING = re2.compile(r"[\pL\pN?\x{221e}]")
REFUSAL = compiled(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i can(?:'t|not)|i won't|cannot)\b[^.\n]{0,40}"
    + one_of("helper")
    + "|"
    + one_of("error")
)
RETRACTION = compiled(r"(?m)(?:^|[.!?] )[^\w\n]{0,6}" + one_of("retraction"))


def classify_outcome(
    response: str | None, *, problem: str | None = None, truncated: bool = False
) -> Judgement:
    """Say what a response finally commits to, as a careful human reader would.

    Args:
        response: the model's text as it came; None if the model returned nothing.
        problem: the problem's text, which tells what is asked for; None where it is not at hand.
        truncated: whether the framework knows that a token limit stopped the response. A marked
            commitment still counts; an unmarked last sentence does not.

    Returns:
        The verdict with its value, tier, reason and quote.
    """
    text = as_text(response or "")
    if response is None or not SAYS_SOMETHING.search(text.chars):
        return Judgement("none", reason="empty")
    visible = visible_text(text)
    if not SAYS_SOMETHING.search(visible.text.chars):
        return Judgement(
            "none", reason="truncated_thinking" if visible.open_thinking else "thinking_only"
        )
    plain = plain_text(plain_characters(visible.text))
    question = read_question(problem)
    turns = _turns(plain)
    judged = Judgement("none", reason="empty")
    for index, turn in enumerate(turns):
        last = index == len(turns) - 1
        judged = _judge(turn, response, question, cut=last and (truncated or visible.open_thinking))
        said = " ".join(lower(turn.chars).split())
        if last or judged.verdict != "none" or (len(said) > 60 and said[:60] not in question.text):
            break
    return judged


def _turns(plain: Text) -> list[Text]:
    """Cut where the model poses another problem."""
    starts = [
        m.start() for m in TURN.finditer(lower(plain.chars)) if plain.chars[: m.start()].strip()
    ]
    bounds = [0, *starts, len(plain.chars)]
    return [plain.cut(a, b) for a, b in pairwise(bounds) if plain.chars[a:b].strip()]


def lower(chars: str) -> str:
    """Lower case of the same length."""
    lowered = chars.lower()
    return lowered if len(lowered) == len(chars) else "".join(c.lower()[0] for c in chars)


def _judge(turn: Text, response: str, question: Question, *, cut: bool) -> Judgement:
    """Judge one turn: decisive markers, spoken ones, then the conclusion."""
    chars = lower(turn.chars)

    def judgement(reading: Reading, tier: Tier, reason: str, start: int, end: int) -> Judgement:
        quote = _quote(turn, response, start, end)
        if reading.kind == "number":
            return Judgement("number", reading.value, tier, reason, quote)
        if reading.kind == "unknown":
            return Judgement("unknown", None, tier, "asks" if reading.weak else reason, quote)
        reason = {"empty": "empty_answer", "text": "no_commitment"}.get(reading.kind, reading.kind)
        return Judgement("none", reason=reason, quote=quote)

    def marked(marker: Marker) -> Judgement:
        tier: Tier = "contract" if marker.kind == "answer_line" else "marked"
        return judgement(marker.reading, tier, marker.kind, marker.start, marker.span[1])

    def concluded(start: int = 0) -> Judgement | None:
        found = conclude(chars[start:], question, cut=cut)
        if found is None:
            return None
        reading, at, end = found
        return judgement(reading, "stated", "sentence", start + at, start + end)

    markers = find_markers(chars, question)
    telling = [m for m in markers if m.reading.kind not in ("text", "empty")]
    decisive = [m for m in telling if m.decisive]
    if decisive:
        last = decisive[-1]
        if _conflict(decisive, chars):
            quote = _quote(turn, response, last.start, last.span[1])
            return Judgement("none", reason="conflicting_answers", quote=quote)
        tail = chars[last.span[1] :]
        retracted = concluded(last.span[1]) if RETRACTION.search(tail[:3000]) else None
        if retracted and retracted.verdict == "number" and retracted.value != last.reading.value:
            return retracted
        headed = None if last.reading.direct or not tail.strip() else concluded(last.start)
        return headed if headed and headed.verdict != "none" else marked(last)
    spoken = telling[-1] if telling else None
    if spoken is not None and spoken.reading.commits:
        return marked(spoken)
    if len(chars) < 600 and REFUSAL.search(chars) and not words("thing").search(chars):
        return Judgement("none", reason="refused")
    found = concluded()
    if found is not None:
        return found
    if markers and markers[-1].reading.kind == "empty":
        return marked(markers[-1])
    return Judgement("none", reason="truncated" if cut else "no_commitment")


def _conflict(decisive: list[Marker], chars: str) -> bool:
    """Whether the last two answers stand side by side and differ."""
    if len(decisive) < 2:
        return False
    before, last = decisive[-2:]
    between = chars[before.span[1] : max(before.span[1], last.start)]
    both = before.reading.commits and last.reading.commits
    lines = before.kind == last.kind == "answer_line"
    differ = before.reading[:2] != last.reading[:2]
    return both and lines and differ and not any(char.isalnum() for char in between)


def _quote(turn: Text, response: str, start: int, end: int) -> Quote:
    """The words of the response from which a part of the plain text came."""
    while start < end and not turn.chars[start].strip("\"' \n*_#>:,.!" + OPEN):
        start += 1
    while end > start + 1 and not turn.chars[end - 1].strip(" \n*_" + CLOSE):
        end -= 1
    first = turn.places[start]
    last = max(turn.places[end - 1] + 1, first)
    return Quote(response[first:last], first, last)
