"""The first tables of a report as one screen of a terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from typing import ClassVar

from treecut_tasks.report.document import Document, Figure, Section, Table
from treecut_tasks.report.rendering.markdown import markdown_text

WIDTH, LINES = 100, 45
"""Size of the terminal view; fewer columns where the terminal is narrower."""

_NARROWEST = 60
_LABEL = 28
_BLANK = re.compile(r"\n(?:(?:\x1b\[[\d;]*m| )*\n){2,}")

# Rich breaks lines at every space; this is none to it, and as wide as one.
_NO_BREAK = "\N{BRAILLE PATTERN BLANK}"


def terminal_text(document: Document, width: int = WIDTH, colour: bool = False) -> str:
    """The first table, and as many of the next as fit on a screen with it."""
    tables = document.blocks(Table)
    more = (
        f"{len(tables)} tables and {len(document.blocks(Figure))} figures in all: -o FOLDER writes them, "
        "--format markdown prints the tables."
    )
    screen = ""
    for number in range(1, len(tables) + 1):
        shown = replace(document, title="", sections=(Section("", (*tables[:number], more)),))
        longer = _laid_out(markdown_text(shown), width, colour)
        if screen and longer.count("\n") > LINES:
            break
        screen = longer
    return screen


def _laid_out(markdown: str, width: int, colour: bool) -> str:
    from rich.cells import cell_len
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Markdown, TableElement
    from rich.table import Table

    class FoldedTable(TableElement):
        """A table that loses no text where it is too wide."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for part in super().__rich_console__(console, options):
                if isinstance(part, Table):
                    for column in part.columns:
                        column.overflow = "fold"
                    widest = max(cell_len(str(cell)) for cell in part.columns[0].cells)
                    part.columns[0].no_wrap = widest <= _LABEL
                yield part

    class OwnMarkdown(Markdown):
        """Markdown with these tables."""

        elements: ClassVar = {**Markdown.elements, "table_open": FoldedTable}

    # An interval that does not fit beside its value goes whole to the next line.
    markdown = re.sub(r"(?<=\d), (?=[-+\d.]+\\\])", f",{_NO_BREAK}", markdown)
    out = StringIO()
    console = Console(
        file=out,
        width=max(_NARROWEST, min(width, WIDTH)),
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    console.print(OwnMarkdown(markdown, hyperlinks=False))
    text = re.sub(r" +(?=\n)", "", out.getvalue().replace(_NO_BREAK, " "))
    return _BLANK.sub("\n\n", text).strip("\n") + "\n"
