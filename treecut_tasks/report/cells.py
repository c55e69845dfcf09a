"""Problems become cells: the rate of one model at one configuration, of which the paper's views consist."""

from __future__ import annotations

import pandas as pd

from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.rates import rate

GROUP = ("model", "unanswerable", "fewshot")
"""Responses that one rate may be made of have these in common, and the configuration."""

CONFIGURATION = ("ans_depth", "num_vars", "cut_depth", "composite_name")
"""The structure of a problem; what else can change a rate makes models different (see `labels`)."""

KEYS = [*GROUP, *CONFIGURATION]
"""Columns by which cells differ. For answerable problems the cut is that of their counterparts."""

FEW = 50
"""Cells with fewer problems are marked: their intervals are wider than 25 percentage points."""


def make_cells(problems: pd.DataFrame) -> pd.DataFrame:
    """All cells, sorted by `KEYS`.

    `found` is the paper's `Rate` (hallucination by its rule, or accuracy), which is spread over the
    columns of `docs/report.md`, too. `extra_vars` are variables beyond a single path: 0 on a path, 2 on
    the paper's complex trees. `usual_cut`: the cut is where the paper's tables and its Figure 2 have it;
    `as_in_tables`: the configuration is that of its Tables 1 to 3; `known`: no part of it is missing.
    None of these holds where another instruction than the paper's was given.

    Args:
        problems: one row for each problem (`Evidence.problems`).
    """
    groups = problems.groupby(KEYS, dropna=False, sort=True)
    cells = pd.DataFrame({"found": groups["headline"].apply(lambda own: rate(own.tolist()))})
    unknown = groups["false_unknown_rate"].mean()
    asked = groups["instruction"].first()
    cells = cells.assign(false_unknown_rate=unknown, instruction=asked).reset_index()
    cells["problems"] = [found.n for found in cells["found"]]
    for name in ("value", "ci_low", "ci_high"):
        cells[name] = [getattr(found, name) for found in cells["found"]]
    cells["rate"] = cells["unanswerable"].map({True: "paper_hallucination_rate", False: "accuracy"})
    cells["extra_vars"] = cells["num_vars"] - cells["ans_depth"]
    cells["known"] = cells[list(CONFIGURATION)].notna().all(axis=1) & (
        cells["instruction"] == STANDARD
    )
    cells["usual_cut"] = cells["known"] & _is(cells["cut_depth"], cells["ans_depth"] // 2)
    cells["as_in_tables"] = (
        cells["usual_cut"] & _is(cells["composite_name"], True) & _is(cells["extra_vars"], 2)
    )
    return cells


def _is(values: pd.Series, other: object) -> pd.Series:
    return values.eq(other).fillna(False).astype(bool)
