"""The machine-readable formats: CSV files and one JSON file of the same tables."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from treecut_tasks.logs.untrusted import printable
from treecut_tasks.report.cells import cells_frame
from treecut_tasks.report.document import Document, Table
from treecut_tasks.report.evidence import Evidence

FORMAT_VERSION = 2
"""Changes whenever a column changes its meaning."""

# A spreadsheet takes a text that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def data_frames(evidence: Evidence, document: Document) -> dict[str, pd.DataFrame]:
    """All tables with their numbers, by name."""
    responses = evidence.responses.drop(columns=["judged", "sample", "words", "headline"])
    responses["run"] += 1
    frames = {table.name: table.data for table in document.blocks(Table)}
    return {**frames, "cells": cells_frame(evidence), "responses": responses}


def csv_files(frames: dict[str, pd.DataFrame]) -> dict[str, str]:
    """The tables as CSV, by name of the file."""
    return {
        f"{name}.csv": frame.map(_harmless).to_csv(index=False, lineterminator="\n")
        for name, frame in frames.items()
    }


def json_text(evidence: Evidence, document: Document, frames: dict[str, pd.DataFrame]) -> str:
    """The tables but that of responses as JSON, each a list of rows."""
    tables = {
        name: json.loads(frame.to_json(orient="records", double_precision=15))
        for name, frame in frames.items()
        if name != "responses"
    }
    content = {
        "format_version": FORMAT_VERSION,
        "notices": document.notices,
        "models": {
            label: {**variant._asdict(), "settings": dict(variant.settings)}
            for label, variant in evidence.variants.items()
        },
        **tables,
        "left_out": [each._asdict() for each in evidence.left_out],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _harmless(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
