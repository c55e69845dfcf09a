"""From configurations with weights and splits to the recipe of a data set.

A recipe is the whole truth about a data set: whoever has it, the seed and the version makes the
same rows again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, get_args

import numpy as np

from treecut_tasks.errors import TreecutError, checked_choice
from treecut_tasks.problems import WHOLE, ProblemConfig, Split, check_seed
from treecut_tasks.problems.blocks import Ints, PairKind
from treecut_tasks.problems.pairs import check_pair


@dataclass(frozen=True)
class Part:
    """One ingredient of a data set.

    Attributes:
        config: what is drawn.
        pairs: `full` or `matched` if every entry is a pair; `none` if it is one problem.
        weight: how many entries of each cycle of the mixture are of this part; 1 or more.

    Raises:
        TreecutError: an unknown kind of pairs, or pairs that the configuration does not have.
    """

    config: ProblemConfig
    pairs: PairKind = "none"
    weight: int = 1

    def __post_init__(self) -> None:
        checked_choice("pairs", self.pairs, get_args(PairKind))
        if self.pairs != "none":
            check_pair(self.config, self.pairs)

    @property
    def stream(self) -> tuple[ProblemConfig, bool]:
        """What is drawn, the same for parts whose problems would be the same."""
        return self.config, self.pairs == "matched"

    @property
    def rows_per_entry(self) -> int:
        """Problems in each entry: two for a pair."""
        return 1 if self.pairs == "none" else 2

    def as_dict(self) -> dict[str, Any]:
        """Everything that names the part; ready for JSON."""
        return {
            "config": self.config.as_dict(),
            "theme_digest": self.config.resolved_theme.digest,
            "pairs": self.pairs,
            "weight": self.weight,
        }


@dataclass(frozen=True)
class Recipe:
    """A data set without its size.

    Entries of the parts take turns in proportion to their weights, so that every stretch of the
    data set has the same mixture.

    Attributes:
        parts: the ingredients.
        seed: a whole number of 0 or more.
        splits: the splits, see `problems.disjoint_splits`.

    Raises:
        TreecutError: a bad seed, or themes that would share an item between splits.
    """

    parts: tuple[Part, ...]
    seed: int
    splits: tuple[Split, ...] = (WHOLE,)

    def __post_init__(self) -> None:
        check_seed(self.seed)
        seen: dict[str, str] = {}
        for split in self.splits:
            for theme in {part.config.resolved_theme for part in self.parts}:
                for number in split.item_numbers(theme) if split.has_own_items else ():
                    # As in themes, capitals make no other name.
                    item = theme.items[number].name
                    other = seen.setdefault(item.casefold(), split.name)
                    if other != split.name:
                        raise TreecutError(
                            f"The item {item!r} belongs to several themes, of which one has it in the "
                            f"split {other!r} and another in {split.name!r}: use one theme, themes "
                            "without common items, or leave out separate_items."
                        )

    @cached_property
    def cycle(self) -> tuple[int, ...]:
        """The order in which parts take turns; indices of parts, over and over."""
        turns = [
            (Fraction(2 * turn + 1, 2 * part.weight), index)
            for index, part in enumerate(self.parts)
            for turn in range(part.weight)
        ]
        return tuple(index for _, index in sorted(turns))

    @property
    def paired(self) -> bool:
        """Whether any part consists of pairs."""
        return any(part.pairs != "none" for part in self.parts)

    def num_rows(self, start: int, stop: int) -> int:
        """How many rows the entries from start to stop have."""
        rows = np.array([part.rows_per_entry for part in self.parts])
        return int((self.turns_before(stop) - self.turns_before(start)) @ rows)

    def turns_before(self, entry: int) -> Ints:
        """How many of the entries before this one are of each part."""
        cycles, turn = divmod(entry, len(self.cycle))
        before: Ints = cycles * self._turns[-1] + self._turns[turn]
        return before

    @cached_property
    def _turns(self) -> Ints:
        turns = np.array(self.cycle)[:, None] == np.arange(len(self.parts))
        return np.concatenate([turns[:1] * 0, np.cumsum(turns, axis=0)])

    def as_dict(self) -> dict[str, Any]:
        """Everything that names the rows, but for the version; ready for JSON."""
        return {
            "parts": [part.as_dict() for part in self.parts],
            "seed": self.seed,
            "splits": [split.as_dict() for split in self.splits],
        }


def portions(total: int, splits: Sequence[Split]) -> list[int]:
    """Distribute a number over splits by their shares; what is left goes to the largest remainders.

    Each gets one at least, at the cost of the largest.
    """
    whole = sum(split.share for split in splits)
    exact = [total * split.share / whole for split in splits]
    counts = [math.floor(each) for each in exact]
    by_remainder = sorted(range(len(splits)), key=lambda i: counts[i] - exact[i])
    for i in by_remainder[: total - sum(counts)]:
        counts[i] += 1
    while 0 in counts:
        counts[counts.index(max(counts))] -= 1
        counts[counts.index(0)] += 1
    return counts
