"""Loading and validating theme files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from treecut_tasks.errors import TreecutError

BUILTIN_THEMES: tuple[str, ...] = ("food", "outfit")
"""Names of the themes that ship with the package."""

# A problem needs at least two variables, hence two items; composite names draw two entities.
_MIN_ENTITIES = 2
_MIN_ITEMS = 2
# The words for all amounts are kept in memory; nobody needs more prices than this.
_MAX_STEPS = 10_000

# Pieces of the sentence templates. A name that holds one would make a sentence readable in two ways.
_RESERVED = (" at ", " and ", " cost ", " costs ", " more than ", " less than ", " is the same as ")
_FORBIDDEN_CHARACTERS = frozenset('.?!:;,"{}<>\\')
_KEYS = frozenset({"name", "entities", "items", "values", "money"})


@dataclass(frozen=True, slots=True)
class Item:
    """One kind of thing that is sold: its singular `name` and its `plural`, without an article."""

    name: str
    plural: str


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

    def capacity(self, composite_name: bool) -> int:
        """How many variables the theme can name in one problem.

        Composite names combine two entities with as many items as half the variables
        (generator.md, step 1), so that each item serves twice.
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
    text = str(theme)
    if text in BUILTIN_THEMES:
        return _load_builtin(text)
    if not (text.endswith((".yaml", ".yml")) or "/" in text or "\\" in text):
        raise TreecutError(
            f"Unknown theme {text!r}: use {' or '.join(BUILTIN_THEMES)}, or the path of a theme file "
            "that ends in .yaml."
        )
    try:
        content = Path(text).read_text(encoding="utf-8")
    except OSError as error:
        raise TreecutError(
            f"Theme file {text!r} cannot be read ({error.strerror}): give the path of an existing "
            f"YAML file, or one of {', '.join(BUILTIN_THEMES)}."
        ) from error
    except UnicodeDecodeError as error:
        raise TreecutError(f"Theme file {text!r} is not UTF-8 text: save it as UTF-8.") from error
    return _parse_theme(content, source=text)


@cache
def _load_builtin(name: str) -> Theme:
    resource = resources.files("treecut_tasks.themes") / "data" / f"{name}.yaml"
    return _parse_theme(resource.read_text(encoding="utf-8"), source=name)


def _parse_theme(content: str, source: str) -> Theme:
    """Build a `Theme` from YAML text; every broken rule is one `TreecutError` that names `source`."""
    try:
        data: Any = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # ValueError: an impossible date, or a number of thousands of digits.
        reason = " ".join(str(error).split())
        raise TreecutError(
            f"Theme {source!r} is not valid YAML ({reason}): mend the file."
        ) from error
    if not isinstance(data, dict):
        raise TreecutError(f"Theme {source!r} must be a mapping with the keys {_listed(_KEYS)}.")
    keys = {str(key) for key in data}
    if keys != _KEYS:
        wrong = [f"lacks {_listed(_KEYS - keys)}"] if _KEYS - keys else []
        wrong += [f"has the unknown key {_listed(keys - _KEYS)}"] if keys - _KEYS else []
        raise TreecutError(
            f"Theme {source!r} {' and '.join(wrong)}: a theme has exactly the keys {_listed(_KEYS)}."
        )
    entities = tuple(
        _name(value, "entity", source) for value in _list(data["entities"], "entities", source)
    )
    items = tuple(_item(value, source) for value in _list(data["items"], "items", source))
    if len(entities) < _MIN_ENTITIES:
        raise TreecutError(
            f"Theme {source!r} has {len(entities)} entities: list at least {_MIN_ENTITIES}."
        )
    if len(items) < _MIN_ITEMS:
        raise TreecutError(f"Theme {source!r} has {len(items)} items: list at least {_MIN_ITEMS}.")
    _check_unambiguous(entities, items, source)
    value_min, value_max, value_step = _values(data["values"], source)
    money_one, money_many = _money(data["money"], source)
    return Theme(
        name=_name(data["name"], "theme", source),
        entities=entities,
        items=items,
        value_min=value_min,
        value_max=value_max,
        value_step=value_step,
        money_one=money_one,
        money_many=money_many,
    )


def _listed(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(names))


def _list(value: Any, key: str, source: str) -> list[Any]:
    if not isinstance(value, list):
        raise TreecutError(f"Theme {source!r} has {key}: {value!r}, which must be a list.")
    return value


def _name(value: Any, role: str, source: str) -> str:
    """Check one name: printable text that no sentence template can swallow."""
    if not isinstance(value, str):
        raise TreecutError(
            f"Theme {source!r} has the {role} name {value!r}, which is not text: write it in quotes."
        )
    if not value or value != " ".join(value.split()) or not value.isprintable():
        raise TreecutError(
            f"Theme {source!r} has the {role} name {value!r}: a name is one or more words with single "
            "spaces between them and nothing around them."
        )
    if value[0].isdigit():
        raise TreecutError(
            f"Theme {source!r} has the {role} name {value!r}: a name must not begin with a digit, "
            "because quantities do."
        )
    bad = sorted(_FORBIDDEN_CHARACTERS & set(value))
    if bad:
        raise TreecutError(
            f"Theme {source!r} has the {role} name {value!r}: the character {bad[0]!r} must not occur "
            "in a name, because sentences use it."
        )
    padded = f" {value.lower()} "
    for words in _RESERVED:
        if words in padded:
            raise TreecutError(
                f"Theme {source!r} has the {role} name {value!r}: the words {words.strip()!r} must not "
                "occur in a name, because sentences use them."
            )
    return value


def _item(value: Any, source: str) -> Item:
    if not isinstance(value, dict) or "name" not in value:
        raise TreecutError(
            f"Theme {source!r} has the item {value!r}: an item is a mapping with name and plural."
        )
    if "plural" not in value:
        raise TreecutError(
            f"Theme {source!r} has the item {value['name']!r} without a plural: add plural: to it."
        )
    unknown = {str(key) for key in value} - {"name", "plural"}
    if unknown:
        raise TreecutError(
            f"Theme {source!r} has the item {value['name']!r} with the unknown key {_listed(unknown)}: "
            "an item has only name and plural."
        )
    return Item(_name(value["name"], "item", source), _name(value["plural"], "plural", source))


def _check_unambiguous(entities: tuple[str, ...], items: tuple[Item, ...], source: str) -> None:
    """Refuse duplicates, and names that occur as whole words in one another.

    A `salad` beside a `Greek salad` lets a person read `the salad` in two ways, and an entity that
    is part of another does the same; so both are refused, whatever the case of their letters.
    """
    roles: list[tuple[str, str, int]] = [
        (name, "entity", -1 - i) for i, name in enumerate(entities)
    ]
    for i, item in enumerate(items):
        roles.append((item.name, "item", i))
        if item.plural.lower() != item.name.lower():
            roles.append((item.plural, "plural", i))
    seen: dict[str, str] = {}
    for name, role, _ in roles:
        if name.lower() in seen:
            raise TreecutError(
                f"Theme {source!r} has the name {name!r} twice ({seen[name.lower()]} and {role}): "
                "give every entity, item and plural a name of its own."
            )
        seen[name.lower()] = role
    for inner, _, inner_owner in roles:
        for outer, _, outer_owner in roles:
            if inner_owner != outer_owner and f" {inner.lower()} " in f" {outer.lower()} ":
                raise TreecutError(
                    f"Theme {source!r} has the name {inner!r}, which is contained in {outer!r}, so that "
                    "a text could be read two ways: rename one of them."
                )


def _values(value: Any, source: str) -> tuple[int, int, int]:
    if not isinstance(value, dict) or set(value) != {"min", "max", "step"}:
        raise TreecutError(
            f"Theme {source!r} has values: {value!r}, which must be a mapping with min, max and step."
        )
    numbers = [value["min"], value["max"], value["step"]]
    if any(type(number) is not int or number < 1 for number in numbers):
        raise TreecutError(
            f"Theme {source!r} has values {numbers}: min, max and step must be whole numbers of 1 or more."
        )
    low, high, step = numbers
    if low > high or low % step or high % step:
        raise TreecutError(
            f"Theme {source!r} has values from {low} to {high} in steps of {step}: min must not exceed "
            "max, and both must be multiples of step."
        )
    if high // step > _MAX_STEPS:
        raise TreecutError(
            f"Theme {source!r} has values up to {high} in steps of {step}: max must be at most "
            f"{_MAX_STEPS} steps; use larger steps or a smaller max."
        )
    return low, high, step


def _money(value: Any, source: str) -> tuple[str, str]:
    if not isinstance(value, dict) or set(value) != {"one", "many"}:
        raise TreecutError(
            f"Theme {source!r} has money: {value!r}, which must be a mapping with one and many, such as "
            "one: a dollar, many: dollars."
        )
    one, many = (_name(value[key], "money", source) for key in ("one", "many"))
    if one.lower() == many.lower():
        raise TreecutError(f"Theme {source!r} has the same money words for one and many: {one!r}.")
    return one, many
