"""Responses as models ordinarily write them, made from problems: what is scored in bulk.

A chain of thought of about 100 to 300 words in one of several styles and a last line as the prompt
asks for it, with a right or a wrong price or `unknown`; one in seven is less obedient (only a box,
only a concluding sentence, a last line in other words, a refusal, a text that was cut off).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from treecut_tasks.problems import UNKNOWN, Problem
from treecut_tasks.reading import Equation, ReadProblem, read_problem
from treecut_tasks.themes import Variable

OPENINGS = (
    "Let's work through the conditions step by step.",
    "To solve this problem, I will translate each sentence into an equation.",
    "We are given the following information about the prices:",
    "First, let me write down what each condition says.",
    "I need to find the price of a {asked}.",
    "Okay, let's see. The question asks for the price of a {asked}.",
)
LINKS = (
    "This tells us that {equation}.",
    "In symbols, {equation}.",
    "So we have {equation}.",
    "That gives {equation}, which we will use below.",
    "From this it follows that {equation}.",
    "We write this as {equation}.",
)
UNKNOWN_REASONS = (
    (
        "These equations involve more variables than there are independent conditions, so the price of a "
        "{asked} is not fixed by what is stated. Different prices satisfy all of the conditions."
    ),
    (
        "There is no condition that links these prices to one that is known, so the conditions do not "
        "suffice to determine the price of a {asked}."
    ),
    (
        "We can express the price in terms of another one, but nothing pins that one down. The problem "
        "cannot be solved without additional information."
    ),
)
NUMBER_REASONS = (
    "Substituting the known prices one after the other, we find that a {asked} costs {money}.",
    (
        "Solving these equations from the known prices upwards gives {symbol} = {price}. Checking this "
        "against the conditions, everything is consistent."
    ),
    (
        "Working backwards from the price that is given, each step fixes one more price, and finally "
        "{symbol} = {price}. Therefore, a {asked} costs {money}."
    ),
)
LAST_LINES = (
    "Answer: {answer}",
    "Answer: {answer}",
    "Answer: {answer}",
    "Answer: {money}",
    "Answer: {money}.",
    "**Answer: {answer}**",
    "**Answer:** {answer}",
    "Final answer: {money}",
)
DISOBEDIENT = (
    "The answer is {money}.",
    "So, the price of a {asked} is {money}.",
    "\\[\n\\boxed{{{answer}}}\n\\]",
    "**{money}**",
    "### Final Answer\n\n{money}",
)
REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot answer this question.",
    "",
)

LATEX_TIMES = r" \cdot "


def ordinary_response(problem: Problem, rng: random.Random) -> str:
    """Draw a response to a problem.

    Args:
        problem: what is answered.
        rng: source of all choices.
    """
    if rng.random() < 0.01:
        return rng.choice(REFUSALS)
    read = read_problem(problem.text, [problem.config.resolved_theme])
    answer = _answer(problem, rng)
    known = {
        "asked": str(problem.asked_variable),
        "answer": answer,
        "price": answer,
        "money": answer if answer == UNKNOWN else f"{answer} dollars",
        "symbol": _symbols(read)[read.asked],
    }
    body = rng.choice(STYLES)(read, rng)
    opening = rng.choice(OPENINGS).format(**known)
    reasons = UNKNOWN_REASONS if answer == UNKNOWN else NUMBER_REASONS
    reason = rng.choice(reasons).format(**known)
    last_lines = LAST_LINES if rng.random() < 0.86 else DISOBEDIENT
    last = rng.choice(last_lines).format(**known)
    response = f"{opening}\n\n{body}\n\n{reason}\n\n{last}"
    return response[: rng.randrange(len(response))] if rng.random() < 0.01 else response


def _answer(problem: Problem, rng: random.Random) -> str:
    """Right for two in three; otherwise a price of the theme, or `unknown`."""
    if rng.random() < 2 / 3:
        return problem.answer
    theme = problem.config.resolved_theme
    prices = range(theme.value_min, theme.value_max + 1, theme.value_step)
    return rng.choice([UNKNOWN, *map(str, prices)])


def _symbols(read: ReadProblem) -> dict[Variable, str]:
    """A name for each price as models invent them: initials, or `x_3`."""
    names: dict[Variable, str] = {}
    for number, variable in enumerate(read.variables, start=1):
        item = "".join(word[0].upper() for word in variable.item.split())
        place = "".join(word[0] for word in (variable.entity or "").split())
        name = f"{item}_{place}" if place else item
        names[variable] = f"x_{number}" if name in names.values() else name
    return names


def _written(equation: Equation, symbols: dict[Variable, str], times: str = "") -> str:
    words = ""
    for variable, number in equation.coefficients.items():
        words += " - " if number < 0 else " + " if words else ""
        words += (
            symbols[variable] if abs(number) == 1 else f"{abs(number)}{times}{symbols[variable]}"
        )
    return f"{words} = {equation.constant}"


def _prose(read: ReadProblem, rng: random.Random) -> str:
    symbols = _symbols(read)
    return " ".join(
        f"{sentence.text} {rng.choice(LINKS).format(equation=_written(sentence.equation, symbols))}"
        for sentence in read.sentences
    )


def _steps(read: ReadProblem, rng: random.Random) -> str:
    symbols = _symbols(read)
    return "\n\n".join(
        f"**Step {sentence.number}:** {sentence.text}\n"
        f"{rng.choice(LINKS).format(equation=_written(sentence.equation, symbols, ' × '))}"
        for sentence in read.sentences
    )


def _list(read: ReadProblem, rng: random.Random) -> str:
    symbols = _symbols(read)
    names = "\n".join(f"- {symbol}: price of a {name}" for name, symbol in symbols.items())
    equations = "\n".join(
        f"{sentence.number}. {_written(sentence.equation, symbols)}" for sentence in read.sentences
    )
    return f"Let me define the variables:\n{names}\n\nThe equations are:\n{equations}"


def _latex(read: ReadProblem, rng: random.Random) -> str:
    symbols = _symbols(read)
    return "\n\n".join(
        f"{sentence.text}\n\\[\n{_written(sentence.equation, symbols, LATEX_TIMES)}\n\\]"
        for sentence in read.sentences
    )


def _terse(read: ReadProblem, rng: random.Random) -> str:
    symbols = {name: f"x{number}" for number, name in enumerate(read.variables, start=1)}
    return "\n".join(
        f"{sentence.text[:-1]} => {_written(sentence.equation, symbols, '*')}"
        for sentence in read.sentences
    )


STYLES: tuple[Callable[[ReadProblem, random.Random], str], ...] = (
    _prose,
    _prose,
    _steps,
    _list,
    _latex,
    _terse,
)
