"""Judged responses become a sheet for a person to mark, and its marks the agreement with them."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from treecut_tasks.errors import TreecutError, shown
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.evaluation.recorded import RecordedResponse
from treecut_tasks.scoring import values_equal

COLUMNS = ("line", "mark", "verdict", "value", "quote", "tier", "question", "response")
"""Columns of a sheet; a person fills `mark`."""

MARKS = "y (the verdict is right), or what is right instead: a number, unknown or none"

# The least certain first: what no marker decided.
_CERTAINTY = ("none", "stated", "marked", "contract")
_SHOWN = 3000


def choose(judged: Sequence[JudgedResponse], n: int, rng: random.Random) -> list[int]:
    """Choose responses to look at: some of each tier, the least certain tiers first.

    Args:
        judged: the responses.
        n: how many.
        rng: decides which of a tier.

    Returns:
        Places in `judged`, in the order in which to look at them, without empty responses.
    """
    tiers: dict[str, list[int]] = {name: [] for name in _CERTAINTY}
    for place, each in enumerate(judged):
        if each.judgement.reason != "empty":
            tiers[each.judgement.tier or "none"].append(place)
    for places in tiers.values():
        rng.shuffle(places)
    if not any(tiers.values()):
        raise TreecutError("All responses are empty: there is nothing to mark.")
    chosen: list[int] = []
    # In turns, so that no tier is left out while another is exhausted.
    for turn in range(max(map(len, tiers.values()))):
        chosen += [places[turn] for places in tiers.values() if turn < len(places)]
    rank = {place: number for number, places in enumerate(tiers.values()) for place in places}
    return sorted(chosen[:n], key=lambda place: rank[place])


def sheet(
    responses: Sequence[RecordedResponse], judged: Sequence[JudgedResponse], places: Sequence[int]
) -> str:
    """The sheet to mark, as CSV with `COLUMNS`; `line` counts responses from 1."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for place in places:
        judgement, response = judged[place].judgement, responses[place]
        cells = (
            judgement.verdict,
            judgement.value or "",
            judgement.quote.text if judgement.quote else "",
            judgement.tier or "",
            response.problem.rpartition("Question:")[2].strip(),
            _end(response),
        )
        writer.writerow((place + 1, "", *map(inert, cells)))
    return text.getvalue()


def _end(response: RecordedResponse) -> str:
    return (response.response or "")[-_SHOWN:]


def inert(cell: str) -> str:
    """A cell of CSV that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


@dataclass(frozen=True)
class Agreement:
    """How far a person agrees with the scorer.

    Attributes:
        agreed: share of marked responses on which verdict and value agree, with its interval.
        kappa: Cohen's kappa of the verdicts; None where all are alike, so that it has no value.
        disagreements: for each response on which they differ its line, the verdict and the mark.
    """

    agreed: Rate
    kappa: float | None
    disagreements: tuple[tuple[int, str, str], ...]


def agreement(
    responses: Sequence[RecordedResponse], judged: Sequence[JudgedResponse], marked: str
) -> Agreement:
    """Compare verdicts with a sheet's marks; rows without a mark do not count."""
    ours: list[str] = []
    theirs: list[str] = []
    disagreements: list[tuple[int, str, str]] = []
    for row in csv.DictReader(StringIO(marked.removeprefix("\ufeff"))):
        mark = (row.get("mark") or "").strip().lower()
        if not mark:
            continue
        line = row.get("line") or ""
        if not line.isdecimal() or not 1 <= int(line) <= len(judged):
            raise TreecutError(
                f"The sheet has the line {shown(line)}: it must be from 1 to {len(judged)}, so give the "
                "file that the sheet was made from."
            )
        place = int(line) - 1
        marked_response, own = row.get("response"), inert(_end(responses[place]))
        # Spreadsheets change line ends.
        if marked_response is not None and marked_response.split() != own.split():
            raise TreecutError(
                f"Line {line} of the sheet shows another response than line {line} of what is scored: "
                "give the files that the sheet was made from, in their order."
            )
        judgement = judged[place].judgement
        found = judgement.value or judgement.verdict
        verdict = judgement.verdict if mark == "y" else _verdict(mark, line)
        ours.append(judgement.verdict)
        theirs.append(verdict)
        same = verdict == judgement.verdict and (
            mark == "y" or verdict != "number" or values_equal(found, mark)
        )
        if not same:
            disagreements.append((int(line), found, mark))
    if not ours:
        raise TreecutError(f"The sheet has no marks: fill its column mark with {MARKS}.")
    agreed = rate([1.0] * (len(ours) - len(disagreements)) + [0.0] * len(disagreements))
    return Agreement(agreed, _kappa(ours, theirs), tuple(disagreements))


def _verdict(mark: str, line: str) -> str:
    if mark in ("unknown", "none"):
        return mark
    if not values_equal(mark, mark):
        raise TreecutError(f"The mark of line {line} is {shown(mark)}: it must be {MARKS}.")
    return "number"


def _kappa(ours: Sequence[str], theirs: Sequence[str]) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    if len({*ours, *theirs}) < 2:
        return None
    return float(cohen_kappa_score(ours, theirs))
