"""The terminal view: at most 100 columns, whatever models and tasks are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text as RichText

from treecut_tasks.report.document import NOTHING, Document, Facts, FigurePlace, Table, Text
from treecut_tasks.report.values import printable

WIDTH = 100
"""Columns of the terminal view; fewer where the terminal is narrower."""

_NARROWEST = 60
_SHORTEST_COLUMN = 10
_LONGEST_KEY = 26
_LONGEST_COLUMN = 30
_STYLES = {"holds": "bold green", "does not hold": "bold red", "not enough data": "yellow"}


def terminal_text(
    document: Document, figures: Mapping[str, str], width: int = WIDTH, colour: bool = False
) -> str:
    """The report as text for a terminal.

    Args:
        document: the report.
        figures: for each figure the path of a file that shows it; figures without one are left out.
        width: columns of the terminal.
        colour: whether escape sequences for colours may be used.
    """
    out = StringIO()
    console = Console(
        file=out,
        width=max(_NARROWEST, min(width, WIDTH)),
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    console.print(RichText(document.title, style="bold"))
    for notice in document.notices:
        console.print(RichText(printable(notice), style="bold yellow"))
    console.print(RichText(printable(document.summary)))
    for section in document.sections:
        console.print()
        console.rule(RichText(section.title, style="bold"), align="left", characters="─")
        for block in section.blocks:
            if isinstance(block, Text):
                console.print(RichText(printable(block.text)))
            elif isinstance(block, FigurePlace):
                if block.name in figures:
                    console.print(RichText(f"Figure: {printable(figures[block.name])}"))
            elif isinstance(block, Facts):
                _print_facts(console, block)
            else:
                _print_table(console, block)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _print_facts(console: Console, facts: Facts) -> None:
    console.print()
    console.print(RichText(printable(facts.title), style="bold"))
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in facts.items:
        grid.add_row(RichText(name), RichText(printable(value)))
    console.print(grid)


def _print_table(console: Console, table: Table) -> None:
    console.print()
    console.print(RichText(printable(table.caption), style="bold"))
    for columns in _fitting(table, console.width):
        console.print(_rich_table(table, columns))
    for note in table.notes:
        console.print(RichText(printable(note), style="dim"))


def _fitting(table: Table, width: int) -> Iterable[Sequence[int]]:
    """Split the columns into groups that fit, each with the columns that say what a row is.

    Columns of words may become narrower, so tables of words are not split.
    """
    keys = list(range(table.keys))
    others = list(range(table.keys, len(table.heads)))
    if not table.numeric:
        yield keys + others
        return
    used = start = sum(min(_width(table, index), _LONGEST_KEY) + 3 for index in keys) + 1
    group: list[int] = []
    for index in others:
        needed = min(_width(table, index), _LONGEST_COLUMN) + 3
        if group and used + needed > width:
            yield keys + group
            group, used = [], start
        group.append(index)
        used += needed
    yield keys + group


def _width(table: Table, index: int) -> int:
    """Width of a column: its longest line, or the longest word of its head."""
    lines = [line for row in table.rows for line in row[index].split("\n")]
    words = table.heads[index].split()
    return max((cell_len(text) for text in (*lines, *words)), default=_SHORTEST_COLUMN)


def _rich_table(table: Table, columns: Sequence[int]) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for index in columns:
        head = printable(table.heads[index])
        shown.add_column(
            RichText(head),
            justify="right" if table.numeric and index >= table.keys else "left",
            overflow="fold",
            min_width=min(_SHORTEST_COLUMN, max(cell_len(word) for word in head.split())),
        )
    rows = [[row[index] for index in columns] for row in table.rows]
    if len(columns) < len(table.heads) and table.keys > 1:
        # A part of a split table needs no rows that have nothing in it.
        rows = [row for row in rows if any(cell != NOTHING for cell in row[table.keys :])]
    several_lines = any("\n" in cell for row in rows for cell in row)
    for row in rows:
        shown.add_row(
            *(RichText(printable(cell), style=_STYLES.get(cell, "")) for cell in row),
            end_section=several_lines and not table.numeric,
        )
    return shown
