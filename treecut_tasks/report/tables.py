"""The paper's Tables 1 to 3 in its layout, with the models of the logs beside the paper's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.report.cells import Cell
from treecut_tasks.report.paper import PaperResults

PAPER_FEWSHOT = 6
"""Worked examples of Table 2."""


@dataclass(frozen=True)
class Entry:
    """A cell of a table.

    Attributes:
        value: the share; None if no response has a verdict.
        ci_low: lower end of its 95 % interval; None for the paper's numbers.
        ci_high: upper end.
        second: the share in parentheses, in Table 3.
        n: number of problems.
        marks: letters, see `cells.MARKS`.
        responses: how many responses there are, those without a verdict included.
        errored: how many have no verdict.
        truncated: how many were cut off.
    """

    value: float | None
    ci_low: float | None
    ci_high: float | None
    second: float | None
    n: int
    marks: str = ""
    responses: int = 0
    errored: int = 0
    truncated: int = 0


@dataclass(frozen=True)
class Row:
    """One depth of a table: the entries that there are, by model, ours and the paper's."""

    measured: dict[str, Entry]
    paper: dict[str, Entry]


@dataclass(frozen=True)
class PaperLikeTable:
    """One table: rows are depths, columns are models.

    Attributes:
        number: 1, 2 or 3.
        title: what it shows.
        models: labels of the measured models.
        paper_models: short names of the paper's models.
        rows: for each ans_depth its entries.
    """

    number: int
    title: str
    models: tuple[str, ...]
    paper_models: tuple[str, ...]
    rows: dict[int, Row]

    @property
    def measured(self) -> bool:
        """Whether the logs hold anything for this table."""
        return bool(self.models)


def paper_like_tables(cells: Sequence[Cell], paper: PaperResults) -> tuple[PaperLikeTable, ...]:
    """Tables 1, 2 and 3."""
    choices: dict[int, Callable[[Cell], bool]] = {
        1: lambda cell: cell.unanswerable and cell.fewshot == 0,
        2: lambda cell: cell.unanswerable and cell.fewshot == PAPER_FEWSHOT,
        3: lambda cell: not cell.unanswerable and cell.fewshot == 0,
    }
    return tuple(
        _table(number, [cell for cell in cells if cell.as_in_tables and chosen(cell)], paper)
        for number, chosen in choices.items()
    )


def _table(number: int, cells: Sequence[Cell], paper: PaperResults) -> PaperLikeTable:
    source = paper.tables[number]
    rows: dict[int, Row] = {}
    for depth, by_model in source.rates.items():
        second = source.second.get(depth, {})
        entries = {
            name: Entry(value, None, None, second.get(name), source.n)
            for name, value in by_model.items()
        }
        rows[depth] = Row({}, entries)
    for cell in cells:
        if cell.ans_depth is not None:
            row = rows.setdefault(cell.ans_depth, Row({}, {}))
            row.measured[cell.model] = _entry(cell)
    return PaperLikeTable(
        number=number,
        title=source.title,
        models=tuple(dict.fromkeys(cell.model for cell in cells)),
        paper_models=tuple(paper.models),
        rows=dict(sorted(rows.items())),
    )


def _entry(cell: Cell) -> Entry:
    rate: Rate | None = cell.headline
    second = cell.rates.get("false_unknown")
    return Entry(
        value=None if rate is None else rate.value,
        ci_low=None if rate is None else rate.ci_low,
        ci_high=None if rate is None else rate.ci_high,
        second=None if cell.unanswerable or second is None else second.value,
        n=0 if rate is None else rate.n,
        marks=cell.marks,
        responses=cell.responses,
        errored=cell.errored,
        truncated=cell.truncated,
    )
