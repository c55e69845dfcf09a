"""Splits of a data set, such as train and test, and what keeps them apart."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.problems.wording import Phrases

PairKind = Literal["none", "full", "matched"]
"""How entries are paired: not at all, or with which kind of counterpart."""

HASHES = 2**32
"""How many hashes of names there are."""

# Part of every hash. Data sets of different seeds and versions keep the same names apart.
_NAME, _ASKED_NAME = "treecut-name-1", "treecut-asked-name-1"


@dataclass(frozen=True)
class Split:
    """One of the disjoint parts of a data set.

    A hash of the set of names in a problem and of the name asked for is the same for all that the
    text can be: for both members of a pair, for every configuration, seed and order. Splits whose
    ranges of hashes do not overlap therefore share no problem and no pair.

    Attributes:
        name: such as `train`; names the files.
        share: its share of the entries.
        low: the first hash that belongs to it.
        high: the first hash after these; at most `HASHES`.
    """

    name: str
    share: Fraction
    low: int = 0
    high: int = HASHES

    @property
    def is_whole(self) -> bool:
        """Whether all names belong to it."""
        return self.high - self.low == HASHES

    def holds(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of some hashes belong to it; see `name_numbers`."""
        upper = hashes >> np.uint64(32)
        held: NDArray[np.bool_] = (upper >= np.uint64(self.low)) & (upper < np.uint64(self.high))
        return held

    def as_list(self) -> list[Any]:
        """What names its stream; ready for JSON."""
        return [self.name, self.low, self.high]

    def as_dict(self) -> dict[str, Any]:
        """Name and share; ready for JSON."""
        return {"name": self.name, "share": str(self.share)}


WHOLE = Split("data", Fraction(1))
"""The split of a data set that has just one."""


def disjoint_splits(shares: Iterable[tuple[str, Fraction]]) -> tuple[Split, ...]:
    """Splits whose ranges of hashes are as large as their shares and do not overlap.

    Args:
        shares: names, and shares that add up to 1.
    """
    splits, start = [], Fraction(0)
    for name, share in shares:
        low, start = int(start * HASHES), start + share
        splits.append(Split(name, share, low, int(start * HASHES)))
    return tuple(splits)


def name_numbers(
    phrases: Sequence[Phrases],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Numbers whose sum modulo 2**64 is the hash of a problem; its upper 32 bits choose the split.

    Args:
        phrases: names.

    Returns:
        A number for each name, to add for every variable, and another to add for the one asked for.
    """
    names = [str(each.variable) for each in phrases]
    return _numbers(_NAME, names), _numbers(_ASKED_NAME, names)


def _numbers(version: str, names: Sequence[str]) -> NDArray[np.uint64]:
    digests = [hashlib.sha256(f"{version}\n{name}".encode()).digest() for name in names]
    return np.array([int.from_bytes(digest[:8], "big") for digest in digests], dtype=np.uint64)


def portions(total: int, splits: Sequence[Split]) -> list[int]:
    """Distribute a number over splits by their shares; what is left goes to the largest remainders."""
    exact = [total * split.share for split in splits]
    counts = [math.floor(each) for each in exact]
    by_remainder = sorted(range(len(splits)), key=lambda i: counts[i] - exact[i])
    for i in by_remainder[: total - sum(counts)]:
        counts[i] += 1
    return counts
