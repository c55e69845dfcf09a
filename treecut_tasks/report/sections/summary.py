"""The summary: evidence becomes one row of rates for each model, and the figure of Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.report.cells import make_cells
from treecut_tasks.report.document import (
    Figure,
    Section,
    Table,
    asked_name,
    percent,
    show,
    spread,
    with_interval,
)
from treecut_tasks.report.evidence import CONFIGURATION, Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.paper import paper_results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NOTE = (
    "Paper's rate: hallucination by the paper's rule, as in its tables (no “unknown” after the last "
    "“answer”). Number, unknown, none: how responses to unanswerable problems end for a careful reader; "
    "a number is a hallucination. Accuracy: of answerable problems. Pairs: solved, that is, unknown to the "
    "unanswerable member, the right number to the other. Format: responses whose last line is the one that "
    "the prompt asks for. n: unanswerable + answerable problems."
)
_UNLIKE = (
    "Not all rows are of the same configurations of problems, which these rates depend on: to compare, read "
    "the tables by depth."
)
_HEADS = {
    "number": "hallucination_rate",
    "unknown": "unknown_rate",
    "none": "no_answer_rate",
    "accuracy": "accuracy",
    "pairs": "pair_solved_rate",
    "format": "format_followed_rate",
}


def section(evidence: Evidence) -> Section:
    """Make the section."""
    figure = _figure(make_cells(evidence.problems))
    table = [_table(evidence)] if len(evidence.answers) else []
    return Section("Summary", (*table, *_names(evidence), *figure))


def _table(evidence: Evidence) -> Table:
    keys = ["model", "fewshot"]
    problems = dict([*evidence.problems.groupby(keys)])
    pairs = dict([*evidence.pairs.groupby(keys)])
    data, asked = [], set()
    for key, responses in evidence.answers.groupby(keys):
        own = problems.get(key, evidence.problems[:0])
        kinds_asked = own[["unanswerable", *CONFIGURATION]].drop_duplicates().astype(str)
        asked.add(frozenset(kinds_asked.itertuples(index=False, name=None)))
        solved = pairs.get(key, evidence.pairs[:0])["pair_solved_rate"]
        kinds = {True: own[own["unanswerable"]], False: own[~own["unanswerable"]]}
        followed = responses.loc[responses["scored"], "tier"] == "contract"
        row = dict(zip(keys, key, strict=True))
        row |= {"unanswerable_problems": len(kinds[True]), "answerable_problems": len(kinds[False])}
        row["pairs"] = len(solved)
        for name in (
            "paper_hallucination_rate",
            "hallucination_rate",
            "unknown_rate",
            "no_answer_rate",
        ):
            row |= spread(name, _rate(kinds[True][name]))
        row |= spread("accuracy", _rate(kinds[False]["accuracy"]))
        row |= spread("pair_solved_rate", _rate(solved))
        row |= spread("format_followed_rate", _rate(followed.astype(float)))
        data.append(row)
    frame = pd.DataFrame(data)
    heads: dict[str, Callable[[Any], str]] = {
        "model": lambda row: asked_name(row.model, row.fewshot),
        "n": lambda row: " + ".join(
            str(n) for n in (row.unanswerable_problems, row.answerable_problems) if n
        ),
        "paper's rate": lambda row: with_interval(
            row.paper_hallucination_rate,
            row.paper_hallucination_rate_ci_low,
            row.paper_hallucination_rate_ci_high,
        ),
    }
    heads |= {
        head: lambda row, name=name: percent(getattr(row, name))  # type: ignore[misc]
        for head, name in _HEADS.items()
    }
    notes = (_NOTE, _UNLIKE) if len(asked) > 1 else (_NOTE,)
    return Table("summary", "All models", frame, show(frame, heads), notes)


def _rate(values: pd.Series) -> Rate | None:
    return rate(values.tolist()) if len(values) else None


def _names(evidence: Evidence) -> Iterator[str]:
    """What a label means, where the logs have another name or the settings tell models apart."""
    meanings = []
    for label, variant in evidence.variants.items():
        meaning = [name for name in variant.logged_as if name != label]
        meaning += [variant.differences] if variant.differences else []
        if meaning:
            meanings.append(f"{label}: {', '.join(meaning)}")
    if meanings:
        yield f"In the logs: {'; '.join(meanings)}."


def _figure(cells: pd.DataFrame) -> Iterator[Figure]:
    """Table 1 as lines: the measured models in colours, the paper's in grey."""
    cells = cells[cells["unanswerable"] & (cells["fewshot"] == 0) & cells["as_in_tables"]]
    lines = [
        Line(str(model), list(zip(rows["ans_depth"].astype(int), rows["found"], strict=True)))
        for model, rows in cells.groupby("model")
    ]
    if not lines:
        return
    paper = pd.DataFrame.from_dict(paper_results().tables[1].rates, orient="index") * 100
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
