"""Each step of the outcome alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from treecut_tasks.scoring.abstention import find_abstention, is_unknown_word
from treecut_tasks.scoring.characters import normalise_characters
from treecut_tasks.scoring.closing import closing_statement
from treecut_tasks.scoring.commitments import find_commitments
from treecut_tasks.scoring.corrections import correction_after
from treecut_tasks.scoring.excerpt import excerpt
from treecut_tasks.scoring.items import name_another_item, priced_items
from treecut_tasks.scoring.numerals import canonical, read_quantity
from treecut_tasks.scoring.plain import BOX_CLOSE, BOX_OPEN, plain_text
from treecut_tasks.scoring.retractions import reopens, retracts
from treecut_tasks.scoring.sentences import split_sentences
from treecut_tasks.scoring.turns import split_turns
from treecut_tasks.scoring.values import read_span
from treecut_tasks.scoring.visible import visible_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ａｎｓｗｅｒ：１１", "Answer:11"),
        ("−3", "-3"),
        ("14⅓", "14 1/3"),
        ("⁴³⁄₃", " 43/3"),
        ("14.3\u0305", "14.(3)"),
        ("١١", "11"),
        ("Аnswer", "Answer"),
        ("un\u200bkn\u00adown", "unknown"),
        ("é", "e"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("Ответ", "Ответ"),
        ("\ue000\ud800\x00", ""),
        ("Ⅺ", "11"),
    ],
)
def test_characters(text: str, plain: str) -> None:
    assert normalise_characters(text) == plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("a<think>b", "a"),
        ("<think>a<think>b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<thinking>a<reflection>b</reflection>c</thinking>d", "d"),
        ("[THINK]a[/THINK]b", "b"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "b",
        ),
        ("analysisWe think.assistantfinalB", "B"),
        ("the tag `<think>` is not used", "the tag `<think>` is not used"),
        ("a <!-- b --> c", "a  c"),
    ],
)
def test_visible_text(text: str, shown: str) -> None:
    assert visible_text(text).text.strip() == shown


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**Answer:** `11`", "Answer: 11"),
        ("\\(\\frac{43}{3}\\)", "43/3"),
        ("14\\frac{1}{3}", "14 1/3"),
        ("-$3", "-3"),
        ("\\$11.00", "11.00"),
        ("1{,}100", "1,100"),
        ("\\boxed{11}", f"{BOX_OPEN}11{BOX_CLOSE}"),
        ("\\boxed{\\text{unknown}}", f"{BOX_OPEN}unknown{BOX_CLOSE}"),
        ("\\boxed{{{{", "{{{{"),
        ("3*11 = 33", "3*11 = 33"),
        ("B_T = 6", "B_T = 6"),
        ("~~6~~ 11", "11"),
        ("11&nbsp;&#36;", "11"),
        ("5 \\le x", "5 ≤ x"),
    ],
)
def test_plain_text(text: str, plain: str) -> None:
    assert plain_text(text).replace("\ue005", "").strip() == plain


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\n\nQuestion: b", 2),
        ("a\n\nUser: b\nAssistant: c", 3),
        ("a\ue003b", 2),
        ("a question: b", 1),
        ("", 1),
    ],
)
def test_turns(text: str, parts: int) -> None:
    assert len(split_turns(text)) == parts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("11", "11"),
        ("- 3", "-3"),
        ("1,100.50", "1100.5"),
        ("10,50", "10.5"),
        ("5, 6", "5"),
        ("43/3", "43/3"),
        ("14 1/3", "43/3"),
        ("14.(3)", "43/3"),
        ("1.1e1", "11"),
        ("1.1 × 10^1", "11"),
        ("twenty-one", "21"),
        ("one hundred and five", "105"),
        ("fourteen and a third", "43/3"),
        ("forty-three thirds", "43/3"),
        ("minus three", "-3"),
        ("a dozen", "12"),
        ("ten point five", "10.5"),
        ("二十一", "21"),
    ],
)
def test_quantities(text: str, value: str) -> None:
    quantity = read_quantity(text, 0)
    assert quantity is not None
    assert quantity.value is not None
    assert canonical(quantity.value) == value


@pytest.mark.parametrize("text", ["", "x", "eleventh", "oneself", ".", "-", "third"])
def test_no_quantity(text: str) -> None:
    assert read_quantity(text, 0) is None


@pytest.mark.parametrize("text", ["1/0", "9" * 2000, "1e999999999"])
def test_a_quantity_beyond_all_bounds_has_no_value(text: str) -> None:
    quantity = read_quantity(text, 0)
    assert quantity is not None
    assert quantity.value is None


def test_canonical_form() -> None:
    assert [canonical(Fraction(n, d)) for n, d in ((11, 1), (-7, 2), (1, 8), (43, 3))] == [
        "11",
        "-3.5",
        "0.125",
        "43/3",
    ]


@pytest.mark.parametrize(
    "word", ["unknown", "Unkown", "unknwon", "unknow", "uknown", "unknownunknow"]
)
def test_typos_of_unknown(word: str) -> None:
    assert is_unknown_word(word)


@pytest.mark.parametrize(
    "word", ["unknowns", "union", "under", "unkind", "unwind", "known", "undone"]
)
def test_other_words(word: str) -> None:
    assert not is_unknown_word(word)


@pytest.mark.parametrize(
    "text",
    [
        "the price cannot be determined",
        "there is not enough information",
        "no unique solution",
        "the data do not suffice",
        "it has an unknown price",
        "信息不足",
    ],
)
def test_abstentions(text: str) -> None:
    assert find_abstention(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "the unknown price is 11",
        "it is not unknown",
        "three unknowns",
        "this cannot be found from the first condition alone",
        "it is not hard to determine",
        "the burger is not needed to determine it",
        "no unknown remains",
    ],
)
def test_no_abstentions(text: str) -> None:
    assert find_abstention(text) is None


@pytest.mark.parametrize(
    ("span", "kind", "value"),
    [
        ("11 dollars", "number", 11),
        ("x = 33 - 22 = 11", "number", 11),
        ("2F = 22, F = 11", "number", 11),
        ("A burger costs 11 dollars", "number", 11),
        ("2 tarts cost 22 dollars, so one costs 11 dollars", "number", 11),
        ("11 (the burger's price is unknown)", "number", 11),
        ("unknown, but it would be 12 if wraps cost 10", "unknown", None),
        ("25 - 2B", "expression", None),
        ("G + 2P = 31", "expression", None),
        ("3 dollars more than a burrito", "expression", None),
        ("5 to 15", "range", None),
        ("at least 5", "range", None),
        ("5 or 6", "range", None),
        ("<number>", "template", None),
        ("  **", "empty", None),
        ("see above", "text", None),
    ],
)
def test_spans(span: str, kind: str, value: int | None) -> None:
    reading = read_span(span)
    assert (reading.kind, reading.value) == (kind, value)


def test_commitments_are_found_in_order_with_their_strength() -> None:
    found = find_commitments(f"The answer is 6.\n\n{BOX_OPEN}22{BOX_CLOSE}\n\nAnswer: 11")
    assert [c.reason for c in found] == ["stated", "boxed", "answer_line"]
    assert [c.reading.value for c in found] == [Fraction(6), Fraction(22), Fraction(11)]
    assert found[0].strength < found[1].strength < found[2].strength


@pytest.mark.parametrize(
    "text",
    [
        'Finish with "Answer: unknown" if it is missing.',
        "Some might say the answer is 12.",
        "Answer: <number> or Answer: unknown",
        "Intermediate answer: 22",
        "Confidence in this answer: 90",
    ],
)
def test_quotes_templates_and_intermediate_results_are_no_commitments(text: str) -> None:
    assert not [c for c in find_commitments(text) if c.reading.commits]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2F = 22. Therefore a tart costs 11 dollars.", 11),
        ("So a tart costs 11 dollars. I hope this helps!", 11),
        ("A lasagna costs 9 dollars, so 2 of them cost 18 dollars. 2 tarts cost 22 dollars.", None),
        ("So a pie costs 10 dollars. Now we use the first", None),
        ("We want the price of a tart at Mike's. A pie at Joe's costs 9 dollars.", None),
    ],
)
def test_closing_statements(text: str, value: int | None) -> None:
    found = closing_statement(text)
    assert (found.reading.value if found else None) == value


def test_retractions() -> None:
    assert retracts("I made a mistake. Let me redo this.")
    assert reopens("Wait, let me check.")
    assert not retracts("Wait, let me check.")
    assert not reopens("I hope this helps.")


def test_sentences_keep_their_places() -> None:
    text = "It costs 1.50 dollars. So there!\nDone"
    sentences = split_sentences(text)
    assert [s.text for s in sentences] == ["It costs 1.50 dollars.", "So there!", "Done"]
    assert all(text[s.start : s.end] == s.text for s in sentences)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: 6, no, 11", 11),
        ("Answer: 6 (corrected: 11)", 11),
        ("Answer: 6\n\nActually, 11.", 11),
        ("Answer: 6\nEDIT: F = 11", 11),
        ("Answer: 22 for two, so 11 for one", 11),
        ("Answer: 11 (not 6)", None),
        ("Answer: 11. Sorry for the length.", None),
        ("Answer: 11. Wait, 2 × 9 = 18 is right.", None),
        ("Answer: 11. Sorry, 6 was wrong.", None),
        ("Answer: 11. Hmm, 6?", None),
    ],
)
def test_short_corrections(text: str, value: int | None) -> None:
    reading = correction_after(text, 0, len(text))
    assert (None if reading is None else reading.value) == value


def test_an_abstention_can_correct() -> None:
    reading = correction_after("Answer: 11 - wait, B is not given, so unknown", 0, 10)
    assert reading is not None
    assert reading.kind == "unknown"


def test_priced_items() -> None:
    assert priced_items("So a fruit tart at Mike's Place costs 11 dollars.") == [
        ("fruit tart", "Mike's Place")
    ]
    assert priced_items("The price of a Greek salad cannot be found.") == [("greek salad", "")]
    assert priced_items("The price is 11 dollars.") == []


@pytest.mark.parametrize(
    ("later", "concluded", "other"),
    [
        ("A lasagna costs 9 dollars.", "Thus a fruit tart costs 11 dollars.", True),
        ("A fruit tart costs 11 dollars.", "Thus a fruit tart costs 11 dollars.", False),
        (
            "A wrap at Urban Plate costs 9 dollars.",
            "Thus a wrap at Texas BBQ costs 11 dollars.",
            True,
        ),
        ("It costs 9 dollars.", "Thus a fruit tart costs 11 dollars.", False),
    ],
)
def test_another_item(later: str, concluded: str, other: bool) -> None:
    assert name_another_item(later, concluded) is other


def test_an_enormous_text_keeps_its_ends_and_its_markers() -> None:
    short = "Answer: 11"
    assert excerpt(short) == short
    kept = excerpt(f"start {'x ' * 100_000}Answer: 11 {'x ' * 100_000} end")
    assert kept.startswith("start ")
    assert kept.endswith(" end")
    assert "Answer: 11" in kept
    assert len(kept) < 100_000
