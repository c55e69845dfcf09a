"""How many numbers the false steps explain, beside how many they would explain by chance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from treecut_tasks.causes.explanations import KINDS, HasText, analyse, kind_of
from treecut_tasks.errors import TreecutError
from treecut_tasks.themes import Theme

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class KindShare:
    """One kind of explanation, over many numbers.

    Attributes:
        first: share of the numbers whose first explanation is of this kind.
        explained: share of the numbers that have an explanation of this kind at any rank.
        expected: what `explained` would be by chance, see `ExplainedShare.expected`.
    """

    first: float
    explained: float
    expected: float


@dataclass(frozen=True)
class ExplainedShare:
    """Numbers given for problems, and how many of them a false step explains.

    Attributes:
        n: how many numbers there are; right answers are left out.
        explained: share of them that have an explanation.
        ci_low: lower end of the 95 % Wilson interval of `explained`.
        ci_high: upper end.
        expected: the share that would be explained if every number were a blind guess: the mean over
            the problems of the share of the theme's prices (the right one left out) that have an
            explanation. Where `explained` is not above it, the explanations mean nothing.
        kinds: the share of each kind; the `first` ones add up to `explained`.
    """

    n: int
    explained: float
    ci_low: float
    ci_high: float
    expected: float
    kinds: dict[str, KindShare]


def share_explained(
    pairs: Iterable[tuple[HasText | str, str | int | Fraction]],
    themes: Sequence[Theme] | None = None,
) -> ExplainedShare:
    """Explain many numbers and count.

    Args:
        pairs: problems (or their texts), each with the number that was given for it. Right answers
            may be among them and are skipped.
        themes: the vocabularies in which the problems may be written; None for the built-in ones.

    Raises:
        TreecutError: a text that cannot be read, a value that is no number, or no number to explain.
    """
    first = dict.fromkeys(KINDS, 0)
    any_rank = dict.fromkeys(KINDS, 0)
    by_chance = dict.fromkeys(KINDS, 0.0)
    n = explained = 0
    expected = 0.0
    for problem, value in pairs:
        analysis = analyse(problem, themes)
        if analysis.is_right(value):
            continue
        n += 1
        expected += analysis.expected()
        for kind in KINDS:
            by_chance[kind] += analysis.expected(kind)
        kinds = [kind_of(index) for index, _ in analysis.find(value)]
        if kinds:
            explained += 1
            first[kinds[0]] += 1
        for kind in set(kinds):
            any_rank[kind] += 1
    if n == 0:
        raise TreecutError(
            "There is no number to explain: give at least one pair of a problem and a number that "
            "is not its right answer."
        )
    low, high = _wilson(explained, n)
    return ExplainedShare(
        n=n,
        explained=explained / n,
        ci_low=low,
        ci_high=high,
        expected=expected / n,
        kinds={
            kind: KindShare(first[kind] / n, any_rank[kind] / n, by_chance[kind] / n)
            for kind in KINDS
        },
    )


def _wilson(count: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, 1927)."""
    share = count / n
    centre = share + _Z**2 / (2 * n)
    spread = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    # At 0 and 1 the interval ends there exactly; rounding must not push it beyond.
    return (
        min(share, max(0.0, (centre - spread) / scale)),
        max(share, min(1.0, (centre + spread) / scale)),
    )
