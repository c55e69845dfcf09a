"""Matched pairs drawn in bulk meet the conditions of those that are drawn one by one."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest
from scipy.stats import chi2_contingency

from tests.exchange import by_sentence, exchanged, number_of_words, parts_of_the_asked
from tests.test_bulk import as_lines, lines, plain_records, single, table
from treecut_tasks.bulk.draws import Draws
from treecut_tasks.bulk.recipe import Part, Recipe
from treecut_tasks.bulk.rows import Rows
from treecut_tasks.bulk.splits import HASHES, Split
from treecut_tasks.bulk.stream import BLOCK, draw_block
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import Pair, Problem, ProblemConfig, pairs_stream
from treecut_tasks.problems.pairs import differences, free_ends, spare_edges
from treecut_tasks.validity import prove

CONFIGS = [
    ProblemConfig(ans_depth=2, num_vars=6),
    ProblemConfig(ans_depth=4, theme="outfit"),
    ProblemConfig(ans_depth=4, cut_depth=3, order="forward"),
    ProblemConfig(ans_depth=6, cut_depth=5, order="backward", sampling="paper"),
    ProblemConfig(ans_depth=7, theme="outfit", composite_name=False, cut_depth=1),
    ProblemConfig(ans_depth=8),
]


def some_pairs(draws: Draws, number: int = 40) -> list[Pair]:
    return [draws.pair(row) for row in range(number)]


def named(config: ProblemConfig) -> str:
    return f"{config.num_vars} variables, depth {config.ans_depth}, {config.order}"


@pytest.mark.parametrize("config", CONFIGS, ids=named)
def test_rows_are_those_of_the_plain_records(config: ProblemConfig) -> None:
    recipe = single(config, 5, "matched")
    start, stop = BLOCK - 10, BLOCK + 10
    records = plain_records(config, 5, "matched", start, stop)
    assert lines(recipe, start, stop) == as_lines(records)
    assert table(recipe, start, stop).to_pylist() == records
    for unanswerable, answerable in zip(records[::2], records[1::2], strict=True):
        assert unanswerable["pair_id"] == answerable["pair_id"]
        assert len(unanswerable["sentences"]) == len(answerable["sentences"])
        for record in (unanswerable, answerable):
            assert prove(record["problem"]).agrees(record["answer"])


@pytest.mark.parametrize("config", CONFIGS, ids=named)
def test_spare_edges_are_those_that_can_be_spared(config: ProblemConfig) -> None:
    assert config.cut_into is not None
    for pair in some_pairs(draw_block(config, 3, 0, "matched")):
        assert pair.answerable.lacks is not None
        tree = pair.unanswerable.parents
        allowed = spare_edges(tree, config.ans_depth, config.cut_into, config.order)
        assert pair.answerable.lacks.edge in allowed
        assert (
            pair.unanswerable.counterpart().without(pair.answerable.lacks.edge) == pair.answerable
        )


@pytest.mark.parametrize("config", CONFIGS, ids=named)
def test_an_exchange_of_two_names_makes_members_alike(config: ProblemConfig) -> None:
    """With the names of the free ends exchanged, counts are the same in nearly all pairs."""
    pairs = some_pairs(draw_block(config, 3, 0, "matched"))
    alike = 0
    for pair in pairs:
        unanswerable, other = pair.unanswerable, exchanged(pair)
        alike += all(
            sorted(by_sentence(unanswerable, respect)) == sorted(by_sentence(other, respect))
            for respect in (number_of_words, parts_of_the_asked(unanswerable))
        )
    assert alike >= 0.95 * len(pairs)


@pytest.mark.parametrize("config", [c for c in CONFIGS if c.order != "random"], ids=named)
def test_in_a_fixed_order_the_same_sentences_name_what_is_asked(config: ProblemConfig) -> None:
    for pair in some_pairs(draw_block(config, 3, 0, "matched"), 150):
        asked = parts_of_the_asked(pair.unanswerable)
        assert by_sentence(pair.unanswerable, asked) == by_sentence(pair.answerable, asked)


def left(pair: Pair) -> tuple[int, int]:
    """What `differences` finds in a pair."""
    cut, spare = pair.unanswerable.lacks, pair.answerable.lacks
    assert cut is not None
    assert spare is not None
    problem = pair.unanswerable
    return differences(
        problem.variables, problem.asked, free_ends(problem.parents, cut.edge, spare.edge)
    )


@pytest.mark.parametrize("config", CONFIGS, ids=named)
def test_names_hide_as_much_as_those_drawn_one_by_one(config: ProblemConfig) -> None:
    in_bulk = Counter(map(left, some_pairs(draw_block(config, 3, 0, "matched"), 150)))
    one_by_one = Counter(map(left, islice(pairs_stream(config, 3, "matched"), 150)))
    assert min(in_bulk) == min(one_by_one)
    assert abs(in_bulk[min(in_bulk)] - one_by_one[min(in_bulk)]) <= 25


def test_trees_and_spare_edges_are_as_frequent_as_one_by_one() -> None:
    config = ProblemConfig(ans_depth=2, num_vars=6)

    def shape(pair: Pair) -> object:
        assert pair.answerable.lacks is not None
        return pair.unanswerable.parents, pair.answerable.lacks.edge

    in_bulk = Counter(map(shape, some_pairs(draw_block(config, 8, 0, "matched"), 600)))
    one_by_one = Counter(map(shape, islice(pairs_stream(config, 8, "matched"), 600)))
    assert len(in_bulk) > 5
    assert set(in_bulk) == set(one_by_one)
    counts = [[found[key] for key in in_bulk] for found in (in_bulk, one_by_one)]
    assert chi2_contingency(counts).pvalue > 1e-4


def names_of(problem: Problem) -> tuple[frozenset[str], str]:
    return frozenset(map(str, problem.variables)), str(problem.asked_variable)


def test_splits_share_no_names() -> None:
    config = ProblemConfig(ans_depth=4)
    found = []
    for low, high in ((0, HASHES // 4), (HASHES // 4, HASHES)):
        draws = draw_block(config, 1, 0, "matched", Split("part", Fraction(1, 2), low, high))
        found.append({names_of(pair.unanswerable) for pair in some_pairs(draws, 500)})
    assert not found[0] & found[1]


def test_configurations_without_such_pairs_are_refused() -> None:
    for config, message in (
        (ProblemConfig(ans_depth=4, num_vars=5), "has no matched counterpart"),
        (ProblemConfig(ans_depth=2, num_vars=12), "too many trees"),
    ):
        with pytest.raises(TreecutError, match=message):
            recipe = Recipe((Part(config, "matched"),), 1)
            next(Rows(recipe, recipe.splits[0]).tables(0, 1))


def test_the_audit_finds_nothing_in_what_the_command_writes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="needs pip install 'treecut-tasks[audit]'")
    command = [sys.executable, "-m", "treecut_tasks"]
    path = tmp_path / "pairs.jsonl"
    options = "--ans-depth 4 --theme outfit --cut-depth 3 --pairs matched -n 600 --format jsonl"
    subprocess.run([*command, "generate", *options.split(), "-o", str(path)], check=True)
    rows = path.read_bytes().splitlines(keepends=True)
    files = [tmp_path / name for name in ("unanswerable.jsonl", "answerable.jsonl")]
    for file, part in zip(files, (rows[::2], rows[1::2]), strict=True):
        file.write_bytes(b"".join(part))
    done = subprocess.run(
        [*command, "audit", *map(str, files)], check=True, capture_output=True, text=True
    )
    assert "No shortcut" in done.stdout
