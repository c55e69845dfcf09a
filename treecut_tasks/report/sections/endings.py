"""How responses end, what decided their verdicts, and which false steps explain wrong numbers: shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from treecut_tasks.report.cells import GROUP
from treecut_tasks.report.document import Figure, Section, Table, asked_name, percent
from treecut_tasks.report.evidence import ENDINGS, Evidence, in_words
from treecut_tasks.report.figures import bars

MOST_CAUSES = 4
"""Kinds of causes that have a column, the most frequent ones; `responses.csv` has all."""

_TIERS = {"contract": "as asked", "marked": "other marker", "stated": "stated"}


def section(evidence: Evidence) -> Section:
    """Make the section."""
    return Section("How responses end", tuple(_blocks(evidence.answers)))


def shares(
    name: str,
    caption: str,
    frame: pd.DataFrame,
    values: pd.Series,
    order: Sequence[str],
    note: str,
    by_chance: Sequence[str] = (),
    within: Sequence[str] = (),
    figure: bool = False,
) -> Iterator[Table | Figure]:
    """A table and a figure of how often each value occurs, for each model and kind of problems.

    Args:
        name: name of their files.
        caption: what they show.
        frame: some responses.
        values: the value of each.
        order: the columns in their order, as far as they occur.
        note: stands below the table.
        by_chance: columns of the responses whose means are shown beside.
        within: columns of the responses, of words, that split the rows further.
        figure: whether there is a figure.
    """
    if frame.empty:
        return
    keys = [*GROUP, *within]
    counted = frame.groupby([*keys, values]).size().unstack(fill_value=0)
    counted = counted.reindex(columns=[each for each in order if each in counted.columns])
    counted = counted.sort_index(ascending=[True, False, True, *(True for _ in within)])
    totals = counted.sum(axis=1)
    found = counted.div(totals, axis=0)
    data = found.join(frame.groupby(keys)[[*by_chance]].mean())
    names = [asked_name(model, shots) for model, _, shots, *_ in data.index]
    kinds = ["unanswerable" if kind else "answerable" for _, kind, *_ in data.index]
    shown = data.map(percent).rename(columns=lambda head: head.replace("_", " "))
    shown.insert(0, "n", totals.astype(str))
    for column in within:
        shown.insert(0, column, data.index.get_level_values(column))
    if alike := len(set(kinds)) == 1:
        # What all rows have in common need not stand in each.
        note = f"All {kinds[0]}. {note}"
    else:
        shown.insert(0, "problems", kinds)
    shown.insert(0, "model", names)
    data = data.assign(responses=totals).reset_index()
    yield Table(name, caption, data, shown, note, len(within) + (1 if alike else 2))
    if figure:
        labels = [
            f"{name}\n{kind}, n={n}" for name, kind, n in zip(names, kinds, totals, strict=True)
        ]
        yield bars(name, caption, found.set_axis(labels))


def _blocks(frame: pd.DataFrame) -> Iterator[Table | Figure]:
    yield from shares(
        "endings",
        "How responses end, share of responses",
        frame,
        in_words(frame),
        list(ENDINGS.values()),
        "No verdict: the model or the framework failed. Cut off: by a token limit, before an answer.",
        figure=True,
    )
    decided = frame[frame["tier"].notna()]
    yield from shares(
        "tiers",
        "What verdicts stand on, share of responses with an answer",
        decided,
        decided["tier"].map(_TIERS),
        list(_TIERS.values()),
        "As asked: the final line that the prompt asks for. Stated: a concluding sentence.",
    )
    explained = frame[frame["unanswerable"] & frame["cause"].notna()]
    kinds = (
        explained["cause"].value_counts().drop("unexplained", errors="ignore").index[:MOST_CAUSES]
    )
    named = explained["cause"].isin([*kinds, "unexplained"])
    yield from shares(
        "causes",
        "False steps that explain hallucinated numbers, share of these",
        explained,
        explained["cause"].where(named, "another step"),
        [*kinds, "another step", "unexplained"],
        "By chance: the share of guesses from the range of prices that same_price, or any false step, would "
        "have explained.",
        by_chance=("same_price_by_chance", "any_by_chance"),
        figure=True,
    )
