"""The value that the finders of commitments hand to the choice between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from treecut_tasks.scoring.values import Reading


class Strength(IntEnum):
    """How explicitly a place commits; a stronger one outranks weaker ones."""

    HYPOTHETICAL = 0
    PART = 1
    BARE = 2
    SENTENCE = 3
    STATED = 4
    BOX = 5
    LINE = 6


@dataclass(frozen=True)
class Commitment:
    """One place where the response commits.

    Attributes:
        start: Where the marker starts.
        end: Where the span that was read ends.
        strength: How explicit it is.
        reason: The way of committing, as in `Outcome.reason`.
        reading: What it states.
        final: Whether it is labelled as the final or corrected answer.
        label: The words before the marker on its line or in its sentence.
    """

    start: int
    end: int
    strength: Strength
    reason: str
    reading: Reading
    final: bool = False
    label: str = ""
