"""The one value that scoring gives: what a response commits to, and the words that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["number", "unknown", "none"]
"""A definite number; that the price cannot be determined; a commitment to neither."""

Tier = Literal["contract", "marked", "stated"]
"""What decided: the final line that the prompt asks for; another explicit marker; the concluding
statement of a complete response."""


@dataclass(frozen=True)
class Quote:
    """The response's own words on which a verdict stands.

    Attributes:
        text: the words, as they stand in the response.
        start: index of their first character in the response.
        end: index behind their last character.
    """

    text: str
    start: int
    end: int


class Judgement(NamedTuple):
    """What a response finally commits to, as a careful human reader would say.

    Also a tuple that begins with (verdict, value), for programs that compare scorers.

    Attributes:
        verdict: `number`, `unknown` (the response says that the price cannot be determined) or
            `none` (it commits to neither).
        value: the exact number where the verdict is `number`: `11`, `-3`, `10.5`, `43/3`.
        tier: what decided; None where the verdict is `none`.
        reason: how it was decided, one of `REASONS`.
        quote: the words that the verdict stands on; None where there are none (empty, cut off).
    """

    verdict: Verdict
    value: str | None = None
    tier: Tier | None = None
    reason: str = "no_commitment"
    quote: Quote | None = None
