"""Markdown as text for a terminal of at most 100 columns."""

from __future__ import annotations

from io import StringIO
from typing import ClassVar

WIDTH = 100
"""Columns of the terminal view; fewer where the terminal is narrower."""

_NARROWEST = 60


def terminal_text(markdown: str, width: int = WIDTH, colour: bool = False) -> str:
    """Markdown laid out for a terminal.

    Args:
        markdown: the report.
        width: columns of the terminal.
        colour: whether escape sequences for colours may be used.
    """
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
                yield part

    class OwnMarkdown(Markdown):
        """Markdown with these tables."""

        elements: ClassVar = {**Markdown.elements, "table_open": FoldedTable}

    out = StringIO()
    console = Console(
        file=out,
        width=max(_NARROWEST, min(width, WIDTH)),
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    console.print(OwnMarkdown(markdown, hyperlinks=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
