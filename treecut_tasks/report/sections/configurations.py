"""All configurations, in and beyond the paper's tables: its Figures 2 and 3, heat maps and a table."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecut_tasks.report.cells import CONFIGURATION
from treecut_tasks.report.document import NOTHING, Section, Table, kind_name, with_interval
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import structure_figures
from treecut_tasks.report.sections.paper_tables import in_tables

_MOST_COLUMNS = 3
_HEADS = dict(zip(CONFIGURATION, ("ansDepth", "numVars", "cutDepth", "names"), strict=True))


def section(evidence: Evidence) -> Section:
    """Make the section."""
    figures = structure_figures(evidence.cells)
    return Section("Structure of the problems", (*figures, *_tables(evidence)))


def _tables(evidence: Evidence) -> Iterator[Table]:
    """A table for each kind of problems that has cells which are in none of the three tables."""
    cells = evidence.cells
    beyond = cells[~in_tables(cells)]
    kinds = {*zip(beyond["unanswerable"], beyond["fewshot"], strict=True)}
    # The cells of the three tables are shown again: Figures 2 and 3 have them too.
    for (unanswerable, fewshot), own in cells.groupby(["unanswerable", "fewshot"], sort=False):
        if (unanswerable, fewshot) not in kinds:
            continue
        what = "hallucination by the paper's rule" if unanswerable else "accuracy"
        texts = own.sort_values([*CONFIGURATION])
        texts["composite_name"] = texts["composite_name"].map({True: "composite", False: "simple"})
        texts["text"] = [f"{with_interval(found)} n={found.n}" for found in texts["found"]]
        texts[[*CONFIGURATION]] = texts[[*CONFIGURATION]].astype(object).fillna("?").astype(str)
        models = own["model"].unique()
        for start in range(0, len(models), _MOST_COLUMNS):
            part = texts[texts["model"].isin(models[start : start + _MOST_COLUMNS])]
            shown = part.pivot(index=[*CONFIGURATION], columns="model", values="text")
            shown = shown.reindex(
                pd.MultiIndex.from_frame(part[[*CONFIGURATION]].drop_duplicates())
            )
            yield Table(
                "cells",
                f"All configurations, {kind_name(bool(unanswerable), int(fewshot))}: {what}",
                evidence.counted_cells,
                shown.fillna(NOTHING).reset_index().rename(columns=_HEADS),
            )
