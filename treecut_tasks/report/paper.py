"""The paper's numbers, from our own data file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Attributes:
        title: what it shows, in our words.
        rates: for each ans_depth and model, the share in the table, from 0 to 1.
        second: the share in parentheses, where the table has one.
        n: number of problems behind a cell.
    """

    title: str
    rates: dict[int, dict[str, float]]
    second: dict[int, dict[str, float]]
    n: int


@dataclass(frozen=True)
class PaperResults:
    """What the paper reports.

    Attributes:
        source: where the numbers are from.
        models: short names as in the tables, with the full names.
        tables: the tables by number.
        findings: for each claim, what the paper found, in our words.
    """

    source: str
    models: dict[str, str]
    tables: dict[int, PaperTable]
    findings: dict[str, str]


@cache
def paper_results() -> PaperResults:
    """The paper's numbers."""
    text = (files("treecut_tasks.report") / "data" / "paper_results.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    names = list(data["models"])
    tables = {
        number: PaperTable(
            title=table["title"],
            rates=_shares(table["percent"], names),
            second=_shares(table.get("percent_called_unknown", {}), names),
            n=table["problems_per_cell"],
        )
        for number, table in data["tables"].items()
    }
    return PaperResults(data["source"], dict(data["models"]), tables, dict(data["findings"]))


def _shares(rows: dict[int, list[float]], names: list[str]) -> dict[int, dict[str, float]]:
    return {
        depth: {
            name: math.nan if value is None else value / 100
            for name, value in zip(names, values, strict=True)
        }
        for depth, values in rows.items()
    }
