"""Whether a model says anywhere that something needed is missing, reasoning included."""

from __future__ import annotations

from typing import NamedTuple

from treecut_tasks.scoring.judgement import Judgement, Quote
from treecut_tasks.scoring.lexicon import patterns
from treecut_tasks.scoring.outcome import classify_outcome, lower
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.sentences import split_sentences
from treecut_tasks.scoring.text import as_text, plain_characters


class Notice(NamedTuple):
    """The first statement that a needed condition is missing or the asked price not determined.

    Attributes:
        quote: the statement, with its place in the reasoning, a line end and the response joined.
        position: its place as a share of the whole text, from 0 to 1.
        upheld: whether the response ends with it: it commits to `unknown`.
    """

    quote: Quote
    position: float
    upheld: bool


def find_notice(
    response: str, *, reasoning: str | None = None, judgement: Judgement | None = None
) -> Notice | None:
    """Find the first statement of insufficiency in all that a model wrote.

    Args:
        response: the response as it came, thinking blocks included.
        reasoning: what the framework keeps apart as reasoning.
        judgement: what the response commits to, where that is known already.
    """
    written = f"{reasoning}\n{response}" if reasoning else response
    text = plain_text(plain_characters(as_text(written)))
    for sentence in split_sentences(lower(text.chars)):
        if notices(sentence.chars):
            start, end = text.places[sentence.start], text.places[sentence.end]
            upheld = (judgement or classify_outcome(response)).verdict == "unknown"
            return Notice(Quote(written[start:end], start, end), start / len(written), upheld)
    return None


def assumes(response: str) -> bool:
    """Whether a response says that it assumes something that the problem does not state."""
    text = plain_text(plain_characters(as_text(response)))
    return any(
        patterns("assumes").search(sentence.chars[:1000])
        and not patterns("unassumed").search(sentence.chars[:1000])
        for sentence in split_sentences(lower(text.chars))
    )


def notices(sentence: str) -> bool:
    """Whether a folded sentence asserts, or asks, that something needed is missing."""
    sentence = sentence[:1000]
    if patterns("exempt").search(sentence) or patterns("unnoticed").search(sentence):
        return False
    return bool(patterns("notice").search(sentence))
