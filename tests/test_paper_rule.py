"""The literal rule of the paper, Appendix B.2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecut_tasks.scoring import says_unknown


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("Answer: unknown", True),
        ("ANSWER: UNKNOWN", True),
        ("Answer: 11", False),
        ("Answer: 11 (the price of a burger remains unknown)", True),
        ("Answer: unknown\n\nLet me know if you need the answer explained.", False),
        ("The price is unknown.", False),
        ("There are two unknowns. Answer: 11", False),
        ("Answer: 11. No unknowns are left.", True),
        ("The price is unanswerable and unknown.", True),
        ("Answer: un\u200bknown", False),
        ("Answer: cannot be determined", False),
        ("Answer: **unknown**", True),
        ("<think>Answer: unknown</think>", True),
        ("unknown is my answer", False),
        ("", False),
    ],
)
def test_rule_is_taken_literally(response: str, expected: bool) -> None:
    assert says_unknown(response) is expected


@given(before=st.text(), after=st.text(alphabet="abcd \n.*"))
def test_only_text_after_the_last_trigger_word_counts(before: str, after: str) -> None:
    assert says_unknown(f"{before} answer {after} unknown")
    assert not says_unknown(f"{before} unknown answer {after}")


@given(st.text(alphabet="bcdfgh XYZ\n."))
def test_a_response_without_the_trigger_word_is_never_counted(text: str) -> None:
    assert not says_unknown(f"{text} unknown {text}")


def test_agrees_with_the_labelled_responses(shared_dir: Path) -> None:
    path = shared_dir / "responses" / "responses.jsonl"
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    scored = [c for c in cases if not c["ambiguous"] and not c["paper_ambiguous"]]
    assert scored
    for case in scored:
        text = case["repeat"][0] * case["repeat"][1] if case.get("repeat") else ""
        text += case["response"]
        assert says_unknown(text) is case["paper_correct_if_unanswerable"], case["id"]
