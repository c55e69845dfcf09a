"""Splits such as train and test: which names may stand together, so that splits share nothing.

A hash of the set of names in a problem and of the name asked for is the same for all that its text can
be: for both members of a pair, for every configuration, seed and order. Splits whose ranges of
hashes do not overlap therefore share no problem and no pair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.errors import checked_choice
from treecut_tasks.problems.names import names_of
from treecut_tasks.themes import Theme

HASHES = 2**32
"""How many hashes of names there are."""

# Part of every hash. Data sets of different seeds and versions keep the same names apart.
_NAME, _ASKED_NAME = "treecut-name-1", "treecut-asked-name-1"


@dataclass(frozen=True)
class Split:
    """One of the disjoint parts of all problems.

    Attributes:
        name: such as `train`; names files.
        share: its share of the entries of a data set.
        hashes: the first hash that belongs to it, and the first after these; at most `HASHES`.
        items: which part of a theme's items it may use, from and to, as shares of all; all of them
            unless items are separate, and then hashes do not matter.
    """

    name: str
    share: Fraction
    hashes: tuple[int, int] = (0, HASHES)
    items: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))

    @property
    def size(self) -> int:
        """How many hashes belong to it."""
        return self.hashes[1] - self.hashes[0]

    @property
    def is_whole(self) -> bool:
        """Whether all problems belong to it."""
        return self.size == HASHES and not self.has_own_items

    @property
    def has_own_items(self) -> bool:
        """Whether it may not use all items."""
        return self.items != (Fraction(0), Fraction(1))

    def holds(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of some hashes belong to it; see `name_numbers`."""
        upper = hashes >> np.uint64(32)
        low, high = (np.uint64(bound) for bound in self.hashes)
        held: NDArray[np.bool_] = (upper >= low) & (upper < high)
        return held

    def item_numbers(self, theme: Theme) -> NDArray[np.int64]:
        """The items of a theme that it may use, by their places in the theme."""
        # A shuffle that depends on the theme alone, so that all seeds have the same test items.
        order = sorted(
            range(len(theme.items)),
            key=lambda i: hashlib.sha256(f"{theme.digest}\n{i}".encode()).digest(),
        )
        start, stop = (round(bound * len(order)) for bound in self.items)
        return np.array(sorted(order[start:stop]), dtype=np.int64)

    def as_dict(self) -> dict[str, Any]:
        """Everything that tells it from other splits; ready for JSON."""
        return {
            "name": self.name,
            "share": str(self.share),
            "hashes": list(self.hashes),
            "items": [str(bound) for bound in self.items],
        }


WHOLE = Split("data", Fraction(1))
"""The split of a data set that has just one: all problems."""


def disjoint_splits(
    shares: Iterable[tuple[str, Fraction]], separate_items: bool = False
) -> tuple[Split, ...]:
    """Splits that share no problem and no pair.

    `train` comes first and `test` last on the line of hashes and of items, whatever the order in which
    they are named. So the training data of one set of splits and the test data of another are
    disjoint, too, as long as their shares do not add up to more than 1. With `separate_items` no item
    name is in two splits; each gets an equal part of the items.
    """
    named = sorted(shares, key=lambda pair: (pair[0] == "test") - (pair[0] == "train"))
    splits, start = [], Fraction(0)
    for place, (name, share) in enumerate(named):
        low, start = int(start * HASHES), start + share
        if separate_items:
            items = Fraction(place, len(named)), Fraction(place + 1, len(named))
            splits.append(Split(name, share, items=items))
        else:
            splits.append(Split(name, share, (low, int(start * HASHES))))
    return tuple(splits)


SHARES = (("train", Fraction(8, 10)), ("validation", Fraction(1, 10)), ("test", Fraction(1, 10)))
"""The splits of tasks and of single configurations, and their shares."""

SplitName = Literal[
    "all", "train", "validation", "test", "train_items", "validation_items", "test_items"
]
"""All problems; splits that share no problem and no pair; and such that share no item name either."""

SPLIT_NAMES: tuple[SplitName, ...] = get_args(SplitName)


def named_split(name: str) -> Split:
    """The split of this name: all problems, or one of `SHARES`, `…_items` with item names of its own."""
    if checked_choice("split", name, SPLIT_NAMES) == "all":
        return WHOLE
    of = name.removesuffix("_items")
    return next(each for each in disjoint_splits(SHARES, of != name) if each.name == of)


@lru_cache(maxsize=64)
def name_numbers(
    theme: Theme, composite_name: bool
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Numbers whose sum modulo 2**64 is the hash of a problem; its upper 32 bits choose the split.

    Returns:
        A number for each name, to add for every variable, and another to add for the one asked for.
    """

    def numbers(version: str) -> NDArray[np.uint64]:
        names = (f"{version}\n{name}".encode() for name in names_of(theme, composite_name))
        digests = (hashlib.sha256(name).digest() for name in names)
        return np.array([int.from_bytes(each[:8], "big") for each in digests], dtype=np.uint64)

    return numbers(_NAME), numbers(_ASKED_NAME)
