"""Takes a read problem, gives it laid out for false steps: a graph with a rule of three on each edge.

Variables are numbered from 0 in the order of first mention. A sentence ties two of them together,
or states the price of one. From the asked price t, every variable that sentences tie to it costs
(p * t + q) / d; from the stated prices, every variable that they lead to costs q / d. A false step
adds one relation, or puts one in the place of another, and what follows for t is one division.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import gcd
from typing import NamedTuple, TypeAlias

from treecut_tasks.reading import Determined, ReadProblem, Solution, solve
from treecut_tasks.themes import Variable

Price: TypeAlias = tuple[int, int]
"""A price as numerator and denominator, in lowest terms, the denominator above zero."""


class Relation(NamedTuple):
    """A linear relation: `a` times one price and `b` times another make `c` money units.

    Attributes:
        u: number of the first variable.
        a: its coefficient, not zero.
        v: number of the second variable; None where the relation states the first one's price.
        b: the second coefficient; zero where there is no second variable.
        c: right-hand side, in money units.
    """

    u: int
    a: int
    v: int | None
    b: int
    c: int


class Form(NamedTuple):
    """The price of a variable as it follows from other prices: (p * t + q) / d for asked price t.

    Attributes:
        p: multiplies the asked price; zero where the price follows from stated ones.
        q: constant part.
        d: divisor, not zero.
        passed: the variables that the price was carried through, as a bit mask.
        last: index of the sentence that gave it, or None at the start.
        before: number of the variable from which that sentence carried it, or None.
    """

    p: int
    q: int
    d: int
    passed: int
    last: int | None
    before: int | None


Forms: TypeAlias = dict[int, Form]


class Derived(NamedTuple):
    """A value of the asked price that follows with the help of one more relation.

    Attributes:
        value: the price.
        sentences: indices of the other sentences that lead to it.
    """

    value: Price
    sentences: tuple[int, ...]


def reduced(numerator: int, denominator: int) -> Price:
    """Return a quotient in lowest terms; the denominator is not zero."""
    factor = gcd(numerator, denominator)
    if denominator < 0:
        factor = -factor
    return numerator // factor, denominator // factor


@dataclass(frozen=True, eq=False)
class System:
    """A read problem with its variables numbered.

    Attributes:
        read: the problem.
        variables: its variables, by number.
        asked: number of the asked variable.
        relations: what each sentence says, by index.
    """

    read: ReadProblem
    variables: tuple[Variable, ...]
    asked: int
    relations: tuple[Relation, ...]
    _forms: dict[int | None, tuple[Forms, Forms]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, read: ReadProblem) -> System:
        """Number the variables of a problem."""
        number = {variable: index for index, variable in enumerate(read.variables)}
        relations = []
        for sentence in read.sentences:
            (u, a), *rest = [(number[x], k) for x, k in sentence.equation.coefficients.items()]
            v, b = rest[0] if rest else (None, 0)
            relations.append(Relation(u, a, v, b, sentence.equation.constant))
        return cls(read, read.variables, number[read.asked], tuple(relations))

    @cached_property
    def solution(self) -> Solution:
        """What follows from the text without a false step."""
        return solve(self.read)

    @property
    def asked_is_free(self) -> bool:
        """Whether the text leaves the asked price open."""
        return not isinstance(self.solution, Determined) and self.asked not in self.known()

    @cached_property
    def neighbours(self) -> tuple[tuple[tuple[int, int, int, int, int], ...], ...]:
        """For each variable its sentences: (index, other variable, own coefficient, other's, c)."""
        lists: list[list[tuple[int, int, int, int, int]]] = [[] for _ in self.variables]
        for index, (u, a, v, b, c) in enumerate(self.relations):
            if v is not None:
                lists[u].append((index, v, a, b, c))
                lists[v].append((index, u, b, a, c))
        return tuple(map(tuple, lists))

    @cached_property
    def facts(self) -> dict[int, list[int]]:
        """The indices of the sentences that state a price, by variable."""
        facts: dict[int, list[int]] = {}
        for index, relation in enumerate(self.relations):
            if relation.v is None:
                facts.setdefault(relation.u, []).append(index)
        return facts

    @cached_property
    def places_of(self) -> dict[str, list[int]]:
        """The variables of each item, one for each place that sells it."""
        places: dict[str, list[int]] = {}
        for number, variable in enumerate(self.variables):
            places.setdefault(variable.item, []).append(number)
        return places

    @cached_property
    def items_at(self) -> dict[str | None, list[int]]:
        """The variables of each place, one for each item that it sells."""
        items: dict[str | None, list[int]] = {}
        for number, variable in enumerate(self.variables):
            items.setdefault(variable.entity, []).append(number)
        return items

    def tied(self, without: int | None = None) -> Forms:
        """Prices as they follow from the asked one, by the shortest way.

        Args:
            without: index of a sentence to leave out.
        """
        return self._both(without)[0]

    def known(self, without: int | None = None) -> Forms:
        """Prices as they follow from the stated ones, by the shortest way.

        Args:
            without: index of a sentence to leave out.
        """
        return self._both(without)[1]

    def _both(self, without: int | None) -> tuple[Forms, Forms]:
        if without is not None and without not in self._on_some_way:
            without = None
        forms = self._forms.get(without)
        if forms is None:
            start = {self.asked: Form(1, 0, 1, 1 << self.asked, None, None)}
            stated: Forms = {}
            for index, (u, a, v, _, c) in enumerate(self.relations):
                if v is None and index != without and u not in stated:
                    stated[u] = Form(0, c, a, 1 << u, index, None)
            forms = (self._carried(start, without), self._carried(stated, without))
            self._forms[without] = forms
        return forms

    @cached_property
    def _on_some_way(self) -> frozenset[int]:
        """The sentences whose absence can change how a price follows."""
        tied, known = self._both(None)
        ways = (form.last for forms in (tied, known) for form in forms.values())
        return frozenset(last for last in ways if last is not None)

    def _carried(self, forms: Forms, without: int | None) -> Forms:
        """Carry prices from sentence to sentence, as far as they go."""
        queue = deque(forms)
        while queue:
            number = queue.popleft()
            p, q, d, passed, _, _ = forms[number]
            for index, other, own, others, c in self.neighbours[number]:
                if other in forms or index == without:
                    continue
                p_next, q_next, d_next = -own * p, c * d - own * q, others * d
                factor = gcd(p_next, q_next, d_next)
                forms[other] = Form(
                    p_next // factor,
                    q_next // factor,
                    d_next // factor,
                    passed | 1 << other,
                    index,
                    number,
                )
                queue.append(other)
        return forms

    def derive(self, relation: Relation, without: int | None = None) -> Iterator[Derived]:
        """Find what a further relation makes of the asked price.

        What follows without the relation is left out, and so is what a part of the sentences on the
        way would give already. Sentences off the way are not looked at, so that it does not matter
        whether they agree: a model stops at the first value.

        Args:
            relation: the relation to add.
            without: index of the sentence in whose place it stands, if any.
        """
        u, a, v, b, c = relation
        tied, known = self._both(without)
        from_u = tied.get(u)
        if v is None:
            if from_u is not None:
                stated = reduced(c * from_u.d - a * from_u.q, a * from_u.p)
                yield Derived(stated, way(tied, u))
            return
        from_v, to_u, to_v = tied.get(v), known.get(u), known.get(v)
        if from_u is not None and to_v is not None and not from_u.passed & to_v.passed:
            value = _solved(a, from_u, b, to_v, c)
            if value is not None:
                yield Derived(value, way(tied, u) + way(known, v))
        if from_v is not None and to_u is not None and not from_v.passed & to_u.passed:
            value = _solved(a, to_u, b, from_v, c)
            if value is not None:
                yield Derived(value, way(tied, v) + way(known, u))
        if from_u is not None and from_v is not None:
            # A cycle: the asked price stands on both sides of the equation.
            value = _solved(a, from_u, b, from_v, c)
            if value is not None:
                yield Derived(value, way(tied, u) + way(tied, v))


def _solved(a: int, first: Form, b: int, second: Form, c: int) -> Price | None:
    """Solve a * first + b * second = c for the asked price; None where it cancels."""
    times = a * first.p * second.d + b * second.p * first.d
    if not times:
        return None
    return reduced(c * first.d * second.d - a * first.q * second.d - b * second.q * first.d, times)


def way(forms: Forms, number: int) -> tuple[int, ...]:
    """The sentences that carried a price to a variable, the last one first."""
    sentences: list[int] = []
    at: int | None = number
    while at is not None:
        form = forms[at]
        if form.last is not None:
            sentences.append(form.last)
        at = form.before
    return tuple(sentences)
