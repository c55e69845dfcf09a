"""English for variables, formulas and questions (generator.md, "English")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from treecut_tasks.problems.formulas import MAX_COEFFICIENT, Formula
from treecut_tasks.themes import Theme


class Variable(NamedTuple):
    """What a variable is called: an item, and the place that sells it (None for simple names)."""

    entity: str | None
    item: str

    def __str__(self) -> str:
        return self.item if self.entity is None else f"{self.item} at {self.entity}"


@dataclass(frozen=True, slots=True)
class Phrases:
    """The ways to write one variable.

    Attributes:
        variable: its entity and item.
        label: `burger at Bistro Nice`, without an article.
        quantity: by number of pieces, 1 to 3: `a burger at …`, `2 burgers at …`; index 0 is unused.
        start: the same at the start of a sentence.
    """

    variable: Variable
    label: str
    quantity: tuple[str, ...]
    start: tuple[str, ...]


@lru_cache(maxsize=64)
def composite_phrases(theme: Theme) -> list[list[Phrases]]:
    """Phrases by entity index, then item index."""
    return [
        [
            _phrases(Variable(entity, item.name), item.plural, f" at {entity}")
            for item in theme.items
        ]
        for entity in theme.entities
    ]


@lru_cache(maxsize=64)
def simple_phrases(theme: Theme) -> list[Phrases]:
    """Phrases of every item of the theme, by item index."""
    return [_phrases(Variable(None, item.name), item.plural, "") for item in theme.items]


def _phrases(variable: Variable, plural: str, place: str) -> Phrases:
    article = "an" if variable.item[0].lower() in "aeiou" else "a"
    quantity = ["", f"{article} {variable.item}{place}"]
    quantity += [f"{n} {plural}{place}" for n in range(2, MAX_COEFFICIENT + 1)]
    start = [text[:1].upper() + text[1:] for text in quantity]
    return Phrases(variable, str(variable), tuple(quantity), tuple(start))


@lru_cache(maxsize=64)
def money_words(theme: Theme) -> dict[int, str]:
    """How each amount of money is written, by amount; as far as the largest sum in a sentence."""
    largest = 2 * MAX_COEFFICIENT * theme.value_max
    # Prices are multiples of the step, and so is every amount that formulas make of them.
    amounts = range(0, largest + 1, theme.value_step)
    return {n: theme.money_one if n == 1 else f"{n} {theme.money_many}" for n in amounts}


def word_formulas(
    formulas: Sequence[Formula], values: Sequence[int], phrases: Sequence[Phrases], theme: Theme
) -> tuple[list[str], dict[int, str]]:
    """Word formulas in the two forms that texts and solutions need, without full stops.

    Args:
        formulas: the formulas, at most one for each child.
        values: prices of x_1, x_2, … in money units.
        phrases: how x_1, x_2, … are written.
        theme: supplies the money words.

    Returns:
        Each formula as a sentence, in the order of the formulas; and each as a clause inside another
        sentence (first letter lower), by the child of its edge.
    """
    money = money_words(theme)
    sentences: list[str] = []
    clauses: dict[int, str] = {}
    for formula in formulas:
        parent, child = formula.parent, formula.child
        child_phrases = phrases[child - 1]
        if parent == 0:
            rest = f" costs {money[values[child - 1]]}"
            sentences.append(child_phrases.start[1] + rest)
            clauses[child] = child_phrases.quantity[1] + rest
            continue
        parent_phrases = phrases[parent - 1]
        a, b = formula.a, formula.b
        constant = a * values[parent - 1] + b * values[child - 1]
        if a * b > 0:
            # Two negative coefficients (sampling "paper") are worded as the equal sum.
            subject, times = parent_phrases, abs(a)
            rest = f" and {child_phrases.quantity[abs(b)]} cost {money[abs(constant)]}"
        else:
            # The subject of a difference is the operand with the positive coefficient.
            if a > 0:
                subject, times, other = parent_phrases, a, child_phrases.quantity[-b]
            else:
                subject, times, other = child_phrases, b, parent_phrases.quantity[-a]
            if constant == 0:
                rest = f"he price of {subject.quantity[times]} is the same as that of {other}"
                sentences.append("T" + rest)
                clauses[child] = "t" + rest
                continue
            verb = " costs " if times == 1 else " cost "
            if constant > 0:
                rest = f"{verb}{money[constant]} more than {other}"
            else:
                rest = f"{verb}{money[-constant]} less than {other}"
        sentences.append(subject.start[times] + rest)
        clauses[child] = subject.quantity[times] + rest
    return sentences, clauses


def question(asked: Phrases) -> str:
    """The question sentence; it says `a` even before a vowel, as published."""
    return f"Question: how much does a {asked.label} cost?"
