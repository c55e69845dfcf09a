"""The false steps: functions that take a system and try one kind of mistake at every place.

They are the steps that people have seen models take: those that the paper's author found in real
answers (Appendix C) and their nearest relatives. A step is one mistake; mistakes are not combined
(but for the belief that several items cost the same everywhere), because two free mistakes explain
almost any small number. Plain slips of calculation are left out for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from treecut_tasks.causes.same_price import same_price_ways
from treecut_tasks.causes.system import Price, Relation, System, reduced, way
from treecut_tasks.causes.words import capital, listed, one, quantity

CONVENIENT_PRICES = (0, 1, 10)
"""What a free price is assumed to be; more values than these would explain almost any number."""

# Whole prices are looked for up to here; the outfit theme's sums go up to 600 dollars.
_WHOLE_PRICES_REACH = 1000


class Step(NamedTuple):
    """A false step, and the value of the asked price that follows from it.

    Attributes:
        value: the price.
        sentences: indices of the sentences in which the step is taken.
        variables: numbers of the variables that it is about.
        way: indices of all sentences from which the value follows; none where it is just copied.
        claim: says, as a sentence without a full stop, what the step is.
        level: how far-fetched the step is among those of its family, from 1.
    """

    value: Price
    sentences: tuple[int, ...]
    variables: tuple[int, ...]
    way: tuple[int, ...]
    claim: str
    level: int = 1


def same_price(system: System) -> Iterator[Step]:
    """An item is taken to cost the same at every place.

    A value counts no matter whether the rest of the text contradicts the belief, as o3-mini's
    answers do (Appendix C.2). The level is the number of items for which the belief is used.
    """
    for found in same_price_ways(system):
        beliefs = []
        for x, y in found.pairs:
            here, there = system.variables[x], system.variables[y]
            beliefs.append(f"{one(here.item)} at {there.entity} as at {here.entity}")
        merged = tuple(dict.fromkeys(number for pair in found.pairs for number in pair))
        about = tuple(
            index
            for index in found.sentences
            if system.relations[index].u in merged or system.relations[index].v in merged
        )
        claim = f"The same price is taken for {' and for '.join(beliefs)}"
        yield Step(found.value, about, merged, found.sentences, claim, found.items)


def misread_place(system: System) -> Iterator[Step]:
    """In one sentence, an item at one place is read as the same item at another place."""
    return _misread(system, lambda number: system.places_of[system.variables[number].item])


def misread_item(system: System) -> Iterator[Step]:
    """In one sentence, an item is read as another item at the same place."""
    return _misread(system, lambda number: system.items_at[system.variables[number].entity])


def _misread(system: System, candidates: Callable[[int], list[int]]) -> Iterator[Step]:
    for index, (u, a, v, b, c) in enumerate(system.relations):
        for read in (u, v):
            if read is None:
                continue
            for taken in candidates(read):
                # A sentence on two equal things would hardly be read so.
                if taken in (u, v):
                    continue
                first, second = (taken, v) if read == u else (u, taken)
                for derived in system.derive(Relation(first, a, second, b, c), index):
                    yield Step(
                        derived.value,
                        (index,),
                        (read, taken),
                        (index, *derived.sentences),
                        f"Sentence {index + 1} is read with {system.variables[taken]} in place of "
                        f"{system.variables[read]}",
                    )


def misread_comparison(system: System) -> Iterator[Step]:
    """More is read for less, or a sum for a difference, or the other way round."""
    for index, (u, a, v, b, c) in _two_sided(system):
        if b > 0:
            readings = {
                "the difference of its two sides instead of their sum": (a, -b, c),
                "the second side less the first instead of their sum": (-a, b, c),
            }
        else:
            said, wrong = ("more", "less") if c > 0 else ("less", "more")
            readings = {"the sum of its two sides instead of their difference": (a, -b, abs(c))}
            if c:
                readings[f"{wrong!r} instead of {said!r}"] = (a, b, -c)
        for reading, (a_read, b_read, c_read) in readings.items():
            relation = Relation(u, a_read, v, b_read, c_read)
            yield from _reread(system, index, relation, f"is read as {reading}")


def misread_quantity(system: System) -> Iterator[Step]:
    """A quantity is dropped, so that several pieces are read as one, or two are exchanged."""
    for index, (u, a, v, b, c) in enumerate(system.relations):
        first = system.variables[u]
        if abs(a) > 1:
            text = f"is read with one {first} instead of {abs(a)}"
            yield from _reread(system, index, Relation(u, _sign(a), v, b, c), text)
        if v is None:
            continue
        second = system.variables[v]
        if abs(b) > 1:
            text = f"is read with one {second} instead of {abs(b)}"
            yield from _reread(system, index, Relation(u, a, v, _sign(b), c), text)
        if abs(a) > 1 and abs(b) > 1:
            text = f"is read with one {first} and one {second}"
            yield from _reread(system, index, Relation(u, _sign(a), v, _sign(b), c), text)
        if abs(a) != abs(b):
            text = f"is read with {abs(b)} times {first} and {abs(a)} times {second}"
            relation = Relation(u, _sign(a) * abs(b), v, _sign(b) * abs(a), c)
            yield from _reread(system, index, relation, text)


def misread_per_piece(system: System) -> Iterator[Step]:
    """The money of a sentence is taken for each piece of one side, not for all of them."""
    for index, (u, a, v, b, c) in _two_sided(system):
        for number, count in {abs(b): v, abs(a): u}.items():
            if number == 1 or c == 0:
                continue
            money = system.read.theme.money(abs(c))
            text = f"is read with its {money} for each {system.variables[count]}"
            yield from _reread(system, index, Relation(u, a, v, b, c * number), text)


def half_a_sentence(system: System) -> Iterator[Step]:
    """Only one side of a sentence is read, as if its money were the price of that side."""
    for index, (u, a, v, b, c) in _two_sided(system):
        if c == 0:
            continue
        money = system.read.theme.money(abs(c))
        for number, count in ((u, abs(a)), (v, abs(b))):
            side = quantity(count, system.variables[number])
            text = f"is read as if {side} cost{'s' * (count == 1)} {money}"
            yield from _reread(system, index, Relation(number, count, None, 0, abs(c)), text)


def _two_sided(system: System) -> Iterator[tuple[int, tuple[int, int, int, int, int]]]:
    for index, (u, a, v, b, c) in enumerate(system.relations):
        if v is not None:
            yield index, (u, a, v, b, c)


def _sign(number: int) -> int:
    return 1 if number > 0 else -1


def _reread(system: System, index: int, relation: Relation, reading: str) -> Iterator[Step]:
    """One sentence says something else."""
    about = system.relations[index]
    variables = (about.u,) if about.v is None else (about.u, about.v)
    for derived in system.derive(relation, index):
        yield Step(
            derived.value,
            (index,),
            variables,
            (index, *derived.sentences),
            f"Sentence {index + 1} {reading}",
        )


def whole_quantity(system: System) -> Iterator[Step]:
    """The price of several pieces is given for the price of one."""
    price = system.known().get(system.asked)
    if price is None:
        return
    asked = system.variables[system.asked]
    for index, (u, a, v, b, _) in enumerate(system.relations):
        count = abs(a) if u == system.asked else abs(b) if v == system.asked else 1
        if count > 1:
            yield Step(
                reduced(count * price.q, price.d),
                (index,),
                (system.asked,),
                tuple({index, *way(system.known(), system.asked)}),
                f"The price of {quantity(count, asked)} is given, not of one",
            )


def other_price(system: System) -> Iterator[Step]:
    """The price of another item is given.

    Where the asked price is determined: of one on the way to it, as if the calculation had stopped
    early; the level is the number of steps that were missing. Where it is not: of another item at
    the same place. In both cases: of the same item at another place.
    """
    known = system.known()
    asked = system.variables[system.asked]
    missing: dict[int, int] = {}
    at = known[system.asked].before if system.asked in known else None
    while at is not None:
        missing[at] = len(missing) + 1
        at = known[at].before
    for number, form in known.items():
        variable = system.variables[number]
        near = variable.item == asked.item or (
            system.asked not in known
            and variable.entity == asked.entity
            and variable.entity is not None
        )
        if number == system.asked or not (near or number in missing):
            continue
        used = way(known, number)
        yield Step(
            reduced(form.q, form.d),
            used[:1],
            (number, system.asked),
            used,
            f"The price of {variable} is given, not that of {asked}",
            1 if near else missing[number],
        )


def equal_prices(system: System) -> Iterator[Step]:
    """Two items in one sentence are assumed to cost the same, as when a sum is parted equally."""
    if not system.asked_is_free:
        return
    for index, (u, _, v, _, _) in _two_sided(system):
        for derived in system.derive(Relation(u, 1, v, -1, 0)):
            if index in derived.sentences:
                yield Step(
                    derived.value,
                    (index,),
                    (u, v),
                    derived.sentences,
                    f"{capital(one(system.variables[u]))} and {one(system.variables[v])}, the "
                    f"two in sentence {index + 1}, are assumed to cost the same",
                )


def whole_prices(system: System) -> Iterator[Step]:
    """All prices that hang on the asked one are assumed to be whole, and as low or high as can be."""
    if not system.asked_is_free:
        return
    tied = system.tied()
    if len(tied) == 1:
        return
    # With the divisor above zero, p below zero means that the price falls as the asked one rises.
    lines = [(f.p, f.q, f.d) if f.d > 0 else (-f.p, -f.q, -f.d) for f in tied.values()]
    tops = [(q - 1) // -p for p, q, _ in lines if p < 0]
    top = min(tops, default=_WHOLE_PRICES_REACH)

    def fits(price: int) -> bool:
        return all(p * price + q > 0 and (p * price + q) % d == 0 for p, q, d in lines)

    prices = range(1, min(top, _WHOLE_PRICES_REACH) + 1)
    lowest = next(filter(fits, prices), None)
    if lowest is None:
        return
    extremes = {lowest: "lowest"}
    if tops and top <= _WHOLE_PRICES_REACH:
        highest = next(filter(fits, reversed(prices)))
        extremes[highest] = "only" if highest == lowest else "highest"
    used = tuple(form.last for form in tied.values() if form.last is not None)
    names = listed([system.variables[number] for number in sorted(tied)])
    for price, which in extremes.items():
        yield Step(
            (price, 1),
            used,
            tuple(tied),
            used,
            f"The prices of {names} are assumed to be whole, and the {which} possible one is taken "
            f"for the {system.variables[system.asked]}",
        )


def copied_number(system: System) -> Iterator[Step]:
    """An amount of money is copied from the text (how many pieces there are is no candidate).

    Level 1: a stated price, or an amount in a sentence about the asked item. Level 2: any other.
    """
    for index, relation in enumerate(system.relations):
        near = relation.v is None or system.asked in (relation.u, relation.v)
        variables = (relation.u,) if relation.v is None else (relation.u, relation.v)
        money = system.read.theme.money(abs(relation.c))
        yield Step(
            (abs(relation.c), 1),
            (index,),
            variables,
            (),
            f"{capital(money)} is copied from sentence {index + 1}",
            1 if near else 2,
        )


def assumed_price(system: System) -> Iterator[Step]:
    """A free price is assumed: a convenient one, or that of a stated price at the same place.

    The asked price itself is never set to a convenient one: that would be naming a number.
    """
    if not system.asked_is_free:
        return
    for number in system.tied():
        name = one(system.variables[number])
        for price in CONVENIENT_PRICES if number != system.asked else ():
            money = system.read.theme.money(price)
            for derived in system.derive(Relation(number, 1, None, 0, price)):
                yield Step(
                    derived.value,
                    derived.sentences,
                    (number,),
                    derived.sentences,
                    f"{capital(name)} is assumed to cost {money}",
                )
        for fact, indices in system.facts.items():
            if system.variables[fact].entity != system.variables[number].entity:
                continue
            for derived in system.derive(Relation(number, 1, fact, -1, 0)):
                yield Step(
                    derived.value,
                    (indices[0],),
                    (number, fact),
                    derived.sentences,
                    f"{capital(name)} is assumed to cost as much as {one(system.variables[fact])}",
                )
