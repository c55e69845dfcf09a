"""The command `treecut`: what it writes where, and how it ends."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunTreecut
from tests.signals import SIGNALS, heed_signals
from tests.test_stream import PUBLISHED_SHA256
from treecut_tasks.problems import ProblemConfig, problem_at, stream

TINY_THEME = """\
name: tiny
entities: [Shop One, Shop Two]
items: [{name: nut, plural: nuts}, {name: bolt, plural: bolts}]
values: {min: 1, max: 1, step: 1}
money: {one: a dollar, many: dollars}
"""
TINY_OPTIONS = ("--simple-name", "--num-vars", "2", "--ans-depth", "2", "--order", "forward")

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and pipes as POSIX has them")


def parsed(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_refused(done: subprocess.CompletedProcess[str], message: str) -> None:
    """The command said in one line what is wrong, and did nothing."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert done.stdout == ""


# --- Help. ---


def test_help_names_every_command(run_treecut: RunTreecut) -> None:
    for flag in ("--help", "-h"):
        done = run_treecut(flag)
        assert (done.returncode, done.stderr) == (0, "")
        assert "unanswerable maths word problems" in done.stdout
        listed = done.stdout.partition("Commands:")[2]
        for command in ("generate", "lm-eval-path", "published-data", "run-config"):
            assert f"\n  {command}  " in listed
            assert not listed.partition(f"\n  {command}  ")[2].startswith("\n"), "has a summary"


def test_help_imports_nothing_heavy(treecut_environment: dict[str, str]) -> None:
    """The answer must be quick: click is loaded, and none of what the commands need."""
    program = (
        "import sys\n"
        "from treecut_tasks.cli import main\n"
        "sys.argv = ['treecut', '--help']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=treecut_environment,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    modules = set(done.stderr.split())
    assert "treecut_tasks.cli.generate" in modules
    assert "Commands:" in done.stdout
    heavy = {
        "inspect_ai",
        "lm_eval",
        "datasets",
        "yaml",
        "numpy",
        "pandas",
        "scipy",
        "z3",
        "asyncio",
    }
    assert not modules & heavy


def test_version_is_told(run_treecut: RunTreecut) -> None:
    done = run_treecut("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("treecut, version ")


@pytest.mark.parametrize(
    "arguments",
    [["no-such-command"], ["--no-such-option"], ["generate", "--no-such-option"],
     ["generate", "extra"], ["generate", "-n", "many"], ["generate", "--seed"], ["published-data"]],
    ids=" ".join,
)  # fmt: skip
def test_misused_command_line_is_refused(run_treecut: RunTreecut, arguments: list[str]) -> None:
    done = run_treecut(*arguments)
    assert done.returncode == 2
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


# --- generate. ---


def test_defaults(run_treecut: RunTreecut, tmp_path: Path) -> None:
    done = run_treecut("generate", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "Wrote 500 problems to standard output.\n")
    expected = [problem.record() for problem in islice(stream(ProblemConfig(), 42), 500)]
    assert parsed(done.stdout) == expected
    assert listing(tmp_path) == []


def test_every_option_reaches_the_problems(run_treecut: RunTreecut, tmp_path: Path) -> None:
    config = ProblemConfig("outfit", False, 8, 6, "backward", True, 2, "paper")
    options = [
        "--theme", "outfit", "--simple-name", "--num-vars", "8", "--ans-depth", "6",
        "--unanswerable", "--cut-depth", "2", "--order", "backward", "--sampling", "paper",
        "-n", "7", "--seed", "123", "--format", "jsonl",
    ]  # fmt: skip
    done = run_treecut("generate", *options, "-o", tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"Wrote 7 problems to {tmp_path / 'out.jsonl'}.\n"
    expected = [problem_at(config, 123, i).record() for i in range(7)]
    assert parsed((tmp_path / "out.jsonl").read_text(encoding="utf-8")) == expected


def test_published_format_in_one_stream_is_the_authors_file(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    done = run_treecut(
        "generate", "--ans-depth", "2", "--one-stream", "--seed", "42", "-n", "500",
        "--format", "published", "-o", path,
    )  # fmt: skip
    assert done.returncode == 0
    assert hashlib.sha256(path.read_bytes()).hexdigest() == PUBLISHED_SHA256[2, True]


def test_repeats_are_counted_and_kept(run_treecut: RunTreecut, tmp_path: Path) -> None:
    theme = tmp_path / "tiny.yaml"
    theme.write_text(TINY_THEME, encoding="utf-8")
    done = run_treecut("generate", "--theme", theme, *TINY_OPTIONS, "-n", "40")
    assert done.returncode == 0
    texts = [record["problem"] for record in parsed(done.stdout)]
    repeats = len(texts) - len(set(texts))
    assert len(texts) == 40
    assert repeats > 0
    assert done.stderr == (
        f"Wrote 40 problems to standard output; {repeats} repeat an earlier one.\n"
    )


BAD_INPUT = {
    "--ans-depth 1": "ans_depth is 1: it must be 2 or more",
    "--answerable --cut-depth 2": "cut_depth is 2 for an answerable problem, which has no cut",
    "--theme foods": "Unknown theme 'foods': use food or outfit",
    "--theme none.yaml": "theme file 'none.yaml' cannot be read",
    "--format csv": "format is 'csv': it must be jsonl, parquet or published",
    "-n 0": "number of problems is 0: it must be a whole number of 1 or more",
    "--seed -1": "seed is -1: it must be a whole number of 0 or more",
    "--pairs half": "pairs is 'half': it must be none, full or matched",
}


@pytest.mark.parametrize(("options", "message"), BAD_INPUT.items(), ids=list(BAD_INPUT))
def test_bad_input_is_refused_in_one_line(
    run_treecut: RunTreecut, tmp_path: Path, options: str, message: str
) -> None:
    done = run_treecut("generate", *options.split(), "-o", "out.jsonl", cwd=tmp_path)
    assert_refused(done, message)
    assert listing(tmp_path) == []


# --- Output: a file appears whole or not at all. ---


def test_file_is_replaced_and_keeps_its_permissions(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    assert run_treecut("generate", "-n", "2", "-o", link).returncode == 0
    assert link.is_symlink()
    assert len(parsed(path.read_text("utf-8"))) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert listing(tmp_path) == ["link.jsonl", "out.jsonl"]


@posix
def test_new_file_has_ordinary_permissions_and_lines(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    assert run_treecut("generate", "-n", "2", "-o", tmp_path / "out.jsonl").returncode == 0
    content = (tmp_path / "out.jsonl").read_bytes()
    # Lines end alike everywhere.
    assert content.isascii()
    assert b"\r" not in content
    assert content.endswith(b"}\n")
    (tmp_path / "ordinary").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_existing_file_survives_a_failure(run_treecut: RunTreecut, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")
    # The negative seed is noticed when the first problem is drawn, with the file open already.
    for options in (["--seed", "-1"], ["-n", "0"], ["--order", "sideways"]):
        assert run_treecut("generate", *options, "-o", path).returncode == 2
    assert path.read_text(encoding="utf-8") == "old"
    assert listing(tmp_path) == ["out.jsonl"]


needs_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="/dev/full is not there"
)


@needs_full_device
def test_full_disk_is_told(run_treecut: RunTreecut) -> None:
    done = run_treecut("generate", "-n", "500", "-o", "/dev/full")
    assert_refused(done, "'/dev/full' cannot be written (No space left on device)")


@needs_full_device
@pytest.mark.parametrize("arguments", [["generate"], ["--help"]])
def test_standard_output_that_cannot_be_written_is_told(
    treecut_environment: dict[str, str], arguments: list[str]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = start(arguments, treecut_environment, stdout=full)
        _, errors = done.communicate(timeout=600)
    assert done.returncode == 2
    assert errors == "Error: Standard output cannot be written (No space left on device).\n"


def start(
    arguments: list[str], environment: dict[str, str], **options: Any
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "treecut_tasks", *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        preexec_fn=heed_signals,
        **options,
    )


@posix
def test_reader_of_a_pipe_may_leave(treecut_environment: dict[str, str]) -> None:
    process = start(["generate", "-n", "100000"], treecut_environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    first = json.loads(process.stdout.readline())
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=600) == 1
    assert first["problem"] == problem_at(ProblemConfig(), 42, 0).text


@contextmanager
def long_run(
    folder: Path, environment: dict[str, str], *options: str
) -> Iterator[subprocess.Popen[str]]:
    """A run that would take minutes, handed over when it is writing."""
    before = set(listing(folder))
    process = start(
        ["generate", "-n", "100000000", *options], environment, cwd=folder, stdout=subprocess.PIPE
    )
    try:
        wait_for(lambda: process.poll() is not None or set(listing(folder)) > before)
        assert process.poll() is None, "it must still be running"
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end, "nothing happened for ten minutes"
        time.sleep(0.01)


@posix
@pytest.mark.parametrize("number", SIGNALS)
def test_stopped_run_leaves_everything_as_it_was(
    tmp_path: Path, treecut_environment: dict[str, str], number: int
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")
    with long_run(tmp_path, treecut_environment, "-o", "out.jsonl") as process:
        process.send_signal(number)
        _, errors = process.communicate(timeout=600)
    assert process.returncode not in (0, -signal.SIGKILL)
    assert "Traceback" not in errors
    assert listing(tmp_path) == ["out.jsonl"]
    assert path.read_text(encoding="utf-8") == "old"


@posix
def test_stopped_run_of_pairs_leaves_nothing(
    tmp_path: Path, treecut_environment: dict[str, str]
) -> None:
    with long_run(tmp_path, treecut_environment, "--pairs", "full", "-o", ".") as process:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
    assert listing(tmp_path) == []


# --- Progress. ---


@posix
def test_progress_is_shown_on_a_terminal_only(
    run_treecut: RunTreecut, tmp_path: Path, treecut_environment: dict[str, str]
) -> None:
    import fcntl
    import pty
    import termios

    work = ["generate", "-o", "out.jsonl", "-n", "20000"]

    def on_terminal(arguments: list[str]) -> str:
        ours, theirs = pty.openpty()
        # As wide as terminals are; without a width there is no room for a bar.
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-m", "treecut_tasks", *arguments],
            cwd=tmp_path,
            env={**treecut_environment, "TERM": "xterm"},
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # how Linux says that the other side is closed
            pass
        finally:
            os.close(ours)
        assert process.wait(timeout=600) == 0
        return shown.decode()

    shown = on_terminal(work)
    assert "Generating" in shown
    assert "/20.0k" in shown
    *bars, blank, said = shown.split("\r", shown.count("\r") - 1)
    assert "Generating" in bars[-1]
    assert (blank.strip(), said) == ("", "Wrote 20000 problems to out.jsonl.\r\n")
    done = run_treecut(*work, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "Wrote 20000 problems to out.jsonl.\n")


# --- The other commands. ---


def test_published_data(run_treecut: RunTreecut, tmp_path: Path, shared_dir: Path) -> None:
    folder = tmp_path / "made" / "here"
    done = run_treecut("published-data", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(folder / name) for name in names_of_published_files()]
    for name, digest in zip(names_of_published_files(), PUBLISHED_SHA256.values(), strict=True):
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert len(listing(folder)) == 8
    originals = list((shared_dir / "reference" / "published").glob("*.jsonl"))
    assert len(originals) == 4
    for original in originals:
        assert (folder / original.name).read_bytes() == original.read_bytes()


def names_of_published_files() -> list[str]:
    head = "qa_theme-food_compositeName_True"
    return [
        f"{head}_numVars-{d + 2}_ansDepth-{d}_order-random_hallu-{kind}_REP-500.jsonl"
        for d in (2, 4, 6, 8)
        for kind in (f"True_cutDepth-{d // 2}", "False")
    ]


def test_published_data_needs_a_folder(run_treecut: RunTreecut, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    assert_refused(
        run_treecut("published-data", tmp_path / "file"), "cannot be written (File exists)"
    )
    assert_refused(run_treecut("published-data", tmp_path / "file" / "x"), "cannot be written (")


def test_lm_eval_path_is_the_folder_of_the_task_files(run_treecut: RunTreecut) -> None:
    done = run_treecut("lm-eval-path")
    assert (done.returncode, done.stderr) == (0, "")
    folder = Path(done.stdout.rstrip("\n"))
    assert folder.is_absolute()
    assert (folder / "treecut_depth8.yaml").is_file()


def test_run_config_lists_and_finds_the_papers_settings(run_treecut: RunTreecut) -> None:
    listed = run_treecut("run-config").stdout.split()
    assert listed
    for name in listed:
        path = Path(run_treecut("run-config", name).stdout.rstrip("\n"))
        assert path.is_file()
        assert path.stem == name
    done = run_treecut("run-config", "no-such-table")
    assert_refused(done, "Unknown run config 'no-such-table': use ")


def test_commands_do_not_depend_on_the_folder_or_the_language(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    options = ["generate", "-n", "3"]
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "3"}
    assert run_treecut(*options, cwd=tmp_path, env=plain).stdout == run_treecut(*options).stdout
