"""All configurations, in and beyond the paper's tables: its Figures 2 and 3, heat maps and a table."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecut_tasks.report.cells import Cell, cells_frame, make_cells
from treecut_tasks.report.document import NOTHING, Section, Table, kind_name, with_interval
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import structure_figures
from treecut_tasks.report.sections.paper_tables import in_tables

_MOST_COLUMNS = 3


def section(evidence: Evidence) -> Section:
    """Make the section."""
    cells = make_cells(evidence.problems)
    return Section(
        "Structure of the problems", (*structure_figures(cells), *_tables(evidence, cells))
    )


def _tables(evidence: Evidence, cells: list[Cell]) -> Iterator[Table]:
    """A table for each kind of problems that has cells which are in none of the three tables."""
    kinds = dict.fromkeys(
        (cell.unanswerable, cell.fewshot) for cell in cells if not in_tables(cell)
    )
    data = cells_frame(evidence)
    for unanswerable, fewshot in kinds:
        # The cells of the three tables are shown again: Figures 2 and 3 have them too.
        own = [
            cell for cell in cells if (cell.unanswerable, cell.fewshot) == (unanswerable, fewshot)
        ]
        models = list(dict.fromkeys(cell.model for cell in own))
        rows: dict[tuple[str, ...], dict[str, str]] = {}
        for cell in sorted(own, key=_order):
            rows.setdefault(_configuration(cell), {})[cell.model] = (
                f"{with_interval(cell.rate)} n={cell.rate.n}"
            )
        what = "hallucination by the paper's rule" if unanswerable else "accuracy"
        kind = kind_name(unanswerable, fewshot)
        for start in range(0, len(models), _MOST_COLUMNS):
            part = models[start : start + _MOST_COLUMNS]
            shown = [
                [*key, *(row.get(model, NOTHING) for model in part)]
                for key, row in rows.items()
                if set(part) & set(row)
            ]
            heads = ["ansDepth", "numVars", "cutDepth", "names", *part]
            yield Table(
                "cells",
                f"All configurations, {kind}: {what}",
                data,
                pd.DataFrame(shown, columns=heads),
            )


def _configuration(cell: Cell) -> tuple[str, ...]:
    names = {True: "composite", False: "simple", None: "?"}[cell.composite_name]
    structure = (cell.ans_depth, cell.num_vars, cell.cut_depth)
    return (*("?" if value is None else str(value) for value in structure), names)


def _order(cell: Cell) -> tuple[int, ...]:
    structure = (cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name)
    return tuple(10**9 if value is None else int(value) for value in structure)
