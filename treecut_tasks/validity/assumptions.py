"""Takes an open problem, gives what assumptions that its text does not make would fix.

A question about whole numbers and bounds, which goes to a solver library, Z3, because it is exact
for fractions and whole numbers alike and needs no bounds on them. What it finds is checked by
substitution; that it finds nothing is taken from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Literal

from treecut_tasks.errors import TreecutError
from treecut_tasks.extras import require
from treecut_tasks.reading import ReadProblem, Undetermined, satisfies
from treecut_tasks.themes import Theme, Variable

# Problems of the published sizes take a few thousandths of a second.
_SOLVER_LIMIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that one may believe about all prices of a problem.

    Attributes:
        key: its name in certificates.
        words: what is assumed, as a clause.
        bounds: `positive` for prices above zero, `theme` for prices from the theme's lowest to its
            highest, both included; None for any price.
        multiples: `whole` for whole numbers, `step` for multiples of the theme's price step (which
            is whole); None for any fraction.
    """

    key: str
    words: str
    bounds: Literal["positive", "theme"] | None = None
    multiples: Literal["whole", "step"] | None = None

    def step(self, theme: Theme) -> int | None:
        """The number of which every price is a multiple; None for any fraction."""
        if self.multiples is None:
            return None
        return 1 if self.multiples == "whole" else theme.value_step

    def allows(self, price: Fraction, theme: Theme) -> bool:
        """Whether a price may occur under the assumption."""
        if self.bounds == "positive" and price <= 0:
            return False
        if self.bounds == "theme" and not theme.value_min <= price <= theme.value_max:
            return False
        step = self.step(theme)
        return step is None or (price / step).denominator == 1


ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption("positive", "every price is above zero", bounds="positive"),
    Assumption("whole", "every price is a whole number", multiples="whole"),
    Assumption("positive_whole", "every price is a whole number above zero", "positive", "whole"),
    Assumption("range", "every price lies within the theme's range", bounds="theme"),
    Assumption(
        "whole_range", "every price is a whole number within the theme's range", "theme", "whole"
    ),
    Assumption("theme_prices", "every price is one that the theme draws", "theme", "step"),
)
"""From the weakest to the strongest, except that a range allows fractions and whole prices need not
lie in one. The last is all that a reader could know who has seen many problems of the theme."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows for the asked price if an assumption is added to the sentences.

    Attributes:
        outcome: `open` if the price can still take several values, `forced` if it has exactly one,
            `impossible` if no prices satisfy sentences and assumption.
        price: the one value of a forced price, in money units.
    """

    outcome: Literal["open", "forced", "impossible"]
    price: Fraction | None = None


def require_solver() -> Any:
    """Return the solver library."""
    require("verify", "z3", for_what="Weighing extra assumptions")
    return import_module("z3")


def consequences(read: ReadProblem, solution: Undetermined) -> dict[Assumption, Consequence]:
    """Tell for each of `ASSUMPTIONS` whether it would fix a price that the sentences leave open.

    Args:
        read: an undetermined problem.
        solution: what `solve` says about it.

    Raises:
        TreecutError: the solver library is missing, or gives up on this problem.
    """
    # A list found for one assumption often satisfies the next, which then needs no solver.
    known = [solution.first, solution.second]
    found: dict[tuple[object, object], Consequence] = {}
    for assumption in reversed(ASSUMPTIONS):
        # In a theme with steps of 1 two of the assumptions are the same.
        meaning = assumption.bounds, assumption.step(read.theme)
        if meaning not in found:
            found[meaning] = _consequence(read, assumption, known)
    return {
        assumption: found[assumption.bounds, assumption.step(read.theme)]
        for assumption in ASSUMPTIONS
    }


def _consequence(
    read: ReadProblem, assumption: Assumption, known: list[Mapping[Variable, Fraction]]
) -> Consequence:
    """Look for two price lists with different asked prices; lists that are found join `known`."""
    by_price = {
        prices[read.asked]: prices
        for prices in known
        if all(assumption.allows(price, read.theme) for price in prices.values())
    }
    while len(by_price) < 2:
        prices = _find_prices(read, assumption, without=by_price)
        if prices is None:
            break
        known.append(prices)
        by_price[prices[read.asked]] = prices
    if not by_price:
        return Consequence("impossible")
    if len(by_price) == 1:
        return Consequence("forced", next(iter(by_price)))
    return Consequence("open")


def _find_prices(
    read: ReadProblem, assumption: Assumption, without: Collection[Fraction]
) -> dict[Variable, Fraction] | None:
    """Prices that satisfy sentences and assumption, `without` some asked prices; None if there are none."""
    z3, theme, step = require_solver(), read.theme, assumption.step(read.theme)
    solver = z3.SimpleSolver()
    solver.set("timeout", _SOLVER_LIMIT_MS)
    # Where prices are multiples of a step, the unknown is how many.
    unknown = z3.Real if step is None else z3.Int
    terms = {
        variable: unknown(f"u{index}") * (step or 1)
        for index, variable in enumerate(read.variables)
    }
    for sentence in read.sentences:
        equation = sentence.equation
        total = z3.Sum([number * terms[of] for of, number in equation.coefficients.items()])
        solver.add(total == equation.constant)
    for term in terms.values():
        if assumption.bounds == "positive":
            solver.add(term > 0)
        elif assumption.bounds == "theme":
            solver.add(theme.value_min <= term, term <= theme.value_max)
    for value in without:
        solver.add(terms[read.asked] * value.denominator != value.numerator)
    match solver.check():
        case z3.unsat:
            return None
        case z3.sat:
            model = solver.model()
            prices = {
                variable: Fraction(model.eval(term, model_completion=True).as_string())
                for variable, term in terms.items()
            }
            allowed = all(assumption.allows(price, theme) for price in prices.values())
            if not (allowed and satisfies(read, prices)):
                raise RuntimeError("The solver library returned prices that break a condition.")
            return prices
    raise TreecutError(
        f"The solver library gave up after {_SOLVER_LIMIT_MS // 1000} s on whether "
        f"{assumption.words}: leave out --assumptions for this problem."
    )
