"""Exact linear algebra: takes a read problem, gives a solution that carries its own proof.

Elimination works on whole numbers (rows are scaled, and freed of common factors), sentence by
sentence in text order; each row remembers of which multiples of which sentences it is the sum, so
that every solution can be checked by substitution, without elimination.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd
from typing import TypeAlias, TypeVar

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading.equations import ReadProblem, ReadSentence
from treecut_tasks.themes import Variable


@dataclass(frozen=True, slots=True)
class Determined:
    """The sentences agree with one another and fix the asked price.

    Attributes:
        value: the asked price, in money units.
        combination: one multiplier for each sentence; the sentences, multiplied and added up, say
            that one of the asked item costs `value`.
        prices: a price for every variable, such that every sentence holds; it proves that the
            sentences do not contradict one another. Prices that the text leaves open are filled in.
    """

    value: Fraction
    combination: tuple[Fraction, ...]
    prices: Mapping[Variable, Fraction]


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The sentences agree with one another and leave the asked price open.

    Attributes:
        first: a price for every variable, such that every sentence holds.
        second: another such price list, with another price for the asked variable. In both, prices
            are above zero wherever the sentences, each of them on at most two variables, allow it.
    """

    first: Mapping[Variable, Fraction]
    second: Mapping[Variable, Fraction]


@dataclass(frozen=True, slots=True)
class Inconsistent:
    """The sentences contradict one another, whether or not the asked variable is involved.

    Attributes:
        combination: one multiplier for each sentence; the sentences, multiplied and added up, say
            that zero is a number other than zero.
    """

    combination: tuple[Fraction, ...]


Solution: TypeAlias = Determined | Undetermined | Inconsistent
"""What `solve` can say; exactly one of the three is true of every problem."""

_ZERO = Fraction(0)

_Key = TypeVar("_Key", Variable, int)


@dataclass(slots=True)
class _Row:
    """An equation, terms = constant, and the multiples of the sentences of which it is the sum."""

    terms: dict[Variable, int]
    constant: int
    multipliers: dict[int, int]


_Basis: TypeAlias = dict[Variable, _Row]
"""Rows by the variable they are solved for, which occurs in no other row of the basis."""


def solve(read: ReadProblem) -> Solution:
    """Decide whether the sentences of a problem fix the asked price.

    Args:
        read: any read problem: redundant sentences, sentences that contradict one another and an
            asked variable that no sentence mentions are all allowed.

    Returns:
        The solution with its certificate, exact and the same on every run.
    """
    basis = _basis(read)
    if isinstance(basis, Inconsistent):
        return basis
    return _consistent_solution(read, basis)


def undetermined(read: ReadProblem) -> tuple[Variable, ...]:
    """The variables whose prices the sentences leave open, in the order of first mention.

    Raises:
        TreecutError: the sentences contradict one another.
    """
    basis = _consistent_basis(read)
    return tuple(v for v in read.variables if v not in basis or len(basis[v].terms) > 1)


def settling(read: ReadProblem) -> tuple[Variable, ...]:
    """The variables, other than the asked one, any one of whose prices would fix the asked price.

    None where the sentences fix it already.

    Raises:
        TreecutError: the sentences contradict one another.
    """
    basis = _consistent_basis(read)

    def free_part(variable: Variable) -> dict[Variable, Fraction]:
        """The price's dependence on the free prices, scaled so that its first number is one."""
        row = basis.get(variable)
        terms = (
            {variable: 1} if row is None else {v: n for v, n in row.terms.items() if v != variable}
        )
        ordered = [v for v in read.variables if v in terms]
        return {v: Fraction(terms[v], terms[ordered[0]]) for v in ordered}

    asked = free_part(read.asked)
    # A price fixes another exactly where both move with the free prices in proportion.
    return tuple(v for v in read.variables if v != read.asked and asked and free_part(v) == asked)


def check_certificate(read: ReadProblem, solution: Solution) -> bool:
    """Check a solution by substitution alone: no elimination, no trust in `solve`.

    Args:
        read: the problem that the solution is about.
        solution: a solution from anywhere.

    Returns:
        True where the solution's own numbers prove it, False otherwise.
    """
    asked = read.asked
    if isinstance(solution, Determined):
        says = {asked: Fraction(1)}, solution.value
        return _combined(read, solution.combination) == says and satisfies(read, solution.prices)
    if isinstance(solution, Undetermined):
        return (
            satisfies(read, solution.first)
            and satisfies(read, solution.second)
            and solution.first[asked] != solution.second[asked]
        )
    terms, constant = _combined(read, solution.combination)
    return not terms and constant != 0


def _basis(read: ReadProblem) -> _Basis | Inconsistent:
    """Solve sentence by sentence, as far as one contradicts those before it."""
    basis: _Basis = {}
    for index, sentence in enumerate(read.sentences):
        row = _reduced(sentence, index, basis)
        if row.terms:
            _insert(row, basis)
        elif row.constant:
            return Inconsistent(_combination(read, row, 1))
    return basis


def _consistent_basis(read: ReadProblem) -> _Basis:
    basis = _basis(read)
    if isinstance(basis, Inconsistent):
        raise TreecutError(
            "The sentences contradict one another, so that no price follows: correct the text."
        )
    return basis


def _reduced(sentence: ReadSentence, index: int, basis: _Basis) -> _Row:
    """Turn a sentence into a row without any variable for which the basis has a row."""
    row = _Row(dict(sentence.equation.coefficients), sentence.equation.constant, {index: 1})
    for variable in sentence.equation.coefficients:
        if variable in basis:
            _eliminate(variable, basis[variable], row)
    return row


def _insert(row: _Row, basis: _Basis) -> None:
    # A pivot of the smallest size keeps the numbers small; the first of several, for repeatability.
    pivot = min(row.terms, key=lambda variable: abs(row.terms[variable]))
    for other in basis.values():
        if pivot in other.terms:
            _eliminate(pivot, row, other)
    basis[pivot] = row


def _eliminate(variable: Variable, by: _Row, row: _Row) -> None:
    """Change `row` into a multiple of itself minus a multiple of `by`, without the variable."""
    have, want = by.terms[variable], row.terms[variable]
    common = gcd(have, want)
    keep, take = have // common, want // common
    _add_scaled(row.terms, keep, by.terms, -take)
    _add_scaled(row.multipliers, keep, by.multipliers, -take)
    row.constant = keep * row.constant - take * by.constant
    factor = gcd(row.constant, *row.terms.values(), *row.multipliers.values())
    if factor > 1:
        row.constant //= factor
        row.terms = {key: number // factor for key, number in row.terms.items()}
        row.multipliers = {key: number // factor for key, number in row.multipliers.items()}


def _add_scaled(target: dict[_Key, int], keep: int, source: dict[_Key, int], times: int) -> None:
    """Set target to keep * target + times * source, without zeros."""
    if keep != 1:
        for key in target:
            target[key] *= keep
    for key, number in source.items():
        total = target.get(key, 0) + times * number
        if total:
            target[key] = total
        else:
            del target[key]


def _combination(read: ReadProblem, row: _Row, divisor: int) -> tuple[Fraction, ...]:
    parts = {index: Fraction(number, divisor) for index, number in row.multipliers.items()}
    return tuple(parts.get(index, _ZERO) for index in range(len(read.sentences)))


def _consistent_solution(read: ReadProblem, basis: _Basis) -> Solution:
    asked = read.asked
    row = basis.get(asked)
    free = {
        variable: _free_prices(variable, basis)
        for variable in read.variables
        if variable not in basis
    }
    first = _prices(read, basis, {variable: prices[0] for variable, prices in free.items()})
    if row is not None and len(row.terms) == 1:
        coefficient = row.terms[asked]
        return Determined(first[asked], _combination(read, row, coefficient), first)
    moved = asked if row is None else next(variable for variable in row.terms if variable != asked)
    chosen = {variable: prices[variable == moved] for variable, prices in free.items()}
    return Undetermined(first, _prices(read, basis, chosen))


def _prices(
    read: ReadProblem, basis: _Basis, free: Mapping[Variable, Fraction]
) -> dict[Variable, Fraction]:
    """Complete prices of the free variables to prices of all."""
    prices: dict[Variable, Fraction] = {}
    for variable in read.variables:
        row = basis.get(variable)
        if row is None:
            prices[variable] = free[variable]
        else:
            others = sum(n * free[other] for other, n in row.terms.items() if other != variable)
            prices[variable] = (row.constant - others) / Fraction(row.terms[variable])
    return prices


def _free_prices(variable: Variable, basis: _Basis) -> tuple[Fraction, Fraction]:
    """Choose two prices for a free variable, such that it and what hangs on it cost more than zero.

    Where sentences hold at most two variables, a row of the basis holds at most one free variable,
    so that each row bounds the choice from one side; rows with more are left out of account.
    """
    low, high = _ZERO, None
    for pivot, row in basis.items():
        if len(row.terms) != 2 or variable not in row.terms:
            continue
        # pivot = (constant - coefficient * variable) / row.terms[pivot] must be above zero.
        bound = Fraction(row.constant, row.terms[variable])
        if row.terms[variable] * row.terms[pivot] > 0:
            high = bound if high is None else min(high, bound)
        else:
            low = max(low, bound)
    whole = Fraction(floor(low) + 1)
    if high is None or whole + 1 < high or high <= low:
        return whole, whole + 1
    third = (high - low) / 3
    return low + third, high - third


def _combined(
    read: ReadProblem, combination: tuple[Fraction, ...]
) -> tuple[dict[Variable, Fraction], Fraction]:
    """What the sentences, multiplied and added up, say: terms = constant; 0 = 0 without multipliers."""
    terms: dict[Variable, Fraction] = {}
    constant = _ZERO
    if len(combination) == len(read.sentences):
        for multiplier, sentence in zip(combination, read.sentences, strict=True):
            for variable, coefficient in (
                sentence.equation.coefficients.items() if multiplier else ()
            ):
                terms[variable] = terms.get(variable, _ZERO) + multiplier * coefficient
            constant += multiplier * sentence.equation.constant
    return {variable: total for variable, total in terms.items() if total}, constant


def satisfies(read: ReadProblem, prices: Mapping[Variable, Fraction]) -> bool:
    """Tell whether the list has a price for every variable and every sentence holds."""
    return set(prices) == set(read.variables) and all(
        sum(n * prices[variable] for variable, n in sentence.equation.coefficients.items())
        == sentence.equation.constant
        for sentence in read.sentences
    )
