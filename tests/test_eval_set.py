"""`inspect eval-set` over tasks and models, killed and resumed, gives what an undisturbed run gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from inspect_ai import eval
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import get_model

from tests.framework_runs import OFFLINE
from treecut_tasks import cut_location, structure

MODELS = "treecut/simulated-a,treecut/simulated-b"
ARGUMENTS = ["-T", "ans_depth=4,5", "-T", "num_problems=3", "-M", "hallucination=0.4"]
TASKS = ["treecut_tasks/structure", "treecut_tasks/cut_location"]
SAMPLES = {"structure": 2 * 4 * 3, "cut_location": (3 + 4) * 3}


def _command(folder: Path) -> list[str]:
    inspect = Path(sys.executable).parent / "inspect"
    settings = ["--display", "none", "--log-buffer", "1", "--max-samples", "1", "--max-tasks", "1"]
    return [
        *(str(inspect), "eval-set", *TASKS, "--model", MODELS, *ARGUMENTS, *settings),
        *("--log-dir", str(folder)),
    ]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")}
    return {**kept, **OFFLINE}


def _finish(folder: Path) -> None:
    done = subprocess.run(
        _command(folder),
        cwd=folder.parent,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _results(folder: Path) -> dict[tuple[str, str], tuple[dict[str, float], list[str]]]:
    """Metrics and sample ids of each task and model, from the logs that ended well."""
    found = {}
    for info in list_eval_logs(str(folder)):
        log = read_eval_log(info, header_only=True)
        if log.status != "success":
            continue
        assert log.results is not None
        (score,) = log.results.scores
        values = {name: float(metric.value) for name, metric in score.metrics.items()}
        ids = sorted(str(sample.id) for sample in read_eval_log_sample_summaries(info))
        found[log.eval.task.rsplit("/", 1)[-1], str(log.eval.model)] = (values, ids)
    return found


def test_killed_and_resumed_gives_the_same(tmp_path: Path) -> None:
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    models = [get_model(name, hallucination=0.4) for name in MODELS.split(",")]
    given: dict[str, Any] = {"ans_depth": [4, 5], "num_problems": 3}
    eval(
        [structure(**given), cut_location(**given)],
        models,
        log_dir=str(undisturbed),
        display="none",
    )
    expected = _results(undisturbed)
    assert len(expected) == len(TASKS) * 2
    for (task, _), (_, ids) in expected.items():
        assert len(ids) == len(set(ids)) == SAMPLES[task]

    process = subprocess.Popen(
        _command(disturbed),
        cwd=tmp_path,
        env=_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        # The second of four logs has been begun: one run is complete, one in the middle.
        while len(list(disturbed.glob("*.eval"))) < 2:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert len(_results(disturbed)) < len(expected)

    _finish(disturbed)
    assert _results(disturbed) == expected
