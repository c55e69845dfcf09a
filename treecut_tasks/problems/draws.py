"""Random draws with the semantics of Python's `random.Random`, spelled out.

The published data depends on how `sample`, `randint`, `choice` and `shuffle` consume the Mersenne
Twister (generator.md, "Random draws, in order"). Python promises that for `getrandbits` only, so
everything here is built on it; that fixes our bytes for every Python version. It is also several
times faster than the methods of `random.Random`, partly because what depends only on sizes is
prepared once, outside the loop over problems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

GetRandBits = Callable[[int], int]
"""`getrandbits` of the `random.Random` in use: a bit count in, that many random bits out."""


def below(getrandbits: GetRandBits, n: int) -> int:
    """A whole number from 0 to n - 1, each equally likely; `choice` and `randint` draw like this."""
    bits = n.bit_length()
    r = getrandbits(bits)
    while r >= n:
        r = getrandbits(bits)
    return r


def sampler(n: int, k: int) -> Callable[[GetRandBits, Sequence[T]], list[T]]:
    """A function that draws k distinct elements of a population of n, as `random.Random.sample`.

    Args:
        n: size of the population.
        k: number of elements, at most n; they come in the order drawn.
    """
    if n > _largest_pool(k):
        return lambda getrandbits, population: _sample_by_set(getrandbits, population, k)
    plan = [(last, (last + 1).bit_length()) for last in range(n - 1, n - 1 - k, -1)]

    def sample(getrandbits: GetRandBits, population: Sequence[T]) -> list[T]:
        pool = list(population)
        result = []
        for last, bits in plan:
            j = getrandbits(bits)
            while j > last:
                j = getrandbits(bits)
            result.append(pool[j])
            pool[j] = pool[last]
        return result

    return sample


def _largest_pool(k: int) -> int:
    """Population size up to which `random.Random.sample` copies the population."""
    if k <= 5:
        return 21
    power = 1
    while power < 3 * k:
        power *= 4
    return 21 + power


def _sample_by_set(getrandbits: GetRandBits, population: Sequence[T], k: int) -> list[T]:
    """How `random.Random.sample` draws from a large population: by index, repeats drawn again."""
    n = len(population)
    selected: dict[int, T] = {}
    for _ in range(k):
        j = below(getrandbits, n)
        while j in selected:
            j = below(getrandbits, n)
        selected[j] = population[j]
    return list(selected.values())


def shuffler(n: int) -> Callable[[GetRandBits], list[int]]:
    """A function that shuffles 0 … n - 1 as `random.Random.shuffle` would shuffle n elements."""
    plan = [(i, (i + 1).bit_length()) for i in range(n - 1, 0, -1)]
    unshuffled = list(range(n))

    def shuffled(getrandbits: GetRandBits) -> list[int]:
        items = unshuffled.copy()
        for i, bits in plan:
            j = getrandbits(bits)
            while j > i:
                j = getrandbits(bits)
            items[i], items[j] = items[j], items[i]
        return items

    return shuffled
