"""Decide what a careful reader would say that a response finally commits to.

Most responses are settled at a glance (`glance`); the others are read in full.

The steps, each in a module of its own: plain characters (`characters`), visible text (`visible`),
markup off (`plain`), turns (`turns`), commitments (`commitments`; `values` reads their
spans), concluding sentences (`closing`), the choice between them (`choice`); here they are joined.
"""

from __future__ import annotations

import re
from dataclasses import replace

from treecut_tasks.scoring.characters import normalise_characters
from treecut_tasks.scoring.choice import agree, choose, relevant
from treecut_tasks.scoring.closing import closing_statement
from treecut_tasks.scoring.commitments import find_commitments, settling_line
from treecut_tasks.scoring.corrections import correction_after
from treecut_tasks.scoring.excerpt import excerpt
from treecut_tasks.scoring.folding import folded
from treecut_tasks.scoring.glance import answer_at_a_glance
from treecut_tasks.scoring.judgement import Judgement, Tier
from treecut_tasks.scoring.matching import Guarded
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.numerals import canonical
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.retractions import reopens, retracts
from treecut_tasks.scoring.sentences import opens_with_cue
from treecut_tasks.scoring.turns import split_turns
from treecut_tasks.scoring.values import Reading
from treecut_tasks.scoring.visible import visible_text

REASONS: dict[str, str] = {
    "answer_line": "an answer line or an answer heading",
    "boxed": "a box",
    "hash_line": "a line that starts with ####",
    "tag": "an answer tag",
    "json_key": "the answer key of JSON or of a dictionary",
    "table": "the answer column of a table",
    "call": "the argument of a call that submits the answer",
    "stated": "a sentence about the answer",
    "sentence": "a concluding sentence",
    "bare_value": "a value alone on its line",
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
"""Every `Judgement.reason` and its meaning; the first ten go with a commitment."""

_DECISIVE = {
    "conflicting_answers",
    "range",
    "expression",
    "unreadable",
    "empty_answer",
    "refused",
}
"""Reasons for which a later turn cannot make up."""

_SAYS_SOMETHING = re.compile(r"\w|\u221e|\?")
_CHECKED_SUM = re.compile(r"\W*\d[\d.]{0,12}\s?[*+\u00d7]\s?\d[\d.]{0,12}\s?=\s?\d")
_OBJECT_START = re.compile(r"\s{0,20}\{\s{0,20}[\"'][\w ]{1,40}[\"']\s{0,4}:")
_ASSUMED = re.compile(r"\bassum", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:'t|not)|won't|cannot|must decline)|"
    r"as an ai|content (?:filter|policy)|"
    r"(?:assist|help) with (?:that|this)|error|rate limit|timed? ?out|unavailable|overloaded|"
    r"exception|forbidden|blocked|filtered|refus\w+|decline)\b",
    re.IGNORECASE,
)
_NOT_MATHS = (
    Guarded(
        re.compile(
            r"\bi(?:'m| am)? ?(?:sorry|unable|not able|can(?:'t|not)|cannot|won't)[^.\n]{0,60}"
            r"(?:assist|help|comply|fulfil|discuss|engage|process|access|view|see|open|provide|"
            r"continue|respond|complete|do that|answer|solve)"
        ),
        ("sorry", "unable", "not able", "can't", "cannot", "won't"),
    ),
    Guarded(
        re.compile(
            r"\b(?:error|http|status)\W{0,3}(?:code\W{0,3})?[45]\d\d\b|"
            r"\b[45]\d\d\b[^\n]{0,40}\b(?:error|unavailable|too many|timeout|gateway|forbidden)\b|"
            r"\b[a-z.]{0,40}error: unknown\b|[\"']error[\"']\s?:"
        ),
        (
            *("error", "http", "status"),
            *("unavailable", "too many", "timeout", "gateway", "forbidden"),
        ),
    ),
    Guarded(
        re.compile(
            r"rate limit|content (?:filter|policy)|traceback|\bcannot determine your\b|"
            r"\bpayment required\b"
        ),
        (
            *("rate limit", "content filter", "content policy", "traceback"),
            *("cannot determine your", "payment required"),
        ),
    ),
    Guarded(
        re.compile(
            r"\b(?:unknown|invalid|unrecogni[sz]ed|unsupported|unexpected)\s(?:\w{1,12}\s)?(?:model|"
            r"host|parameter|command|option|field|argument|error|key|user|endpoint|flag|token|"
            r"method|route|request|function|tool|file|encoding|exception|url|engine|deployment)\b"
        ),
        ("unknown", "invalid", "unrecogni", "unsupported", "unexpected"),
    ),
    Guarded(
        re.compile(
            r"\b(?:insufficient|not enough|out of)\s(?:\w{1,12}\s)?(?:credits?|quota|permissions?|"
            r"funds|balance|memory|tokens|resources|privileges|disk|capacity|storage|space|vram)\b"
        ),
        ("insufficient", "not enough", "out of"),
    ),
)
"""For folded text, in which the engine finds them twice as fast."""


def classify_outcome(
    response: str | None, *, problem: str | None = None, truncated: bool = False
) -> Judgement:
    """Say what a response finally commits to, as a careful human reader would.

    Args:
        response: The model's text as it came; None if the model returned nothing.
        problem: The problem's text, which tells what was asked for; None where it is not at hand.
        truncated: Whether the framework knows that a token limit stopped the response. A complete
            commitment still counts; an unmarked last sentence then has to be followed by nothing
            that goes on.

    Returns:
        The outcome, its value and the reason.
    """
    if response is None or not response.strip():
        return _none("empty")
    seen = answer_at_a_glance(response)
    return read_in_full(response, truncated) if seen is None else _outcome(seen, "answer_line")


def read_in_full(response: str, truncated: bool = False) -> Judgement:
    """The same for a response that is not blank, without the shortcut for usual ones.

    Args:
        response: the model's text as it came.
        truncated: whether the framework knows that a token limit stopped the response.
    """
    visible = visible_text(normalise_characters(response))
    if not _SAYS_SOMETHING.search(visible.text):
        if visible.unclosed:
            return _none("truncated_thinking")
        return _none("thinking_only" if visible.had_thinking else "empty")
    none_reason: str | None = None
    cut = truncated or visible.unclosed
    turns = split_turns(plain_text(excerpt(visible.text)))
    for index, turn in enumerate(turns):
        decided = _decide(turn.text, cut=cut and index == len(turns) - 1)
        if isinstance(decided, Commitment):
            if turn.before_problem and not _stands_before_problem(turn.text, decided):
                continue
            return _outcome(decided.reading, decided.reason)
        if decided in _DECISIVE:
            return _none(decided)
        none_reason = none_reason or decided
    if visible.unclosed and none_reason in (None, "no_commitment", "truncated"):
        none_reason = "truncated_thinking"
    return _none(none_reason or "no_commitment")


def _none(reason: str) -> Judgement:
    return Judgement("none", reason=reason)


def _tier(reason: str) -> Tier:
    return "stated" if reason in ("stated", "sentence", "bare_value") else "marked"


def _stands_before_problem(text: str, decided: Commitment) -> bool:
    """Whether a commitment is more than a premise of a problem that is posed after it."""
    return (
        decided.strength >= Strength.STATED
        or decided.reading.kind == "unknown"
        or opens_with_cue(text[decided.start : decided.end])
    )


def _outcome(reading: Reading, reason: str) -> Judgement:
    if reading.kind == "unknown" or reading.value is None:
        return Judgement("unknown", None, _tier(reason), reason)
    return Judgement("number", canonical(reading.value), _tier(reason), reason)


def _decide(text: str, *, cut: bool) -> Commitment | str:
    """Choose between the commitments of one turn, or say why there is none."""
    settled = settling_line(text)
    if settled is not None:
        return settled
    explicit = relevant(text, find_commitments(text))
    strong = [c for c in explicit if c.strength >= Strength.STATED]
    if strong:
        chosen = choose(text, strong)
        if isinstance(chosen, Commitment):
            short = correction_after(text, chosen.start, chosen.end)
            if short is not None:
                return replace(chosen, reading=short)
            later = _corrected_by_sentence(text, chosen)
            if later is not None:
                return later
            return _deepened(text, chosen)
        if chosen == "unread":
            heading = next(c for c in reversed(strong) if c.reading.kind == "text")
            found = closing_statement(text[heading.end :], truncated=cut)
            return found if found is not None else _why_none(text, cut)
        if chosen == "dangling":
            fallback = closing_statement(text[: strong[-1].start])
            if (
                fallback is not None
                and opens_with_cue(text[fallback.start : fallback.end])
                and _is_prose(text, fallback)
            ):
                return fallback
            return "truncated"
        return chosen
    assumed = [c for c in explicit if c.reading.commits and _ASSUMED.search(c.label)]
    if assumed:
        return assumed[-1]
    closing = (
        None
        if _is_refusal(text) or _is_cut_object(text)
        else closing_statement(text, truncated=cut)
    )
    if closing is not None:
        return closing
    weak = [c for c in explicit if c.reading.commits]
    if weak and weak[-1].strength == Strength.PART:
        return weak[-1]
    if _is_refusal(text):
        return "refused"
    return _why_none(text, cut)


def _corrected_by_sentence(text: str, chosen: Commitment) -> Commitment | None:
    """An unmarked correction after the last marked answer: "Correction: it costs 11 dollars."."""
    tail = text[chosen.end :]
    if not tail.strip() or not reopens(tail[:6000]):
        return None
    closing = closing_statement(tail)
    if (
        closing is None
        or agree(closing.reading, chosen.reading)
        or closing.strength < Strength.SENTENCE
    ):
        return None
    if _CHECKED_SUM.match(tail[closing.start : closing.end].rpartition(": ")[2]):
        return None
    cue = retracts(tail[:6000])
    if cue or re.search(r"\b(?:costs?|price)\b", tail[closing.start : closing.end], re.IGNORECASE):
        return closing
    return None


def _deepened(text: str, chosen: Commitment) -> Commitment:
    """Let a marker that heads a worked solution refer to that solution's conclusion."""
    if chosen.reading.direct or chosen.strength != Strength.LINE or chosen.reason != "answer_line":
        return chosen
    closing = closing_statement(text[chosen.end :])
    if (
        closing is not None
        and closing.strength == Strength.SENTENCE
        and (
            opens_with_cue(text[chosen.end + closing.start : chosen.end + closing.end])
            or _is_list(text[chosen.end : chosen.end + closing.end])
        )
        and chosen.reading.kind == closing.reading.kind == "number"
    ):
        return closing
    return chosen


def _is_cut_object(text: str) -> bool:
    """Whether a text is a JSON object that stops before it ends."""
    return "}" not in text and _OBJECT_START.match(text) is not None


def _is_list(text: str) -> bool:
    """Whether several lines follow one another without a gap."""
    return text.strip().count("\n") >= 1 and "\n\n" not in text.strip()


def _is_prose(text: str, closing: Commitment) -> bool:
    sentence = text[closing.start : closing.end]
    return closing.reading.kind == "unknown" or bool(
        re.search(r"\b(?:costs?|price|is)\b", sentence, re.IGNORECASE)
    )


def _is_refusal(text: str) -> bool:
    plain = folded(text)
    return len(text) < 1500 and any(sign.search(plain) for sign in _NOT_MATHS)


def _why_none(text: str, cut: bool) -> str:
    if len(text) < 600 and _REFUSAL.search(text):
        return "refused"
    stripped = text.rstrip()
    if cut or not stripped.endswith((".", "!", "?", "\u3002", ")", "`", "\ue005", "|", "}", "]")):
        return "truncated"
    return "no_commitment"
