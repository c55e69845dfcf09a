"""Where each model breaks: hallucinations by ans_depth or cut_depth become a fitted curve and a depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from treecut_tasks.evaluation.rates import rate
from treecut_tasks.psychometrics import Estimate, estimate
from treecut_tasks.report.document import Figure, Section, Table
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import canvas_of, error_bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

FEWEST = 20
"""With fewer problems, or at fewer than two depths, nothing is fitted."""

_NOTE = (
    "A number where none is determined, in problems with num_vars = ans_depth + 2 and composite names. The "
    "breaking depth is where a curve with floor and ceiling crosses one half, with its 95 % interval. A "
    "rise, fall or turn is shown if the responses are 20 times likelier with it (docs/breaking-depth.md)."
)


@dataclass(frozen=True)
class _Fit:
    """One curve: of a model, over ans_depth or, at one ans_depth, over cut_depth."""

    model: str
    fewshot: int
    ans_depth: int | None
    rows: pd.Series
    found: Estimate

    @property
    def name(self) -> str:
        shots = f", {self.fewshot} examples" if self.fewshot else ""
        return f"{self.model}{shots}"


def section(evidence: Evidence) -> Section:
    """Make the section."""
    fits = list(_fits(evidence.problems))
    if not fits:
        return Section("Breaking depth", ())
    over = {None: "ansDepth"} | {
        d: f"cutDepth, ansDepth {d}" for d in (f.ans_depth for f in fits) if d
    }
    data = pd.DataFrame(
        {
            "model": fit.model,
            "fewshot": fit.fewshot,
            "ans_depth": fit.ans_depth,
            "problems": sum(len(values) for values in fit.rows),
            "outcome": fit.found.outcome,
            "breaking_depth": fit.found.depth,
            "ci_low": fit.found.low,
            "ci_high": fit.found.high,
            "evidence": fit.found.evidence,
        }
        for fit in fits
    )
    shown = pd.DataFrame(
        [
            [fit.name, over[fit.ans_depth], str(n), str(fit.found)]
            for fit, n in zip(fits, data["problems"], strict=True)
        ],
        columns=["model", "over", "n", "finding"],
    )
    table = Table("breaking-depth", "Breaking depth", data, shown, (_NOTE,), words=2)
    figures = [
        Figure(
            "breaking-depth" + ("" if depth is None else f"-cuts-{depth}"),
            f"Hallucination over {axis}: fitted curves with 95 % bands, and what was counted",
            "; ".join(f"{fit.name}: {fit.found}" for fit in fits if fit.ans_depth == depth),
            lambda depth=depth, axis=axis: _draw(  # type: ignore[misc]
                [fit for fit in fits if fit.ans_depth == depth], axis
            ),
        )
        for depth, axis in over.items()
        if any(fit.ans_depth == depth for fit in fits)
    ]
    return Section("Breaking depth", (table, *figures))


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
        for key, rows in frame.groupby(keys):
            values = rows.groupby(axis)["hallucination_rate"].apply(list)
            values.index = values.index.astype(int)
            if len(values) < 2 or sum(map(len, values)) < FEWEST:
                continue
            counts = dict.fromkeys(range(values.index.min(), values.index.max() + 1), (0, 0))
            counts |= {d: (len(each), round(sum(each))) for d, each in values.items()}
            depth = int(key[2]) if axis == "cut_depth" else None
            yield _Fit(str(key[0]), int(key[1]), depth, values, estimate(counts))


def _draw(fits: list[_Fit], axis: str) -> Canvas:
    canvas = canvas_of(6.4, 3.6)
    axes = canvas.subplots()
    for number, fit in enumerate(fits):
        color = f"C{number % 10}"
        depths = list(fit.found.curve)
        low, middle, high = (
            [100 * getattr(each, end) for each in fit.found.curve.values()]
            for end in ("low", "value", "high")
        )
        axes.plot(depths, middle, color=color, label=fit.name)
        axes.fill_between(depths, low, high, color=color, alpha=0.15, linewidth=0)
        error_bars(axes, list(fit.rows.index), [rate(v) for v in fit.rows], fmt="o", color=color)
        if fit.found.depth is not None:
            axes.axvline(fit.found.depth, color=color, linestyle=":", linewidth=1)
    axes.axhline(50, color="gray", linewidth=0.8)
    axes.set(xlabel=axis, ylabel="hallucination, %", ylim=(-2, 102))
    axes.legend(fontsize="small")
    return canvas
