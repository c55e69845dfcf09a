"""What a data set is made of: configurations with weights, and splits that share nothing.

A recipe is the whole truth about a data set: whoever has it, the seed and the version makes the
same rows again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, get_args

from treecut_tasks.bulk.splits import WHOLE, PairKind, Split, portions
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import ProblemConfig
from treecut_tasks.problems.formulas import MAX_COEFFICIENT
from treecut_tasks.problems.pairs import check_pair
from treecut_tasks.problems.streams import check_seed
from treecut_tasks.themes import Theme

# A cycle of a mixture is a list in memory; nobody needs finer weights than this.
MAX_CYCLE = 10_000
"""Largest sum of the whole weights of a mixture."""

# What a column of whole numbers holds; the largest sum in a sentence must fit.
_MAX_NUMBER = 2**63 - 1


@dataclass(frozen=True)
class Part:
    """One ingredient of a data set.

    Attributes:
        config: what is drawn.
        pairs: `full` or `matched` if every entry is a pair; `none` if it is one problem.
        weight: how many entries of each cycle of the mixture are of this part; 1 or more.
    """

    config: ProblemConfig
    pairs: PairKind = "none"
    weight: int = 1

    def __post_init__(self) -> None:
        if self.pairs not in get_args(PairKind):
            raise TreecutError(
                f"pairs is {self.pairs!r}: it must be {', '.join(get_args(PairKind))}."
            )
        if type(self.weight) is not int or self.weight < 1:
            raise TreecutError(
                f"The weight of a part is {self.weight!r}: it must be a whole number of 1 or more."
            )
        theme = self.config.resolved_theme
        if 2 * MAX_COEFFICIENT * theme.value_max > _MAX_NUMBER:
            raise TreecutError(
                f"The theme {theme.name!r} has prices up to {theme.value_max}, but the formats jsonl and "
                f"parquet hold prices up to {_MAX_NUMBER // (2 * MAX_COEFFICIENT)}: use smaller prices."
            )
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
    data set has the same mixture. Where there are several splits, a hash of the set of names in a
    problem and of the name asked for decides in which split it may be; both members of a pair have
    the same names. So no problem and no pair can be in two splits, whatever their seeds. With
    `separate_items`, each split has items of its own.

    Attributes:
        parts: the ingredients.
        seed: a whole number of 0 or more.
        splits: the splits, see `disjoint_splits`; one of share 1 if there is nothing to split.
        separate_items: whether no item name is in two splits.

    Raises:
        TreecutError: no parts, or splits that could share a problem.
    """

    parts: tuple[Part, ...]
    seed: int
    splits: tuple[Split, ...] = (WHOLE,)
    separate_items: bool = False

    def __post_init__(self) -> None:
        check_seed(self.seed)
        weights = sum(part.weight for part in self.parts)
        if not 1 <= weights <= MAX_CYCLE:
            raise TreecutError(
                f"The weights of the parts add up to {weights}: give one part or more, with weights that "
                f"add up to {MAX_CYCLE} at most."
            )
        self._check_splits()
        items: dict[str, str] = {}
        for split in self.splits:
            for part in self.parts_of(split):
                self._check_items(part, split, items)

    def _check_splits(self) -> None:
        names = [split.name for split in self.splits]
        if len(set(names)) < len(names):
            raise TreecutError(f"The splits are named {', '.join(names)}: give each its own name.")
        total = sum(Fraction(split.share) for split in self.splits)
        if total != 1:
            raise TreecutError(
                f"The shares of the splits add up to {total}: they must add up to 1."
            )
        if self.separate_items:
            return
        by_hash = sorted(self.splits, key=lambda split: split.low)
        for one, next_one in pairwise(by_hash):
            if next_one.low < one.high:
                raise TreecutError(
                    f"The splits {one.name!r} and {next_one.name!r} could share problems, because their "
                    "hashes overlap: make them with disjoint_splits, or ask for separate_items."
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

    def parts_of(self, split: Split) -> tuple[Part, ...]:
        """The parts with the names that they may use in one split.

        Raises:
            TreecutError: a theme has too few items to give each split its own.
        """
        if not self.separate_items:
            return self.parts
        return tuple(
            replace(part, config=replace(part.config, theme=self._theme_of(part.config, split)))
            for part in self.parts
        )

    def _check_items(self, part: Part, split: Split, items: dict[str, str]) -> None:
        """Check that no item is in two splits; `items` tells in which one each was seen."""
        for item in part.config.resolved_theme.items if self.separate_items else ():
            # As in themes, capitals make no other name.
            other = items.setdefault(item.name.casefold(), split.name)
            if other != split.name:
                raise TreecutError(
                    f"The item {item.name!r} belongs to several themes, of which one has it in the "
                    f"split {other!r} and another in {split.name!r}: use one theme, themes without "
                    "common items, or leave out separate_items."
                )

    def _theme_of(self, config: ProblemConfig, split: Split) -> Theme:
        """The theme with the items of one split; the same items for all parts with this theme."""
        theme = config.resolved_theme
        needed = max(
            _items_needed(part.config) for part in self.parts if part.config.theme == theme
        )
        spare = len(theme.items) - needed * len(self.splits)
        if spare < 0:
            raise TreecutError(
                f"The theme {theme.name!r} has {len(theme.items)} items, but {len(self.splits)} splits "
                f"with {needed} each were asked for: use fewer splits or variables, a theme with more "
                "items, or leave out separate_items."
            )
        # A shuffle that depends on the theme alone, so that all seeds have the same test items.
        order = sorted(
            range(len(theme.items)),
            key=lambda i: hashlib.sha256(f"{theme.digest}\n{i}".encode()).digest(),
        )
        start = 0
        for each, extra in zip(self.splits, portions(spare, self.splits), strict=True):
            count = needed + extra
            if each == split:
                chosen = sorted(order[start : start + count])
                return replace(theme, items=tuple(theme.items[i] for i in chosen))
            start += count
        raise ValueError(f"{split.name} is not one of the splits.")

    def as_dict(self) -> dict[str, Any]:
        """Everything that names the rows, but for the version; ready for JSON."""
        return {
            "parts": [part.as_dict() for part in self.parts],
            "seed": self.seed,
            "splits": [split.as_dict() for split in self.splits],
            "separate_items": self.separate_items,
        }


def _items_needed(config: ProblemConfig) -> int:
    return (config.vars + 1) // 2 if config.composite_name else config.vars
