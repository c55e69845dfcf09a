"""The Markdown view."""

from __future__ import annotations

import re
from collections.abc import Mapping

from treecut_tasks.report.document import Document, Facts, FigurePlace, Table, Text
from treecut_tasks.report.figures import Figure
from treecut_tasks.report.values import printable

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&@])")


def markdown_text(
    document: Document, figures: Mapping[str, Figure], files: Mapping[str, str]
) -> str:
    """The report as Markdown (GitHub's tables).

    Args:
        document: the report.
        figures: the figures by name.
        files: for each figure a path relative to the report; figures without one are left out.
    """
    parts = [f"# {document.title}"]
    parts += [f"> **{_escaped(notice)}**" for notice in document.notices]
    parts.append(_escaped(document.summary))
    for section in document.sections:
        parts.append(f"## {section.title}")
        for block in section.blocks:
            if isinstance(block, Text):
                parts.append(_escaped(block.text))
            elif isinstance(block, Table):
                parts += _table(block)
            elif isinstance(block, Facts):
                items = [f"- {_escaped(name)}: {_escaped(value)}" for name, value in block.items]
                parts += [f"**{_escaped(block.title)}**", "\n".join(items)]
            elif isinstance(block, FigurePlace) and block.name in files:
                figure = figures[block.name]
                parts.append(f"![{_escaped(figure.alt)}]({files[block.name]})")
                parts.append(_escaped(figure.caption))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> list[str]:
    align = [
        "---:" if table.numeric and index >= table.keys else "---"
        for index in range(len(table.heads))
    ]
    lines = [_row(table.heads), f"| {' | '.join(align)} |", *(_row(row) for row in table.rows)]
    return [
        f"**{_escaped(table.caption)}**",
        "\n".join(lines),
        *(_escaped(note) for note in table.notes),
    ]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(_escaped(cell) for cell in cells)} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    escaped = _SPECIAL.sub(r"\\\1", printable(text))
    # Addresses become links by themselves in some viewers, and `www.` does without a scheme.
    escaped = re.sub(r"(?i)(https?|ftp):", r"\1&#58;", escaped).replace("www.", "www&#46;")
    return escaped.replace("\r", " ").replace("\t", " ").replace("\n", "<br>")
