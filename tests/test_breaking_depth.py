"""Breaking depth: what the answers of models with known curves lead to."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecut_tasks.errors import TreecutError
from treecut_tasks.psychometrics import Estimate, curves, estimate, next_batch

DEPTHS = range(2, 21)


def run(rate: Callable[[int], float], seed: int, **options: float) -> tuple[Estimate, int]:
    """What an adaptive run finds on a model that fails with this probability, and its calls."""
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(DEPTHS, (0, 0))
    while batch := next_batch(counts, **options):  # type: ignore[arg-type]
        for depth in batch:
            asked, failed = counts[depth]
            counts[depth] = (asked + 1, failed + int(rng.random() < rate(depth)))
    return estimate(counts), sum(asked for asked, _ in counts.values())


def rising(depth: float, width: float = 0.6) -> Callable[[int], float]:
    return lambda d: 0.03 + 0.94 / (1 + np.exp(-(d - depth) / width))


@pytest.mark.parametrize("depth", [3.2, 9.0, 17.7])
def test_a_steep_rise_is_found_with_few_calls(depth: float) -> None:
    results = [run(rising(depth), seed) for seed in range(3)]
    assert all(found.outcome == "breaks" for found, _ in results)
    assert sum(found.low <= depth <= found.high for found, _ in results) >= 2  # type: ignore[operator]
    assert all(found.high - found.low <= 2 for found, _ in results)  # type: ignore[operator]
    assert sorted(calls for _, calls in results)[1] <= 72


@pytest.mark.parametrize(
    ("rate", "outcome", "text"),
    [
        (lambda d: 0.84, "flat", r"no breaking depth: flat at 8\d\.\d % \(\d\d to \d\d\)"),
        (lambda d: 0.5, "flat", r"no breaking depth: flat at [45]\d\.\d % \(\d\d to \d\d\)"),
        (
            lambda d: 0.9 if d < 8 else 0.2,
            "falling",
            r"no breaking depth: falls from [89]\d to [123]\d %",
        ),
        (lambda d: 0.02 if d < 12 else 0.3, "always below", "no breaking depth: always below"),
        (lambda d: 0.65 if d < 12 else 0.99, "always above", "no breaking depth: always above"),
    ],
)
def test_where_nothing_breaks_no_number_is_given(
    rate: Callable[[int], float], outcome: str, text: str
) -> None:
    results = [run(rate, seed)[0] for seed in range(3)]
    assert [found.outcome for found in results].count(outcome) >= 2  # type: ignore[arg-type]
    assert all(found.depth is None for found in results)
    assert any(re.fullmatch(text, str(found)) for found in results)


def test_the_same_answers_lead_to_the_same_calls() -> None:
    assert run(rising(6), 1) == run(rising(6), 1)


@settings(max_examples=10)
@given(st.integers(0, 40), st.integers(1, 20))
def test_no_more_is_asked_than_allowed(max_asked: int, size: int) -> None:
    assert run(lambda d: 0.5, 0, max_asked=max_asked, size=size)[1] == max_asked


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=4, max_size=4),
    st.sampled_from([0.25, 0.5, 0.8]),
)
def test_any_counts_give_an_estimate_whose_parts_agree(
    pairs: list[tuple[int, int]], rate: float
) -> None:
    counts = {2 * i + 2: (max(pair), min(pair)) for i, pair in enumerate(pairs)}
    found = estimate(counts, rate)
    assert (found.depth is not None) == (found.outcome == "breaks")
    if found.depth is not None:
        assert 2 <= found.low <= found.depth <= found.high <= 8  # type: ignore[operator]
        assert found.evidence >= 20
    assert all(0 <= r.low <= r.value <= r.high <= 1 for r in [found.level, *found.curve.values()])
    assert str(found)


def test_the_paper_s_models_are_told_apart() -> None:
    """Table 1, 500 problems a depth, and the right panel's claims of Figure 3."""
    table = {
        "Llama-8B": (80.2, 86.2, 86.0, 84.2),
        "GPT-4o": (12.0, 18.0, 47.4, 64.0),
        "o3-mini": (44.0, 25.2, 19.2, 25.6),
        "Qwen-7B": (84.6, 90.4, 95.6, 93.4),
    }
    found = {
        model: estimate({d: (500, round(5 * r)) for d, r in zip((2, 4, 6, 8), rates, strict=True)})
        for model, rates in table.items()
    }
    assert str(found["Llama-8B"]) == "no breaking depth: flat at 84.2 % (83 to 86)"
    assert found["o3-mini"].outcome == "falling"
    assert found["Qwen-7B"].outcome == "always above"
    assert found["GPT-4o"].depth == pytest.approx(6.2, abs=0.1)
    for depth, rate in zip((2, 4, 6, 8), table["GPT-4o"], strict=True):
        band = found["GPT-4o"].curve[depth]
        assert band.low < rate / 100 < band.high
    by_cut = (40, 45, 62, 66, 72, 64, 46)
    assert estimate({c + 1: (500, 5 * r) for c, r in enumerate(by_cut)}).outcome == "not monotone"


@pytest.mark.parametrize(
    ("depths", "rate", "message"), [((2, 3), 0.95, "from 0.1 to 0.9"), ((2,), 0.5, "two or more")]
)
def test_what_cannot_be_asked_is_refused(
    depths: tuple[int, ...], rate: float, message: str
) -> None:
    with pytest.raises(TreecutError, match=message):
        curves(depths, rate)
