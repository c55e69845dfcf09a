"""What the answers say: a breaking depth with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, isfinite
from typing import Literal

import numpy as np
from scipy.stats import beta

from treecut_tasks.psychometrics.curves import FINE, LEVELS, Counts, Curves, Floats, curves
from treecut_tasks.psychometrics.evidence import SHOWN, rise, turns

Outcome = Literal[
    "breaks", "flat", "falling", "always below", "always above", "not monotone", "undecided"
]
MANY = 500
"""Answers from which on the grid of a run is coarser than what they tell."""
SURE = 0.95
"""Probability from which on curves count as below the rate, or above it, at all depths."""


@dataclass(frozen=True)
class Band:
    """A rate with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.0f} to {100 * self.high:.0f})"


@dataclass(frozen=True)
class Estimate:
    """Where a model breaks.

    Attributes:
        outcome: `breaks` if there is a breaking depth, otherwise why there is none.
        depth: the breaking depth (median of its distribution); None unless `outcome` is `breaks`.
        low: lower end of its 95 % interval; None if it may lie below the range of depths.
        high: upper end; None if it may lie above.
        evidence: how many times likelier the answers are under rising curves than under the best
            constant rate; 20 shows a rise.
        level: the rate over all depths.
        curve: the fitted rate at each depth with its band (of the counts alone if not monotone).
    """

    outcome: Outcome
    depth: float | None
    low: float | None
    high: float | None
    evidence: float
    level: Band
    curve: Mapping[int, Band]

    def __str__(self) -> str:
        low, high = ("?" if end is None else f"{end:.1f}" for end in (self.low, self.high))
        match self.outcome:
            case "breaks":
                return f"breaking depth {self.depth:.1f} ({low} to {high})"
            case "flat":
                return f"no breaking depth: flat at {self.level}"
            case "falling":
                first, *_, last = (100 * rate.value for rate in self.curve.values())
                return f"no breaking depth: falls from {first:.0f} to {last:.0f} %"
            case "undecided" if self.evidence < exp(SHOWN):
                return f"undecided: a rise is not shown, nor that there is none; {self.level}"
            case "undecided":
                return f"undecided: rises, with a breaking depth from {low} to {high}"
        return f"no breaking depth: {self.outcome}"


def estimate(counts: Mapping[int, tuple[int, int]], rate: float = 0.5) -> Estimate:
    """The breaking depth that these answers show, or why there is none.

    Args:
        counts: of each depth how many problems were asked and how many of them failed; a depth
            that was not asked for has (0, 0) and belongs to the range.
        rate: the rate of failures that marks the breaking depth.
    """
    depths = tuple(sorted(counts))
    asked, failed = np.array([counts[depth] for depth in depths]).T
    grid = curves(depths, rate, FINE if asked.sum() > MANY else LEVELS)
    weights, rising = grid.weigh(asked, failed)
    mirrored, falling = grid.weigh(asked[::-1], failed[::-1])
    evidence, fall = (float(rise(each, asked, failed)) for each in (rising, falling))
    low, middle, high = (float(each) for each in grid.interval(weights))
    below, above = grid.crossing(weights)[[-1, 0]]
    outcome: Outcome
    if turns(asked, failed) >= SHOWN:
        outcome = "not monotone"
    elif fall >= SHOWN:
        outcome = "falling"
    elif evidence < SHOWN:
        outcome = "flat" if evidence < 0 else "undecided"
    elif below >= SURE:
        outcome = "always below"
    elif above >= SURE:
        outcome = "always above"
    else:
        outcome = "breaks" if isfinite(low) and isfinite(high) else "undecided"
    match outcome:
        case "not monotone":
            curve = _interval(failed, asked - failed)
        case "falling":
            curve = _band(grid, mirrored)[:, ::-1]
        case _:
            curve = _band(grid, weights)
    crosses = outcome in ("breaks", "undecided")
    return Estimate(
        outcome,
        middle if outcome == "breaks" else None,
        low if crosses and isfinite(low) else None,
        high if crosses and isfinite(high) else None,
        exp(min(evidence, 700.0)),
        Band(
            *_interval(failed.sum(keepdims=True), (asked - failed).sum(keepdims=True))[
                :, 0
            ].tolist()
        ),
        {d: Band(*each) for d, each in zip(depths, curve.T.tolist(), strict=True)},
    )


def _interval(failed: Counts, passed: Counts) -> Floats:
    """Observed rates and the ends of their Jeffreys intervals (Brown, Cai and DasGupta 2001)."""
    low, high = beta.ppf([[0.025], [0.975]], failed + 0.5, passed + 0.5)
    value = failed / np.maximum(failed + passed, 1)
    return np.stack([value, np.where(failed == 0, 0, low), np.where(passed == 0, 1, high)])


def _band(grid: Curves, weights: Floats) -> Floats:
    """Mean rate of the curves at each depth, and 95 % ends of the beta distribution like theirs."""
    mean = weights @ grid.rates
    variance = weights @ grid.rates**2 - mean**2
    size = mean * (1 - mean) / np.maximum(variance, 1e-9) - 1
    ends = beta.ppf([[0.025], [0.975]], mean * size, (1 - mean) * size)
    return np.concatenate([mean[None], ends])
