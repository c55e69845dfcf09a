"""What lm-eval passes becomes parameters, and their items the data set of a task."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import datasets

from treecut_tasks.errors import TreecutError, raised_as, shown
from treecut_tasks.evaluation import (
    ANSWERABLE,
    DIAGNOSED,
    PAIRED,
    UNANSWERABLE,
    Design,
    Item,
    ItemSet,
    TaskParameters,
    build_items,
)
from treecut_tasks.evaluation.prompts import system_prompt
from treecut_tasks.lm_eval_adapter.errors import UsageError

KEY = "treecut"
"""Key of our parameters in `--metadata`. lm-eval puts the model's arguments beside it, in one heap:
only under a key of our own is it certain that `seed` is not the model's."""

# Those of an Inspect task that lm-eval sets in ways of its own.
_ELSEWHERE = {
    "fewshot": "--num_fewshot",
    "fewshot_format": "--fewshot_as_multiturn",
    "metrics": "--log_samples and treecut report",
}

# Names that model backends have as well.
_SHARED = ("seed", "theme")

# Where model backends of lm-eval keep the model's name, and how they are told to let it reason.
_MODEL_NAME_ARGUMENTS = ("model", "pretrained", "model_name")
_REASONING_ARGUMENTS = ("reasoning_effort", "enable_thinking", "think_end_token")


class DataSet(dict[str, datasets.Dataset]):
    """The splits of a task (there is one, `test`), and the items behind its rows."""

    def __init__(self, rows: list[dict[str, Any]], item_set: ItemSet) -> None:
        super().__init__(test=datasets.Dataset.from_list(rows))
        self.item_set = item_set


def _serving(design: Design) -> Callable[..., DataSet]:
    """What lm-eval calls as `custom_dataset`, with all that it knows in one heap.

    These are the YAML file's `metadata` and `dataset_kwargs`, the model arguments, and `--metadata` of
    the command line, with our parameters under `KEY`.
    """

    # A `partial` would stand in lm-eval's results with its address in memory.
    def custom_dataset(**arguments: Any) -> DataSet:
        return _data_set(design, arguments)

    return custom_dataset


unanswerable, answerable, paired, diagnosis = map(
    _serving, (UNANSWERABLE, ANSWERABLE, PAIRED, DIAGNOSED)
)


def _data_set(design: Design, arguments: Mapping[str, Any]) -> DataSet:
    with raised_as(UsageError):
        parameters = design.complete(_parameters(design, arguments))
        item_set = build_items(parameters, design)
    model = next((arguments[name] for name in _MODEL_NAME_ARGUMENTS if name in arguments), None)
    system = system_prompt(
        parameters.system_message,
        model=None if model is None else str(model),
        reasoning_configured=any(arguments.get(name) for name in _REASONING_ARGUMENTS),
    )
    if design.pairs:
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
    return DataSet(rows, item_set)


def _parameters(design: Design, arguments: Mapping[str, Any]) -> TaskParameters:
    """The task's own parameters, and those that the user gave under `KEY`."""
    names = [
        name
        for name in TaskParameters.model_fields
        if name not in _ELSEWHERE
        and (name != "counterpart" or design.pairs)
        and (name != "instruction" or design.instruction is None)
    ]
    for name in arguments:
        if name != KEY and name.lower() == KEY:
            raise TreecutError(
                f"The key {name!r} stands in lm-eval's metadata: write it {KEY!r}, in small letters."
            )
        if name in names and name not in _SHARED:
            raise TreecutError(
                f"The parameter {name} stands alone in lm-eval's metadata: put TreeCut's parameters "
                f'under one key, --metadata \'{{"{KEY}": {{"{name}": …}}}}\'.'
            )
        if name in _SHARED and KEY not in arguments:
            logging.getLogger(__name__).warning(
                "%s=%s is taken for an argument of the model; as TreeCut's parameter it stands under "
                "the key %r of --metadata.",
                name,
                arguments[name],
                KEY,
            )
    given = arguments.get(KEY, {})
    if not isinstance(given, Mapping):
        raise TreecutError(
            f"{KEY} is {shown(given)} in lm-eval's metadata: it must be an object with parameters, "
            f'--metadata \'{{"{KEY}": {{"num_problems": 100}}}}\' for example.'
        )
    own: Mapping[str, Any] = arguments["treecut_task"]
    for name in given:
        if name in _ELSEWHERE:
            raise TreecutError(
                f"{name} is no parameter of the lm-eval tasks: use {_ELSEWHERE[name]}."
            )
        if name not in names:
            takes = ", ".join(each for each in names if each not in own)
            raise TreecutError(
                f"Unknown parameter {name!r}: the parameters of this task are {takes}."
            )
    values = dict(given)
    for name, value in own.items() if "data_file" not in values else ():
        if values.setdefault(name, value) not in (value, [value]):
            raise TreecutError(
                f"{name} is {shown(values[name])}, but this task is the one for {name} {value}: choose "
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
        "instruction": item.metadata["instruction"],
        "metadata": json.dumps({**metadata, "treecut_tasks_version": version("treecut-tasks")}),
    }
