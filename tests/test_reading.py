"""The reader: texts in, equations out, and proofs that hold when somebody else checks them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import EURO_THEME
from tests.systems import (
    THEMES,
    System,
    dense,
    rank,
    rewrite,
    systems,
    unit,
    write_problem,
    write_question,
)
from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import (
    Determined,
    Equation,
    Inconsistent,
    ReadProblem,
    Solution,
    Undetermined,
    check_certificate,
    read_problem,
    settling,
    solve,
    undetermined,
)
from treecut_tasks.themes import Item, Variable, load_theme

FOOD = load_theme("food")
BURGER, PIE = Variable(None, "burger"), Variable(None, "pie")
QUESTION = "Question: how much does a burger cost?"


# --- Reading ---


def test_reads_every_kind_of_sentence() -> None:
    read = read_problem(
        "An Oxford shirt at Urban Tailors costs 50 dollars. "
        "2 pairs of jeans at Urban Tailors and an Oxford shirt at Elegant Attire cost 200 dollars. "
        "A pair of jeans at Urban Tailors costs a dollar more than 3 polo shirts at Urban Tailors. "
        "2 pairs of jeans at Urban Tailors cost 15 dollars less than a polo shirt at Elegant Attire. "
        "The price of 2 polo shirts at Elegant Attire is the same as that of an Oxford shirt at "
        "Urban Tailors. "
        "Question: how much does a Oxford shirt at Urban Tailors cost?"
    )
    shirt = Variable("Urban Tailors", "Oxford shirt")
    other_shirt = Variable("Elegant Attire", "Oxford shirt")
    jeans = Variable("Urban Tailors", "pair of jeans")
    polo = Variable("Urban Tailors", "polo shirt")
    other_polo = Variable("Elegant Attire", "polo shirt")
    assert [(s.kind, s.equation) for s in read.sentences] == [
        ("fact", Equation({shirt: 1}, 50)),
        ("sum", Equation({jeans: 2, other_shirt: 1}, 200)),
        ("difference", Equation({jeans: 1, polo: -3}, 1)),
        ("difference", Equation({jeans: 2, other_polo: -1}, -15)),
        ("equal", Equation({other_polo: 2, shirt: -1}, 0)),
    ]
    assert [s.number for s in read.sentences] == [1, 2, 3, 4, 5]
    assert read.sentences[0].text == "An Oxford shirt at Urban Tailors costs 50 dollars."
    assert read.variables == (shirt, jeans, other_shirt, polo, other_polo)
    assert read.asked == shirt
    assert read.theme == load_theme("outfit")
    assert str(shirt) == "Oxford shirt at Urban Tailors"


@given(systems())
def test_what_was_written_is_read_back(system: System) -> None:
    equations, asked, theme = system
    text = write_problem(equations, asked, theme)
    read = read_problem(text, THEMES)
    assert [s.equation for s in read.sentences] == equations
    assert [list(s.equation.coefficients) for s in read.sentences] == [
        list(equation.coefficients) for equation in equations
    ]
    assert " ".join([*(s.text for s in read.sentences), write_question(asked)]) == text
    assert (read.asked, read.theme) == (asked, theme)
    mentioned = [v for equation in equations for v in equation.coefficients]
    assert read.variables == tuple(dict.fromkeys([*mentioned, asked]))


FRAGMENTS = [*"aA .sd1203", " a", "an ", " cost", "s", ". ", " and ", " at ", " at Mike's Place"]
FRAGMENTS += ["Question:", "more", "less", "dollars", "a dollar", "\n", "  ", "é", "pie", "1 ", "0"]


@st.composite
def changed_texts(draw: st.DrawFn) -> str:
    equations, asked, theme = draw(systems())
    text = write_problem(equations, asked, theme)
    if draw(st.booleans()):
        words = text.split(" ")
        at, to = (draw(st.integers(0, len(words) - 1)) for _ in range(2))
        if draw(st.booleans()):
            words[at], words[to] = words[to], words[at]
        else:
            words[at : at + 1] = draw(st.sampled_from([[], [words[to]], [words[at], words[to]]]))
        return " ".join(words)
    start = draw(st.integers(0, len(text)))
    stop = start + draw(st.sampled_from([0, 1, 1, 2, 5]))
    fragment: str = draw(st.sampled_from(["", *FRAGMENTS]))
    return text[:start] + fragment + text[stop:]


@given(changed_texts())
def test_a_changed_text_is_refused_or_read_to_the_letter(text: str) -> None:
    """Whatever the reader accepts, its meaning written out again is the very text."""
    try:
        read = read_problem(text, THEMES)
    except TreecutError:
        return
    assert rewrite(read) == text


def in_problem(sentence: str) -> str:
    return f"A pie costs 5 dollars. {sentence} {QUESTION}"


BAD_SENTENCES = {
    "2 burger cost 10 dollars.": "it must read '2 burgers cost 10 dollars.'",
    "A burgers costs 10 dollars.": "it must read 'A burger costs 10 dollars.'",
    "3 burgers costs 10 dollars.": "it must read '3 burgers cost 10 dollars.'",
    "An burger costs 10 dollars.": "it must read 'A burger costs 10 dollars.'",
    "1 burger costs 10 dollars.": "it must read 'A burger costs 10 dollars.'",
    "02 burgers cost 10 dollars.": "it must read '2 burgers cost 10 dollars.'",
    "٣ burgers cost 10 dollars.": "it must read '3 burgers cost 10 dollars.'",
    "a burger costs 10 dollars.": "it must read 'A burger costs 10 dollars.'",
    "A burger costs 1 dollars.": "it must read 'A burger costs a dollar.'",
    "A burger costs 0 dollars more than a pizza.": "it must read 'The price of a burger is the same",
    "Two burgers cost 10 dollars.": "neither with an article",
    "0 burgers cost 10 dollars.": "neither with an article",
    f"{'9' * 5000} burgers cost 10 dollars.": "at most 18 digits",
    "A burgher costs 10 dollars.": "no item 'burgher' (it has Caesar salad, Cobb salad",
    "A burger at Nowhere costs 10 dollars.": "no entity 'Nowhere'",
    "A burger at Mike’s Place costs 10 dollars.": "no entity 'Mike’s Place'",
    "A burger costs 10 euros.": "'10 euros' is no amount of money",
    "A burger costs 2 dollars more than a burger.": "it names 'burger' twice",
    "The price of a burger is 10 dollars.": "the words ' is the same as that of ' must follow",
    "A burger and a pizza and a lasagna cost 12 dollars.": "no item 'pizza and a lasagna'",
    "A burger costs 10 dollars A pizza costs 8 dollars.": "as if a full stop were missing",
    "A burger was 10 dollars.": "neither 'cost' nor 'costs'",
    "A burger  costs 10 dollars.": "no item 'burger '",
    ".": "neither 'cost' nor 'costs'",
}


@pytest.mark.parametrize(("sentence", "reason"), BAD_SENTENCES.items())
def test_refuses_a_bad_sentence_and_says_why(sentence: str, reason: str) -> None:
    with pytest.raises(TreecutError) as caught:
        read_problem(in_problem(sentence))
    message = str(caught.value)
    assert message.startswith("Sentence 2, ")
    assert reason in message
    assert len(message) < 600
    assert message.endswith(".")


BAD_TEXTS = {
    "": "has no question",
    "A burger costs 5 dollars.": "has no question",
    "A burger costs 5 dollars. How much does a burger cost?": "has no question",
    QUESTION: "has no question after its sentences",
    f"A burger costs 5 dollars {QUESTION}": "Sentence 1, 'A burger costs 5 dollars', cannot be read: "
    "it has no full stop",
    f"A burger costs 5 dollars.{QUESTION}": "has no question after its sentences",
    f"A burger costs 5 dollars. {QUESTION} ": "it must end with ' Question: how much",
    "A burger costs 5 dollars. Question: how much do 2 burgers cost?": "has no question",
    "A burger costs 5 dollars. Question: how much does an burger cost?": "has no question",
    "A burger costs 5 dollars. Question: how much does a burgher cost?": "no item 'burgher'",
    "A burger costs 5 dollars. Question: how much does a burgers cost?": "it must name 'burger'",
    "A burger costs 5 dollars. Question: how much does a burger at Texas BBQ cost?": "prices of "
    "'burger' and of 'burger at Texas BBQ', but names must be all composite or all simple",
    f"A pie costs 5 dollars. A polo shirt costs 50 dollars. {QUESTION}": "Sentence 2, 'A polo shirt "
    "costs 50 dollars.', cannot be read: the problem mixes themes, this part is of theme 'outfit'",
    "A pie costs 5 dollars. Question: how much does a polo shirt cost?": "mixes themes",
}


@pytest.mark.parametrize(("text", "reason"), BAD_TEXTS.items())
def test_refuses_a_bad_text_and_says_why(text: str, reason: str) -> None:
    with pytest.raises(TreecutError) as caught:
        read_problem(text)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 600


def test_needs_exactly_one_theme_that_fits() -> None:
    text = f"A burger costs 5 dollars. {QUESTION}"
    dearer = replace(FOOD, name="dearer", value_max=25)
    with pytest.raises(TreecutError, match="under the themes 'food', 'dearer': pass the one"):
        read_problem(text, [FOOD, dearer])
    assert read_problem(text, [FOOD, FOOD]).theme == FOOD
    assert read_problem(text, [dearer]).theme == dearer
    with pytest.raises(TreecutError, match="theme 'euro' has no item 'burger'"):
        read_problem(text, [EURO_THEME])
    with pytest.raises(TreecutError, match="at least one theme"):
        read_problem(text, [])


@pytest.mark.parametrize(
    "change",
    [
        {"items": (*FOOD.items, Item("burger", "burgers deluxe"))},
        {"items": (*FOOD.items, Item("hot dog", "burgers"))},
        {"entities": (*FOOD.entities, "Ben and Co")},
        {"entities": ("Mr. Miller",)},
        {"money_many": "dollars more than ever"},
    ],
)
def test_refuses_a_theme_with_two_readings(change: Mapping[str, Any]) -> None:
    with pytest.raises(TreecutError, match="Theme 'food' has"):
        read_problem(f"A burger costs 5 dollars. {QUESTION}", [replace(FOOD, **change)])


@pytest.mark.parametrize(
    "filler",
    [" and a burger", "A burger costs 5 dollars", " costs", "1", " at", ". ", "Question: "],
)
def test_long_nonsense_is_refused_without_delay(filler: str) -> None:
    """Quadratic work on a megabyte would run into the suite's time limit."""
    with pytest.raises(TreecutError) as caught:
        read_problem(f"A burger{filler * (1_000_000 // len(filler))} {QUESTION}")
    assert len(str(caught.value)) < 1000


# --- Solving ---


def expected_kind(read: ReadProblem) -> type[Solution]:
    left, full = dense(read)
    if rank(left) < rank(full):
        return Inconsistent
    asked = unit(read, read.asked)
    return Determined if rank([*left, asked]) == rank(left) else Undetermined


def left_side(equation: Equation, prices: Mapping[Variable, Fraction]) -> Fraction:
    return sum((n * prices[v] for v, n in equation.coefficients.items()), Fraction(0))


def holds(read: ReadProblem, prices: Mapping[Variable, Fraction]) -> bool:
    return all(left_side(s.equation, prices) == s.equation.constant for s in read.sentences)


def check_by_hand(read: ReadProblem, solution: Solution) -> None:
    """Assert what the certificates promise, without `check_certificate`."""
    if isinstance(solution, Undetermined):
        assert holds(read, solution.first)
        assert holds(read, solution.second)
        assert solution.first[read.asked] != solution.second[read.asked]
        return
    left: dict[Variable, Fraction] = {}
    right = Fraction(0)
    for multiplier, sentence in zip(solution.combination, read.sentences, strict=True):
        for variable, coefficient in sentence.equation.coefficients.items():
            left[variable] = left.get(variable, Fraction(0)) + multiplier * coefficient
        right += multiplier * sentence.equation.constant
    left = {variable: total for variable, total in left.items() if total}
    if isinstance(solution, Determined):
        assert holds(read, solution.prices)
        assert left == {read.asked: Fraction(1)}
        assert right == solution.value
    else:
        assert not left
        assert right != 0


@given(systems(), st.randoms(use_true_random=False))
def test_solutions_are_right_and_proven_in_any_order(system: System, shuffler: Any) -> None:
    equations, asked, theme = system
    read = read_problem(write_problem(equations, asked, theme), THEMES)
    solution = solve(read)
    assert type(solution) is expected_kind(read)
    check_by_hand(read, solution)
    assert check_certificate(read, solution)
    assert solve(read) == solution
    shuffler.shuffle(equations)
    again = solve(read_problem(write_problem(equations, asked, theme), THEMES))
    assert type(again) is type(solution)
    if isinstance(solution, Determined) and isinstance(again, Determined):
        assert again.value == solution.value


@given(systems())
def test_what_is_open_and_what_would_settle_it(system: System) -> None:
    equations, asked, theme = system
    read = read_problem(write_problem(equations, asked, theme), THEMES)
    if isinstance(solve(read), Inconsistent):
        for tell in (undetermined, settling):
            with pytest.raises(TreecutError, match="contradict one another"):
                tell(read)
        return
    left, _ = dense(read)

    def fixes(rows: list[list[Fraction]], variable: Variable) -> bool:
        return rank([*rows, unit(read, variable)]) == rank(rows)

    assert undetermined(read) == tuple(v for v in read.variables if not fixes(left, v))
    assert settling(read) == tuple(
        v
        for v in read.variables
        if v != read.asked
        and not fixes(left, read.asked)
        and fixes([*left, unit(read, v)], read.asked)
    )


@given(systems())
def test_open_prices_are_shown_with_prices_above_zero(
    system: System,
) -> None:
    equations, asked, theme = system
    read = read_problem(write_problem(equations, asked, theme), THEMES)
    known = {variable: Fraction(price) for price, variable in enumerate(read.variables, start=1)}
    consistent = replace(
        read,
        sentences=tuple(
            replace(s, equation=replace(s.equation, constant=int(left_side(s.equation, known))))
            for s in read.sentences
        ),
    )
    solution = solve(consistent)
    assert not isinstance(solution, Inconsistent)
    if isinstance(solution, Determined):
        assert min(solution.prices.values()) > 0
    else:
        assert min(*solution.first.values(), *solution.second.values()) > 0


def system_of(*sentences: str, asked: str = "burger") -> ReadProblem:
    return read_problem(" ".join([*sentences, f"Question: how much does a {asked} cost?"]))


PIE_IS_4 = "A pie costs 4 dollars."
PIE_IS_5 = "A pie costs 5 dollars."
BURGER_AND_PIE = "2 burgers and 3 pies cost 21 dollars."
PIZZA_OVER_LASAGNA = "A pizza costs 2 dollars more than a lasagna."


@pytest.mark.parametrize(
    "sentences",
    [
        ("A pie and a burger cost 10 dollars.", "A pizza and a burger cost 2 dollars."),
        ("A pizza and a burger cost 2 dollars.", "A pie and a burger cost 10 dollars."),
        ("A burger costs 9 dollars more than a pie.", "A pizza and a burger cost 10 dollars."),
        ("2 burgers and 3 pies cost a dollar.",),
    ],
)
def test_open_prices_are_shown_above_zero_where_little_room_is_left(
    sentences: tuple[str, ...],
) -> None:
    solution = solve(system_of(*sentences))
    assert isinstance(solution, Undetermined)
    assert min(*solution.first.values(), *solution.second.values()) > 0


# --- Certificates ---

FIXED = system_of(PIE_IS_5, BURGER_AND_PIE)
OPEN = system_of(BURGER_AND_PIE)
BROKEN = system_of(PIE_IS_4, PIE_IS_5)
HALVES = (Fraction(-3, 2), Fraction(1, 2))
RIGHT = {BURGER: Fraction(3), PIE: Fraction(5)}
OTHER = {BURGER: Fraction(6), PIE: Fraction(3)}

CERTIFICATES: list[tuple[ReadProblem, Solution, bool]] = [
    (FIXED, Determined(Fraction(3), HALVES, RIGHT), True),
    (FIXED, Determined(Fraction(4), HALVES, RIGHT), False),
    (FIXED, Determined(Fraction(6), (Fraction(-3), Fraction(1)), RIGHT), False),
    (FIXED, Determined(Fraction(5), (Fraction(1), Fraction(0)), RIGHT), False),
    (FIXED, Determined(Fraction(3), (*HALVES, Fraction(0)), RIGHT), False),
    (FIXED, Determined(Fraction(3), HALVES[:1], RIGHT), False),
    (FIXED, Determined(Fraction(3), HALVES, OTHER), False),
    (FIXED, Determined(Fraction(3), HALVES, {BURGER: Fraction(3)}), False),
    (FIXED, Undetermined(RIGHT, OTHER), False),
    (FIXED, Inconsistent(HALVES), False),
    (FIXED, Inconsistent((Fraction(0), Fraction(0))), False),
    (OPEN, Undetermined(RIGHT, OTHER), True),
    (OPEN, Undetermined(RIGHT, RIGHT), False),
    (OPEN, Undetermined(OTHER, {**OTHER, BURGER: Fraction(7)}), False),
    (OPEN, Undetermined({**OTHER, BURGER: Fraction(7)}, OTHER), False),
    (OPEN, Undetermined(RIGHT, {PIE: Fraction(7)}), False),
    (OPEN, Undetermined({}, {}), False),
    (BROKEN, Inconsistent((Fraction(1), Fraction(-1))), True),
    (BROKEN, Inconsistent((Fraction(1), Fraction(1))), False),
    (BROKEN, Inconsistent((Fraction(5), Fraction(-4))), False),
    (BROKEN, Inconsistent((Fraction(1), Fraction(-1), Fraction(0))), False),
]


@pytest.mark.parametrize(("read", "solution", "valid"), CERTIFICATES)
def test_certificates_are_checked_number_by_number(
    read: ReadProblem, solution: Solution, valid: bool
) -> None:
    assert check_certificate(read, solution) is valid


# --- The authors' data and the paper ---


@pytest.fixture
def published(shared_dir: Path) -> list[dict[str, str]]:
    files = sorted((shared_dir / "reference" / "published").glob("*.jsonl"))
    assert len(files) == 4
    return [json.loads(line) for file in files for line in file.open(encoding="utf-8")]


def test_published_labels_are_proven(published: list[dict[str, str]]) -> None:
    assert len(published) == 2000
    for record in published:
        read = read_problem(record["problem"])
        assert rewrite(read) == record["problem"]
        solution = solve(read)
        assert check_certificate(read, solution)
        check_by_hand(read, solution)
        said = solution.value if isinstance(solution, Determined) else type(solution)
        assert said == (Undetermined if record["answer"] == "unknown" else int(record["answer"]))
