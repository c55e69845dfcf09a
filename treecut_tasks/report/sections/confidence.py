"""Scores under penalties, noticing, calibration, and what unanswerable problems cost: tables by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from treecut_tasks.evaluation.calibration import (
    Estimate,
    calibrate,
    reliability,
    resamples,
    risk_coverage,
    stated,
)
from treecut_tasks.evaluation.penalties import TARGETS, estimate
from treecut_tasks.report.document import MISSING, Figure, Row, Section, Table, cell, plain
from treecut_tasks.report.evidence import ENDINGS, Evidence, in_words
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.sections.endings import shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEASURES = {
    "scores": (
        "Scores under penalties",
        (*(f"score_at_{target}" for target in TARGETS), "right_minus_wrong_index"),
        (
            "Score at T: right +1, a wrong number -T / (100 - T), anything else 0; unknown is right where "
            "the problem is unanswerable."
        ),
    ),
    "abstention": (
        "Abstention, over both kinds of problems",
        ("abstention_precision", "abstention_recall", "abstention_f1", "accuracy_given_attempted"),
        "Precision and recall of unknown, and the share of numbers that are right.",
    ),
    "noticing": (
        "Noticed that something is missing, and answered anyway",
        ("noticed_rate", "answered_after_noticing_rate", "assumed_rate", "false_alarm_rate"),
        (
            "Noticed, answered after noticing, assumed: shares of unanswerable problems, read in all that "
            "the model wrote. False alarm: of answerable problems."
        ),
    ),
}
"""Of each table of measures the caption, the columns and the note."""

_ASKS = "confidence"
"""The instruction that asks for a confidence."""

_CALIBRATION = ("brier", "calibration_error", "auroc", "risk_coverage_area")


def section(evidence: Evidence) -> Section:
    """Make the section."""
    frame = evidence.scored
    frame = frame.assign(cluster=frame["pair_id"].fillna(frame["problem_id"]))
    return Section("Confidence and noticing", tuple(_blocks(frame)) if len(frame) else ())


def _blocks(frame: pd.DataFrame) -> Iterator[Table | Figure]:
    groups = {str(model): rows for model, rows in frame.groupby("model")}
    found = [
        {"model": model, "responses": len(rows)}
        | estimate([*rows["judged"]], [*rows["cluster"]], np.random.default_rng(0))
        for model, rows in groups.items()
    ]
    for name, (caption, columns, note) in _MEASURES.items():
        yield _table(name, caption, found, columns, note)
    yield from shares(
        "notice-endings",
        "Noticed, and how the responses end, share of responses",
        frame.assign(noticed=frame["noticed"].map({True: "yes", False: "no"})),
        in_words(frame),
        list(ENDINGS.values()),
        "Noticed: somewhere the response says that something needed is missing.",
        within=["noticed"],
    )
    yield from _calibration(groups)
    costs = [cost for model, rows in groups.items() for cost in _costs(model, rows)]
    if costs:
        heads = {
            "model": cell("model"),
            "unanswerable member": cell("ending"),
            "pairs": cell("pairs"),
            "output": cell("output_ratio", plain),
            "reasoning": cell("reasoning_ratio", plain),
            "in": cell("unit"),
        }
        yield Table.of(
            "cost",
            "What unanswerable problems cost against the answerable members of the same pairs",
            costs,
            heads,
            "Ratios of means. Responses that a limit cut off are left out with their pair.",
            words=2,
        )


def _calibration(groups: Mapping[str, pd.DataFrame]) -> Iterator[Table | Figure]:
    all_stated = {model: stated(rows["judged"], rows["cluster"]) for model, rows in groups.items()}
    several = {model: rows for model, rows in all_stated.items() if len(rows) > 1}
    found = []
    for model, rows in all_stated.items():
        measures = dict.fromkeys(_CALIBRATION, MISSING)
        if model in several:
            measures = vars(calibrate(rows, np.random.default_rng(0)))
        elif not groups[model]["instruction"].eq(_ASKS).any():
            continue
        sizes = {"responses": len(rows), "out_of": len(groups[model])}
        found.append({"model": model, **sizes, **measures})
    if found:
        yield _table(
            "calibration",
            "Calibration of stated confidences",
            found,
            _CALIBRATION,
            "n: how many responses state a confidence. docs/confidence.md defines the measures.",
        )
    if not several:
        return

    def diagonal(axes: Axes) -> None:
        axes.plot([0, 100], [0, 100], color="0.6", linewidth=1)

    lines = [
        Line(model, [each[:2] for each in reliability(rows)]) for model, rows in several.items()
    ]
    yield line_chart(
        "reliability",
        "Share of right responses over stated confidence, equally filled bins.",
        [Panel("", lines, diagonal)],
        "stated confidence, %",
        "right, %",
        percent=True,
    )
    yield line_chart(
        "risk-coverage",
        "Share of wrong responses among the most confident ones.",
        [Panel("", [Line(model, risk_coverage(rows)) for model, rows in several.items()])],
        "answered, most confident first, %",
        "wrong among these, %",
        percent=True,
    )


def _table(
    name: str, caption: str, found: Sequence[Row], columns: Sequence[str], note: str
) -> Table:
    keys = ("model", "responses", "out_of", *columns)
    rows = [{key: row[key] for key in keys if key in row} for row in found]
    heads = {
        column.removesuffix("_rate").replace("_", " "): cell(column, plain) for column in columns
    }
    # It says nothing new.
    heads.pop("right minus wrong index", None)
    heads = {"model": cell("model"), "n": _number, **heads}
    return Table.of(name, caption, rows, heads, note)


def _number(row: Row) -> str:
    return f"{row['responses']} of {row['out_of']}" if "out_of" in row else str(row["responses"])


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
        ratio = _ratio(own[output].dropna())
        if ratio is not MISSING:
            yield {
                "model": model,
                "ending": word,
                "unit": unit,
                "pairs": len(own[output].dropna()),
                "output_ratio": ratio,
                "reasoning_ratio": _ratio(own["reasoning_tokens"].dropna()),
            }


def _ratio(pairs: pd.DataFrame) -> Estimate:
    """Ratio of the means of both columns, with a bootstrap interval over pairs."""
    if pairs.shape[1] < 2 or len(pairs) < 2 or not pairs[False].sum():
        return MISSING
    weights = resamples(len(pairs), np.random.default_rng(0))
    return Estimate.of((weights @ pairs[True]) / (weights @ pairs[False]))
