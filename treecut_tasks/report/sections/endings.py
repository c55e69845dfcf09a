"""How responses end, what decided their verdicts, and which false steps explain wrong numbers: shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from treecut_tasks.report.document import Figure, Section, Table, kind_name, percent
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import bars

ENDINGS = {
    "unknown": "unknown",
    "right": "right number",
    "hallucination": "a number",
    "wrong_number": "wrong number",
    "false_unknown": "unknown, wrongly",
    "no_answer": "no answer",
    "cut_off": "cut off",
    "no_verdict": "no verdict",
}
"""How a response can end, in words; one that was cut off has no answer, one without a verdict failed."""

_BY_CHANCE = (
    "By chance: the share of guesses from the range of prices that same_price, or any false step, would "
    "have explained."
)
MOST_CAUSES = 4
"""Kinds of causes that have a column, the most frequent ones; `responses.csv` has all."""

_TIERS = {"contract": "as asked", "marked": "other marker", "stated": "stated"}


def section(evidence: Evidence) -> Section:
    """Make the section."""
    return Section("How responses end", tuple(_blocks(evidence)))


def _blocks(evidence: Evidence) -> Iterator[Table | Figure]:
    frame = evidence.responses
    cut_off = (frame["ending"] == "no_answer") & frame["truncated"]
    yield from _shares(
        "endings",
        "How responses end, share of responses",
        frame,
        frame["ending"].mask(cut_off, "cut_off").map(ENDINGS),
        list(ENDINGS.values()),
        (
            "No verdict: the model or the framework failed. Cut off: by a token limit, before an answer.",
        ),
        figure=True,
    )
    decided = frame[frame["tier"].notna()]
    yield from _shares(
        "tiers",
        "What verdicts stand on, share of responses with an answer",
        decided,
        decided["tier"].map(_TIERS),
        list(_TIERS.values()),
        ("As asked: the final line that the prompt asks for. Stated: a concluding sentence.",),
    )
    explained = frame[frame["unanswerable"] & frame["cause"].notna()]
    kinds = [kind for kind in explained["cause"].value_counts().index if kind != "unexplained"]
    kinds = kinds[:MOST_CAUSES]
    named = explained["cause"].isin([*kinds, "unexplained"])
    yield from _shares(
        "causes",
        "False steps that explain hallucinated numbers, share of these",
        explained,
        explained["cause"].where(named, "another step"),
        [*kinds, "another step", "unexplained"],
        (_BY_CHANCE,),
        by_chance=("same_price_by_chance", "any_by_chance"),
        figure=True,
    )


def _shares(
    name: str,
    caption: str,
    frame: pd.DataFrame,
    values: pd.Series,
    order: Sequence[str],
    notes: tuple[str, ...],
    by_chance: Sequence[str] = (),
    figure: bool = False,
) -> Iterator[Table | Figure]:
    """A table and a figure of how often each value occurs, for each model and kind of problems."""
    if frame.empty:
        return
    keys = ["model", "unanswerable", "fewshot"]
    counted = frame.groupby([*keys, values]).size().unstack(fill_value=0)
    counted = counted.reindex(columns=[each for each in order if each in counted.columns])
    counted = counted.sort_index(ascending=[True, False, True])
    totals = counted.sum(axis=1)
    shares = counted.div(totals, axis=0)
    chances = frame.groupby(keys)[list(by_chance)].mean().reindex(shares.index)
    rows = [
        [model, kind_name(unanswerable, fewshot), str(totals[key]),
         *map(percent, shares.loc[key]), *map(percent, chances.loc[key])]
        for key in shares.index
        for model, unanswerable, fewshot in [key]
    ]  # fmt: skip
    heads = [each.replace("_", " ") for each in (*shares.columns, *by_chance)]
    data = shares.join(chances).assign(responses=totals).reset_index()
    shown = pd.DataFrame(rows, columns=["model", "problems", "n", *heads])
    words = 2
    if shown["problems"].nunique() == 1:
        # What all rows have in common need not stand in each.
        notes = (f"All {shown.pop('problems')[0]}. {notes[0]}",)
        words = 1
    yield Table(name, caption, data, shown, notes, words)
    if figure:
        labels = [f"{row[0]}\n{row[1]}, n={row[2]}" for row in rows]
        yield bars(name, caption, labels, shares)
