"""Themes: what ships, loading one's own, and one clear error for each broken rule."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from treecut_tasks import read_mixture
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import ProblemConfig, generate
from treecut_tasks.themes import BUILTIN_THEMES, Item, load_theme

FRUIT: dict[str, Any] = {
    "name": "fruit",
    "entities": ["Old Market", "Green Corner", "Hill Stall"],
    "items": [
        {"name": "apple", "plural": "apples"},
        {"name": "pear", "plural": "pears"},
        {"name": "bunch of grapes", "plural": "bunches of grapes"},
    ],
    "values": {"min": 2, "max": 10, "step": 2},
    "money": {"one": "a euro", "many": "euros"},
}


def write(path: Path, content: Any) -> Path:
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    return path


def test_food_and_outfit_ship_with_the_names_of_the_published_data() -> None:
    assert BUILTIN_THEMES == ("food", "outfit")
    food, outfit = load_theme("food"), load_theme("outfit")
    assert food.entities == (
        "Taste Good Cuisine",
        "Bistro Nice",
        "Mike's Place",
        "Texas BBQ",
        "Urban Plate",
    )
    assert len(food.items) == 14
    assert food.items[0] == Item("Caesar salad", "Caesar salads")
    assert Item("creme brulee", "cream brulees") in food.items
    assert food.items[-1] == Item("piece of cheese cake", "pieces of cheese cake")
    assert (food.value_min, food.value_max, food.value_step) == (5, 15, 1)
    assert outfit.entities == (
        "Elegant Attire",
        "Classic Outfitters",
        "Urban Tailors",
        "Timeless Threads",
        "Premier Garments",
    )
    assert len(outfit.items) == 9
    assert (outfit.value_min, outfit.value_max, outfit.value_step) == (50, 100, 5)
    for theme in (food, outfit):
        assert (theme.money_one, theme.money_many) == ("a dollar", "dollars")


def test_capacity() -> None:
    assert [load_theme("food").capacity(composite) for composite in (True, False)] == [28, 14]


def test_own_theme_from_a_file(tmp_path: Path) -> None:
    theme = load_theme(write(tmp_path / "fruit.yaml", FRUIT))
    assert theme.name == "fruit"
    assert theme.entities == ("Old Market", "Green Corner", "Hill Stall")
    assert theme.items[2] == Item("bunch of grapes", "bunches of grapes")
    assert (theme.money_one, theme.money_many) == ("a euro", "euros")
    problem = generate(ProblemConfig(theme, ans_depth=2), random.Random(0))
    assert all(variable.item in theme_items(FRUIT) for variable in problem.variables)
    assert set(problem.values) <= {2, 4, 6, 8, 10}
    assert "euro" in problem.text
    assert "dollar" not in problem.text


def theme_items(content: dict[str, Any]) -> set[str]:
    return {item["name"] for item in content["items"]}


@pytest.mark.parametrize("name", ["own.yaml", "own.yml", "folder/own"])
def test_a_path_is_known_by_its_ending_or_its_separator(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    path = write(tmp_path / name, FRUIT)
    assert load_theme(path) == load_theme(str(path))


def test_names_need_not_be_english(tmp_path: Path) -> None:
    content = copy.deepcopy(FRUIT)
    content["entities"] = ["Café zum Löwen", "魚屋"]
    content["items"][0] = {"name": "Äpfelchen", "plural": "Äpfelchens"}
    theme = load_theme(write(tmp_path / "own.yaml", content))
    assert theme.entities == ("Café zum Löwen", "魚屋")


def test_plural_may_equal_the_singular(tmp_path: Path) -> None:
    content = copy.deepcopy(FRUIT)
    content["items"][0] = {"name": "sheep", "plural": "sheep"}
    assert load_theme(write(tmp_path / "own.yaml", content)).items[0] == Item("sheep", "sheep")


def test_themes_with_equal_content_are_equal_and_others_differ(tmp_path: Path) -> None:
    here, there = (load_theme(write(tmp_path / f"{n}.yaml", FRUIT)) for n in ("a", "b"))
    assert here == there
    assert hash(here) == hash(there)
    assert here.digest == there.digest
    changes: list[dict[str, Any]] = [
        {"name": "fruits"},
        {"entities": here.entities[::-1]},
        {"items": here.items[::-1]},
        {"items": (Item("apple", "appels"), *here.items[1:])},
        {"value_min": 4},
        {"value_max": 8},
        {"value_step": 1},
        {"money_one": "one euro"},
        {"money_many": "Euro"},
    ]
    digests = {replace(here, **change).digest for change in changes}
    assert len(digests) == len(changes)
    assert here.digest not in digests


def test_theme_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        load_theme("food").name = "fish"  # type: ignore[misc]


def test_prices_may_be_large_if_their_steps_are(tmp_path: Path) -> None:
    content = {**FRUIT, "values": {"min": 10**12, "max": 10**13, "step": 10**12}}
    theme = load_theme(write(tmp_path / "own.yaml", content))
    problem = generate(ProblemConfig(theme, ans_depth=2), random.Random(0))
    assert "000000000000 euros" in problem.text


# --- One error for each broken rule. ---


def changed(key: str, value: Any) -> dict[str, Any]:
    return {**copy.deepcopy(FRUIT), key: value}


def with_item(**item: Any) -> dict[str, Any]:
    return changed("items", [*copy.deepcopy(FRUIT["items"]), item])


def with_entity(name: Any) -> dict[str, Any]:
    return changed("entities", [*FRUIT["entities"], name])


BAD: dict[str, tuple[Any, str]] = {
    "no mapping": (["food"], "is ['food']: it must be a mapping"),
    "empty": (None, "is None: it must be a mapping"),
    "key missing": ({k: v for k, v in FRUIT.items() if k != "money"}, "money is missing"),
    "unknown key": (changed("colour", "red"), "colour is not known"),
    "no plural": (with_item(name="fig"), "items.3.plural is missing"),
    "item is text": (changed("items", ["fig", "nut"]), "items.0 is 'fig': it must be a mapping"),
    "item with more": (with_item(name="fig", plural="figs", price=3), "items.3.price is not known"),
    "too few items": (changed("items", FRUIT["items"][:1]), "2 or more parts, not 1"),
    "items no list": (changed("items", "apple"), "items is 'apple': it must be a list"),
    "too few entities": (changed("entities", ["Old Market"]), "2 or more parts, not 1"),
    "entity twice, other case": (with_entity("OLD MARKET"), "'OLD MARKET' stands there twice"),
    "plural is other item": (
        with_item(name="pears", plural="pearses"),
        "'pears' stands there twice",
    ),
    "entity is item": (with_entity("apple"), "'apple' stands there twice"),
    "item in item": (
        with_item(name="green apple", plural="green apples"),
        "'apple' is contained in 'green apple', so that a text could be read two ways",
    ),
    "entity in item": (
        with_item(name="Hill Stall pie", plural="Hill Stall pies"),
        "'Hill Stall' is contained in",
    ),
    "item in entity": (with_entity("Pear Shop"), "'pear' is contained in 'Pear Shop'"),
    "name is a number": (with_entity(24), "entities.3 is 24: it must be a text, in quotes"),
    "name is yes": (with_entity(True), "entities.3 is True: it must be a text"),
    "name is empty": (with_entity(""), "the name '' cannot be used"),
    "name with spaces": (with_entity(" Corner  Shop"), "one or more words with single spaces"),
    "name with line break": (with_entity("Corner\nShop"), "a name is one or more words"),
    "name with NUL": (with_entity("Corner\0Shop"), "a name is one or more words"),
    "name with digit first": (with_entity("24 Hours"), "must not begin with a digit"),
    "name with full stop": (with_entity("Corner Inc."), "the character '.' must not occur"),
    "name with and": (with_entity("Smith and Jones"), "the words 'and' must not occur in a name"),
    "name with less than": (with_entity("Less Than Ten"), "the words 'less than' must not occur"),
    "long name": (with_entity("x" * 5000 + "."), "the character '.' must not occur"),
    "values no mapping": (changed("values", [5, 15]), "values is [5, 15]: it must be a mapping"),
    "values incomplete": (changed("values", {"min": 5, "max": 15}), "values.step is missing"),
    "values zero": (changed("values", {"min": 0, "max": 15, "step": 1}), "it must be 1 or more"),
    "values true": (changed("values", {"min": True, "max": 15, "step": 1}), "a whole number"),
    "values fractional": (changed("values", {"min": 0.5, "max": 15, "step": 1}), "a whole number"),
    "values reversed": (changed("values", {"min": 9, "max": 3, "step": 3}), "must not exceed max"),
    "values off step": (
        changed("values", {"min": 5, "max": 15, "step": 2}),
        "both must be multiples of step",
    ),
    "values too many": (
        changed("values", {"min": 1, "max": 10**9, "step": 1}),
        "max must be at most 10000 steps; use larger steps or a smaller max",
    ),
    "values that could not be read back": (
        changed("values", {"min": 10**17, "max": 10**18, "step": 10**17}),
        "must be 100000000000000000 or less",
    ),
    "money no mapping": (changed("money", "euro"), "money is 'euro': it must be a mapping"),
    "money same": (changed("money", {"one": "yen", "many": "Yen"}), "the same words for one and"),
    "theme name empty": (changed("name", ""), "the name '' cannot be used"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=list(BAD))
def test_broken_theme_is_refused_in_one_clear_sentence(
    tmp_path: Path, content: Any, message: str
) -> None:
    path = write(tmp_path / "own.yaml", content)
    with pytest.raises(TreecutError) as caught:
        load_theme(path)
    text = str(caught.value)
    assert message in text
    assert str(path) in text
    assert text.endswith(".")
    assert text.isprintable()
    assert len(text) < 500


HOSTILE = {
    "bracket": "items: [",
    "colons": "a: b: c",
    "date": "name: 2024-13-45",
    "python": "name: !!python/name:os.system",
    "bool tag": "name: !!bool x",
    "timestamp tag": "name: !!timestamp x",
    "deep": "[" * 5000,
    "digits": "name: " + "9" * 5000,
    "20 digits": "name: " + "9" * 20,
    "aliases": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghijkl"))
    + "values: *l\n",
    "surrogate": 'name: "\\ud800"',
    "surrogate key": '"\\ud800": x',
    "recursive": "&a [*a]",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=list(HOSTILE))
@pytest.mark.parametrize("read", [load_theme, lambda path: read_mixture(path, 0)])
def test_hostile_yaml_is_refused_in_one_sentence(
    tmp_path: Path, read: Callable[[Path], Any], content: str
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TreecutError) as caught:
        read(path)
    text = str(caught.value)
    assert str(path) in text
    assert text.isprintable()
    assert len(text) < 500


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes("name: Café".encode("latin-1"))
    (tmp_path / "folder.yaml").mkdir()
    for name, message in {
        "own.yaml": "is not UTF-8 text (byte 9): save it as UTF-8",
        "none.yaml": "cannot be read (No such file or directory)",
        "folder.yaml": "cannot be read (",
        "nul\0.yaml": "cannot be read (",
    }.items():
        with pytest.raises(TreecutError) as caught:
            load_theme(tmp_path / name)
        assert message in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_a_theme(tmp_path: Path) -> None:
    path = write(tmp_path / "own.yaml", FRUIT)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_theme(path).name == "fruit"


@pytest.mark.parametrize("name", ["Food", "foods", "", "food.json", "\ud800"])
def test_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(TreecutError, match=r"Unknown theme .*: use food or outfit, or the path"):
        load_theme(name)
