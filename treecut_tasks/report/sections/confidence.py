"""Scores under penalties, noticing, calibration, and what unanswerable problems cost: tables by model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from treecut_tasks.evaluation.calibration import (
    Calibration,
    Estimate,
    Stated,
    calibrate,
    reliability,
    resamples,
    risk_coverage,
)
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.penalties import TARGETS, estimate, is_right
from treecut_tasks.report.document import NOTHING, Figure, Section, Table
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import canvas_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_SCORES = (
    *(f"score_at_{target}" for target in TARGETS),
    "right_minus_wrong_index",
    "abstention_precision",
    "abstention_recall",
    "abstention_f1",
    "accuracy_given_attempted",
)
_NOTICING = (
    "noticed_rate",
    "answered_after_noticing_rate",
    "assumed_rate",
    "false_alarm_rate",
)
_CALIBRATION = ("brier", "calibration_error", "auroc", "risk_coverage_area")


def section(evidence: Evidence) -> Section:
    """Make the section."""
    return Section("Confidence and noticing", tuple(_blocks(evidence)))


def _blocks(evidence: Evidence) -> Iterator[Table | Figure]:
    frame = evidence.responses[evidence.responses["scored"]].copy()
    frame["cluster"] = frame["pair_id"].fillna(frame["problem_id"])
    groups = {str(model): rows for model, rows in frame.groupby("model", sort=True)}
    if not groups:
        return
    found = {
        model: estimate(_judged(rows), list(rows["cluster"]), np.random.default_rng(0))
        for model, rows in groups.items()
    }
    sizes = {model: len(rows) for model, rows in groups.items()}
    yield _table(
        "scores",
        "Scores under penalties",
        found,
        _SCORES,
        sizes,
        "Score at T: right +1, a wrong number -T / (100 - T), anything else 0; unknown is right where "
        "the problem is unanswerable. Abstention is measured over both kinds of problems.",
    )
    yield _table(
        "noticing",
        "Noticed that something is missing, and answered anyway",
        found,
        _NOTICING,
        sizes,
        "Noticed, answered after noticing, assumed: shares of unanswerable problems, read in all that the "
        "model wrote. False alarm: of answerable problems.",
    )
    stated = {
        model: rows for model, all_rows in groups.items() if len(rows := _stated(all_rows)) > 1
    }
    if stated:
        calibrations = {
            model: calibrate(rows, np.random.default_rng(0)) for model, rows in stated.items()
        }
        yield _table(
            "calibration",
            "Calibration of stated confidences",
            {model: _named(each) for model, each in calibrations.items()},
            _CALIBRATION,
            {model: len(rows) for model, rows in stated.items()},
            "n: responses that state a confidence. docs/confidence.md defines the measures.",
        )
        yield _figure(
            "reliability",
            "Share of right responses over stated confidence, equally filled bins",
            {model: [(x, y) for x, y, _ in reliability(rows)] for model, rows in stated.items()},
            ("stated confidence, %", "right, %"),
            diagonal=True,
        )
        yield _figure(
            "risk-coverage",
            "Share of wrong responses among the most confident ones",
            {model: risk_coverage(rows) for model, rows in stated.items()},
            ("answered, most confident first, %", "wrong among these, %"),
        )
    costs = {model: _cost(rows) for model, rows in groups.items()}
    if any(costs.values()):
        yield _table(
            "cost",
            "Output tokens on unanswerable against answerable members of the same pairs, ratio of means",
            {model: {"token_ratio": each} for model, each in costs.items() if each},
            ("token_ratio",),
            sizes,
            "Responses that a limit cut off are left out with their pair.",
        )


def _judged(rows: pd.DataFrame) -> Sequence[JudgedResponse]:
    return list(rows["judged"])


def _stated(rows: pd.DataFrame) -> list[Stated]:
    return [
        Stated(judged.confidence, is_right(judged), cluster)
        for judged, cluster in zip(rows["judged"], rows["cluster"], strict=True)
        if judged.confidence is not None
    ]


def _named(found: Calibration) -> dict[str, Estimate]:
    return {name: getattr(found, name) for name in _CALIBRATION}


def _cost(rows: pd.DataFrame) -> Estimate | None:
    """Ratio of mean output tokens by pair, with a bootstrap interval over pairs."""
    kept = rows[~rows["truncated"]].dropna(subset=["output_tokens"])
    pairs = kept.pivot_table("output_tokens", "pair_id", "unanswerable").dropna()
    if pairs.shape[1] < 2 or len(pairs) < 2 or not pairs[False].sum():
        return None
    weights = resamples(len(pairs), np.random.default_rng(0))
    return Estimate.of((weights @ pairs[True]) / (weights @ pairs[False]))


def _table(
    name: str,
    caption: str,
    found: Mapping[str, Mapping[str, Estimate]],
    columns: Sequence[str],
    sizes: Mapping[str, int],
    note: str,
) -> Table:
    data = [
        {"model": model, "responses": sizes[model]}
        | {
            f"{column}{end}": value
            for column in columns
            for end, value in zip(("", "_ci_low", "_ci_high"), each[column], strict=True)
        }
        for model, each in found.items()
    ]
    shown = [
        [model, str(sizes[model]), *(_text(each[column]) for column in columns)]
        for model, each in found.items()
    ]
    heads = ["model", "n", *(column.removesuffix("_rate").replace("_", " ") for column in columns)]
    return Table(name, caption, pd.DataFrame(data), pd.DataFrame(shown, columns=heads), (note,))


def _text(found: Estimate) -> str:
    if math.isnan(found.value):
        return NOTHING
    decimals = 0 if abs(found.value) >= 10 else 2
    value, low, high = (f"{each:.{decimals}f}" for each in found)
    return f"{value} [{low}, {high}]"


def _figure(
    name: str,
    caption: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    axes: tuple[str, str],
    diagonal: bool = False,
) -> Figure:
    words = [
        f"{model}: " + ", ".join(f"{100 * y:.0f} % at {100 * x:.0f} %" for x, y in points)
        for model, points in lines.items()
    ]
    alt = f"Line chart. {'. '.join(words)}."
    return Figure(name, f"{caption}.", alt, _drawing(lines, axes, diagonal))


def _drawing(
    lines: Mapping[str, Sequence[tuple[float, float]]], names: tuple[str, str], diagonal: bool
) -> Callable[[], Canvas]:
    def draw() -> Canvas:
        canvas = canvas_of(5.0, 4.2)
        axes = canvas.add_subplot()
        if diagonal:
            axes.plot([0, 100], [0, 100], color="0.6", linewidth=1)
        for model, points in lines.items():
            x, y = ([100 * value for value in values] for values in zip(*points, strict=True))
            axes.plot(x, y, marker="o", label=model)
        axes.set(xlabel=names[0], ylabel=names[1], xlim=(-3, 103), ylim=(-3, 103))
        canvas.legend(loc="outside lower center")
        return canvas

    return draw
