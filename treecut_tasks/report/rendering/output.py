"""Writing a report: which files a format makes, and what goes to standard output."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from treecut_tasks.errors import TreecutError
from treecut_tasks.files import made_folder, whole_file
from treecut_tasks.report.build import Report
from treecut_tasks.report.document import make_document
from treecut_tasks.report.figures import make_figures
from treecut_tasks.report.reading import Progress
from treecut_tasks.report.rendering.files import csv_files, json_text
from treecut_tasks.report.rendering.markdown import markdown_text
from treecut_tasks.report.rendering.terminal import WIDTH, terminal_text


def terminal_report(report: Report, written: Mapping[str, Path], colour: bool) -> str:
    """The terminal view; figures are named where files of them were written."""
    figures = make_figures(report)
    paths = {name: str(written[f"{name}.png"]) for name in figures if f"{name}.png" in written}
    width = min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)
    return terminal_text(make_document(report, figures), paths, width, colour)


def text_report(report: Report, form: str) -> str:
    """The report in a format that is one text: markdown (without figures) or json."""
    if form == "json":
        return json_text(report)
    return markdown_text(make_document(report, ()), {}, {})


def write_report(
    report: Report, folder: Path, formats: Sequence[str], responses: int, progress: Progress
) -> dict[str, Path]:
    """Write the files of some formats; figures come with Markdown, CSV and HTML.

    Args:
        report: the report.
        folder: where to; made if it does not exist.
        formats: some of markdown, csv, json, html.
        responses: how many responses can be read in the HTML file.
        progress: told about every file.

    Returns:
        The path of each file by its name.

    Raises:
        TreecutError: a file cannot be written.
    """
    folder = made_folder(str(folder))
    figures = make_figures(report)
    document = make_document(report, figures)
    written: dict[str, Path] = {}

    def write(name: str, content: str) -> None:
        with whole_file(str(folder / name)) as file:
            file.write(content)
        written[name] = folder / name

    if set(formats) & {"markdown", "csv", "html"}:
        for name, figure in figures.items():
            progress(0, 1, f"drawing {name}")
            write(f"{name}.svg", figure.render("svg").decode("utf-8"))
            written[f"{name}.png"] = _write_bytes(folder / f"{name}.png", figure.render("png"))
    if "markdown" in formats:
        files = {name: f"{name}.svg" for name in figures}
        write("report.md", markdown_text(document, figures, files))
    if "json" in formats:
        write("report.json", json_text(report))
    if "csv" in formats:
        for name, content in csv_files(report).items():
            write(name, content)
    if "html" in formats:
        from treecut_tasks.report.rendering.html import html_text

        progress(0, 1, "writing report.html")
        write("report.html", html_text(report, document, figures, responses))
    return written


def _write_bytes(path: Path, content: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise TreecutError(
            f"{str(path)!r} cannot be written ({error.strerror}): give a folder with -o that you may "
            "write to."
        ) from error
    return path
