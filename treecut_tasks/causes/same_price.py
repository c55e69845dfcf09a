"""What follows where an item costs the same at every place: takes a system, gives values and ways.

With items made equal the sentences may contradict one another, so there can be several values. Each
comes from a set of sentences and beliefs of which none can be spared: a way from the asked price to
a stated one, or to an equation with one price on both sides. All of them are found.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from math import gcd
from typing import NamedTuple

from treecut_tasks.causes.system import Price, System, reduced

# For each number of items. A ten-variable problem takes up to about 100 steps in all; the limit is for
# texts with many cycles.
_MAX_STEPS = 2_000


class SamePriceWay(NamedTuple):
    """A value of the asked price that follows from sentences and equal prices.

    Attributes:
        value: the price.
        items: number of items whose price is taken to be the same everywhere.
        pairs: the variables that are taken to cost the same, as pairs.
        sentences: indices of the sentences on the way.
    """

    value: Price
    items: int
    pairs: tuple[tuple[int, int], ...]
    sentences: tuple[int, ...]


class _Walk(NamedTuple):
    """A way from the asked price to a variable, which costs (p * t + q) / d on it.

    Attributes:
        at: number of the variable.
        p: multiplies the asked price.
        q: constant part.
        d: divisor.
        passed: variables on the way, as a bit mask.
        believed: items whose price was carried from place to place, as a bit mask.
        by: index of the last sentence, or None where the last step was a belief.
        before: the way without the last step; None at the start.
    """

    at: int
    p: int
    q: int
    d: int
    passed: int
    believed: int
    by: int | None
    before: _Walk | None


def same_price_ways(system: System) -> Iterator[SamePriceWay]:
    """Find what follows for the asked price, fewest items first and then fewest sentences.

    The same value from the same items is given once. In a text with many cycles the search is cut
    short.
    """
    shared = [places for places in system.places_of.values() if len(places) > 1]
    equal: dict[int, tuple[int, list[int]]] = {
        number: (1 << bit, [other for other in places if other != number])
        for bit, places in enumerate(shared)
        for number in places
    }
    seen: set[tuple[Price, int]] = set()
    queues: list[deque[_Walk]] = [deque() for _ in range(len(shared) + 1)]
    queues[0].append(_Walk(system.asked, 1, 0, 1, 1 << system.asked, 0, None, None))
    for queue in queues:
        for _ in range(_MAX_STEPS):
            if not queue:
                break
            walk = queue.popleft()
            for end, value in _ends(system, walk):
                if (value, end.believed) not in seen:
                    seen.add((value, end.believed))
                    yield _told(value, end)
            for step in _steps(system, walk, equal):
                if not walk.passed >> step.at & 1:
                    queues[step.believed.bit_count()].append(step)
                    continue
                closed = _closed(step, walk)
                if closed is not None and (closed, step.believed) not in seen:
                    seen.add((closed, step.believed))
                    yield _told(closed, step)


def _ends(system: System, walk: _Walk) -> Iterator[tuple[_Walk, Price]]:
    """End a way at the stated prices of its last variable, unless the text alone leads there."""
    if not walk.believed:
        return
    for index in system.facts.get(walk.at, ()):
        relation = system.relations[index]
        value = reduced(relation.c * walk.d - relation.a * walk.q, relation.a * walk.p)
        yield walk._replace(by=index, before=walk), value


def _steps(
    system: System, walk: _Walk, equal: Mapping[int, tuple[int, list[int]]]
) -> Iterator[_Walk]:
    """Take one more step by a sentence or by a belief, but not straight back."""
    _, p, q, d, passed, believed, by, before = walk
    for index, other, own, others, c in system.neighbours[walk.at]:
        if index != by:
            p_next, q_next, d_next = -own * p, c * d - own * q, others * d
            factor = gcd(p_next, q_next, d_next)
            yield _Walk(
                other,
                p_next // factor,
                q_next // factor,
                d_next // factor,
                passed | 1 << other,
                believed,
                index,
                walk,
            )
    if walk.at in equal and (by is not None or before is None):
        item, places = equal[walk.at]
        for other in places:
            yield _Walk(other, p, q, d, passed | 1 << other, believed | item, None, walk)


def _closed(step: _Walk, walk: _Walk) -> Price | None:
    """Solve the equation of a way that has come back to one of its variables.

    None where the asked price cancels, or where no belief was used (the text says so itself).
    """
    earlier: _Walk | None = walk
    while earlier is not None and earlier.at != step.at:
        earlier = earlier.before
    assert earlier is not None
    times = step.p * earlier.d - earlier.p * step.d
    if not times or not step.believed:
        return None
    return reduced(earlier.q * step.d - step.q * earlier.d, times)


def _told(value: Price, end: _Walk) -> SamePriceWay:
    """Read a way back from its end."""
    pairs: list[tuple[int, int]] = []
    sentences: list[int] = []
    walk = end
    while walk.before is not None:
        if walk.by is not None:
            sentences.append(walk.by)
        else:
            pairs.append((walk.at, walk.before.at))
        walk = walk.before
    return SamePriceWay(value, end.believed.bit_count(), tuple(pairs), tuple(sentences))
