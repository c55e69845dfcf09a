"""From how responses end to scores under penalties, and to how good abstention is; by pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np

from treecut_tasks.evaluation.calibration import Estimate, resamples
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.rates import rate

TARGETS = (0, 50, 75, 90)
"""Confidence targets in percent under which every run is scored."""


class Measure(NamedTuple):
    """A quotient of two sums over responses.

    Attributes:
        meaning: what it is, in a clause.
        counted: what a response adds to the numerator.
        among: what it adds to the denominator.
        ends: the least and the greatest that it can be.
    """

    meaning: str
    counted: Callable[[JudgedResponse], float]
    among: Callable[[JudgedResponse], float]
    ends: tuple[float, float] = (0, 1)


def is_wrong_number(judged: JudgedResponse) -> bool:
    """Whether a response is a number that is not right, or that the problem does not determine."""
    return judged.ending in ("wrong_number", "hallucination")


def _all(_: JudgedResponse) -> float:
    return 1


def _unanswerable(judged: JudgedResponse) -> float:
    return judged.unanswerable


def _abstains(judged: JudgedResponse) -> float:
    return judged.judgement.verdict == "unknown"


def _justified(judged: JudgedResponse) -> float:
    return judged.ending == "unknown"


def _score_at(percent: int) -> Measure:
    penalty = percent / (100 - percent)
    return Measure(
        f"right +1, wrong number -{penalty:.3g}, anything else 0; mean",
        lambda judged: judged.right - penalty * is_wrong_number(judged),
        _all,
        (-penalty, 1),
    )


MEASURES = {
    **{f"score_at_{percent}": _score_at(percent) for percent in TARGETS},
    "right_minus_wrong_index": Measure(
        "right minus wrong numbers, from -100 to 100",
        lambda judged: 100 * (judged.right - is_wrong_number(judged)),
        _all,
        (-100, 100),
    ),
    "abstention_precision": Measure(
        "share of abstentions that are justified", _justified, _abstains
    ),
    "abstention_recall": Measure(
        "share of unanswerable problems with an abstention", _justified, _unanswerable
    ),
    "abstention_f1": Measure(
        "harmonic mean of these two",
        lambda judged: 2 * _justified(judged),
        lambda judged: _abstains(judged) + judged.unanswerable,
    ),
    "noticed_rate": Measure(
        "share of unanswerable problems where the response says that something is missing",
        lambda judged: judged.unanswerable and judged.noticed is not None,
        _unanswerable,
    ),
    "answered_after_noticing_rate": Measure(
        "share of unanswerable problems with a number all the same",
        lambda judged: judged.ending == "hallucination" and judged.noticed is not None,
        _unanswerable,
    ),
    "assumed_rate": Measure(
        "share of unanswerable problems with a number on a stated assumption",
        lambda judged: judged.ending == "hallucination" and judged.assumed,
        _unanswerable,
    ),
    "false_alarm_rate": Measure(
        "share of answerable problems where the response says that something is missing",
        lambda judged: not judged.unanswerable and judged.noticed is not None,
        lambda judged: not judged.unanswerable,
    ),
    "accuracy_given_attempted": Measure(
        "share of numbers that are right",
        lambda judged: judged.ending == "right",
        lambda judged: judged.judgement.verdict == "number",
    ),
}
"""All measures by name. A right answer to an unanswerable problem is `unknown`."""


def measure(judged: Sequence[JudgedResponse]) -> dict[str, float]:
    """All measures by name; NaN where nothing is counted among.

    Args:
        judged: the responses, at least one.
    """
    table: dict[str, float] = {}
    for name, of in MEASURES.items():
        whole = sum(map(of.among, judged))
        table[name] = sum(map(of.counted, judged)) / whole if whole else math.nan
    return table


def estimate(
    judged: Sequence[JudgedResponse], clusters: Sequence[Hashable], rng: np.random.Generator
) -> dict[str, Estimate]:
    """The same with 95 % intervals from a bootstrap over clusters.

    Args:
        judged: the responses, at least one.
        clusters: for each response what is drawn together: its pair, or its problem.
        rng: source of the resamples.
    """
    place = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    cluster = np.array([place[name] for name in clusters])
    size = len(place)
    draws = resamples(size, rng)
    found: dict[str, Estimate] = {}
    for name, of in MEASURES.items():
        counted, among = (
            np.bincount(cluster, [part(each) for each in judged], size)
            for part in (of.counted, of.among)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            values = (draws @ counted) / (draws @ among)
        found[name] = Estimate.of(values)
        if found[name].ci_low == found[name].ci_high:
            # Resamples of what is all alike are all alike. What was not seen can have a share as large
            # as Wilson's interval says of none, and be as far from it as can be.
            unseen = rate([0.0] * np.count_nonzero(among)).ci_high
            value = found[name].value
            found[name] = Estimate(value, *(value + unseen * (end - value) for end in of.ends))
    return found
