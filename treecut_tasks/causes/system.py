"""Takes a read problem, gives it laid out for false steps: a graph with a rule of three on each edge.

Variables are numbered from 0 in the order of first mention. A sentence ties two of them together,
or states the price of one. A false step adds one relation, or puts one in the place of another, and
what follows for the asked price t is one division.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from treecut_tasks.reading import Determined, ReadProblem, Solution, solve
from treecut_tasks.themes import Variable


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


class Edge(NamedTuple):
    """A sentence as seen from one of its two variables: its index, the other one, and its numbers."""

    sentence: int
    other: int
    own: int
    others: int
    c: int


class Way(NamedTuple):
    """A way from the asked price t, or from a stated one, to a variable, which costs p * t + q on it.

    Attributes:
        at: number of the variable.
        p: multiplies the asked price; zero on a way from a stated one.
        q: constant part.
        passed: variables on the way, as a bit mask.
        by: index of the last sentence; None at the start, and where the last step was a belief.
        before: the way without the last step; None at the start.
        believed: items whose price was carried from place to place, as a bit mask.
    """

    at: int
    p: Fraction
    q: Fraction
    passed: int
    by: int | None = None
    before: Way | None = None
    believed: int = 0

    def along(self, edge: Edge) -> Way:
        """The way, one sentence longer."""
        p, q = -edge.own * self.p / edge.others, (edge.c - edge.own * self.q) / edge.others
        passed = self.passed | 1 << edge.other
        return Way(edge.other, p, q, passed, edge.sentence, self, self.believed)

    def back(self) -> Iterator[Way]:
        """The way and all that it goes on from, the start last."""
        way: Way | None = self
        while way is not None:
            yield way
            way = way.before

    @property
    def sentences(self) -> tuple[int, ...]:
        """The indices of its sentences, the last one first."""
        return tuple(way.by for way in self.back() if way.by is not None)


Ways: TypeAlias = dict[int, Way]
"""The shortest way to each variable that there is one to."""


class Derived(NamedTuple):
    """A value of the asked price that follows with the help of one more relation.

    Attributes:
        value: the price.
        sentences: indices of the other sentences that lead to it.
    """

    value: Fraction
    sentences: tuple[int, ...]


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
    _ways: dict[int | None, tuple[Ways, Ways]] = field(default_factory=dict, repr=False)

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
    def start(self) -> Way:
        """Where ways from the asked price begin."""
        return Way(self.asked, Fraction(1), Fraction(0), 1 << self.asked)

    @property
    def asked_is_free(self) -> bool:
        """Whether the text leaves the asked price open."""
        return not isinstance(self.solution, Determined) and self.asked not in self.known

    @cached_property
    def edges(self) -> tuple[list[Edge], ...]:
        """The sentences that tie each variable to another."""
        lists: tuple[list[Edge], ...] = tuple([] for _ in self.variables)
        for index, (u, a, v, b, c) in enumerate(self.relations):
            if v is not None:
                lists[u].append(Edge(index, v, a, b, c))
                lists[v].append(Edge(index, u, b, a, c))
        return lists

    @cached_property
    def facts(self) -> dict[int, list[int]]:
        """The indices of the sentences that state a price, by variable."""
        facts: dict[int, list[int]] = {}
        for index, relation in enumerate(self.relations):
            if relation.v is None:
                facts.setdefault(relation.u, []).append(index)
        return facts

    def sold(self, *, item: str | None = None, entity: str | None = None) -> list[int]:
        """The variables of an item at all places or, without an item, those of a place."""
        return [
            number
            for number, each in enumerate(self.variables)
            if (each.entity == entity if item is None else each.item == item)
        ]

    @property
    def tied(self) -> Ways:
        """Ways from the asked price."""
        return self._both(None)[0]

    @property
    def known(self) -> Ways:
        """Ways from stated prices."""
        return self._both(None)[1]

    def _both(self, without: int | None) -> tuple[Ways, Ways]:
        """Ways from the asked price and from stated ones that leave a sentence out."""
        if without not in self._ways:
            stated: Ways = {}
            for index, (u, a, v, _, c) in enumerate(self.relations):
                if v is None and index != without and u not in stated:
                    stated[u] = Way(u, Fraction(0), Fraction(c, a), 1 << u, index)
            self._ways[without] = (
                self._carried({self.asked: self.start}, without),
                self._carried(stated, without),
            )
        return self._ways[without]

    def _carried(self, ways: Ways, without: int | None) -> Ways:
        queue = deque(ways.values())
        while queue:
            way = queue.popleft()
            for edge in self.edges[way.at]:
                if edge.other not in ways and edge.sentence != without:
                    ways[edge.other] = way.along(edge)
                    queue.append(ways[edge.other])
        return ways

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
        if v is None:
            if u in tied:
                yield Derived((c - a * tied[u].q) / (a * tied[u].p), tied[u].sentences)
            return
        # In a cycle the asked price stands on both sides of the equation.
        for of_u, of_v in ((tied, known), (known, tied), (tied, tied)):
            if u not in of_u or v not in of_v:
                continue
            first, second = of_u[u], of_v[v]
            times = a * first.p + b * second.p
            if times and (of_u is of_v or not first.passed & second.passed):
                value = (c - a * first.q - b * second.q) / times
                yield Derived(value, first.sentences + second.sentences)
