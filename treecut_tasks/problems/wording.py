"""English for variables, formulas and questions (generator.md, "English")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from treecut_tasks.problems.formulas import MAX_COEFFICIENT, Formula
from treecut_tasks.themes import Theme, Variable


@dataclass(frozen=True, slots=True)
class Phrases:
    """The ways to write one variable.

    The tuples go by number of pieces, 1 to 3; index 0 is unused.

    Attributes:
        variable: its entity and item.
        label: `burger at Bistro Nice`, without an article.
        quantity: `a burger at …`, `2 burgers at …`.
        start: the same at the start of a sentence.
        costs: the quantity with its verb, `a burger at … costs `.
        start_costs: the same at the start of a sentence.
        joined: the quantity as the second of a sum, ` and 2 burgers at … cost `.
    """

    variable: Variable
    label: str
    quantity: tuple[str, ...]
    start: tuple[str, ...]
    costs: tuple[str, ...]
    start_costs: tuple[str, ...]
    joined: tuple[str, ...]


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
    costs = ["", f"{quantity[1]} costs ", *[f"{several} cost " for several in quantity[2:]]]
    return Phrases(
        variable=variable,
        label=str(variable),
        quantity=tuple(quantity),
        start=_capitalised(quantity),
        costs=tuple(costs),
        start_costs=_capitalised(costs),
        joined=tuple([f" and {text} cost " for text in quantity]),
    )


def _capitalised(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple([text[:1].upper() + text[1:] for text in texts])


@dataclass(frozen=True, slots=True)
class MoneyWords:
    """How money is written.

    Attributes:
        amount: `3 dollars`, by amount, as far as the largest sum in a sentence.
        difference: `3 dollars more than ` by 3, `3 dollars less than ` by -3, as far as the largest
            difference; nothing by 0.
    """

    amount: dict[int, str]
    difference: dict[int, str]


@lru_cache(maxsize=64)
def money_words(theme: Theme) -> MoneyWords:
    """The money words of a theme."""
    step, largest = theme.value_step, MAX_COEFFICIENT * theme.value_max
    # Prices are multiples of the step, and so is every amount that formulas make of them.
    amount = {
        n: theme.money_one if n == 1 else f"{n} {theme.money_many}"
        for n in range(step, 2 * largest + 1, step)
    }
    difference = {}
    for n in range(step, largest, step):
        difference[n] = f"{amount[n]} more than "
        difference[-n] = f"{amount[n]} less than "
    return MoneyWords(amount, difference)


# Stands for the root where variables are looked up by number.
_ROOT = _phrases(Variable(None, "root"), "roots", "")


def word_formulas(
    formulas: Sequence[Formula],
    order: Sequence[int],
    values: Sequence[int],
    phrases: Sequence[Phrases],
    money: MoneyWords,
) -> tuple[list[str], list[str]]:
    """Word formulas in the two forms that texts and solutions need, without full stops.

    Args:
        formulas: the formulas, at most one for each child.
        order: the place in `formulas` of each sentence.
        values: prices of x_1, x_2, … in money units.
        phrases: how x_1, x_2, … are written.
        money: the money words of their theme.

    Returns:
        The sentences in this order; and each as a clause inside another sentence (first letter
        lower), indexed by the child of its edge.
    """
    value_of, phrases_of = (0, *values), (_ROOT, *phrases)
    amount, difference = money.amount, money.difference
    sentences: list[str] = []
    clauses = [""] * len(phrases_of)
    # The innermost loop of bulk generation. More than three assignments on one line make a tuple.
    for place in order:
        formula = formulas[place]
        parent = formula.parent
        child = formula.child
        a = formula.a
        b = formula.b
        constant = a * value_of[parent] + b * value_of[child]
        first = phrases_of[parent]
        second = phrases_of[child]
        if a < 0:
            if b < 0:
                # Two negative coefficients (sampling "paper") are worded as the equal sum.
                a, b, constant = -a, -b, -constant
            else:
                # The subject of a difference is the operand with the positive coefficient.
                first, second = second, first
                a, b = b, a
        if parent == 0:
            upper = second.start_costs[1]
            lower = second.costs[1]
            rest = amount[constant]
        elif b > 0:
            upper = first.start[a]
            lower = first.quantity[a]
            rest = second.joined[b] + amount[constant]
        elif constant == 0:
            upper = "The price of "
            lower = "the price of "
            rest = f"{first.quantity[a]} is the same as that of {second.quantity[-b]}"
        else:
            upper = first.start_costs[a]
            lower = first.costs[a]
            rest = difference[constant] + second.quantity[-b]
        sentences.append(upper + rest)
        clauses[child] = lower + rest
    return sentences, clauses


def question(asked: Phrases) -> str:
    """The question sentence; it says `a` even before a vowel, as published."""
    return f"Question: how much does a {asked.label} cost?"
