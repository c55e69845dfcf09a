"""Step 5: find every place where the response explicitly commits to something.

Each finder looks for one way of committing and reports what it reads there. Whether a commitment
stands is decided later (`outcome`); a finder only leaves out what is quoted, a template or
somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from treecut_tasks.scoring.closing import conclude
from treecut_tasks.scoring.labels import (
    find_labels,
    is_intermediate_label,
    label_before,
    last_answer_line,
)
from treecut_tasks.scoring.matching import bounded_matches
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.plain import BOX_CLOSE, BOX_OPEN
from treecut_tasks.scoring.sentences import is_hypothetical, quotes_others
from treecut_tasks.scoring.structured import find_structured
from treecut_tasks.scoring.values import read_span


def find_commitments(text: str) -> list[Commitment]:
    """Return the explicit commitments of a plain text, in order of position.

    Args:
        text: One turn of plain text.

    Returns:
        The commitments that are marked in some way; sentences without a marker are left to
        `closing_statement`.
    """
    found = list(find_structured(text))
    taken = [(c.start, c.end) for c in found]
    if any(c.reason == "json_key" for c in found):
        taken.append((text.find("{"), text.rfind("}")))
    found += [c for c in find_labels(text) if not _inside(c, taken)]
    taken += [(c.start, c.end) for c in found]
    found += [c for c in _boxes(text) if not _inside(c, taken)]
    return sorted(found, key=lambda c: c.start)


def settling_line(text: str) -> Commitment | None:
    """Return the commitment that stands if it is a last line beside which nothing else counts.

    A shortcut for what most responses are: it returns what the choice between all commitments
    would come to, or None where they have to be looked at.

    Args:
        text: One turn of plain text.
    """
    line = None if BOX_OPEN in text else last_answer_line(text)
    if line is None or next(find_structured(text), None) is not None:
        return None
    return line


def _inside(commitment: Commitment, spans: list[tuple[int, int]]) -> bool:
    return any(start <= commitment.start < end for start, end in spans[-200:] + spans[:200])


def _boxes(text: str) -> Iterator[Commitment]:
    if BOX_OPEN not in text:
        return
    for match in bounded_matches(re.finditer(f"{BOX_OPEN}([^{BOX_CLOSE}]*){BOX_CLOSE}", text)):
        reading = read_span(match[0])
        before = text[max(0, match.start() - 80) : match.start()].rpartition("\n")[2]
        if reading.kind == "number" and reading.value is not None and before.rstrip().endswith("-"):
            reading = replace(reading, value=-reading.value)
        if reading.kind == "template":
            continue
        if reading.kind == "text":
            reading = conclude(match[1]) or reading
        strength = Strength.BOX
        if re.search(r"\d\s?[A-Za-z](?:_\w+)?\s?=[^=,;]*$", before) or is_intermediate_label(
            before
        ):
            strength = Strength.PART
        elif quotes_others(label_before(text, match.start())) or is_hypothetical(
            label_before(text, match.start())
        ):
            strength = Strength.HYPOTHETICAL
        yield Commitment(
            match.start(),
            match.end(),
            strength,
            "boxed" if reading.kind != "empty" else "empty_answer",
            reading,
        )
