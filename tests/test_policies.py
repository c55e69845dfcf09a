"""The reference models: what they find in a prompt, what they answer, how they say it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecut_tasks.errors import TreecutError
from treecut_tasks.reference_models.policies import POLICIES, find_problem, respond
from treecut_tasks.themes import Item, load_theme

FOOD = load_theme("food")
OUTFIT = load_theme("outfit")

EASY = (
    "A burger costs 14 dollars. 3 scrambled eggs cost 4 dollars less than 2 burgers. "
    "A BLT sandwich costs 13 dollars less than 3 scrambled eggs. "
    "Question: how much does a BLT sandwich cost?"
)
CUT = (
    "3 scrambled eggs cost 4 dollars less than 2 burgers. A pie costs 12 dollars. "
    "A BLT sandwich costs 13 dollars less than 3 scrambled eggs. "
    "Question: how much does a BLT sandwich cost?"
)
# Two problems that the paper quotes with o3-mini's hallucinated answers, Appendix C.2.
O3_MINI_1 = (
    "A pizza at Taste Good Cuisine and 3 lasagnas at Taste Good Cuisine cost 48 dollars. "
    "A lasagna at Urban Plate costs 6 dollars. "
    "3 lasagnas at Urban Plate and 3 pizzas at Urban Plate cost 63 dollars. "
    "Question: how much does a lasagna at Taste Good Cuisine cost?"
)
O3_MINI_2 = (
    "A scrambled egg at Bistro Nice and a piece of cheese cake at Mike's Place cost 21 dollars. "
    "2 scrambled eggs at Bistro Nice cost 6 dollars more than 2 pieces of cheese cake at Bistro "
    "Nice. A scrambled egg at Mike's Place costs 6 dollars. "
    "Question: how much does a scrambled egg at Bistro Nice cost?"
)


def answer(response: str) -> str:
    *reasoning, last = response.split("\n")
    assert len(reasoning) == 1
    assert last.startswith("Answer: ")
    return last.removeprefix("Answer: ")


# --- Finding the problem ---


@pytest.mark.parametrize(
    "prompt",
    [
        EASY,
        f"{EASY}\n",
        f"Solve this.\n\n{EASY}\n\nFinish with 'Answer: <number>' or 'Answer: unknown'.",
        f"Solve this.\r\n\r\n{EASY}  \r\nThink first.",
        f"Problem: {EASY}",
        f"  Problem 7: {EASY}",
        f"Question: {EASY}\nAnswer:",
        f"### Task: Problem: {EASY}",
        f"Problem: {CUT}\nAnswer: unknown\n\nProblem: {O3_MINI_1}\nAnswer: 11\n\nProblem: {EASY}\n",
    ],
)
def test_finds_the_last_problem(prompt: str) -> None:
    assert find_problem(prompt) == EASY


@pytest.mark.parametrize(
    "prompt",
    ["", "What is 2 + 2?", "Question: how much does a burger cost? Think first.", EASY[:-1]],
)
def test_a_prompt_without_a_problem_is_refused(prompt: str) -> None:
    with pytest.raises(TreecutError, match="holds no problem: one of its lines must be"):
        find_problem(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "A burger costs 5 dollars.\nQuestion: how much does a burger cost?",
        "A burger costs 5 dollars. Note: A pie costs 6 dollars. Question: how much does a pie cost?",
        f"{EASY} {CUT}",
        f"Solve this. {EASY}",
    ],
)
@pytest.mark.parametrize("policy", POLICIES)
def test_half_a_problem_is_refused_not_answered(policy: str, prompt: str) -> None:
    with pytest.raises(TreecutError, match=r"cannot be read|no question after its sentences"):
        respond(policy, prompt)


@given(st.text(), st.text())
def test_text_around_the_problem_changes_nothing(before: str, after: str) -> None:
    around = f"{before}\n{EASY}\n{after}"
    if " cost?" not in after:
        assert find_problem(around) == EASY


# --- Answers ---


def test_names_of_the_policies() -> None:
    assert POLICIES == ("solver", "guesser", "same_price", "abstains", "asks_blindly")
    with pytest.raises(TreecutError, match="policy is 'oracle': it must be solver, guesser,"):
        respond("oracle", EASY)


@pytest.mark.parametrize("policy", ["solver", "same_price"])
def test_a_fixed_price_is_worked_out(policy: str) -> None:
    assert answer(respond(policy, EASY)) == "11"


def test_solver_says_which_sentences_it_adds_up() -> None:
    assert respond("solver", EASY) == (
        "Sentences 1, 2 and 3, taken 2, 1 and 1 times and added up, leave nothing but the price of "
        "BLT sandwich: 11 dollars.\nAnswer: 11"
    )
    single = "A pie costs a dollar. Question: how much does a pie cost?"
    assert respond("solver", single) == "Sentence 1 gives the price of pie: a dollar.\nAnswer: 1"


def test_solver_says_why_a_price_stays_open() -> None:
    assert respond("solver", CUT) == (
        "The price of BLT sandwich stays open: it could be 2 dollars or 5 dollars.\nAnswer: unknown"
    )


def test_solver_says_that_sentences_contradict() -> None:
    prompt = "A pie costs 5 dollars. A pie costs 6 dollars. Question: how much does a pie cost?"
    assert respond("solver", prompt) == (
        "Sentences 1 and 2 contradict one another: no prices fit them all.\nAnswer: unknown"
    )


def test_fractions_are_written_with_a_slash() -> None:
    prompt = "2 pies cost 5 dollars. Question: how much does a pie cost?"
    for policy in ("solver", "same_price"):
        assert answer(respond(policy, prompt)) == "5/2"


@pytest.mark.parametrize(("problem", "hallucinated"), [(O3_MINI_1, "11"), (O3_MINI_2, "12")])
def test_same_price_hallucinates_as_the_paper_reports(problem: str, hallucinated: str) -> None:
    assert answer(respond("solver", problem)) == "unknown"
    response = respond("same_price", problem)
    assert answer(response) == hallucinated
    assert "The same price is taken for " in response


def outfit_problem(price: int) -> str:
    return f"A polo shirt costs {price} dollars. Question: how much does a denim shirt cost?"


def test_guesser_always_gives_a_price_of_the_theme() -> None:
    guesses = {int(answer(respond("guesser", outfit_problem(price)))) for price in range(2, 400)}
    assert guesses == set(range(OUTFIT.value_min, OUTFIT.value_max + 1, OUTFIT.value_step))
    for problem in (EASY, CUT, O3_MINI_1):
        assert int(answer(respond("guesser", problem))) in range(FOOD.value_min, FOOD.value_max + 1)


def test_guesser_looks_at_the_problem_alone() -> None:
    """The guess is pinned: reference runs of other versions must stay comparable."""
    assert respond("guesser", EASY) == respond("guesser", f"Think.\nProblem: {EASY}\nGo.")
    assert [answer(respond("guesser", problem)) for problem in (EASY, CUT)] == ["5", "14"]


@pytest.mark.parametrize("policy", POLICIES)
def test_own_themes_are_read(policy: str) -> None:
    theme = replace(FOOD, name="bakery", items=(*FOOD.items[:3], Item("œuf", "œufs")))
    prompt = "Problem: 2 œufs cost 14 dollars. Question: how much does a œuf cost?"
    assert respond(policy, prompt, [theme]) == respond(policy, prompt, (theme, OUTFIT))
    with pytest.raises(TreecutError, match="œuf"):
        respond(policy, prompt)


# --- The authors' data ---


@pytest.fixture
def published(shared_dir: Path) -> list[dict[str, str]]:
    files = sorted((shared_dir / "reference" / "published").glob("*.jsonl"))
    assert len(files) == 4
    return [json.loads(line) for file in files for line in file.open(encoding="utf-8")]


def test_published_problems(published: list[dict[str, str]]) -> None:
    for record in published:
        responses = {policy: respond(policy, record["problem"]) for policy in POLICIES}
        assert answer(responses["solver"]) == record["answer"]
        assert 5 <= int(answer(responses["guesser"])) <= 15
        if record["answer"] != "unknown":
            assert responses["same_price"] == responses["solver"]
        for response in responses.values():
            # Nothing before the last line may look like a commitment, to the paper's rule or ours.
            reasoning = response.lower().partition("\n")[0]
            assert not re.search("answer|unknown", reasoning)
            assert reasoning.count(". ") <= 1
