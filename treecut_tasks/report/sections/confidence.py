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
from treecut_tasks.report.document import NOTHING, Figure, Section, Table, show, spread
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
    costs = pd.DataFrame(cost for model, rows in groups.items() for cost in _costs(model, rows))
    if len(costs):
        heads = {
            "model": lambda row: row.model,
            "unanswerable member": lambda row: row.ending,
            "pairs": lambda row: str(row.pairs),
            "output": lambda row: _ratio_text(row, "output_ratio"),
            "reasoning": lambda row: _ratio_text(row, "reasoning_ratio"),
            "in": lambda row: row.unit,
        }
        yield Table(
            "cost",
            "What unanswerable problems cost against the answerable members of the same pairs",
            costs,
            show(costs, heads),
            ("Ratios of means. Responses that a limit cut off are left out with their pair.",),
            words=2,
        )


def _stated(rows: pd.DataFrame) -> list[Stated]:
    return [
        Stated(judged.confidence, is_right(judged), cluster)
        for judged, cluster in zip(rows["judged"], rows["cluster"], strict=True)
        if judged.confidence is not None
    ]


def _costs(model: str, rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Ratios of mean lengths over pairs: of all, and by how the unanswerable member ends."""
    kept = rows[~rows["truncated"] & rows["pair_id"].notna()]
    if kept.empty:
        return
    unit = "tokens" if kept["output_tokens"].notna().any() else "characters"
    output = "output_tokens" if unit == "tokens" else "characters"
    means = kept.groupby(["pair_id", "unanswerable"])[[output, "reasoning_tokens"]].mean().unstack()
    ends = kept[kept["unanswerable"]].groupby("pair_id")["ending"].first()
    for ending, word in {None: "all", "unknown": "unknown", "hallucination": "a number"}.items():
        own = means if ending is None else means[ends.reindex(means.index) == ending]
        found = {name: _ratio(own[name].dropna()) for name in (output, "reasoning_tokens")}
        if found[output] is not None:
            yield {
                "model": model,
                "ending": word,
                "unit": unit,
                "pairs": len(own[output].dropna()),
                **spread("output_ratio", found[output]),
                **spread("reasoning_ratio", found["reasoning_tokens"]),
            }


def _ratio(pairs: pd.DataFrame) -> Estimate | None:
    """Ratio of the means of both columns, with a bootstrap interval over pairs."""
    if pairs.shape[1] < 2 or len(pairs) < 2 or not pairs[False].sum():
        return None
    weights = resamples(len(pairs), np.random.default_rng(0))
    return Estimate.of((weights @ pairs[True]) / (weights @ pairs[False]))


def _ratio_text(row: Any, name: str) -> str:
    ends = [getattr(row, f"{name}{end}") for end in ("", "_ci_low", "_ci_high")]
    return _text(Estimate(*(math.nan if each is None else each for each in ends)))


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
