"""From a `random.Random` to rows as the authors' code draws them, one problem after the other.

The published data depends on how `sample`, `randint`, `choice` and `shuffle` consume the Mersenne
Twister. Each is a series of whole numbers below some bound, so that a problem is a series of such
numbers, drawn in the order that docs/training-data.md tells; what they mean is computed for all rows
at once.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil, log

import numpy as np

from treecut_tasks.problems.blocks import (
    ENTITIES_DRAWN,
    FORMULAS,
    Block,
    Ints,
    forward,
    num_prices,
    with_path,
)
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.texts import words_of

# What a formula is drawn from: each kind of sampling draws these numbers below their bounds, and the
# place among `FORMULAS` is the sum of the numbers times these factors.
_FORMULA_DRAWS = {"published": ((3, 3, 3), (3, 1, 9)), "paper": ((6, 6), (6, 1))}

Draw = Callable[[], list[int]]
"""Draws the next numbers of a problem."""


def draw_as_authors(config: ProblemConfig, rng: random.Random, rows: int) -> Block:
    """Draw so many problems one after the other, each as the authors' code draws it."""
    theme, num_vars, cut_into = config.resolved_theme, config.vars, config.cut_into
    num_items = (num_vars + 1) // 2 if config.composite_name else num_vars
    num_candidates = ENTITIES_DRAWN * num_items if config.composite_name else num_vars
    samples = [(len(theme.items), num_items), (num_candidates, num_vars)]
    if config.composite_name:
        samples.insert(0, (len(theme.entities), ENTITIES_DRAWN))
    num_branches = num_vars - config.ans_depth
    draw_head = _joined(
        rng,
        *(_sample(rng, *sizes) for sizes in samples),
        [num_prices(theme)] * num_vars,
        range(config.ans_depth + 1, num_vars + 1),
    )
    # Edges from the root draw no formula: x_1, unless it is cut, and whatever else hangs there.
    stated = num_vars - (cut_into is not None)
    num_formulas = stated - (cut_into != 1)
    bounds, factors = _FORMULA_DRAWS[config.sampling]
    swaps = range(stated, 1, -1) if config.order == "random" else ()
    draw_tail = [
        _numbers(rng, [*bounds * (num_formulas - at_root), *swaps])
        for at_root in range(num_branches + 1)
    ]
    padding = [[0] * len(bounds) * at_root for at_root in range(num_branches + 1)]

    drawn = []
    for _ in range(rows):
        head = draw_head()
        at_root = head[len(head) - num_branches :].count(0)
        drawn.append(head + draw_tail[at_root]() + padding[at_root])
    widths = [*(k for _, k in samples), num_vars, num_branches]
    *picked, values, branches, tails = np.split(
        np.array(drawn, dtype=np.int64), np.cumsum(widths), axis=1
    )
    parents = with_path(config, branches)
    order = forward(config, parents)
    formulas = tails[:, : num_formulas * len(bounds)].reshape(rows, num_formulas, len(bounds))
    a, b = _formulas(config, parents, _without(order, cut_into), formulas @ np.array(factors))
    if config.order == "backward":
        order = order[:, ::-1]
    elif config.order == "random":
        # The swaps come right behind as many formulas as each row has.
        first = len(bounds) * (num_formulas - (branches == 0).sum(axis=1))
        at = first[:, None] + np.arange(len(swaps))
        order = _shuffled(_without(order, cut_into), np.take_along_axis(tails, at, axis=1))
        if cut_into is not None:
            # Its place is not drawn; see `with_cuts`.
            order = np.concatenate([order, np.full((rows, 1), cut_into)], axis=1)
    return Block(
        config,
        _names(config, samples, picked),
        theme.value_min + theme.value_step * values,
        parents,
        a,
        b,
        order,
        cut_drawn=cut_into is None,
    )


def _numbers(rng: random.Random, bounds: Iterable[int]) -> Draw:
    """Draws below each bound, as `choice`, `randint`, `sample` and `shuffle` do."""
    getrandbits, plan = rng.getrandbits, [(bound.bit_length(), bound) for bound in bounds]

    def draw() -> list[int]:
        numbers = []
        # The innermost loop of this stream.
        for bits, bound in plan:
            while (number := getrandbits(bits)) >= bound:
                pass
            numbers.append(number)
        return numbers

    return draw


def _joined(rng: random.Random, *parts: Draw | Sequence[int]) -> Draw:
    """Draws one after the other; those that have bounds are drawn in one loop if all have."""
    bounds = [part for part in parts if not callable(part)]
    if len(bounds) == len(parts):
        return _numbers(rng, [bound for part in bounds for bound in part])
    draws = [part if callable(part) else _numbers(rng, part) for part in parts]
    return lambda: [number for draw in draws for number in draw()]


def _takes_from_pool(n: int, k: int) -> bool:
    """Whether `random.Random.sample` copies the population; it does so unless k is small for n."""
    return n <= 21 + (4 ** ceil(log(3 * k, 4)) if k > 5 else 0)


def _sample(rng: random.Random, n: int, k: int) -> Draw | Sequence[int]:
    """Draws a sample of k of n: places in a pool that shrinks, or the elements themselves."""
    if _takes_from_pool(n, k):
        return range(n, n - k, -1)
    return lambda: rng.sample(range(n), k)


def _sampled(numbers: Ints, n: int, k: int) -> Ints:
    """The elements that a sample of k of 0 … n - 1 consists of."""
    if not _takes_from_pool(n, k):
        return numbers
    every, pool = np.arange(len(numbers)), np.tile(np.arange(n), (len(numbers), 1))
    sample: Ints = np.empty_like(numbers)
    for place in range(k):
        at = numbers[:, place]
        sample[:, place] = pool[every, at]
        pool[every, at] = pool[:, n - 1 - place]
    return sample


def _names(config: ProblemConfig, samples: list[tuple[int, int]], picked: list[Ints]) -> Ints:
    *entities, items, chosen = (
        _sampled(numbers, *sizes) for numbers, sizes in zip(picked, samples, strict=True)
    )
    candidates = items
    if config.composite_name:
        num_items = len(config.resolved_theme.items)
        candidates = entities[0][:, :, None] * num_items + items[:, None, :]
    names: Ints = np.take_along_axis(candidates.reshape(len(items), -1), chosen, axis=1)
    return names


def _shuffled(elements: Ints, numbers: Ints) -> Ints:
    """Rows as `random.Random.shuffle` shuffles them."""
    every = np.arange(len(elements))
    result: Ints = elements.copy()
    for column in range(numbers.shape[1]):
        last, at = elements.shape[1] - 1 - column, numbers[:, column]
        moved = result[:, last].copy()
        result[:, last] = result[every, at]
        result[every, at] = moved
    return result


def _without(children: Ints, cut_into: int | None) -> Ints:
    if cut_into is None:
        return children
    rest: Ints = children[children != cut_into].reshape(len(children), -1)
    return rest


def _formulas(config: ProblemConfig, parents: Ints, stated: Ints, drawn: Ints) -> tuple[Ints, Ints]:
    """Coefficients of every edge, from places among `FORMULAS` for those that are not at the root.

    `stated` are children of the edges that are not cut, breadth first; `drawn` is in their order.
    """
    choices = FORMULAS[config.sampling]
    coefficients = np.ones((*parents.shape, 2), dtype=np.int64)
    # Root edges come first, so that the first formula is that of the edge behind them.
    at_root = (np.take_along_axis(parents, stated - 1, axis=1) == 0).sum(axis=1)
    for place in range(drawn.shape[1]):
        rows = np.flatnonzero(at_root + place < stated.shape[1])
        children = stated[rows, at_root[rows] + place]
        coefficients[rows, children - 1] = choices[drawn[rows, place]]
    coefficients[parents == 0] = (0, 1)
    return coefficients[..., 0], coefficients[..., 1]


def with_cuts(block: Block) -> Block:
    """Rows of the authors' stream with the cut sentence, which that stream does not draw.

    It is drawn from a generator that is seeded with the problem's own text, so that the sentence, and
    with it the answerable counterpart, is a function of the problem, and the stream stays the authors'.
    """
    config, cut_into = block.config, block.config.cut_into
    if block.cut_drawn or cut_into is None:
        return block
    words = words_of(config)
    stated = _without(block.order, cut_into)
    texts = words.write(words.text(block, words.sentences(block), stated))
    bounds, factors = _FORMULA_DRAWS[config.sampling]
    formula, place = np.zeros(len(block), dtype=np.int64), np.zeros(len(block), dtype=np.int64)
    for row, text in enumerate(texts.to_pylist()):
        rng = random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
        if cut_into > 1:
            formula[row] = np.dot(_numbers(rng, bounds)(), factors)
        if config.order == "random":
            (place[row],) = _numbers(rng, [config.vars])()
    column = cut_into - 1
    a, b, order = block.a.copy(), block.b.copy(), block.order
    if cut_into > 1:
        a[:, column], b[:, column] = FORMULAS[config.sampling][formula].T
    if config.order == "random":
        every, columns = np.arange(len(block)), np.arange(config.vars)
        at = np.minimum(columns - (columns > place[:, None]), config.vars - 2)
        order = np.take_along_axis(stated, at, axis=1)
        order[every, place] = cut_into
    return replace(block, a=a, b=b, order=order, cut_drawn=True)
