"""`treecut generate --ray`: a cluster of two nodes on this machine writes the files of one machine."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests.conftest import REPOSITORY, RunTreecut

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="needs pip install 'treecut-tasks[ray]'"
)

SHARDS = 5
PROBLEMS = ("generate", "--ans-depth", "4", "-n", "4000", "--shards", SHARDS, "--format")
LARGE = ("generate", "--ans-depth", "4", "-n", "60000", "--shards", SHARDS, "--format", "jsonl")
"""So much that files are still being written when others are looked at."""

MIXTURE = """\
parts:
  - {ans_depth: 2, weight: 2, answerable_share: 0.5}
  - {ans_depth: 4, pairs: full}
splits: {train: 0.8, test: 0.2}
"""

_LOCAL = ("--ray", "local", "-o")

# To wait for anything, in seconds.
PATIENCE = 60


@dataclass(frozen=True)
class RayCluster:
    """A running cluster."""

    process: subprocess.Popen[str]
    address: str
    environment: dict[str, str]

    def writers(self, folder: Path) -> list[psutil.Process]:
        """The processes of the cluster that are writing a file of a folder now."""
        return [
            process
            for process in psutil.Process(self.process.pid).children(recursive=True)
            if any(Path(path).parent == folder for path in _open_files(process))
        ]


def _open_files(process: psutil.Process) -> list[str]:
    try:
        return [file.path for file in process.open_files()]
    except psutil.Error:  # it has ended
        return []


@pytest.fixture(scope="module")
def cluster(treecut_environment: dict[str, str]) -> Iterator[RayCluster]:
    """Two nodes with one processor each."""
    # All processes must say the same of tokens; one in the environment leaves no file behind.
    environment = {
        **treecut_environment,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ray_nodes"],
        cwd=REPOSITORY,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield RayCluster(process, process.stdout.readline().strip(), environment)
    finally:
        nodes = psutil.Process(process.pid).children(recursive=True)
        process.stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
        for node in psutil.wait_procs(nodes, timeout=5)[1]:
            node.kill()


def _start(cluster: RayCluster, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "treecut_tasks", *map(str, arguments), "--ray", cluster.address],
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How a command ended, and all that it said."""
    try:
        outputs = process.communicate(timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, "".join(outputs)


def _wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "this did not come about in time"
        time.sleep(0.02)


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _written_here(run_treecut: RunTreecut, folder: Path, *arguments: object) -> dict[str, bytes]:
    result = run_treecut(*map(str, arguments), "-o", folder)
    assert result.returncode == 0, result.stderr
    return _contents(folder)


@pytest.fixture(scope="module")
def large(run_treecut: RunTreecut, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the large data set as one machine writes them."""
    return _written_here(run_treecut, tmp_path_factory.mktemp("large"), *LARGE)


@needs_ray
@pytest.mark.parametrize("kind", ["jsonl", "mixture"])
def test_a_cluster_writes_the_bytes_of_one_machine(
    kind: str, cluster: RayCluster, run_treecut: RunTreecut, tmp_path: Path
) -> None:
    arguments: list[object] = [*PROBLEMS, kind, "--pairs", "full"]
    if kind == "mixture":
        mixture = tmp_path / "mixture.yaml"
        mixture.write_text(MIXTURE, encoding="utf-8")
        arguments = ["generate", "--mixture", mixture, "-n", 4000, "--shards", SHARDS]
        arguments += ["--format", "parquet", "--columns", "text"]
    expected = _written_here(run_treecut, tmp_path / "here", *arguments)
    assert _end(_start(cluster, *arguments, "-o", tmp_path / "there")) == (0, "")
    found = _contents(tmp_path / "there")
    assert found == expected
    assert len(found) == SHARDS + 2


@needs_ray
def test_a_killed_worker_is_replaced(
    cluster: RayCluster, large: dict[str, bytes], tmp_path: Path
) -> None:
    process = _start(cluster, *LARGE, "-o", tmp_path)
    killed = set()
    for _ in range(2):
        _wait_until(lambda: cluster.writers(tmp_path))
        writer = cluster.writers(tmp_path)[0]
        killed.add(writer.pid)
        writer.kill()
        writer.wait(PATIENCE)
    status, said = _end(process)
    assert status == 0, said
    assert len(killed) == 2
    # The temporary files of the killed are gone, too.
    assert _contents(tmp_path) == large


@pytest.fixture
def folder_with_full_disk(run_treecut: RunTreecut, tmp_path: Path) -> tuple[Path, Path]:
    """The folder of the large data set, one file of it, and another that leads to a full disk."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full, as Linux has it")
    _written_here(run_treecut, tmp_path, *LARGE, "--shard", 0)
    (link := tmp_path / f"data-00001-of-{SHARDS:05d}.jsonl").symlink_to(full)
    return tmp_path, link


@needs_ray
def test_a_file_that_fails_is_written_again(
    cluster: RayCluster, large: dict[str, bytes], folder_with_full_disk: tuple[Path, Path]
) -> None:
    folder, link = folder_with_full_disk
    first = folder / f"data-00000-of-{SHARDS:05d}.jsonl"
    time_written = first.stat().st_mtime_ns
    process = _start(cluster, *LARGE, "-o", folder)
    # It is the first that is tried, on a cluster of two processors.
    _wait_until(lambda: len(list(folder.glob("data-*.jsonl"))) > 3)
    link.unlink()
    assert _end(process) == (0, f"1 of {SHARDS} files are there already.\n")
    assert _contents(folder) == large
    assert first.stat().st_mtime_ns == time_written


@needs_ray
def test_a_file_that_keeps_failing_is_one_sentence_and_the_others_are_kept(
    cluster: RayCluster, folder_with_full_disk: tuple[Path, Path]
) -> None:
    folder, link = folder_with_full_disk
    status, said = _end(_start(cluster, *LARGE, "-o", folder))
    assert status == 2
    assert said == (
        f"1 of {SHARDS} files are there already.\n"
        "Error: The Ray cluster could not write 1 of 4 files in 3 attempts; finished files are kept. "
        f"On the machine {socket.gethostname()!r}: {str(link)!r} cannot be written "
        "(No space left on device): make room, or give a path on another disk.\n"
    )
    files = [path.name for path in folder.iterdir() if path.is_file()]
    assert len(files) == SHARDS
    assert "manifest.json" not in files


@needs_ray
def test_machines_with_other_versions_are_refused(cluster: RayCluster, tmp_path: Path) -> None:
    # The first machine believes that it has another version of what writes Parquet.
    (tmp_path / "pyarrow-0.9.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: pyarrow\nVersion: 0.9\n"
    (tmp_path / "pyarrow-0.9.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), cluster.environment["PYTHONPATH"]])
    other = replace(cluster, environment={**cluster.environment, "PYTHONPATH": path})
    status, said = _end(_start(other, *PROBLEMS, "parquet", "-o", tmp_path / "there"))
    assert status == 2
    assert re.fullmatch(
        r"Error: .* pyarrow has the version [\d.]+, not 0\.9: install the same on all machines\.\n",
        said,
    )


@needs_ray
def test_a_cluster_of_its_own_leaves_nothing_behind_in_the_home_directory(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    arguments = [*PROBLEMS, "jsonl"]
    expected = _written_here(run_treecut, tmp_path / "here", *arguments)
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if "RAY_AUTH" not in name}
    result = subprocess.run(
        [sys.executable, "-m", "treecut_tasks", *map(str, arguments), *_LOCAL, tmp_path / "there"],
        env={**environment, "PYTHONPATH": str(REPOSITORY), "HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        timeout=2 * PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert _contents(tmp_path / "there") == expected
    assert not list(home.iterdir())


@needs_ray
def test_an_address_without_a_cluster_is_one_sentence(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        result = run_treecut(*map(str, PROBLEMS), "jsonl", "-o", tmp_path, "--ray", address)
    assert result.returncode == 2
    assert result.stdout == ""
    reason = f"[Errno {errno.ECONNREFUSED}] {os.strerror(errno.ECONNREFUSED)}"
    assert result.stderr == (
        f"Error: No Ray cluster answers at {address!r} ({reason}): give the "
        "address that `ray start --head` printed, auto, or local.\n"
    )


def test_ray_is_asked_for_by_name_where_it_is_missing(
    treecut_environment: dict[str, str], tmp_path: Path
) -> None:
    program = "import sys; sys.modules['ray'] = None; from treecut_tasks.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, *map(str, PROBLEMS), "jsonl", *_LOCAL, tmp_path],
        env=treecut_environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == ("Error: --ray needs Ray Data: pip install 'treecut-tasks[ray]'.\n")
    assert not any(tmp_path.iterdir())
