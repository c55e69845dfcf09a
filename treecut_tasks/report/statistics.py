"""Rates become effects with intervals, and p-values; the rates themselves are `evaluation.rates`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.rates import CONFIDENCE, Rate, rate
from treecut_tasks.report.document import MISSING

ALPHA = round(1 - CONFIDENCE, 10)
"""Error level of all tests."""

FEWEST = 10
"""With fewer problems nothing is compared."""

DoseRates = Sequence[tuple[float, Rate]]
"""Independent rates over a dose; where two groups are compared, it is 0 for the one and 1 for the other."""


def rate_of(values: pd.Series) -> Rate | Estimate:
    """The rate of some problems, if there are any."""
    return rate(values.tolist()) if len(values) else MISSING


def contrast(rates: Sequence[Rate], weights: Sequence[float]) -> Estimate:
    """A weighted sum of independent rates, the weights adding up to 0, with an interval.

    The interval is built from those of the rates, which are good near 0 and 1 too (Zou and Donner,
    2008, method of variance estimates recovery).
    """
    value = low = high = 0.0
    for each, weight in zip(rates, weights, strict=True):
        value += weight * each.value
        down, up = each.value - each.ci_low, each.ci_high - each.value
        if weight < 0:
            down, up = up, down
        low += (weight * down) ** 2
        high += (weight * up) ** 2
    return Estimate(value, value - math.sqrt(low), value + math.sqrt(high))


def slope(strata: Sequence[DoseRates]) -> Estimate:
    """Change of a rate per unit of dose, common to the strata: least squares over their rates."""
    rates, weights = [], []
    for line in strata:
        mean = sum(dose for dose, _ in line) / len(line)
        rates += [rate for _, rate in line]
        weights += [dose - mean for dose, _ in line]
    spread = sum(weight**2 for weight in weights)
    return contrast(rates, [weight / spread for weight in weights])


def trend_test(strata: Sequence[DoseRates]) -> float:
    """Two-sided p-value for a linear trend over strata (Cochran, 1954; Armitage, 1955; Mantel, 1963).

    With doses 0 and 1 it is the test of Mantel and Haenszel (1959) without a continuity correction.
    It is 1 where nothing varies.
    """
    excess = variance = 0.0
    for line in strata:
        n = sum(rate.n for _, rate in line)
        if n < 2:
            continue
        share = sum(rate.n * rate.value for _, rate in line) / n
        mean_dose = sum(rate.n * dose for dose, rate in line) / n
        excess += sum(rate.n * (rate.value - share) * dose for dose, rate in line)
        spread = sum(rate.n * (dose - mean_dose) ** 2 for dose, rate in line)
        variance += share * (1 - share) * spread * n / (n - 1)
    if variance <= 1e-12:
        return 1.0
    return float(2 * norm.sf(abs(excess) / math.sqrt(variance)))


class Paired(NamedTuple):
    """Two sets of responses to the same problems, compared.

    Attributes:
        effect: mean of second minus first.
        first: mean of the first.
        second: mean of the second.
        n: number of problems.
        up: number of those where the second is higher.
        down: number of those where the first is.
        p_value: two-sided; 1 where all problems are equal.
    """

    effect: Estimate
    first: float
    second: float
    n: int
    up: int
    down: int
    p_value: float


def paired_problems(
    first: pd.DataFrame, second: pd.DataFrame, column: str, on: str = "problem_id"
) -> Paired | None:
    """Compare a column on the problems, or pairs, that both have; None if these are fewer than `FEWEST`."""
    columns = [on, column]
    both = first[columns].merge(second[columns], on=on, suffixes=("_1", "_2")).dropna()
    if len(both) < FEWEST:
        return None
    return paired(both[f"{column}_1"].tolist(), both[f"{column}_2"].tolist())


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Newcombe's interval (1998, method 10) and McNemar's exact test (1947).

    Args:
        first: for each problem, 1 if the response has the property, or a mean over repetitions.
        second: the same problems, in the same order.
    """
    one, two = rate(first), rate(second)
    both = list(zip(first, second, strict=True))
    covariance = sum((x - one.value) * (y - two.value) for x, y in both)
    spread = sum((x - one.value) ** 2 for x in first) * sum((y - two.value) ** 2 for y in second)
    if covariance > 0:
        # Newcombe shrinks a positive covariance, so that the interval does not become too short.
        covariance = max(covariance - 0.5, 0.0)
    correlation = max(-1.0, min(1.0, covariance / math.sqrt(spread))) if spread > 0 else 0.0

    def reach(down: float, up: float) -> float:
        return math.sqrt(max(0.0, down**2 - 2 * correlation * down * up + up**2))

    value = two.value - one.value
    effect = Estimate(
        value,
        value - reach(two.value - two.ci_low, one.ci_high - one.value),
        value + reach(two.ci_high - two.value, one.value - one.ci_low),
    )
    up, down = sum(y > x for x, y in both), sum(y < x for x, y in both)
    p_value = float(binomtest(up, up + down).pvalue) if up + down else 1.0
    return Paired(effect, one.value, two.value, len(both), up, down, p_value)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm, 1979), in the same order.

    Where no effect exists, one below 5 % is among them with a probability of at most 5 %.
    """
    order = np.argsort(p_values)
    corrected = np.empty(len(order))
    steps = np.take(p_values, order) * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(each) for each in corrected]
