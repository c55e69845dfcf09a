"""What all tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

from treecut_tasks.cli import main

REPOSITORY = Path(__file__).resolve().parents[1]

# How long an example takes depends on the machine and says nothing about the code.
settings.register_profile("treecut", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("treecut")


class RunTreecut(Protocol):
    """Runs `treecut` with these arguments and returns how it ended.

    With variables of the environment it is a process of its own; otherwise it runs in this one, where
    everything is imported already.
    """

    def __call__(
        self,
        *args: str | Path,
        input: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder `shared` beside the repository: the paper, the published data, labelled responses."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"the folder {folder} is not there")
    return folder


@pytest.fixture(scope="session")
def treecut_environment() -> dict[str, str]:
    """Environment variables with which a Python process finds this checkout from any folder."""
    paths = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


@pytest.fixture(scope="session")
def run_treecut(treecut_environment: dict[str, str]) -> RunTreecut:
    def run(
        *args: str | Path,
        input: str | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        if env is None:
            return run_here([*map(str, args)], input or "", cwd or Path.cwd())
        return subprocess.run(
            [sys.executable, "-m", "treecut_tasks", *map(str, args)],
            input=input,
            cwd=cwd,
            env={**treecut_environment, **env},
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    return run


def run_here(arguments: list[str], stdin: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command's `main` with files for its standard streams."""
    with ExitStack() as stack:
        streams = [stack.enter_context(TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["treecut", *arguments])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        status = 0
        try:
            main()
        except SystemExit as ended:
            status = int(ended.code or 0)
        written = []
        for stream in streams[1:]:
            stream.seek(0)
            written.append(stream.read())
    return subprocess.CompletedProcess(arguments, status, *written)
