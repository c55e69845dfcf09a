"""Runs of the tasks in both frameworks: in this process where that is quick, and as commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, read_eval_log
from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

from treecut_tasks.lm_eval_adapter.discovery import task_configs_path

ROOT = Path(__file__).resolve().parents[1]

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
"""Commands fail at once if they ask a hub for anything."""

DEPTHS = (2, 4, 6, 8)

# Settings of the person who runs the tests must not decide what a command does.
_PERSONAL = ("INSPECT_", "LMEVAL_", "OPENAI_", "LOCAL_", "TREECUT_")


def inspect_run(task: Task, model: Any, folder: Path, **settings: Any) -> EvalLog:
    """Evaluate a task with Inspect in this process and return the log."""
    (log,) = eval(
        task,
        model=model,
        log_dir=str(folder),
        display="none",
        max_retries=2,
        log_realtime=False,
        **settings,
    )
    return log


def inspect_values(log: EvalLog) -> dict[str, float]:
    """The values of all metrics of the only scorer."""
    assert log.status == "success", log.error
    assert log.results is not None
    (scores,) = log.results.scores
    return {name: float(metric.value) for name, metric in scores.metrics.items()}


@dataclass(frozen=True)
class LmEvalRun:
    """The results of one run of lm-eval.

    Attributes:
        results: what `simple_evaluate` returns.
    """

    results: dict[str, Any]

    def values(self, task: str) -> dict[str, float]:
        """The numbers of a task or group under the names that Inspect has; what is N/A is left out."""
        table = _named(task, {**self.results["results"], **self.results.get("groups", {})})
        return {
            key.removesuffix(",none"): float(value)
            for key, value in table.items()
            if key.endswith(",none") and value != "N/A"
        }

    def samples(self, task: str) -> list[dict[str, Any]]:
        """The logged samples of a task, in the order of its data set."""
        samples: list[dict[str, Any]] = _named(task, self.results["samples"])
        return sorted(samples, key=lambda sample: int(sample["doc_id"]))

    def prompts(self, task: str) -> list[Any]:
        """The contexts that were sent, of all requests of all samples."""
        return [
            arguments["arg_0"] if isinstance(arguments, dict) else arguments[0]
            for sample in self.samples(task)
            for arguments in _arguments(sample)
        ]


def _named(task: str, tables: Mapping[str, Any]) -> Any:
    """What stands under the name of a task, before which lm-eval 0.5 writes that of its group."""
    (table,) = (table for name, table in tables.items() if name.split("::")[-1] == task)
    return table


def _arguments(sample: Mapping[str, Any]) -> Sequence[Any]:
    arguments = sample["arguments"]
    return list(arguments.values()) if isinstance(arguments, dict) else list(arguments)


def task_manager(**metadata: Any) -> TaskManager:
    """Our tasks alone: lm-eval's own 14,000 take seconds to scan."""
    return TaskManager(
        include_path=str(task_configs_path()), include_defaults=False, metadata=metadata
    )


def lm_eval_run(
    tasks: str | Sequence[str],
    model: Any = "treecut",
    model_args: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    **settings: Any,
) -> LmEvalRun:
    """Evaluate tasks with lm-eval in this process; `metadata` holds our parameters."""
    arguments = dict(model_args or {})
    # Most of a small run is `pip list` and the like, for a description of the machine.
    with patch("lm_eval.evaluator.add_env_info"):
        results = simple_evaluate(
            model=model,
            model_args=arguments,
            tasks=[tasks] if isinstance(tasks, str) else list(tasks),
            # Its command line hands both on in one heap as well.
            task_manager=task_manager(**arguments, treecut=dict(metadata or {})),
            **settings,
        )
    return LmEvalRun(results)


def save_lm_eval_run(
    folder: Path, tasks: str | Sequence[str], policy: str, **settings: Any
) -> None:
    """Evaluate tasks with a reference model, and save results and samples as lm-eval's command does."""
    tracker = EvaluationTracker(output_path=str(folder))
    results = lm_eval_run(
        tasks,
        model_args={"policy": policy},
        evaluation_tracker=tracker,
        log_samples=True,
        **settings,
    ).results
    samples = results.pop("samples", {})
    tracker.save_results_aggregated(results=results, samples=samples)
    for task, records in samples.items():
        tracker.save_results_samples(task_name=task, samples=records)


def command(
    name: str,
    *arguments: str | Path,
    cwd: Path,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `inspect`, `lm_eval` or `treecut` of this environment in a process of its own."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(_PERSONAL)}
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    script = Path(sys.executable).parent / name
    return subprocess.run(
        [str(script), *map(str, arguments)],
        cwd=cwd,
        env={
            **inherited,
            **OFFLINE,
            "PYTHONPATH": os.pathsep.join(paths),
            "INSPECT_LOG_DIR": str(cwd / "logs"),
            "INSPECT_DISPLAY": "plain",
            # Wide enough that no table of results is folded.
            "COLUMNS": "200",
            **(env or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
        check=False,
    )


def only_log(folder: Path) -> EvalLog:
    """The only Inspect log of a folder."""
    (path,) = folder.glob("*.eval")
    return read_eval_log(str(path))
