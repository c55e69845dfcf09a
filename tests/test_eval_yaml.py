"""`eval.yaml` says of the Inspect tasks what the tasks say of themselves."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from inspect_ai import Task

from treecut_tasks import _registry, tasks
from treecut_tasks.evaluation import PAPER_NUM_PROBLEMS

LISTED: dict[str, Any] = yaml.safe_load(
    files("treecut_tasks").joinpath("eval.yaml").read_text(encoding="utf-8")
)


def test_every_task_is_listed() -> None:
    named = [entry["name"] for entry in LISTED["tasks"]]
    offered = [
        name
        for name, value in vars(_registry).items()
        if getattr(value, "__module__", None) == tasks.__name__
    ]
    assert sorted(named) == sorted(offered)


@pytest.mark.parametrize("entry", LISTED["tasks"], ids=lambda entry: entry["name"])
def test_version_and_size(entry: dict[str, Any]) -> None:
    if entry["name"] == "breaking_depth":
        task: Task = tasks.breaking_depth()
        size = task.metadata["search"]["max_calls"]  # type: ignore[index]
    else:
        task = getattr(tasks, entry["name"])(num_problems=1)
        size = len(task.dataset) * PAPER_NUM_PROBLEMS
    assert task.version == LISTED["version"]
    assert size == entry["dataset_samples"]
