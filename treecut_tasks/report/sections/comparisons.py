"""Models side by side on the problems that both were asked, and runs of a model that are pooled elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd

from treecut_tasks.report.document import Section, Table, kind_name, p_text, percent, points
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.statistics import Effect, holm, paired_difference, paired_test

FEWEST = 10
"""With fewer common problems nothing is compared."""

_NOTE = (
    "The paper's hallucination rate, or accuracy, on the problems that both were asked; difference in "
    "percentage points with Newcombe's interval for pairs; McNemar's exact test, p corrected for the number "
    "of comparisons (Holm)."
)

MOST = 60
"""No more comparisons are made; with many models the first ones are."""


def section(evidence: Evidence) -> Section:
    """Make the section."""
    found = [each for _, each in zip(range(MOST), _comparisons(evidence), strict=False)]
    if not found:
        return Section("Side by side", ())
    data = pd.DataFrame(row for row, _ in found)
    data["p_corrected"] = holm(data["p_value"].tolist())
    shown = [
        [
            row["first"],
            row["second"],
            kind_name(row["unanswerable"], row["fewshot"]),
            str(row["common"]),
            f"{percent(row['first_rate'])}, {percent(row['second_rate'])}",
            points(effect),
            p_text(corrected),
        ]
        for (row, effect), corrected in zip(found, data["p_corrected"], strict=True)
    ]
    table = Table(
        "comparisons",
        "Two on the same problems",
        data,
        pd.DataFrame(
            shown,
            columns=["first", "second", "problems", "n", "rates", "second − first", "p"],
        ),
        (_NOTE,),
        words=3,
    )
    return Section("Side by side", (table,))


def _comparisons(evidence: Evidence) -> Iterator[tuple[dict[str, Any], Effect]]:
    scored = evidence.scored
    runs = [f", run {number + 1}" for number in scored["run"]]
    # Any two models, and any two runs of one.
    for names, within in (
        (scored["model"], pd.Series("", scored.index)),
        (scored["model"] + runs, scored["model"]),
    ):
        groups = scored.groupby([within, scored["unanswerable"], scored["fewshot"]])
        for (_, unanswerable, fewshot), rows in groups:
            own = rows.groupby([names, "problem_id"])["headline"].mean()
            sides = {name: own[name] for name in own.index.unique(level=0)}
            for first, second in combinations(sides, 2):
                one, two = sides[first].align(sides[second], join="inner")
                if len(one) < FEWEST:
                    continue
                effect = paired_difference(one.tolist(), two.tolist())
                up, down, p_value = paired_test(one.tolist(), two.tolist())
                yield (
                    {
                        "first": first,
                        "second": second,
                        "unanswerable": bool(unanswerable),
                        "fewshot": int(fewshot),
                        "common": len(one),
                        "first_rate": one.mean(),
                        "second_rate": two.mean(),
                        "difference": effect.value,
                        "difference_ci_low": effect.ci_low,
                        "difference_ci_high": effect.ci_high,
                        "only_first": down,
                        "only_second": up,
                        "p_value": p_value,
                    },
                    effect,
                )
