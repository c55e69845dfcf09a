"""The paper's numbers and claims, from our own data file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import pandas as pd
import yaml


class PaperTable(NamedTuple):
    """A table of the paper.

    Attributes:
        title: what it shows, in our words.
        rows: `model`, `ans_depth`, and as shares from 0 to 1 `value` and, in Table 3, `false_unknown_rate`.
        problems: number of problems behind a cell.
    """

    title: str
    rows: pd.DataFrame
    problems: int


class Claim(NamedTuple):
    """A claim of the paper in our words, what its effect is measured in and needs, and what was found."""

    sentence: str
    unit: str
    needs: str
    finding: str


class PaperResults(NamedTuple):
    """What the paper reports: where, tables by number, and claims."""

    source: str
    tables: dict[int, PaperTable]
    claims: dict[str, Claim]


@cache
def paper_results() -> PaperResults:
    """The paper's numbers and claims."""
    path = files("treecut_tasks.report") / "data" / "paper_results.yaml"
    data = yaml.safe_load(path.read_text("utf-8"))

    def table(given: dict[str, Any]) -> PaperTable:
        shares = {
            name: pd.DataFrame.from_dict(given[key], orient="index", columns=[*data["models"]])
            for name, key in {
                "value": "percent",
                "false_unknown_rate": "percent_called_unknown",
            }.items()
            if key in given
        }
        rows = pd.DataFrame({name: each.unstack() / 100 for name, each in shares.items()})
        rows = rows.rename_axis(["model", "ans_depth"]).reset_index()
        return PaperTable(given["title"], rows, given["problems_per_cell"])

    tables = {number: table(given) for number, given in data["tables"].items()}
    claims = {name: Claim(**claim) for name, claim in data["claims"].items()}
    return PaperResults(data["source"], tables, claims)
