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


@given(n=st.integers(1, 3000), data=st.data())
def test_rate_agrees_with_scipy(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    found = rate([1.0] * k + [0.0] * (n - k))
    expected = binomtest(k, n).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    assert found.n == n
    assert found.value == pytest.approx(k / n)
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


def test_extremes_end_exactly_at_zero_and_one() -> None:
    nothing, everything = rate([0.0] * 7), rate([1.0] * 7)
    assert (nothing.value, nothing.ci_low) == (0.0, 0.0)
    assert (everything.value, everything.ci_high) == (1.0, 1.0)


def test_a_rate_needs_a_response() -> None:
    with pytest.raises(ValueError, match="at least one response"):
        rate([])
