"""Whether a model says anywhere that something needed is missing, reasoning included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treecut_tasks.scoring.judgement import Judgement
from treecut_tasks.scoring.lexicon import patterns
from treecut_tasks.scoring.outcome import classify_outcome, lower
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.sentences import split_sentences
from treecut_tasks.scoring.text import Text, as_text, plain_characters
from treecut_tasks.scoring.visible import visible_text

# Logs leave long values out of their summaries.
_LONGEST = 300


@dataclass(frozen=True)
class Notice:
    """The first statement that a needed condition is missing or the asked price not determined.

    Attributes:
        quote: the statement, or how it begins.
        position: its place as a share of all that the model wrote, reasoning included, from 0 to 1.
        upheld: whether it is the last word on the matter: the visible response abstains, still says
            so, or assumes what is missing.
    """

    quote: str
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
    judged = judgement or classify_outcome(response)

    def notice(start: int, end: int) -> Notice:
        upheld = judged.verdict == "unknown" or _still_says_so(response)
        return Notice(written[start : min(end, start + _LONGEST)], start / len(written), upheld)

    for sentence in _sentences(as_text(written)):
        if notices(sentence.chars):
            return notice(sentence.places[0], sentence.places[-1])
    # An abstention in free words says so itself; an answer line says only what it is asked for.
    if judged.quote and judged.verdict == "unknown" and judged.tier == "stated":
        before = len(written) - len(response)
        return notice(before + judged.quote.start, before + judged.quote.end)
    return None


def _still_says_so(response: str) -> bool:
    shown = list(_sentences(visible_text(as_text(response)).text))
    return any(notices(sentence.chars) or _assumes(sentence.chars) for sentence in shown)


def assumes(response: str) -> bool:
    """Whether a response says that it assumes something that the problem does not state."""
    return any(_assumes(sentence.chars) for sentence in _sentences(as_text(response)))


def notices(sentence: str) -> bool:
    """Whether a folded sentence asserts, or asks, that something needed is missing."""
    sentence = sentence[:1000]
    if any(patterns(name).search(sentence) for name in ("exempt", "unnoticed")):
        return False
    # Reasoning often repeats what it was told to do if the price is not determined.
    if all(patterns(name).search(sentence) for name in ("instruction_if", "instruction_then")):
        return False
    return bool(patterns("notice").search(sentence))


def _assumes(sentence: str) -> bool:
    sentence = sentence[:1000]
    return bool(patterns("assumes").search(sentence) and not patterns("unassumed").search(sentence))


def _sentences(text: Text) -> Iterator[Text]:
    """The folded sentences of a text, with the places where they stood."""
    plain = plain_text(plain_characters(text))
    for sentence in split_sentences(lower(plain.chars)):
        yield Text(sentence.chars, plain.places[sentence.start : sentence.end + 1])
