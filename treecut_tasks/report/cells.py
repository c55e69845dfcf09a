"""Cells: the rates of one model at one configuration, which tables, figures and tests are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.report.evidence import Evidence, Run

if TYPE_CHECKING:
    import pandas as pd

FEW = 50
"""Cells with fewer problems are marked: their intervals are wider than 25 percentage points."""

_KEYS = ("model", "unanswerable", "fewshot", "ans_depth", "num_vars", "cut_depth", "composite_name")
_RATES = ("hallucination", "accuracy", "wrong_number", "false_unknown")


@dataclass(frozen=True)
class Cell:
    """The responses of one model to the problems of one configuration.

    Attributes:
        model: label of the model (see `label_runs`).
        unanswerable: kind of the problems.
        fewshot: number of worked examples in each prompt.
        ans_depth: depth of the questioned variable; None if unknown, and so are the next three.
        num_vars: number of variables.
        cut_depth: distance of the cut; for answerable problems that of the counterparts.
        composite_name: whether items have composite names.
        rates: `hallucination` for unanswerable problems; `accuracy`, `wrong_number` and
            `false_unknown` for answerable ones; n counts problems, each with the mean of its
            responses; empty if no response has a verdict.
        responses: number of responses, those without a verdict included.
        errored: how many of them have no verdict.
        truncated: how many were cut off.
    """

    model: str
    unanswerable: bool
    fewshot: int
    ans_depth: int | None
    num_vars: int | None
    cut_depth: int | None
    composite_name: bool | None
    rates: Mapping[str, Rate]
    responses: int
    errored: int
    truncated: int

    @property
    def headline(self) -> Rate | None:
        """The paper's rate: hallucination, or accuracy."""
        return self.rates.get("hallucination" if self.unanswerable else "accuracy")

    @property
    def marks(self) -> str:
        """Letters for what makes the cell less reliable: see `MARKS`."""
        rate_ = self.headline
        marks = "f" if rate_ is None or rate_.n < FEW else ""
        return marks + ("e" if self.errored else "") + ("t" if self.truncated else "")

    @property
    def as_in_tables(self) -> bool:
        """Whether the configuration is that of the paper's Tables 1 to 3."""
        return (
            self.ans_depth is not None
            and self.composite_name is True
            and self.num_vars == self.ans_depth + 2
            and self.cut_depth == self.ans_depth // 2
        )


MARKS = {
    "f": f"fewer than {FEW} problems",
    "e": "some responses have no verdict (error, limit), and are left out",
    "t": "some responses were cut off by a token limit; on unanswerable problems they count as the "
    "paper counts them",
}


def label_runs(runs: Sequence[Run]) -> list[str]:
    """A label for each run: its model, with the settings that tell apart what should not be pooled.

    Only settings in which the runs of one model differ are named, and only as many as are needed.
    """
    labels = []
    for run in runs:
        rest = [_settings(other) for other in runs if other.model == run.model]
        mine = _settings(run)
        differences = []
        for name in dict.fromkeys(name for settings in (mine, *rest) for name in settings):
            if any(other.get(name) != mine.get(name) for other in rest):
                differences.append(_shown(name, mine.get(name)))
                rest = [other for other in rest if other.get(name) == mine.get(name)]
        labels.append(f"{run.model} ({', '.join(differences)})" if differences else run.model)
    return labels


def _settings(run: Run) -> dict[str, Any]:
    """All that makes responses of one model not comparable; the most telling first."""
    asked = run.sent if run.framework == "lm-eval" else run.settings
    names = ("counterpart", "theme", "order", "sampling")
    problems = {name: run.parameters.get(name) for name in names}
    return {
        "framework": run.framework,
        **problems,
        **{
            name: json.dumps(value, sort_keys=True, default=str)
            for name, value in sorted(asked.items())
            if name not in ("base_url", "until")
        },
        "system message": run.system_message,
        "prompt": run.prompt.split(" ", 1)[0],
    }


def _shown(name: str, value: Any) -> str:
    if name == "framework":
        return str(value)
    name = name.removeprefix("model_args.")
    if value is None:
        return f"{name} not set"
    # Of paths, the name of the file tells enough.
    return f"{name} {str(value).strip(chr(34)).rsplit('/', 1)[-1]}"


def problems_frame(evidence: Evidence, labels: Sequence[str]) -> pd.DataFrame:
    """One row for each problem that a model answered: the mean of its scored responses.

    Repetitions, and runs of the same problems, do not count as more problems.
    """
    frame = evidence.responses.copy()
    frame["model"] = frame["run"].map(dict(enumerate(labels)))
    frame = frame[frame["scored"]]
    grouped = frame.groupby([*_KEYS, "problem_id"], dropna=False, sort=True, observed=True)
    return grouped.agg(
        pair_id=("pair_id", "first"), **{name: (name, "mean") for name in _RATES}
    ).reset_index()


def make_cells(
    evidence: Evidence, labels: Sequence[str], problems: pd.DataFrame
) -> tuple[Cell, ...]:
    """All cells, sorted by model and configuration."""
    frame = evidence.responses.copy()
    frame["model"] = frame["run"].map(dict(enumerate(labels)))
    keys = list(_KEYS)
    rates = {
        _key(key): _rates(group) for key, group in problems.groupby(keys, dropna=False, sort=False)
    }
    cells = []
    for key, group in frame.groupby(keys, dropna=False, sort=False):
        model, unanswerable, fewshot, *structure = _key(key)
        ans_depth, num_vars, cut_depth, composite_name = structure
        cells.append(
            Cell(
                model=model,
                unanswerable=unanswerable,
                fewshot=fewshot,
                ans_depth=ans_depth,
                num_vars=num_vars,
                cut_depth=cut_depth,
                composite_name=composite_name,
                rates=rates.get(_key(key), {}),
                responses=len(group),
                errored=int((~group["scored"]).sum()),
                truncated=int(group["truncated"].sum()),
            )
        )
    return tuple(sorted(cells, key=_order))


def zero_shot(cells: Sequence[Cell]) -> list[tuple[Cell, Rate]]:
    """The zero-shot cells of unanswerable problems whose whole configuration is known."""
    return [
        (cell, rate)
        for cell in cells
        if cell.unanswerable
        and cell.fewshot == 0
        and cell.ans_depth is not None
        and cell.num_vars is not None
        and cell.cut_depth is not None
        and cell.composite_name is not None
        and (rate := cell.rates.get("hallucination")) is not None
    ]


def _key(values: Any) -> tuple[Any, ...]:
    """The key of a group with plain types, and None where a value is missing."""
    model, unanswerable, fewshot, ans_depth, num_vars, cut_depth, composite_name = values
    return (
        str(model),
        bool(unanswerable),
        int(fewshot),
        _or_none(ans_depth, int),
        _or_none(num_vars, int),
        _or_none(cut_depth, int),
        _or_none(composite_name, bool),
    )


def _or_none(value: Any, kind: Callable[[Any], Any]) -> Any:
    import pandas as pd

    return None if pd.isna(value) else kind(value)


def _rates(group: pd.DataFrame) -> dict[str, Rate]:
    return {
        name: rate(values.tolist())
        for name in _RATES
        if len(values := group[name].dropna()) and not math.isnan(values.iloc[0])
    }


def _order(cell: Cell) -> tuple[Any, ...]:
    structure = (cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name)
    missing_last = tuple((value is None, value or 0) for value in structure)
    return (cell.model, not cell.unanswerable, cell.fewshot, *missing_last)
