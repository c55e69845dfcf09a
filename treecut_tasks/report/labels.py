"""Labels of models: one short name for each, and a letter where one was run with several settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treecut_tasks.logs.untrusted import one_line

if TYPE_CHECKING:
    import pandas as pd

    from treecut_tasks.logs import Run

_OF_PROBLEMS = (
    "problems", "order", "theme", "sampling", "split", "counterpart", "system_message"
)  # fmt: skip
"""Columns of responses that can change a rate, beside the structure of a problem."""

_WHERE_APPLICABLE = (
    "counterpart", "fewshot_examples", "fewshot_format", "fewshot_as_multiturn"
)  # fmt: skip
"""Settings that mean nothing for some responses, which are comparable with all the others then."""


_Row = tuple[Any, ...]
_Way = tuple[_Row, dict[str, str | None]]
_Key = tuple[tuple[str, str | None], ...]


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
    settings: Mapping[str, str | None]
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
    """A label for each response, and what the labels mean, sorted.

    Everything that can change a rate, but the structure of the problems and the number of examples,
    sets models apart: the settings of the run, and how each problem was made.

    Args:
        runs: the runs.
        frame: the responses, with the number of their `run` from 0.
        names: names that models shall have, by their names in logs or their short names.
    """
    columns = ["run", *_OF_PROBLEMS]
    # Missing values are not equal to themselves.
    rows: list[_Row] = [
        (int(run), *map(_or_none, way)) for run, *way in frame[columns].itertuples(index=False)
    ]
    by_model: dict[str, list[_Way]] = {}
    for row in dict.fromkeys(rows):
        run = runs[row[0]]
        settings: dict[str, str | None] = {
            "framework": run.framework,
            **dict(zip(_OF_PROBLEMS, row[1:], strict=True)),
            "provider": run.provider,
            **run.settings,
        }
        by_model.setdefault(short_name(run.model, names), []).append((row, settings))
    label_of: dict[_Row, str] = {}
    variants: dict[str, Variant] = {}
    for model, ways in sorted(by_model.items()):
        found = _variants(ways)
        number = 0
        for key, members in found.items():
            label = model
            if any(value is not None for _, value in key):
                label += f" ({chr(ord('a') + number) if number < 26 else number + 1})"
                number += 1
            own = [runs[row[0]] for row in members]
            simulated = any(run.simulated for run in own)
            label += " [simulated]" if simulated else ""
            logged_as = tuple(sorted({run.model for run in own}))
            differences = _told_apart(key, list(found))
            variants[label] = Variant(model, dict(key), differences, logged_as, simulated)
            label_of |= dict.fromkeys(members, label)
    return [label_of[row] for row in rows], variants


def short_name(model: str, names: Mapping[str, str]) -> str:
    """The name without provider or organisation, which frameworks write differently."""
    short = one_line(model.rstrip("/").rsplit("/", 1)[-1] or model)
    return names.get(model, names.get(short, short))


def _variants(ways: Sequence[_Way]) -> dict[_Key, list[_Row]]:
    """The ways in which one model was asked, by the settings in which some of them differ."""
    names = list(dict.fromkeys(name for _, settings in ways for name in settings))

    def value(settings: Mapping[str, str | None], name: str) -> str | None:
        return settings.get(name) or (None if name in _WHERE_APPLICABLE else "not set")

    differing = [
        name for name in names if len({value(each, name) for _, each in ways} - {None}) > 1
    ]
    found: dict[_Key, list[_Row]] = {}
    for row, settings in ways:
        key = tuple((name, value(settings, name)) for name in differing)
        found.setdefault(key, []).append(row)
    return dict(sorted(found.items(), key=lambda item: str(item[0])))


def _told_apart(key: _Key, others: Sequence[_Key]) -> str:
    """The settings of a variant in words, as few as tell it apart from the others."""
    words, rest = [], [dict(other) for other in others]
    for name, value in key:
        if value is not None and any(other[name] != value for other in rest):
            words.append(value if name in ("framework", "provider") else f"{name} {value}")
            rest = [other for other in rest if other[name] == value]
    return ", ".join(words)


def _or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
