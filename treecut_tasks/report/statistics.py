"""The statistics of a report, one function each; rates with intervals are in `scoring.rates`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treecut_tasks.evaluation.rates import CONFIDENCE, Rate, rate

ALPHA = round(1 - CONFIDENCE, 10)
"""Error level of all tests."""


@dataclass(frozen=True)
class Effect:
    """A difference of rates.

    Attributes:
        value: the estimate, 1.0 being 100 percentage points.
        ci_low: lower end of its 95 % interval.
        ci_high: upper end.
    """

    value: float
    ci_low: float
    ci_high: float


def contrast(rates: Sequence[Rate], weights: Sequence[float]) -> Effect:
    """A weighted sum of independent rates, the weights adding up to 0, with an interval.

    The interval is built from those of the rates, which are good near 0 and 1 too (Zou and Donner,
    2008, method of variance estimates recovery).

    Args:
        rates: independent rates.
        weights: a weight for each; those of one group and of the other add up to 1 and -1 for a
            difference of means, for example.
    """
    value = low = high = 0.0
    for each, weight in zip(rates, weights, strict=True):
        value += weight * each.value
        down, up = each.value - each.ci_low, each.ci_high - each.value
        if weight < 0:
            down, up = up, down
        low += (weight * down) ** 2
        high += (weight * up) ** 2
    return Effect(value, value - math.sqrt(low), value + math.sqrt(high))


def stratified_test(strata: Sequence[tuple[Sequence[Rate], Sequence[Rate]]]) -> float:
    """Two-sided p-value for a difference between two groups over strata (Mantel and Haenszel, 1959).

    Without a continuity correction; 1 where nothing varies.

    Args:
        strata: in each stratum the rates of the one group and of the other.
    """
    import numpy as np
    from statsmodels.stats.contingency_tables import StratifiedTable

    tables = [
        np.array(
            [
                (
                    sum(rate.value * rate.n for rate in group),
                    sum((1 - rate.value) * rate.n for rate in group),
                )
                for group in groups
            ]
        )
        for groups in strata
    ]
    varied = [table for table in tables if table.sum(axis=0).min() > 1e-9]
    if not varied:
        return 1.0
    return float(StratifiedTable(varied).test_null_odds(correction=False).pvalue)


def mean_difference(strata: Sequence[tuple[Sequence[Rate], Sequence[Rate]]]) -> Effect:
    """Mean over strata of the difference between the mean rates of two groups."""
    rates: list[Rate] = []
    weights: list[float] = []
    for groups in strata:
        for sign, group in zip((1, -1), groups, strict=True):
            rates += group
            weights += [sign / len(group) / len(strata)] * len(group)
    return contrast(rates, weights)


def trend_test(strata: Sequence[Sequence[tuple[float, Rate]]]) -> float:
    """Two-sided p-value for a linear trend over strata (Cochran, 1954; Armitage, 1955; Mantel, 1963).

    Args:
        strata: in each stratum, for each dose the rate of the responses.
    """
    excess = variance = 0.0
    for cells in strata:
        n = sum(rate.n for _, rate in cells)
        if n < 2:
            continue
        share = sum(rate.n * rate.value for _, rate in cells) / n
        mean_dose = sum(rate.n * dose for dose, rate in cells) / n
        excess += sum(rate.n * (rate.value - share) * dose for dose, rate in cells)
        spread = sum(rate.n * (dose - mean_dose) ** 2 for dose, rate in cells)
        variance += share * (1 - share) * spread * n / (n - 1)
    return _two_sided(excess, variance)


def slope(strata: Sequence[Sequence[tuple[float, Rate]]]) -> Effect:
    """Change of a rate per unit of dose, common to the strata: least squares over their rates."""
    rates, weights = [], []
    for cells in strata:
        mean = sum(dose for dose, _ in cells) / len(cells)
        rates += [rate for _, rate in cells]
        weights += [dose - mean for dose, _ in cells]
    spread = sum(weight**2 for weight in weights)
    return contrast(rates, [weight / spread for weight in weights])


def paired_difference(first: Sequence[float], second: Sequence[float]) -> Effect:
    """Mean of second minus first over the same problems, with Newcombe's interval (1998, method 10).

    Args:
        first: for each problem, 1 if the response has the property, or a mean over repetitions.
        second: the same problems, in the same order.
    """
    one, two = rate(first), rate(second)
    covariance = sum((x - one.value) * (y - two.value) for x, y in zip(first, second, strict=True))
    spread_one = sum((x - one.value) ** 2 for x in first)
    spread_two = sum((y - two.value) ** 2 for y in second)
    correlation = 0.0
    if spread_one > 0 and spread_two > 0:
        # Newcombe shrinks a positive covariance, so that the interval does not become too short.
        if covariance > 0:
            covariance = max(covariance - 0.5, 0.0)
        correlation = max(-1.0, min(1.0, covariance / math.sqrt(spread_one * spread_two)))
    value = two.value - one.value
    down_two, up_two = two.value - two.ci_low, two.ci_high - two.value
    down_one, up_one = one.value - one.ci_low, one.ci_high - one.value
    low = down_two**2 - 2 * correlation * down_two * up_one + up_one**2
    high = up_two**2 - 2 * correlation * up_two * down_one + down_one**2
    return Effect(value, value - math.sqrt(max(0.0, low)), value + math.sqrt(max(0.0, high)))


def paired_test(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, float]:
    """McNemar's exact test on the same problems (McNemar, 1947).

    Args:
        first: for each problem, the share of responses that have the property.
        second: the same problems, in the same order.

    Returns:
        The number of problems where the second is higher, where the first is, and the two-sided
        p-value; 1 where all problems are equal.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    up = sum(y > x for x, y in zip(first, second, strict=True))
    down = sum(y < x for x, y in zip(first, second, strict=True))
    return up, down, min(1.0, float(mcnemar([[0, up], [down, 0]], exact=True).pvalue))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm, 1979), in the same order.

    Where no effect exists, one below 5 % is among them with a probability of at most 5 %.
    """
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]] if p_values else []


def _two_sided(excess: float, variance: float) -> float:
    from scipy.stats import norm

    if variance <= 0:
        return 1.0
    return float(2 * norm.sf(abs(excess) / math.sqrt(variance)))
