"""Counts of failures by depth become weights of the curves of a grid, and a breaking depth from them.

A curve is `floor + (ceiling - floor) / (1 + exp(-(depth - middle) / width))`; floor and ceiling are
the rates that a model shows however easy or deep a problem is (lapse rates, Wichmann and Hill 2001).
The breaking depth is where a curve crosses the rate that is asked about. All functions take counts
with the depths on the last axis, so that thousands of simulated runs are one call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from treecut_tasks.errors import TreecutError

Floats: TypeAlias = NDArray[np.floating[Any]]
Counts: TypeAlias = NDArray[np.integer[Any]]

CELL = 0.25
"""Breaking depths that are told apart."""
WIDTHS = np.array([0.2, 0.35, 0.6, 1.0, 1.6, 2.5, 4.0])
LEVELS, FINE = 10, 40
"""How many floors and ceilings there are for a hundred answers, and for thousands."""
OUTSIDE = np.array([0.5, 1.5, 3.0, 6.0])
"""How far from the range of depths the curves are that cross the rate outside of it."""


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of a grid, sorted by cell, and their prior weights.

    Attributes:
        depths: the depths that can be asked for, rising.
        edges: borders of the cells of breaking depths, `CELL` apart, from the first depth to the last.
        cell: of each curve the index of its cell, from 1; 0 if it is above the rate at all depths;
            `len(edges)` if below it; one more if it is constant.
        rates: of each curve the rate at each depth.
        prior: weights of the curves. Rising and constant ones have a half each; among rising ones
            every cell weighs the same, those above and those below a quarter each.
    """

    depths: Counts
    edges: Floats
    cell: Counts
    rates: Floats
    prior: Floats

    @cached_property
    def starts(self) -> Counts:
        """Of each cell the index of its first curve."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @cached_property
    def rising(self) -> slice:
        """The curves that are not constant."""
        return slice(0, self.starts[-1])

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """Logarithms of the rates and of their complements, depths first."""
        return np.log(self.rates).T.copy(), np.log1p(-self.rates).T.copy()

    @cached_property
    def products(self) -> Floats:
        """Of each curve the products of its rates at two depths, and the rates themselves."""
        pairs = self.rates[:, :, None] * self.rates[:, None, :]
        return np.concatenate([pairs.reshape(len(pairs), -1), self.rates], axis=1, dtype=np.float32)

    def weigh(self, asked: Counts, failed: Counts) -> tuple[Floats, Floats]:
        """Posterior weights of the curves, and the logarithm of the evidence of the rising ones."""
        yes, no = self.logs
        joint = failed @ yes + (asked - failed) @ no
        top = joint.max(axis=-1, keepdims=True)
        weights = np.exp(joint - top) * self.prior
        share = weights[..., self.rising].sum(axis=-1) / self.prior[self.rising].sum()
        return weights / weights.sum(axis=-1, keepdims=True), np.log(share) + top[..., 0]

    def crossing(self, weights: Floats) -> Floats:
        """Among the rising curves, the weight of each cell."""
        cells = np.add.reduceat(weights, self.starts, axis=-1)[..., :-1]
        return np.asarray(cells / cells.sum(axis=-1, keepdims=True))

    def quantiles(self, weights: Floats, shares: Floats) -> Floats:
        """Quantiles (last axis) of the breaking depth; infinite beyond the range of depths."""
        cells = self.crossing(weights)
        upto = cells.cumsum(axis=-1)
        index = (upto[..., None, :-1] < shares[:, None]).sum(axis=-1)
        inside = np.clip(index, 1, len(self.edges) - 1)
        missing = np.take_along_axis(upto, inside, -1) - shares
        here = np.maximum(np.take_along_axis(cells, inside, -1), 1e-300)
        values = self.edges[inside] - CELL * missing / here
        values = np.where(index == 0, -np.inf, values)
        return np.where(index == len(self.edges), np.inf, values)

    def interval(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Ends of the shortest 95 % interval of the breaking depth, and the median between them.

        An end is infinite where every such interval leaves the range of depths.
        """
        tails = np.linspace(0.0, 0.05, 11)
        low = self.quantiles(weights, tails)
        high = self.quantiles(weights, tails + 0.95)
        finite = np.isfinite(low) & np.isfinite(high)
        widths = np.subtract(high, low, where=finite, out=np.full(low.shape, np.inf))
        best = np.where(finite.any(axis=-1), widths.argmin(axis=-1), len(tails) // 2)[..., None]
        middle = self.quantiles(weights, np.array([0.5]))[..., 0]
        return (
            np.take_along_axis(low, best, -1)[..., 0],
            middle,
            np.take_along_axis(high, best, -1)[..., 0],
        )


@lru_cache(maxsize=16)
def curves(depths: tuple[int, ...], rate: float = 0.5, levels: int = LEVELS) -> Curves:
    """The grid for these depths. Floors, ceilings and constants follow Jeffreys' prior of a rate.

    Args:
        depths: the depths that can be asked for, rising; at least two.
        rate: the rate that a curve crosses at its breaking depth, from 0.1 to 0.9.
        levels: how many floors and ceilings there are.

    Raises:
        TreecutError: a rate out of range, or fewer than two depths.
    """
    if not 0.1 <= rate <= 0.9:
        raise TreecutError(f"rate is {rate!r}: it must be from 0.1 to 0.9.")
    if len(depths) < 2 or list(depths) != sorted(set(depths)):
        raise TreecutError(f"depths are {depths!r}: there must be two or more, rising.")
    first, last = depths[0], depths[-1]
    edges = np.arange(first, last + CELL / 2, CELL)
    places = np.concatenate([first - OUTSIDE, edges[1:] - CELL / 2, last + OUTSIDE])
    place, width, floor, ceiling = np.meshgrid(
        places, WIDTHS, *[_levels(levels)] * 2, indexing="ij"
    )
    crosses = (floor < rate) & (rate < ceiling)
    # Where a curve crosses the rate, `place` is there; otherwise it is the curve's middle.
    share = np.where(crosses, (rate - floor) / np.where(crosses, ceiling - floor, 1), 0.5)
    middle = place - width * logit(share)
    cell: Counts = np.asarray(np.searchsorted(edges, place))
    cell[floor >= rate] = 0
    cell[ceiling <= rate] = len(edges)
    weight = np.exp(-(np.log(width) ** 2) / 2)
    keep = ceiling > floor
    order = np.argsort(cell[keep], kind="stable")
    cell, weight, middle, width, floor, ceiling = (
        values[keep][order] for values in (cell, weight, middle, width, floor, ceiling)
    )
    steps = expit((np.array(depths) - middle[:, None]) / width[:, None])
    rates = floor[:, None] + (ceiling - floor)[:, None] * steps
    constant = np.repeat(_levels(3 * levels)[:, None], len(depths), axis=1)
    inside = len(edges) - 1
    share_of_cell = np.array([0.25, *[0.5 / inside] * inside, 0.25]) / np.bincount(cell, weight)
    prior = np.concatenate(
        [weight * share_of_cell[cell], np.full(len(constant), 1 / len(constant))]
    )
    return Curves(
        np.array(depths),
        edges,
        np.concatenate([cell, np.full(len(constant), len(edges) + 1)]),
        np.concatenate([rates, constant]),
        prior / 2,
    )


def _levels(number: int) -> Floats:
    """So many quantiles of the arcsine distribution, which is Jeffreys' prior of a rate."""
    return np.asarray((1 - np.cos(np.pi * (np.arange(number) + 0.5) / number)) / 2)
