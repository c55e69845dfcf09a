"""From YAML files to recipes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from treecut_tasks.answers import parse_number
from treecut_tasks.data_sets.recipe import Part, Recipe
from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.files import read_yaml
from treecut_tasks.problems import WHOLE, ProblemConfig, default_num_vars, disjoint_splits
from treecut_tasks.problems.blocks import PairKind

# Splits are drawn by drawing names until they belong to it.
_TOO_SMALL = 0.0009
# A cycle of a mixture is a list in memory; nobody needs finer weights than such a sum of whole ones.
_MAX_CYCLE = 10_000
# A number as `Fraction` reads it; its size is limited so that computing with it is quick.
# A split names files, on all kinds of systems.
_SPLIT_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"


def _fraction(value: object) -> Fraction:
    """A number as it is written: 0.1 is one tenth."""
    number = None if isinstance(value, bool) else parse_number(str(value))
    if number is None:
        raise ValueError("must be a number such as 3, 0.25 or 1/3")
    return number


_Number = Annotated[Fraction, BeforeValidator(_fraction)]


class _Part(BaseModel):
    """One part of the file; the parameters of a configuration are checked by `ProblemConfig`."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    weight: Annotated[_Number, Field(gt=0)] = Fraction(1)
    pairs: PairKind = "none"
    answerable_share: Annotated[_Number, Field(ge=0, le=1)] | None = None
    theme: Any = None
    composite_name: Any = None
    num_vars: Any = None
    ans_depth: Any = None
    order: Any = None
    cut_depth: Any = None
    sampling: Any = None

    def parts(self, folder: Path) -> list[tuple[Fraction, Part]]:
        """The parts with their weights: two of them where problems of both kinds are wanted."""
        share = self.answerable_share
        if self.pairs != "none" and share is not None:
            raise TreecutError(
                "It has pairs and an answerable_share: half of all pairs is answerable; leave out one of "
                "the two keys."
            )
        given = self.model_dump(exclude={"weight", "pairs", "answerable_share"}, exclude_unset=True)
        if isinstance(self.theme, str) and self.theme.endswith((".yaml", ".yml")):
            given["theme"] = str(folder / self.theme)
        depth = given.get("ans_depth", ProblemConfig.ans_depth)
        if type(depth) is int:
            given.setdefault("num_vars", default_num_vars(depth, self.pairs))
        answerable = share or Fraction(0)
        found: list[tuple[Fraction, Part]] = []
        if answerable < 1:
            part = Part(ProblemConfig(**given), self.pairs)
            found.append((self.weight * (1 - answerable), part))
            given.pop("cut_depth", None)
        if answerable > 0:
            part = Part(ProblemConfig(**given, unanswerable=False))
            found.append((self.weight * answerable, part))
        return found


class _Mixture(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    parts: Annotated[list[_Part], Field(min_length=1)]
    splits: Annotated[
        dict[
            Annotated[str, Field(pattern=_SPLIT_NAME)],
            Annotated[_Number, Field(gt=_TOO_SMALL, le=1)],
        ],
        Field(min_length=1),
    ] = {WHOLE.name: Fraction(1)}  # pydantic copies it
    separate_items: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _check_splits(self) -> _Mixture:
        total = sum(self.splits.values())
        if total != 1:
            raise TreecutError(
                f"The shares of its splits add up to {total}: they must add up to 1."
            )
        if len({name.lower() for name in self.splits}) < len(self.splits):
            raise TreecutError(
                "Names of its splits differ only in the case of letters, as their files would: rename one "
                "of them."
            )
        return self


def read_mixture(path: str | Path, seed: int) -> Recipe:
    """Read a mixture: parts with weights, and the splits of the data set.

    The file is a YAML mapping. `parts` is a list of mappings; each takes the parameters of a
    `ProblemConfig` but `unanswerable`, and besides

    - `theme`: the path of a theme file is taken from the folder of the mixture
    - `weight`: its share of the entries relative to the other parts, a number above 0; 1 if missing
    - `pairs`: `full` or `matched` for pairs with such counterparts; `none` if missing
    - `answerable_share`: without pairs, the share of answerable problems from 0 to 1; 0 if missing

    `splits` maps names of splits to their shares, which add up to 1; without it there is one.
    `separate_items: true` gives each split item names of its own.

    Args:
        path: the file.
        seed: names the stream of problems.

    Raises:
        TreecutError: an unreadable file, or a key or value that is not allowed.
    """
    what = f"The mixture {str(path)!r}"
    mixture = validated(_Mixture, read_yaml(path, "mixture"), what)
    weighted: list[tuple[Fraction, Part]] = []
    for number, part in enumerate(mixture.parts, start=1):
        try:
            weighted += part.parts(Path(path).parent)
        except TreecutError as error:
            raise TreecutError(
                f"{what} has a part {number} that cannot be made. {error}"
            ) from error
    scale = lcm(*(weight.denominator for weight, _ in weighted))
    weights = [int(weight * scale) for weight, _ in weighted]
    common = gcd(*weights)
    if sum(weights) // common > _MAX_CYCLE:
        raise TreecutError(
            f"{what} has weights that, as whole numbers in the same proportions, add up to more than "
            f"{_MAX_CYCLE}: use rounder weights."
        )
    parts = tuple(
        replace(part, weight=weight // common)
        for weight, (_, part) in zip(weights, weighted, strict=True)
    )
    splits = disjoint_splits(mixture.splits.items(), mixture.separate_items)
    return Recipe(parts, seed, splits)
