from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecut_tasks.scoring.confidence import stated_confidence


@pytest.mark.parametrize(
    ("response", "confidence"),
    [
        ("Answer: 12\nConfidence: 85 %", 0.85),
        ("Answer: unknown\n**Confidence:** 85%", 0.85),
        ("Answer: 12\nConfidence: 0.85", 0.85),
        ("Answer: 12\nConfidence: 85", 0.85),
        ("Answer: 12\nConfidence: 85/100", 0.85),
        ("Answer: 12\nConfidence: 7/10", 0.7),
        ("Answer: 12\nConfidence: 1.0", 1.0),
        ("Answer: 12\nConfidence: 1 %", 0.01),
        ("Answer: 12\nConfidence: 0", 0.0),
        ("Answer: 12\nconfidence level = 99.5 percent", 0.995),
        ("Answer: 12\nConfidence: $90\\%$", 0.9),
        ("I'm 80 % sure.\nAnswer: 12", 0.8),
        ("I am 95% confident that it costs 12 dollars.", 0.95),
        # The line counts before words, and of two the last.
        ("I'm 80 % sure.\nAnswer: 12\nConfidence: 60 %", 0.6),
        ("Confidence: 60 %\nNo, wait.\nAnswer: 12\nConfidence: 90 %", 0.9),
        # None is stated by words alone or beyond the scale.
        ("Answer: 12\nConfidence: 140 %", None),
        ("Answer: 12\nConfidence: high", None),
        ("Answer: 12\nConfidence: about ninety", None),
        ("Answer: 12", None),
        ("The pie costs 50 % more.\nAnswer: 12", None),
        (None, None),
    ],
)
def test_confidence(response: str | None, confidence: float | None) -> None:
    assert stated_confidence(response) == confidence


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    found = stated_confidence(text)
    assert found is None or 0 <= found <= 1


@given(st.integers(0, 100))
def test_every_percentage(percent: int) -> None:
    assert stated_confidence(f"Answer: 12\nConfidence: {percent} %") == percent / 100
