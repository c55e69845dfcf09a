"""Mixtures: several configurations in one data set, with splits that share nothing."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.test_cli import TINY_THEME
from treecut_tasks.bulk.draws import all_phrases
from treecut_tasks.bulk.mixtures import read_mixture
from treecut_tasks.bulk.plan import Plan
from treecut_tasks.bulk.recipe import MAX_CYCLE, Part, Recipe
from treecut_tasks.bulk.rows import Rows
from treecut_tasks.bulk.splits import HASHES, Split, disjoint_splits, name_numbers
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import ProblemConfig

SMALL: dict[str, Any] = {"num_vars": 3, "ans_depth": 2}
SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    return tmp_path / "mixture.yaml"


def read(path: Path, content: Any, seed: int = 5) -> Recipe:
    path.write_text(
        content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False),
        encoding="utf-8",
    )
    return read_mixture(path, seed)


def rows_of(recipe: Recipe, split: Split, entries: int) -> list[dict[str, Any]]:
    tables = Rows(recipe, split).tables(0, entries)
    return [row for table in tables for row in table.to_pylist()]


def by_split(recipe: Recipe, entries: int) -> dict[str, list[dict[str, Any]]]:
    return {split.name: rows_of(recipe, split, entries) for split in recipe.splits}


def assert_disjoint(sets: list[set[Any]]) -> None:
    assert all(sets)
    assert len(set().union(*sets)) == sum(map(len, sets))


# --- What is in a mixture. ---


def test_a_part_takes_the_parameters_and_defaults_of_a_config(mixture: Path) -> None:
    recipe = read(
        mixture,
        {
            "parts": [
                {},
                {"theme": "outfit", "ans_depth": 4, "cut_depth": 1, "order": "forward"},
                {"composite_name": False, "ans_depth": 3, "sampling": "paper", "pairs": "full"},
                {"answerable_share": 1, **SMALL},
                {"pairs": "matched", "ans_depth": 2},
            ]
        },
    )
    assert [(part.config, part.pairs) for part in recipe.parts] == [
        (ProblemConfig(), "none"),
        (ProblemConfig(theme="outfit", ans_depth=4, cut_depth=1, order="forward"), "none"),
        (ProblemConfig(composite_name=False, ans_depth=3, sampling="paper"), "full"),
        (ProblemConfig(**SMALL, unanswerable=False), "none"),
        (ProblemConfig(ans_depth=2, num_vars=6), "matched"),
    ]
    assert recipe.seed == 5
    assert [split.share for split in recipe.splits] == [1]


def test_aliases_and_merge_keys_of_yaml_work(mixture: Path) -> None:
    recipe = read(
        mixture,
        "parts:\n  - &base {num_vars: 5, ans_depth: 3, weight: 2}\n  - {<<: *base, cut_depth: 2}\n",
    )
    assert [part.config.cut_depth for part in recipe.parts] == [1, 2]
    assert [part.config.vars for part in recipe.parts] == [5, 5]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 1], [1, 1]),
        ([0.5, 0.25, 0.25], [2, 1, 1]),
        ([0.1, 0.2], [1, 2]),
        (["1/3", "2/3", 1], [1, 2, 3]),
        ([3, None], [3, 1]),
        ([4999, 5001], [4999, 5001]),
        ([1e-300, 2e-300], [1, 2]),
    ],
)
def test_weights_are_proportions(mixture: Path, weights: list[Any], expected: list[int]) -> None:
    parts = [
        {**SMALL, "cut_depth": 1, "order": order} | ({} if w is None else {"weight": w})
        for w, order in zip(weights, ("random", "forward", "backward"), strict=False)
    ]
    assert [part.weight for part in read(mixture, {"parts": parts}).parts] == expected


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
@settings(max_examples=60)
def test_every_prefix_has_the_proportions(weights: list[int]) -> None:
    config = ProblemConfig(**SMALL)
    recipe = Recipe(tuple(Part(config, weight=weight) for weight in weights), 0)
    total, cycle = sum(weights), recipe.cycle
    assert Counter(cycle) == dict(enumerate(weights))
    counts = [0] * len(weights)
    for length, index in enumerate(cycle, start=1):
        counts[index] += 1
        for count, weight in zip(counts, weights, strict=True):
            allowed = Fraction(1, 2) + Fraction(weight, total) * len(weights) / 2
            assert abs(count - Fraction(weight * length, total)) <= allowed


@pytest.mark.parametrize("share", [0, "1/4", 0.5, 1])
def test_answerable_share(mixture: Path, share: Any) -> None:
    recipe = read(mixture, {"parts": [{**SMALL, "answerable_share": share}]})
    (split,) = recipe.splits
    rows = rows_of(recipe, split, 400)
    answerable = [row for row in rows if row["answer"] != "unknown"]
    assert len(answerable) == 400 * Fraction(share)
    assert all(row["config"]["unanswerable"] == (row["answer"] == "unknown") for row in rows)


def test_pairs_stand_together_among_single_problems(mixture: Path) -> None:
    recipe = read(mixture, {"parts": [{**SMALL, "pairs": "full"}, {"ans_depth": 3}]})
    rows = rows_of(recipe, recipe.splits[0], 3000)
    assert len(rows) == 4500
    paired = [row for row in rows if row["pair_id"] is not None]
    assert len(paired) == 3000
    assert len({row["pair_id"] for row in paired}) == 1500
    for place, row in enumerate(rows):
        if row["pair_id"] is not None and row["answer"] == "unknown":
            assert rows[place + 1]["pair_id"] == row["pair_id"]
            assert rows[place + 1]["answer"] != "unknown"
    assert {row["config"]["ans_depth"] for row in rows if row["pair_id"] is None} == {3}


def test_parts_that_draw_alike_do_not_repeat_each_other(mixture: Path) -> None:
    """The answerable problems of two cut depths are of one kind, and so are those of pairs."""
    parts = [
        {"ans_depth": 6, "cut_depth": 2, "answerable_share": 0.5},
        {"ans_depth": 6, "cut_depth": 4, "answerable_share": 0.5},
        {"ans_depth": 6, "cut_depth": 4, "pairs": "full"},
        {"ans_depth": 6, "cut_depth": 4},
    ]
    recipe = read(mixture, {"parts": parts})
    ids = [row["id"] for row in rows_of(recipe, recipe.splits[0], 2000)]
    assert len(set(ids)) == len(ids)


# --- Splits. ---


def test_splits_share_no_problem_no_pair_and_no_names(mixture: Path) -> None:
    parts = [
        {**SMALL, "pairs": "full"},
        {**SMALL, "cut_depth": 1, "answerable_share": 0.5},
        {"theme": "outfit", "composite_name": False, **SMALL},
    ]
    found = by_split(read(mixture, {"parts": parts, "splits": SPLITS}), 1500)
    assert list(found) == list(SPLITS)
    for key in ("id", "problem", "pair_id"):
        assert_disjoint([{row[key] for row in rows} - {None} for rows in found.values()])
    assert_disjoint(
        [
            {
                (frozenset(v["name"] for v in row["variables"]), row["variables"][1]["name"])
                for row in rows
            }
            for rows in found.values()
        ]
    )


def test_names_are_in_the_same_split_whatever_the_seed_and_the_config(mixture: Path) -> None:
    """A test set stays one for training sets of other seeds."""
    one = read(mixture, {"parts": [SMALL], "splits": {"train": 0.5, "test": 0.5}}, seed=1)
    two = read(
        mixture,
        {
            "parts": [{**SMALL, "order": "forward", "answerable_share": 1}],
            "splits": {"train": 0.5, "test": 0.5},
        },
        seed=2,
    )

    def names(recipe: Recipe, split: Split) -> set[Any]:
        return {
            (frozenset(v["name"] for v in row["variables"]), row["variables"][1]["name"])
            for row in rows_of(recipe, split, 1500)
        }

    assert names(one, one.splits[0]).isdisjoint(names(two, two.splits[1]))
    assert names(one, one.splits[0]) & names(two, two.splits[0])


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 50)])
def test_a_split_has_its_share_of_the_names(share: Fraction) -> None:
    """Names fall into a split as often as its share says, and all of a split's names do."""
    config = ProblemConfig(num_vars=6, ans_depth=4)
    names = [str(phrases.variable) for phrases in all_phrases(config)]
    of_name, of_asked = (
        dict(zip(names, numbers.tolist(), strict=True))
        for numbers in name_numbers(all_phrases(config))
    )
    part = Split("part", share, 0, int(share * HASHES))
    rest = Split("rest", 1 - share, part.high, HASHES)

    def inside(recipe: Recipe, entries: int) -> int:
        found = 0
        for row in rows_of(recipe, recipe.splits[0], entries):
            variables = [variable["name"] for variable in row["variables"]]
            total = sum(of_name[name] for name in variables) + of_asked[variables[3]]
            found += (total % 2**64) >> 32 < part.high
        return found

    whole = inside(Recipe((Part(config),), 3), 4000)
    assert abs(whole / 4000 - share) < 5 * float(share * (1 - share) / 4000) ** 0.5
    assert inside(Recipe((Part(config),), 3, (part, rest)), 500) == 500
    assert inside(Recipe((Part(config),), 3, (rest, part)), 500) == 0


def test_separate_items_are_in_one_split_only(mixture: Path) -> None:
    parts = [{**SMALL, "pairs": "full"}, {"ans_depth": 4, "num_vars": 6, "composite_name": False}]
    content = {"parts": parts, "splits": {"train": 0.6, "test": 0.4}, "separate_items": True}
    recipe = read(mixture, content)
    found = by_split(recipe, 600)
    items = [{v["item"] for row in rows for v in row["variables"]} for rows in found.values()]
    assert_disjoint(items)
    assert len(set().union(*items)) == 14, "no item of the theme is left out"
    assert len(items[0]) >= len(items[1]) >= 6
    again = by_split(read(mixture, content, seed=99), 600)
    assert items == [
        {v["item"] for row in rows for v in row["variables"]} for rows in again.values()
    ], "the test items are the same for every seed"


def test_shares_of_entries_and_files(mixture: Path) -> None:
    recipe = read(mixture, {"parts": [SMALL], "splits": SPLITS})
    plan = Plan(recipe, 1000, 20)
    sizes: Counter[str] = Counter()
    for shard in plan.shards:
        sizes[shard.split.name] += shard.stop - shard.start
    assert sizes == {"train": 800, "validation": 100, "test": 100}
    assert Counter(shard.split.name for shard in plan.shards) == {
        "train": 16,
        "validation": 2,
        "test": 2,
    }


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=300)
def test_no_file_is_empty_and_none_overlap(
    shares: list[int], spare: int, fewer_shards: int
) -> None:
    total = sum(shares)
    splits = disjoint_splits((f"s{i}", Fraction(share, total)) for i, share in enumerate(shares))
    recipe = Recipe((Part(ProblemConfig(**SMALL)),), 1, splits)
    size = len(shares) + spare
    count = max(len(shares), size - fewer_shards)
    plan = Plan(recipe, size, count)
    assert len({shard.name for shard in plan.shards}) == count == len(plan.shards)
    assert [shard.number for shard in plan.shards] == list(range(count))
    assert sum(shard.stop - shard.start for shard in plan.shards) == size
    ends = dict.fromkeys((split.name for split in splits), 0)
    for shard in plan.shards:
        assert shard.start == ends[shard.split.name] < shard.stop
        ends[shard.split.name] = shard.stop


def test_shares_for_which_rounding_is_paradoxical() -> None:
    """Of 10 things the third split gets 2, of 11 just 1."""
    splits = disjoint_splits(
        (name, Fraction(w, 14)) for name, w in zip("abc", (6, 6, 2), strict=True)
    )
    plan = Plan(Recipe((Part(ProblemConfig(**SMALL)),), 1, splits), 11, 10)
    assert all(shard.start < shard.stop for shard in plan.shards)


# --- Bad input. ---

THIRD = Fraction(1, 3)
BAD_RECIPES: dict[str, tuple[dict[str, Any], str]] = {
    "no parts": ({"parts": ()}, "add up to 0: give one part"),
    "heavy": ({"parts": (Part(ProblemConfig(**SMALL), weight=10_001),)}, "add up to 10001"),
    "no splits": ({"splits": ()}, "add up to 0: they must add up to 1"),
    "shares": ({"splits": (Split("a", THIRD),)}, "add up to 1/3"),
    "names": ({"splits": disjoint_splits([("a", THIRD), ("a", 2 * THIRD)])}, "named a, a"),
    "overlap": ({"splits": (Split("a", THIRD), Split("b", 2 * THIRD))}, "could share problems"),
}


@pytest.mark.parametrize("case", BAD_RECIPES)
def test_recipes_that_promise_too_much_are_refused(case: str) -> None:
    changes, message = BAD_RECIPES[case]
    with pytest.raises(TreecutError, match=message):
        Recipe(**{"parts": (Part(ProblemConfig(**SMALL)),), "seed": 1, **changes})


@pytest.mark.parametrize(
    "changes", [{"weight": 0}, {"weight": 0.5}, {"pairs": None}, {"pairs": "some"}]
)
def test_impossible_parts_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TreecutError, match=str(next(iter(changes.values())))):
        Part(ProblemConfig(**SMALL), **changes)


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)

BAD: dict[str, tuple[Any, str]] = {
    "empty": ("", "is None: it must be a mapping with the keys parts, splits, separate_items"),
    "list": ("[]", "is []: it must be a mapping"),
    "not YAML": ("{a: [", "is not valid YAML"),
    "too deep": ("[" * 3000, "is not valid YAML"),
    "bad tag": ("parts: [{weight: !!bool x}]", "is not valid YAML"),
    "bad date": ("parts: [{weight: 2026-99-99}]", "is not valid YAML"),
    "object": ("parts: !!python/object/apply:os.system [true]", "is not valid YAML"),
    "bomb": (BOMB + "parts: *a11", "holds more than 100000 values"),
    "endless": ("parts: &a [*a]", "holds more than 100000 values"),
    "large number": (f"parts: [{{num_vars: 0x{'f' * 6000}}}]", "a number of more than 18 digits"),
    "no parts": ({"splits": SPLITS}, "lacks the key 'parts'"),
    "empty parts": ({"parts": []}, "must be a list of one or more parts"),
    "parts no list": ({"parts": {"a": 1}}, "must be a list of one or more parts"),
    "part no mapping": ({"parts": [SMALL, 7]}, "Part 2 of the mixture"),
    "unknown key": ({"parts": [SMALL], "weights": [1]}, "unknown key 'weights'"),
    "unknown key of a part": ({"parts": [{"depth": 3}]}, "unknown key 'depth'"),
    "key of another kind": ({"parts": [{3: 3}]}, "unknown key '3'"),
    "unanswerable": ({"parts": [{"unanswerable": True}]}, "unknown key 'unanswerable'"),
    "weight 0": ({"parts": [{"weight": 0}]}, "has the weight 0: it must be above 0"),
    "negative weight": ({"parts": [{"weight": -1.5}]}, "has the weight -1.5"),
    "nan": ({"parts": [{"weight": float("nan")}]}, "has the weight nan: it must be a number"),
    "inf": ({"parts": [{"weight": float("inf")}]}, "has the weight inf: it must be a number"),
    "huge as text": ("parts: [{weight: 1e999999999}]", "has the weight '1e999999999'"),
    "huge": ({"parts": [{"weight": 1e308}, SMALL]}, f"add up to more than {MAX_CYCLE}"),
    "too fine": ({"parts": [{"weight": 0.00001}, SMALL]}, f"more than {MAX_CYCLE}"),
    "weight of words": ({"parts": [{"weight": "much"}]}, "has the weight 'much'"),
    "weight true": ({"parts": [{"weight": True}]}, "has the weight True: it must be a number"),
    "weight none": ({"parts": [{"weight": None}]}, "has the weight None: it must be a number"),
    "weight by zero": ({"parts": [{"weight": "1/0"}]}, "has the weight '1/0'"),
    "weight list": ({"parts": [{"weight": [1]}]}, "has the weight [1]: it must be a number"),
    "cut of nothing": (
        {"parts": [{"answerable_share": 1, "cut_depth": 1, "ans_depth": 2}]},
        "leaves no problem with a cut",
    ),
    "share over 1": ({"parts": [{"answerable_share": 1.1}]}, "it must be from 0 to 1"),
    "share under 0": ({"parts": [{"answerable_share": -0.1}]}, "it must be from 0 to 1"),
    "share and pairs": (
        {"parts": [{"pairs": "full", "answerable_share": 0.5}]},
        "leave out one of the two keys",
    ),
    "pairs": ({"parts": [{"pairs": "half"}]}, "'half', which must be none, full or matched"),
    "pairs none": ({"parts": [{"pairs": None}]}, "None, which must be none, full or matched"),
    "no match": (
        {"parts": [{"pairs": "matched", "num_vars": 3, "ans_depth": 2}]},
        "Part 1 of the mixture",
    ),
    "config": ({"parts": [SMALL, {"num_vars": 2}]}, "Part 2 of the mixture"),
    "theme": ({"parts": [{"theme": "clothes"}]}, "Unknown theme 'clothes'"),
    "theme list": ({"parts": [{"theme": ["food"]}]}, "Unknown theme"),
    "depth text": ({"parts": [{"ans_depth": "8"}]}, "ans_depth is '8'"),
    "depth for pairs": ({"parts": [{"ans_depth": "8", "pairs": "full"}]}, "ans_depth is '8'"),
    "splits list": ({"parts": [SMALL], "splits": ["train"]}, "must map names to shares"),
    "splits empty": ({"parts": [SMALL], "splits": {}}, "must map names to shares"),
    "splits sum": (
        {"parts": [SMALL], "splits": {"a": 0.9, "b": 0.2}},
        "shares add up to 11/10: they must add up to 1",
    ),
    "split 0": ({"parts": [SMALL], "splits": {"a": 1, "b": 0}}, "the share 0: it must be"),
    "split tiny": (
        {"parts": [SMALL], "splits": {"a": 0.9999999999, "b": 0.0000000001}},
        "the share 1e-10: it must be at least 1/10000",
    ),
    "split negative": ({"parts": [SMALL], "splits": {"a": 2, "b": -1}}, "the share -1"),
    "split path": ({"parts": [SMALL], "splits": {"../a": 1}}, "a split named '../a'"),
    "split number": ({"parts": [SMALL], "splits": {1: 1}}, "a split named 1"),
    "split long": ({"parts": [SMALL], "splits": {"a" * 65: 1}}, "use at most 64 letters"),
    "split not ASCII": ({"parts": [SMALL], "splits": {"tést": 1}}, "a split named 'tést'"),
    "split case": (
        {"parts": [SMALL], "splits": {"a": 0.5, "A": 0.5}},
        "differ only in the case of letters",
    ),
    "separate": ({"parts": [SMALL], "separate_items": 1}, "must be true or false"),
    "too few items": (
        {"parts": [{"ans_depth": 8}], "splits": SPLITS, "separate_items": True},
        "has 14 items, but 3 splits with 5 each",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_mixtures_are_refused_in_one_line(mixture: Path, case: str) -> None:
    content, message = BAD[case]
    with pytest.raises(TreecutError) as raised:
        read(mixture, content)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("content", [None, b"parts: [{theme: \xff}]"])
def test_unreadable_mixtures_are_refused(mixture: Path, content: bytes | None) -> None:
    if content is not None:
        mixture.write_bytes(content)
    with pytest.raises(TreecutError, match=r"mixture\.yaml"):
        read_mixture(mixture, 1)
    with pytest.raises(TreecutError, match="cannot be read"):
        read_mixture(mixture.parent, 1)


def test_themes_that_share_an_item_cannot_be_separated(mixture: Path, tmp_path: Path) -> None:
    items = ", ".join(f"{{name: thing-{i}, plural: things-{i}}}" for i in range(7))
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(
            f"name: {name}\nentities: [A, B]\nitems: [{items}]\n"
            "values: {min: 1, max: 9, step: 1}\nmoney: {one: a dollar, many: dollars}\n",
            encoding="utf-8",
        )
    parts = [{**SMALL, "theme": str(tmp_path / f"{name}.yaml")} for name in ("one", "two")]
    content = {"parts": parts, "splits": {"train": 0.5, "test": 0.5}, "separate_items": True}
    with pytest.raises(TreecutError, match="belongs to several themes"):
        read(mixture, content)


def test_too_few_names_for_a_split_are_told(mixture: Path, tmp_path: Path) -> None:
    """Two places and one of two items, and which is asked for: four cases for eight splits."""
    (tmp_path / "tiny.yaml").write_text(TINY_THEME, encoding="utf-8")
    content = {
        "parts": [{"theme": str(tmp_path / "tiny.yaml"), "num_vars": 2, "ans_depth": 2}],
        "splits": {f"s{i}": "1/8" for i in range(8)},
    }
    recipe = read(mixture, content)
    refused = 0
    for split in recipe.splits:
        try:
            rows_of(recipe, split, 1)
        except TreecutError as error:
            assert "has too few names" in str(error)
            assert "\n" not in str(error)
            refused += 1
    assert 4 <= refused < 8


# --- The command. ---


def test_a_mixture_with_a_theme_of_ones_own_is_verified_with_all_its_themes(
    run_treecut: RunTreecut, mixture: Path, tmp_path: Path
) -> None:
    own, data = tmp_path / "tiny.yaml", tmp_path / "data"
    own.write_text(TINY_THEME, encoding="utf-8")
    parts = [{"theme": theme, **SMALL} for theme in (str(own), "food")]
    read(mixture, {"parts": parts})
    options = ("--format", "jsonl", "--shards", "2", "-n", "40", "-o", data)
    assert run_treecut("generate", "--mixture", mixture, *options).returncode == 0
    assert run_treecut("verify", data, "--theme", own).returncode == 1
    done = run_treecut("verify", data, "--theme", own, "--theme", "food")
    assert (done.returncode, done.stderr) == (0, "")
    assert "40 problems, " in done.stdout


def test_generate_writes_every_split(run_treecut: RunTreecut, mixture: Path) -> None:
    read(mixture, {"parts": [{**SMALL, "pairs": "full"}], "splits": SPLITS})
    folder = mixture.parent / "data"
    command = ("generate", "--format", "jsonl", "--mixture", mixture, "-n", "50", "-o", folder)
    done = run_treecut(*command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    lines = {
        path.name: len(path.read_bytes().splitlines()) for path in sorted(folder.glob("*.jsonl"))
    }
    assert lines == {
        "test-00000-of-00001.jsonl": 10,
        "train-00000-of-00001.jsonl": 80,
        "validation-00000-of-00001.jsonl": 10,
    }
    assert run_treecut("verify", *sorted(folder.glob("*.jsonl"))).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--theme", "food"), "--theme cannot be given with --mixture"),
        (("--pairs", "full"), "--pairs cannot be given with --mixture"),
        (("-n", "2"), "must be a whole number of 3, one for each split, or more"),
        (("--shards", "2"), "must be a whole number of 3, one for each split, or more"),
        (("-o", "-"), "needs a folder"),
    ],
)
def test_options_that_do_not_go_with_a_mixture(
    run_treecut: RunTreecut, mixture: Path, options: tuple[str, ...], message: str
) -> None:
    read(mixture, {"parts": [SMALL], "splits": SPLITS})
    folder = mixture.parent / "data"
    done = run_treecut(
        "generate", "--format", "jsonl", "--mixture", mixture, "-o", folder, *options
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not folder.exists()


def test_a_mixture_that_cannot_be_drawn_leaves_no_folder(
    run_treecut: RunTreecut, mixture: Path, tmp_path: Path
) -> None:
    """So that the mended file can be given with the same folder."""
    (tmp_path / "tiny.yaml").write_text(TINY_THEME, encoding="utf-8")
    part = {"theme": str(tmp_path / "tiny.yaml"), "num_vars": 2, "ans_depth": 2}
    folder = mixture.parent / "data"
    for splits, n, message in (
        ({f"s{i}": "1/8" for i in range(8)}, 8, "has too few names"),
        ({"all": 1}, 10**9, "can give at most"),
    ):
        read(mixture, {"parts": [part], "splits": splits})
        done = run_treecut(
            "generate",
            "--format",
            "jsonl",
            "--mixture",
            mixture,
            "-n",
            str(n),
            "--shards",
            "8",
            "-o",
            folder,
        )
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert not folder.exists()
