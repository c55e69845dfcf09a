"""The paper's Tables 1 to 3 with the measured models above the paper's, a column for each depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from treecut_tasks.report.cells import FEW, Cell, make_cells
from treecut_tasks.report.document import NOTHING, Figure, Section, Table, percent, with_interval
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.paper import PaperTable, paper_results

PAPER_FEWSHOT = 6
"""Worked examples of Table 2."""

_OF_TABLE: dict[int, Callable[[Cell], bool]] = {
    1: lambda cell: cell.unanswerable and cell.fewshot == 0,
    2: lambda cell: cell.unanswerable and cell.fewshot == PAPER_FEWSHOT,
    3: lambda cell: not cell.unanswerable and cell.fewshot == 0,
}


def section(evidence: Evidence) -> Section:
    """Make the section."""
    cells = [cell for cell in make_cells(evidence.problems) if cell.as_in_tables]
    return Section("The paper's tables", tuple(_blocks(cells)))


def in_tables(cell: Cell) -> bool:
    """Whether one of the tables has the cell."""
    return cell.as_in_tables and any(chosen(cell) for chosen in _OF_TABLE.values())


def _blocks(cells: list[Cell]) -> Iterator[str | Table | Figure]:
    missing = []
    for number, chosen in _OF_TABLE.items():
        own = [cell for cell in cells if chosen(cell)]
        if own:
            yield _table(number, paper_results().tables[number], own)
        else:
            missing.append(f"Table {number}")
    if missing:
        yield f"Nothing was run for {' and '.join(missing)}."


def _table(number: int, paper: PaperTable, cells: list[Cell]) -> Table:
    depths = sorted({*paper.rates, *(cell.ans_depth or 0 for cell in cells)})
    by_model: dict[str, dict[int, str]] = {}
    data = []
    for cell in cells:
        second = "" if cell.false_unknown is None else f" ({percent(cell.false_unknown)})"
        mark = "*" if cell.rate.n < FEW else ""
        by_model.setdefault(cell.model, {})[cell.ans_depth or 0] = (
            f"{with_interval(cell.rate)}{second}{mark}"
        )
        data.append(
            [cell.model, False, cell.ans_depth, cell.rate.value, cell.rate.ci_low, cell.rate.ci_high,
             cell.false_unknown, cell.rate.n]
        )  # fmt: skip
    for depth, row in paper.rates.items():
        for name, value in row.items():
            other = paper.second.get(depth, {}).get(name)
            data.append([name, True, depth, value, None, None, other, paper.n])
            second = "" if other is None else f" ({100 * other:.0f})"
            text = f"{percent(value)}{second}"
            by_model.setdefault(f"{name} (paper)", {})[depth] = text
    numbers = sorted({cell.rate.n for cell in cells})
    each = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    notes = [f"n = {each} problems a cell; the paper's cells have {paper.n}."]
    if number == 3:
        notes.append("In parentheses: called unknown.")
    if numbers[0] < FEW:
        notes.append(f"* Fewer than {FEW} problems.")
    columns = [
        "model", "from_paper", "ans_depth", "value", "ci_low", "ci_high", "false_unknown_rate", "problems",
    ]  # fmt: skip
    shown = [
        [model, *(row.get(depth, NOTHING) for depth in depths)] for model, row in by_model.items()
    ]
    return Table(
        f"table-{number}",
        f"Table {number}. {paper.title}, by ansDepth",
        pd.DataFrame(data, columns=columns),
        pd.DataFrame(shown, columns=["model", *(f"depth {depth}" for depth in depths)]),
        (" ".join(notes),),
    )
