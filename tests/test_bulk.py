"""The bulk stream: the same problems as the plain way makes of the same draws, by the million."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from tests.strategies import (
    DEAR_THEME,
    ESCAPED_THEME,
    EURO_THEME,
    LARGE_THEME,
    THEMES,
    TINY_THEME,
    configs,
    seeds,
)
from treecut_tasks.bulk.columns import schema
from treecut_tasks.bulk.draws import Draws
from treecut_tasks.bulk.recipe import Part, Recipe
from treecut_tasks.bulk.rows import CHUNK, Rows
from treecut_tasks.bulk.splits import HASHES, WHOLE, PairKind, Split
from treecut_tasks.bulk.stream import BLOCK, draw_block
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Problem, ProblemConfig, pairs_stream, stream
from treecut_tasks.themes import Item
from treecut_tasks.validity import prove

ALL_THEMES = (*THEMES, ESCAPED_THEME, TINY_THEME, DEAR_THEME)
ITEMS = (Item("bolt", "bolts"), Item("screw", "screws"))
TEXT_KEYS = ("id", "problem", "answer", "proof", "pair_id")

# Where something begins or ends anew: the stream, a chunk, a block.
STARTS = st.one_of(st.integers(0, 3 * BLOCK), st.sampled_from([0, CHUNK - 2, BLOCK - 2, BLOCK]))


def single(config: ProblemConfig, seed: int, pairs: PairKind = "none") -> Recipe:
    return Recipe((Part(config, pairs),), seed)


def plain_records(
    config: ProblemConfig, seed: int, pairs: PairKind, start: int, stop: int
) -> list[dict[str, Any]]:
    """Full records of some entries, each made by itself from its draws."""
    blocks: dict[int, Draws] = {}
    records: list[dict[str, Any]] = []
    for entry in range(start, stop):
        block, row = divmod(entry, BLOCK)
        if block not in blocks:
            blocks[block] = draw_block(config, seed, block, pairs)
        draws = blocks[block]
        if pairs == "none":
            records.append(draws.problem(row).record())
        else:
            records += draws.pair(row).records()
    return records


def as_lines(records: Sequence[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode("ascii")


def lines(recipe: Recipe, start: int, stop: int, text_only: bool = False) -> bytes:
    return b"".join(map(bytes, Rows(recipe, WHOLE, text_only).lines(start, stop)))


def table(recipe: Recipe, start: int, stop: int, text_only: bool = False) -> pa.Table:
    return pa.concat_tables(Rows(recipe, WHOLE, text_only).tables(start, stop))


def texts_only(record: dict[str, Any]) -> dict[str, Any]:
    return {key: record[key] for key in TEXT_KEYS if key in record}


@st.composite
def entries(draw: st.DrawFn) -> tuple[ProblemConfig, PairKind]:
    config = draw(configs(themes=ALL_THEMES))
    return config, "full" if config.unanswerable and draw(st.booleans()) else "none"


# --- The same as one by one. ---


@given(entries(), seeds(), STARTS, st.integers(1, 5))
@settings(max_examples=40)
def test_lines_are_those_of_the_plain_records(
    entry: tuple[ProblemConfig, PairKind], seed: int, start: int, number: int
) -> None:
    config, pairs = entry
    recipe, records = (
        single(config, seed, pairs),
        plain_records(config, seed, pairs, start, start + number),
    )
    assert lines(recipe, start, start + number) == as_lines(records)
    expected = as_lines([texts_only(record) for record in records])
    assert lines(recipe, start, start + number, text_only=True) == expected


@pytest.mark.parametrize(
    "other",
    [
        {"items": (Item("cafe", "caf\u00e9s"), Item("bun", "buns"), Item("wrap", "wraps"))},
        {"money_many": "\u20ac"},
        {"money_one": "one z\u0142oty"},
        {"entities": ("Shop One", "Caf\u00e9 Two")},
    ],
    ids=["plural", "money_many", "money_one", "entity"],
)
@pytest.mark.parametrize("composite_name", [True, False])
def test_one_word_that_json_escapes_is_enough(other: dict[str, Any], composite_name: bool) -> None:
    plain = replace(TINY_THEME, items=(Item("nut", "nuts"), *ITEMS), value_max=3)
    config = ProblemConfig(
        theme=replace(plain, **other), num_vars=3, ans_depth=2, composite_name=composite_name
    )
    assert lines(single(config, 1), 0, 200) == as_lines(plain_records(config, 1, "none", 0, 200))


@given(entries(), seeds(), STARTS, st.integers(1, 5))
@settings(max_examples=40)
def test_tables_are_those_of_the_plain_records(
    entry: tuple[ProblemConfig, PairKind], seed: int, start: int, number: int
) -> None:
    config, pairs = entry
    recipe = single(config, seed, pairs)
    records = plain_records(config, seed, pairs, start, start + number)
    for text_only in (False, True):
        found = table(recipe, start, start + number, text_only)
        found.validate(full=True)
        assert found.schema == schema(text_only, paired=pairs != "none")
        expected = [texts_only(record) for record in records] if text_only else records
        assert found.to_pylist() == expected


HUGE = [
    (60, 2, None, "random"),
    (61, 61, 1, "backward"),
    (200, 2, 1, "random"),
    (200, 199, 198, "random"),
]


@pytest.mark.parametrize(("num_vars", "ans_depth", "cut_depth", "order"), HUGE)
def test_large_problems_are_the_same_too(
    num_vars: int, ans_depth: int, cut_depth: int | None, order: Any
) -> None:
    """Trees that are too many to be numbered, and subtrees of all sizes."""
    config = ProblemConfig(
        theme=LARGE_THEME,
        num_vars=num_vars,
        ans_depth=ans_depth,
        cut_depth=cut_depth,
        unanswerable=cut_depth is not None,
        order=order,
        sampling="paper",
    )
    pairs: PairKind = "none" if cut_depth is None else "full"
    records = plain_records(config, 5, pairs, 7, 10)
    assert lines(single(config, 5, pairs), 7, 10) == as_lines(records)
    assert table(single(config, 5, pairs), 7, 10).to_pylist() == records


def test_large_problems_are_written_a_few_at_a_time() -> None:
    """A thousand problems of 200 variables with all that is known of them are 100 megabytes."""
    config = ProblemConfig(theme=LARGE_THEME, num_vars=200, ans_depth=2)
    recipe = single(config, 5)
    sizes = [len(part) for part in Rows(recipe, WHOLE).tables(0, 200)]
    assert sum(sizes) == 200
    assert max(sizes) <= 100
    written = lines(recipe, 0, 200).splitlines(keepends=True)
    assert b"".join(written[98:103]) == as_lines(plain_records(config, 5, "none", 98, 103))
    assert [len(part) for part in Rows(ALONE, WHOLE).tables(0, 2 * CHUNK)] == [CHUNK, CHUNK]


SMALLEST = [
    ProblemConfig(theme=TINY_THEME, composite_name=False, num_vars=2, ans_depth=2),
    ProblemConfig(theme=TINY_THEME, num_vars=2, ans_depth=2, unanswerable=False),
    ProblemConfig(theme=TINY_THEME, num_vars=4, ans_depth=4, cut_depth=3),
]


@pytest.mark.parametrize("config", SMALLEST)
def test_smallest_problems_are_the_same_too(config: ProblemConfig) -> None:
    records = plain_records(config, 2**70, "none", 0, 40)
    assert lines(single(config, 2**70), 0, 40) == as_lines(records)
    assert table(single(config, 2**70), 0, 40).to_pylist() == records


def test_prices_beyond_the_columns_are_refused() -> None:
    theme = replace(DEAR_THEME, value_max=2 * 10**18)
    with pytest.raises(TreecutError, match="'dear' has prices up to 2000000000000000000") as raised:
        Part(ProblemConfig(theme=theme, num_vars=2, ans_depth=2))
    assert "\n" not in str(raised.value)


# --- What the texts say. ---


@given(configs(), seeds(), st.integers(0, 3 * BLOCK))
@settings(max_examples=40)
def test_every_answer_follows_from_the_text_alone(
    config: ProblemConfig, seed: int, start: int
) -> None:
    pairs: PairKind = "full" if config.unanswerable else "none"
    for row in table(single(config, seed, pairs), start, start + 3, text_only=True).to_pylist():
        assert prove(row["problem"], [config.resolved_theme]).agrees(row["answer"]), row


@given(configs(unanswerable=True), seeds(), st.integers(0, BLOCK))
@settings(max_examples=20)
def test_members_of_a_pair_differ_by_the_cut_sentence(
    config: ProblemConfig, seed: int, start: int
) -> None:
    rows = table(single(config, seed, "full"), start, start + 3).to_pylist()
    for unanswerable, answerable in zip(rows[::2], rows[1::2], strict=True):
        assert (unanswerable["answer"] == "unknown") > (answerable["answer"] == "unknown")
        cut = unanswerable["cut"]
        position = cut.pop("position")
        restored = list(unanswerable["sentences"])
        restored.insert(position, cut)
        assert restored == answerable["sentences"]
        assert unanswerable["pair_id"] == answerable["pair_id"]
    unpaired = table(single(config, seed), start, start + 3).to_pylist()
    assert [row["id"] for row in unpaired] == [row["id"] for row in rows[::2]]


# --- The same distribution as one by one. ---

Feature = Callable[[Problem], Hashable]

FEATURES: dict[str, Feature] = {
    "first name": lambda p: str(p.variables[0]),
    "asked name": lambda p: str(p.asked_variable),
    "place and item of neighbours": lambda p: (
        p.variables[0].item == p.variables[1].item,
        p.variables[0].entity == p.variables[1].entity,
    ),
    "places": lambda p: frozenset(variable.entity for variable in p.variables),
    "different items": lambda p: len({variable.item for variable in p.variables}),
    "first value": lambda p: p.values[0],
    "asked value": lambda p: p.values[p.asked - 1],
    "values alike": lambda p: (p.values[0] == p.values[1], p.values[0] == p.values[-1]),
    "tree": lambda p: p.parents,
    "first coefficients": lambda p: (p.formulas[1].parent == 0, p.formulas[1].a, p.formulas[1].b),
    "last coefficients": lambda p: (
        p.formulas[-1].parent == 0,
        p.formulas[-1].a,
        p.formulas[-1].b,
    ),
    "coefficients together": lambda p: (p.formulas[-1].a > 0, p.formulas[-2].a > 0),
    "order": lambda p: p.sentence_order,
    "order and cut": lambda p: (p.sentence_order[0], None if p.cut is None else p.cut.position),
    "cut coefficients": lambda p: None if p.cut is None else p.cut.sentence.formula,
    "order and tree": lambda p: (p.sentence_order[0], p.parents[-1]),
    "name and value": lambda p: (p.variables[0].entity, p.values[0] % 4),
}

COMPARED = [
    ProblemConfig(num_vars=5, ans_depth=3, cut_depth=1),
    ProblemConfig(num_vars=4, ans_depth=3, cut_depth=2, sampling="paper", order="backward"),
    ProblemConfig(theme=EURO_THEME, composite_name=False, num_vars=5, ans_depth=3, cut_depth=1),
    ProblemConfig(theme=EURO_THEME, num_vars=4, ans_depth=2, unanswerable=False),
]


@pytest.mark.parametrize("config", COMPARED)
def test_draws_are_distributed_as_one_by_one(config: ProblemConfig) -> None:
    size = 6000
    rows = [draws.problem(row) for draws, row in _some(config, 11, size)]
    others = list(islice(stream(config, 12), size))
    for name, feature in FEATURES.items():
        ours, theirs = Counter(map(feature, rows)), Counter(map(feature, others))
        _assert_same_distribution(name, ours, theirs)


def test_pairs_are_distributed_as_one_by_one() -> None:
    """The formula of the cut edge and the place of its sentence are drawn in another way here."""
    config = COMPARED[0]
    size = 4000
    ours: Counter[Hashable] = Counter()
    theirs: Counter[Hashable] = Counter()
    for draws, row in _some(config, 3, size):
        ours[draws.pair(row).answerable.sentence_order[:2]] += 1
    for pair in islice(pairs_stream(config, 4, "full"), size):
        theirs[pair.answerable.sentence_order[:2]] += 1
    _assert_same_distribution("order of the full problem", ours, theirs)


def _some(config: ProblemConfig, seed: int, size: int) -> Iterator[tuple[Draws, int]]:
    """Where to find problems, half of them in each of two blocks."""
    for block in (0, 9):
        draws = draw_block(config, seed, block)
        yield from ((draws, row) for row in range(size // 2))


def _assert_same_distribution(
    name: str, ours: Counter[Hashable], theirs: Counter[Hashable]
) -> None:
    # Rare outcomes are counted together, because the test wants some of each.
    common = [key for key in ours.keys() | theirs.keys() if ours[key] + theirs[key] >= 16]
    counts = [[found[key] for key in common] for found in (ours, theirs)]
    rest = [found.total() - sum(count) for found, count in zip((ours, theirs), counts, strict=True)]
    if sum(rest) >= 16:
        counts = [[*count, left] for count, left in zip(counts, rest, strict=True)]
    if len(counts[0]) < 2:
        assert ours.keys() == theirs.keys(), name
        return
    assert chi2_contingency(counts).pvalue > 1e-4, (name, counts)


# --- Streams. ---

MIXED = Recipe(
    (
        Part(ProblemConfig(num_vars=3, ans_depth=2), "full", weight=2),
        Part(ProblemConfig(theme=EURO_THEME, num_vars=2, ans_depth=2), weight=3),
        Part(ProblemConfig(num_vars=3, ans_depth=2, unanswerable=False)),
    ),
    seed=7,
)
ALONE = single(ProblemConfig(num_vars=3, ans_depth=2), 7)
WHOLE_SIZE = 2 * BLOCK + 700


@pytest.mark.parametrize("recipe", [ALONE, MIXED], ids=["alone", "mixed"])
def test_any_range_is_a_slice_of_the_whole(recipe: Recipe) -> None:
    whole = lines(recipe, 0, WHOLE_SIZE, text_only=True).splitlines()
    rows = table(recipe, 0, WHOLE_SIZE, text_only=True).to_pylist()
    assert [json.loads(line) for line in whole] == [
        {key: value for key, value in row.items() if value is not None} for row in rows
    ]
    counter = Rows(recipe, WHOLE)

    @given(st.integers(0, WHOLE_SIZE - 1), st.integers(1, 2 * CHUNK))
    @settings(max_examples=12)
    def check(start: int, size: int) -> None:
        stop = min(start + size, WHOLE_SIZE)
        part = slice(counter.num_rows(0, start), counter.num_rows(0, stop))
        assert lines(recipe, start, stop, text_only=True).splitlines() == whole[part]
        assert table(recipe, start, stop, text_only=True).to_pylist() == rows[part]
        assert counter.num_rows(start, stop) == part.stop - part.start

    check()


def test_a_far_part_of_the_stream_costs_no_more_than_its_beginning() -> None:
    config, far = ALONE.parts[0].config, 10**15
    records = plain_records(config, 7, "none", far, far + 2)
    assert lines(ALONE, far, far + 2) == as_lines(records)
    beginning = plain_records(config, 7, "none", 0, 2)
    assert {record["id"] for record in records}.isdisjoint(record["id"] for record in beginning)


# SHA-256 of the first 5000 entries. Who has a configuration and a seed has the data, for ever: a
# change of these is a change of all data sets, whether we made it or NumPy did.
GOLDEN = {
    "default": (
        single(ProblemConfig(), 42),
        "cff101c0fb2ce46eb63a2e1a6ff2f7601db6bb0ec9c0a163dc2eebc2df952aa0",
    ),
    "pairs": (
        single(ProblemConfig(num_vars=6, ans_depth=4, cut_depth=1), 0, "full"),
        "264493a50209c42a0386c2d959a7ff2680422dc01affef56b23d410a03a3ff51",
    ),
    "simple": (
        single(
            ProblemConfig(
                theme="outfit",
                composite_name=False,
                num_vars=8,
                ans_depth=5,
                order="backward",
                sampling="paper",
                unanswerable=False,
            ),
            2**64,
        ),
        "a1fb00009f28987e18a1042ea095b69946a80607af9ad80202c06f051b31320d",
    ),
    "forward": (
        single(ProblemConfig(theme=EURO_THEME, ans_depth=9, order="forward"), 1),
        "aec8b3a7d0a4d26ddae0ef89f14262b8fee60bea22bd0dff7bc9c1be9e39b002",
    ),
    "mixed": (MIXED, "f738602ab7815cc0c74198d400d6ba6d7eea86894baac2175047b8d62fab9c03"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_streams_stay_what_they_are(name: str) -> None:
    recipe, expected = GOLDEN[name]
    assert hashlib.sha256(lines(recipe, 0, 5000, text_only=True)).hexdigest() == expected


BASE = ProblemConfig(num_vars=6, ans_depth=4, cut_depth=2)
HALF = Split("train", Fraction(1, 2), 0, HASHES // 2)
UNRELATED = {
    "seed": lambda: draw_block(BASE, 2, 0),
    "far seed": lambda: draw_block(BASE, 1 + 2**64, 0),
    "block": lambda: draw_block(BASE, 1, 1),
    "far block": lambda: draw_block(BASE, 1, 2**64),
    "cut": lambda: draw_block(replace(BASE, cut_depth=1), 1, 0),
    "answerable": lambda: draw_block(BASE.answerable(), 1, 0),
    "order": lambda: draw_block(replace(BASE, order="forward"), 1, 0),
    "sampling": lambda: draw_block(replace(BASE, sampling="paper"), 1, 0),
    "names": lambda: draw_block(replace(BASE, composite_name=False), 1, 0),
    "theme": lambda: draw_block(
        replace(BASE, theme=replace(BASE.resolved_theme, name="other")), 1, 0
    ),
    "split": lambda: draw_block(BASE, 1, 0, split=HALF),
    "name of split": lambda: draw_block(BASE, 1, 0, split=replace(WHOLE, name="test")),
    "repeat": lambda: draw_block(BASE, 1, 0, repeat=1),
}


@pytest.mark.parametrize("name", UNRELATED)
def test_streams_of_different_names_are_unrelated(name: str) -> None:
    """Equal numbers at equal places are as frequent as chance makes them."""
    ours, theirs = draw_block(BASE, 1, 0), UNRELATED[name]()
    theme = BASE.resolved_theme
    chances = {
        "values": theme.value_step / (theme.value_max - theme.value_min + theme.value_step),
        "order": 1 / BASE.vars,
    }
    for field, chance in chances.items():
        one, two = getattr(ours, field), getattr(theirs, field)
        if field == "order" and theirs.config.order != "random":
            continue
        error = np.sqrt(chance * (1 - chance) / one.size)
        assert abs(np.mean(one == two) - chance) < 5 * error, field


def test_no_problem_comes_twice_in_ten_thousands() -> None:
    ids = table(single(ProblemConfig(), 3), 0, 20_000, text_only=True)["id"].to_pylist()
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("seed", [-1, True, "1"])
def test_impossible_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(TreecutError, match="seed is"):
        single(ProblemConfig(), seed)
