"""Tests of the shape of a curve that hold however the depths were chosen and whenever one stopped.

Each compares how likely the answers are under an alternative that was fixed beforehand (a mixture
of curves) with their largest likelihood under the hypothesis. If the hypothesis is true, that ratio
ever reaches 20 with a probability of at most 1/20, because it is bounded by a martingale that starts
at one (Ville 1939; universal inference: Wasserman, Ramdas and Balakrishnan 2020). All values are
natural logarithms.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import betaln, logsumexp, xlog1py, xlogy

from treecut_tasks.psychometrics.curves import Counts, Floats

SHOWN = float(np.log(20))
"""Evidence from which on an alternative counts as shown."""


def rise(rising: Floats, asked: Counts, failed: Counts) -> Floats:
    """Evidence for a rise against a constant rate, from the evidence of the rising curves."""
    total, number = failed.sum(axis=-1), asked.sum(axis=-1)
    return np.asarray(rising - _likelihood(number, total, total / np.maximum(number, 1)))


def turns(asked: Counts, failed: Counts) -> float:
    """Evidence of one run for a curve that turns, against every rising and every falling one.

    The alternative has three levels, each uniform between 0 and 1, with changes at any two depths.
    """
    asked, failed = asked[asked > 0], failed[asked > 0]
    if len(asked) < 3:
        return -np.inf
    first, second = np.triu_indices(len(asked), 1)
    first, second = first[first > 0], second[first > 0]
    borders = [np.zeros_like(first), first, second, np.full_like(first, len(asked))]
    upto = np.concatenate([[[0, 0]], np.stack([failed, asked - failed], 1).cumsum(0)])
    parts = [upto[end] - upto[start] for start, end in pairwise(borders)]
    levels = sum(betaln(part[:, 0] + 1, part[:, 1] + 1) for part in parts)
    fits = [
        isotonic_regression(failed / asked, weights=asked, increasing=increasing).x
        for increasing in (True, False)
    ]
    monotone = max(_likelihood(asked, failed, fit).sum() for fit in fits)
    return float(logsumexp(levels) - np.log(len(first)) - monotone)


def _likelihood(asked: Counts, failed: Counts, rate: Floats) -> Floats:
    return np.asarray(xlogy(failed, rate) + xlog1py(asked - failed, -rate))
