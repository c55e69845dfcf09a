"""Scores under penalties, noticing, calibration, and what unanswerable problems cost: tables by model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from treecut_tasks.evaluation.calibration import (
    Estimate,
    Stated,
    calibrate,
    reliability,
    resamples,
    risk_coverage,
)
from treecut_tasks.evaluation.penalties import TARGETS, estimate, is_right
from treecut_tasks.report.document import NOTHING, Figure, Section, Table, spread
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.sections.endings import ENDINGS, in_words, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SCORES = tuple(f"score_at_{target}" for target in TARGETS)
_ABSTENTION = (
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
    frame = evidence.scored
    frame = frame.assign(cluster=frame["pair_id"].fillna(frame["problem_id"]))
    return Section("Confidence and noticing", tuple(_blocks(frame)))


def _blocks(frame: pd.DataFrame) -> Iterator[Table | Figure]:
    groups = {str(model): rows for model, rows in frame.groupby("model")}
    if not groups:
        return
    sizes = {model: len(rows) for model, rows in groups.items()}
    found = {
        model: estimate([*rows["judged"]], [*rows["cluster"]], np.random.default_rng(0))
        for model, rows in groups.items()
    }
    yield _table(
        "scores",
        "Scores under penalties",
        found,
        _SCORES,
        sizes,
        "Score at T: right +1, a wrong number -T / (100 - T), anything else 0; unknown is right where "
        "the problem is unanswerable. The index of right minus wrong numbers is 100 times that at 50.",
        more=["right_minus_wrong_index"],
    )
    yield _table(
        "abstention",
        "Abstention, over both kinds of problems",
        found,
        _ABSTENTION,
        sizes,
        "Precision and recall of unknown, and the share of numbers that are right.",
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
    yield from shares(
        "notice-endings",
        "Noticed, and how the responses end, share of responses",
        frame.assign(noticed=frame["noticed"].map({True: "yes", False: "no"})),
        in_words(frame),
        list(ENDINGS.values()),
        "Noticed: somewhere the response says that something needed is missing.",
        within=["noticed"],
    )
    stated = {model: own for model, rows in groups.items() if len(own := _stated(rows)) > 1}
    if stated:
        calibrations = {
            model: calibrate(rows, np.random.default_rng(0)) for model, rows in stated.items()
        }
        yield _table(
            "calibration",
            "Calibration of stated confidences",
            {model: vars(each) for model, each in calibrations.items()},
            _CALIBRATION,
            {model: len(rows) for model, rows in stated.items()},
            "n: responses that state a confidence. docs/confidence.md defines the measures.",
        )

        def diagonal(axes: Axes) -> None:
            axes.plot([0, 100], [0, 100], color="0.6", linewidth=1)

        bins = {model: [each[:2] for each in reliability(rows)] for model, rows in stated.items()}
        yield line_chart(
            "reliability",
            "Share of right responses over stated confidence, equally filled bins.",
            [Panel("", [Line(*each) for each in bins.items()], diagonal)],
            "stated confidence, %",
            "right, %",
            percent=True,
        )
        yield line_chart(
            "risk-coverage",
            "Share of wrong responses among the most confident ones.",
            [Panel("", [Line(model, risk_coverage(rows)) for model, rows in stated.items()])],
            "answered, most confident first, %",
            "wrong among these, %",
            percent=True,
        )
    costs = {model: cost for model, rows in groups.items() if (cost := _cost(rows))}
    if costs:
        yield _table(
            "cost",
            "Output tokens on unanswerable against answerable members of the same pairs, ratio of means",
            {model: {"token_ratio": each} for model, each in costs.items()},
            ("token_ratio",),
            sizes,
            "Responses that a limit cut off are left out with their pair.",
        )


def _stated(rows: pd.DataFrame) -> list[Stated]:
    return [
        Stated(judged.confidence, is_right(judged), cluster)
        for judged, cluster in zip(rows["judged"], rows["cluster"], strict=True)
        if judged.confidence is not None
    ]


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
    found: Mapping[str, Mapping[str, Any]],
    columns: Sequence[str],
    sizes: Mapping[str, int],
    note: str,
    more: Sequence[str] = (),
) -> Table:
    data = pd.DataFrame(
        {"model": model, "responses": sizes[model]}
        | {
            name: each
            for column in (*columns, *more)
            for name, each in spread(column, own[column]).items()
        }
        for model, own in found.items()
    )
    shown = pd.DataFrame(
        [model, str(sizes[model]), *(_text(own[column]) for column in columns)]
        for model, own in found.items()
    )
    heads = [column.removesuffix("_rate").replace("_", " ") for column in columns]
    return Table(name, caption, data, shown.set_axis(["model", "n", *heads], axis=1), (note,))


def _text(found: Estimate) -> str:
    if math.isnan(found.value):
        return NOTHING
    decimals = 1 if abs(found.value) > 1 else 2
    value, low, high = (f"{each:.{decimals}f}" for each in found)
    return f"{value} [{low}, {high}]"
