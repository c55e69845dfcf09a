"""Cells: the rates of one model at one configuration, which tables, figures and claims are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.report.evidence import CONFIGURATION, GROUP

if TYPE_CHECKING:
    from treecut_tasks.report.evidence import Evidence

FEW = 50
"""Cells with fewer problems are marked: their intervals are wider than 25 percentage points."""


@dataclass(frozen=True)
class Cell:
    """The problems of one configuration, as one model answered them.

    Attributes:
        model: label of the model.
        unanswerable: kind of the problems.
        fewshot: number of worked examples in each prompt.
        ans_depth: depth of the questioned variable; None if unknown, and so are the next three.
        num_vars: number of variables.
        cut_depth: distance of the cut; for answerable problems that of the counterparts.
        composite_name: whether items have composite names.
        rate: the paper's rate: hallucination by its rule, or accuracy; over problems, each with the
            mean of its responses.
        false_unknown: share of answerable problems called unknown; None for unanswerable ones.
    """

    model: str
    unanswerable: bool
    fewshot: int
    ans_depth: int | None
    num_vars: int | None
    cut_depth: int | None
    composite_name: bool | None
    rate: Rate
    false_unknown: float | None = None

    @property
    def known(self) -> bool:
        """Whether the whole configuration is known."""
        return None not in (self.ans_depth, self.num_vars, self.cut_depth, self.composite_name)

    @property
    def extra_vars(self) -> int:
        """Variables beyond those of a single path: 0 on a path, 2 on the paper's complex trees."""
        return (self.num_vars or 0) - (self.ans_depth or 0)

    @property
    def usual_cut(self) -> bool:
        """Whether the cut is where all of the paper's tables and its Figure 2 have it."""
        return self.ans_depth is not None and self.cut_depth == self.ans_depth // 2

    @property
    def as_in_tables(self) -> bool:
        """Whether the configuration is that of the paper's Tables 1 to 3."""
        return (
            self.known and self.composite_name is True and self.usual_cut and self.extra_vars == 2
        )


def make_cells(problems: pd.DataFrame) -> list[Cell]:
    """All cells, sorted by model and configuration.

    Args:
        problems: one row for each problem (`Evidence.problems`).
    """
    keys = [*GROUP, *CONFIGURATION]
    cells = []
    for key, rows in problems.groupby(keys, dropna=False, sort=True):
        names = dict(zip(keys, map(_plain, key), strict=True))
        unknown = None if names["unanswerable"] else float(rows["false_unknown_rate"].mean())
        found = rate(rows["headline"].tolist())
        cells.append(Cell(**names, rate=found, false_unknown=unknown))
    return cells


def cells_frame(evidence: Evidence) -> pd.DataFrame:
    """The cells as a table, with the number of their responses, those without a verdict included."""
    keys = [*GROUP, *CONFIGURATION]
    frame = evidence.responses
    counted = (
        frame.assign(no_verdict=~frame["scored"])
        .groupby(keys, dropna=False)
        .agg(
            responses=("scored", "size"),
            no_verdict=("no_verdict", "sum"),
            truncated=("truncated", "sum"),
        )
        .reset_index()
    )
    names = {True: "paper_hallucination_rate", False: "accuracy"}
    rows = [
        {
            **{name: getattr(cell, name) for name in keys},
            "problems": cell.rate.n,
            "rate": names[cell.unanswerable],
            "value": cell.rate.value,
            "ci_low": cell.rate.ci_low,
            "ci_high": cell.rate.ci_high,
            "false_unknown_rate": cell.false_unknown,
        }
        for cell in make_cells(evidence.problems)
    ]
    columns = [*keys, "problems", "rate", "value", "ci_low", "ci_high", "false_unknown_rate"]
    rates = pd.DataFrame(rows, columns=columns).astype(counted[keys].dtypes.to_dict())
    return counted.merge(rates, on=keys, how="left")


def _plain(value: Any) -> Any:
    """A value of a key as Python has it, and None where it is missing."""
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
