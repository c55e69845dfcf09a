"""The tables of a report in LaTeX, with booktabs."""

from __future__ import annotations

from treecut_tasks.logs.untrusted import printable
from treecut_tasks.report.document import Document, Table

_HEAD = "% Made by treecut report. \\usepackage{booktabs}; with pdfLaTeX also \\usepackage[utf8]{inputenc}.\n"
_SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
    **{character: f"${character}$" for character in "<>|"},
    # At the start of a row it would belong to the end of the last one.
    "[": "{[}",
    "–": "--",
    "−": "$-$",
}


def latex_text(document: Document) -> str:
    """All tables, each in an environment of its own with caption and label; the notes are comments."""
    return "\n".join([_HEAD, *map(_table, document.blocks(Table))])


def _table(table: Table) -> str:
    shown = table.shown.rename(columns=_escaped).map(lambda cell: _escaped(str(cell)))
    latex: str = shown.style.hide(axis="index").to_latex(
        hrules=True,
        position="htbp",
        position_float="centering",
        column_format="l" * table.words + "r" * (len(shown.columns) - table.words),
        caption=_escaped(table.caption),
        label=f"tab:treecut-{table.name}",
    )
    return f"% {printable(table.note)}\n{latex}" if table.note else latex


def _escaped(text: str) -> str:
    line = " ".join(printable(text).split())
    return "".join(_SPECIAL.get(character, character) for character in line)
