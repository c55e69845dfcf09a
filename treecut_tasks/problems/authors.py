"""From a `random.Random` to rows as the authors' code draws them, one problem after the other.

The published data depends on how `sample`, `randint`, `choice` and `shuffle` consume the Mersenne
Twister, and on the order of the draws, which docs/training-data.md tells.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treecut_tasks.problems.blocks import (
    ENTITIES_DRAWN,
    SIGNED,
    SIGNS,
    SIZES,
    Block,
    Ints,
    prices_of,
)
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.texts import words_of
from treecut_tasks.problems.tree import breadth_first


def draw_as_authors(config: ProblemConfig, rng: random.Random, rows: int) -> Block:
    """Draw so many problems one after the other, each as the authors' code draws it."""
    drawn = zip(*(_draw(config, rng) for _ in range(rows)), strict=True)
    names, values, parents, a, b, order = (np.array(each, dtype=np.int64) for each in drawn)
    return Block(config, names, values, parents, a, b, order, cut_drawn=config.cut_into is None)


def _draw(config: ProblemConfig, rng: random.Random) -> tuple[Sequence[int], ...]:
    """A row of a block: names, values, parents, coefficients of parents and children, and the order."""
    theme, num_vars, cut_into = config.resolved_theme, config.vars, config.cut_into
    num_items = (num_vars + 1) // 2 if config.composite_name else num_vars
    places = (
        rng.sample(range(len(theme.entities)), ENTITIES_DRAWN) if config.composite_name else [0]
    )
    items = rng.sample(range(len(theme.items)), num_items)
    names = rng.sample([place * len(theme.items) + i for place in places for i in items], num_vars)
    prices = prices_of(theme)
    values = [rng.choice(prices) for _ in range(num_vars)]
    off_path = [rng.randrange(child) for child in range(config.ans_depth + 1, num_vars + 1)]
    parents = (*range(config.ans_depth), *off_path)
    edges = breadth_first(parents)
    # At the root a formula states the price; for the cut edge none is drawn, see `with_cuts`.
    a, b = [int(parent > 0) for parent in parents], [1] * num_vars
    for parent, child in edges:
        if parent and child != cut_into:
            a[child - 1], b[child - 1] = _formula(config, rng)
    order = [child for _, child in edges]
    if config.order == "backward":
        order.reverse()
    elif config.order == "random":
        stated = [child for child in order if child != cut_into]
        rng.shuffle(stated)
        order = stated if cut_into is None else [*stated, cut_into]
    return names, values, parents, a, b, order


def _formula(config: ProblemConfig, rng: random.Random) -> tuple[int, int]:
    """The coefficients of the edge from a variable to another."""
    if config.sampling == "paper":
        return rng.choice(SIGNED), rng.choice(SIGNED)
    size_a, size_b = rng.choice(SIZES), rng.choice(SIZES)
    sign_a, sign_b = rng.choice(SIGNS)
    return sign_a * size_a, sign_b * size_b


def with_cuts(block: Block) -> Block:
    """Rows of the authors' stream with the cut sentence, which that stream does not draw.

    It is drawn from a generator that is seeded with the problem's own text, so that the sentence, and
    with it the answerable counterpart, is a function of the problem, and the stream stays the authors'.
    """
    config, cut_into = block.config, block.config.cut_into
    if block.cut_drawn or cut_into is None:
        return block
    words = words_of(config)
    stated: Ints = block.order[block.order != cut_into].reshape(len(block), -1)
    texts = words.write(words.text(block, words.sentences(block), stated))
    a, b, order = block.a.copy(), block.b.copy(), block.order.copy()
    for row, text in enumerate(texts.to_pylist()):
        rng = random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
        if cut_into > 1:
            a[row, cut_into - 1], b[row, cut_into - 1] = _formula(config, rng)
        if config.order == "random":
            children = stated[row].tolist()
            children.insert(rng.randrange(config.vars), cut_into)
            order[row] = children
    return replace(block, a=a, b=b, order=order, cut_drawn=True)
