"""Writing a report: which files a format makes, and what goes to standard output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from treecut_tasks.files import check_outputs, made_folder, whole_binary_file
from treecut_tasks.report.document import Document, Figure
from treecut_tasks.report.evidence import Evidence, Progress
from treecut_tasks.report.rendering.every_eval_ever import every_eval_ever_files
from treecut_tasks.report.rendering.files import csv_files, data_frames, json_text
from treecut_tasks.report.rendering.latex import latex_text
from treecut_tasks.report.rendering.markdown import markdown_text
from treecut_tasks.report.rendering.terminal import terminal_text

FORMATS = ("terminal", "markdown", "html", "csv", "json", "latex", "every-eval-ever")
"""The formats of a report."""

ON_STANDARD_OUTPUT = ("terminal", "markdown", "json", "latex")
"""Those that are one text."""


def text_report(evidence: Evidence, document: Document, form: str, width: int, colour: bool) -> str:
    """The report in a format that is one text, without figures.

    Args:
        evidence: what the report is made of.
        document: the report.
        form: one of `ON_STANDARD_OUTPUT`.
        width: columns of the terminal.
        colour: whether escape sequences for colours may be used.
    """
    if form == "json":
        return json_text(evidence, document, data_frames(evidence, document))
    if form == "latex":
        return latex_text(document)
    markdown = markdown_text(document)
    return markdown if form == "markdown" else terminal_text(markdown, width, colour)


def write_report(
    evidence: Evidence,
    document: Document,
    folder: Path,
    formats: Sequence[str],
    responses: int = 1000,
    progress: Progress = lambda *_: None,
) -> list[Path]:
    """Write the files of some formats; figures come with Markdown and LaTeX.

    Args:
        evidence: what the report is made of.
        document: the report.
        folder: where to; made if it does not exist.
        formats: some of `FORMATS`.
        responses: how many responses can be read in the HTML file.
        progress: told about every file.

    Returns:
        The paths of the files.

    Raises:
        TreecutError: a file cannot be written, or one that was read would be replaced.
    """
    read = [run.path for run in evidence.runs] + [each.path for each in evidence.left_out]
    logs = [path for path in read if Path(path).is_file()]
    written = []
    for name, content in _files(evidence, document, formats, responses):
        path = folder / name
        check_outputs([path], logs)
        made_folder(str(path.parent))
        progress(0, 1, f"writing {name}")
        with whole_binary_file(path) as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        written.append(path)
    return written


def _files(
    evidence: Evidence, document: Document, formats: Sequence[str], responses: int
) -> Iterator[tuple[str, str | bytes]]:
    frames = data_frames(evidence, document)
    if "markdown" in formats:
        yield "report.md", markdown_text(document, lambda figure: f"{figure.name}.svg")
    if "html" in formats:
        from treecut_tasks.report.rendering.html import html_text

        yield "report.html", html_text(evidence, document, responses)
    if "json" in formats:
        yield "report.json", json_text(evidence, document, frames)
    if "latex" in formats:
        yield "tables.tex", latex_text(document)
    if "every-eval-ever" in formats:
        yield from every_eval_ever_files(evidence, document)
    if "csv" in formats:
        yield from csv_files(frames).items()
    if {"markdown", "latex"} & set(formats):
        for figure in document.blocks(Figure):
            yield f"{figure.name}.svg", figure.render("svg")
            yield f"{figure.name}.png", figure.render("png")
