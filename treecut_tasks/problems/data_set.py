"""Sets of different problems, balanced over configurations in every prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.problem import Problem
from treecut_tasks.problems.streams import check_seed, problem_at

# How often a repeated text is drawn anew before the configuration counts as exhausted. Problems that
# people evaluate practically never repeat; only tiny themes get here.
_MAX_ATTEMPTS = 1000


@dataclass(frozen=True)
class Drawn:
    """A problem and where it comes from: `problem_at(config, seed, index, attempt)` makes it again."""

    problem: Problem
    index: int
    attempt: int


def draw_data_set(configs: Sequence[ProblemConfig], num_problems: int, seed: int) -> list[Drawn]:
    """Draw `num_problems` problems of each configuration, no two with the same text.

    Problem 0 of each configuration comes first, then problem 1 of each, and so on, so that every
    prefix is balanced. A repeated text is replaced by the next attempt at the same index. For
    unanswerable problems the counterparts differ from each other, too, so that the answerable
    counterparts of a set are a set.

    Args:
        configs: the configurations.
        num_problems: problems of each configuration, 1 or more.
        seed: a whole number of 0 or more.

    Raises:
        TreecutError: num_problems below 1, or a configuration that cannot give so many problems.
    """
    check_seed(seed)
    if type(num_problems) is not int or num_problems < 1:
        raise TreecutError(
            f"num_problems is {num_problems!r}: it must be a whole number of 1 or more."
        )
    seen: set[str] = set()
    drawn = []
    for index in range(num_problems):
        for config in configs:
            drawn.append(_draw_new(config, seed, index, num_problems, seen))
    return drawn


def _draw_new(
    config: ProblemConfig, seed: int, index: int, num_problems: int, seen: set[str]
) -> Drawn:
    for attempt in range(_MAX_ATTEMPTS):
        problem = problem_at(config, seed, index, attempt)
        texts = {problem.text}
        if config.unanswerable:
            texts.add(problem.counterpart().text)
        if texts.isdisjoint(seen):
            seen |= texts
            return Drawn(problem, index, attempt)
    raise TreecutError(
        f"num_problems is {num_problems}, but the configuration "
        f"{', '.join(f'{key}={value}' for key, value in config.as_dict().items())} gave only {index} "
        f"different problems (then {_MAX_ATTEMPTS} repeats in a row): ask for fewer problems, more "
        "variables or a larger theme."
    )
