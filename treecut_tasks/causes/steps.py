"""The false steps: functions that take a system and try one kind of mistake at every place.

They are the steps that people have seen models take: those that the paper's author found in real
answers (Appendix C) and their nearest relatives. A step is one mistake; mistakes are not combined
(but for the belief that several items cost the same everywhere), because two free mistakes explain
almost any small number. Plain slips of calculation are left out for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple, TypeAlias

from treecut_tasks.causes.same_price import beliefs, same_price_ways
from treecut_tasks.causes.system import Relation, System
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

    value: Fraction
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
    for value, way in same_price_ways(system):
        taken = []
        for x, y in beliefs(way):
            here, there = system.variables[x], system.variables[y]
            taken.append(f"{one(here.item)} at {there.entity} as at {here.entity}")
        merged = tuple(dict.fromkeys(number for pair in beliefs(way) for number in pair))
        about = tuple(
            index
            for index in way.sentences
            if system.relations[index].u in merged or system.relations[index].v in merged
        )
        claim = f"The same price is taken for {' and for '.join(taken)}"
        yield Step(value, about, merged, way.sentences, claim, way.believed.bit_count())


def misread_variable(system: System) -> Iterator[Step]:
    """In one sentence, an item is read as the same item at another place, or as another at its place.

    The second is the more far-fetched one.
    """
    for index, (u, a, v, b, c) in enumerate(system.relations):
        for read in (u,) if v is None else (u, v):
            variable = system.variables[read]
            elsewhere = system.sold(item=variable.item)
            beside = system.sold(entity=variable.entity)
            for level, taken in [
                *((1, each) for each in elsewhere),
                *((2, each) for each in beside),
            ]:
                # A sentence on two equal things would hardly be read so.
                if taken in (u, v):
                    continue
                changed = Relation(taken, a, v, b, c) if read == u else Relation(u, a, taken, b, c)
                reading = f"is read with {system.variables[taken]} in place of {variable}"
                yield from _reread(system, index, changed, reading, level, (read, taken))


def misread_formula(system: System) -> Iterator[Step]:
    """One sentence says something else about its variables; the level tells in which way."""
    for index, relation in enumerate(system.relations):
        for level, readings in enumerate((_compared, _counted, _per_piece, _half), start=1):
            for reading, changed in readings(system, relation):
                yield from _reread(system, index, changed, f"is read {reading}", level)


def _reread(
    system: System,
    index: int,
    changed: Relation,
    reading: str,
    level: int,
    about: tuple[int, ...] | None = None,
) -> Iterator[Step]:
    """One sentence says something else, about its own variables or these."""
    u, _, v, _, _ = system.relations[index]
    variables = about or ((u,) if v is None else (u, v))
    for derived in system.derive(changed, index):
        used = (index, *derived.sentences)
        yield Step(
            derived.value, (index,), variables, used, f"Sentence {index + 1} {reading}", level
        )


_Readings: TypeAlias = Iterator[tuple[str, Relation]]


def _compared(_: System, relation: Relation) -> _Readings:
    """More is read for less, or a sum for a difference, or the other way round."""
    u, a, v, b, c = relation
    if v is not None and b > 0:
        yield "as the difference of its two sides instead of their sum", relation._replace(b=-b)
        yield "as the second side less the first instead of their sum", relation._replace(a=-a)
    elif v is not None:
        added = Relation(u, a, v, -b, abs(c))
        yield "as the sum of its two sides instead of their difference", added
        if c:
            said, wrong = ("more", "less") if c > 0 else ("less", "more")
            yield f"as {wrong!r} instead of {said!r}", relation._replace(c=-c)


def _counted(system: System, relation: Relation) -> _Readings:
    """A quantity is dropped, so that several pieces are read as one, or two are exchanged."""
    u, a, v, b, _ = relation
    first, second = system.variables[u], None if v is None else system.variables[v]
    one_first, one_second = _sign(a), _sign(b)
    if abs(a) > 1:
        yield f"with one {first} instead of {abs(a)}", relation._replace(a=one_first)
    if abs(b) > 1:
        yield f"with one {second} instead of {abs(b)}", relation._replace(b=one_second)
    if abs(a) > 1 and abs(b) > 1:
        yield f"with one {first} and one {second}", relation._replace(a=one_first, b=one_second)
    if v is not None and abs(a) != abs(b):
        exchanged = relation._replace(a=one_first * abs(b), b=one_second * abs(a))
        yield f"with {abs(b)} times {first} and {abs(a)} times {second}", exchanged


def _per_piece(system: System, relation: Relation) -> _Readings:
    """The money of a sentence is taken for each piece of one side, not for all of them."""
    u, a, v, b, c = relation
    for number, count in {abs(b): v, abs(a): u}.items() if v is not None and c else ():
        if number > 1:
            assert count is not None
            reading = (
                f"with its {system.read.theme.money(abs(c))} for each {system.variables[count]}"
            )
            yield reading, relation._replace(c=c * number)


def _half(system: System, relation: Relation) -> _Readings:
    """Only one side of a sentence is read, as if its money were the price of that side."""
    u, a, v, b, c = relation
    for number, count in ((u, abs(a)), (v, abs(b))) if v is not None and c else ():
        assert number is not None
        side = quantity(count, system.variables[number])
        cost = f"cost{'s' * (count == 1)} {system.read.theme.money(abs(c))}"
        yield f"as if {side} {cost}", Relation(number, count, None, 0, abs(c))


def _sign(number: int) -> int:
    return 1 if number > 0 else -1


def whole_quantity(system: System) -> Iterator[Step]:
    """The price of several pieces is given for the price of one."""
    price = system.known.get(system.asked)
    if price is None:
        return
    asked = system.variables[system.asked]
    for index, (u, a, v, b, _) in enumerate(system.relations):
        count = abs(a) if u == system.asked else abs(b) if v == system.asked else 1
        if count > 1:
            yield Step(
                count * price.q,
                (index,),
                (system.asked,),
                tuple({index, *price.sentences}),
                f"The price of {quantity(count, asked)} is given, not of one",
            )


def other_price(system: System) -> Iterator[Step]:
    """The price of another item is given.

    Where the asked price is determined: of one on the way to it, as if the calculation had stopped
    early; the level is the number of steps that were missing. Where it is not: of another item at
    the same place. In both cases: of the same item at another place.
    """
    known = system.known
    asked = system.variables[system.asked]
    back = known[system.asked].back() if system.asked in known else ()
    missing = {way.at: steps for steps, way in enumerate(back)}
    for number, way in known.items():
        variable = system.variables[number]
        near = variable.item == asked.item or (
            system.asked not in known
            and variable.entity == asked.entity
            and variable.entity is not None
        )
        if number == system.asked or not (near or number in missing):
            continue
        yield Step(
            way.q,
            way.sentences[:1],
            (number, system.asked),
            way.sentences,
            f"The price of {variable} is given, not that of {asked}",
            1 if near else missing[number],
        )


def equal_prices(system: System) -> Iterator[Step]:
    """Two items in one sentence are assumed to cost the same, as when a sum is parted equally."""
    if not system.asked_is_free:
        return
    for index, (u, _, v, _, _) in enumerate(system.relations):
        if v is None:
            continue
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
    tied = system.tied
    if len(tied) == 1:
        return
    # The highest price at which those that fall as it rises are above zero.
    tops = [ceil(way.q / -way.p) - 1 for way in tied.values() if way.p < 0]
    top = min(tops, default=_WHOLE_PRICES_REACH)

    def fits(price: int) -> bool:
        others = [way.p * price + way.q for way in tied.values()]
        return all(other > 0 and other.denominator == 1 for other in others)

    prices = range(1, min(top, _WHOLE_PRICES_REACH) + 1)
    lowest = next(filter(fits, prices), None)
    if lowest is None:
        return
    extremes = {lowest: "lowest"}
    if tops and top <= _WHOLE_PRICES_REACH:
        highest = next(filter(fits, reversed(prices)))
        extremes[highest] = "only" if highest == lowest else "highest"
    used = tuple(way.by for way in tied.values() if way.by is not None)
    names = listed([system.variables[number] for number in sorted(tied)])
    for price, which in extremes.items():
        yield Step(
            Fraction(price),
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
            Fraction(abs(relation.c)),
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
    for number in system.tied:
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
