"""`treecut generate --ray`: a cluster of two nodes on this machine writes the files of one machine."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests.conftest import REPOSITORY, RunTreecut

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="needs pip install 'treecut-tasks[ray]'"
)
WORK = ["generate", "--ans-depth", "4", "-n", "4000", "--pairs", "full", "--shards", "5"]
MIXTURE = """\
parts: [{ans_depth: 2, weight: 2, answerable_share: 0.5}, {ans_depth: 4, pairs: full}]
splits: {train: 0.8, test: 0.2}
"""
# How long anything may take, in seconds: machines can be busy.
PATIENCE = 600


def run(environment: dict[str, str], *arguments: object) -> tuple[int, str]:
    """How a command ended, and all that it said."""
    done = subprocess.run(
        [sys.executable, "-m", "treecut_tasks", *map(str, arguments)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def cluster(treecut_environment: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Address of two nodes with one processor each, and the environment that knows their token."""
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
        # Empty only if the cluster could not be started.
        address = process.stdout.readline().strip()
        assert address, "no cluster"
        yield address, environment
    finally:
        nodes = psutil.Process(process.pid).children(recursive=True)
        process.stdin.close()
        process.wait(PATIENCE)
        for node in psutil.wait_procs(nodes, timeout=5)[1]:
            node.kill()


@needs_ray
def test_a_cluster_writes_the_bytes_of_one_machine_and_goes_on(
    cluster: tuple[str, dict[str, str]], run_treecut: RunTreecut, tmp_path: Path
) -> None:
    address, environment = cluster
    mixture = tmp_path / "mixture.yaml"
    mixture.write_text(MIXTURE, encoding="utf-8")
    for name, work in (
        ("config", WORK),
        (
            "mixture",
            ["generate", "--mixture", mixture, "-n", 4000, "--shards", 5, "--format", "parquet"],
        ),
    ):
        here, there = tmp_path / f"{name} here", tmp_path / f"{name} there"
        assert run_treecut(*map(str, work), "-o", here).returncode == 0
        for said in ("Wrote 5 of 5 files", "Wrote 1 of 5 files (4 were there already)"):
            ended = run(environment, *work, "-o", there, "--ray", address)
            assert ended == (0, f"{said} to {there}.\n")
            assert contents(there) == contents(here)
            next(path for path in there.iterdir() if "-00000-" in path.name).unlink()


@needs_ray
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, as Linux has it")
def test_a_file_that_keeps_failing_is_one_sentence_and_the_others_are_kept(
    cluster: tuple[str, dict[str, str]], run_treecut: RunTreecut, tmp_path: Path
) -> None:
    address, environment = cluster
    assert run_treecut(*WORK, "-o", tmp_path).returncode == 0
    damaged = tmp_path / "data-00001-of-00005.jsonl"
    damaged.unlink()
    damaged.symlink_to("/dev/full")
    status, said = run(environment, *WORK, "-o", tmp_path, "--ray", address)
    assert status == 2
    assert said.startswith("Error: The Ray cluster could not write all files (")
    assert "No space left on device" in said
    assert said.count("\n") == 1
    damaged.unlink()
    ended = run(environment, *WORK, "-o", tmp_path, "--ray", address)
    assert ended == (0, f"Wrote 1 of 5 files (4 were there already) to {tmp_path}.\n")


@needs_ray
def test_machines_with_other_versions_are_refused(
    cluster: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    # The first machine believes that it has another version of what writes Parquet.
    address, environment = cluster
    (tmp_path / "pyarrow-0.9.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: pyarrow\nVersion: 0.9\n"
    (tmp_path / "pyarrow-0.9.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    other = environment | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    }
    status, said = run(other, *WORK, "-o", tmp_path / "there", "--ray", address)
    assert status == 2
    assert "install the same on all machines" in said
    assert said.count("\n") == 1


@needs_ray
def test_a_cluster_of_its_own_leaves_nothing_behind_in_the_home_directory(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {name: value for name, value in os.environ.items() if "RAY_AUTH" not in name}
    environment |= {"PYTHONPATH": str(REPOSITORY), "HOME": str(home)}
    ended = run(environment, *WORK, "-o", tmp_path / "there", "--ray", "local")
    if "timed out during startup" in ended[1]:
        assert ended[1].startswith("Error: No Ray cluster answers at 'local'")
        pytest.skip("this machine is too busy to start Ray in half a minute")
    assert ended == (0, f"Wrote 5 of 5 files to {tmp_path / 'there'}.\n")
    assert not list(home.iterdir())


@needs_ray
def test_an_address_without_a_cluster_is_one_sentence(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        result = run_treecut(*WORK, "-o", tmp_path, "--ray", address)
    assert result.returncode == 2
    assert result.stderr.startswith(f"Error: No Ray cluster answers at {address!r} (")
    assert result.stderr.count("\n") == 1


def test_ray_is_asked_for_by_name_where_it_is_missing(
    treecut_environment: dict[str, str], tmp_path: Path
) -> None:
    program = "import sys; sys.modules['ray'] = None; from treecut_tasks.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, *WORK, "--ray", "local", "-o", tmp_path],
        env=treecut_environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: --ray needs ray: pip install 'treecut-tasks[ray]'")
    assert result.stderr.count("\n") == 1
    assert not any(tmp_path.iterdir())
