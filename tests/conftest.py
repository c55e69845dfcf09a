"""What all tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# How long an example takes depends on the machine and says nothing about the code.
settings.register_profile("treecut", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("treecut")


class RunTreecut(Protocol):
    """Runs `treecut` with these arguments in a process of its own and returns how it ended."""

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
        return subprocess.run(
            [sys.executable, "-m", "treecut_tasks", *map(str, args)],
            input=input,
            cwd=cwd,
            env={**treecut_environment, **(env or {})},
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    return run
