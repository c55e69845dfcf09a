"""Where each model breaks: hallucinations by ans_depth or cut_depth become a fitted curve and a depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from treecut_tasks.evaluation.rates import rate
from treecut_tasks.psychometrics import Estimate, estimate
from treecut_tasks.report.document import Figure, Section, Table, asked_name
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST_FITTED = 20
"""With fewer problems, or at fewer than two depths, nothing is fitted."""

_NOTE = (
    "A number where none is determined, in problems with num_vars = ans_depth + 2 and composite names. The "
    "breaking depth is where a curve with floor and ceiling crosses one half, with its 95 % interval. A "
    "rise, fall or turn is shown if the responses are 20 times likelier with it (docs/breaking-depth.md)."
)


class _Fit(NamedTuple):
    """One curve: of a model, over ans_depth or, at one ans_depth, over cut_depth."""

    model: str
    fewshot: int
    ans_depth: int | None
    values: pd.Series
    found: Estimate

    @property
    def name(self) -> str:
        return asked_name(self.model, self.fewshot)

    @property
    def over(self) -> str:
        return "ansDepth" if self.ans_depth is None else f"cutDepth, ansDepth {self.ans_depth}"


def section(evidence: Evidence) -> Section:
    """Make the section."""
    fits = list(_fits(evidence.problems))
    rows = [
        {
            "model": fit.model,
            "fewshot": fit.fewshot,
            "ans_depth": fit.ans_depth,
            "problems": sum(map(len, fit.values)),
            "outcome": fit.found.outcome,
            "breaking_depth": fit.found.depth,
            "ci_low": fit.found.low,
            "ci_high": fit.found.high,
            "evidence": fit.found.evidence,
        }
        for fit in fits
    ]
    names = {
        "model": [fit.name for fit in fits],
        "over": [fit.over for fit in fits],
        "n": [str(row["problems"]) for row in rows],
        "finding": [str(fit.found) for fit in fits],
    }
    data, shown = pd.DataFrame(rows), pd.DataFrame(names)
    table = Table("breaking-depth", "Fitted curves", data, shown, _NOTE, words=2)
    over = dict.fromkeys(fit.over for fit in fits)
    figures = [_figure([fit for fit in fits if fit.over == axis]) for axis in over]
    return Section("Breaking depth", (table, *figures) if fits else ())


def _fits(problems: pd.DataFrame) -> Iterator[_Fit]:
    usual = problems[
        problems["unanswerable"]
        & problems["composite_name"].eq(True)
        & problems["num_vars"].eq(problems["ans_depth"] + 2)
    ]
    middle = usual[usual["cut_depth"].eq(usual["ans_depth"] // 2)]
    for axis, frame, keys in (
        ("ans_depth", middle, ["model", "fewshot"]),
        ("cut_depth", usual, ["model", "fewshot", "ans_depth"]),
    ):
        for (model, fewshot, *at), rows in frame.groupby(keys):
            values = rows.groupby(axis)["hallucination_rate"].apply(list)
            values.index = values.index.astype(int)
            if len(values) < 2 or sum(map(len, values)) < FEWEST_FITTED:
                continue
            counts = dict.fromkeys(range(values.index.min(), values.index.max() + 1), (0, 0))
            counts |= {depth: (len(each), round(sum(each))) for depth, each in values.items()}
            depth = int(at[0]) if at else None
            yield _Fit(str(model), int(fewshot), depth, values, estimate(counts))


def _figure(fits: list[_Fit]) -> Figure:
    def curves(axes: Axes) -> None:
        for number, (*_, found) in enumerate(fits):
            color, depths = f"C{number % 10}", list(found.curve)
            low, middle, high = (
                [100 * getattr(each, end) for each in found.curve.values()]
                for end in ("low", "value", "high")
            )
            axes.plot(depths, middle, color=color)
            axes.fill_between(depths, low, high, color=color, alpha=0.15, linewidth=0)
            if found.depth is not None:
                axes.axvline(found.depth, color=color, linestyle=":", linewidth=1)
        axes.axhline(50, color="gray", linewidth=0.8)

    lines = [
        Line(
            f"{fit.name} ({fit.found})",
            [(depth, rate(each)) for depth, each in fit.values.items()],
            {"linestyle": "", "color": f"C{number % 10}"},
        )
        for number, fit in enumerate(fits)
    ]
    depth, over = fits[0].ans_depth, fits[0].over
    return line_chart(
        "breaking-depth" + ("" if depth is None else f"-cuts-{depth}"),
        f"Hallucination over {over}: fitted curves with 95 % bands, and what was counted.",
        [Panel("", lines, curves)],
        over,
        "hallucination, %",
    )
