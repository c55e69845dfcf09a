"""The paper's numbers, from our own data file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml


class PaperTable(NamedTuple):
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


class PaperResults(NamedTuple):
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
    data = yaml.safe_load(
        (files("treecut_tasks.report") / "data" / "paper_results.yaml").read_text("utf-8")
    )

    def shares(rows: dict[int, list[float]]) -> dict[int, dict[str, float]]:
        return {
            depth: {name: value / 100 for name, value in zip(data["models"], values, strict=True)}
            for depth, values in rows.items()
        }

    tables = {
        number: PaperTable(
            table["title"],
            shares(table["percent"]),
            shares(table.get("percent_called_unknown", {})),
            table["problems_per_cell"],
        )
        for number, table in data["tables"].items()
    }
    return PaperResults(data["source"], data["models"], tables, data["findings"])
