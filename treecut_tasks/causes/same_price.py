"""What follows where an item costs the same at every place: takes a system, gives values and ways.

With items made equal the sentences may contradict one another, so there can be several values. Each
comes from a set of sentences and beliefs of which none can be spared: a way from the asked price to
a stated one, or to an equation with one price on both sides. All of them are found.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from fractions import Fraction

from treecut_tasks.causes.system import System, Way

# For each number of items. A ten-variable problem takes up to about 100 steps in all; the limit is for
# texts with many cycles.
_MAX_STEPS = 2_000


def same_price_ways(system: System) -> Iterator[tuple[Fraction, Way]]:
    """Find values of the asked price, fewest items first and then fewest sentences, each with its way.

    The same value from the same items is given once. In a text with many cycles the search is cut
    short.
    """
    items = dict.fromkeys(variable.item for variable in system.variables)
    shared = [places for places in (system.sold(item=item) for item in items) if len(places) > 1]
    bits = {number: 1 << bit for bit, places in enumerate(shared) for number in places}
    elsewhere = {number: places for places in shared for number in places}
    seen: set[tuple[Fraction, int]] = set()
    queues: list[deque[Way]] = [deque() for _ in range(len(shared) + 1)]
    queues[0].append(system.start)
    for queue in queues:
        for _ in range(_MAX_STEPS):
            if not queue:
                break
            way = queue.popleft()
            found = list(_stated(system, way))
            steps = [way.along(edge) for edge in system.edges[way.at] if edge.sentence != way.by]
            # A belief carries the price from place to place, but not twice in a row.
            if way.by is not None or way.before is None:
                steps += [
                    Way(
                        other,
                        way.p,
                        way.q,
                        way.passed | 1 << other,
                        before=way,
                        believed=way.believed | bits[other],
                    )
                    for other in elsewhere.get(way.at, ())
                    if other != way.at
                ]
            for step in steps:
                if way.passed >> step.at & 1:
                    found += _closed(step, way)
                else:
                    queues[step.believed.bit_count()].append(step)
            for value, end in found:
                if (value, end.believed) not in seen:
                    seen.add((value, end.believed))
                    yield value, end


def beliefs(end: Way) -> list[tuple[int, int]]:
    """The variables that a way takes to cost the same, as pairs."""
    return [(way.at, way.before.at) for way in end.back() if way.by is None and way.before]


def _stated(system: System, way: Way) -> Iterator[tuple[Fraction, Way]]:
    """End a way at the stated prices of its last variable, unless the text alone leads there."""
    for index in system.facts.get(way.at, ()) if way.believed else ():
        relation = system.relations[index]
        value = (relation.c - relation.a * way.q) / (relation.a * way.p)
        yield value, way._replace(by=index, before=way)


def _closed(step: Way, way: Way) -> Iterator[tuple[Fraction, Way]]:
    """Solve the equation of a way that has come back to one of its variables.

    There is none where the asked price cancels, or where no belief was used (the text says so itself).
    """
    earlier = next(each for each in way.back() if each.at == step.at)
    if step.believed and step.p != earlier.p:
        yield (earlier.q - step.q) / (step.p - earlier.p), step
