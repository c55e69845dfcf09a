"""Themes: what ships, loading one's own, and one clear error for each broken rule."""

from __future__ import annotations

import copy
import random
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

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


BAD = {
    "no mapping": (
        ["food"],
        "must be a mapping with the keys entities, items, money, name, values",
    ),
    "empty": (None, "must be a mapping"),
    "key missing": ({k: v for k, v in FRUIT.items() if k != "money"}, "lacks money"),
    "unknown key": (changed("colour", "red"), "has the unknown key colour"),
    "no plural": (with_item(name="fig"), "has the item 'fig' without a plural"),
    "item is text": (changed("items", ["fig", "nut"]), "has the item 'fig': an item is a mapping"),
    "item without name": (with_item(plural="figs"), "an item is a mapping with name and plural"),
    "item with more": (with_item(name="fig", plural="figs", price=3), "with the unknown key price"),
    "too few items": (changed("items", FRUIT["items"][:1]), "has 1 items: list at least 2"),
    "no items": (changed("items", []), "has 0 items: list at least 2"),
    "items no list": (changed("items", "apple"), "has items: 'apple', which must be a list"),
    "too few entities": (changed("entities", ["Old Market"]), "has 1 entities: list at least 2"),
    "entities no list": (changed("entities", {"a": 1}), "which must be a list"),
    "entity twice": (
        with_entity("Old Market"),
        "has the name 'Old Market' twice (entity and entity)",
    ),
    "entity twice, other case": (with_entity("OLD MARKET"), "twice (entity and entity)"),
    "item twice": (with_item(name="pear", plural="peares"), "has the name 'pear' twice"),
    "plural twice": (with_item(name="pairs", plural="pears"), "'pears' twice (plural and plural)"),
    "plural is other item": (with_item(name="pears", plural="pearses"), "'pears' twice"),
    "entity is item": (with_entity("apple"), "has the name 'apple' twice (entity and item)"),
    "item in item": (
        with_item(name="green apple", plural="green apples"),
        "'apple', which is contained in 'green apple', so that a text could be read two ways",
    ),
    "plural in plural": (
        with_item(name="fig", plural="sacks of pears"),
        "'pears', which is contained",
    ),
    "entity in entity": (with_entity("Old Market Hall"), "'Old Market', which is contained in"),
    "entity in item": (
        with_item(name="Hill Stall pie", plural="Hill Stall pies"),
        "'Hill Stall', which",
    ),
    "item in entity": (
        with_entity("Pear Shop"),
        "has the name 'pear', which is contained in 'Pear Shop'",
    ),
    "name is a number": (with_entity(24), "has the entity name 24, which is not text"),
    "name is yes": (with_entity(True), "which is not text: write it in quotes"),
    "name is empty": (with_entity(""), "has the entity name ''"),
    "name with spaces": (
        with_entity(" Corner  Shop"),
        "a name is one or more words with single spaces",
    ),
    "name with line break": (with_entity("Corner\nShop"), "a name is one or more words"),
    "name with digit first": (with_entity("24 Hours"), "must not begin with a digit"),
    "name with full stop": (with_entity("Corner Inc."), "the character '.' must not occur"),
    "name with question mark": (with_entity("Who?"), "the character '?' must not occur"),
    "name with comma": (with_entity("Smith, Jones"), "the character ',' must not occur"),
    "name with and": (with_entity("Smith and Jones"), "the words 'and' must not occur in a name"),
    "name with at": (
        with_item(name="meal at home", plural="meals at home"),
        "the words 'at' must not",
    ),
    "name with costs": (with_entity("Low Costs"), "the words 'costs' must not occur"),
    "name with less than": (with_entity("Less Than Ten"), "the words 'less than' must not occur"),
    "values no mapping": (changed("values", [5, 15]), "must be a mapping with min, max and step"),
    "values incomplete": (changed("values", {"min": 5, "max": 15}), "with min, max and step"),
    "values zero": (
        changed("values", {"min": 0, "max": 15, "step": 1}),
        "whole numbers of 1 or more",
    ),
    "values fractional": (
        changed("values", {"min": 0.5, "max": 15, "step": 1}),
        "whole numbers of 1 or more",
    ),
    "values reversed": (
        changed("values", {"min": 9, "max": 3, "step": 3}),
        "min must not exceed max",
    ),
    "values off step": (
        changed("values", {"min": 5, "max": 15, "step": 2}),
        "both must be multiples of step",
    ),
    "values too many": (
        changed("values", {"min": 1, "max": 10**9, "step": 1}),
        "max must be at most 10000 steps; use larger steps or a smaller max",
    ),
    "money no mapping": (changed("money", "euro"), "must be a mapping with one and many"),
    "money same": (changed("money", {"one": "yen", "many": "Yen"}), "has the same money words"),
    "money empty": (changed("money", {"one": "", "many": "yen"}), "has the money name ''"),
    "theme name empty": (changed("name", ""), "has the theme name ''"),
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
    assert "\n" not in text


@pytest.mark.parametrize(
    "content",
    ["items: [", "a: b: c", "name: 2024-13-45", "name: !!python/name:os.system", "[" * 5000,
     "name: " + "9" * 5000],
    ids=["bracket", "colons", "date", "python", "deep", "digits"],
)  # fmt: skip
def test_file_that_is_not_yaml_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TreecutError) as caught:
        load_theme(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes("name: Café".encode("latin-1"))
    with pytest.raises(TreecutError, match="is not UTF-8 text: save it as UTF-8"):
        load_theme(path)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TreecutError, match=r"cannot be read \(No such file or directory\)"):
        load_theme(tmp_path / "none.yaml")
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(TreecutError, match="cannot be read"):
        load_theme(tmp_path / "folder.yaml")


@pytest.mark.parametrize("name", ["Food", "foods", "", "food.json"])
def test_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(TreecutError, match=r"Unknown theme .*: use food or outfit, or the path"):
        load_theme(name)
