"""The summary: evidence becomes one row of rates for each model, and the figure of Table 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from treecut_tasks.report.cells import CONFIGURATION
from treecut_tasks.report.document import (
    Figure,
    Row,
    Section,
    Table,
    asked_name,
    cell,
    percent,
    with_interval,
)
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.paper import paper_results
from treecut_tasks.report.statistics import rate_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NOTE = (
    "Paper's rate: hallucination by the paper's rule. Number (a hallucination), unknown, none: how responses "
    "to unanswerable problems end. Accuracy: of answerable problems. Pairs: both members right. Format: the "
    "answer's line is as the prompt asks. n: unanswerable + answerable problems."
)
_UNLIKE = " Not all rows are of the same configurations of problems: compare them by depth."
_SEARCHED = " Problems that breaking_depth chose are among them, but not in the paper's tables."
_UNANSWERABLE = ("paper_hallucination_rate", "hallucination_rate", "unknown_rate", "no_answer_rate")


def section(evidence: Evidence) -> Section:
    """Make the section."""
    table = [_table(evidence)] if len(evidence.answers) else []
    return Section("Summary", (*table, *_figure(evidence.cells)))


def _table(evidence: Evidence) -> Table:
    keys = ["model", "fewshot"]
    pairs = dict([*evidence.pairs.groupby(keys)])
    rows, structures = [], set()
    for model, fewshot in evidence.answers.groupby(keys).groups:
        own = evidence.asked_alike(evidence.problems, model, fewshot)
        responses = evidence.asked_alike(evidence.scored, model, fewshot)
        structure = own[["unanswerable", *CONFIGURATION]].drop_duplicates().astype(str)
        structures.add(frozenset(structure.itertuples(index=False, name=None)))
        solved = pairs.get((model, fewshot), evidence.pairs[:0])["pair_solved_rate"]
        unanswerable, answerable = own[own["unanswerable"]], own[~own["unanswerable"]]
        followed = responses["tier"] == "contract"
        rows.append(
            {"model": model, "fewshot": fewshot}
            | {"unanswerable_problems": len(unanswerable), "answerable_problems": len(answerable)}
            | {"pairs": len(solved)}
            | {name: rate_of(unanswerable[name]) for name in _UNANSWERABLE}
            | {"accuracy": rate_of(answerable["accuracy"])}
            | {"pair_solved_rate": rate_of(solved)}
            | {"format_followed_rate": rate_of(followed.astype(float))}
        )
    heads = {
        "model": lambda row: asked_name(row["model"], row["fewshot"]),
        "n": _sizes,
        "paper's rate": cell("paper_hallucination_rate", with_interval),
        "number": cell("hallucination_rate", percent),
        "unknown": cell("unknown_rate", percent),
        "none": cell("no_answer_rate", percent),
        "accuracy": cell("accuracy", percent),
        "pairs": cell("pair_solved_rate", percent),
        "format": cell("format_followed_rate", percent),
    }
    note = _NOTE + (_UNLIKE if len(structures) > 1 else "")
    note += _SEARCHED if len(evidence.problems) > len(evidence.set_problems) else ""
    return Table.of("summary", "Rates by model", rows, heads, note)


def _sizes(row: Row) -> str:
    sizes = [row["unanswerable_problems"], row["answerable_problems"]]
    return " + ".join(str(n) for n in sizes if n)


def _figure(cells: pd.DataFrame) -> Iterator[Figure]:
    """Table 1 as lines: the measured models in colours, the paper's in grey."""
    cells = cells[cells["unanswerable"] & (cells["fewshot"] == 0) & cells["as_in_tables"]]
    lines = [
        Line(str(model), list(zip(rows["ans_depth"].astype(int), rows["found"], strict=True)))
        for model, rows in cells.groupby("model")
    ]
    if not lines:
        return
    rows = paper_results().tables[1].rows
    paper = 100 * rows.pivot(index="ans_depth", columns="model", values="value")
    end = max(paper.index.max(), cells["ans_depth"].max())

    def papers_lines(axes: Axes) -> None:
        axes.plot(paper.index, paper, color="0.6", linewidth=1, zorder=1)
        place = -5.0
        for name, at_last in paper.iloc[-1].sort_values().items():
            # Names stand apart even where lines end together.
            place = max(place + 4.5, at_last)
            axes.text(end + 0.15, place, str(name), color="0.5", fontsize=8, va="center")
        axes.set_xlim(paper.index.min() - 0.3, end + 1.2)

    yield line_chart(
        "figure-1",
        "Hallucination rate by the paper's rule over ansDepth, as in Table 1, with 95 % intervals; grey: the "
        "models of the paper.",
        [Panel("", lines, papers_lines)],
        "ansDepth",
        "hallucination, %",
    )
