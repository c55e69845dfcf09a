"""`classify_outcome` as a whole: properties, size, and robustness."""

from __future__ import annotations

import string
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treecut_tasks.scoring import REASONS, Judgement, classify_outcome, values_equal

FRAGMENTS = [
    *(
        "Answer: ",
        "The answer is ",
        "answer",
        "unknown",
        "11",
        "-3",
        "43/3",
        "\n",
        "\n\n",
        " ",
        "$",
    ),
    *("\\boxed{", "}", "{", "\\frac{", "**", "`", "<think>", "</think>", "<answer>", "</answer>"),
    *("####", "=", "x", "2x - 3", " or ", " and ", " to ", "-", "–", "(", ")", "[", "]", '"', "'"),
    *(":", "|", "<|im_end|>", "<|channel|>final<|message|>", "<|channel|>analysis<|message|>"),
    *("Question: ", "Wait, ", "if ", "costs ", "dollars", "a fruit tart ", "not ", "\\text{"),
    *(
        "cannot be determined",
        "\u0305",
        "½",
        "١",
        "未知",
        "负十",
        "百",
        "e400",
        "1e9",
        "/0",
        "/",
        "÷",
    ),
    *(
        "0",
        "9" * 50,
        "...",
        "?",
        "!",
        ".",
        ",",
        "≈",
        "×10^",
        "^",
        "_",
        "____",
        "\ud800",
        "\x00",
        "😀",
    ),
    *(
        "one ",
        "half ",
        "twenty-",
        " and a third",
        "hundred ",
        " point five",
        "&#65;",
        "&lt;",
        "\\n",
    ),
    *(
        "~~",
        "1. ",
        "- ",
        "> ",
        "# ",
        '{"answer": ',
        "null",
        "analysis",
        "assistantfinal",
        "[THINK]",
    ),
]
RESPONSES = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join) | st.text(max_size=200)
ENDINGS = ["", " ", "\n", "\n\n", "<|im_end|>", "</s>", "<|eot_id|>", "<end_of_turn>\n", "\u200b"]
SIZE = 1_000_000
FLOOD = 100_000


def check_invariants(result: Judgement) -> None:
    assert result.verdict in ("unknown", "number", "none")
    assert result.reason in REASONS
    assert (result.value is not None) == (result.verdict == "number")
    if result.value is not None:
        assert values_equal(result.value, result.value)


@settings(max_examples=400)
@given(RESPONSES)
def test_any_text_gets_an_outcome(text: str) -> None:
    check_invariants(classify_outcome(text))
    check_invariants(classify_outcome(text, truncated=True))


@given(RESPONSES, st.sampled_from(ENDINGS))
def test_a_final_answer_line_decides_whatever_was_written_before_thinking_ended(
    text: str, ending: str
) -> None:
    result = classify_outcome(f"<think>{text}</think>\n\nAnswer: 11{ending}")
    closes_again = any(mark in text for mark in ("assistantfinal", "<|channel|>"))
    assert closes_again or (result.verdict, result.value) == ("number", "11")


@given(st.integers(-(10**9), 10**9), st.sampled_from(ENDINGS))
def test_integers_are_read_back(number: int, ending: str) -> None:
    for line in (
        f"Answer: {number}",
        f"**Answer:** ${number}$",
        f"\\boxed{{{number}}}",
        f"#### {number}",
    ):
        result = classify_outcome(line + ending)
        assert (result.verdict, result.value) == ("number", str(number)), line


@given(
    st.fractions(-1000, 1000, max_denominator=200),
    st.sampled_from(["{0}/{1}", "\\frac{{{0}}}{{{1}}}"]),
)
def test_fractions_are_read_back_exactly(value: Fraction, form: str) -> None:
    written = form.format(value.numerator, value.denominator)
    result = classify_outcome(f"Answer: {written}")
    assert result.value is not None
    assert values_equal(result.value, f"{value.numerator}/{value.denominator}")


@given(st.decimals(-1000, 1000, places=3))
def test_decimals_are_read_back(value: object) -> None:
    result = classify_outcome(f"Answer: {value}")
    assert result.value is not None
    assert values_equal(result.value, str(value))


@given(st.text(alphabet=string.ascii_letters + " .,\n", max_size=60), st.sampled_from(ENDINGS))
def test_nothing_invisible_at_the_end_changes_the_outcome(words: str, ending: str) -> None:
    text = f"{words}\n\nAnswer: unknown"
    assert classify_outcome(text + ending) == classify_outcome(text)


@given(RESPONSES)
def test_classification_is_deterministic(text: str) -> None:
    assert classify_outcome(text) == classify_outcome(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty"),
        ("  \n", "empty"),
        ("Answer: 11", "answer_line"),
        ("$\\boxed{11}$", "boxed"),
        ("#### 11", "hash_line"),
        ("<answer>11</answer>", "tag"),
        ('{"answer": 11}', "json_key"),
        ("| Item | Answer |\n|---|---|\n| tart | 11 |", "table"),
        ("submit_answer(11)", "call"),
        ("So the answer is 11.", "stated"),
        ("Therefore a fruit tart costs 11 dollars.", "sentence"),
        ("11", "bare_value"),
        ("<think>Answer: 11</think>", "thinking_only"),
        ("<think>Answer: 11", "truncated_thinking"),
        ("I'm sorry, but I can't assist with that.", "refused"),
        ("Then 2F = 2 × 9 +", "truncated"),
        ("\\boxed{}", "empty_answer"),
        ("Answer: 25 - 2B", "expression"),
        ("Answer: 5 to 15", "range"),
        ("Answer: " + "9" * 5000, "unreadable"),
        ("Answer: 6\nAnswer: 11", "conflicting_answers"),
        ("Please provide the question.", "no_commitment"),
    ],
)
def test_every_reason(text: str | None, reason: str) -> None:
    assert classify_outcome(text).reason == reason


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("2F = 22, hence F = 11. Answer: 11", "number"),
        ("Answer: 11\n\nTo check, we put 11 into", "number"),
        ("Answer: unknown", "unknown"),
        ("The price of a pie is 10 dollars, so", "none"),
        ("Answer:", "none"),
        ("Answer: \\boxed{", "none"),
        ("Answer: 1 +", "none"),
    ],
)
def test_a_response_that_the_token_limit_stopped(text: str, outcome: str) -> None:
    assert classify_outcome(text, truncated=True).verdict == outcome


def test_values_are_written_exactly() -> None:
    written = {
        "11.00": "11",
        "-3": "-3",
        "10.50": "10.5",
        "43/3": "43/3",
        "22/2": "11",
        "14 1/3": "43/3",
        "1,100": "1100",
    }
    assert {w: classify_outcome(f"Answer: {w}").value for w in written} == written


@pytest.mark.parametrize(
    ("value", "answer", "equal"),
    [
        ("11", "11", True),
        ("11.0", "11", True),
        ("43/3", "14.3333", True),
        ("14.33", "43/3", False),
        ("-11", "11", False),
        ("0", "0", True),
        ("0.00000001", "0", True),
        ("11", "unknown", False),
        ("unknown", "unknown", False),
        ("", "11", False),
        ("1/0", "1", False),
    ],
)
def test_values_equal(value: str, answer: str, equal: bool) -> None:
    assert values_equal(value, answer) is equal


FLOODS = (
    *(
        "\\boxed{",
        "answer",
        "Answer: ",
        "a: ",
        "A: no. ",
        "Answer: 1\n",
        "9",
        " ",
        "\n",
        "<",
        "|\n",
    ),
    *("<think>", "</think>", "(", "[", "*", "`", "$", "\\", "\\frac{1}{", "\\text{", "~~", "<!--"),
    *("<answer>", '"answer": ', "| a ", "#### 11\n", "unknow ", "not ", "1,", "one hundred ", "½"),
    *("the answer is 3. ", "Wait, ", "Question: how much does ", "\u0301\u0323", "😀", "\ud800"),
)


def test_a_flood_of_anything_is_classified() -> None:
    for piece in FLOODS:
        result = classify_outcome(piece * (FLOOD // len(piece)) + "\n\nAnswer: 11")
        check_invariants(result)
        assert result.value in ("11", None), piece


@pytest.mark.parametrize("piece", ["<", "Answer: no. ", "\\boxed{1}} "])
def test_a_megabyte_is_classified(piece: str) -> None:
    check_invariants(classify_outcome(piece * (SIZE // len(piece))))


def test_an_answer_in_the_middle_of_an_enormous_text_is_found() -> None:
    filler = "We go on and on.\n" * (SIZE // 17)
    result = classify_outcome(f"{filler}\nAnswer: 11\n\n{filler}")
    assert (result.verdict, result.value) == ("number", "11")
