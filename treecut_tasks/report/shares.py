"""How responses end, as shares: outcomes, and the causes of hallucinated numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treecut_tasks.report.evidence import UNEXPLAINED, Evidence

if TYPE_CHECKING:
    import pandas as pd

OUTCOMES = (
    "unknown",
    "right number",
    "number",
    "wrong number",
    "cut off",
    "no answer",
    "no verdict",
)
"""How a response can end: unknown; on answerable problems the right or a wrong number; on unanswerable
ones any number; nothing because a limit cut it off; nothing at all; no verdict (an error)."""


@dataclass(frozen=True)
class Shares:
    """One bar: how often each name occurs.

    Attributes:
        model: label of the model.
        what: kind of the problems and prompts.
        counts: how often each name occurs, in a fixed order.
        by_chance: of causes, the share of guesses that would have been explained, by name; `any` is
            that of all causes together. Empty if the logs do not tell.
    """

    model: str
    what: str
    counts: dict[str, int]
    by_chance: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All responses of the bar."""
        return sum(self.counts.values())


def outcome_shares(evidence: Evidence, labels: Sequence[str]) -> tuple[Shares, ...]:
    """How the responses of each model end, by kind of problems and prompts."""
    frame = _with_labels(evidence, labels)
    frame["end"] = _ends(frame)
    bars = []
    for (model, unanswerable, fewshot), rows in _by_kind(frame):
        counts = rows["end"].value_counts()
        found = {name: int(counts[name]) for name in OUTCOMES if name in counts}
        bars.append(Shares(model, kind_name(unanswerable, fewshot), found))
    return tuple(bars)


def cause_shares(evidence: Evidence, labels: Sequence[str]) -> tuple[Shares, ...]:
    """What explains the hallucinated numbers of each model; empty where logs have no causes."""
    frame = _with_labels(evidence, labels)
    numbers = frame[frame["unanswerable"] & (frame["cause"] != "")]
    names = [name for name in numbers["cause"].value_counts().index if name != UNEXPLAINED]
    bars = []
    for (model, unanswerable, fewshot), rows in _by_kind(numbers):
        counts = rows["cause"].value_counts()
        found = {name: int(counts[name]) for name in (*names, UNEXPLAINED) if name in counts}
        chances = {"same_price": rows["same_price_by_chance"], "any": rows["any_by_chance"]}
        by_chance = {
            name: float(values.mean()) for name, values in chances.items() if values.notna().any()
        }
        bars.append(Shares(model, kind_name(unanswerable, fewshot), found, by_chance))
    return tuple(bars)


def kind_name(unanswerable: bool, fewshot: int) -> str:
    """`unanswerable, zero-shot`, for example."""
    kind = "unanswerable" if unanswerable else "answerable"
    return f"{kind}, {f'{fewshot} examples' if fewshot else 'zero-shot'}"


def end_of_response(
    scored: bool, unanswerable: bool, outcome: str, accuracy: float, truncated: bool
) -> str:
    """One of `OUTCOMES`."""
    if not scored:
        return "no verdict"
    if outcome == "unknown":
        return "unknown"
    if outcome == "number":
        if unanswerable:
            return "number"
        return "right number" if accuracy == 1 else "wrong number"
    return "cut off" if truncated else "no answer"


def _ends(frame: pd.DataFrame) -> list[str]:
    names = ("scored", "unanswerable", "outcome", "accuracy", "truncated")
    return [
        end_of_response(*values)
        for values in zip(*(frame[name].tolist() for name in names), strict=True)
    ]


def _with_labels(evidence: Evidence, labels: Sequence[str]) -> pd.DataFrame:
    frame = evidence.responses.copy()
    frame["model"] = frame["run"].map(dict(enumerate(labels)))
    return frame


def _by_kind(frame: pd.DataFrame) -> list[tuple[tuple[str, bool, int], pd.DataFrame]]:
    groups = frame.groupby(["model", "unanswerable", "fewshot"], sort=False)
    found = [((str(m), bool(u), int(f)), rows) for (m, u, f), rows in groups]
    return sorted(found, key=lambda each: (each[0][0], not each[0][1], each[0][2]))
