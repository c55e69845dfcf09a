"""Read a correction that is written right behind an answer, without a marker of its own.

`Answer: 6, no, 11`, `Answer: 6` followed by `Correction: 11`, and `Answer: 22 for two, so 11 for
one` all end with the value that counts.
"""

from __future__ import annotations

import re

from treecut_tasks.scoring.sentences import is_hypothetical, split_sentences
from treecut_tasks.scoring.values import Reading, read_span

_REACH = 400
"""Characters behind an answer in which its correction is looked for."""

_PAUSE = r"\s{0,3}[,.:;!)\]\u2014\u2013-]{1,4}\s{0,3}"
_CUE = re.compile(
    r"(?<![A-Za-z])(?:"
    r"(?:correct(?:ed|ion)(?: answer| value| to)?|edit(?:ed)?|update[d]?|no|wait,? no|"
    r"no,? wait|hmm+,? wait|hmm+|wait|hold on|oops|whoops|sorry|apologies|my mistake|my bad|"
    rf"(?:is |that's |that is |was )?(?:wrong|incorrect)|scratch that|strike that){_PAUSE}"
    r"|(?:i mean|i meant|actually|make that|make it|or rather|scratch that|no wait|wait no|"
    rf"corrected to|i meant to (?:say|write))(?:{_PAUSE}|\s{{1,3}}))",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:so|it's|it is|that's|that is|this is|(?:it|that|this) should be|should be|it must be|"
    r"it should have been|the (?:correct |right |real |actual )?(?:answer|price|value) "
    r"(?:is|should be)|it costs)\s{1,3})|[A-Za-z](?:_\w{1,12})?\s?=\s?",
    re.IGNORECASE,
)
_DISMISSED = re.compile(r"\b(?:was|is|are|were|isn't|wasn't)\b|\?\W*$|=", re.IGNORECASE)
_SO_UNKNOWN = re.compile(r"\b(?:so|hence|thus|therefore)\b", re.IGNORECASE)
_SHARED_OUT = re.compile(
    r"\bfor (?:two|three|four|five|\d|both)\b[^\n.]{0,60}?[,;]\s?(?:so|ie|hence|thus|and|or|"
    r"therefore|that is|which (?:is|means|gives))\s(?P<each>[^\n;]{1,60}?)\s?"
    r"(?:for (?:one|each|a single)|each|apiece)\b",
    re.IGNORECASE,
)


def correction_after(text: str, start: int, end: int) -> Reading | None:
    """Read the last short correction of an answer.

    Args:
        text: The turn that holds the answer.
        start: Where the answer starts, its marker included.
        end: Where it ends.

    Returns:
        What the correction states, or None if nothing right behind the answer corrects it.
    """
    behind = text[start : end + _REACH]
    shared = _SHARED_OUT.search(behind)
    if shared is not None:
        each = read_span(shared["each"])
        if each.kind == "number" and each.direct:
            return each
    found: Reading | None = None
    for cue in _CUE.finditer(behind):
        found = _corrected_value(behind[cue.end() :].partition("\n")[0][:160]) or found
    return found


def _corrected_value(rest: str) -> Reading | None:
    """Read what follows a cue, if it is a value and little else."""
    sentences = split_sentences(rest)
    if not sentences:
        return None
    sentence = sentences[0].text
    words = len(sentence.split())
    reading = read_span(sentence)
    if reading.kind == "unknown":
        stands = reading.direct or _SO_UNKNOWN.search(sentence) is not None
        hedged = is_hypothetical(sentence) or sentence.rstrip().endswith("?")
        return reading if stands and words <= 14 and not hedged else None
    lead = _LEAD.match(sentence)
    value = sentence[lead.end() :] if lead else sentence
    if words > 9 or _DISMISSED.search(value):
        return None
    stated = read_span(value)
    return stated if stated.kind == "number" and stated.direct else None
