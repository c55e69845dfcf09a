"""`classify_outcome` through the public call: what is invariant, what is exact, what any text gets."""

from __future__ import annotations

import cProfile
import json
import re
import subprocess
import sys
import unicodedata
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecut_tasks.scoring import REASONS, Judgement, classify_outcome, find_notice, values_equal

FRAGMENTS = [
    "Answer: ", "The answer is ", "answer", "unknown", "11", "-3", "43/3", "\n", "\n\n", " ", "$",
    "\\boxed{", "}", "{", "\\frac{", "**", "`", "<think>", "</think>", "<answer>", "</answer>",
    "####", "=", "x", "2x - 3", " or ", " and ", " to ", "-", "–", "(", ")", "[", "]", '"', "'",
    ":", "<|im_end|>", "Question: ", "Wait, ", "if ", "costs ", "dollars", "a fruit tart ", "not ",
    "cannot be determined", "\u0305", "½", "١", "未知", "e400", "/0", "/", "÷", "9" * 50, "...", "?",
    "!", ".", ",", "≈", "^", "_", "____", "\ud800", "\x00", "😀", "one ", "twenty-", "&#65;", "&lt;",
    "\\n", "~~", "1. ", "- ", "|", "> ", "# ", '{"answer": ', "null", "analysis", "[THINK]", "\t",
    "\r\n", "<|channel|>final<|message|>", "<|channel|>analysis<|message|>",
]  # fmt: skip
RESPONSES = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join) | st.text(max_size=200)
ENDINGS = ["", " ", "\n", "\n\n", "<|im_end|>", "</s>", "<|eot_id|>", "<end_of_turn>\n", "\u200b"]
PROBLEM = (
    "2 pies at Bistro Nice cost 14 dollars. A salad at Texas BBQ costs 5 dollars more than a pie at "
    "Bistro Nice. Question: how much does a salad at Texas BBQ cost?"
)
COMPLETE = [
    "2 pies cost 14 dollars, so a pie costs 7.\n\nAnswer: 12",
    "So a pie costs 7 dollars.\n\nTherefore, a salad at Texas BBQ costs **12** dollars.",
    "The price is \\(\\boxed{12}\\) dollars.",
    "The café's pie is never priced, so the salad’s price cannot be determined.",
    "Answer: unknown",
    "Could you please provide the price of a pie?",
    "#### 12",
    "12",
    "The salad and the pie cost 2x − 3 together.",
]


def check_invariants(result: Judgement, text: str) -> None:
    assert result.reason in REASONS
    assert (result.value is not None) == (result.verdict == "number")
    assert (result.tier is None) == (result.verdict == "none")
    if result.value is not None:
        assert values_equal(result.value, result.value)
    if result.verdict != "none":
        assert result.quote is not None
    if result.quote is not None:
        assert text[result.quote.start : result.quote.end] == result.quote.text


@settings(max_examples=400)
@given(RESPONSES, st.booleans())
def test_any_text_gets_a_judgement_with_its_own_words(text: str, truncated: bool) -> None:
    result = classify_outcome(text, problem=PROBLEM, truncated=truncated)
    check_invariants(result, text)
    assert result == classify_outcome(text, problem=PROBLEM, truncated=truncated)


@settings(max_examples=300)
@given(st.sampled_from(COMPLETE), st.data())
def test_mutated_responses_get_a_judgement(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(at, min(len(text), at + 5)))
        text = text[:at] + data.draw(st.sampled_from(FRAGMENTS)) + text[end:]
    check_invariants(classify_outcome(text, problem=PROBLEM), text)


@pytest.mark.parametrize("text", COMPLETE)
@pytest.mark.parametrize(
    "change",
    [
        lambda t: t + "  \n",
        lambda t: t.replace("\n", "\r\n"),
        lambda t: unicodedata.normalize("NFD", t),
        lambda t: unicodedata.normalize("NFC", t),
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace("12", "**12**"),
        lambda t: t + "\n\nLet me know if you have any other questions!",
        lambda t: t + "\n\nI hope this helps. 😊",
        lambda t: "<think>\nAnswer: 3\n</think>\n\n" + t,
        lambda t: t + "<|im_end|>",
    ],
    ids=["blanks", "crlf", "nfd", "nfc", "tabs", "bold", "polite", "hope", "thinking", "stop"],
)
def test_what_says_nothing_changes_nothing(text: str, change: object) -> None:
    assert callable(change)
    before = classify_outcome(text, problem=PROBLEM)
    after = classify_outcome(change(text), problem=PROBLEM)
    assert (after.verdict, after.value) == (before.verdict, before.value)


@given(RESPONSES, st.sampled_from(ENDINGS))
def test_an_answer_line_behind_thinking_decides(text: str, ending: str) -> None:
    for visible in ("<|channel|>final", "</think>", "<|im_end|>"):
        text = text.replace(visible, "")
    result = classify_outcome(f"<think>{text}</think>\n\nAnswer: 11{ending}")
    assert (result.verdict, result.value, result.tier) == ("number", "11", "contract")


@given(st.integers(-(10**9), 10**9), st.sampled_from(ENDINGS))
def test_integers_are_read_back(number: int, ending: str) -> None:
    for line in (
        f"Answer: {number}",
        f"**Answer:** ${number}$",
        f"\\boxed{{{number}}}",
        f"#### {number}",
        f"Answer: {number:,}",
    ):
        result = classify_outcome(line + ending)
        assert (result.verdict, result.value) == ("number", str(number)), line


@given(
    st.fractions(-1000, 1000, max_denominator=200),
    st.sampled_from(["{0}/{1}", "\\frac{{{0}}}{{{1}}}"]),
)
def test_fractions_are_read_back_exactly(value: Fraction, form: str) -> None:
    written = form.format(value.numerator, value.denominator)
    result = classify_outcome(f"Answer: {written}.")
    assert result.value is not None
    assert values_equal(result.value, f"{value.numerator}/{value.denominator}")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("11.00", "11"),
        ("10.50", "10.5"),
        ("22/2", "11"),
        ("14 1/3.", "43/3"),
        ("10½.", "10.5"),
        ("2 1/2.", "2.5"),
        ("1 100.", "1100"),
        ("9,\\!360", "9360"),
        ("- 5", "-5"),
        ("−5", "-5"),
        ("\n- 5", "5"),
        ("\n-5", "-5"),
        ("\n12.", "12"),
        ("√121", None),
        ("7 or unknown", None),
        ("unknown or 7", None),
        ("7 or 8", None),
        ("p ≠ 7", None),
        ("2x - 3", None),
        ("between 5 and 15", None),
        ("9" * 5000, None),
    ],
)
def test_how_a_number_is_written(written: str, value: str | None) -> None:
    result = classify_outcome(f"Answer: {written}")
    assert (result.verdict, result.value) == ("none" if value is None else "number", value)


@pytest.mark.parametrize(
    ("value", "answer", "equal"),
    [
        ("11.0", "11", True),
        ("43/3", "14.3333", True),
        ("14.33", "43/3", False),
        ("-11", "11", False),
        ("0.00000001", "0", True),
        ("11", "unknown", False),
        ("", "11", False),
        ("1/0", "1", False),
    ],
)
def test_values_equal(value: str, answer: str, equal: bool) -> None:
    assert values_equal(value, answer) is equal


CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "outcome_cases.jsonl")
    .read_text(encoding="utf-8")
    .split("\n")
    if line
]
"""Self-written responses: `kind`, `problem` (a name or a text), `response`, `verdict`, `value`."""

PROBLEMS = {
    "tart": (
        "A lasagna at Urban Plate costs 9 dollars. 2 fruit tarts at Mike's Place cost 4 dollars more "
        "than 2 lasagnas at Urban Plate. A burger at Bistro Nice costs 13 dollars. Question: how much "
        "does a fruit tart at Mike's Place cost?"
    ),
    "salad": (
        "A Greek salad at Texas BBQ and 2 pies at Texas BBQ cost 31 dollars. 3 pies at Texas BBQ cost "
        "9 dollars more than 3 burritos at Mike's Place. A burger at Urban Plate costs 13 dollars. "
        "Question: how much does a Greek salad at Texas BBQ cost?"
    ),
}


def agrees(case: dict[str, Any], problem: str | None) -> bool:
    result = classify_outcome(
        case["response"], problem=problem, truncated=case.get("truncated", False)
    )
    right = result.value is None or values_equal(result.value, case.get("value", ""))
    return result.verdict == case["verdict"] and right


@pytest.mark.parametrize("kind", sorted({case["kind"] for case in CASES}))
def test_kinds_of_responses(kind: str) -> None:
    """At least nine in ten of every kind; a single rare case is not worth a rule."""
    cases = [case for case in CASES if case["kind"] == kind]
    wrong = [c for c in cases if not agrees(c, PROBLEMS.get(c["problem"], c["problem"]))]
    assert len(wrong) <= len(cases) / 10, wrong


def test_most_is_read_without_the_problem() -> None:
    cases = [case for case in CASES if case["kind"] != "other_item"]
    assert sum(agrees(case, None) for case in cases) >= 0.95 * len(cases)


SHARED = [
    ("responses.jsonl", 0.95),
    ("cases-2.jsonl", 0.95),
    ("treecut-real.jsonl", 0.95),
    ("real.jsonl", 0.96),
]


@pytest.mark.parametrize(("name", "least"), SHARED)
def test_agrees_with_the_labelled_responses(shared_dir: Path, name: str, least: float) -> None:
    """Skipped, with the reason, where the labelled responses are not beside the repository."""
    folder = shared_dir / "responses"
    check = f"{folder}/check.py --data {folder}/{name} --r treecut_tasks.scoring:classify_outcome"
    command = [sys.executable, *check.split()]
    printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout
    total = re.search(r"^TOTAL +(\d+)/(\d+)", printed, re.MULTILINE)
    assert total is not None, printed
    assert int(total[1]) >= least * int(total[2])


FLOODS = [
    "\\boxed{", "Answer: ", "A: no. ", "Answer: 1\n", "9", " ", "\n", "<", "|\n", "<think>", "(",
    "[", "*", "`", "$", "\\", "\\frac{1}{", "\\text{", "<answer>", '"answer": ', "#### 11\n", "½",
    "not ", "1,", "one hundred ", "the answer is 3. ", "Wait, ", "Question: how much does ",
    "\ud800", "\u0301\u0323", "So a pie costs 12 dollars. ", "need the price ", "x = 3\n", "<|x|>",
    "- ", "1 ",
]  # fmt: skip


@pytest.mark.parametrize("piece", FLOODS)
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    """Function calls are counted, not seconds: ten times the text, at most about ten times the work."""

    def work(size: int) -> int:
        profile = cProfile.Profile()
        profile.enable()
        classify_outcome(piece * (size // len(piece)) + "\n\nAnswer: 11", problem=PROBLEM)
        profile.disable()
        return sum(entry.callcount for entry in profile.getstats())

    assert work(200_000) <= 15 * work(20_000)


@pytest.mark.parametrize(
    ("reasoning", "response", "words", "upheld"),
    [
        (
            None,
            "A pie is never priced. The price cannot be determined.",
            "A pie is never priced.",
            True,
        ),
        (
            "The price of a pie is not given. Say 7.",
            "Answer: 12",
            "The price of a pie is not given.",
            False,
        ),
        (
            None,
            "<think>\nNot enough information?\n</think>Answer: 12",
            "Not enough information?",
            False,
        ),
        (
            "Is the price of a pie given? It is not given. So I guess.",
            "Assuming that a pie costs 7 dollars, a salad costs 12.",
            "It is not given.",
            True,
        ),
        (None, "A pie costs 7 dollars, so a salad costs 12.\n\nAnswer: 12", None, None),
        ("I see no missing information.", "Answer: 12", None, None),
        (
            "I should answer unknown when there is not enough information. Let me see.",
            "The conditions do not suffice. A pie is perhaps 5.\nAnswer: 12",
            "The conditions do not suffice.",
            True,
        ),
    ],
)
def test_what_a_model_noticed(
    reasoning: str | None, response: str, words: str | None, upheld: bool | None
) -> None:
    notice = find_notice(response, reasoning=reasoning)
    found = None if notice is None else (notice.quote.strip(), notice.upheld)
    assert found == (None if words is None else (words, upheld))


def test_noticing_agrees_with_the_labelled_responses(shared_dir: Path) -> None:
    rows = read_rows(shared_dir / "responses" / "noticing.jsonl")
    rows = [row for row in rows if not row["unsure"]]
    notices = [find_notice(row["response"] or "", reasoning=row["reasoning"]) for row in rows]
    both = [(row, n) for row, n in zip(rows, notices, strict=True) if row["noticed"] and n]
    noticed = sum(row["noticed"] for row in rows)
    assert 2 * len(both) >= 0.92 * (noticed + sum(n is not None for n in notices))
    assert sum(row["upheld"] == n.upheld for row, n in both) >= 0.9 * len(both)


def test_abstentions_notice_and_right_answers_do_not(shared_dir: Path) -> None:
    found: dict[bool, list[bool]] = {True: [], False: []}
    for row in read_rows(shared_dir / "responses" / "real.jsonl"):
        abstains = row["robust_outcome"] == "unknown"
        if (
            not row["ambiguous"]
            and abstains != row["answerable"]
            and row["robust_outcome"] != "none"
        ):
            found[abstains].append(find_notice(row["response"]) is not None)
    assert fmean(found[True]) >= 0.95
    assert fmean(found[False]) <= 0.08


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
