"""Takes a problem's text, gives what its sentences prove about the asked price, in words too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from treecut_tasks.answers import MOST_DIGITS, UNKNOWN, is_answer, parse_number
from treecut_tasks.errors import TreecutError, shown
from treecut_tasks.reading import (
    Determined,
    Equation,
    Inconsistent,
    ReadProblem,
    Solution,
    Undetermined,
    check_certificate,
    read_problem,
    solve,
)
from treecut_tasks.themes import Theme, Variable


@dataclass(frozen=True, slots=True)
class Proof:
    """What the sentences of a text prove about the asked price.

    Attributes:
        text: the problem's text.
        read: the text as a linear system.
        solution: what follows from it, with a certificate that was checked by substitution.
    """

    text: str
    read: ReadProblem
    solution: Solution

    @property
    def answer(self) -> str | None:
        """The answer that the text proves: a price, `unknown`, or None if it contradicts itself."""
        if isinstance(self.solution, Determined):
            return str(self.solution.value)
        return UNKNOWN if isinstance(self.solution, Undetermined) else None

    @property
    def possible_prices(self) -> tuple[Fraction, ...]:
        """Prices that the asked item can have: the one, two of many, or none."""
        if isinstance(self.solution, Determined):
            return (self.solution.value,)
        if isinstance(self.solution, Undetermined):
            return (self.solution.first[self.read.asked], self.solution.second[self.read.asked])
        return ()

    def agrees(self, stated: str) -> bool:
        """Whether a stated answer is the one that the text proves.

        Raises:
            TreecutError: the stated answer is neither a number nor `unknown`.
        """
        if not is_answer(stated):
            raise TreecutError(
                f"The answer is {shown(stated)}: it must be {UNKNOWN!r}, or a number of at most "
                f"{MOST_DIGITS} digits such as '11'."
            )
        if isinstance(self.solution, Determined):
            return parse_number(stated) == self.solution.value
        return stated == self.answer

    @property
    def truth(self) -> str:
        """What the text proves, as a clause."""
        asked = self.read.asked
        if isinstance(self.solution, Determined):
            return f"the sentences fix the price of {asked}: {self.read.theme.money(self.solution.value)}"
        if isinstance(self.solution, Undetermined):
            return f"the sentences leave the price of {asked} open, so that it is {UNKNOWN!r}"
        return "the sentences contradict one another, so that no answer is right"

    @property
    def words(self) -> tuple[str, ...]:
        """The proof line by line; it needs nothing but the text and pencil and paper."""
        read, solution = self.read, self.solution
        if isinstance(solution, Undetermined):
            return (
                "Every sentence holds for both of these price lists, which differ in the asked price:",
                f"  {_prices(read, solution.first)}",
                f"  {_prices(read, solution.second)}",
            )
        times = [(n, s) for n, s in zip(solution.combination, read.sentences, strict=True) if n]
        combination = _sum((n, f"sentence {s.number}") for n, s in times)
        used = [f"  sentence {s.number}: {_equation(s.equation)} ({s.text!r})" for _, s in times]
        if isinstance(solution, Inconsistent):
            constant = sum(n * s.equation.constant for n, s in times)
            return (f"{combination} gives 0 = {_number(constant)}, where", *used)
        return (
            f"{combination} gives {read.asked} = {_number(solution.value)}, where",
            *used,
            "No sentence contradicts another, because every one holds for these prices:",
            f"  {_prices(read, solution.prices)}",
        )


def prove(text: str, themes: Sequence[Theme] | None = None) -> Proof:
    """Read a problem, decide it exactly and check the certificate of the decision.

    Args:
        text: the whole problem, question included.
        themes: vocabularies in which it may be written; None for the built-in ones.

    Returns:
        What the text proves: `proof.answer` is a price or `unknown`, `proof.possible_prices` the
        price or two of the possible ones, `proof.words` the proof in English.

    Raises:
        TreecutError: the text cannot be read in exactly one way.
    """
    read = read_problem(text, themes)
    solution = solve(read)
    if not check_certificate(read, solution):
        # Not the user's fault: solver and checker of this package disagree.
        raise RuntimeError(f"The proof of the following problem does not hold: {text}")
    return Proof(text, read, solution)


def check_label(text: str, answer: str, themes: Sequence[Theme] | None = None) -> None:
    """Refuse a problem whose stated answer is not what its text proves.

    Args:
        text: the whole problem, question included.
        answer: a number or `unknown`.
        themes: vocabularies in which it may be written; None for the built-in ones.

    Raises:
        TreecutError: the answer is not the one that the text proves, or the text cannot be read.
    """
    proof = prove(text, themes)
    if not proof.agrees(answer):
        says = "contradicts itself" if proof.answer is None else f"proves {proof.answer!r}"
        raise TreecutError(
            f"The stated answer is {answer!r}, but the text {says}: correct the answer or the "
            f"problem {text!r}."
        )


def _number(number: Fraction | int) -> str:
    """Write a number as the combinations are written, with a minus sign and not a hyphen."""
    return str(number).replace("-", "−")


def _prices(read: ReadProblem, prices: Mapping[Variable, Fraction]) -> str:
    asked = f"{read.asked} {_number(prices[read.asked])} (asked)"
    others = (f"{name} {_number(prices[name])}" for name in read.variables if name != read.asked)
    return "; ".join((asked, *others))


def _equation(equation: Equation) -> str:
    terms = ((number, str(variable)) for variable, number in equation.coefficients.items())
    return f"{_sum(terms)} = {_number(equation.constant)}"


def _sum(terms: Iterable[tuple[Fraction | int, str]]) -> str:
    """Write `2 × burger − 1/2 × pie`."""
    words = "".join(f" {'−' if n < 0 else '+'} {abs(n)} × {of}" for n, of in terms)
    return words[3:] if words.startswith(" + ") else f"−{words[3:]}"
