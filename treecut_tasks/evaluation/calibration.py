"""From stated confidences to calibration: how far they can be trusted, with intervals by pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.evaluation.judging import JudgedResponse

Floats = NDArray[np.float64]

BINS = 10
"""Bins of the expected calibration error, with equally many responses each."""

RESAMPLES = 1000
"""Resamples of the bootstrap."""

# Of so many responses all resamples are held in memory at once; of more, a part of them.
_AT_ONCE = 5000


class Stated(NamedTuple):
    """A response that stated its confidence.

    Attributes:
        confidence: the stated probability of being right, from 0 to 1.
        right: whether it was: the right number, or a justified `unknown`.
        cluster: what is drawn together in the bootstrap: the pair, or the problem.
    """

    confidence: float
    right: bool
    cluster: Hashable


class Estimate(NamedTuple):
    """A number with its 95 % interval; NaN where it is not defined."""

    value: float
    ci_low: float
    ci_high: float

    @classmethod
    def of(cls, values: Floats) -> Estimate:
        """The value of the sample, which comes first, with the percentiles of its resamples."""
        if np.isnan(values[0]):
            return cls(*[float("nan")] * 3)
        return cls(float(values[0]), *map(float, np.nanquantile(values[1:], [0.025, 0.975])))


@dataclass(frozen=True)
class Calibration:
    """How far stated confidences can be trusted; definitions in docs/confidence.md.

    Attributes:
        n: responses that stated a confidence.
        brier: mean squared difference of confidence and being right (0 or 1); lower is better.
        calibration_error: expected calibration error, less what chance adds; lower is better.
        auroc: probability that a right response states more confidence than a wrong one, ties
            half; NaN where all are right or all wrong.
        risk_coverage_area: mean share of wrong responses among the most confident ones, over all
            coverages; lower is better.
    """

    n: int
    brier: Estimate
    calibration_error: Estimate
    auroc: Estimate
    risk_coverage_area: Estimate


def stated(judged: Iterable[JudgedResponse], clusters: Iterable[Hashable]) -> list[Stated]:
    """Those of some responses that stated their confidence, each with its cluster."""
    return [
        Stated(each.confidence, each.right, cluster)
        for each, cluster in zip(judged, clusters, strict=True)
        if each.confidence is not None
    ]


def calibrate(rows: Sequence[Stated], rng: np.random.Generator) -> Calibration:
    """Measure calibration, with intervals from a bootstrap over clusters.

    Args:
        rows: responses that stated a confidence, at least one.
        rng: source of the resamples.
    """
    confidence = np.array([row.confidence for row in rows])
    order = np.argsort(-confidence, kind="stable")
    confidence = confidence[order]
    right = np.array([row.right for row in rows], dtype=float)[order]
    place = {name: number for number, name in enumerate(dict.fromkeys(r.cluster for r in rows))}
    cluster = np.array([place[row.cluster] for row in rows])[order]
    groups = np.cumsum(np.diff(confidence, prepend=confidence[0]) != 0)
    size = len(place)
    found = []
    for draws in np.array_split(resamples(size, rng), len(rows) // _AT_ONCE + 1):
        weights = draws[:, cluster]
        perfect = rng.random(weights.shape) < confidence
        found.append(
            [
                weights @ (confidence - right) ** 2 / weights.sum(1),
                _auroc(groups, right, weights),
                _risk_coverage_area(groups, right, weights),
                _calibration_error(confidence, right, weights),
                _calibration_error(confidence, perfect, np.ones_like(weights)),
            ]
        )
    brier, auroc, area, error, of_perfect = np.concatenate(found, axis=1)
    # The calibration error of noise is above zero, in the sample and once more in each resample:
    # what resampling adds to it is taken off, and the interval is mirrored at the estimate. It
    # reaches down to zero where a perfectly calibrated model would show as much.
    low, middle, high = 2 * error[0] - np.quantile(error[1:], [0.975, 0.5, 0.025])
    if error[0] <= np.quantile(of_perfect, 0.975):
        low = 0.0
    return Calibration(
        len(rows),
        Estimate.of(brier),
        Estimate(*(float(np.clip(each, 0, 1)) for each in (middle, low, high))),
        Estimate.of(auroc),
        Estimate.of(area),
    )


def resamples(size: int, rng: np.random.Generator) -> Floats:
    """How often each of `size` clusters is drawn: once each, as in the sample, then by a bootstrap."""
    draws = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES)
    return np.vstack([np.ones(size), draws])


def reliability(rows: Sequence[Stated]) -> list[tuple[float, float, int]]:
    """For each bin its mean confidence, its share of right responses, and how many it holds."""
    confidence = np.array([row.confidence for row in rows])
    right = np.array([row.right for row in rows])
    bins = _bins(confidence)
    return [
        (
            float(confidence[bins == b].mean()),
            float(right[bins == b].mean()),
            int((bins == b).sum()),
        )
        for b in np.unique(bins)
    ]


def risk_coverage(rows: Sequence[Stated]) -> list[tuple[float, float]]:
    """For each confidence, the share of responses with at least it, and how many of these are wrong."""
    ordered = sorted(rows, key=lambda row: -row.confidence)
    points: list[tuple[float, float]] = []
    wrong = 0
    for number, row in enumerate(ordered, start=1):
        wrong += not row.right
        if number == len(ordered) or ordered[number].confidence != row.confidence:
            points.append((number / len(ordered), wrong / number))
    return points


def _bins(confidence: Floats) -> NDArray[np.int64]:
    """Equally filled bins; responses with the same confidence share one."""
    edges = np.unique(np.quantile(confidence, np.linspace(0, 1, BINS + 1)[1:-1]))
    return np.searchsorted(edges, confidence, side="left")


def _per_group(values: Floats, groups: NDArray[np.int64]) -> Floats:
    """Sums over runs of equal group numbers, along the last axis."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sums: Floats = np.add.reduceat(values, starts, axis=-1)
    return sums


def _calibration_error(confidence: Floats, right: NDArray[Any], weights: Floats) -> Floats:
    gaps = _per_group(weights * (confidence - right), _bins(-confidence))
    error: Floats = np.abs(gaps).sum(-1) / weights.sum(-1)
    return error


def _auroc(groups: NDArray[np.int64], right: Floats, weights: Floats) -> Floats:
    hits = _per_group(weights * right, groups)
    misses = _per_group(weights * (1 - right), groups)
    hits_before = np.cumsum(hits, -1) - hits
    with np.errstate(invalid="ignore"):
        area: Floats = (misses * (hits_before + hits / 2)).sum(-1) / (hits.sum(-1) * misses.sum(-1))
    return area


def _risk_coverage_area(groups: NDArray[np.int64], right: Floats, weights: Floats) -> Floats:
    # Within a tie every order is as likely: each response counts with the tie's mean error.
    total = np.maximum(_per_group(weights, groups), 1e-300)
    mean_error = _per_group(weights * (1 - right), groups) / total
    errors = weights * mean_error[..., groups]
    covered = np.maximum(np.cumsum(weights, -1), 1e-300)
    area: Floats = (weights * np.cumsum(errors, -1) / covered).sum(-1) / weights.sum(-1)
    return area
