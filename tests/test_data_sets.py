"""Data sets: rows of mixtures, files and folders that are whole or say what is wrong, Hugging Face."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.strategies import LARGE_THEME, THEMES, configs, seeds
from treecut_tasks import (
    ProblemConfig,
    TreecutError,
    pair_at,
    problem_at,
    read_mixture,
    to_dataset,
    to_iterable_dataset,
)
from treecut_tasks.data_sets import FORMS, Part, Recipe
from treecut_tasks.data_sets.rows import Rows
from treecut_tasks.evaluation.prompts import make_shot, system_prompt
from treecut_tasks.problems import SPLIT_NAMES, WHOLE
from treecut_tasks.problems.columns import schema

MIXTURE = """\
parts:
  - {ans_depth: 2, pairs: full}
  - {ans_depth: 4, pairs: matched, weight: 2}
  - {ans_depth: 3, theme: outfit, order: backward, answerable_share: 0.25, weight: 4}
splits: {train: 0.8, validation: 0.1, test: 0.1}
"""


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    path = tmp_path / "mixture.yaml"
    path.write_text(MIXTURE, encoding="utf-8")
    return path


# --- Rows. ---


@given(
    st.lists(st.tuples(configs(themes=THEMES[:2]), st.integers(1, 3)), min_size=1, max_size=4),
    seeds(),
    st.data(),
)
@settings(max_examples=20)
def test_any_entries_of_a_recipe_are_those_of_the_whole(
    ingredients: list[tuple[ProblemConfig, int]], seed: int, data: st.DataObject
) -> None:
    """Parts take turns, each with the problems of its own stream; where these are the same, no repeats."""
    parts = tuple(
        Part(config, "full" if config.unanswerable and weight == 2 else "none", weight)
        for config, weight in ingredients
    )
    recipe = Recipe(parts, seed)
    rows = Rows(recipe, WHOLE)
    start = data.draw(st.sampled_from([0, 1, 1020, 4090, 9000]))
    stop = start + data.draw(st.integers(1, 20))
    (table,) = (pa.concat_tables(rows.tables(low, low + 20)) for low in [start])
    found = pa.concat_tables(rows.tables(start, stop)).to_pylist()
    assert found == table.to_pylist()[: len(found)]
    assert recipe.num_rows(start, stop) == len(found)
    assert table.schema == schema(paired=recipe.paired)
    table.validate(full=True)
    place, made = 0, Counter(recipe.cycle[i % len(recipe.cycle)] for i in range(start))
    once = len({part.stream for part in parts}) == len(parts)
    for entry in range(start, stop):
        part = parts[number := recipe.cycle[entry % len(recipe.cycle)]]
        width, index = part.rows_per_entry, made[number]
        mine, place = found[place : place + width], place + width
        made[number] += 1
        assert {row["config"]["ans_depth"] for row in mine} == {part.config.ans_depth}
        if once and width == 1:
            expected = problem_at(part.config, seed, index).record()
            assert mine == [expected | ({"pair_id": None} if recipe.paired else {})]
        elif once:
            assert mine == list(pair_at(part.config, seed, index).records())


def test_parts_with_the_same_stream_do_not_repeat_each_other() -> None:
    config = ProblemConfig(ans_depth=3, unanswerable=False)
    (table,) = Rows(Recipe((Part(config), Part(config)), 1), WHOLE, True).tables(0, 500)
    assert len(set(table["id"].to_pylist())) == 500


def test_large_problems_are_written_a_few_at_a_time() -> None:
    """A thousand problems of 200 variables with all that is known of them are 100 megabytes."""
    config = ProblemConfig(theme=LARGE_THEME, num_vars=200, ans_depth=2)
    sizes = [len(part) for part in Rows(Recipe((Part(config),), 5), WHOLE).tables(0, 200)]
    assert sum(sizes) == 200
    assert max(sizes) <= 100


# --- Mixtures. ---


def test_a_mixture_is_what_it_says(mixture: Path, run_treecut: RunTreecut, tmp_path: Path) -> None:
    options = ["--mixture", str(mixture), "-n", "700", "--seed", "5", "--format", "parquet"]
    done = run_treecut(
        "generate", *options, "--shards", "5", "--workers", "2", "-o", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "out").glob("*.parquet"))
    assert Counter(name.partition("-")[0] for name in names) == {
        "train": 3,
        "validation": 1,
        "test": 1,
    }
    texts: dict[str, list[str]] = {}
    for split, size in (("train", 560), ("validation", 70), ("test", 70)):
        files = sorted((tmp_path / "out").glob(f"{split}-*"))
        rows = [row for file in files for row in pq.read_table(file).to_pylist()]
        recipe = read_mixture(mixture, 5)
        assert rows == to_dataset(recipe, 5, 700, split=split).to_list()
        entries = {row["pair_id"] or row["id"] for row in rows}
        assert len(entries) == size
        kinds = Counter(
            (row["config"]["theme"], row["config"]["unanswerable"])
            for row in rows
            if not row["pair_id"]
        )
        assert kinds["outfit", False] * 4 == pytest.approx(sum(kinds.values()), abs=4)
        depths = Counter(row["config"]["ans_depth"] for row in rows)
        assert depths[2] == pytest.approx(size * 2 / 7, abs=4)
        assert depths[4] == pytest.approx(size * 4 / 7, abs=4)
        texts[split] = [row["problem"] for row in rows]
    assert len(set().union(*texts.values())) == sum(map(len, texts.values()))


# Nine lists of nine lists of …
ENDLESS = "a0: &a0 [x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)

BAD_MIXTURES = {
    "[]": "is []: it must be a mapping",
    "parts: []": "parts",
    "parts: [{}]\nsplit: 1": "split is not known: correct its name",
    "parts: [{depth: 2}]": "parts.0.depth",
    "parts: [{ans_depth: 1}]": "part 1 that cannot be made. ans_depth is 1: it must be 2 or more",
    "parts: [{}, {ans_depth: two}]": "part 2 that cannot be made. ans_depth is 'two'",
    "parts: [{weight: 0}]": "parts.0.weight is 0: it must be above 0",
    "parts: [{weight: '1/0'}]": "must be a number such as 3, 0.25 or 1/3",
    "parts: [{weight: true}]": "must be a number such as",
    "parts: [{pairs: half}]": "parts.0.pairs is 'half'",
    "parts: [{pairs: full, answerable_share: 0.5}]": "half of all pairs is answerable",
    "parts: [{answerable_share: 2}]": "answerable_share is 2: it must be 1 or less",
    "parts: [{answerable_share: 1, cut_depth: 2}]": "has no cut",
    "parts: [{pairs: matched, num_vars: 4, ans_depth: 2}]": "has no matched counterpart",
    "parts: [{weight: 0.0001}, {}]": "use rounder weights",
    "parts: [{}]\nsplits: {train: 0.5, test: 0.4}": "add up to 9/10: they must add up to 1",
    "parts: [{}]\nsplits: {train: 0.9999, test: 0.0001}": "must be above 0.0009",
    "parts: [{}]\nsplits: {Train: 0.5, train: 0.5}": "differ only in the case of letters",
    "parts: [{}]\nsplits: {'../train': 1}": "splits",
    "parts: [{theme: outfit}]\nsplits: {train: 0.5, test: 0.5}\nseparate_items: true": "too few names",
    "parts: [{}]\nseparate_items: 1": "separate_items is 1",
    "parts: {": "is not valid YAML",
    ENDLESS: "holds more than",
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD_MIXTURES.items(), ids=range(len(BAD_MIXTURES)))
def test_bad_mixtures_are_refused_in_one_sentence(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mixture.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TreecutError) as caught:
        recipe = read_mixture(path, 5)
        _ = [to_dataset(recipe, 5, 100, split=split.name) for split in recipe.splits]
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- Folders of files. ---

SHARDS = "4"
WORK = ["generate", "--ans-depth", "3", "--pairs", "full", "-n", "900", "--format"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(run_treecut: RunTreecut, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished folder, which tests copy."""
    folder = tmp_path_factory.mktemp("made") / "folder"
    done = run_treecut(*WORK, "jsonl", "--shards", SHARDS, "-o", folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"Wrote {SHARDS} of {SHARDS} files to {folder}.\n"
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content in contents(made).items():
        (folder / name).write_bytes(content)
    return folder


def again(run_treecut: RunTreecut, folder: Path, *options: str) -> str:
    done = run_treecut(*WORK, "jsonl", "--shards", SHARDS, *options, "-o", folder)
    assert done.returncode in (0, 2)
    assert done.stdout == ""
    return str(done.stderr)


def test_the_manifest_says_what_the_folder_holds(made: Path, run_treecut: RunTreecut) -> None:
    manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == 1800
    assert manifest["data_set"]["seed"] == 42
    assert manifest["data_set"]["parts"][0]["config"]["ans_depth"] == 3
    assert [file["name"] for file in manifest["files"]] == [
        f"data-{i:05d}-of-00004.jsonl" for i in range(4)
    ]
    for file in manifest["files"]:
        content = (made / file["name"]).read_bytes()
        assert file["bytes"] == len(content)
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["rows"] == content.count(b"\n") == 450
    assert run_treecut("verify", made).returncode == 0


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_bytes_do_not_depend_on_the_number_of_processes(
    form: str, run_treecut: RunTreecut, tmp_path: Path
) -> None:
    for workers in ("1", "2"):
        options = ["--shards", "3", "--workers", workers, "-o", tmp_path / workers]
        assert run_treecut(*WORK, form, *options).returncode == 0
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))


@pytest.mark.parametrize("damage", [Path.unlink, cut_short, changed])
@pytest.mark.parametrize("without_manifest", [False, True])
def test_what_is_missing_or_damaged_is_made_again_and_nothing_else(
    damage: Callable[[Path], None],
    without_manifest: bool,
    folder: Path,
    made: Path,
    run_treecut: RunTreecut,
) -> None:
    damage(folder / "data-00002-of-00004.jsonl")
    kept = folder / "data-00001-of-00004.jsonl"
    before = kept.stat().st_mtime_ns
    assert run_treecut("verify", folder, "--files-only").returncode != 0
    if without_manifest:
        # Nobody knows whether the files are whole: they are not taken for it.
        (folder / "manifest.json").unlink()
        assert "is there already, but no manifest.json tells what it is" in again(
            run_treecut, folder
        )
        assert "--overwrite" in again(run_treecut, folder)
        assert again(run_treecut, folder, "--overwrite") == f"Wrote 4 of 4 files to {folder}.\n"
    else:
        assert (
            again(run_treecut, folder)
            == f"Wrote 1 of 4 files (3 were there already) to {folder}.\n"
        )
        assert kept.stat().st_mtime_ns == before
    assert contents(folder) == contents(made)


def test_another_data_set_is_never_overwritten_silently(
    folder: Path, made: Path, run_treecut: RunTreecut
) -> None:
    said = again(run_treecut, folder, "--seed", "43")
    assert said == (
        f"Error: The folder {str(folder)!r} holds another data set: its seed is 42, not 43. Use another "
        "folder, or --overwrite.\n"
    )
    assert contents(folder) == contents(made)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    assert again(run_treecut, folder, "--overwrite", "--seed", "43").startswith("Wrote 4 of 4")
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert contents(folder) != contents(made)


# Whoever made the manifest must not choose what else is read.
STRANGE = json.dumps(
    {
        "data_set": {},
        "num_files": 1,
        "rows": 1,
        "files": [{"name": "/etc/passwd", "rows": 1, "bytes": 1, "sha256": ""}],
    }
)


@pytest.mark.parametrize("manifest", ["", "[]", "{}", STRANGE], ids=range(4))
def test_a_damaged_manifest_is_told(manifest: str, folder: Path, run_treecut: RunTreecut) -> None:
    (folder / "manifest.json").write_text(manifest, encoding="utf-8")
    for said in (again(run_treecut, folder), run_treecut("verify", folder).stderr):
        assert "manifest.json" in said
        assert "Traceback" not in said
        assert said.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_stopped_run_leaves_whole_files_and_the_same_command_goes_on(
    number: signal.Signals,
    workers: str,
    treecut_environment: dict[str, str],
    run_treecut: RunTreecut,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "folder"
    options = ["generate", "-n", "40000", "--shards", "8", "--workers", workers, "-o", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-m", "treecut_tasks", *options],
        env=treecut_environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    end = time.monotonic() + 600
    # The manifest names a file as soon as it is whole.
    while not (folder / "manifest.json").exists() or (
        '"sha256"' not in (folder / "manifest.json").read_text(encoding="utf-8")
    ):
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    if number == signal.SIGKILL:
        # Workers that were not told end by themselves, or wait for work that never comes.
        process.wait(600)
        assert process.stderr is not None
        process.stderr.close()
    else:
        _, said = process.communicate(timeout=600)
        assert "Traceback" not in said
        assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    assert process.returncode != 0
    for path in folder.glob("data-*"):
        assert path.read_bytes().count(b"\n") == 5000
    done = run_treecut(*options)
    assert done.returncode == 0
    assert "were there already" in done.stderr
    assert sorted(path.suffix for path in folder.iterdir()) == [".json"] + [".jsonl"] * 8


def test_parquet_files_carry_their_parameters(run_treecut: RunTreecut, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    assert (
        run_treecut(
            "generate", "-n", "30000", "--columns", "text", "--format", "parquet", "-o", path
        ).returncode
        == 0
    )
    file = pq.ParquetFile(path)
    assert json.loads(file.schema_arrow.metadata[b"treecut"])["n"] == 30_000
    assert file.schema_arrow.names == ["id", "problem", "answer", "proof"]
    assert [file.metadata.row_group(i).num_rows for i in range(2)] == [16_384, 13_616]


REFUSED = {
    "--shards 3": "needs a folder: name it with -o DIR",
    "--shards 0 -o out": "The number of shards is 0",
    "--shards 11 -n 10 -o out": "at most one shard for each problem",
    "--workers 2": "--workers needs --shards S and -o DIR",
    "--overwrite -o out": "--overwrite needs --shards S",
    "--shards 2 --workers 0 -o out": "0 is not in the range x>=1",
    "--shards 2 --workers 2 --ray auto -o out": "exclude each other",
    "--columns some": "columns is 'some': it must be all or text",
    "--columns ": "columns is '': it must be all or text",
    "--columns text --format published": "--columns needs --format jsonl or parquet",
    "--pairs full --format parquet -o out": "give the name of a file that ends in .parquet",
    "--one-stream --shards 2 -o out": "--one-stream is one file",
    "--one-stream --pairs matched": "neither matched pairs nor splits",
    "--one-stream --split test": "neither matched pairs nor splits",
    "--split dev": "split is 'dev'",
    "--mixture mixture.yaml --ans-depth 3 -o out": "--ans-depth cannot be given with --mixture",
    "--mixture mixture.yaml -o out -n 2": "a whole number of 3, one for each split, or more",
    "--mixture missing.yaml -o out": "cannot be read",
}


@pytest.mark.parametrize(("options", "message"), REFUSED.items(), ids=list(REFUSED))
def test_options_that_do_not_fit_are_refused(
    options: str, message: str, mixture: Path, run_treecut: RunTreecut
) -> None:
    done = run_treecut("generate", *options.split(" "), cwd=mixture.parent)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (mixture.parent / "out").exists() or not list((mixture.parent / "out").iterdir())


# --- Hugging Face. ---

CONFIG = ProblemConfig(ans_depth=3)


@pytest.mark.parametrize("system_message", [False, True])
def test_messages_are_what_the_tasks_send_and_their_examples_answer(system_message: bool) -> None:
    texts = to_dataset(CONFIG, 1, 20, form="text", pairs="matched")
    before = []
    if system_message:
        before = [{"role": "system", "content": system_prompt("cot")}]
    shared: dict[str, Any] = {"pairs": "matched", "system_message": system_message}
    for solutions in (True, False):
        rows = to_dataset(CONFIG, 1, 20, form="messages", solutions=solutions, **shared)
        for text, row in zip(texts, rows, strict=True):
            shot = make_shot(text["problem"], text["proof"], text["answer"])
            expected = [*before, {"role": "user", "content": shot.prompt}]
            after = [{"role": "assistant", "content": shot.response}] if solutions else []
            assert row["messages"] == [*expected, *after]
            assert (row["id"], row["pair_id"]) == (text["id"], text["pair_id"])
    prompts = to_dataset(CONFIG, 1, 20, form="prompts", **shared)
    for text, row in zip(texts, prompts, strict=True):
        prompt = make_shot(text["problem"], "", "").prompt
        assert row["prompt"] == [*before, {"role": "user", "content": prompt}]
        assert (row["problem"], row["answer"]) == (text["problem"], text["answer"])


@pytest.mark.parametrize("form", FORMS)
def test_streams_give_the_rows_of_data_sets_to_every_kind_of_reader(form: Any) -> None:
    from datasets.distributed import split_dataset_by_node

    whole = to_dataset(CONFIG, 1, 50, pairs="full", form=form)
    stream = to_iterable_dataset(CONFIG, 1, 50, pairs="full", form=form, shards=4)
    assert stream.features == whole.features
    assert list(stream) == whole.to_list()
    nodes = [list(split_dataset_by_node(stream, rank, 2)) for rank in range(2)]
    both = sorted((row for node in nodes for row in node), key=lambda row: str(row["id"]))
    assert both == sorted(whole.to_list(), key=lambda row: str(row["id"]))
    reader = iter(stream)
    first = [next(reader) for _ in range(33)]
    state = stream.state_dict()
    fresh = to_iterable_dataset(CONFIG, 1, 50, pairs="full", form=form, shards=4)
    fresh.load_state_dict(state)
    assert [*first, *fresh] == whole.to_list()


def test_the_split_of_a_data_set_is_one_of_the_recipe(mixture: Path) -> None:
    recipe = read_mixture(mixture, 1)
    assert str(to_dataset(recipe, 1, 100, split="test").split) == "test"
    sizes = {split: len(to_dataset(CONFIG, 1, 30, split=split)) for split in SPLIT_NAMES}
    assert set(sizes.values()) == {30}


BAD_CALLS: list[tuple[dict[str, Any], str]] = [
    ({"form": "jsonl"}, "form is 'jsonl': it must be all, text, messages or prompts"),
    ({"pairs": "half"}, "pairs is 'half': it must be none, full or matched"),
    ({"split": "dev"}, "split is 'dev': it must be all, train, validation, test, train_items"),
    ({"system_message": True}, "system_message messages or prompts, but form is 'all'"),
    ({"solutions": False}, "solutions=False needs the form messages"),
    ({"n": 0}, "number of problems is 0"),
    ({"n": 2.0}, "number of problems is 2.0"),
    ({"seed": -1}, "seed is -1"),
    ({"config": "food"}, "config is 'food': it must be a ProblemConfig, or a recipe"),
]


@pytest.mark.parametrize(("values", "message"), BAD_CALLS, ids=str)
def test_bad_values_are_refused(values: dict[str, Any], message: str, mixture: Path) -> None:
    call = {"config": CONFIG, "seed": 1, "n": 10, **values}
    makers: tuple[Any, Any] = to_dataset, to_iterable_dataset
    for make in makers:
        with pytest.raises(TreecutError) as caught:
            make(**call)
        assert message in str(caught.value)
    recipe = read_mixture(mixture, 1)
    wrongs: list[dict[str, Any]] = [{"pairs": "full", "split": "test"}, {}, {"split": "all"}]
    for wrong in wrongs:
        with pytest.raises(TreecutError, match=r"leave pairs out|split is"):
            to_dataset(recipe, 1, 100, **wrong)
