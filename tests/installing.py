"""Builds the package and makes fresh environments with it, for tests of what users install.

Everything is made from a copy, so that the checkout stays as it was. Environments are made with uv,
which links packages from its cache: after the first one they take a second each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import uv

ROOT = Path(__file__).resolve().parents[1]

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
"""Installed packages are on their own: whatever would ask a hub fails at once."""

NEEDS_INDEX = (
    "This test installs packages from a package index. Where there is none, leave it out with "
    "-m 'not install'; another index than PyPI is named to uv with UV_DEFAULT_INDEX or to pip with "
    "its index-url."
)

# Settings of the person who runs the tests must not decide what a fresh environment does.
_PERSONAL = ("COVERAGE", "HF_", "INSPECT_", "LMEVAL_", "PYTEST", "PYTHON", "TREECUT", "VIRTUAL_ENV")


def copy_checkout(folder: Path) -> Path:
    """Copy the project's files, without version control, caches and environments."""
    ignored = shutil.ignore_patterns(
        ".git", "__pycache__", ".*cache", ".hypothesis", "logs", "dist"
    )

    def ignore(parent: str, names: list[str]) -> set[str]:
        environments = {name for name in names if Path(parent, name, "pyvenv.cfg").exists()}
        return ignored(parent, names) | environments

    shutil.copytree(ROOT, folder, ignore=ignore)
    return folder


def build_wheel(checkout: Path, folder: Path) -> Path:
    """Build the source distribution, and the wheel from that; return the wheel."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    _run([*build, str(checkout)], "The package cannot be built.")
    (wheel,) = folder.glob("*.whl")
    return wheel


def download_source(requirement: str, folder: Path) -> Path:
    """Download the source distribution of `name==version` and return its unpacked folder."""
    name = requirement.partition("==")[0]
    downloads = folder / "downloads"
    _run(
        [
            *(sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", name),
            *("--dest", str(downloads), requirement),
        ],
        NEEDS_INDEX,
    )
    (archive,) = downloads.iterdir()
    with tarfile.open(archive) as source:
        source.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path != downloads)
    return unpacked


@dataclass(frozen=True)
class FreshEnvironment:
    """A virtual environment of its own, with an empty folder to work in and an empty home."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> FreshEnvironment:
        """Make it with the Python that runs the tests."""
        environment = cls(folder)
        for path in (environment.work, environment.home):
            path.mkdir(parents=True)
        _uv("venv", "--python", sys.executable, str(environment.prefix))
        return environment

    @property
    def prefix(self) -> Path:
        return self.folder / "venv"

    @property
    def work(self) -> Path:
        return self.folder / "empty"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def scripts(self) -> Path:
        return self.prefix / ("Scripts" if os.name == "nt" else "bin")

    def install(self, *arguments: str) -> None:
        _uv("pip", "install", "--python", str(self.prefix), *arguments)

    def uninstall(self, name: str) -> None:
        _uv("pip", "uninstall", "--python", str(self.prefix), name)

    def packages(self) -> set[str]:
        """Return the names of the installed distributions."""
        return {line.partition("==")[0] for line in self._freeze().splitlines()}

    def _freeze(self) -> str:
        listed = _uv("pip", "list", "--python", str(self.prefix), "--format", "freeze")
        return listed.stdout

    def run(
        self, command: str, *arguments: str, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run one of the environment's commands in the empty folder."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(_PERSONAL)}
        return subprocess.run(
            [str(self.scripts / command), *arguments],
            cwd=self.work,
            env={
                **clean,
                **OFFLINE,
                "HOME": str(self.home),
                "PATH": os.pathsep.join([str(self.scripts), clean.get("PATH", "")]),
                **environ,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    def output(self, command: str, *arguments: str, **environ: str) -> str:
        """Return what a command prints; it must succeed."""
        result = self.run(command, *arguments, **environ)
        if result.returncode != 0:
            raise AssertionError(_failure([command, *arguments], result))
        return result.stdout


def _uv(*arguments: str) -> subprocess.CompletedProcess[str]:
    return _run([uv.find_uv_bin(), *arguments], NEEDS_INDEX, **_pip_index())


def _pip_index() -> dict[str, str]:
    """Return the index that pip's settings name, as uv's setting; uv does not read pip's."""
    if any(name in os.environ for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL")):
        return {}
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    )
    settings = dict(line.split("=", 1) for line in listed.stdout.splitlines() if "=" in line)
    for scope in (":env:", "install", "global"):
        if f"{scope}.index-url" in settings:
            return {"UV_DEFAULT_INDEX": settings[f"{scope}.index-url"].strip("'\"")}
    return {}


def _run(command: Sequence[str], hint: str, **environ: str) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        command,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"{_failure(command, result)}\n{hint}")
    return result


def _failure(command: Sequence[str], result: subprocess.CompletedProcess[str]) -> str:
    return f"{' '.join(command)} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
