"""What makes scoring fast changes no outcome (how fast it is, `benchmarks/serving.py` says)."""

from __future__ import annotations

import random
import re
import string
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ordinary_responses import ordinary_response
from tests.strategies import configs
from treecut_tasks.problems import ProblemConfig, generate
from treecut_tasks.scoring import abstention, classify_outcome, closing, outcome, sentences, values
from treecut_tasks.scoring.characters import needs_no_change, normalise_characters
from treecut_tasks.scoring.choice import choose, relevant
from treecut_tasks.scoring.commitments import find_commitments, settling_line
from treecut_tasks.scoring.folding import fold, without_signs
from treecut_tasks.scoring.glance import answer_at_a_glance
from treecut_tasks.scoring.labels import find_labels, holds_only_ordinary_nouns
from treecut_tasks.scoring.matching import Guarded, matches_at
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.outcome import read_in_full
from treecut_tasks.scoring.plain import close_gaps
from treecut_tasks.scoring.turns import poses_problem, split_turns

LAST_LINE = re.compile(r"Answer: (unknown|\d+)(?: dollars)?\.?")

LINES = (
    *("Answer: 11", "Answer: unknown.", "Final answer: 7 dollars", "answer: 7", "Answer:", "A: 5"),
    *(
        "The answer is 9.",
        "So the final answer is 9",
        "We get the answer: 9",
        "Solution:",
        "Total: 8",
    ),
    *("The price of a pie is 9 dollars.", "price: 4", "Result: 3", "As a result, x = 3.", "####"),
    *(
        "Respuesta: 3",
        "Conclusion:",
        "If x = 3:",
        "Suppose a pie costs 3.",
        "or",
        "Answer: <number> or",
    ),
    *('{"answer": 3}', "<answer>3</answer>", "#### 3", "| Answer |\n|---|\n| 3 |", "submit(3)"),
    *(
        "Wait, that is wrong.",
        "An answer would be 5,",
        "12 is the answer",
        "final",
        "\u7b54\u6848: 3",
    ),
)


GUARDED = [
    guarded
    for module in (abstention, closing, outcome, sentences, values)
    for value in vars(module).values()
    for guarded in (value if isinstance(value, tuple) else (value,))
    if isinstance(guarded, Guarded)
]

OVERRULING = (
    *("So a pie costs 9 dollars.\n", "Therefore, the price is unknown.\n", "9 dollars\n\n", ""),
)
PIECES = (
    *("user:", "Question", "Q1:", "let's try another", "Now", "next question", "me", "human"),
    *("the price", "The price of a pie", "cost", "costs", "Total", "final", "result", "solution"),
    *(
        "conclusion",
        "verdict",
        "output",
        "response",
        "tl;dr",
        "a",
        "ans",
        "means",
        "answer",
        "cevap",
    ),
    *("is", "5", "of", "11 dollars", "cannot", "so", "the", "that", "we find", "If x", "Suppose"),
    *("or", "with", "submit(5)", "'final'", "'price':", "how much is it?", "i.e.", "e.g.", "vs."),
    *(
        " ",
        " ",
        " ",
        " ",
        "  ",
        "\n",
        "\n",
        "\n\n",
        ":",
        ":\n",
        ",",
        "-",
        "- ",
        ". ",
        "=",
        "/",
        "(",
        ")",
    ),
    *(
        "_",
        "*",
        "**",
        ">",
        "> ",
        "'",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\cdot ",
        "\u00d7",
        "\u2013",
        "#",
        "$",
        "|",
    ),
)
PLAIN_LAST_LINES = (
    *("Answer: 5", "**Answer: 5**", "**Answer:** unknown", "Final answer: 7 dollars."),
    *("answer: unknown.", "**Final answer: 3**\n", "Answer: 11 dollars "),
)


class TestFolding:
    def test_every_character_stays_one(self) -> None:
        everything = "".join(map(chr, range(sys.maxunicode + 1)))
        assert len(fold(everything)) == len(everything)

    def test_letters_that_patterns_take_for_one_another_become_one(self) -> None:
        everything = "".join(map(chr, range(sys.maxunicode + 1)))
        for letter in string.ascii_lowercase:
            for found in re.findall(letter, everything, re.IGNORECASE):
                assert fold(found) == letter


@given(st.text("ab c", max_size=30), st.sampled_from(["a", "ab", "b+", "(?<=a)b", "[ab]{2}"]))
def test_matches_at_all_places_are_those_of_finditer(text: str, written: str) -> None:
    pattern = re.compile(written)
    expected = [match.span() for match in pattern.finditer(text)]
    assert [match.span() for match in matches_at(pattern, text, range(len(text)))] == expected


@given(
    st.lists(st.sampled_from(string.ascii_letters + string.digits + "\n.=\u00d7\u2019")).map(
        "".join
    ),
    st.text(max_size=6),
)
def test_characters_are_written_plainly_in_any_surroundings(before: str, text: str) -> None:
    together = normalise_characters(f"{before} {text}")
    assert together == f"{normalise_characters(before)} {normalise_characters(text)}"


@given(st.lists(st.sampled_from(LINES), max_size=4), st.sampled_from(LINES[:4]), st.data())
@settings(max_examples=400)
def test_a_last_line_settles_what_the_choice_would_come_to(
    lines: list[str], last: str, data: st.DataObject
) -> None:
    gaps = st.sampled_from(["\n", "\n\n", " ", ". "])
    text = "".join(line + data.draw(gaps) for line in lines)
    text = split_turns(f"{text}\n{last}")[-1].text
    settled = settling_line(text)
    if settled is not None:
        strong = [
            c for c in relevant(text, find_commitments(text)) if c.strength >= Strength.STATED
        ]
        chosen = choose(text, strong)
        assert isinstance(chosen, Commitment)
        assert (chosen.reading, chosen.reason) == (settled.reading, settled.reason)


@given(configs(), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_ordinary_responses_are_read_as_their_last_line_says(
    config: ProblemConfig, seed: int
) -> None:
    rng = random.Random(seed)
    response = ordinary_response(generate(config, rng), rng)
    stated = LAST_LINE.fullmatch(response.rpartition("\n")[2])
    outcome = classify_outcome(response)
    if stated is not None:
        kind = "unknown" if stated[1] == "unknown" else "number"
        assert outcome.reason == "answer_line"
        assert (outcome.verdict, outcome.value) == (kind, None if kind == "unknown" else stated[1])


def test_most_ordinary_responses_are_read_at_a_glance() -> None:
    rng = random.Random(5)
    responses = [
        ordinary_response(generate(ProblemConfig(ans_depth=4), rng), rng) for _ in range(100)
    ]
    glanced = [response for response in responses if answer_at_a_glance(response) is not None]
    assert len(glanced) > 70
    for response in glanced:
        assert classify_outcome(response) == read_in_full(response)


@given(
    st.sampled_from(OVERRULING),
    st.lists(st.sampled_from(PIECES), max_size=14),
    st.sampled_from(PLAIN_LAST_LINES),
)
@settings(max_examples=1000, deadline=None)
def test_a_glance_reads_what_the_whole_response_says(
    start: str, pieces: list[str], last: str
) -> None:
    response = f"{start}{''.join(pieces)}\n{last}"
    assert classify_outcome(response) == read_in_full(response)


@pytest.mark.parametrize(
    "middle",
    [
        *(
            "Q:_\nor",
            "Q_. ",
            "> next question",
            "> > User: 5",
            "*Question:*",
            "Question ** ",
            "_Q1:_",
        ),
        *("Question  :", "problem \\(:\\)", "so*_the price: 8", "so_*the price: 8", "_price_ : 8"),
        *("so>the price: 8", "the_ price: 8", "_a:_ 8", "a*: 8", "__answ__er: 8", "an*s*wer: 8"),
        *("'_final_': 8", "sub*mit(8)", "price: 8", "So the total is: 8", "If x = 3:", "8 or"),
        *(
            "Results cost 8, finally.",
            "the costs: 8",
            f"x{':' * 200} the price: 8",
            "which means: 8",
            "tl;dr: 8",
            "Cevap: 8",
        ),
    ],
)
@pytest.mark.parametrize("last", ["Answer: 5", "**Answer:** unknown"])
def test_a_glance_overlooks_no_markup(middle: str, last: str) -> None:
    for start in OVERRULING:
        response = f"{start}{middle}\n\n{last}"
        assert classify_outcome(response) == read_in_full(response)


@pytest.mark.parametrize("guarded", GUARDED, ids=lambda guarded: guarded.words[0])
@given(data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_guard_lets_pass_whatever_its_pattern_matches(
    guarded: Guarded, data: st.DataObject
) -> None:
    found = guarded.pattern.search(data.draw(st.from_regex(guarded.pattern)))
    assert found is not None
    assert guarded.may_match(found[0])


@given(
    st.text(
        st.sampled_from("ab \n\t\r\x00\x7f\u00d7\u2013\u2019\u00e9\u0430\u00bd\u2070/\u2028"),
        max_size=8,
    )
)
def test_what_needs_no_change_is_not_changed(text: str) -> None:
    if needs_no_change(text):
        assert normalise_characters(text) == text


def test_all_ascii_characters_and_signs_that_are_left_out_are_plain() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    left_out = set(everything) - set(without_signs(everything))
    assert left_out
    for char in sorted(left_out | set(map(chr, range(0x80)))):
        assert needs_no_change(char) == (normalise_characters(char) == char)
        assert needs_no_change(char) or char not in left_out
        assert char not in left_out or not re.match(r"\w|\s", char)


@given(st.text(" \ta.", max_size=40))
def test_gaps_are_closed_as_by_a_pattern(text: str) -> None:
    assert close_gaps(text) == re.sub(r"[ \t]{2,}", " ", text)


@given(st.lists(st.sampled_from((*LINES, *PIECES)), max_size=8).map(" ".join))
@settings(max_examples=400)
def test_ordinary_nouns_make_no_answer_line(text: str) -> None:
    plain = fold(text)
    if plain.isascii() and holds_only_ordinary_nouns(plain):
        assert not [c for c in find_labels(plain) if c.strength >= Strength.LINE]


@pytest.mark.parametrize(
    "opening",
    [
        *("user:", "## Question 2:", "Problem", "  q3)", "Let's now try another", "Here is a new"),
        *("next, a harder problem", "similar exercise", "Assistant :", "[user]", "(human)"),
        *("agent:", "follow-up question:", "bonus puzzles", "\u95ee\u9898 2:", "\u7528\u6237:"),
    ],
)
def test_a_problem_is_seen_at_the_start_of_a_line(opening: str) -> None:
    assert poses_problem(fold(f"It costs 5 dollars.\n{opening}\nmore"))
    assert not poses_problem(fold(f"It costs 5 dollars. We {opening}\nmore"))
