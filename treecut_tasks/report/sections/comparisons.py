"""Models side by side on the problems that both were asked, and runs of a model that are pooled elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

import pandas as pd

from treecut_tasks.report.document import (
    Section,
    Table,
    kind_name,
    p_text,
    percent,
    points,
    show,
    spread,
)
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.statistics import holm, paired

FEWEST = 10
"""With fewer common problems nothing is compared."""

MOST = 60
"""No more comparisons are made; with many models the first ones are."""

_NOTE = (
    "The paper's hallucination rate, or accuracy, on the problems that both were asked; difference in "
    "percentage points with Newcombe's interval for pairs; McNemar's exact test, p corrected for the number "
    "of comparisons (Holm)."
)


def section(evidence: Evidence) -> Section:
    """Make the section."""
    data = pd.DataFrame(islice(_comparisons(evidence), MOST))
    if data.empty:
        return Section("Side by side", ())
    data["p_corrected"] = holm(data["p_value"].tolist())
    shown = show(
        data,
        {
            "first": lambda row: row.first,
            "second": lambda row: row.second,
            "problems": lambda row: kind_name(row.unanswerable, row.fewshot),
            "n": lambda row: str(row.common),
            "rates": lambda row: f"{percent(row.first_rate)}, {percent(row.second_rate)}",
            "second − first": lambda row: points(
                (row.difference, row.difference_ci_low, row.difference_ci_high)
            ),
            "p": lambda row: p_text(row.p_corrected),
        },
    )
    table = Table("comparisons", "Two on the same problems", data, shown, (_NOTE,), words=3)
    return Section("Side by side", (table,))


def _comparisons(evidence: Evidence) -> Iterator[dict[str, Any]]:
    scored = evidence.scored
    runs = ", run " + (scored["run"] + 1).astype(str)
    # Any two models, and any two runs of one.
    for names, within in (
        (scored["model"], pd.Series("", scored.index)),
        (scored["model"] + runs, scored["model"]),
    ):
        groups = scored.groupby([within, scored["unanswerable"], scored["fewshot"]])
        for (_, unanswerable, fewshot), rows in groups:
            rates = rows.groupby(["problem_id", names])["headline"].mean().unstack()
            for first, second in combinations(rates.columns, 2):
                both = rates[[first, second]].dropna()
                if len(both) < FEWEST:
                    continue
                found = paired(both[first].tolist(), both[second].tolist())
                yield {
                    "first": first,
                    "second": second,
                    "unanswerable": bool(unanswerable),
                    "fewshot": int(fewshot),
                    "common": len(both),
                    "first_rate": both[first].mean(),
                    "second_rate": both[second].mean(),
                    **spread("difference", found.effect),
                    "only_first": found.down,
                    "only_second": found.up,
                    "p_value": found.p_value,
                }
