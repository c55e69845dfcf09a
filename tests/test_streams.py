"""Streams and data sets: reproducible anywhere, never shared, never a text twice."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treecut_tasks
from tests.strategies import TINY_THEME, configs, seeds
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import (
    Drawn,
    Pair,
    Problem,
    ProblemConfig,
    draw_data_set,
    generate,
    pair_at,
    problem_at,
    problem_rng,
    stream,
)

# Two names, two places, one price: few problems, so that repeats are common.
TINY_CONFIG = ProblemConfig(
    TINY_THEME, composite_name=False, num_vars=2, ans_depth=2, cut_depth=1, order="forward"
)


def sha256(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode("ascii")).hexdigest()


def digest(config: ProblemConfig, seed: int, count: int = 20) -> str:
    """Of the first problems of a stream: text, answer, solution, id and counterpart."""
    return sha256(
        json.dumps(
            [
                problem.published_record(),
                problem.id,
                problem.counterpart().text if config.unanswerable else None,
            ]
        )
        for problem in islice(stream(config, seed), count)
    )


# They must be the same on every platform and Python version, today and in ten years.
GOLDEN: list[tuple[dict[str, Any], int, str]] = [
    ({}, 42, "f74e2d400efa61bf76ae9ce56f86ad56d2532fa7361d5be4fee65114fef20cf0"),
    ({"ans_depth": 2}, 42, "20e4f4b49e1f442d2fcf0c9ed859bdc2a78870653cfeadf79b2a1c502174b566"),
    (
        {"unanswerable": False},
        7,
        "35f84068fe71c6b29b38c05572bd8a6ab5f68698a59e56f9129d6faa3bec2515",
    ),
    (
        {"theme": "outfit", "ans_depth": 4, "sampling": "paper"},
        0,
        "6c9956386f8cb40d8af5c1b3a5e44781f3c4fbc1eff4662fa67e352d2b8a353d",
    ),
    (
        {"composite_name": False, "num_vars": 9, "ans_depth": 5, "order": "forward"},
        42,
        "fea9c612e97cfca255431a70019792011152b7cee848a7b1a904d5a5955f25bb",
    ),
    (
        {"theme": "outfit", "ans_depth": 6, "cut_depth": 5, "order": "backward"},
        2**70,
        "af87f0db5c02ada39ab79ca15a44e76b75efcbe5c5ec1850a2f2afb412a21db5",
    ),
    (
        {"composite_name": False, "sampling": "paper", "unanswerable": False},
        1,
        "2d4294d61f4d75a4964a65c9ba8806aee4b6d2f384266ee4e0c1eaeb28b86c35",
    ),
]


@pytest.mark.parametrize(("values", "seed", "expected"), GOLDEN, ids=[str(g[:2]) for g in GOLDEN])
def test_streams_have_the_recorded_bytes(values: dict[str, Any], seed: int, expected: str) -> None:
    assert digest(ProblemConfig(**values), seed) == expected


def test_full_records_have_the_recorded_bytes() -> None:
    """Changes only with the format of full records, never with what is in them."""
    problems = islice(stream(ProblemConfig(ans_depth=4), 42), 20)
    assert (
        sha256(json.dumps(problem.record()) for problem in problems)
        == "aac8198c449fe4d726b84d335aa08cb639c10e7928216fb9b6ef7ffc368395f4"
    )


def test_data_set_has_the_recorded_bytes() -> None:
    """The first problems of the default task: depths 2, 4, 6 and 8, interleaved, in pairs."""
    depths = [ProblemConfig(ans_depth=ans_depth) for ans_depth in (2, 4, 6, 8)]
    drawn = draw_data_set(depths, 20, 42)
    assert (
        sha256(problem.id for d in drawn for problem in members(d.pair))
        == "946d3c92758496c8866e85df3c8d4574d47f3fec5f5bd5da9fd3604f1f7f3ec0"
    )


def members(pair: Pair) -> tuple[Problem, Problem]:
    return pair.unanswerable, pair.answerable


# --- Streams. ---


@given(config=configs(), seed=seeds(), order=st.permutations(range(6)))
def test_any_problem_can_be_made_alone_and_in_any_order(
    config: ProblemConfig, seed: int, order: list[int]
) -> None:
    in_turn = list(islice(stream(config, seed), 6))
    for index in order:
        assert problem_at(config, seed, index) == in_turn[index]


def test_no_problem_is_lost_or_changed_far_into_a_stream() -> None:
    config, rng = ProblemConfig(unanswerable=False), random.Random(8)
    for index, problem in enumerate(islice(stream(config, 8), 200)):
        assert problem == problem_at(config, 8, index)
    for problem in islice(stream(config, 8, one_stream=True), 200):
        assert problem == generate(config, rng)


def test_streams_do_not_touch_the_global_generator() -> None:
    random.seed(3)
    before = random.getstate()
    problem = problem_at(ProblemConfig(), 1, 1)
    _ = problem.record(), problem.counterpart()
    draw_data_set([ProblemConfig(ans_depth=2)], 5, 1)
    assert random.getstate() == before


def draws(config: ProblemConfig, seed: int, count: int = 40) -> set[object]:
    """What was drawn, whatever became of it: problems that share it share a stream."""
    return {problem.values for problem in islice(stream(config, seed), count)}


def test_neighbouring_streams_share_no_problem() -> None:
    base = ProblemConfig(num_vars=10, ans_depth=8)
    neighbours = [
        base,
        replace(base, order="forward"),
        replace(base, order="backward"),
        replace(base, sampling="paper"),
        replace(base, cut_depth=3),
        replace(base, ans_depth=7, cut_depth=3),
        base.answerable(),
        replace(base, composite_name=False),
    ]
    streams = [draws(config, seed) for config in neighbours for seed in range(5)]
    assert len(set[object]().union(*streams)) == sum(map(len, streams)) == 8 * 5 * 40


def test_neighbouring_problems_and_attempts_share_nothing() -> None:
    config = ProblemConfig()
    rngs = [
        problem_rng(config, seed, i, k) for seed in range(4) for i in range(4) for k in range(4)
    ]
    assert len({rng.random() for rng in rngs}) == 4**3
    assert problem_at(config, 1, 2) == problem_at(config, 1, 2, attempt=0)
    assert problem_at(config, 1, 2) == generate(config, problem_rng(config, 1, 2))


def test_theme_counts_by_its_content(tmp_path: Path) -> None:
    source = Path(treecut_tasks.__file__).parent / "themes" / "data" / "food.yaml"
    text = source.read_text(encoding="utf-8")
    copy, changed = tmp_path / "copy.yaml", tmp_path / "changed.yaml"
    copy.write_text("# My own.\n" + text, encoding="utf-8")
    changed.write_text(text.replace("cream brulees", "creme brulees"), encoding="utf-8")
    food = problem_at(ProblemConfig(), 5, 0)
    assert problem_at(ProblemConfig(copy), 5, 0) == food
    assert problem_at(ProblemConfig(changed), 5, 0).values != food.values


def test_one_stream_is_the_authors() -> None:
    config = ProblemConfig(ans_depth=2)
    problems = islice(stream(config, 42, one_stream=True), 500)
    lines = "".join(json.dumps(problem.published_record()) + "\n" for problem in problems)
    assert hashlib.sha256(lines.encode()).hexdigest() == (
        "74d44086be0918c70d68dec7218c4821ca49f2828e10534e4a4a29e88c60e0e4"
    )
    assert next(stream(config, 42)) != next(stream(config, 42, one_stream=True))


BAD_SEEDS = [-1, 1.0, "42", None, True]


@pytest.mark.parametrize("seed", BAD_SEEDS)
def test_bad_seeds_are_refused(seed: Any) -> None:
    message = r"seed is .*: it must be a whole number of 0 or more"
    problem_at(ProblemConfig(), 1, 0)  # True equals 1, which must not let it pass afterwards.
    for use in (
        lambda: problem_at(ProblemConfig(), seed, 0),
        lambda: next(stream(ProblemConfig(), seed)),
        lambda: stream(ProblemConfig(), seed, one_stream=True),
        lambda: draw_data_set([ProblemConfig()], 1, seed),
    ):
        with pytest.raises(TreecutError, match=message):
            use()


# --- Data sets. ---


def test_data_set_is_the_interleaved_streams() -> None:
    depths = [ProblemConfig(ans_depth=ans_depth) for ans_depth in (2, 4, 6, 8)]
    drawn = draw_data_set(depths, 30, 42)
    assert [d.problem.config.ans_depth for d in drawn] == [2, 4, 6, 8] * 30
    assert [d.index for d in drawn] == [i for i in range(30) for _ in depths]
    for d in drawn:
        assert d.pair == pair_at(d.problem.config, 42, d.index, d.attempt)
        assert d.problem == problem_at(d.problem.config, 42, d.index, d.attempt)
        assert d.pair.answerable == d.problem.counterpart()


def test_every_prefix_of_a_data_set_is_balanced_and_a_larger_set_starts_alike() -> None:
    depths = [ProblemConfig(ans_depth=ans_depth) for ans_depth in (2, 4, 6, 8)]
    drawn = draw_data_set(depths, 25, 1)
    for length in range(1, len(drawn) + 1):
        counts = Counter(d.problem.config.ans_depth for d in drawn[:length])
        assert max(counts.values()) - min(counts[depth] for depth in (2, 4, 6, 8)) <= 1
    assert draw_data_set(depths, 10, 1) == drawn[:40]


def texts(drawn: list[Drawn]) -> Iterator[str]:
    return (problem.text for d in drawn for problem in members(d.pair))


def test_repeats_are_replaced_always_by_the_same() -> None:
    in_stream = [problem.text for problem in islice(stream(TINY_CONFIG, 0), 12)]
    assert len(set(in_stream)) < 12, "this theme must repeat itself for the test to mean something"
    drawn = draw_data_set([TINY_CONFIG], 12, 0)
    found = list(texts(drawn))
    assert len(set(found)) == len(found) == 24
    assert any(d.attempt > 0 for d in drawn)
    assert drawn == draw_data_set([TINY_CONFIG], 12, 0)
    for d in drawn:
        assert d.pair == pair_at(TINY_CONFIG, 0, d.index, d.attempt)
        for attempt in range(d.attempt):
            replaced = pair_at(TINY_CONFIG, 0, d.index, attempt)
            earlier = list(texts(drawn[: d.index]))
            assert {replaced.unanswerable.text, replaced.answerable.text} & set(earlier)


def test_no_text_repeats_across_configurations() -> None:
    again = replace(TINY_CONFIG, order="backward")  # one sentence: the order changes nothing
    found = list(texts(draw_data_set([TINY_CONFIG, again], 6, 0)))
    assert len(set(found)) == len(found) == 24


def test_more_problems_than_a_configuration_has_are_refused() -> None:
    # Two orders of names, one price and 27 formulas.
    assert len(draw_data_set([TINY_CONFIG], 54, 0)) == 54
    # Counting all draws promises more than there is, because a fact has only one formula.
    scarce = replace(TINY_CONFIG, composite_name=True, num_vars=3, ans_depth=3)
    for config, number, found in (
        (TINY_CONFIG, 55, "can give at most 54"),
        (TINY_CONFIG, 10**9, "can give at most 54"),
        (scarce, 4 * 3 * 2 * 27 + 1, "gave only "),
    ):
        with pytest.raises(TreecutError) as caught:
            draw_data_set([config], number, 0)
        text = str(caught.value)
        assert text.startswith(f"{number} different problems were asked for, but")
        assert found in text
        assert "theme=tiny" in text
        assert "ask for fewer problems" in text
        assert "\n" not in text


@pytest.mark.parametrize("number", [0, -1, 1.5, "10", None, True])
def test_bad_numbers_of_problems_are_refused(number: Any) -> None:
    with pytest.raises(TreecutError, match=r"number of problems is .*a whole number of 1 or more"):
        draw_data_set([ProblemConfig()], number, 0)
