"""Labels of models: one short name for each, followed by the settings in which its runs differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from treecut_tasks.evaluation import TaskParameters
from treecut_tasks.logs.untrusted import one_line

if TYPE_CHECKING:
    from treecut_tasks.logs import Run

_OF_PROBLEMS = (
    "problems", "order", "theme", "sampling", "split", "counterpart", "system_message"
)  # fmt: skip
"""Columns of responses that can change a rate, beside the structure of a problem."""

_WHERE_APPLICABLE = (
    "counterpart", "fewshot_examples", "fewshot_format", "fewshot_as_multiturn"
)  # fmt: skip
"""Settings that mean nothing for some responses, which are comparable with all the others then."""

_NOT_SET = "not set"
_DEFAULTS = (
    "order", "theme", "sampling", "counterpart", "instruction", "fewshot_examples", "fewshot_format"
)  # fmt: skip
_USUAL = {
    **{name: TaskParameters.model_fields[name].default for name in _DEFAULTS},
    "problems": "generated",
    "system_message": "cot",
    "fewshot_as_multiturn": "false",
}
"""Values that a label does not name."""

_NAMED_BY_VALUE = ("framework", "provider", "instruction")
_LONGEST_VALUE = 24


class Variant(NamedTuple):
    """A model with one set of settings.

    Attributes:
        name: its short name, which it shares with the same model under other settings.
        settings: all settings in which these differ, by name.
        logged_as: the names that it has in logs.
        simulated: whether it is simulated.
    """

    name: str
    settings: Mapping[str, str]
    logged_as: tuple[str, ...]
    simulated: bool


def label_models(
    runs: Sequence[Run], frame: pd.DataFrame, names: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, Variant]]:
    """Label each response of some runs.

    Everything that can change a rate, but the structure of the problems and the number of examples,
    sets labels apart: the settings of the run, and how each problem was made.

    Returns:
        For each response its label, `model`, and `alike`, all labels with which it is comparable; and
        what the labels mean, sorted.
    """
    columns = ["run", *_OF_PROBLEMS]
    ways = frame[columns].drop_duplicates(ignore_index=True)
    settings = pd.DataFrame(
        [
            {"framework": runs[way["run"]].framework, **way, "provider": runs[way["run"]].provider,
             **runs[way["run"]].settings}
            for way in ways.to_dict("records")
        ],
        dtype=object,
    ).drop(columns="run")  # fmt: skip
    settings = settings.replace("", None).where(settings.notna(), None)
    always = settings.columns.difference(_WHERE_APPLICABLE)
    settings[always] = settings[always].fillna(_NOT_SET)
    models = ways["run"].map(lambda run: short_name(runs[run].model, names))
    variants: dict[str, Variant] = {}
    for model, own in settings.groupby(models):
        own = own.loc[:, own.nunique() > 1]
        filled = own.fillna({name: _USUAL[name] for name in _WHERE_APPLICABLE})
        asked = [runs[run] for run in ways.loc[own.index, "run"]]
        simulated = any(run.simulated for run in asked)
        marked = simulated and "simulated" not in str(model).lower()
        words = [f"{model} [simulated]" if marked else str(model)]
        labels = [
            ", ".join(filter(None, [*words, *(_word(str(n), v, filled) for n, v in row.items())]))
            for row in filled[_enough(filled)].to_dict("records")
        ]
        rows = own.to_numpy().tolist()
        alike = [
            frozenset(
                label
                for label, other in zip(labels, rows, strict=True)
                if all(
                    value in (None, of_other) for value, of_other in zip(row, other, strict=True)
                )
            )
            for row in rows
        ]
        ways.loc[own.index, "model"] = labels
        ways.loc[own.index, "alike"] = pd.Series(alike, own.index)
        for label, chosen in zip(labels, filled.to_dict("records"), strict=True):
            logged_as = {
                run.model for run, each in zip(asked, labels, strict=True) if each == label
            }
            variants[label] = Variant(str(model), chosen, tuple(sorted(logged_as)), simulated)
    labelled = frame[columns].merge(ways, on=columns, how="left")[["model", "alike"]]
    return labelled, dict(sorted(variants.items()))


def short_name(model: str, names: Mapping[str, str]) -> str:
    """The name without provider or organisation, which frameworks write differently."""
    short = one_line(model.rstrip("/").rsplit("/", 1)[-1] or model)
    return names.get(model, names.get(short, short))


def _enough(settings: pd.DataFrame) -> list[str]:
    """As few of the settings as tell apart all that differ."""
    kept: list[str] = []
    told_apart = 1
    for name in settings.columns:
        if (found := len(settings[[*kept, name]].drop_duplicates())) > told_apart:
            kept.append(name)
            told_apart = found
    return kept


def _word(name: str, value: str, settings: pd.DataFrame) -> str:
    """What a label says of a setting: nothing if it is the usual one, a number if it is long."""
    if value == _USUAL.get(name, _NOT_SET):
        return ""
    if len(value) > _LONGEST_VALUE:
        return f"{name} {1 + sorted(settings[name].unique()).index(value)}"
    return value if name in _NAMED_BY_VALUE else f"{name}={value}"
