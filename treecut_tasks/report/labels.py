"""Labels of models: one short name for each, and a letter where one was run with several settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

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


_Settings = Mapping[str, str | None]


class Variant(NamedTuple):
    """A model with one set of settings.

    Attributes:
        name: its short name, which it shares with the same model under other settings.
        settings: the settings that set it apart from these, by name; None where one does not apply.
        differences: these settings in words, as few as tell it apart; empty if there is one set only.
        logged_as: the names that it has in logs.
        simulated: whether it is simulated.
    """

    name: str
    settings: _Settings
    differences: str
    logged_as: tuple[str, ...]
    simulated: bool

    def within(self, other: Variant) -> bool:
        """Whether what is said of the other model may be made from responses of this one, too."""
        return self.name == other.name and all(
            value is None or value == other.settings[name] for name, value in self.settings.items()
        )


def label_models(
    runs: Sequence[Run], frame: pd.DataFrame, names: Mapping[str, str]
) -> tuple[list[str], dict[str, Variant]]:
    """A label for each response of some runs, and what the labels mean, sorted.

    Everything that can change a rate, but the structure of the problems and the number of examples,
    sets models apart: the settings of the run, and how each problem was made.
    """
    columns = ["run", *_OF_PROBLEMS]
    ways = frame[columns].drop_duplicates()
    settings = pd.DataFrame(
        [
            {"framework": run.framework, **way, "provider": run.provider, **run.settings}
            for number, way in zip(
                ways["run"], ways[[*_OF_PROBLEMS]].to_dict("records"), strict=True
            )
            for run in [runs[number]]
        ],
        index=ways.index,
        dtype=object,
    ).replace("", None)
    settings = settings.where(settings.notna(), None)
    always = settings.columns.difference(_WHERE_APPLICABLE)
    settings[always] = settings[always].fillna("not set")
    labels = pd.Series("", ways.index)
    variants: dict[str, Variant] = {}
    for model, own in settings.groupby(
        ways["run"].map(lambda run: short_name(runs[run].model, names))
    ):
        own = own.loc[:, own.nunique() > 1]
        keys = pd.Series([*map(tuple, own.to_numpy())], own.index)
        others = [dict(zip(own.columns, key, strict=True)) for key in sorted(set(keys), key=str)]
        letters = chain(ascii_lowercase, map(str, count(27)))
        for chosen in others:
            members = keys.index[keys == tuple(chosen.values())]
            asked = [runs[run] for run in ways.loc[members, "run"]]
            label = str(model)
            if any(value is not None for value in chosen.values()):
                label += f" ({next(letters)})"
            simulated = any(run.simulated for run in asked)
            label += " [simulated]" if simulated else ""
            logged_as = tuple(sorted({run.model for run in asked}))
            variants[label] = Variant(
                str(model), chosen, _told_apart(chosen, others), logged_as, simulated
            )
            labels[members] = label
    own_labels = frame[columns].merge(ways.assign(label=labels), on=columns, how="left")["label"]
    return own_labels.tolist(), variants


def short_name(model: str, names: Mapping[str, str]) -> str:
    """The name without provider or organisation, which frameworks write differently."""
    short = one_line(model.rstrip("/").rsplit("/", 1)[-1] or model)
    return names.get(model, names.get(short, short))


def _told_apart(settings: _Settings, others: Sequence[_Settings]) -> str:
    """The settings of a variant in words, as few as tell it apart from the others."""
    words, rest = [], [*others]
    for name, value in settings.items():
        if value is not None and any(other[name] != value for other in rest):
            words.append(value if name in ("framework", "provider") else f"{name} {value}")
            rest = [other for other in rest if other[name] == value]
    return ", ".join(words)
