"""Problems: both draws against the plain generator of the tests, and what a problem says of itself."""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import Iterable
from copy import copy
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.reference_generator import reference_record, written
from tests.strategies import (
    DEAR_THEME,
    ESCAPED_THEME,
    LARGE_THEME,
    THEMES,
    TINY_THEME,
    as_parameters,
    configs,
    seeds,
)
from treecut_tasks import Problem, ProblemConfig, TreecutError, generate, problem_at, stream
from treecut_tasks.problems import Sampling, content_id
from treecut_tasks.reading import Determined, Undetermined, read_problem, solve
from treecut_tasks.themes import Item

ALL_THEMES = (*THEMES, ESCAPED_THEME, TINY_THEME, DEAR_THEME)

# Trees that are too many to be listed, and subtrees of all sizes.
HUGE = [
    ProblemConfig(
        theme=LARGE_THEME, num_vars=num_vars, ans_depth=ans_depth, cut_depth=cut_depth,
        unanswerable=cut_depth is not None, order="random", sampling="paper",
    )
    for num_vars, ans_depth, cut_depth in ((60, 2, None), (200, 2, 1), (200, 199, 198))
]  # fmt: skip


def by_hand(problem: Problem) -> dict[str, str]:
    """The record as the plain generator writes it, from what the problem says that it is."""
    config = problem.config
    theme = config.resolved_theme
    items = {item.name: item for item in theme.items}
    names: dict[int, tuple[str | None, Item]] = {
        i: (variable.entity, items[variable.item])
        for i, variable in enumerate(problem.variables, start=1)
    }
    stated = {sentence.formula.child: sentence.formula for sentence in problem.sentences}
    return written(
        theme,
        problem.asked,
        config.cut_into,
        names,
        dict(enumerate(problem.values, start=1)),
        [edge for edge in problem.tree if edge[1] in stated],
        {child: (formula.a, formula.b) for child, formula in stated.items()},
        list(stated),
    )


# --- The words. ---


@given(configs(themes=ALL_THEMES), seeds(), st.integers(0, 5000))
@settings(max_examples=60)
def test_problems_and_counterparts_are_worded_as_the_plain_generator_does(
    config: ProblemConfig, seed: int, index: int
) -> None:
    problem = problem_at(config, seed, index)
    assert problem.published_record() == by_hand(problem)
    if config.unanswerable:
        twin = problem.counterpart()
        assert twin.published_record() == by_hand(twin)


@pytest.mark.parametrize("config", HUGE, ids=lambda c: f"{c.num_vars}-{c.ans_depth}")
def test_large_problems_are_worded_so_too(config: ProblemConfig) -> None:
    for problem in islice(stream(config, 5), 79, 84):  # across the end of a chunk
        assert problem.published_record() == by_hand(problem)


# --- The authors' draw. ---


@given(configs(themes=ALL_THEMES), seeds())
@settings(max_examples=150)
def test_the_authors_stream_is_that_of_the_plain_generator(
    config: ProblemConfig, seed: int
) -> None:
    ours, theirs = random.Random(seed), random.Random(seed)
    for _ in range(3):
        assert generate(config, ours).published_record() == (
            reference_record(as_parameters(config), theirs)
        )
    assert ours.getstate() == theirs.getstate()
    problems = islice(stream(config, seed, one_stream=True), 5)
    again = random.Random(seed)
    assert [problem.published_record() for problem in problems] == [
        reference_record(as_parameters(config), again) for _ in range(5)
    ]


def test_one_generator_goes_on_from_configuration_to_configuration() -> None:
    ours, theirs = random.Random(5), random.Random(5)
    for config in (*HUGE, ProblemConfig("outfit", ans_depth=2, unanswerable=False)) * 2:
        expected = reference_record(as_parameters(config), theirs)
        assert generate(config, ours).published_record() == expected


# --- Labels and sentences, read back by code that knows nothing of how they were made. ---


@pytest.mark.parametrize("one_stream", [False, True])
@given(config=configs(unanswerable=True), seed=seeds())
@settings(max_examples=60)
def test_the_cut_leaves_the_price_open_and_its_sentence_closes_it(
    one_stream: bool, config: ProblemConfig, seed: int
) -> None:
    problem = next(stream(config, seed, one_stream))
    themes = [config.resolved_theme]
    assert problem.answer == "unknown"
    assert isinstance(solve(read_problem(problem.text, themes)), Undetermined)
    twin = problem.counterpart()
    verdict = solve(read_problem(twin.text, themes))
    assert isinstance(verdict, Determined)
    assert Fraction(twin.answer) == verdict.value == problem.values[config.ans_depth - 1]
    assert twin.config == config.answerable()
    assert (twin.cut, twin.lacks) == (None, None)
    cut = problem.cut
    assert cut == problem.lacks
    assert cut is not None
    assert cut.edge == (problem.parents[cut.edge[1] - 1], config.cut_into)
    sentences = list(twin.sentences)
    assert sentences.pop(cut.position) == cut.sentence
    assert tuple(sentences) == problem.sentences
    with pytest.raises(TreecutError, match="is answerable: only an unanswerable problem"):
        twin.counterpart()


@given(config=configs(), seed=seeds())
@settings(max_examples=60)
def test_what_a_problem_says_of_itself(config: ProblemConfig, seed: int) -> None:
    problem = problem_at(config, seed, 1)
    asked, theme, values = config.ans_depth, config.resolved_theme, problem.values
    assert problem.config == config
    assert len(set(problem.variables)) == len(values) == len(problem.parents) == config.vars
    assert all((v.entity is not None) == config.composite_name for v in problem.variables)
    assert set(values) <= set(range(theme.value_min, theme.value_max + 1, theme.value_step))
    assert (problem.asked, problem.asked_variable) == (asked, problem.variables[asked - 1])
    assert problem.path == tuple(range(1, asked + 1))
    assert problem.parents[:asked] == tuple(range(asked))
    assert {child: parent for parent, child in problem.tree} == dict(
        enumerate(problem.parents, start=1)
    )
    levels = {0: 0}
    for parent, child in problem.tree:
        levels[child] = levels[parent] + 1
    assert list(levels.values()) == sorted(levels.values()), "edges are breadth first"

    stated = [sentence.edge for sentence in problem.sentences]
    forward = [edge for edge in problem.tree if edge[1] != config.cut_into]
    if config.order == "random":
        assert sorted(stated) == sorted(forward)
    else:
        assert stated == forward[:: 1 if config.order == "forward" else -1]
    read = read_problem(problem.text, [theme])
    assert str(read.asked) == str(problem.asked_variable)
    for told, sentence in zip(read.sentences, problem.sentences, strict=True):
        (parent, child), a, b = sentence.edge, sentence.formula.a, sentence.formula.b
        assert told.text == sentence.text
        assert (a * values[parent - 1] if parent else 0) + b * values[child - 1] == (
            sentence.constant
        )
        assert {str(v) for v in told.equation.coefficients} == {
            str(problem.variables[i - 1]) for i in sentence.edge if i
        }
        assert (a, b) == (0, 1) if parent == 0 else {abs(a), abs(b)} <= {1, 2, 3}
        assert config.sampling == "paper" or max(a, b) > 0
        assert sentence.role == ("path" if child <= asked else "off_path")


@given(config=configs(themes=ALL_THEMES), seed=seeds())
@settings(max_examples=40)
def test_a_record_survives_json_and_holds_the_problem(config: ProblemConfig, seed: int) -> None:
    problem = problem_at(config, seed, 2)
    record = json.loads(json.dumps(problem.record()))
    assert record == problem.record()
    assert {key: record[key] for key in ("problem", "answer", "proof")} == (
        problem.published_record()
    )
    assert (record["problem"], record["proof"]) == (problem.text, problem.solution)
    assert record["id"] == problem.id == content_id(problem.text, problem.answer)
    assert record["config"] == config.as_dict()
    assert record["variables"] == [str(variable) for variable in problem.variables]
    assert record["values"] == list(problem.values)
    assert record["parents"] == list(problem.parents)
    formulas = {s.formula.child: s.formula for s in problem.sentences}
    assert record["sentence_children"] == list(formulas)
    if problem.lacks is not None:
        assert record["lacks"] == {
            "text": problem.lacks.sentence.text,
            "child": problem.lacks.edge[1],
            "position": problem.lacks.position,
        }
        formulas[problem.lacks.edge[1]] = problem.lacks.sentence.formula
    else:
        assert record["lacks"] is None
    coefficients = [record[f"{kind}_coefficients"] for kind in ("parent", "child")]
    assert list(zip(*coefficients, strict=True)) == [
        (formulas[child].a, formulas[child].b) for child in range(1, config.vars + 1)
    ]


def test_a_problem_cannot_be_changed_and_shows_itself_briefly() -> None:
    problem = problem_at(ProblemConfig(), 1, 0)
    for name in ("config", "values", "text", "row"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(problem, name, None)
    problem.record()["values"].clear()
    assert problem.record()["values"] == list(problem.values)
    assert repr(problem) == f"<Problem {problem.id}, unanswerable, ans_depth 8>"


def test_equal_problems_are_equal_whatever_was_computed_before() -> None:
    problem = problem_at(ProblemConfig(), 3, 7)
    _ = problem.text, problem.solution, problem.id, problem.cut
    for other in (
        problem_at(ProblemConfig(), 3, 7),
        copy(problem),
        pickle.loads(pickle.dumps(problem)),
    ):
        assert problem == other
        assert hash(problem) == hash(other)
        assert other.counterpart() == problem.counterpart()
    assert len(pickle.dumps(problem)) < 20_000, "without the other rows"
    assert problem != problem_at(ProblemConfig(), 3, 8)
    assert problem != problem.counterpart()


# --- Distributions. ---


@pytest.fixture(params=[False, True], ids=["blocks", "authors"])
def one_stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def assert_uniform(observed: Iterable[Any], cells: int) -> None:
    counts = list(Counter(observed).values())
    assert len(counts) == cells
    assert chisquare(counts).pvalue > 1e-4, counts


@pytest.mark.parametrize(("sampling", "share"), [("published", 1 / 3), ("paper", 1 / 2)])
def test_share_of_sums(sampling: Sampling, share: float, one_stream: bool) -> None:
    problems = islice(stream(ProblemConfig(sampling=sampling), 2024, one_stream), 500)
    formulas = [s.formula for p in problems for s in p.sentences if s.formula.parent]
    assert abs(sum(f.a * f.b > 0 for f in formulas) / len(formulas) - share) < 0.04


def test_all_that_is_drawn_is_uniform(one_stream: bool) -> None:
    problems = list(islice(stream(ProblemConfig(), 2024, one_stream), 1500))
    sentences = [s for p in problems for s in p.sentences]
    assert_uniform(((abs(s.formula.a), abs(s.formula.b)) for s in sentences if s.edge[0]), 9)
    assert_uniform((value for p in problems for value in p.values), 11)
    assert_uniform((p.parents[8] for p in problems), 9)
    assert_uniform((p.parents[9] for p in problems), 10)
    assert_uniform((p.asked_variable.item for p in problems), 14)
    assert_uniform((p.asked_variable.entity for p in problems), 5)
    assert_uniform((p.sentences[0].edge[1] for p in problems), 9)
    # Where the counterpart has its further sentence must not give away which one it is.
    cuts = [p.cut for p in problems if p.cut is not None]
    assert_uniform((cut.position for cut in cuts), 10)
    assert_uniform(((abs(c.sentence.formula.a), abs(c.sentence.formula.b)) for c in cuts), 9)
    paper = islice(stream(ProblemConfig(sampling="paper"), 2024, one_stream), 800)
    assert_uniform(
        ((s.formula.a, s.formula.b) for p in paper for s in p.sentences if s.edge[0]), 36
    )
