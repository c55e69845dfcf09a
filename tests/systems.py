"""Random linear systems as texts, with a writer and an oracle of the tests' own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from tests.strategies import EURO_THEME
from treecut_tasks.reading import Equation, ReadProblem
from treecut_tasks.themes import BUILTIN_THEMES, Theme, Variable, load_theme

THEMES = (*(load_theme(name) for name in BUILTIN_THEMES), EURO_THEME)
System = tuple[list[Equation], Variable, Theme]
"""Equations, the asked variable, and the theme."""


def write_quantity(count: int, variable: Variable, theme: Theme) -> str:
    plurals = {item.name: item.plural for item in theme.items}
    place = f" at {variable.entity}" if variable.entity is not None else ""
    if count == 1:
        article = "an" if variable.item[0].lower() in ("a", "e", "i", "o", "u") else "a"
        return f"{article} {variable.item}{place}"
    return f"{count} {plurals[variable.item]}{place}"


def write_money(amount: int, theme: Theme) -> str:
    return theme.money_one if amount == 1 else f"{amount} {theme.money_many}"


def write_sentence(equation: Equation, theme: Theme) -> str:
    (first, count), *rest = equation.coefficients.items()
    left = write_quantity(count, first, theme)
    verb = "costs" if count == 1 else "cost"
    money = write_money(abs(equation.constant), theme)
    if not rest:
        text = f"{left} {verb} {money}."
    else:
        ((second, other),) = rest
        right = write_quantity(abs(other), second, theme)
        if other > 0:
            text = f"{left} and {right} cost {money}."
        elif equation.constant == 0:
            text = f"The price of {left} is the same as that of {right}."
        else:
            comparison = "more" if equation.constant > 0 else "less"
            text = f"{left} {verb} {money} {comparison} than {right}."
    return text[0].upper() + text[1:]


def write_question(asked: Variable) -> str:
    return f"Question: how much does a {asked} cost?"


def write_problem(equations: Sequence[Equation], asked: Variable, theme: Theme) -> str:
    sentences = [write_sentence(equation, theme) for equation in equations]
    return " ".join([*sentences, write_question(asked)])


def rewrite(read: ReadProblem) -> str:
    return write_problem([s.equation for s in read.sentences], read.asked, read.theme)


@st.composite
def systems(draw: st.DrawFn) -> System:
    """Random systems that may be redundant, partly contradictory, or silent on what is asked."""
    theme = draw(st.sampled_from(THEMES))
    places: list[str | None] = draw(
        st.sampled_from([[None], list(theme.entities[:2]), list(theme.entities)])
    )
    names = [Variable(place, item.name) for item in theme.items for place in places]
    variables = draw(st.lists(st.sampled_from(names), min_size=2, max_size=8, unique=True))
    values = {variable: draw(st.integers(1, 12)) for variable in variables}
    noise = draw(st.sampled_from([0, 0, 1]))
    equations = []
    for _ in range(draw(st.integers(1, 9))):
        chosen = draw(st.lists(st.sampled_from(variables), min_size=1, max_size=2, unique=True))
        counts = [draw(st.integers(1, 3)) for _ in chosen]
        if len(chosen) == 2 and draw(st.booleans()):
            counts[1] = -counts[1]
        coefficients = dict(zip(chosen, counts, strict=True))
        constant = sum(count * values[variable] for variable, count in coefficients.items())
        constant += draw(st.integers(0, 2)) * noise
        equations.append(Equation(coefficients, constant))
    return equations, draw(st.sampled_from(variables)), theme


# --- The oracle: textbook elimination on a dense matrix. ---


def reduced_rows(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The reduced row echelon form, without rows of zeros."""
    matrix = [list(row) for row in rows]
    done = 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((i for i in range(done, len(matrix)) if matrix[i][column]), None)
        if pivot is None:
            continue
        matrix[done], matrix[pivot] = matrix[pivot], matrix[done]
        head = matrix[done][column]
        matrix[done] = [number / head for number in matrix[done]]
        for i, row in enumerate(matrix):
            if i != done and row[column]:
                factor = row[column]
                matrix[i] = [a - factor * b for a, b in zip(row, matrix[done], strict=True)]
        done += 1
    return matrix[:done]


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """The rank of a dense matrix."""
    return len(reduced_rows(rows))


def dense(read: ReadProblem) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """The left sides of all equations, and the same with the right sides."""
    left = [
        [Fraction(s.equation.coefficients.get(v, 0)) for v in read.variables]
        for s in read.sentences
    ]
    return left, [
        [*row, Fraction(s.equation.constant)] for row, s in zip(left, read.sentences, strict=True)
    ]


def unit(read: ReadProblem, variable: Variable) -> list[Fraction]:
    """The row that states the variable's price."""
    return [Fraction(v == variable) for v in read.variables]
