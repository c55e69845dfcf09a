"""One problem, one name: (configuration, seed, index) is the same problem at every door."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.strategies import TINY_THEME, configs, seeds
from treecut_tasks import (
    ProblemConfig,
    TreecutError,
    generate,
    generate_pair,
    pair_at,
    problem_at,
    read_mixture,
    stream,
    to_dataset,
    to_iterable_dataset,
)
from treecut_tasks.problems import (
    CounterpartKind,
    Drawn,
    Pair,
    Problem,
    Split,
    draw_data_set,
    named_split,
    published_files,
)
from treecut_tasks.themes import load_theme

# Two names, two places, one price: few problems, so that repeats are common.
TINY_CONFIG = ProblemConfig(
    TINY_THEME, composite_name=False, num_vars=2, ans_depth=2, cut_depth=1, order="forward"
)


def sha256_of(texts: Iterable[str]) -> str:
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def members(pair: Pair) -> tuple[Problem, Problem]:
    return pair.unanswerable, pair.answerable


# --- Every door. ---

CONFIGURATIONS: list[dict[str, Any]] = [
    {"ans_depth": 2},
    {"ans_depth": 4, "order": "forward", "sampling": "paper"},
    {"ans_depth": 8},
    {"theme": "outfit", "ans_depth": 5, "num_vars": 9, "composite_name": False, "cut_depth": 4},
]
# Twenty names: the first rows, and such where chunks and blocks begin.
NAMES = [
    (parameters, seed, index)
    for parameters in CONFIGURATIONS
    for seed, index in ((42, 0), (42, 17), (7, 1023), (0, 1024), (2**70, 4096))
]


def options_of(parameters: dict[str, Any], seed: int, n: int) -> list[str]:
    given = {key.replace("_", "-"): value for key, value in parameters.items()}
    simple = ["--simple-name"] if given.pop("composite-name", True) is False else []
    chosen = [text for key, value in given.items() for text in (f"--{key}", str(value))]
    return [*chosen, *simple, "--seed", str(seed), "-n", str(n)]


def generated(run_treecut: RunTreecut, path: Path, *options: str) -> list[dict[str, Any]]:
    done = run_treecut("generate", *options, "-o", path)
    assert done.returncode == 0, done.stderr
    if path.is_dir():
        return [row for file in sorted(path.glob("data-*")) for row in _rows(file)]
    return _rows(path)


def _rows(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".parquet":
        rows: list[dict[str, Any]] = pq.read_table(file).to_pylist()
        return rows
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("parameters", "seed", "index"), NAMES, ids=str)
def test_a_name_is_the_same_problem_at_every_door_of_python(
    parameters: dict[str, Any], seed: int, index: int, tmp_path: Path
) -> None:
    config = ProblemConfig(**parameters)
    problem = problem_at(config, seed, index)
    record, twin = problem.record(), problem.counterpart()
    assert next(islice(stream(config, seed), index, None)) == problem
    assert pair_at(config, seed, index).unanswerable == problem
    assert pair_at(config, seed, index).answerable == twin
    assert to_dataset(config, seed, index + 1)[index] == record
    shards = min(index + 1, 2)
    lazily = to_iterable_dataset(config, seed, index + 1, shards=shards).skip(index)
    assert next(iter(lazily)) == record
    pair = to_dataset(config, seed, index + 1, pairs="full", form="text")
    assert pair[2 * index]["problem"] == problem.text
    assert pair[2 * index + 1]["problem"] == twin.text
    mixture = tmp_path / "mixture.yaml"
    mixture.write_text(json.dumps({"parts": [parameters]}), encoding="utf-8")
    assert to_dataset(read_mixture(mixture, seed), seed, index + 1)[index] == record
    if index < 20:
        (drawn,) = islice(draw_data_set([config], index + 1, seed), index, None)
        assert drawn.pair.unanswerable == problem


@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=str)
def test_a_name_is_the_same_problem_in_every_format_and_in_the_tasks(
    parameters: dict[str, Any], run_treecut: RunTreecut, tmp_path: Path
) -> None:
    from treecut_tasks.tasks import answerable, unanswerable

    config, n = ProblemConfig(**parameters), 18
    problems = [problem_at(config, 42, index) for index in range(n)]
    records = [problem.record() for problem in problems]
    options = options_of(parameters, 42, n)
    for name in ("rows.jsonl", "rows.parquet"):
        form = Path(name).suffix[1:]
        found = generated(run_treecut, tmp_path / name, *options, "--format", form)
        assert found == records
    sharded = [*options, "--shards", "3", "--workers", "2", "--format", "parquet"]
    assert generated(run_treecut, tmp_path / "folder", *sharded) == records
    published = generated(run_treecut, tmp_path / "p.jsonl", *options, "--format", "published")
    assert published == [problem.published_record() for problem in problems]
    tasks = {"num_problems": n, "seed": 42, **parameters}
    for task, texts in (
        (unanswerable(**tasks), [problem.text for problem in problems]),
        (answerable(**tasks), [problem.counterpart().text for problem in problems]),
    ):
        assert [(sample.metadata or {})["problem"] for sample in task.dataset] == texts


# They must be the same on every platform and Python version, today and in ten years.
GOLDEN: list[tuple[dict[str, Any], int, str]] = [
    ({}, 42, "d1f5d7d02041fb1ddf0e51c470f921cb99b17f431d97992c54e81c391b797ec0"),
    ({"ans_depth": 2}, 42, "c14d7eed3b519c59648b84260ffe8a7db6c6d6ac61be9228981188b16b3a9ea8"),
    (
        {"unanswerable": False},
        7,
        "3481ad5f223d57963567e5f2a8b1259724c5ba69493d0f694e0d4ad4028f5d40",
    ),
    (
        {"theme": "outfit", "ans_depth": 4, "sampling": "paper"},
        0,
        "6ae62bb22e74eae13ad3b5c50db2ff132f2d077ee72e781438a104c442619c3d",
    ),
    (
        {"composite_name": False, "num_vars": 9, "ans_depth": 5, "order": "forward"},
        42,
        "6acf6bb3bfe6cf5fd908996fdeb32e48348f244afed68e996a61151a30e4e907",
    ),
    (
        {"theme": "outfit", "ans_depth": 6, "cut_depth": 5, "order": "backward"},
        2**70,
        "eb708270ef2407587337ea8cf8582c37eca0153614770b0b4e032ddde08081d9",
    ),
]


def digest(config: ProblemConfig, seed: int) -> str:
    """Of the first problems of a stream: record and counterpart."""
    return sha256_of(
        json.dumps([p.record(), p.counterpart().text if config.unanswerable else None])
        for p in islice(stream(config, seed), 20)
    )


@pytest.mark.parametrize(("values", "seed", "expected"), GOLDEN, ids=[str(g[:2]) for g in GOLDEN])
def test_streams_have_the_recorded_bytes(values: dict[str, Any], seed: int, expected: str) -> None:
    assert digest(ProblemConfig(**values), seed) == expected


def test_matched_pairs_have_the_recorded_bytes() -> None:
    config = ProblemConfig(ans_depth=4, order="forward")
    records = (pair_at(config, 42, index, "matched").records() for index in range(20))
    assert sha256_of(json.dumps(each) for each in records) == MATCHED


MATCHED = "9ebb18c3c4df05eeaede576a5ad49e31610489b971cd5b6b5ea5aa1304c272b3"


# --- The stream. ---


@given(configs(), seeds(), st.permutations(range(6)))
@settings(max_examples=20)
def test_any_problem_can_be_made_alone_and_in_any_order(
    config: ProblemConfig, seed: int, order: list[int]
) -> None:
    in_turn = list(islice(stream(config, seed), 6))
    for index in order:
        assert problem_at(config, seed, index) == in_turn[index]


def test_neighbouring_streams_share_no_problem() -> None:
    base = ProblemConfig(num_vars=10, ans_depth=8)
    neighbours = [
        base,
        replace(base, order="forward"),
        replace(base, sampling="paper"),
        replace(base, cut_depth=3),
        replace(base, ans_depth=7, cut_depth=3),
        base.answerable(),
        replace(base, composite_name=False),
        ProblemConfig(replace(load_theme("food"), money_one="one dollar")),
    ]
    drawn = [
        {problem.values for problem in islice(stream(config, seed), 40)}
        for config in neighbours
        for seed in range(3)
    ]
    assert len(set[object]().union(*drawn)) == sum(map(len, drawn)) == 8 * 3 * 40


def test_streams_do_not_touch_the_global_generator() -> None:
    random.seed(3)
    before = random.getstate()
    problem = problem_at(ProblemConfig(), 1, 1)
    _ = problem.record(), problem.counterpart()
    list(draw_data_set([ProblemConfig(ans_depth=2)], 5, 1))
    assert random.getstate() == before


BAD_NUMBERS = [-1, 1.0, "42", None, True]


@pytest.mark.parametrize("bad", BAD_NUMBERS)
def test_bad_seeds_and_indices_are_refused(bad: Any) -> None:
    config = ProblemConfig()
    _ = problem_at(config, 1, 0), problem_at(config, 1, 1)  # True is 1, which must not let it pass.
    uses: dict[str, list[Callable[[], object]]] = {
        "seed": [
            lambda: problem_at(config, bad, 0),
            lambda: stream(config, bad),
            lambda: stream(config, bad, one_stream=True),
            lambda: draw_data_set([config], 1, bad),
            lambda: to_dataset(config, bad, 1),
        ],
        "index": [lambda: problem_at(config, 1, bad), lambda: pair_at(config, 1, bad)],
    }
    for name, calls in uses.items():
        for use in calls:
            with pytest.raises(
                TreecutError, match=rf"^{name} is .*: it must be a whole number of 0"
            ):
                use()


def test_what_is_no_generator_and_no_configuration_is_refused() -> None:
    uses: tuple[Any, Any] = generate, generate_pair
    for use in uses:
        with pytest.raises(TreecutError, match=r"rng is 7: it must be a random\.Random, such as"):
            use(ProblemConfig(), 7)
        with pytest.raises(TreecutError, match="config is 'food': it must be a ProblemConfig"):
            use("food", random.Random(7))
    with pytest.raises(TreecutError, match="config is None"):
        problem_at(None, 1, 1)  # type: ignore[arg-type]


def test_prices_that_no_row_can_hold_are_refused_at_once() -> None:
    config = ProblemConfig(replace(TINY_THEME, value_max=10**19), num_vars=2, ans_depth=2)
    uses: tuple[Callable[[], object], ...] = (
        lambda: problem_at(config, 1, 1),
        lambda: generate(config, random.Random(1)),
        lambda: to_dataset(config, 1, 1),
    )
    for use in uses:
        with pytest.raises(TreecutError, match="has prices up to 10000000000000000000: use prices"):
            use()


# --- The sets of tasks. ---

DEPTHS = [ProblemConfig(ans_depth=ans_depth) for ans_depth in (2, 4, 6, 8)]


def test_every_prefix_of_a_set_is_balanced_and_a_larger_set_starts_alike() -> None:
    drawn = list(draw_data_set(DEPTHS, 25, 1))
    for length in range(1, len(drawn) + 1):
        counts = Counter(d.pair.unanswerable.config.ans_depth for d in drawn[:length])
        assert max(counts.values()) - min(counts[depth] for depth in (2, 4, 6, 8)) <= 1
    assert list(draw_data_set(DEPTHS, 10, 1)) == drawn[:40]
    assert all(d.pair == pair_at(d.pair.unanswerable.config, 1, d.index) for d in drawn)


def texts(drawn: Iterable[Drawn]) -> Iterator[str]:
    return (problem.text for d in drawn for problem in members(d.pair))


def test_repeats_are_passed_over() -> None:
    in_stream = [problem.text for problem in islice(stream(TINY_CONFIG, 0), 12)]
    assert len(set(in_stream)) < 12, "this theme must repeat itself for the test to mean something"
    drawn = list(draw_data_set([TINY_CONFIG], 12, 0))
    assert len(set(texts(drawn))) == 24
    assert drawn[-1].index > 11
    # One sentence: the order changes nothing.
    both = draw_data_set([TINY_CONFIG, replace(TINY_CONFIG, order="backward")], 6, 0)
    assert len(set(texts(both))) == 24


def test_more_problems_than_a_configuration_has_are_refused() -> None:
    # Two orders of names, one price and 27 formulas.
    assert len(list(draw_data_set([TINY_CONFIG], 54, 0))) == 54
    with pytest.raises(TreecutError, match=r"55 different problems .* theme=tiny.* gave only 54 "):
        list(draw_data_set([TINY_CONFIG], 55, 0))


@pytest.mark.parametrize("number", [0, -1, 1.5, "10", None, True])
def test_bad_numbers_of_problems_are_refused(number: Any) -> None:
    with pytest.raises(TreecutError, match=r"number of problems is .*a whole number of 1 or more"):
        draw_data_set([ProblemConfig()], number, 0)


def test_a_set_is_drawn_as_it_is_asked_for() -> None:
    assert next(draw_data_set([ProblemConfig()], 10**9, 1)).index == 0


# --- Splits. ---


def drawn_of(split: Split, counterpart: CounterpartKind, seed: int) -> list[Pair]:
    configs = [
        ProblemConfig(ans_depth=2, num_vars=6, order="forward"),
        ProblemConfig(ans_depth=4, num_vars=7),
    ]
    drawn = draw_data_set(configs, 400, seed, counterpart, split)
    return [each.pair for each in drawn]


@pytest.mark.parametrize("counterpart", ["full", "matched"])
@pytest.mark.parametrize("separate_items", [False, True])
def test_train_and_test_share_nothing(
    counterpart: CounterpartKind, separate_items: bool, tmp_path: Path
) -> None:
    """What a task serves of `test`, and what is drawn of `train` in any way."""
    train = "train_items" if separate_items else "train"
    test = drawn_of(named_split("test_items" if separate_items else "test"), counterpart, 1)
    config = replace(test[0].unanswerable.config, ans_depth=3, num_vars=6, cut_depth=1)
    mixture = tmp_path / "mixture.yaml"
    parts = [{"ans_depth": 2, "num_vars": 5, "order": "forward"}, {"ans_depth": 3, "pairs": "full"}]
    text = json.dumps(
        {
            "parts": parts,
            "splits": {"test": "1/10", "train": "9/10"},
            "separate_items": separate_items,
        }
    )
    mixture.write_text(text, encoding="utf-8")
    rows = [
        *to_dataset(read_mixture(mixture, 1), 1, 3000, split="train"),
        *to_dataset(config, 1, 1000, split=train),
    ]
    pairs = drawn_of(named_split(train), counterpart, 2)
    names = [frozenset(row["variables"]) for row in rows]
    train_texts = {row["problem"] for row in rows} | {
        p.text for each in pairs for p in members(each)
    }
    train_names = {
        (each, row["variables"][row["config"]["ans_depth"] - 1])
        for each, row in zip(names, rows, strict=True)
    }
    train_names |= {named(each) for each in pairs}
    assert train_texts.isdisjoint(p.text for each in test for p in members(each))
    assert train_names.isdisjoint(map(named, test))
    items = {name.partition(" at ")[0] for each, _ in train_names for name in each}
    test_items = {variable.item for each in test for variable in each.unanswerable.variables}
    assert items.isdisjoint(test_items) == separate_items
    # Half of all names would do by chance.
    assert len(train_texts) > 2000


def named(pair: Pair) -> tuple[frozenset[str], str]:
    """The set of names and the one asked for, by which splits are told apart."""
    assert pair.unanswerable.variables == pair.answerable.variables
    problem = pair.unanswerable
    return frozenset(map(str, problem.variables)), str(problem.asked_variable)


def test_the_splits_are_all_problems_in_the_shares_that_they_say() -> None:
    config = ProblemConfig(ans_depth=3, num_vars=4)
    splits = {name: named_split(name) for name in ("train", "validation", "test")}
    found = {
        name: {
            named(pair_at(config, seed, index, split=split))
            for seed in (1, 2)
            for index in range(2000)
        }
        for name, split in splits.items()
    }
    assert len(set[object]().union(*found.values())) == sum(map(len, found.values()))
    # 10 pairs of places, 91 pairs of items, 4 names asked for; not all of train's have turned up.
    assert 0.5 * 3640 < len(found["train"]) < 0.82 * 3640
    assert math.isclose(len(found["test"]) / 3640, 0.1, abs_tol=0.02)


def test_bad_splits_are_refused_at_once() -> None:
    with pytest.raises(
        TreecutError, match="split is 'dev': it must be all, train, validation, test"
    ):
        named_split("dev")
    with pytest.raises(TreecutError, match="too few names to make problems of num_vars=10"):
        problem_at(ProblemConfig("outfit"), 1, 1, named_split("test_items"))
    # Two names have one set, and two can be asked for: some split has neither.
    config = ProblemConfig(TINY_THEME, composite_name=False, num_vars=2, ans_depth=2)
    refused = 0
    for each in map(named_split, ("validation", "test")):
        try:
            problem_at(config, 1, 1, each)
        except TreecutError as error:
            assert "too few names" in str(error)
            refused += 1
    assert refused


# --- The authors' stream. ---

# By depth, and whether they are unanswerable; the first four are those of the authors' own files.
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


def test_the_published_files() -> None:
    files = list(published_files())
    found = {
        (problems.config.ans_depth, problems.config.unanswerable): sha256_of(
            problems.published_lines()
        )
        for _, problems in files
    }
    assert found == PUBLISHED_SHA256
    assert files[0][0] == (
        "qa_theme-food_compositeName_True_numVars-4_ansDepth-2_order-random_hallu-True_cutDepth-1"
        "_REP-500.jsonl"
    )
    assert files[1][0].endswith("_order-random_hallu-False_REP-500.jsonl")


def test_one_stream_in_every_format(run_treecut: RunTreecut, tmp_path: Path) -> None:
    config = ProblemConfig("outfit", ans_depth=3)
    problems = list(islice(stream(config, 5, one_stream=True), 700))
    options = ["--theme", "outfit", "--ans-depth", "3", "--seed", "5", "-n", "700", "--one-stream"]
    for form in ("jsonl", "parquet"):
        found = generated(run_treecut, tmp_path / f"a.{form}", *options, "--format", form)
        assert [row["problem"] for row in found] == [problem.text for problem in problems]
        assert found[-1] == problems[-1].record()
    pairs = generated(run_treecut, tmp_path / "pairs.jsonl", *options, "--pairs", "full")
    assert [row["problem"] for row in pairs[:2]] == [
        problems[0].text,
        problems[0].counterpart().text,
    ]
    assert problem_at(config, 5, 0) != problems[0]


def test_the_cut_is_a_function_of_the_text() -> None:
    config = ProblemConfig(ans_depth=4)
    first, second = (list(islice(stream(config, 42, one_stream=True), 20)) for _ in range(2))
    alone = random.Random(42)
    third = [generate(config, alone) for _ in range(20)]
    for problems in (second, third):
        assert [p.cut for p in problems] == [p.cut for p in first]
    assert len({p.counterpart().text for p in first}) == 20
