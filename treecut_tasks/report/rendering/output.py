"""A report becomes files, or one text; tables as CSV and JSON are made here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from treecut_tasks.evaluation.review import inert
from treecut_tasks.files import check_outputs, made_folder, whole_file
from treecut_tasks.logs.untrusted import printable
from treecut_tasks.report.document import Document, Figure, Table
from treecut_tasks.report.evidence import Evidence, Progress
from treecut_tasks.report.rendering.every_eval_ever import every_eval_ever_files
from treecut_tasks.report.rendering.latex import latex_text
from treecut_tasks.report.rendering.markdown import markdown_text
from treecut_tasks.report.rendering.terminal import terminal_text

FORMAT_VERSION = 4
"""Changes whenever a column of CSV or JSON changes its meaning."""

_INTERNAL = ["judged", "sample", "words", "headline", "alike"]


def text_report(evidence: Evidence, document: Document, form: str, width: int, colour: bool) -> str:
    """The report in a format that is one text, without figures; for a terminal its first screen."""
    if form == "json":
        return _json(evidence, document, _frames(evidence, document))
    if form == "latex":
        return latex_text(document)
    if form == "markdown":
        return markdown_text(document)
    return terminal_text(document, width, colour)


def write_report(
    evidence: Evidence,
    document: Document,
    folder: Path,
    formats: Sequence[str],
    responses: int = 1000,
    progress: Progress = lambda _: None,
) -> list[Path]:
    """Write the files of some formats; figures come with Markdown and LaTeX.

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
        progress(f"writing {name}")
        with whole_file(path) as file:
            file.buffer.write(content if isinstance(content, bytes) else content.encode())
        written.append(path)
    return written


def _files(
    evidence: Evidence, document: Document, formats: Sequence[str], responses: int
) -> Iterator[tuple[str, str | bytes]]:
    frames = _frames(evidence, document)
    if "markdown" in formats:
        yield "report.md", markdown_text(document, lambda figure: f"{figure.name}.svg")
    if "html" in formats:
        from treecut_tasks.report.rendering.html import html_text

        yield "report.html", html_text(evidence, document, responses)
    if "json" in formats:
        yield "report.json", _json(evidence, document, frames)
    if "latex" in formats:
        yield "tables.tex", latex_text(document)
    if "every-eval-ever" in formats:
        yield from every_eval_ever_files(evidence, document)
    if "csv" in formats:
        for name, frame in frames.items():
            texts = frame.select_dtypes(["object", "string"])
            harmless = frame.assign(**texts.map(_harmless))
            yield f"{name}.csv", harmless.to_csv(index=False, lineterminator="\n")
    if {"markdown", "latex"} & set(formats):
        for figure in document.blocks(Figure):
            yield f"{figure.name}.svg", figure.svg
            yield f"{figure.name}.png", figure.png


def _frames(evidence: Evidence, document: Document) -> dict[str, pd.DataFrame]:
    """All tables with their numbers, by name."""
    responses = evidence.responses.drop(columns=_INTERNAL).assign(run=evidence.responses["run"] + 1)
    frames = {table.name: table.data for table in document.blocks(Table)}
    return {**frames, "cells": evidence.counted_cells, "responses": responses}


def _json(evidence: Evidence, document: Document, frames: dict[str, pd.DataFrame]) -> str:
    """The tables but that of responses, each a list of rows."""
    content = {
        "format_version": FORMAT_VERSION,
        "notices": document.notices,
        "models": {label: variant._asdict() for label, variant in evidence.variants.items()},
        **{
            name: json.loads(frame.to_json(orient="records", double_precision=15))
            for name, frame in frames.items()
            if name != "responses"
        },
        "left_out": [each._asdict() for each in evidence.left_out],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _harmless(value: Any) -> Any:
    return inert(printable(value)) if isinstance(value, str) else value
