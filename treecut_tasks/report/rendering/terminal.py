"""Markdown as text for a terminal of at most 100 columns."""

from __future__ import annotations

import re
from io import StringIO
from typing import ClassVar

WIDTH = 100
"""Columns of the terminal view; fewer where the terminal is narrower."""

_NARROWEST = 60

# Rich breaks lines at every space; this is none to it, and as wide as one.
_NO_BREAK = "\N{BRAILLE PATTERN BLANK}"


def terminal_text(markdown: str, width: int = WIDTH, colour: bool = False) -> str:
    """Markdown laid out for a terminal."""
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
    text = out.getvalue().replace(_NO_BREAK, " ")
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
