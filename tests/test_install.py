"""What users install works from an empty folder, in three environments made for it.

`wheel`: the built wheel, everything else from the index. `editable`: a checkout of ours, editable.
`beside_editable_lm_eval`: the wheel beside a checkout of lm-eval, editable, which is where files
put into lm-eval's folder by another wheel would break it.

Everything is made from a copy of the checkout, and with uv, which links packages from its cache.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
import uv

from tests.conftest import REPOSITORY
from tests.framework_runs import OFFLINE

pytestmark = pytest.mark.install

NEEDS_INDEX = (
    "This test installs packages from a package index. Where there is none, leave it out with "
    "-m 'not install'; another index than PyPI is named to uv with UV_DEFAULT_INDEX or to pip with "
    "its index-url."
)

# Settings of the person who runs the tests must not decide what a fresh environment does.
_PERSONAL = ("COVERAGE", "HF_", "INSPECT_", "LMEVAL_", "PYTEST", "PYTHON", "TREECUT", "VIRTUAL_ENV")


def run(*command: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """What a command prints; it must succeed."""
    ended = subprocess.run(
        [*map(str, command)],
        env={**os.environ, **(env or {})} if cwd is None else env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, f"{' '.join(map(str, command))}\n{ended.stdout}\n{NEEDS_INDEX}"
    return ended.stdout


@dataclass(frozen=True)
class Environment:
    """A virtual environment, beside an empty folder to work in and an empty home."""

    folder: Path

    def uv(self, *arguments: str | Path) -> str:
        target = [self.folder / "venv"] if arguments[0] == "venv" else []
        python = sys.executable if target else self.folder / "venv"
        return run(uv.find_uv_bin(), *arguments, "--python", python, *target, env=_pip_index())

    def run(self, command: str, *arguments: str | Path) -> str:
        """What one of the environment's commands prints, run in the empty folder."""
        scripts = self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(_PERSONAL)}
        path = os.pathsep.join([str(scripts), clean.get("PATH", "")])
        home = {"HOME": str(self.folder / "home"), "PATH": path}
        env = {**clean, **OFFLINE, **home}
        return run(scripts / command, *arguments, env=env, cwd=self.folder / "empty")

    def inspect_says_unknown(self) -> bool:
        self.run(
            *("inspect", "eval", "treecut_tasks/unanswerable", "--model", "treecut/solver"),
            *("--limit", "2", "--display", "plain", "--log-format", "json"),
            *("--log-dir", self.folder / "logs"),
        )
        (file,) = (self.folder / "logs").glob("*.json")
        log = json.loads(file.read_text(encoding="utf-8"))
        (score,) = log["results"]["scores"]
        return bool(score["metrics"]["unknown_rate"]["value"] == 1)

    def lm_eval_says_unknown(self) -> bool:
        output = self.folder / "results"
        self.run(
            *("lm_eval", "--tasks", "treecut_depth8", "--limit", "2", "--output_path", output),
            *("--model", "treecut", "--model_args", "policy=solver"),
        )
        (file,) = output.rglob("results_*.json")
        results = json.loads(file.read_text(encoding="utf-8"))["results"]["treecut_depth8"]
        return bool(results["unknown_rate,none"] == 1)

    def origin(self, package: str) -> Path:
        return Path(self.run("python", "-c", f"import {package}; print({package}.__file__)"))

    def check_nothing_was_left(self) -> None:
        assert [*(self.folder / "empty").iterdir()] == []


def _pip_index() -> dict[str, str]:
    """The index that pip's settings name, as uv's setting; uv does not read pip's."""
    listed = run(sys.executable, "-m", "pip", "config", "list")
    settings = dict(line.split("=", 1) for line in listed.splitlines() if "=" in line)
    named = (settings.get(f"{scope}.index-url") for scope in (":env:", "install", "global"))
    index = os.environ.get("UV_DEFAULT_INDEX") or next(filter(None, named), None)
    return {} if index is None else {"UV_DEFAULT_INDEX": index.strip("'\"")}


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    for name in ("empty", "home"):
        (tmp_path / name).mkdir()
    environment = Environment(tmp_path)
    environment.uv("venv")
    return environment


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's files, without what is not the project's."""
    copy = tmp_path_factory.mktemp("checkout") / "treecut-tasks"
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", ".*cache", ".hypothesis", "logs", "dist"
    )
    shutil.copytree(REPOSITORY, copy, ignore=ignored)
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, checkout)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_wheel(environment: Environment, wheel: Path) -> None:
    environment.uv("pip", "install", wheel)
    assert environment.origin("treecut_tasks").is_relative_to(environment.folder / "venv")
    packages = environment.uv("pip", "list")
    assert "inspect-ai" in packages
    assert "torch" not in packages
    assert "generate" in environment.run("treecut", "--help")
    assert environment.inspect_says_unknown()
    assert environment.lm_eval_says_unknown()
    environment.check_nothing_was_left()


def test_editable_and_inspect_alone(environment: Environment, checkout: Path) -> None:
    environment.uv("pip", "install", "--editable", checkout)
    assert environment.origin("treecut_tasks").is_relative_to(checkout)
    assert environment.lm_eval_says_unknown()
    environment.uv("pip", "uninstall", "lm-eval")
    assert environment.inspect_says_unknown()
    environment.check_nothing_was_left()


def test_beside_editable_lm_eval_and_without_inspect(environment: Environment, wheel: Path) -> None:
    sources = environment.folder / "sources"
    requirement = f"lm-eval=={version('lm-eval')}"
    download = ("pip", "download", "--no-deps", "--no-binary", "lm-eval", "--dest", sources)
    run(sys.executable, "-m", *download, requirement)
    (archive,) = sources.iterdir()
    with tarfile.open(archive) as source:
        source.extractall(sources, filter="data")
    lm_eval = archive.with_name(archive.name.removesuffix(".tar.gz"))
    environment.uv("pip", "install", wheel, "--editable", lm_eval)
    environment.uv("pip", "uninstall", "inspect-ai")
    assert environment.origin("lm_eval").is_relative_to(lm_eval)
    assert environment.lm_eval_says_unknown()
    environment.check_nothing_was_left()


def test_uninstalling_leaves_nothing(environment: Environment, wheel: Path) -> None:
    environment.uv("pip", "install", "--no-deps", wheel)
    environment.run("python", "-c", "import treecut_tasks.errors")  # leaves bytecode
    environment.uv("pip", "uninstall", "treecut-tasks")
    left = (environment.folder / "venv").rglob("*treecut*")
    # Bytecode of a module that lies directly in site-packages stays, and is nothing without it.
    assert [path for path in left if path.suffix != ".pyc"] == []
