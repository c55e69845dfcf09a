"""The generator: the authors' bytes, true labels, complete problems, the right distributions."""

from __future__ import annotations

import hashlib
import json
import pickle
import random
from collections import Counter
from collections.abc import Iterable
from copy import copy
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.reference_generator import reference_record
from tests.strategies import as_parameters, configs, seeds
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import (
    Problem,
    ProblemConfig,
    Sampling,
    content_id,
    generate,
    problem_at,
    published_files,
    stream,
)
from treecut_tasks.problems.draws import below, sampler, shuffler
from treecut_tasks.problems.generator import generate_endlessly
from treecut_tasks.reading import Determined, Undetermined, read_problem, solve

# The first four are the authors' (generator.md, "The published files"); in the other four our code
# and the reference generator of these tests agree.
PUBLISHED_SHA256 = {
    (2, True): "74d44086be0918c70d68dec7218c4821ca49f2828e10534e4a4a29e88c60e0e4",
    (2, False): "bd2f7798fe873d1bc2774a88945127cd899a6b9bdfba95a41bd38381c9d7fa4b",
    (4, True): "80501ece06a6aeea0000da2f85a92bf22c3fad0c2e6a993a0ff08153fb8aff5f",
    (4, False): "d7fa6be3d5bd8dbdc66dfffd494877b416970849aa7d3a2ce87e7df1865a435e",
    (6, True): "44f320e17fa2ca5310615ab64ec84169aea26b75875b2095ff716cb794889014",
    (6, False): "aa9afb058f4e6735a918a5a306a4a9c1e22e3df8cc16c16a2bc739e0e5cfeb1a",
    (8, True): "6b6aa9709525abfaabb8268348ad01d85e846f5f746be6e5a07fb7521bffc165",
    (8, False): "13be04d6a6ff4091c711bd02fa61bbafc6feb831a277b2e022cb2c43fba77bb4",
}


def written(records: Iterable[dict[str, str]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode("ascii")


# --- The published bytes. ---


def test_published_files_have_the_published_bytes() -> None:
    found = {
        (file.config.ans_depth, file.config.unanswerable): hashlib.sha256(
            written(problem.published_record() for problem in file.problems)
        ).hexdigest()
        for file in published_files()
    }
    assert found == PUBLISHED_SHA256
    assert list(found) == list(PUBLISHED_SHA256)


def test_published_files_equal_the_authors_copies(shared_dir: Path) -> None:
    folder = shared_dir / "reference" / "published"
    compared = 0
    for file in published_files():
        original = folder / file.name
        if original.exists():
            ours = written(problem.published_record() for problem in file.problems)
            assert ours == original.read_bytes(), file.name
            compared += 1
    assert compared == 4


def test_reference_generator_makes_the_published_bytes() -> None:
    rng = random.Random(42)
    for (ans_depth, unanswerable), digest in PUBLISHED_SHA256.items():
        parameters = as_parameters(ProblemConfig(ans_depth=ans_depth, unanswerable=unanswerable))
        content = written(reference_record(parameters, rng) for _ in range(500))
        assert hashlib.sha256(content).hexdigest() == digest


@given(config=configs(), seed=seeds(), count=st.integers(1, 5))
@settings(max_examples=150)
def test_generator_agrees_with_reference_and_uses_the_rng_alike(
    config: ProblemConfig, seed: int, count: int
) -> None:
    ours, theirs, endless = (random.Random(seed) for _ in range(3))
    parameters = as_parameters(config)
    expected = [reference_record(parameters, theirs) for _ in range(count)]
    assert [generate(config, ours).published_record() for _ in range(count)] == expected
    assert ours.getstate() == theirs.getstate()
    in_bulk = islice(generate_endlessly(config, endless), count)
    assert [problem.published_record() for problem in in_bulk] == expected
    assert endless.getstate() == theirs.getstate()


def test_one_rng_serves_several_configurations_in_turn() -> None:
    ours, theirs = random.Random(5), random.Random(5)
    for config in (ProblemConfig(), ProblemConfig("outfit", ans_depth=2, unanswerable=False)) * 3:
        expected = reference_record(as_parameters(config), theirs)
        assert generate(config, ours).published_record() == expected


# --- Draws with the semantics of random.Random. ---


@given(seed=seeds(), data=st.data(), n=st.integers(1, 400))
def test_sampler_draws_as_random_sample(seed: int, data: st.DataObject, n: int) -> None:
    k = data.draw(st.integers(0, n))
    ours, theirs = random.Random(seed), random.Random(seed)
    population = [f"element {i}" for i in range(n)]
    assert sampler(n, k)(ours.getrandbits, population) == theirs.sample(population, k)
    assert ours.getstate() == theirs.getstate()


@given(seed=seeds(), n=st.integers(1, 300))
def test_shuffler_and_below_draw_as_shuffle_and_randrange(seed: int, n: int) -> None:
    ours, theirs = random.Random(seed), random.Random(seed)
    elements = list(range(n))
    theirs.shuffle(elements)
    assert shuffler(n)(ours.getrandbits) == elements
    assert below(ours.getrandbits, n) == theirs.randrange(n)
    assert ours.getstate() == theirs.getstate()


# --- Labels, proven on the text by the independent reader. ---


@given(config=configs(unanswerable=True), seed=seeds())
@settings(max_examples=150)
def test_unanswerable_text_leaves_the_price_open_and_one_sentence_closes_it(
    config: ProblemConfig, seed: int
) -> None:
    problem = generate(config, random.Random(seed))
    themes = [config.resolved_theme]
    assert problem.answer == "unknown"
    assert isinstance(solve(read_problem(problem.text, themes)), Undetermined)

    twin = problem.counterpart()
    verdict = solve(read_problem(twin.text, themes))
    assert isinstance(verdict, Determined)
    assert verdict.value == problem.values[config.ans_depth - 1]
    assert twin.answer == str(verdict.value)

    cut = problem.cut
    assert cut is not None
    texts = [sentence.text for sentence in twin.sentences]
    assert texts.pop(cut.position) == cut.sentence.text
    assert texts == [sentence.text for sentence in problem.sentences]
    if config.order != "random":
        edges = [sentence.edge for sentence in twin.sentences]
        assert edges == list(twin.tree)[:: 1 if config.order == "forward" else -1]
    question = problem.text.rpartition("Question: ")[2]
    assert twin.text.rpartition("Question: ")[2] == question
    assert twin.id != problem.id


@given(config=configs(unanswerable=False), seed=seeds())
@settings(max_examples=150)
def test_answerable_text_determines_the_stated_answer(config: ProblemConfig, seed: int) -> None:
    problem = generate(config, random.Random(seed))
    verdict = solve(read_problem(problem.text, [config.resolved_theme]))
    assert isinstance(verdict, Determined)
    assert Fraction(problem.answer) == verdict.value == problem.values[config.ans_depth - 1]


@given(config=configs(), seed=seeds())
def test_reader_finds_the_sentences_that_the_problem_says_it_has(
    config: ProblemConfig, seed: int
) -> None:
    problem = generate(config, random.Random(seed))
    read = read_problem(problem.text, [config.resolved_theme])
    assert str(read.asked) == str(problem.asked_variable)
    assert [sentence.text for sentence in read.sentences] == [s.text for s in problem.sentences]
    price = {str(v): value for v, value in zip(problem.variables, problem.values, strict=True)}
    for stated, sentence in zip(read.sentences, problem.sentences, strict=True):
        terms = stated.equation.coefficients
        assert {str(v) for v in terms} == {
            str(problem.variables[i - 1]) for i in sentence.edge if i
        }
        assert sum(n * price[str(v)] for v, n in terms.items()) == stated.equation.constant


# --- A problem knows everything about itself. ---


@given(config=configs(), seed=seeds())
def test_problem_is_complete_and_consistent(config: ProblemConfig, seed: int) -> None:
    problem = generate(config, random.Random(seed))
    num_vars, ans_depth, theme = config.vars, config.ans_depth, config.resolved_theme
    assert problem.config == config
    assert len(problem.variables) == len(set(problem.variables)) == num_vars
    assert all((v.entity is not None) == config.composite_name for v in problem.variables)
    prices = range(theme.value_min, theme.value_max + 1, theme.value_step)
    assert len(problem.values) == num_vars
    assert set(problem.values) <= set(prices)

    # The tree: a path to the questioned variable, the others anywhere above themselves.
    assert problem.path == tuple(range(1, ans_depth + 1))
    assert problem.asked == ans_depth
    assert problem.asked_variable == problem.variables[ans_depth - 1]
    assert list(problem.parents[:ans_depth]) == list(range(ans_depth))
    assert all(0 <= parent < i for i, parent in enumerate(problem.parents, start=1))
    parent_of = {child: parent for parent, child in problem.tree}
    assert parent_of == dict(enumerate(problem.parents, start=1))
    depth = {0: 0}
    for parent, child in problem.tree:
        depth[child] = depth[parent] + 1
    depths = [depth[child] for _, child in problem.tree]
    assert depths == sorted(depths), "edges are breadth first"

    # Sentences: one for each edge but the cut one, true for the values.
    stated = [sentence.edge for sentence in problem.sentences]
    cut_edges = [] if problem.cut is None else [problem.cut.edge]
    assert sorted([*stated, *cut_edges]) == sorted(problem.tree)
    for sentence in problem.sentences:
        check_sentence(problem, sentence.edge, sentence.formula.a, sentence.formula.b)
        assert sentence.constant == sentence.formula.constant(problem.values)
        assert (sentence.formula.parent, sentence.formula.child) == sentence.edge
    joined = " ".join([*(sentence.text for sentence in problem.sentences), "Question: "])
    assert problem.text.startswith(joined)
    breadth_first = [edge for edge in problem.tree if edge not in cut_edges]
    if config.order == "forward":
        assert stated == breadth_first
    elif config.order == "backward":
        assert stated == breadth_first[::-1]

    if config.unanswerable:
        assert config.cut_depth is not None
        assert problem.cut is not None
        assert problem.cut.edge == (
            problem.parents[config.ans_depth - config.cut_depth - 1],
            config.ans_depth - config.cut_depth,
        )
        assert problem.cut.sentence.edge == problem.cut.edge
        assert 0 <= problem.cut.position <= len(problem.sentences)
    else:
        assert problem.cut is None
        asked_value = problem.values[ans_depth - 1]
        assert problem.answer == str(asked_value)
        money = theme.money_one if asked_value == 1 else f"{asked_value} {theme.money_many}"
        assert problem.solution.endswith(f"{problem.asked_variable} costs {money}.")


def check_sentence(problem: Problem, edge: tuple[int, int], a: int, b: int) -> None:
    if edge[0] == 0:
        assert (a, b) == (0, 1)
    else:
        assert 1 <= abs(a) <= 3
        assert 1 <= abs(b) <= 3
        if problem.config.sampling == "published":
            assert a > 0 or b > 0


@given(config=configs(), seed=seeds())
def test_record_survives_json_and_says_what_the_problem_says(
    config: ProblemConfig, seed: int
) -> None:
    problem = generate(config, random.Random(seed))
    record = json.loads(json.dumps(problem.record()))
    assert record == problem.record()
    assert {key: record[key] for key in ("problem", "answer", "proof")} == (
        problem.published_record()
    )
    assert record["problem"] == problem.text
    assert record["proof"] == problem.solution
    assert record["id"] == problem.id == content_id(problem.text, problem.answer)
    assert record["config"] == config.as_dict()
    assert record["parents"] == list(problem.parents)
    assert record["asked"] == problem.asked
    named = {
        v["name"]: price for v, price in zip(record["variables"], record["values"], strict=True)
    }
    assert len(named) == config.num_vars
    values = record["values"]
    stated = [*record["sentences"], *filter(None, [record["cut"]])]
    assert len(stated) == config.num_vars
    for sentence in stated:
        parent, child = sentence["edge"]
        a, b = sentence["coefficients"]
        left = (a * values[parent - 1] if parent else 0) + b * values[child - 1]
        assert left == sentence["constant"]


def test_published_record_has_the_authors_keys_in_their_order() -> None:
    problem = problem_at(ProblemConfig(), 1, 0)
    assert list(problem.published_record()) == ["problem", "answer", "proof"]


def test_problem_cannot_be_changed() -> None:
    problem = problem_at(ProblemConfig(), 1, 0)
    for name in ("config", "values", "parents", "formulas", "text"):
        with pytest.raises(FrozenInstanceError):
            setattr(problem, name, None)
    with pytest.raises(FrozenInstanceError):
        problem.formulas[0].a = 2  # type: ignore[misc]
    record = problem.record()
    record["values"].clear()
    record["config"].clear()
    assert problem.record()["values"] == list(problem.values)
    assert problem.config == ProblemConfig()


def test_id_is_made_from_the_content_alone() -> None:
    problem, again = (problem_at(ProblemConfig(), 3, 7) for _ in range(2))
    assert problem == again
    assert problem.id == again.id
    assert problem.id != problem_at(ProblemConfig(), 3, 8).id
    assert content_id(problem.text, "11") != content_id(problem.text, "12") != problem.id


def test_only_unanswerable_problems_have_a_counterpart() -> None:
    twin = problem_at(ProblemConfig(), 3, 7).counterpart()
    with pytest.raises(TreecutError, match="is answerable: only an unanswerable problem"):
        twin.counterpart()


def test_cut_is_a_function_of_the_problem_alone() -> None:
    """The authors' problems, too, have one counterpart, whichever stream they were drawn from."""
    config = ProblemConfig(ans_depth=4)
    first, second = (list(islice(stream(config, 42, one_stream=True), 20)) for _ in range(2))
    for problem in first:
        _ = problem.cut  # drawing it must not disturb anything
    assert [p.cut for p in first] == [p.cut for p in second]
    twins = {p.counterpart().text for p in first}
    assert len(twins) == 20


# --- English (generator.md, "English"). ---


def sentence_starts(config: ProblemConfig, n: int) -> list[str]:
    return [s.text for p in islice(stream(config, 0), n) for s in p.sentences]


def test_every_kind_of_sentence_is_worded_as_published() -> None:
    texts = sentence_starts(ProblemConfig(), 400)
    assert any(text.startswith("The price of ") for text in texts)
    assert any(" is the same as that of " in text for text in texts)
    assert any(text.endswith(" cost a dollar.") or " cost a dollar " in text for text in texts)
    assert any(" costs a dollar " in text for text in texts)
    assert all(text[0].isdigit() or text[0].isupper() for text in texts)
    assert all(text.endswith(".") and text.count(".") == 1 for text in texts)


def test_article_follows_the_first_letter_but_in_the_question() -> None:
    problems = list(islice(stream(ProblemConfig("outfit", unanswerable=False), 0), 200))
    conditions = " ".join(problem.text.partition("Question:")[0] for problem in problems)
    questions = [problem.text.partition("Question:")[2] for problem in problems]
    assert "an Oxford shirt at" in conditions
    assert "An Oxford shirt at" in conditions
    assert "a Oxford" not in conditions.lower().replace("oxford", "Oxford")
    assert any("how much does a Oxford shirt at" in question for question in questions)
    assert not any(" an " in question for question in questions)


# --- Distributions. ---


def drawn(config: ProblemConfig, n: int) -> list[Problem]:
    return list(islice(stream(config, 2024, one_stream=True), n))


def assert_uniform(counts: Iterable[int], cells: int) -> None:
    observed = list(counts)
    assert len(observed) == cells
    assert chisquare(observed).pvalue > 1e-4, observed


@pytest.mark.parametrize(("sampling", "share"), [("published", 1 / 3), ("paper", 1 / 2)])
def test_share_of_sums(sampling: Sampling, share: float) -> None:
    texts = [
        sentence.text
        for problem in drawn(ProblemConfig(sampling=sampling), 500)
        for sentence in problem.sentences
        if sentence.edge[0] != 0
    ]
    sums = sum(" and " in text for text in texts) / len(texts)
    assert len(texts) > 3500
    assert abs(sums - share) < 0.04


def test_coefficients_values_and_parents_are_uniform() -> None:
    problems = drawn(ProblemConfig(), 1500)
    pairs = Counter(
        (abs(f.a), abs(f.b)) for problem in problems for f in problem.formulas if f.parent
    )
    assert_uniform(pairs.values(), 9)
    assert_uniform(Counter(value for p in problems for value in p.values).values(), 11)
    assert_uniform(Counter(p.parents[8] for p in problems).values(), 9)
    assert_uniform(Counter(p.parents[9] for p in problems).values(), 10)


def test_paper_sampling_draws_all_signs_alike() -> None:
    problems = drawn(ProblemConfig(sampling="paper"), 800)
    pairs = Counter((f.a, f.b) for problem in problems for f in problem.formulas if f.parent)
    assert_uniform(pairs.values(), 36)


def test_names_and_order_are_uniform() -> None:
    problems = drawn(ProblemConfig(), 1500)
    assert_uniform(Counter(p.asked_variable.item for p in problems).values(), 14)
    assert_uniform(Counter(p.asked_variable.entity for p in problems).values(), 5)
    assert_uniform(Counter(p.sentence_order[0] for p in problems).values(), 9)
    assert_uniform(Counter(p.sentence_order.index(8) for p in problems).values(), 9)


def test_place_of_the_cut_sentence_is_uniform() -> None:
    """Where the counterpart has its further sentence must not give away which one it is."""
    problems = drawn(ProblemConfig(ans_depth=4), 800)
    assert_uniform(Counter(p.cut.position for p in problems if p.cut).values(), 6)
    formulas = [p.cut.sentence.formula for p in problems if p.cut]
    assert_uniform(Counter((abs(f.a), abs(f.b)) for f in formulas).values(), 9)
    assert_uniform(Counter((f.a > 0, f.b > 0) for f in formulas).values(), 3)


def test_equal_problems_are_equal_whatever_was_computed_before() -> None:
    problem = problem_at(ProblemConfig(), 0, 0)
    twin = replace(problem)
    _ = problem.text, problem.solution, problem.id, problem.cut
    for other in (twin, copy(problem), pickle.loads(pickle.dumps(problem))):
        assert problem == other
        assert hash(problem) == hash(other)
        assert problem.record() == other.record()
    full = problem.counterpart()
    spared = full.without(next(edge for edge in full.tree if edge[1] > full.asked))
    assert replace(spared) == spared != replace(spared, spare=None)
    cut = full.with_cut(problem.config)
    assert replace(cut) == cut != replace(cut, drawn_cut=None)
    assert cut.counterpart() == full
