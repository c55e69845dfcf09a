"""Reading recipes from YAML files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any, get_args

from treecut_tasks.bulk.recipe import MAX_CYCLE, Part, Recipe
from treecut_tasks.bulk.splits import WHOLE, PairKind, Split, disjoint_splits
from treecut_tasks.errors import TreecutError
from treecut_tasks.files import read_yaml
from treecut_tasks.problems import ProblemConfig, default_num_vars
from treecut_tasks.problems.pairs import check_pair

_KEYS = ("parts", "splits", "separate_items")
_CONFIG_KEYS = tuple(field.name for field in fields(ProblemConfig) if field.name != "unanswerable")
_PART_KEYS = ("weight", "pairs", "answerable_share", *_CONFIG_KEYS)
_PAIR_KINDS: tuple[PairKind, ...] = get_args(PairKind)

# A number as text; its size is limited so that computing with it is quick.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:/[0-9]{1,18})?")
# Splits are drawn by drawing names until they belong to it.
_MIN_SHARE = Fraction(1, 10_000)
# A split names files, on all kinds of systems.
_SPLIT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


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
    source = str(path)
    data = _mapping(read_yaml(path, "mixture"), f"The mixture {source!r}", _KEYS, ("parts",))
    parts = data["parts"]
    if not isinstance(parts, list) or not parts:
        raise TreecutError(
            f"The mixture {source!r} has parts: {_shown(parts)}, which must be a list of one or more parts."
        )
    weighted: list[tuple[Fraction, ProblemConfig, PairKind]] = []
    for number, part in enumerate(parts, start=1):
        weighted += _parts(part, f"Part {number} of the mixture {source!r}", Path(path).parent)
    separate = data.get("separate_items", False)
    if not isinstance(separate, bool):
        raise TreecutError(
            f"The mixture {source!r} has separate_items: {_shown(separate)}, which must be true or false."
        )
    return Recipe(
        tuple(
            Part(config, pairs, weight)
            for weight, (_, config, pairs) in zip(
                _whole_weights(weighted, source), weighted, strict=True
            )
        ),
        seed,
        _splits(data.get("splits", {WHOLE.name: 1}), source, separate),
        separate,
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _mapping(
    data: Any, what: str, allowed: tuple[str, ...], required: tuple[str, ...]
) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise TreecutError(
            f"{what} is {_shown(data)}: it must be a mapping with the keys {', '.join(allowed)}."
        )
    unknown = [str(key) for key in data if key not in allowed]
    if unknown:
        raise TreecutError(
            f"{what} has the unknown key {_shown(unknown[0])}: the keys are {', '.join(allowed)}."
        )
    for key in required:
        if key not in data:
            raise TreecutError(f"{what} lacks the key {key!r}: the keys are {', '.join(allowed)}.")
    return data


def _parts(data: Any, what: str, folder: Path) -> list[tuple[Fraction, ProblemConfig, PairKind]]:
    """One part of the file; two parts of the recipe where problems of both kinds are wanted."""
    part = _mapping(data, what, _PART_KEYS, ())
    weight = _fraction(part.get("weight", 1), f"{what} has the weight")
    if weight <= 0:
        raise TreecutError(f"{what} has the weight {part['weight']!r}: it must be above 0.")
    pairs = _pair_kind(part.get("pairs", "none"), what)
    parameters = {key: part[key] for key in _CONFIG_KEYS if key in part}
    theme = parameters.get("theme")
    if isinstance(theme, str) and theme.endswith((".yaml", ".yml")):
        parameters["theme"] = str(folder / theme)
    if pairs != "none" and "num_vars" not in parameters:
        ans_depth = parameters.get("ans_depth", ProblemConfig().ans_depth)
        if type(ans_depth) is int:
            parameters["num_vars"] = default_num_vars(ans_depth, pairs)
    share = _fraction(part.get("answerable_share", 0), f"{what} has the answerable_share")
    if not 0 <= share <= 1:
        raise TreecutError(f"{what} has the answerable_share {share}: it must be from 0 to 1.")
    if pairs != "none" and "answerable_share" in part:
        raise TreecutError(
            f"{what} has pairs and an answerable_share: half of all pairs is answerable; leave out one of "
            "the two keys."
        )
    if share == 1 and "cut_depth" in part:
        raise TreecutError(
            f"{what} has a cut_depth, but its answerable_share of 1 leaves no problem with a cut: leave out "
            "one of the two keys."
        )
    found: list[tuple[Fraction, ProblemConfig, PairKind]] = []
    try:
        if share < 1:
            found.append((weight * (1 - share), ProblemConfig(**parameters), pairs))
        if share > 0:
            answerable = {key: parameters[key] for key in parameters if key != "cut_depth"}
            found.append((weight * share, ProblemConfig(**answerable, unanswerable=False), "none"))
        if pairs != "none":
            check_pair(found[0][1], pairs)
    except TreecutError as error:
        raise TreecutError(f"{what} cannot be made. {error}") from error
    return found


def _pair_kind(value: Any, what: str) -> PairKind:
    for kind in _PAIR_KINDS:
        if value == kind:
            return kind
    raise TreecutError(
        f"{what} has pairs: {_shown(value)}, which must be {', '.join(_PAIR_KINDS[:-1])} or "
        f"{_PAIR_KINDS[-1]}."
    )


def _fraction(value: Any, what: str) -> Fraction:
    """A number as it is written: 0.1 is one tenth."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TreecutError(f"{what} {_shown(value)}: it must be a number.")
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        try:
            number, _, divisor = str(value).partition("/")
            return Fraction(number) / Fraction(divisor or 1)
        except (ValueError, ZeroDivisionError):
            pass
    raise TreecutError(f"{what} {_shown(value)}: it must be a number such as 3, 0.25 or 1/3.")


def _whole_weights(
    weighted: list[tuple[Fraction, ProblemConfig, PairKind]], source: str
) -> list[int]:
    scale = lcm(*(weight.denominator for weight, _, _ in weighted))
    weights = [int(weight * scale) for weight, _, _ in weighted]
    common = gcd(*weights)
    weights = [weight // common for weight in weights]
    if sum(weights) > MAX_CYCLE:
        raise TreecutError(
            f"The mixture {source!r} has weights that, as whole numbers in the same proportions, add up to "
            f"more than {MAX_CYCLE}: use rounder weights."
        )
    return weights


def _splits(data: Any, source: str, separate_items: bool) -> tuple[Split, ...]:
    what = f"The mixture {source!r}"
    if not isinstance(data, dict) or not data:
        raise TreecutError(
            f"{what} has splits: {_shown(data)}, which must map names to shares, such as "
            "{train: 0.9, test: 0.1}."
        )
    shares = []
    for name, value in data.items():
        if not isinstance(name, str) or not _SPLIT_NAME.fullmatch(name):
            raise TreecutError(
                f"{what} has a split named {_shown(name)}: use at most 64 letters from a to z, digits and "
                "underscores, such as train."
            )
        share = _fraction(value, f"{what} has for the split {name!r} the share")
        if share < _MIN_SHARE:
            raise TreecutError(
                f"{what} has for the split {name!r} the share {value!r}: it must be at least {_MIN_SHARE}."
            )
        shares.append((name, share))
    if len({name.lower() for name, _ in shares}) < len(shares):
        raise TreecutError(
            f"{what} has splits whose names differ only in the case of letters, as their files would: "
            "rename one of them."
        )
    total = sum(share for _, share in shares)
    if total != 1:
        raise TreecutError(
            f"{what} has splits whose shares add up to {total}: they must add up to 1."
        )
    if separate_items:
        # Other items are other names; hashes have nothing to add.
        return tuple(Split(name, share) for name, share in shares)
    return disjoint_splits(shares)
