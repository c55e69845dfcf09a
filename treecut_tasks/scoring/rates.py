"""Rates over responses, with their uncertainty; the same code computes them in both frameworks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
"""Level of all intervals."""

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Rate:
    """A share of responses.

    Attributes:
        value: the share, from 0 to 1.
        stderr: its standard error (sample standard deviation over √n); None below two responses.
        ci_low: lower end of the 95 % Wilson interval.
        ci_high: upper end.
        n: number of responses.
    """

    value: float
    stderr: float | None
    ci_low: float
    ci_high: float
    n: int


def rate(values: Sequence[float]) -> Rate:
    """The share of responses that have a property, with a Wilson score interval (Wilson, 1927).

    Args:
        values: one number from 0 to 1 for each response; 0 or 1, or a mean over repetitions.

    Raises:
        ValueError: no values.
    """
    n = len(values)
    if n == 0:
        raise ValueError("A rate needs at least one response.")
    value = sum(values) / n
    stderr = None
    if n > 1:
        stderr = math.sqrt(sum((x - value) ** 2 for x in values) / (n - 1) / n)
    spread = _Z * math.sqrt((value * (1 - value) + _Z**2 / (4 * n)) / n)
    centre = value + _Z**2 / (2 * n)
    scale = 1 + _Z**2 / n
    # At 0 and 1 the interval ends there exactly; rounding must not push it beyond.
    low = max(0.0, (centre - spread) / scale)
    high = min(1.0, (centre + spread) / scale)
    return Rate(value, stderr, min(low, value), max(high, value), n)


def rate_table(
    columns: Mapping[str, Sequence[float]], with_interval: Collection[str], suffix: str = ""
) -> dict[str, float]:
    """Rates as named numbers: `NAME`, `NAME_stderr`, and for some `NAME_ci_low`, `NAME_ci_high`.

    Args:
        columns: for each name, one number for each response.
        with_interval: names of the rates that get their interval.
        suffix: put behind each name, `_ans_depth_8` for example.
    """
    table: dict[str, float] = {}
    for name, values in columns.items():
        result = rate(values)
        key = f"{name}{suffix}"
        table[key] = result.value
        if result.stderr is not None:
            table[f"{key}_stderr"] = result.stderr
        if name in with_interval:
            table[f"{key}_ci_low"] = result.ci_low
            table[f"{key}_ci_high"] = result.ci_high
    return table
