"""Drawing problems (paper, Algorithm 1; generator.md, "Random draws, in order")."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache

from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.draws import GetRandBits, sampler, shuffler
from treecut_tasks.problems.formulas import DRAW_FORMULAS, tree_choices
from treecut_tasks.problems.problem import Problem
from treecut_tasks.problems.wording import Phrases, composite_phrases, simple_phrases

# Entities in a problem with composite names (generator.md, step 1).
_ENTITIES_DRAWN = 2


def generate(config: ProblemConfig, rng: random.Random) -> Problem:
    """Draw one problem.

    Draws are made in exactly the order of generator.md, so that one `rng` passed to a sequence of
    calls reproduces the authors' stream.

    Args:
        config: what to draw.
        rng: the only source of randomness; it is advanced.
    """
    return _drawer(config)(rng.getrandbits)


def generate_endlessly(config: ProblemConfig, rng: random.Random) -> Iterator[Problem]:
    """Draw problems one after the other from one `rng`, each as `generate` would."""
    draw, getrandbits = _drawer(config), rng.getrandbits
    while True:
        yield draw(getrandbits)


@lru_cache(maxsize=256)
def _drawer(config: ProblemConfig) -> Callable[[GetRandBits], Problem]:
    """A function that draws a problem; what does not change between problems is prepared once."""
    theme = config.resolved_theme
    num_vars, ans_depth, cut_into = config.vars, config.ans_depth, config.cut_into

    item_indices = tuple(range(len(theme.items)))
    num_items = (num_vars + 1) // 2
    composite, simple = composite_phrases(theme), simple_phrases(theme)
    sample_entities = sampler(len(composite), _ENTITIES_DRAWN)
    sample_items = sampler(len(item_indices), min(num_items, len(item_indices)))
    sample_simple = sampler(len(simple), min(num_vars, len(simple)))
    num_candidates = _ENTITIES_DRAWN * num_items if config.composite_name else num_vars
    sample_names = sampler(num_candidates, num_vars)

    prices = list(range(theme.value_min, theme.value_max + 1, theme.value_step))
    num_prices = len(prices)
    price_bits = num_prices.bit_length()

    path_parents = tuple(range(ans_depth))
    off_path = [(i, i.bit_length()) for i in range(ans_depth + 1, num_vars + 1)]
    sampling = config.sampling
    draw_formulas = DRAW_FORMULAS[sampling]
    num_sentences = num_vars - config.unanswerable
    shuffled = shuffler(num_sentences)
    forward = tuple(range(num_sentences))
    backward = forward[::-1]

    def draw(getrandbits: GetRandBits) -> Problem:
        # Steps 1 and 2: names.
        candidates: list[Phrases]
        if config.composite_name:
            places = sample_entities(getrandbits, composite)
            items = sample_items(getrandbits, item_indices)
            candidates = []
            # Before Python 3.12 a comprehension is a function call, which costs more than the loop.
            for place in places:
                for item in items:
                    candidates.append(place[item])
        else:
            candidates = sample_simple(getrandbits, simple)
        phrases = sample_names(getrandbits, candidates)

        # Step 3: values. `randint` written out, because it is called for every variable.
        values = []
        for _ in phrases:
            while (r := getrandbits(price_bits)) >= num_prices:
                pass
            values.append(prices[r])

        # Step 4: the tree.
        branches = []
        for num_candidate_parents, bits in off_path:
            while (r := getrandbits(bits)) >= num_candidate_parents:
                pass
            branches.append(r)
        parents = (*path_parents, *branches)

        # Steps 5 to 7: its edges, the cut, and a formula for each remaining edge.
        formulas = draw_formulas(tree_choices(parents, cut_into, sampling), getrandbits)

        # Step 8: the order of the sentences.
        if config.order == "random":
            order = tuple(shuffled(getrandbits))
        else:
            order = forward if config.order == "forward" else backward

        return Problem(config, tuple(phrases), tuple(values), parents, formulas, order)

    return draw
