"""The Inspect task `breaking_depth`, end to end: repeated, broken off and retried, killed and retried."""

from __future__ import annotations

import asyncio
import inspect
import math
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai import eval_set
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import Model, ModelOutput, get_model

from tests.framework_runs import OFFLINE, ROOT, inspect_run, inspect_values, save_lm_eval_run
from tests.metric_epochs import metric_values
from treecut_tasks import breaking_depth
from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import judge_response
from treecut_tasks.inspect_adapter.breaking_depth import breaking_depth_estimate
from treecut_tasks.report.document import Figure, Table
from treecut_tasks.report.evidence import read_evidence
from treecut_tasks.report.sections import make_document

RISE = {f"depth{d}": round(0.03 + 0.94 / (1 + math.exp(7 - d)), 3) for d in range(2, 21)}
"""Probabilities of a model that breaks at depth 7."""


@pytest.fixture(scope="module")
def rising(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "rise.yaml"
    path.write_text(yaml.safe_dump(RISE), encoding="utf-8")
    return path


def simulated(probabilities: Path) -> Model:
    return get_model("treecut/simulated", probabilities=str(probabilities), memoize=False)


def ids(log: EvalLog) -> list[str]:
    return [str(sample.id) for sample in log.samples or []]


def same(first: EvalLog, second: EvalLog) -> bool:
    return sorted(ids(first)) == sorted(ids(second)) and inspect_values(first) == pytest.approx(
        inspect_values(second), nan_ok=True
    )


def test_finds_the_depth_and_goes_the_same_way_again(rising: Path, tmp_path: Path) -> None:
    logs = [
        inspect_run(breaking_depth(), simulated(rising), tmp_path, max_connections=connections)
        for connections in (8, 1)
    ]
    values = inspect_values(logs[0])
    assert values["outcome_breaks"] == 1
    assert values["breaking_depth_low"] <= 7 <= values["breaking_depth_high"]
    assert values["breaking_depth_high"] - values["breaking_depth_low"] <= 2
    assert values["calls"] == len(set(ids(logs[0]))) <= 150
    assert same(*logs)
    other = inspect_run(breaking_depth(seed=1, max_calls=8), simulated(rising), tmp_path)
    assert not set(ids(other)) & set(ids(logs[0]))


@pytest.mark.parametrize("reducer", ["mean", "mode"])
def test_further_epochs_are_no_further_evidence(reducer: str) -> None:
    depths = [2, 4, 6, 6, 8, 8]
    metadata = [{"ans_depth": d, "pair_id": str(i)} for i, d in enumerate(depths)]
    answers = ["unknown", "unknown", "unknown", "3", "3", "3"]
    once = [[judge_response("unknown", f"Answer: {answer}")] for answer in answers]
    one, three = (
        metric_values(breaking_depth_estimate(), epochs, metadata, reducer)
        for epochs in (once, [each * 3 for each in once])
    )
    assert one["failure_rate_depth6"] == 0.5
    assert (one.pop("calls"), three.pop("calls")) == (6, 18)
    assert three == pytest.approx(one, nan_ok=True)


@pytest.mark.parametrize(
    ("model", "options", "rate"),
    [
        ("treecut/solver", {}, 0.0),
        ("treecut/guesser", {"metric": "paper_hallucination_rate"}, 1.0),
        ("treecut/guesser", {"pairs": True, "structure": "drawn", "max_depth": 6}, 1.0),
        ("treecut/solver", {"pairs": True, "counterpart": "matched", "fewshot": 2}, 0.0),
    ],
)
def test_models_that_break_nowhere(
    model: str, options: dict[str, Any], rate: float, tmp_path: Path
) -> None:
    values = inspect_values(inspect_run(breaking_depth(**options, max_calls=40), model, tmp_path))
    assert values["outcome_flat"] == 1
    assert math.isnan(values["breaking_depth"])
    assert values["failure_rate"] == rate
    assert values["calls"] == 40


def test_broken_off_and_retried_gives_the_same(rising: Path, tmp_path: Path) -> None:
    expected = inspect_run(breaking_depth(), simulated(rising), tmp_path / "whole")
    model, answered = simulated(rising), 0
    generate = model.api.generate

    async def fails_once(*args: Any, **kwargs: Any) -> Any:
        nonlocal answered
        answered += 1
        await asyncio.sleep(0.01)
        if answered == 21:
            raise RuntimeError("the connection broke")
        return await generate(*args, **kwargs)

    model.api.generate = fails_once  # type: ignore[method-assign]
    done, (retried,) = eval_set(
        breaking_depth(),
        model=model,
        log_dir=str(tmp_path / "set"),
        retry_attempts=1,
        retry_wait=1,
        max_retries=0,
        display="none",
    )
    assert done
    assert answered > 21
    assert same(read_eval_log(retried.location), expected)


def test_answers_that_never_come_end_the_run(tmp_path: Path) -> None:
    def fail(*args: Any) -> ModelOutput:
        raise RuntimeError("no answer")

    model = get_model("mockllm/model", custom_outputs=fail)
    log = inspect_run(breaking_depth(max_calls=24), model, tmp_path, fail_on_error=False)
    assert len(ids(log)) == 24


def samples_in(folder: Path) -> int:
    """How many samples the only log of a folder has; 0 where it was caught half-written."""
    try:
        return sum(len(read_eval_log(str(log)).samples or []) for log in folder.glob("*.eval"))
    except (ValueError, OSError, KeyError, zipfile.BadZipFile):
        return 0


def test_killed_and_retried_gives_the_same(rising: Path, tmp_path: Path) -> None:
    inspect = str(Path(sys.executable).parent / "inspect")
    settings = ["--display", "none", "--max-connections", "8", "--log-buffer", "1"]
    model = ["--model", "treecut/simulated", "-M", f"probabilities={rising}"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}

    def run_in(*arguments: str, folder: str) -> list[str]:
        return [inspect, *arguments, *settings, "--log-dir", str(tmp_path / folder)]

    def start(arguments: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            arguments, cwd=tmp_path, env={**kept, **OFFLINE}, start_new_session=True
        )

    def log_in(folder: str) -> EvalLog:
        (info,) = list_eval_logs(str(tmp_path / folder))
        return read_eval_log(info)

    run = ("eval", "treecut_tasks/breaking_depth", *model)
    process = start(run_in(*run, folder="running"))
    (tmp_path / "killed").mkdir()
    try:
        end = time.monotonic() + 600
        while time.monotonic() < end:
            assert process.poll() is None, "it ended before it could be killed"
            # Inspect writes its log in place: what is kept is one that was caught whole.
            for log in (tmp_path / "running").glob("*.eval"):
                kept_log = tmp_path / "killed" / log.name
                kept_log.write_bytes(log.read_bytes())
            if samples_in(tmp_path / "killed") >= 9:
                break
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    killed = log_in("killed")
    assert killed.status == "started"
    retry = run_in("eval-retry", str(killed.location), folder="retried")
    assert start(retry).wait(600) == 0
    assert same(
        log_in("retried"), inspect_run(breaking_depth(), simulated(rising), tmp_path / "whole")
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "metric is 'accuracy': it must be 'hallucination_rate'"),
        ({"metric": "pair_solved_rate"}, "goes with pairs=true"),
        ({"pairs": True, "metric": "unknown_rate"}, "goes with pairs=true"),
        ({"rate": 2}, "rate is 2: it must be "),
        ({"min_depth": 1}, "min_depth is 1: it must be 2 or more"),
        ({"max_depth": 2}, "max_depth must be the greater one"),
        ({"max_calls": 0}, "max_calls is 0: it must be 2 or more"),
        ({"batch": "many"}, "batch is 'many': it must be a whole number"),
        ({"precision": 0}, "precision is 0: it must be "),
        ({"structure": "tree"}, "structure is 'tree': it must be 'paper' or 'drawn'"),
        ({"num_vars": 6}, "num_vars is 6: it must be at least ans_depth"),
        ({"composite_name": False, "max_depth": 100}, "can name only"),
        ({"num_problems": 5}, "Unknown parameter 'num_problems'"),
    ],
)
def test_what_cannot_be_searched_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TreecutError, match=message):
        breaking_depth(**options)


def test_metric_of_no_answers() -> None:
    values = breaking_depth_estimate()([])
    assert isinstance(values, dict)
    assert values["calls"] == 0
    assert "outcome_undecided" in values


def test_the_documentation_has_every_parameter_with_its_default() -> None:
    text = (ROOT / "docs" / "breaking-depth.md").read_text("utf-8")
    told: dict[str, str] = {}
    for names, defaults in re.findall(r"(?m)^\| (`.*?) \| (.*?) ?\| ", text):
        each = re.findall(r"`(\w+)`", names)
        told |= zip(each, defaults.split(", ") if defaults else [""] * len(each), strict=True)
    taken = {**inspect.signature(breaking_depth).parameters}
    taken.pop("others")
    assert {name: told.get(name) for name in taken} == {
        name: "" if each.default is None else str(each.default).lower()
        for name, each in taken.items()
    }


def test_the_report_fits_the_same_curve(rising: Path, tmp_path: Path) -> None:
    log = inspect_run(breaking_depth(max_calls=40), simulated(rising), tmp_path / "logs")
    save_lm_eval_run(tmp_path / "logs", "treecut_breaking_depth", "guesser", limit=150)
    document = make_document(read_evidence([str(tmp_path / "logs")]))
    (table,) = [each for each in document.blocks(Table) if each.name == "breaking-depth"]
    rows = {bool(row["breaking_depth"] > 0): row for _, row in table.data.iterrows()}
    assert rows[True]["breaking_depth"] == pytest.approx(inspect_values(log)["breaking_depth"])
    assert (rows[False]["outcome"], rows[False]["problems"]) == ("flat", 150)
    assert "no breaking depth: flat at 100.0 % (98 to 100)" in set(table.shown["finding"])
    (figure,) = [each for each in document.blocks(Figure) if each.name == "breaking-depth"]
    assert figure.svg.startswith(b"<?xml")
