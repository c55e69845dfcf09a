"""Takes the name or the file of a theme, gives the validated theme."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from treecut_tasks.errors import TreecutError, shown, validated
from treecut_tasks.files import read_yaml

BUILTIN_THEMES: tuple[str, ...] = ("food", "outfit")
"""Names of the themes that ship with the package."""

# A problem needs at least two variables, hence two items; composite names draw two entities.
_MIN_ENTITIES = 2
_MIN_ITEMS = 2
# The words for all amounts are kept in memory; nobody needs more prices than this.
_MAX_STEPS = 10_000
# Six of the dearest still have no more than the 18 digits that are read back.
_MAX_PRICE = 10**17

# Pieces of the sentence templates. A name that holds one would make a sentence readable in two ways.
_RESERVED = (" at ", " and ", " cost ", " costs ", " more than ", " less than ", " is the same as ")
_FORBIDDEN_CHARACTERS = frozenset('.?!:;,"{}<>\\')


@dataclass(frozen=True, slots=True)
class Item:
    """One kind of thing that is sold: its singular `name` and its `plural`, without an article."""

    name: str
    plural: str


class Variable(NamedTuple):
    """What a price is of: an item, at one place where names are composite.

    Attributes:
        entity: the place that sells it, or None for simple names.
        item: the item's singular name, without an article.
    """

    entity: str | None
    item: str

    def __str__(self) -> str:
        return self.item if self.entity is None else f"{self.item} at {self.entity}"


@dataclass(frozen=True)
class Theme:
    """A validated theme.

    Attributes:
        name: what the theme is called in records and logs.
        entities: places that sell items, in drawing order.
        items: things that are sold, in drawing order.
        value_min: lowest price, in money units; a multiple of `value_step`.
        value_max: highest price, in money units; a multiple of `value_step`.
        value_step: distance between neighbouring prices, in money units.
        money_one: how one unit of money is written, article included (`a dollar`).
        money_many: how several units are written after the number (`dollars`).
    """

    name: str
    entities: tuple[str, ...]
    items: tuple[Item, ...]
    value_min: int
    value_max: int
    value_step: int
    money_one: str
    money_many: str

    def __hash__(self) -> int:
        # Themes key caches on the generator's fast path; hashing every name anew would dominate it.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Not `hash(self.digest)`, which another process that unpickles the theme would not agree to.
        return int(self.digest[:15], 16)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the theme's content; the same for equal themes, wherever their file is."""
        content = [
            self.name,
            list(self.entities),
            [[item.name, item.plural] for item in self.items],
            [self.value_min, self.value_max, self.value_step],
            [self.money_one, self.money_many],
        ]
        text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @property
    def prices(self) -> range:
        """All prices, in money units, from the lowest to the highest."""
        return range(self.value_min, self.value_max + 1, self.value_step)

    def money(self, amount: Fraction | int) -> str:
        """Write an amount: `a dollar`, `11 dollars`, `43/3 dollars`."""
        return self.money_one if amount == 1 else f"{amount} {self.money_many}"

    def capacity(self, composite_name: bool) -> int:
        """How many variables the theme can name in one problem.

        Composite names combine two entities with as many items as half the variables
        (paper, Appendix A), so that each item serves twice.
        """
        return len(self.items) * (2 if composite_name else 1)


def load_theme(theme: str | Path) -> Theme:
    """Return the theme with this built-in name, or the one in the YAML file at this path.

    Args:
        theme: `food`, `outfit`, or the path of a theme file (recognised by its `.yaml` or `.yml`
            ending or by a path separator in it).

    Raises:
        TreecutError: unknown name, unreadable file, or a theme that breaks a rule.
    """
    path = str(theme)
    if path in BUILTIN_THEMES:
        return _load_builtin(path)
    if not (path.endswith((".yaml", ".yml")) or "/" in path or "\\" in path):
        raise TreecutError(
            f"Unknown theme {shown(path)}: use {' or '.join(BUILTIN_THEMES)}, or the path of a theme "
            "file that ends in .yaml."
        )
    return _parsed(read_yaml(path, "theme file"), source=path)


@cache
def _load_builtin(name: str) -> Theme:
    data = resources.files("treecut_tasks.themes") / "data"
    with resources.as_file(data / f"{name}.yaml") as path:
        return _parsed(read_yaml(path, "theme"), source=name)


def _parsed(data: Any, source: str) -> Theme:
    found = validated(_ThemeFile, data, f"Theme {source!r}")
    return Theme(
        name=found.name,
        entities=tuple(found.entities),
        items=tuple(Item(item.name, item.plural) for item in found.items),
        value_min=found.values.min,
        value_max=found.values.max,
        value_step=found.values.step,
        money_one=found.money.one,
        money_many=found.money.many,
    )


def _checked_name(name: str) -> str:
    """Refuse what a sentence template could swallow."""
    problem = None
    if not name or name != " ".join(name.split()) or not name.isprintable():
        problem = "a name is one or more words with single spaces between them, nothing around them"
    elif name[0].isdigit():
        problem = "a name must not begin with a digit, because quantities do"
    elif bad := sorted(_FORBIDDEN_CHARACTERS & set(name)):
        problem = f"the character {bad[0]!r} must not occur in a name, because sentences use it"
    elif taken := template_words(name.lower()):
        problem = f"the words {taken[0]!r} must not occur in a name, because sentences use them"
    if problem is not None:
        raise TreecutError(f"the name {shown(name)} cannot be used: {problem}.")
    return name


def template_words(name: str) -> list[str]:
    """The words of a name by which sentences are taken apart."""
    return [words.strip() for words in _RESERVED if words in f" {name} "]


_Name = Annotated[str, AfterValidator(_checked_name)]
_Price = Annotated[int, Field(ge=1, le=_MAX_PRICE)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _ItemFile(_Strict):
    name: _Name
    plural: _Name


class _Values(_Strict):
    min: _Price
    max: _Price
    step: _Price

    @model_validator(mode="after")
    def _check_steps(self) -> _Values:
        if self.min > self.max or self.min % self.step or self.max % self.step:
            raise TreecutError(
                f"values from {self.min} to {self.max} in steps of {self.step} cannot be drawn: min "
                "must not exceed max, and both must be multiples of step."
            )
        if self.max // self.step > _MAX_STEPS:
            raise TreecutError(
                f"values up to {self.max} in steps of {self.step} are too many: max must be at most "
                f"{_MAX_STEPS} steps; use larger steps or a smaller max."
            )
        return self


class _Money(_Strict):
    one: _Name
    many: _Name

    @model_validator(mode="after")
    def _check_different(self) -> _Money:
        if self.one.lower() == self.many.lower():
            raise TreecutError(f"money has the same words for one and many, {self.one!r}.")
        return self


class _ThemeFile(_Strict):
    name: _Name
    entities: list[_Name] = Field(min_length=_MIN_ENTITIES)
    items: list[_ItemFile] = Field(min_length=_MIN_ITEMS)
    values: _Values
    money: _Money

    @model_validator(mode="after")
    def _check_unambiguous(self) -> _ThemeFile:
        """Refuse duplicates, and names that occur as whole words in one another.

        A `salad` beside a `Greek salad` lets a person read `the salad` in two ways, and an entity
        that is part of another does the same; so both are refused, whatever the case of letters.
        """
        owners = [*((name, name) for name in self.entities)]
        owners += [(item.name, item.name) for item in self.items]
        owners += [
            (item.plural, item.name)
            for item in self.items
            if item.plural.lower() != item.name.lower()
        ]
        seen: set[str] = set()
        for name, _ in owners:
            if name.lower() in seen:
                raise TreecutError(
                    f"the name {name!r} stands there twice: give every entity, item and plural a name "
                    "of its own."
                )
            seen.add(name.lower())
        for inner, owner in owners:
            for outer, other in owners:
                if owner != other and f" {inner.lower()} " in f" {outer.lower()} ":
                    raise TreecutError(
                        f"the name {inner!r} is contained in {outer!r}, so that a text could be read "
                        "two ways: rename one of them."
                    )
        return self
