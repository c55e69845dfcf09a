"""The paper's numbers and claims, from our own data file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml

_Shares = dict[int, dict[str, float]]


class PaperTable(NamedTuple):
    """A table of the paper.

    Attributes:
        title: what it shows, in our words.
        rates: for each ans_depth and model, the share in the table, from 0 to 1.
        second: the share in parentheses, where the table has one.
        n: number of problems behind a cell.
    """

    title: str
    rates: _Shares
    second: _Shares
    n: int


class Claim(NamedTuple):
    """A claim of the paper in our words, what its effect is measured in and needs, and what was found."""

    sentence: str
    unit: str
    needs: str
    finding: str


class PaperResults(NamedTuple):
    """What the paper reports: where, its models (short and full names), tables by number, and claims."""

    source: str
    models: dict[str, str]
    tables: dict[int, PaperTable]
    claims: dict[str, Claim]


@cache
def paper_results() -> PaperResults:
    """The paper's numbers and claims."""
    data = yaml.safe_load(
        (files("treecut_tasks.report") / "data" / "paper_results.yaml").read_text("utf-8")
    )

    def shares(rows: dict[int, list[float]]) -> _Shares:
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
    claims = {name: Claim(**claim) for name, claim in data["claims"].items()}
    return PaperResults(data["source"], data["models"], tables, claims)
