"""The report as Markdown, from which all formats for reading are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from treecut_tasks.logs.untrusted import printable
from treecut_tasks.report.document import Block, Document, Figure, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!&@])")


def markdown_text(document: Document, file_of: Callable[[Figure], str] | None = None) -> str:
    """The report as Markdown with GitHub's tables; text from logs stands in it as it is."""
    return "\n\n".join(_parts(document, file_of)) + "\n"


def _parts(document: Document, file_of: Callable[[Figure], str] | None) -> Iterator[str]:
    if document.title:
        yield f"# {_escaped(document.title)}"
    yield from (f"**{_escaped(notice)}**" for notice in document.notices)
    yield _escaped(document.summary)
    for section in document.sections:
        parts = [part for block in section.blocks for part in _block(block, file_of)]
        if parts and section.title:
            yield f"## {_escaped(section.title)}"
        yield from parts


def _block(block: Block, file_of: Callable[[Figure], str] | None) -> Iterator[str]:
    if isinstance(block, str):
        yield _escaped(block)
    elif isinstance(block, Table):
        yield f"### {_escaped(block.caption)}"
        yield _table(block)
        if block.note:
            yield _escaped(block.note)
    elif file_of is not None:
        yield f"![{_escaped(block.alt)}]({file_of(block)})"
        yield f"*{_escaped(block.caption)}*"


def _table(table: Table) -> str:
    heads = [str(head) for head in table.shown.columns]
    align = ["---" if index < table.words else "---:" for index in range(len(heads))]
    rows: list[Sequence[object]] = [heads, *table.shown.itertuples(index=False, name=None)]
    lines = [f"| {' | '.join(_escaped(str(cell)) for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"| {' | '.join(align)} |", *lines[1:]])


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    escaped = _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))
    # A line that begins so would be a list; and addresses become links by themselves in some viewers.
    escaped = re.sub(r"^(\d{1,9})([.)])(?=\s|$)|^([-+=])", r"\1\\\2\3", escaped)
    return re.sub(r"(?i)(https?|ftp):", r"\1&#58;", escaped).replace("www.", "www&#46;")
