"""Rates against an independent implementation, and what must hold of all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from treecut_tasks.evaluation.rates import CONFIDENCE, rate

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("k", "n"),
    [(0, 1), (1, 1), (1, 2), (0, 20), (20, 20), (1, 500), (320, 500), (499, 500), (220, 2000)],
)
def test_rate_agrees_with_scipy(k: int, n: int) -> None:
    found = rate([1.0] * k + [0.0] * (n - k))
    expected = binomtest(k, n).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    assert found.n == n
    assert found.value == pytest.approx(k / n)
    assert found.ci_low == pytest.approx(expected.low, abs=1e-12)
    assert found.ci_high == pytest.approx(expected.high, abs=1e-12)


@given(n=st.integers(1, 3000), data=st.data())
def test_interval_agrees_with_scipy_everywhere(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    found = rate([1.0] * k + [0.0] * (n - k))
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert (found.ci_low, found.ci_high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(SHARES)
def test_standard_error_is_that_of_a_mean(values: list[float]) -> None:
    found = rate(values)
    if len(values) == 1:
        assert found.stderr is None
    else:
        expected = float(np.std(values, ddof=1)) / math.sqrt(len(values))
        assert found.stderr == pytest.approx(expected, abs=1e-9)


@given(SHARES)
def test_interval_holds_the_rate_and_stays_between_zero_and_one(values: list[float]) -> None:
    found = rate(values)
    assert 0 <= found.ci_low <= found.value <= found.ci_high <= 1
    assert found.ci_low < found.ci_high
    assert rate(values[::-1]).value == pytest.approx(found.value)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_rate_of_the_opposite_is_the_mirror_image(flags: list[bool]) -> None:
    found, opposite = rate([float(x) for x in flags]), rate([float(not x) for x in flags])
    assert opposite.value == pytest.approx(1 - found.value)
    assert opposite.ci_low == pytest.approx(1 - found.ci_high, abs=1e-12)
    assert opposite.ci_high == pytest.approx(1 - found.ci_low, abs=1e-12)


@given(st.lists(st.booleans(), min_size=2, max_size=40))
def test_more_of_the_same_narrows_the_interval(flags: list[bool]) -> None:
    values = [float(x) for x in flags]
    once, tenfold = rate(values), rate(values * 10)
    assert tenfold.ci_high - tenfold.ci_low < once.ci_high - once.ci_low


def test_extremes_end_exactly_at_zero_and_one() -> None:
    nothing, everything = rate([0.0] * 7), rate([1.0] * 7)
    assert (nothing.value, nothing.ci_low) == (0.0, 0.0)
    assert (everything.value, everything.ci_high) == (1.0, 1.0)
    assert nothing.ci_high > 0.3
    assert everything.ci_low < 0.7


def test_a_rate_needs_a_response() -> None:
    with pytest.raises(ValueError, match="at least one response"):
        rate([])
