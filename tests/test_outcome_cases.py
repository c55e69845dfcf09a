"""The outcome of a response: hand-labelled cases of 27 kinds.

`data/outcome_cases.jsonl` holds one case a line. Its text is the working that `working` names,
`repeat[0] * repeat[1]`, `response` and `repeat_after[0] * repeat_after[1]` in this order. `outcome`
and `value` (or one of `alt`) are what a careful reader would say.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treecut_tasks.scoring import REASONS, classify_outcome, values_equal

WORKINGS = {
    "tart": "2F = 2 × 9 + 4 = 22, hence F = 11.\n\n",
    "tart_words": (
        "A lasagna at Urban Plate costs 9 dollars, so 2 of them cost 18 dollars. 2 fruit tarts at "
        "Mike's Place cost 4 dollars more than that, i.e. 22 dollars.\n\n"
    ),
    "burger": "3B + 16 = 59 gives 3B = 43.\n\n",
    "salad": (
        "The conditions give G + 2P = 31 and 3P = 3B + 9, i.e. P = B + 3. Three prices, two "
        "equations: G is not pinned down.\n\n"
    ),
    "salad_words": (
        "We never learn the price of a burrito at Mike's Place, and without it neither the pie nor "
        "the Greek salad at Texas BBQ can be fixed.\n\n"
    ),
    "wrap": (
        "The wrap in the first condition is sold at Mike's Place, while the 10-dollar wrap is sold "
        "at Bistro Nice. "
    ),
}
KINDS = 27


def load_cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def full_text(case: dict[str, Any]) -> str:
    def repeated(key: str) -> str:
        return str(case[key][0]) * int(case[key][1]) if case.get(key) else ""

    working = WORKINGS[case["working"]] if "working" in case else ""
    return f"{repeated('repeat')}{working}{case['response']}{repeated('repeat_after')}"


CASES = load_cases(Path(__file__).parent / "data" / "outcome_cases.jsonl")


def disagreement(case: dict[str, Any]) -> str | None:
    """What is wrong about the outcome of a case, or None."""
    result = classify_outcome(full_text(case))
    accepted = [case["value"], *case.get("alt", [])] if case["outcome"] == "number" else []
    right_value = (
        any(values_equal(result.value, value) for value in accepted)
        if result.value is not None
        else not accepted
    )
    if result.verdict == case["outcome"] and right_value and result.reason in REASONS:
        return None
    return f"{case['id']}: want {case['outcome']} {accepted}, got {result}"


# One test a kind: thousands of single tests would take longer to collect than to run.
@pytest.mark.parametrize("kind", sorted({case["kind"] for case in CASES}))
def test_cases(kind: str) -> None:
    found = [disagreement(case) for case in CASES if case["kind"] == kind]
    assert [text for text in found if text is not None] == []


def test_every_kind_is_covered() -> None:
    assert len({case["kind"] for case in CASES}) == KINDS
    assert len({case["id"] for case in CASES}) == len(CASES)


def test_agrees_with_the_labelled_responses(shared_dir: Path) -> None:
    path = shared_dir / "responses" / "responses.jsonl"
    scored = [case for case in load_cases(path) if not case["ambiguous"]]
    assert scored
    wrong = []
    for case in scored:
        result = classify_outcome(full_text(case) + case.get("suffix", ""))
        accepted = [case["robust_value"], *case.get("robust_value_alt", [])]
        same = result.value is None or any(values_equal(result.value, v) for v in accepted if v)
        if result.verdict != case["robust_outcome"] or not same:
            wrong.append((case["id"], result))
    assert not wrong
