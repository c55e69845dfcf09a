"""What makes scoring fast changes no outcome (how fast it is, `benchmarks/serving.py` says)."""

from __future__ import annotations

import random
import re
import string
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ordinary_responses import ordinary_response
from tests.strategies import configs
from treecut_tasks.problems import ProblemConfig, generate
from treecut_tasks.scoring import classify_outcome
from treecut_tasks.scoring.characters import normalise_characters
from treecut_tasks.scoring.choice import choose, relevant
from treecut_tasks.scoring.commitments import find_commitments, settling_line
from treecut_tasks.scoring.folding import fold
from treecut_tasks.scoring.matching import matches_at
from treecut_tasks.scoring.model import Commitment, Strength
from treecut_tasks.scoring.turns import split_turns

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
        assert (outcome.outcome, outcome.value) == (kind, None if kind == "unknown" else stated[1])
