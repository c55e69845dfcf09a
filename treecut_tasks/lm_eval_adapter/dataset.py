"""Items as the data set of an lm-eval task."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import version
from typing import Any

import datasets

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import Item, ItemSet, TaskKind, TaskParameters, build_items
from treecut_tasks.evaluation.prompts import check_system_message, system_prompt

# Those of an Inspect task that lm-eval sets in ways of its own.
_ELSEWHERE = {
    "fewshot": "--num_fewshot",
    "fewshot_format": "--fewshot_as_multiturn",
}
_PARAMETERS = tuple(field.name for field in fields(TaskParameters) if field.name not in _ELSEWHERE)

# Where model backends of lm-eval keep the model's name, and how they are told to let it reason.
_MODEL_NAME_ARGUMENTS = ("model", "pretrained", "model_name")
_REASONING_ARGUMENTS = ("reasoning_effort", "enable_thinking", "think_end_token")

# Names of other people (lm-eval, model backends) that resemble ours.
_FOREIGN = ("num_fewshot", "num_concurrent", "seeds")


class DataSet(dict[str, datasets.Dataset]):
    """The splits of a task (there is one, `test`), and what they were made from.

    Attributes:
        item_set: the items behind the rows; few-shot examples are drawn for items.
        parameters: the parameters of the task.
    """

    def __init__(
        self, rows: list[dict[str, Any]], item_set: ItemSet, parameters: TaskParameters
    ) -> None:
        super().__init__(test=datasets.Dataset.from_list(rows))
        self.item_set = item_set
        self.parameters = parameters


def unanswerable(**arguments: Any) -> DataSet:
    """Data set of an unanswerable task; called by lm-eval as `custom_dataset`.

    Args:
        arguments: what lm-eval passes, in one heap: the YAML file's `metadata` and
            `dataset_kwargs`, the model arguments, and `--metadata` of the command line, which is
            where parameters come from.

    Raises:
        TreecutError: a parameter that is misspelt or impossible.
    """
    return _data_set("unanswerable", arguments)


def answerable(**arguments: Any) -> DataSet:
    """Data set of an answerable task; see `unanswerable`."""
    return _data_set("answerable", arguments)


def paired(**arguments: Any) -> DataSet:
    """Data set of a paired task, a row for each pair; see `unanswerable`."""
    return _data_set("paired", arguments)


def _data_set(kind: TaskKind, arguments: Mapping[str, Any]) -> DataSet:
    parameters = _parameters(arguments)
    model = next((arguments[name] for name in _MODEL_NAME_ARGUMENTS if name in arguments), None)
    system = system_prompt(
        check_system_message(arguments.get("system_message", "auto")),
        model=None if model is None else str(model),
        reasoning_configured=any(arguments.get(name) for name in _REASONING_ARGUMENTS),
    )
    item_set = build_items(parameters, kind)
    if kind == "paired":
        rows = [
            _row(first, system)
            | {
                f"counterpart_{name}": getattr(second, name)
                for name in ("id", "problem", "prompt", "answer")
            }
            for first, second in item_set.pairs()
        ]
    else:
        rows = [_row(item, system) for item in item_set.items]
    return DataSet(rows, item_set, parameters)


def _parameters(arguments: Mapping[str, Any]) -> TaskParameters:
    """Our parameters among all arguments; what looks like a misspelt one of ours is refused."""
    names = (*_PARAMETERS, "system_message")
    for name in arguments:
        if name in _ELSEWHERE:
            raise TreecutError(
                f"{name} is no parameter of the lm-eval tasks: use {_ELSEWHERE[name]}."
            )
        if name in names or name in _FOREIGN:
            continue
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
        if close:
            raise TreecutError(
                f"Unknown parameter {name!r} (did you mean {close[0]!r}?): the parameters are "
                f"{', '.join(sorted(names))}."
            )
    values = {name: arguments[name] for name in _PARAMETERS if name in arguments}
    of_task: Mapping[str, Any] = arguments.get("of_task", {})
    if "data_file" not in values:
        for name, value in of_task.items():
            if values.setdefault(name, value) not in (value, [value]):
                raise TreecutError(
                    f"{name} is {values[name]!r}, but this task is the one for {name} {value}: choose "
                    f"the task that you want by its name, and leave {name} out."
                )
    return TaskParameters.parse(values)


def _row(item: Item, system: str | None) -> dict[str, Any]:
    """One row; `lm_eval --log_samples` writes it whole, so it says where the problem comes from."""
    metadata = {name: value for name, value in item.metadata.items() if name != "problem"}
    return {
        "id": item.id,
        "problem": item.problem,
        "theme_file": item.metadata.get("theme_file") or "",
        "system": system or "",
        "prompt": item.prompt,
        "answer": item.answer,
        "ans_depth": str(item.metadata["ans_depth"]),
        "metadata": json.dumps({**metadata, "treecut_tasks_version": version("treecut-tasks")}),
    }
