"""`treecut generate --format jsonl|parquet`: files, folders, and what happens to them when it fails."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import re
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import RunTreecut
from tests.signals import heed_signals
from tests.test_cli import assert_refused, listing, posix
from treecut_tasks.bulk.columns import schema
from treecut_tasks.bulk.folder import MANIFEST_NAME, PLAN_NAME, Folder, check_files
from treecut_tasks.bulk.plan import Plan
from treecut_tasks.bulk.recipe import Part, Recipe
from treecut_tasks.bulk.rows import Rows
from treecut_tasks.bulk.shards import METADATA_KEY, write_shard
from treecut_tasks.bulk.splits import WHOLE
from treecut_tasks.cli.generate import command
from treecut_tasks.errors import TreecutError
from treecut_tasks.files import remove_abandoned, whole_binary_file
from treecut_tasks.problems import ProblemConfig, read_data_files
from treecut_tasks.themes import Item, load_theme

SMALL = ("--num-vars", "3", "--ans-depth", "2")
CONFIG = ProblemConfig(num_vars=3, ans_depth=2)
FORMATS = ("jsonl", "parquet")

WIDE_THEME = """\
name: Märkte
entities: [L'Été, Ünal’s, Żabka, 市場, Кафе]
items:
- {name: Éclair, plural: Éclairs}
- {name: œuf, plural: œufs}
- {name: sheep, plural: sheep}
- {name: 果物, plural: 果物たち}
- {name: яблоко, plural: яблоки}
- {name: uncut loaf, plural: uncut loaves}
- {name: Onion ring, plural: Onion rings}
values: {min: 200, max: 2000, step: 100}
money: {one: one złoty, many: złotych}
"""


def treecut_generate(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "treecut_tasks", "generate", *map(str, args)]


def recipe_of(config: ProblemConfig = CONFIG, seed: int = 42) -> Recipe:
    return Recipe((Part(config),), seed)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def expected_files(plan: Plan, folder: Path) -> dict[str, bytes]:
    """The shards of a plan, written by this process without a folder around them."""
    folder.mkdir()
    for shard in plan.shards:
        write_shard(plan, shard, folder / shard.name)
    return contents(folder)


def shards_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!.]*-of-*")) if folder.exists() else []


def temporaries_in(folder: Path) -> list[str]:
    return [name for name in listing(folder) if name.startswith(".")]


def parquet_rows(*paths: Path) -> list[dict[str, Any]]:
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


# --- Single files. ---


def test_json_lines_are_what_the_tasks_read(run_treecut: RunTreecut, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    done = run_treecut("generate", "--format", "jsonl", *SMALL, "-n", "60", "-o", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_bytes() == b"".join(map(bytes, Rows(recipe_of(), WHOLE).lines(0, 60)))
    written = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    records = read_data_files([path], unanswerable=True)
    assert [record.id for record in records] == [row["id"] for row in written]
    assert {record.config["num_vars"] for record in records} == {3}


def test_parquet_is_typed_and_tells_how_it_was_made(
    run_treecut: RunTreecut, treecut_environment: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "data.parquet"
    args = ("generate", "--format", "parquet", *SMALL, "--pairs", "full", "-n", "60", "--seed", "9")
    done = run_treecut(*args, "-o", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    recipe = Recipe((Part(CONFIG, "full"),), 9)
    assert parquet_rows(path) == pa.concat_tables(Rows(recipe, WHOLE).tables(0, 60)).to_pylist()
    stored = pq.read_schema(path)
    assert stored.remove_metadata() == schema(paired=True)
    plan = json.loads(stored.metadata[METADATA_KEY])
    assert (plan["seed"], plan["n"], plan["parts"][0]["pairs"]) == (9, 60, "full")
    assert plan["parts"][0]["config"] == CONFIG.as_dict()
    assert plan["version"] == version("treecut-tasks")
    frame = pd.read_parquet(path)
    assert len(frame) == 120
    assert frame["pair_id"].nunique() == 60
    to_stdout = subprocess.run(
        [sys.executable, "-m", "treecut_tasks", *args],
        env=treecut_environment,
        capture_output=True,
        check=True,
    )
    assert to_stdout.stdout == path.read_bytes()


@pytest.mark.parametrize(("num_vars", "largest"), [(3, 16 * 1024), (240, 2048)])
def test_row_groups_are_what_a_reader_can_load(tmp_path: Path, num_vars: int, largest: int) -> None:
    items = tuple(Item(f"part-{i}", f"parts-{i}") for i in range(120))
    theme = replace(load_theme("food"), name="parts", items=items)
    config = ProblemConfig(theme=theme, num_vars=num_vars, ans_depth=2)
    plan = Plan(recipe_of(config), largest + 100, 1, "parquet", "text")
    write_shard(plan, plan.shards[0], tmp_path / "data")
    metadata = pq.ParquetFile(tmp_path / "data").metadata
    assert metadata.num_rows == largest + 100
    sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert largest / 2 < sizes[0] <= largest
    assert len(set(sizes[:-1])) == 1


@pytest.mark.parametrize("record_format", FORMATS)
def test_columns_of_text_only(tmp_path: Path, record_format: str) -> None:
    path = tmp_path / "data"
    args = ["--format", record_format, *SMALL, "-n", "1", "--columns", "text", "-o", str(path)]
    command.main(args, standalone_mode=False)
    rows = (
        parquet_rows(path)
        if record_format == "parquet"
        else [json.loads(line) for line in path.read_bytes().splitlines()]
    )
    assert [list(row) for row in rows] == [["id", "problem", "answer", "proof"]]


@pytest.mark.parametrize("record_format", FORMATS)
def test_a_wide_theme_of_ones_own(
    run_treecut: RunTreecut, tmp_path: Path, record_format: str
) -> None:
    theme, path = tmp_path / "markets.yaml", tmp_path / f"data.{record_format}"
    theme.write_text(WIDE_THEME, encoding="utf-8")
    args = ("--format", record_format, "--theme", theme, "--pairs", "full", "-n", "30", "-o", path)
    command.main([*map(str, args)], standalone_mode=False)
    config = ProblemConfig(theme=theme)
    recipe = Recipe((Part(config, "full"),), 42)
    rows = pa.concat_tables(Rows(recipe, WHOLE).tables(0, 30)).to_pylist()
    assert "果物" in rows[0]["problem"] + rows[2]["problem"] + rows[4]["problem"]
    if record_format == "parquet":
        assert parquet_rows(path) == rows
        return
    written = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    assert written == rows
    assert run_treecut("verify", path, "--theme", theme).returncode == 0


@posix
@pytest.mark.parametrize("record_format", FORMATS)
def test_memory_does_not_grow_with_the_number_of_problems(
    treecut_environment: dict[str, str], tmp_path: Path, record_format: str
) -> None:
    """Four times as many problems of 500 bytes would need 60 megabytes more."""
    peaks = []
    for size in (40_000, 160_000):
        process = subprocess.Popen(
            treecut_generate(
                "--format",
                record_format,
                "-n",
                str(size),
                "--num-vars",
                "2",
                "--ans-depth",
                "2",
                "--columns",
                "text",
                "-o",
                str(tmp_path / "data"),
            ),
            env=treecut_environment,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        assert process.stderr.read() == b"", "no progress where there is no terminal"
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        peaks.append(usage.ru_maxrss)
    assert peaks[1] < 1.25 * peaks[0]


@posix
@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_progress_on_a_terminal(
    treecut_environment: dict[str, str], tmp_path: Path, folder: bool
) -> None:
    terminal, stderr = os.openpty()
    _set_width(stderr, 100)
    shards = ("--shards", "2", "--workers", "2") if folder else ()
    process = subprocess.Popen(
        treecut_generate(
            "--format",
            "parquet",
            "-n",
            "200000",
            "--num-vars",
            "2",
            "--ans-depth",
            "2",
            "--columns",
            "text",
            *shards,
            "-o",
            str(tmp_path / "data"),
        ),
        env=treecut_environment,
        stderr=stderr,
    )
    os.close(stderr)
    shown = b"".join(iter(lambda: _read_terminal(terminal), b"")).decode("utf-8")
    os.close(terminal)
    assert process.wait() == 0
    # Share, rate, time so far and time that is left.
    assert re.search(r"Generating: +\d+%\|.*\d+\.?\d*k/200k \[\d\d:\d\d<\d\d:\d\d, +\S+/s\]", shown)
    assert "100%" in shown


def _set_width(terminal: int, columns: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 40, columns, 0, 0))


def _read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that the other end was closed
        return b""


# --- Where single files go. ---


@posix
@pytest.mark.parametrize("record_format", FORMATS)
def test_a_reader_that_goes_away_is_no_traceback(
    treecut_environment: dict[str, str], record_format: str
) -> None:
    process = subprocess.Popen(
        treecut_generate("--format", record_format, "-n", "100000", "-o", "-"),
        env=treecut_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert len(process.stdout.read(100)) == 100
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 1


@posix
@pytest.mark.parametrize("record_format", FORMATS)
def test_devices_and_pipes_are_written_to_and_not_replaced(
    treecut_environment: dict[str, str], tmp_path: Path, record_format: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        treecut_generate("--format", record_format, *SMALL, "-n", "5", "-o", str(pipe)),
        env=treecut_environment,
    )
    # Not `open`, which would wait for ever if the pipe were replaced.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    try:
        received = b""
        while process.poll() is None or not received:
            received += os.read(reader, 1 << 20)
            if process.poll() is not None:
                break
        received += os.read(reader, 1 << 20)
    finally:
        os.close(reader)
    assert process.wait() == 0
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert listing(tmp_path) == ["pipe"]
    plan = Plan(recipe_of(), 5, 1, record_format)  # type: ignore[arg-type]
    write_shard(plan, plan.shards[0], tmp_path / "expected")
    assert received == (tmp_path / "expected").read_bytes()


@posix
@pytest.mark.parametrize("record_format", FORMATS)
def test_a_full_disk_is_one_line(
    run_treecut: RunTreecut, treecut_environment: dict[str, str], tmp_path: Path, record_format: str
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    args = ("generate", "--format", record_format, *SMALL, "-n", "2000")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "treecut_tasks", *args],
            env=treecut_environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "Standard output cannot be written (No space left on device)" in done.stderr
    # A device of our own, so that a fault cannot replace that of the machine.
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        device.open("wb").close()
    except PermissionError:
        pytest.skip("devices cannot be made here")
    assert_refused(run_treecut(*args, "-o", device), "(No space left on device): make room")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert listing(tmp_path) == ["full"]


@pytest.mark.parametrize("record_format", FORMATS)
def test_links_are_followed_and_folders_refused(tmp_path: Path, record_format: str) -> None:
    def generate(path: Path | str) -> None:
        args = ["--format", record_format, *SMALL, "-n", "3", "-o", str(path)]
        command.main(args, standalone_mode=False)

    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old", encoding="utf-8")
    try:
        link.symlink_to(file)
    except OSError:
        pytest.skip("links cannot be made here")
    generate(link)
    assert link.is_symlink()
    assert file.stat().st_size > 500
    for folder in (tmp_path, "", ".", "/"):
        with pytest.raises(TreecutError, match="cannot be written"):
            generate(folder)
    with pytest.raises(TreecutError, match="cannot be written"):
        generate(file / "below")
    assert listing(tmp_path) == ["file", "link"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--format", "csv"), "format is 'csv'"),
        (("--columns", "some"), "columns is 'some'"),
        (("--workers", "2"), "--workers needs --shards"),
        (("--shard", "0"), "--shard needs --shards"),
        (("--overwrite",), "--overwrite needs --shards"),
        (("--one-stream",), "--one-stream needs --format full"),
        (("--shards", "0"), "The number of shards is 0"),
        (("--shards", "-1"), "The number of shards is -1"),
        (("--shards", "11"), "11 shards were asked for 10 problems"),
        (("--shards", "2"), "needs a folder"),
        (("--shards", "2", "--workers", "0"), "workers is 0"),
        (("--shards", "2", "--shard", "2", "-o", "x"), "shard is 2: it must be from 0 to 1"),
        (("--shards", "2", "--shard", "-1", "-o", "x"), "shard is -1"),
        (("--shards", "2", "--shard", "1", "--overwrite", "-o", "x"), "--overwrite would remove"),
        (("-n", "0"), "The number of problems is 0"),
        (("--seed", "-1"), "seed is -1"),
        (("--format", "full", "--shards", "2"), "--shards needs --format jsonl"),
        (("--format", "full", "--columns", "text"), "--columns needs --format jsonl"),
        (("--answerable", "--pairs", "full"), "answerable"),
        (("--mixture", "missing.yaml"), "cannot be read"),
    ],
)
def test_impossible_options_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TreecutError) as raised:
        command.main(["--format", "jsonl", "-n", "10", *options], standalone_mode=False)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert listing(tmp_path) == []


# --- Folders. ---


@pytest.mark.parametrize("record_format", FORMATS)
def test_shards_and_workers_do_not_change_what_is_written(
    run_treecut: RunTreecut, tmp_path: Path, record_format: str
) -> None:
    args = ("generate", "--format", record_format, *SMALL, "-n", "5001", "--columns", "text")
    folders = [tmp_path / name for name in ("one", "two", "alone")]
    for folder, options in zip(
        folders, ((), ("--workers", "2"), ("--shard", "1", "--workers", "5")), strict=True
    ):
        done = run_treecut(*args, "--shards", "3", *options, "-o", folder)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == (
            "2 of 3 files are still missing.\n" if folder.name == "alone" else ""
        )
    one, two, alone = map(contents, folders)
    assert one == two
    name = f"data-00001-of-00003.{record_format}"
    assert alone == {name: one[name], PLAN_NAME: one[PLAN_NAME]}
    plan = Plan(recipe_of(), 5001, 3, record_format, "text")  # type: ignore[arg-type]
    assert [shard.stop - shard.start for shard in plan.shards] == [1667, 1667, 1667]
    assert sorted(one) == sorted([*(s.name for s in plan.shards), PLAN_NAME, MANIFEST_NAME])

    whole = tmp_path / "whole"
    write_shard(Plan(recipe_of(), 5001, 1, record_format, "text"), _only(5001), whole)  # type: ignore[arg-type]
    if record_format == "jsonl":
        assert b"".join(one[shard.name] for shard in plan.shards) == whole.read_bytes()
    else:
        files = [folders[0] / shard.name for shard in plan.shards]
        assert parquet_rows(*files) == parquet_rows(whole)
        assert len(pd.concat([pd.read_parquet(path) for path in files])) == 5001

    manifest = json.loads(one[MANIFEST_NAME])
    assert manifest["rows"] == 5001
    for file in manifest["files"]:
        data = one[file["name"]]
        assert file == {
            "name": file["name"],
            "rows": 1667,
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "split": "data",
        }


def _only(size: int) -> Any:
    (shard,) = Plan(recipe_of(), size).shards
    return shard


def test_shards_made_one_by_one_become_a_finished_set(tmp_path: Path) -> None:
    plan = Plan(recipe_of(), 7, 3)
    expected = expected_files(plan, tmp_path / "expected")
    folder = tmp_path / "data"
    for shard in ("2", "0", "0", "1"):
        assert not (folder / MANIFEST_NAME).exists()
        args = ["--format", "jsonl", *SMALL, "-n", "7", "--shards", "3", "--shard", shard]
        command.main([*args, "-o", str(folder)], standalone_mode=False)
    found = contents(folder)
    assert {name: found[name] for name in expected} == expected
    assert [problem for _, problem in check_files(folder)] == [None] * 3


def finished(path: Path, plan: Plan) -> Folder:
    folder = Folder.open(str(path), plan)
    for shard in folder.missing():
        write_shard(plan, shard, path / shard.name)
    assert folder.finish()
    return folder


PLAN = Plan(recipe_of(), 31, 3)

OTHERS = {
    "seed is 42, not 7": Plan(recipe_of(seed=7), 31, 3),
    "n is 31, not 32": Plan(recipe_of(), 32, 3),
    "shards is 3, not 4": Plan(recipe_of(), 31, 4),
    'format is "jsonl", not "parquet"': Plan(recipe_of(), 31, 3, "parquet"),
    'columns is "all", not "text"': Plan(recipe_of(), 31, 3, "jsonl", "text"),
    'parts[0].config.order is "random", not "forward"': Plan(
        recipe_of(ProblemConfig(num_vars=3, ans_depth=2, order="forward")), 31, 3
    ),
    "parts[0].config.unanswerable is true": Plan(recipe_of(CONFIG.answerable()), 31, 3),
    'parts[0].pairs is "none", not "full"': Plan(Recipe((Part(CONFIG, "full"),), 42), 31, 3),
    "parts is [": Plan(Recipe((Part(CONFIG), Part(CONFIG)), 42), 31, 3),
}


@pytest.mark.parametrize("message", OTHERS)
def test_a_folder_of_another_data_set_is_left_alone(tmp_path: Path, message: str) -> None:
    finished(tmp_path / "data", PLAN)
    before = contents(tmp_path / "data")
    with pytest.raises(TreecutError) as raised:
        Folder.open(str(tmp_path / "data"), OTHERS[message])
    assert message.replace("answerable", "unanswerable") in str(raised.value) or message.partition(
        " is "
    )[0] in str(raised.value)
    assert message in str(raised.value) or "unanswerable" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert contents(tmp_path / "data") == before


def test_another_version_is_another_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(tmp_path, PLAN)
    monkeypatch.setattr("treecut_tasks.bulk.plan.version", lambda _: "9.9")
    with pytest.raises(TreecutError, match=r'version is "[0-9.]+", not "9\.9"'):
        Folder.open(str(tmp_path), PLAN)


def test_overwrite_replaces_all_of_it_and_nothing_else(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    finished(tmp_path, PLAN)
    abandoned = (".data-00000-of-00099.jsonl.0123456789abcdef", f".{MANIFEST_NAME}.{'0' * 16}")
    for name in ("README.md", "data.csv", "my-00000-of-1.jsonl", ".hidden", *abandoned):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    args = ("generate", "--format", "jsonl", *SMALL, "-n", "8", "--shards", "2", "-o", tmp_path)
    refused = run_treecut(*args)
    assert_refused(refused, "its n is 31, not 8. Use another folder, or --overwrite.")
    done = run_treecut(*args, "--overwrite")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert listing(tmp_path) == sorted(
        (
            *(".hidden", "README.md", "data.csv", "my-00000-of-1.jsonl", PLAN_NAME, MANIFEST_NAME),
            *("data-00000-of-00002.jsonl", "data-00001-of-00002.jsonl"),
        )
    )


def test_files_without_a_plan_are_not_taken_for_ours(tmp_path: Path) -> None:
    for name in ("data-00000-of-00003.jsonl", "test-00000-of-00001.parquet", MANIFEST_NAME):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text("{}", encoding="utf-8")
        with pytest.raises(TreecutError, match=rf"{name}' is there already, but no data_set"):
            Folder.open(str(folder), PLAN)
        assert contents(folder) == {name: b"{}"}
        if name.startswith("test-"):
            # Others name their files in this way, too.
            with pytest.raises(TreecutError, match="belongs to no data set"):
                Folder.open(str(folder), PLAN, overwrite=True)
            assert contents(folder) == {name: b"{}"}
            continue
        Folder.open(str(folder), PLAN, overwrite=True)
        assert listing(folder) == [PLAN_NAME]


def test_overwrite_leaves_files_of_others(tmp_path: Path) -> None:
    finished(tmp_path, PLAN)
    (tmp_path / "train-00000-of-00010.parquet").write_bytes(b"theirs")
    before = contents(tmp_path)
    with pytest.raises(TreecutError, match=r"train-00000-of-00010.parquet' belongs to no data set"):
        Folder.open(str(tmp_path), PLAN, overwrite=True)
    assert contents(tmp_path) == before


def test_the_first_of_two_plans_stays(tmp_path: Path) -> None:
    """A run that finds no plan, and is overtaken by another before it writes its own."""
    other = replace(PLAN, num_entries=PLAN.num_entries + 1)
    written = whole_binary_file(tmp_path / PLAN_NAME, exclusive=True)
    with written as file:
        file.write(PLAN.as_json().encode("utf-8"))
        Folder.open(str(tmp_path), other)
    with pytest.raises(TreecutError, match="its n is"):
        Folder.open(str(tmp_path), PLAN)
    assert listing(tmp_path) == [PLAN_NAME]


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000, b'{"n": 31}'])
def test_a_damaged_plan_is_one_line(tmp_path: Path, damage: bytes) -> None:
    finished(tmp_path, PLAN)
    (tmp_path / PLAN_NAME).write_bytes(damage)
    before = contents(tmp_path)
    with pytest.raises(TreecutError, match="--overwrite") as raised:
        Folder.open(str(tmp_path), PLAN)
    assert "\n" not in str(raised.value)
    assert contents(tmp_path) == before
    Folder.open(str(tmp_path), PLAN, overwrite=True)
    assert listing(tmp_path) == [PLAN_NAME]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"{}", b'{"files": 3}', b'{"files": [{"name": "x"}]}']
)
def test_a_damaged_manifest_is_one_line(tmp_path: Path, damage: bytes) -> None:
    folder = finished(tmp_path, PLAN)
    (tmp_path / MANIFEST_NAME).write_bytes(damage)
    before = contents(tmp_path)
    with pytest.raises(TreecutError, match=MANIFEST_NAME) as raised:
        folder.missing()
    assert "\n" not in str(raised.value)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "names",
    [
        [],
        [PLAN.shards[0].name],
        [PLAN.shards[0].name, PLAN.shards[1].name, PLAN.shards[1].name],
        [PLAN.shards[0].name, PLAN.shards[1].name, f"../{PLAN.shards[2].name}"],
        [PLAN.shards[0].name, PLAN.shards[1].name, "/etc/hostname"],
    ],
)
def test_a_manifest_cannot_leave_out_files_or_name_others(tmp_path: Path, names: list[str]) -> None:
    finished(tmp_path, PLAN)
    path = tmp_path / MANIFEST_NAME
    manifest = json.loads(path.read_text(encoding="utf-8"))
    files = {file["name"]: file for file in manifest["files"]}
    manifest["files"] = [{**files[PLAN.shards[0].name], "name": name} for name in names]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(TreecutError, match=r"is not a manifest \(it lists"):
        list(check_files(tmp_path))


def test_a_file_too_many_is_told(run_treecut: RunTreecut, tmp_path: Path) -> None:
    finished(tmp_path, PLAN)
    stray = tmp_path / "data-00000-of-00009.jsonl"
    stray.write_bytes((tmp_path / PLAN.shards[0].name).read_bytes())
    done = run_treecut("verify", tmp_path, "--files-only")
    assert done.returncode == 1
    assert f"{stray} is not in the manifest: remove it" in done.stdout


def test_damage_is_never_vouched_for(tmp_path: Path) -> None:
    """A file of another size is made again; one of the same size stays as wrong as it is."""
    folder = finished(tmp_path, PLAN)
    manifest = (tmp_path / MANIFEST_NAME).read_bytes()
    first, second = (tmp_path / shard.name for shard in PLAN.shards[:2])
    whole = first.read_bytes()
    first.write_bytes(whole[:-1])
    second.write_bytes(b"X" + second.read_bytes()[1:])
    assert [shard.name for shard in folder.missing()] == [first.name]
    finished(tmp_path, PLAN)
    assert first.read_bytes() == whole
    assert (tmp_path / MANIFEST_NAME).read_bytes() == manifest
    problems = {each.name: problem for each, problem in check_files(tmp_path)}
    assert "has the SHA-256" in (problems.pop(second.name) or "")
    assert set(problems.values()) == {None}


def test_plan_and_manifest_reach_the_disk_before_they_get_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[dict[str, bytes]] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(contents(tmp_path)))
    finished(tmp_path, PLAN)
    for name, before in ((PLAN_NAME, synced[0]), (MANIFEST_NAME, synced[-1])):
        assert name not in before
        (temporary,) = (path for path in before if path.startswith("."))
        assert before[temporary] == (tmp_path / name).read_bytes()


def test_what_others_are_writing_is_not_removed(tmp_path: Path) -> None:
    abandoned = tmp_path / ".data.0123456789abcdef"
    abandoned.touch()
    (tmp_path / ".data.backup").touch()
    pattern = re.compile("data")
    with whole_binary_file(tmp_path / "data") as file:
        remove_abandoned(tmp_path, pattern)
        file.write(b"new")
    assert contents(tmp_path) == {"data": b"new", ".data.backup": b""}


@posix
def test_nor_is_it_on_a_file_system_that_locks_only_what_is_open_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    lock = fcntl.flock

    def as_nfs_does(file: Any, operation: int) -> None:
        if not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", as_nfs_does)
    (tmp_path / ".data.0123456789abcdef").touch()
    with whole_binary_file(tmp_path / "data") as file:
        remove_abandoned(tmp_path, re.compile("data"))
        file.write(b"new")
    assert contents(tmp_path) == {"data": b"new"}


def test_what_may_not_be_removed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows a file that is open, and that of another user in a shared folder."""
    (tmp_path / ".data.0123456789abcdef").touch()

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as context:
        context.setattr(Path, "unlink", refuse)
        remove_abandoned(tmp_path, re.compile("data"))
    assert listing(tmp_path) == [".data.0123456789abcdef"]


def test_a_run_does_not_vouch_for_what_another_one_writes_meanwhile(tmp_path: Path) -> None:
    """Two runs that were started at once with different plans; the last plan counts."""
    other = Plan(recipe_of(seed=7), 31, 3)
    folder = Folder.open(str(tmp_path), PLAN)
    for shard in PLAN.shards:
        write_shard(PLAN, shard, tmp_path / shard.name)
    (tmp_path / PLAN_NAME).write_text(other.as_json(), encoding="utf-8")
    with pytest.raises(TreecutError, match="holds another data set: its seed is 7, not 42"):
        folder.finish()
    assert MANIFEST_NAME not in listing(tmp_path)


# --- Killed, and started again. ---

# Large enough to be killed in the middle, small enough to wait for.
CRASH_PLAN = Plan(recipe_of(ProblemConfig(num_vars=8, ans_depth=6)), 12_000, 12)
CRASH_ARGS = ("--num-vars", "8", "--ans-depth", "6", "-n", "12000", "--shards", "12")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return expected_files(CRASH_PLAN, tmp_path_factory.mktemp("crash") / "expected")


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(treecut_environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """Starts the command in a process group of its own, as a terminal does."""
    processes: list[subprocess.Popen[str]] = []

    def run(
        *options: str, preexec_fn: Callable[[], None] | None = None, folder: Path | None = None
    ) -> subprocess.Popen[str]:
        def prepare() -> None:
            heed_signals()
            if preexec_fn is not None:
                preexec_fn()

        process = subprocess.Popen(
            treecut_generate(
                "--format", "jsonl", *CRASH_ARGS, "-o", str(folder or tmp_path / "data"), *options
            ),
            env=treecut_environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.002)


def wait_for_shards(process: subprocess.Popen[str], folder: Path, number: int) -> None:
    wait_until(lambda: len(shards_in(folder)) >= number or process.poll() is not None)


def assert_completed(
    process: subprocess.Popen[str], folder: Path, expected: dict[str, bytes]
) -> str:
    out, error = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, ""), error
    found = contents(folder)
    assert sorted(found) == sorted([*expected, PLAN_NAME, MANIFEST_NAME])
    assert {name: found[name] for name in expected} == expected
    assert [problem for _, problem in check_files(folder)] == [None] * len(expected)
    return error


@posix
@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_at_any_moment_it_goes_on_where_it_was(
    start: Start, tmp_path: Path, uninterrupted: dict[str, bytes], workers: str
) -> None:
    folder, moments = tmp_path / "data", random.Random(int(workers))
    whole: dict[str, tuple[int, int]] = {}
    for wanted in (0, 1, 4, 8) if workers == "1" else (2, 6):
        process = start("--workers", workers)
        wait_for_shards(process, folder, wanted)
        time.sleep(moments.uniform(0, 0.1))
        process.kill()
        process.communicate()
        now = {path.name: _identity(path) for path in shards_in(folder)}
        assert now.items() >= whole.items(), "nothing that is whole is made again"
        for name in now:
            assert (folder / name).read_bytes() == uninterrupted[name]
        whole = now
    assert 6 <= len(whole) <= 12
    error = assert_completed(start("--workers", workers), folder, uninterrupted)
    assert re.fullmatch(r"\d+ of 12 files are there already\.\n", error)
    assert {path.name: _identity(path) for path in shards_in(folder)}.items() >= whole.items()


def _identity(path: Path) -> tuple[int, int]:
    return path.stat().st_ino, path.stat().st_mtime_ns


@posix
@pytest.mark.parametrize(
    ("name", "workers"),
    [("SIGTERM", "1"), ("SIGTERM", "2"), ("SIGINT", "1"), ("SIGINT", "2"), ("SIGHUP", "1")],
)
def test_stopped_it_leaves_whole_files_only(
    start: Start, tmp_path: Path, uninterrupted: dict[str, bytes], name: str, workers: str
) -> None:
    folder, number = tmp_path / "data", getattr(signal, name)
    process = start("--workers", workers)
    wait_until(lambda: bool(shards_in(folder) and temporaries_in(folder)))
    if name == "SIGINT":  # which a terminal sends to all processes
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, error = process.communicate(timeout=120)
    if name == "SIGINT":
        assert (process.returncode, error.strip()) == (130, "Interrupted.")
    else:
        # The signal itself ends it between two files.
        assert process.returncode in (128 + number, -number)
        assert error == ""
    found = contents(folder)
    assert found.pop(PLAN_NAME)
    assert 1 <= len(found) < 12
    assert found.items() <= uninterrupted.items()


@posix
@pytest.mark.parametrize("seconds", [0.4, 0.8])
def test_interrupted_while_processes_start_it_says_one_line(start: Start, seconds: float) -> None:
    process = start("--workers", "2")
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=120)
    # Before the program has begun to run, Python itself is interrupted.
    if "Interrupted." in error:
        assert (process.returncode, error.strip()) == (130, "Interrupted.")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_worker_is_one_line_and_the_rest_is_kept(
    start: Start, tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    folder = tmp_path / "data"
    process = start("--workers", "2")
    wait_until(lambda: bool(shards_in(folder) and temporaries_in(folder)))
    os.kill(_workers(process.pid)[0], signal.SIGKILL)
    out, error = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert error.startswith("Error: A worker process was killed")
    assert error.count("\n") == 1
    kept = {path.name: _identity(path) for path in shards_in(folder)}
    assert 1 <= len(kept) < 12
    assert_completed(start(), folder, uninterrupted)
    assert {path.name: _identity(path) for path in shards_in(folder)}.items() >= kept.items()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_worker_of_verify_is_one_line(
    treecut_environment: dict[str, str], tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    for name in list(uninterrupted)[:2]:
        (tmp_path / name).write_bytes(uninterrupted[name] * 5)
    process = subprocess.Popen(
        [sys.executable, "-m", "treecut_tasks", "verify", *shards_in(tmp_path), "--workers", "2"],
        env=treecut_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        wait_until(lambda: len(_workers(process.pid)) == 2 or process.poll() is not None)
        os.kill(_workers(process.pid)[0], signal.SIGKILL)
        _, error = process.communicate(timeout=120)
    assert process.returncode == 2
    assert error.startswith("Error: A worker process was killed")
    assert error.count("\n") == 1


def _workers(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@posix
def test_two_runs_in_one_folder_do_not_disturb_each_other(
    start: Start, tmp_path: Path, uninterrupted: dict[str, bytes]
) -> None:
    one, two = start(), start("--workers", "2")
    for process in (one, two):
        out, error = process.communicate(timeout=120)
        assert (process.returncode, out) == (0, ""), error
    # Whoever came last has cleaned up.
    assert_completed(start(), tmp_path / "data", uninterrupted)


# --- Disks that do not want it. ---


@posix
@pytest.mark.parametrize("options", [(), ("--workers", "2"), ("--format", "parquet")])
def test_files_that_must_not_grow_are_one_line(
    start: Start, tmp_path: Path, options: Sequence[str]
) -> None:
    resource = pytest.importorskip("resource")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    process = start(*options, preexec_fn=limit)
    out, error = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert re.fullmatch(
        r"Error: '.*-of-00012\.\w+' cannot be written \(File too large\): make room, or .*\n", error
    )
    assert listing(tmp_path / "data") == [PLAN_NAME]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "none", str(disk)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_keeps_what_is_whole(
    start: Start, small_disk: Path, uninterrupted: dict[str, bytes]
) -> None:
    assert sum(map(len, uninterrupted.values())) > 12e6
    folder = small_disk / "data"
    process = start(folder=folder)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "(No space left on device): make room" in error
    assert error.count("\n") == 1
    found = contents(folder)
    assert found.pop(PLAN_NAME)
    assert 1 <= len(found) < 12
    assert found.items() <= uninterrupted.items()
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    assert_completed(start(folder=folder), folder, uninterrupted)


def test_folders_that_cannot_be_made_are_one_line(run_treecut: RunTreecut, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(TreecutError, match="cannot be made"):
            Folder.open(str(path), PLAN)
    args = ("generate", "--format", "jsonl", "-n", "4", "--shards", "2")
    assert_refused(run_treecut(*args, "-o", tmp_path / "file"), "cannot be made")
    assert listing(tmp_path) == ["file"]


@posix
def test_a_folder_that_may_not_be_written_to_is_one_line() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        user = os.geteuid()
        if user == 0:  # who may write everywhere; so be somebody else for a moment
            os.seteuid(65534)
        try:
            with pytest.raises(TreecutError, match=r"cannot be written \(Permission denied\)"):
                Folder.open(folder, PLAN)
        finally:
            os.seteuid(user)
        assert listing(Path(folder)) == []
