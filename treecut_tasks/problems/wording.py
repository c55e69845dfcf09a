"""From a theme to the English of its names and prices: the pieces that texts are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.themes import Theme, Variable

MAX_COEFFICIENT = 3
"""Coefficients are ±1, ±2, ±3 (paper, Algorithm 1, line 28)."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """The ways to write one variable.

    Attributes:
        variable: its entity and item.
        quantity: `a burger at …`, `2 burgers at …`, `3 burgers at …`.
        start: the same at the start of a sentence.
    """

    variable: Variable
    quantity: tuple[str, ...]
    start: tuple[str, ...]


def all_phrases(config: ProblemConfig) -> tuple[Phrases, ...]:
    """Every name that a configuration can give to a variable, entity by entity."""
    return phrases_of(config.resolved_theme, config.composite_name)


@lru_cache(maxsize=64)
def phrases_of(theme: Theme, composite_name: bool) -> tuple[Phrases, ...]:
    """Every name of a theme: of composite names entity by entity, in the order of the theme."""
    if not composite_name:
        return tuple(_phrases(Variable(None, item.name), item.plural, "") for item in theme.items)
    return tuple(
        _phrases(Variable(entity, item.name), item.plural, f" at {entity}")
        for entity in theme.entities
        for item in theme.items
    )


def _phrases(variable: Variable, plural: str, place: str) -> Phrases:
    article = "an" if variable.item[0].lower() in "aeiou" else "a"
    several = (f"{n} {plural}" for n in range(2, MAX_COEFFICIENT + 1))
    quantity = tuple(f"{words}{place}" for words in (f"{article} {variable.item}", *several))
    return Phrases(variable, quantity, capitalised(quantity))


def capitalised(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts as they stand at the start of a sentence."""
    return tuple(text[:1].upper() + text[1:] for text in texts)


def amounts(theme: Theme) -> list[str]:
    """The money words of every amount that formulas make of prices, by multiples of the step, from 1."""
    step = theme.value_step
    return [
        theme.money_one if n == 1 else f"{n} {theme.money_many}"
        for n in range(step, 2 * MAX_COEFFICIENT * theme.value_max + 1, step)
    ]


def question(asked: Variable) -> str:
    """The question sentence; it says `a` even before a vowel, as the authors' data does."""
    return f"Question: how much does a {asked} cost?"
