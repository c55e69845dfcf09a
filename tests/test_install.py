"""What users install works from an empty folder, in three environments made for it.

`wheel`: the built wheel, everything else from the index. `editable`: a checkout of ours, editable.
`beside_editable_lm_eval`: the wheel beside a checkout of lm-eval, editable, which is where files
put into lm-eval's folder by another wheel would break it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from .installing import FreshEnvironment, build_wheel, copy_checkout, download_source

pytestmark = pytest.mark.install

KINDS = ("wheel", "editable", "beside_editable_lm_eval")


@dataclass(frozen=True)
class Installed:
    """A fresh environment with our package, and where its two packages should come from."""

    environment: FreshEnvironment
    treecut: Path
    lm_eval: Path


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_checkout(tmp_path_factory.mktemp("checkout") / "treecut-tasks")


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(checkout, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module", params=KINDS)
def installed(
    request: pytest.FixtureRequest,
    checkout: Path,
    wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp(request.param)
    environment = FreshEnvironment.create(folder / "environment")
    treecut = lm_eval = environment.prefix
    match request.param:
        case "wheel":
            environment.install(str(wheel))
        case "editable":
            environment.install("--editable", str(checkout))
            treecut = checkout
        case _:
            lm_eval = download_source(f"lm-eval=={version('lm-eval')}", folder / "source")
            environment.install(str(wheel), "--editable", str(lm_eval))
    yield Installed(environment, treecut, lm_eval)
    left = sorted(path.name for path in environment.work.iterdir())
    assert left == [], "the commands left files in the folder in which they were run"


def test_both_packages_come_from_where_they_were_installed(installed: Installed) -> None:
    code = (
        "import lm_eval, treecut_tasks; print(lm_eval.__file__, treecut_tasks.__file__, sep='\\n')"
    )
    lm_eval, treecut = map(Path, installed.environment.output("python", "-c", code).splitlines())
    assert lm_eval.is_relative_to(installed.lm_eval)
    assert treecut.is_relative_to(installed.treecut)


def test_nothing_needs_torch(installed: Installed) -> None:
    packages = installed.environment.packages()
    assert {"treecut-tasks", "lm-eval", "inspect-ai"} <= packages
    assert [name for name in packages if name.startswith(("torch", "nvidia", "triton"))] == []


def test_help(installed: Installed) -> None:
    assert "generate" in installed.environment.output("treecut", "--help")


def test_inspect(installed: Installed, tmp_path: Path) -> None:
    installed.environment.output(
        *("inspect", "eval", "treecut_tasks/unanswerable", "--model", "treecut/solver"),
        *("--limit", "8", "--display", "plain"),
        *("--log-dir", str(tmp_path), "--log-format", "json"),
    )
    (log_file,) = tmp_path.glob("*.json")
    log: dict[str, Any] = json.loads(log_file.read_text(encoding="utf-8"))
    assert log["status"] == "success"
    assert len(log["samples"]) == 8
    (score,) = log["results"]["scores"]
    assert score["metrics"]["hallucination_rate"]["value"] == 0


def hallucination_rate(
    installed: Installed, output: Path, *arguments: str, **environ: str
) -> float:
    """Run four problems of depth 8 with lm-eval and read the rate that it wrote."""
    installed.environment.output(
        *("lm_eval", "--tasks", "treecut_depth8", "--limit", "4", "--output_path", str(output)),
        *arguments,
        **environ,
    )
    (results_file,) = output.rglob("results_*.json")
    results = json.loads(results_file.read_text(encoding="utf-8"))
    assert results["n-samples"]["treecut_depth8"]["effective"] == 4
    rate: float = results["results"]["treecut_depth8"]["hallucination_rate,none"]
    return rate


def test_lm_eval_finds_tasks_and_model(installed: Installed, tmp_path: Path) -> None:
    model = ("--model", "treecut", "--model_args", "policy=solver", "--apply_chat_template")
    assert hallucination_rate(installed, tmp_path, *model) == 0


def test_lm_eval_with_include_path_alone(installed: Installed, tmp_path: Path) -> None:
    folder = installed.environment.output("treecut", "lm-eval-path").rstrip("\n")
    assert Path(folder).is_relative_to(installed.treecut)
    # Without the discovery there is no `treecut` model; lm-eval's dummy never says unknown.
    arguments = ("--model", "dummy", "--include_path", folder)
    rate = hallucination_rate(installed, tmp_path, *arguments, TREECUT_LM_EVAL_DISCOVERY="0")
    assert rate == 1


@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_switched_off_lm_eval_finds_no_task(installed: Installed) -> None:
    result = installed.environment.run(
        *("lm_eval", "--model", "dummy", "--tasks", "treecut_depth8", "--limit", "1"),
        TREECUT_LM_EVAL_DISCOVERY="0",
    )
    assert result.returncode != 0
    assert "Tasks not found: treecut_depth8" in result.stdout + result.stderr


def test_uninstalling_leaves_nothing(wheel: Path, tmp_path: Path) -> None:
    environment = FreshEnvironment.create(tmp_path / "environment")
    before = set(environment.prefix.rglob("*"))
    environment.install("--no-deps", str(wheel))
    installed = {path.name for path in set(environment.prefix.rglob("*")) - before}
    assert {"treecut_tasks", "treecut_tasks_lm_eval.pth", "treecut"} <= installed
    environment.output("python", "-c", "import treecut_tasks.errors")  # leaves bytecode
    environment.uninstall("treecut-tasks")
    # Bytecode of a module that lies directly in site-packages stays, and is nothing without it.
    left = set(environment.prefix.rglob("*treecut*")) - before
    assert [path for path in left if path.suffix != ".pyc"] == []
    environment.output("python", "-c", "import sys")
