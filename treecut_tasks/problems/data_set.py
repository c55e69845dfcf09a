"""Sets of different problems, balanced over configurations in every prefix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.pairs import CounterpartKind, Pair, check_pair
from treecut_tasks.problems.problem import Problem
from treecut_tasks.problems.streams import check_seed, pair_at

# How often a repeated text is drawn anew before the configuration counts as exhausted. Problems that
# people evaluate practically never repeat; only tiny themes get here.
_MAX_ATTEMPTS = 1000


@dataclass(frozen=True)
class Drawn:
    """A pair and where it comes from: `pair_at(config, seed, index, attempt, …)` makes it again."""

    pair: Pair
    index: int
    attempt: int

    @property
    def problem(self) -> Problem:
        """The unanswerable member."""
        return self.pair.unanswerable


def draw_data_set(
    configs: Sequence[ProblemConfig],
    num_problems: int,
    seed: int,
    counterpart: CounterpartKind = "full",
) -> list[Drawn]:
    """Draw `num_problems` pairs of each configuration, no two problems with the same text.

    Pair 0 of each configuration comes first, then pair 1 of each, and so on, so that every prefix
    is balanced. A pair with a repeated text is replaced by the next attempt at the same index.

    Args:
        configs: unanswerable configurations.
        num_problems: pairs of each configuration, 1 or more.
        seed: a whole number of 0 or more.
        counterpart: kind of the answerable counterparts.

    Raises:
        TreecutError: num_problems below 1, a configuration that cannot give so many different
            pairs, or one that has no such counterparts.
    """
    check_seed(seed)
    for config in configs:
        check_pair(config, counterpart)
        check_count(config, num_problems)
    seen: set[str] = set()
    drawn = []
    for index in range(num_problems):
        for config in configs:
            for attempt in range(_MAX_ATTEMPTS):
                pair = pair_at(config, seed, index, attempt, counterpart)
                texts = {pair.unanswerable.text, pair.answerable.text}
                if texts.isdisjoint(seen):
                    seen |= texts
                    drawn.append(Drawn(pair, index, attempt))
                    break
            else:
                raise _too_many(
                    config, num_problems, f"gave only {index}", f"{_MAX_ATTEMPTS} repeats in a row"
                )
    return drawn


def check_count(config: ProblemConfig, num_problems: int) -> None:
    """Check that a number of problems can be asked of a configuration.

    Raises:
        TreecutError: not a whole number of 1 or more, or more than there are different problems.
    """
    if type(num_problems) is not int or num_problems < 1:
        raise TreecutError(
            f"The number of problems is {num_problems!r}: it must be a whole number of 1 or more."
        )
    limit = count_limit(config)
    if num_problems > limit:
        raise _too_many(config, num_problems, f"can give at most {limit}", "counting all draws")


def count_limit(config: ProblemConfig) -> int:
    """An upper bound for the number of different problems of a configuration.

    The product of what can be drawn: names, values, tree, formulas, order. Astronomical but for
    tiny themes.
    """
    theme, num_vars = config.resolved_theme, config.vars
    if config.composite_name:
        num_items = (num_vars + 1) // 2
        names = math.comb(len(theme.entities), 2) * math.comb(len(theme.items), num_items)
        names *= math.perm(2 * num_items, num_vars)
    else:
        names = math.perm(len(theme.items), num_vars)
    prices = (theme.value_max - theme.value_min) // theme.value_step + 1
    trees = math.prod(range(config.ans_depth + 1, num_vars + 1))
    num_sentences = num_vars - config.unanswerable
    formulas = (27 if config.sampling == "published" else 36) ** num_sentences
    orders = math.factorial(num_sentences) if config.order == "random" else 1
    return int(names * prices**num_vars * trees * formulas * orders)


def _too_many(config: ProblemConfig, num_problems: int, found: str, evidence: str) -> TreecutError:
    parameters = ", ".join(f"{key}={value}" for key, value in config.as_dict().items())
    return TreecutError(
        f"{num_problems} different problems were asked for, but the configuration {parameters} "
        f"{found} ({evidence}): ask for fewer problems, more variables or a larger theme."
    )
