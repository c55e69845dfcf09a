"""The paper's Tables 1 to 3 with the measured models above the paper's, a column for each depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from treecut_tasks.report.cells import FEW
from treecut_tasks.report.document import NOTHING, Section, Table, percent, with_interval
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.paper import PaperTable, paper_results

PAPER_FEWSHOT = 6
"""Worked examples of Table 2."""

_OF_TABLE = {1: (True, 0), 2: (True, PAPER_FEWSHOT), 3: (False, 0)}
_COLUMNS = [
    "model", "from_paper", "ans_depth", "value", "ci_low", "ci_high", "false_unknown_rate", "problems",
]  # fmt: skip


def section(evidence: Evidence) -> Section:
    """Make the section."""
    cells = evidence.cells
    return Section("The paper's tables", tuple(_blocks(cells[cells["as_in_tables"]])))


def in_tables(cells: pd.DataFrame) -> pd.Series:
    """For each cell, whether one of the tables has it."""
    kinds = pd.Series([*zip(cells["unanswerable"], cells["fewshot"], strict=True)], cells.index)
    return cells["as_in_tables"] & kinds.isin([*_OF_TABLE.values()])


def _blocks(cells: pd.DataFrame) -> Iterator[str | Table]:
    missing = []
    for number, (unanswerable, fewshot) in _OF_TABLE.items():
        own = cells[(cells["unanswerable"] == unanswerable) & (cells["fewshot"] == fewshot)]
        if len(own):
            yield _table(number, paper_results().tables[number], own)
        else:
            missing.append(f"Table {number}")
    if len(missing) < len(_OF_TABLE):
        source = f"The paper: {paper_results().source}."
        yield f"{source} Nothing was run for {' and '.join(missing)}." if missing else source


def _table(number: int, paper: PaperTable, cells: pd.DataFrame) -> Table:
    theirs = paper.rows.assign(problems=paper.problems, from_paper=True)
    data = pd.concat([cells.assign(from_paper=False), theirs], ignore_index=True)[_COLUMNS]
    texts = data.assign(
        model=data["model"].mask(data["from_paper"], data["model"] + " (paper)"),
        text=[_text(row, number == 3) for row in data.itertuples()],
    )
    shown = texts.pivot(index="model", columns="ans_depth", values="text").fillna(NOTHING)
    shown = shown.reindex(texts["model"].unique()).rename(columns="depth {}".format)
    few, most = cells["problems"].min(), cells["problems"].max()
    each = str(few) if few == most else f"{few} to {most}"
    notes = [f"n = {each} problems a cell; the paper's cells have {paper.problems}."]
    if number == 3:
        notes.append("In parentheses: called unknown.")
    if few < FEW:
        notes.append(f"* Fewer than {FEW} problems.")
    return Table(
        f"table-{number}",
        f"Table {number}. {paper.title}, by ansDepth",
        data,
        shown.reset_index().rename_axis(columns=None),
        " ".join(notes),
    )


def _text(row: Any, second: bool) -> str:
    told = percent(row.value) if row.from_paper else with_interval(row)
    if second:
        told += f" ({100 * row.false_unknown_rate:.{0 if row.from_paper else 1}f})"
    return f"{told}{'*' if row.problems < FEW else ''}"
