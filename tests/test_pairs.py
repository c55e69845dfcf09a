"""Pairs: what the two members share, what each lacks, and what does not tell matched ones apart."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.conftest import RunTreecut
from tests.exchange import (
    by_sentence,
    exchanged,
    free_ends,
    number_of_words,
    parts_of_the_asked,
)
from tests.strategies import LARGE_THEME, THEMES, configs, seeds
from treecut_tasks import Pair, Problem, ProblemConfig, TreecutError, generate_pair, pair_at
from treecut_tasks.problems import (
    COUNTERPARTS,
    ORDERS,
    SAMPLINGS,
    CounterpartKind,
    default_num_vars,
    named_split,
    problem_at,
)
from treecut_tasks.reading import Determined, ReadProblem, Undetermined, read_problem, solve
from treecut_tasks.themes import Variable, load_theme


def check_verdicts(pair: Pair) -> None:
    """The independent reader agrees with both labels."""
    themes = [pair.unanswerable.config.resolved_theme]
    assert isinstance(solve(read_problem(pair.unanswerable.text, themes)), Undetermined)
    verdict = solve(read_problem(pair.answerable.text, themes))
    assert isinstance(verdict, Determined)
    assert (str(verdict.value), pair.unanswerable.answer) == (pair.answerable.answer, "unknown")


def texts(problem: Problem) -> list[str]:
    return [sentence.text for sentence in problem.sentences]


def shared_parts(problem: Problem) -> tuple[Any, ...]:
    return problem.variables, problem.values, problem.parents, problem.asked


@given(configs(unanswerable=True), seeds())
@settings(max_examples=30)
def test_full_pairs_are_a_problem_and_its_counterpart(config: ProblemConfig, seed: int) -> None:
    for pair, problem in (
        (pair_at(config, seed, 3), problem_at(config, seed, 3)),
        (generate_pair(config, random.Random(seed)), None),
    ):
        assert problem in (None, pair.unanswerable)
        assert pair.answerable == pair.unanswerable.counterpart()
        assert shared_parts(pair.unanswerable) == shared_parts(pair.answerable)
        first, second = pair.records()
        assert first == {**pair.unanswerable.record(), "pair_id": pair.id}
        assert second == {**pair.answerable.record(), "pair_id": pair.id}
        check_verdicts(pair)


# --- Matched pairs. ---


@st.composite
def matched_configs(draw: st.DrawFn) -> ProblemConfig:
    theme = draw(st.sampled_from(THEMES))
    composite = draw(st.booleans())
    ans_depth = draw(st.integers(2, 8))
    num_vars = default_num_vars(ans_depth, "matched") + draw(st.integers(0, 2))
    assume(num_vars <= theme.capacity(composite))
    return ProblemConfig(
        theme=theme,
        composite_name=composite,
        num_vars=num_vars,
        ans_depth=ans_depth,
        order=draw(st.sampled_from(ORDERS)),
        cut_depth=draw(st.integers(1, ans_depth - 1)),
        sampling=draw(st.sampled_from(SAMPLINGS)),
    )


def namings_of(problem: ReadProblem) -> dict[Variable, tuple[int, int]]:
    """For each variable how many sentences name it, and how many of them state its price."""
    return {
        variable: (len(naming), sum(sentence.kind == "fact" for sentence in naming))
        for variable in problem.variables
        for naming in [[s for s in problem.sentences if variable in s.equation.coefficients]]
    }


def check_matched(pair: Pair) -> None:
    """Nothing on the surface tells the members apart."""
    cut, whole = pair.unanswerable, pair.answerable
    config = cut.config
    assert shared_parts(cut) == shared_parts(whole)
    assert len(cut.sentences) == len(whole.sentences) == config.vars - 1
    lost, spared = cut.lacks, whole.lacks
    assert lost is not None
    assert spared is not None
    # Both come from the same full problem: putting each sentence back gives the same texts.
    full = cut.counterpart()
    for member, lacks in ((cut, lost), (whole, spared)):
        restored = texts(member)
        restored.insert(lacks.position, lacks.sentence.text)
        assert restored == texts(full)
    # What is spared leads away from the path, below a variable that is named elsewhere.
    assert cut.asked < spared.edge[1] in cut.parents
    assert (lost.edge[0] == 0) == (spared.edge[0] == 0)
    read = [read_problem(member.text, [config.resolved_theme]) for member in (cut, whole)]
    namings = [sorted(namings_of(problem).values()) for problem in read]
    assert namings[0] == namings[1]
    assert len(namings[0]) == config.vars
    if config.order != "random":
        places = [
            [s.number for s in each.sentences if each.asked in s.equation.coefficients]
            for each in read
        ]
        assert places[0] == places[1]
        marked = [by_sentence(each, parts_of_the_asked(each)) for each in (cut, whole)]
        assert marked[0] == marked[1]
    check_verdicts(pair)


def alike(pair: Pair, respect: Any) -> bool:
    """Whether an exchange of names, which is as likely, makes the members alike in one respect."""
    return sorted(by_sentence(exchanged(pair), respect)) == (
        sorted(by_sentence(pair.unanswerable, respect))
    )


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(matched_configs(), seeds())
def test_nothing_that_can_be_counted_tells_matched_members_apart(
    config: ProblemConfig, seed: int
) -> None:
    pairs = [pair_at(config, seed, index, "matched") for index in range(3)]
    for pair in (*pairs, generate_pair(config, random.Random(seed), "matched")):
        check_matched(pair)
        assert alike(pair, number_of_words)
        assert alike(pair, parts_of_the_asked(pair.unanswerable))


@pytest.mark.parametrize("cut_depth", [1, 3, 5])
def test_items_and_places_that_share_a_sentence_do_not_tell_them_apart(cut_depth: int) -> None:
    """Where there are four items or more; with three there are not always such names."""
    config = ProblemConfig(theme="outfit", ans_depth=6, cut_depth=cut_depth)
    for index in range(20):
        pair = pair_at(config, 1, index, "matched")
        assert alike(pair, attrgetter("item"))
        assert alike(pair, attrgetter("entity"))


def test_where_no_names_fit_the_best_are_taken() -> None:
    """Three items of two, three and four words cannot hide lengths and mentions at this cut."""
    outfit = load_theme("outfit")
    names = {"polo shirt", "pair of jeans", "pair of chino pants"}
    items = tuple(item for item in outfit.items if item.name in names)
    config = ProblemConfig(replace(outfit, name="three", items=items), ans_depth=4, cut_depth=2)
    for index in range(3):
        pair = pair_at(config, 0, index, "matched")
        check_matched(pair)
        respects = (number_of_words, parts_of_the_asked(pair.unanswerable))
        assert sum(alike(pair, respect) for respect in respects) == 1


# More trees than can be listed; some have a spare edge in few of ten thousand trees.
MANY_TREES = [
    ProblemConfig(ans_depth=2, num_vars=14, order="forward"),
    ProblemConfig(ans_depth=20, num_vars=26, cut_depth=7, composite_name=True),
    ProblemConfig(LARGE_THEME, ans_depth=60, num_vars=63, cut_depth=59, order="backward"),
]


@pytest.mark.parametrize("config", MANY_TREES, ids=lambda c: f"{c.ans_depth}-{c.num_vars}")
def test_matched_pairs_are_found_where_there_are_too_many_trees_to_list(
    config: ProblemConfig,
) -> None:
    for pair in (
        pair_at(config, 1, 4000, "matched"),
        generate_pair(config, random.Random(1), "matched"),
    ):
        check_matched(pair)


def test_every_tree_with_a_spare_edge_is_as_likely() -> None:
    """With two variables off the path: which variable the spare edge hangs on, in six of them."""
    config = ProblemConfig(ans_depth=4, num_vars=7, cut_depth=1)
    pairs = [pair_at(config, 3, index, "matched") for index in range(1200)]
    trees = Counter(pair.unanswerable.parents for pair in pairs)
    assert chisquare(list(trees.values())).pvalue > 1e-4
    spare = {(tree, free_ends(pair)) for pair in pairs for tree in [pair.unanswerable.parents]}
    assert len(spare) >= len(trees) > 3


@pytest.mark.parametrize("ans_depth", [2, 4, 6, 8])
def test_the_defaults_have_matched_pairs(ans_depth: int) -> None:
    config = ProblemConfig(ans_depth=ans_depth, num_vars=default_num_vars(ans_depth, "matched"))
    check_matched(pair_at(config, 42, 0, "matched"))
    check_matched(pair_at(config, 42, 0, "matched", named_split("test")))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ans_depth": 4, "num_vars": 5}, "use num_vars 6 or more"),
        ({"ans_depth": 2, "num_vars": 4}, "two-by-two grid"),
        ({"ans_depth": 2, "num_vars": 3}, "use num_vars 6 or more"),
        ({"ans_depth": 2, "num_vars": 5, "composite_name": False, "order": "forward"}, None),
    ],
    ids=str,
)
def test_impossible_configurations(parameters: dict[str, Any], message: str | None) -> None:
    config = ProblemConfig(**parameters)
    if message is None:  # four simple names do have pairs
        check_matched(pair_at(config, 0, 0, "matched"))
        return
    with pytest.raises(TreecutError, match="has no matched counterpart") as error:
        pair_at(config, 0, 0, "matched")
    assert message in str(error.value)
    assert "counterpart full" in str(error.value)


def test_bad_input_is_refused() -> None:
    kind: Any = "half"
    draws: list[Callable[[ProblemConfig, Any], Pair]] = [
        lambda config, kind: pair_at(config, 0, 0, kind),
        lambda config, kind: generate_pair(config, random.Random(0), kind),
    ]
    for draw in draws:
        with pytest.raises(TreecutError, match="answerable configuration"):
            draw(ProblemConfig(unanswerable=False), "full")
        with pytest.raises(TreecutError, match="counterpart is 'half': it must be full or matched"):
            draw(ProblemConfig(), kind)


# --- Two aligned files, which the paired task reads. ---


@pytest.mark.parametrize("form", ["jsonl", "published"])
@pytest.mark.parametrize("kind", COUNTERPARTS)
def test_generate_writes_two_aligned_files(
    kind: CounterpartKind, form: str, run_treecut: RunTreecut, tmp_path: Path
) -> None:
    from treecut_tasks.tasks import paired

    options = ["--pairs", kind, "--ans-depth", "4", "-n", "6", "--seed", "3", "--format", form]
    folder = tmp_path / "new" / "pairs"
    made = run_treecut("generate", *options, "-o", folder)
    assert (made.returncode, made.stdout) == (0, ""), made.stderr
    assert made.stderr.startswith(f"Wrote 6 pairs to {folder}")
    paths = [folder / f"{name}.jsonl" for name in ("unanswerable", "answerable")]
    assert sorted(folder.iterdir()) == sorted(paths)
    files = [[json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in paths]
    pairs = [pair_at(ProblemConfig(ans_depth=4), 3, index, kind) for index in range(6)]
    for place, rows in enumerate(files):
        members = [(pair.unanswerable, pair.answerable)[place] for pair in pairs]
        expected = [pair.records()[place] for pair in pairs]
        assert rows == (
            expected if form == "jsonl" else [each.published_record() for each in members]
        )
    samples = paired(data_file=[str(path) for path in paths]).dataset
    assert [(sample.metadata or {})["problem"] for sample in samples] == [
        member.text for pair in pairs for member in (pair.unanswerable, pair.answerable)
    ]
