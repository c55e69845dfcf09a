"""Takes a problem's text and a number, gives the false steps that lead to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf
from typing import TYPE_CHECKING

from treecut_tasks.causes import steps
from treecut_tasks.causes.steps import Step
from treecut_tasks.causes.system import System
from treecut_tasks.causes.words import sentences
from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import Determined, read_problem
from treecut_tasks.themes import Theme

if TYPE_CHECKING:
    from treecut_tasks.problems import Problem

_FAMILIES: dict[str, Callable[[System], Iterator[Step]]] = {
    "same_price": steps.same_price,
    "misread_variable": steps.misread_variable,
    "misread_formula": steps.misread_formula,
    "whole_quantity": steps.whole_quantity,
    "other_price": steps.other_price,
    "equal_prices": steps.equal_prices,
    "whole_prices": steps.whole_prices,
    "copied_number": steps.copied_number,
    "assumed_price": steps.assumed_price,
}

KINDS: tuple[str, ...] = tuple(_FAMILIES)
"""The kinds of explanations, most plausible first."""

_VALUE = re.compile(r"[-+]?\d{1,400}(?:/\d{1,400}|\.(\d{1,400}))?", re.ASCII)
_TYPESET_APOSTROPHE = "\u2019"

# `14.33` is how a model writes 43/3; with fewer decimals a rounded number fits too many prices.
_ROUNDED_DECIMALS = 2


@dataclass(frozen=True)
class Explanation:
    """One false step that leads to the value.

    Attributes:
        kind: one of `KINDS`.
        sentences: numbers, from 1, of the sentences in which the step is taken.
        derivation: numbers of all sentences from which the value follows, in text order.
        variables: the variables that the step is about, `burger at Bistro Nice`.
        value: the value that follows, in money units.
        description: the step in the problem's own terms, one sentence.
        chance: how many of the theme's prices (the right one left out) this kind of step would
            have explained for this problem, counting the steps that are as simple as this one or
            simpler. The more, the less the agreement means.
        candidates: how many prices that are, 11 in the built-in themes (10 beside a right answer).
    """

    kind: str
    sentences: tuple[int, ...]
    derivation: tuple[int, ...]
    variables: tuple[str, ...]
    value: Fraction
    description: str
    chance: int
    candidates: int


@dataclass(frozen=True, eq=False)
class Analysis:
    """All that the false steps make of one problem.

    Attributes:
        system: the problem.
    """

    system: System

    @cached_property
    def right(self) -> Fraction | None:
        """The right answer; None where the text leaves the asked price open."""
        solution = self.system.solution
        return solution.value if isinstance(solution, Determined) else None

    @cached_property
    def candidates(self) -> tuple[int, ...]:
        """The prices that a guess could be: those of the theme, but for the right one."""
        return tuple(price for price in self.system.read.theme.prices if price != self.right)

    @cached_property
    def steps(self) -> dict[Fraction, list[tuple[str, Step]]]:
        """The steps that lead to each value, each with its kind."""
        table: dict[Fraction, list[tuple[str, Step]]] = {}
        for kind, family in _FAMILIES.items():
            for step in family(self.system):
                table.setdefault(step.value, []).append((kind, step))
        return table

    def chance(self, kind: str, level: float = inf) -> int:
        """How many candidates a kind explains, by steps of at most this level."""
        return sum(
            any(
                each == kind and step.level <= level
                for each, step in self.steps.get(Fraction(price), ())
            )
            for price in self.candidates
        )

    def expected(self, kind: str | None = None) -> float:
        """Share of the candidates that would be explained, by one kind or by any."""
        if not self.candidates:
            return 0.0
        any_kind = sum(price in self.steps for price in self.candidates)
        return (any_kind if kind is None else self.chance(kind)) / len(self.candidates)

    def find(self, value: str | int | Fraction) -> list[tuple[str, Step]]:
        """Return the steps that lead to a value, simplest first; none lead to the right one."""
        prices = [] if self.is_right(value) else _meant(value, self.steps)
        found = [pair for price in prices for pair in self.steps[price]]
        return sorted(found, key=_simplicity)

    def explanations(self, value: str | int | Fraction) -> list[Explanation]:
        """What `explain` gives for a value."""
        return [_explanation(self, kind, step) for kind, step in self.find(value)]

    def is_right(self, value: str | int | Fraction) -> bool:
        """Tell whether a value is the right answer."""
        return bool(_meant(value, [] if self.right is None else [self.right]))


def _simplicity(pair: tuple[str, Step]) -> tuple[int, int, int, tuple[int, ...]]:
    kind, step = pair
    return KINDS.index(kind), step.level, len(step.way), step.sentences


def explain(
    problem: Problem | str, value: str | int | Fraction, themes: Sequence[Theme] | None = None
) -> list[Explanation]:
    """Say which false steps lead to a number that somebody gave for a problem.

    The number is one that was given for an unanswerable problem, or a wrong one for an answerable
    problem; the right one needs no explanation and gets none. Everything is worked out from the
    problem's text alone, by exact arithmetic; the response is not looked at. So two steps that come
    to the same cannot be told apart: an item misread for the same item at another place often leads
    to the value to which the belief in equal prices leads.

    Every step is a single mistake (the belief that items cost the same everywhere counts as one) of
    one of `KINDS`, which docs/causes.md describes.

    Explanations are ranked by kind, in the order of `KINDS`, from what the paper found in real
    answers (Appendix C) to mere guesses; then by how far-fetched the step is within its kind (fewer
    items merged, for example); then by the number of sentences used. Chance agreement is reported
    beside every explanation and does not change the order.

    Args:
        problem: a `Problem`, or its text.
        value: the number, as `classify_outcome` gives it (`11`, `-3`, `43/3`, `10.5`). A number with
            two or more decimals also stands for a fraction of which it is the beginning or the
            rounding.
        themes: the vocabularies in which the problem may be written; None for the built-in ones.

    Returns:
        The explanations, the most plausible first; none where no single false step leads to it.

    Raises:
        TreecutError: the text cannot be read, or the value is no number.
    """
    return analyse(problem, themes).explanations(value)


def same_price_answer(
    problem: Problem | str, themes: Sequence[Theme] | None = None
) -> Explanation | None:
    """What somebody answers who believes that an item costs the same at every place.

    That is the belief that the paper (Appendix C.2) finds in o3-mini's hallucinated answers. It is
    held of as few items as possible, of the asked one after the others (in the paper's second
    example the asked item's price is stated elsewhere, and o3-mini carries another), and of those
    that the text names first.

    Returns:
        The step; None where the text fixes the price, or where even the belief leaves it open.

    Raises:
        TreecutError: the text cannot be read.
    """
    analysis = analyse(problem, themes)
    system = analysis.system
    if analysis.right is not None:
        return None
    order = list(dict.fromkeys(variable.item for variable in system.variables))

    def last_resort(step: Step) -> tuple[int, bool, int]:
        items = {order.index(system.variables[number].item) for number in step.variables}
        return step.level, order.index(system.variables[system.asked].item) in items, min(items)

    step = min(steps.same_price(system), key=last_resort, default=None)
    return None if step is None else _explanation(analysis, "same_price", step)


def analyse(problem: Problem | str, themes: Sequence[Theme] | None = None) -> Analysis:
    """Read a problem and lay it out; what is worked out for it is kept for the next value.

    Raises:
        TreecutError: the text cannot be read.
    """
    text = problem if isinstance(problem, str) else problem.text
    return _analyse(text.strip(), None if themes is None else tuple(themes))


# Responses to one problem, repetitions for example, come one after the other.
@lru_cache(maxsize=256)
def _analyse(text: str, themes: tuple[Theme, ...] | None) -> Analysis:
    try:
        return Analysis(System.of(read_problem(text, themes)))
    except TreecutError:
        # Problems copied from a typeset page, the paper's for example, say Mike\u2019s Place.
        if _TYPESET_APOSTROPHE not in text:
            raise
        plain = text.replace(_TYPESET_APOSTROPHE, "'")
        return Analysis(System.of(read_problem(plain, themes)))


def _explanation(analysis: Analysis, kind: str, step: Step) -> Explanation:
    variables = analysis.system.variables
    derivation = tuple(sorted({sentence + 1 for sentence in step.way}))
    money = analysis.system.read.theme.money(step.value)
    give = "give" if len(derivation) > 1 else "gives"
    follows = f": {sentences(derivation)} then {give} {money}" if derivation else ""
    return Explanation(
        kind=kind,
        sentences=tuple(sorted(sentence + 1 for sentence in step.sentences)),
        derivation=derivation,
        variables=tuple(str(variables[number]) for number in step.variables),
        value=step.value,
        description=f"{step.claim}{follows}.",
        chance=analysis.chance(kind, step.level),
        candidates=len(analysis.candidates),
    )


def _meant(value: str | int | Fraction, prices: Collection[Fraction]) -> list[Fraction]:
    """Return those of the prices for which a written number stands."""
    number, decimals = _number(value)
    if number in prices:
        return [number]
    if decimals < _ROUNDED_DECIMALS:
        return []
    unit = Fraction(1, 10**decimals)
    return [p for p in prices if p.denominator > 1 and abs(p - number) < unit]


def _number(value: str | int | Fraction) -> tuple[Fraction, int]:
    """Read a value: the number, and with how many decimals it is written."""
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value), 0
    match = _VALUE.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        if match is not None:
            return Fraction(match[0]), len(match[1] or "")
    except ZeroDivisionError:
        pass
    raise TreecutError(f"{value!r:.60} is no number to explain: give one as 11, -3, 43/3 or 10.5.")
