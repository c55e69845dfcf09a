"""Which depths to ask for next, and whether what has been answered is enough."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from treecut_tasks.psychometrics.curves import Counts, Curves, curves
from treecut_tasks.psychometrics.evidence import SHOWN, rise

CONSTANT_SHARE = 0.1
"""Weight of constant curves in the choice of depths: asking must also show that there is a rise."""


def next_depths(grid: Curves, asked: Counts, failed: Counts, size: int) -> Counts:
    """How many of the next `size` calls go to each depth (last axis).

    Greedy choice by the information that an answer carries about the cell of the breaking depth, in
    the Gaussian approximation, where answers that are still out count by their expected effect:
    half the logarithm of (variance of the answer) / (its variance within cells), each reduced
    by what the calls chosen so far will tell.
    """
    weights, _ = grid.weigh(asked, failed)
    weights[..., grid.rising.stop :] *= CONSTANT_SHARE
    weights /= weights.sum(axis=-1, keepdims=True)
    lead, number = weights.shape[:-1], len(grid.depths)
    moments = weights.astype(np.float32) @ grid.products
    square, mean = moments[..., :-number].reshape(*lead, number, number), moments[..., -number:]
    cells = np.add.reduceat(weights, grid.starts, axis=-1)[..., None]
    means = np.stack(
        [np.add.reduceat(weights * each, grid.starts, axis=-1) for each in grid.rates.T], -1
    ) / np.maximum(cells, 1e-300)
    between = np.swapaxes(means * cells, -1, -2) @ means
    noise = mean - np.diagonal(square, axis1=-2, axis2=-1)
    spread = np.stack([square - mean[..., :, None] * mean[..., None, :], square - between])
    chosen = np.zeros(mean.shape, dtype=int)
    for _ in range(size):
        variance = np.maximum(np.diagonal(spread, axis1=-2, axis2=-1), 0) + noise
        # Rounded, so that another machine's last digits lead to the same choice.
        best = np.round(variance[0] / variance[1], 5).argmax(axis=-1)[..., None]
        chosen += np.arange(number) == best
        column = np.take_along_axis(spread, best[None, ..., None], -1)
        told = np.take_along_axis(variance, best[None], -1)[..., None]
        spread -= column * np.swapaxes(column, -1, -2) / told
    return chosen


def precise(grid: Curves, asked: Counts, failed: Counts, precision: float) -> Counts:
    """Whether a rise is shown and the 95 % interval of the breaking depth is within ±precision."""
    weights, evidence = grid.weigh(asked, failed)
    low, _, high = grid.interval(weights)
    inside = np.isfinite(low) & np.isfinite(high)
    narrow = np.subtract(high, low, where=inside, out=np.full(low.shape, np.inf)) <= 2 * precision
    return np.asarray(narrow & (rise(evidence, asked, failed) >= SHOWN))


def next_batch(
    counts: Mapping[int, tuple[int, int]],
    rate: float = 0.5,
    *,
    max_asked: int = 150,
    precision: float = 1.0,
    size: int = 5,
) -> list[int]:
    """The depths to ask for next, rising; none if the answers are enough.

    The same counts give the same depths, so that a run is repeated by its answers alone.

    Args:
        counts: of each depth of the range how many problems were asked and how many failed.
        rate: the rate of failures that marks the breaking depth.
        max_asked: most problems that are asked altogether.
        precision: depths by which the 95 % interval may lie to each side of its centre.
        size: problems that are asked at once.
    """
    depths = tuple(sorted(counts))
    grid = curves(depths, rate)
    asked, failed = np.array([counts[depth] for depth in depths]).T
    size = min(size, max_asked - int(asked.sum()))
    if size <= 0 or precise(grid, asked, failed, precision):
        return []
    batch = next_depths(grid, asked, failed, size)
    return [depth for depth, times in zip(depths, batch, strict=True) for _ in range(times)]
