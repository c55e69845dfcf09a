"""How well the adaptive estimate of the breaking depth does on simulated models with known curves.

    python benchmarks/breaking_depth.py [--runs 1000] [--seed 0] [CURVE ...]

Columns: runs with each outcome; of those with a breaking depth its median error and how often the 95 %
interval covers the truth; calls until the interval is within ±1 (median and 90th percentile over all
runs), beside what Fisher information allows when the curve is known; width of the interval beside
that of a uniform grid with as many calls (0 where most of its intervals are open). In every run the curve
is moved by up to half a depth.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit, logit

from treecut_tasks.psychometrics import Outcome, curves, estimate, next_depths, precise
from treecut_tasks.psychometrics.curves import Counts, Floats

DEPTHS = np.arange(2, 21)
GRID = curves(tuple(DEPTHS.tolist()))
BATCH, MAX_CALLS, CHUNK = 5, 150, 100


class Curve(NamedTuple):
    middle: float
    width: float
    floor: float
    ceiling: float
    outcomes: tuple[Outcome, ...] = ("breaks",)

    def rates(self, moved: Floats, depths: Counts = DEPTHS) -> Floats:
        steps = expit((depths - self.middle - moved[:, None]) / self.width)
        return np.asarray(self.floor + (self.ceiling - self.floor) * steps)

    @property
    def depth(self) -> float:
        share = (0.5 - self.floor) / (self.ceiling - self.floor)
        return float(self.middle + self.width * logit(share)) if 0 < share < 1 else np.nan


NONE: tuple[Outcome, ...] = ("flat", "falling")
CURVES = {
    "steep": Curve(9, 0.6, 0.03, 0.97),
    "shallow": Curve(10, 2.5, 0.02, 0.98),
    "early": Curve(4, 1.0, 0.05, 0.95),
    "late": Curve(16, 1.5, 0.05, 0.95),
    "lapses": Curve(10, 1.0, 0.15, 0.8),
    # 11, 22, 43 and 66 % at depth 2, 4, 6 and 8
    "GPT-4o, rising on": Curve(6.40, 1.69, 0.05, 0.90),
    # 12, 18, 47 and 64 %, which is the best fit to Table 1, and never more than 66 %
    "GPT-4o, plateau": Curve(5.50, 0.75, 0.115, 0.659),
    "flat at 0.84": Curve(0, 1, 0.84, 0.84, NONE),
    "flat at 0.5": Curve(0, 1, 0.5, 0.5, NONE),
    "flat at 0.1": Curve(0, 1, 0.1, 0.1, NONE),
    "falling": Curve(8, -2.0, 0.1, 0.8, NONE),
    "falling, as o3-mini": Curve(3, -0.75, 0.23, 0.55, NONE),
}


def ask(rng: np.random.Generator, rates: Floats) -> tuple[Counts, Counts]:
    """Adaptive runs, one for each row of rates."""
    asked = np.zeros(rates.shape, dtype=int)
    failed = asked.copy()
    active = np.arange(len(rates))
    while len(active):
        size = min(BATCH, MAX_CALLS - int(asked[active[0]].sum()))
        if size == 0:
            break
        for part in np.array_split(active, -(-len(active) // CHUNK)):
            batch = next_depths(GRID, asked[part], failed[part], size)
            asked[part] += batch
            failed[part] += rng.binomial(batch, rates[part])
        done = [
            precise(GRID, asked[part], failed[part], 1.0)
            for part in np.array_split(active, -(-len(active) // CHUNK))
        ]
        active = active[~np.concatenate(done)]
    return asked, failed


def uniform_widths(rng: np.random.Generator, rates: Floats, calls: Counts) -> Floats:
    """Widths of the intervals that a uniform grid with as many calls gives."""
    share = np.linspace(0, 1, len(DEPTHS) + 1)
    asked = np.diff(np.round(calls[:, None] * share).astype(int), axis=1)
    failed = rng.binomial(asked, rates)
    widths = []
    for part in np.array_split(np.arange(len(rates)), -(-len(rates) // CHUNK)):
        low, _, high = GRID.interval(GRID.weigh(asked[part], failed[part])[0])
        widths.append(np.where(np.isfinite(low), high, np.inf) - np.where(np.isfinite(low), low, 0))
    return np.concatenate(widths)


def fisher_calls(curve: Curve, moved: float) -> float:
    """Fewest calls for a 95 % interval of ±1 if the curve were known to the one who picks depths.

    The c-optimal design over the depths (Elfving 1952) as a linear programme, all four parameters
    unknown to the one who estimates.
    """
    values = np.array([curve.middle + moved, *curve[1:4]])

    def changes(function: object) -> Floats:
        steps = 1e-5 * np.eye(4)
        return np.array([(function(values + h) - function(values - h)) / 2e-5 for h in steps])  # type: ignore[operator]

    rates = curve.rates(np.array([moved]))[0]
    slopes = changes(lambda v: Curve(*v).rates(np.zeros(1))[0]) / np.sqrt(rates * (1 - rates))
    design = linprog(
        np.ones(2 * len(DEPTHS)),
        A_eq=np.hstack([slopes, -slopes]),
        b_eq=changes(lambda v: Curve(*v).depth),
    )
    return float(1.96**2 * design.fun**2)


def row(name: str, runs: int, seed: int) -> str:
    started = time.process_time()
    curve, rng = CURVES[name], np.random.default_rng(seed)
    moved = rng.uniform(-0.5, 0.5, runs)
    rates = curve.rates(moved)
    asked, failed = ask(rng, rates)
    calls = asked.sum(axis=1)
    pairs = np.stack([asked, failed], axis=-1).tolist()
    results = [
        estimate(dict(zip(DEPTHS.tolist(), map(tuple, each), strict=True))) for each in pairs
    ]
    tally = Counter(result.outcome for result in results)
    right = sum(tally[outcome] for outcome in curve.outcomes) / runs
    text = f"{name:20s} {100 * right:5.1f} %"
    if "breaks" in curve.outcomes:
        truth = curve.depth + moved
        found = np.array([result.outcome == "breaks" for result in results])
        depth, low, high = (
            np.array([getattr(result, end) for result in results], dtype=float)[found]
            for end in ("depth", "low", "high")
        )
        covered = (low <= truth[found]) & (truth[found] <= high)
        bound = np.median([fisher_calls(curve, each) for each in np.linspace(-0.5, 0.5, 11)])
        width = np.full(runs, np.inf)
        width[found] = high - low
        ratio = np.median(width) / np.median(uniform_widths(rng, rates, calls))
        text += (
            f" {np.median(depth - truth[found]):+6.2f} {100 * covered.mean():6.1f} %"
            f" {np.median(calls):5.0f} ({np.percentile(calls, 90):3.0f}) {bound:7.0f}"
            f" {np.median(calls) / bound:6.1f} {np.median(width):6.2f} {ratio:6.2f}"
        )
    else:
        text += f"{'':7s}{'':9s} {np.median(calls):5.0f} ({np.percentile(calls, 90):3.0f}){'':29s}"
    outcomes = ", ".join(f"{outcome} {count}" for outcome, count in tally.most_common())
    return f"{text}   {outcomes}   [{time.process_time() - started:.0f} s]"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("curve", nargs="*", default=list(CURVES))
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(
        f"{'curve':20s} {'right':>7s} {'bias':>6s} {'covers':>8s} {'calls (90 %)':>11s} {'Fisher':>7s}"
        f" {'times':>6s} {'width':>6s} {'/ grid':>6s}   outcomes"
    )
    for name in args.curve:
        print(row(name, args.runs, args.seed), flush=True)


if __name__ == "__main__":
    main()
