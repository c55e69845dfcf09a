"""Worked examples for few-shot prompts (paper, section 4.2: three answerable, three unanswerable)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.diagnosis import find_gap
from treecut_tasks.evaluation.instructions import DIAGNOSIS, STANDARD
from treecut_tasks.evaluation.prompts import Shot, make_shot
from treecut_tasks.problems import (
    WHOLE,
    CounterpartKind,
    ProblemConfig,
    Split,
    example_pairs,
    shots_rng,
)

ShotChoice = Literal["per_problem", "shared"]
"""Examples drawn anew for each problem, or one fixed set for all problems of a configuration."""

MAX_FEWSHOT = 200
"""More examples fit into no prompt (each has some 600 tokens at depth 8)."""

# A repeated example is drawn anew; after so many repeats in a row there are no other examples.
_MAX_REPEATS = 1000

# In place of a problem's id where all problems share their examples.
_SHARED_KEY = "shared"


@dataclass(frozen=True)
class ShotSource:
    """Where the examples for a problem come from.

    Attributes:
        config: configuration of the examples, that of the problem; an unanswerable one.
        seed: seed of the task.
        key: id of the unanswerable problem, so that both members of a pair get the same examples.
        counterpart: how answerable examples are made.
        split: which part of all problems they are of.
        instruction: name of what prompts say around the problem.
    """

    config: ProblemConfig
    seed: int
    key: str
    counterpart: CounterpartKind = "full"
    split: Split = WHOLE
    instruction: str = STANDARD


def check_fewshot(fewshot: object) -> int:
    """Return the number of examples if it is possible.

    Raises:
        TreecutError: not an even whole number from 0 to `MAX_FEWSHOT`.
    """
    if type(fewshot) is not int or not 0 <= fewshot <= MAX_FEWSHOT or fewshot % 2:
        raise TreecutError(
            f"fewshot is {fewshot!r}: it must be an even whole number from 0 to {MAX_FEWSHOT}, because half "
            "of the examples are answerable and half are not."
        )
    return fewshot


def draw_shots(
    source: ShotSource, fewshot: int, choice: ShotChoice, exclude: Collection[str]
) -> tuple[Shot, ...]:
    """Draw the examples for a problem: half answerable, half unanswerable, in random order.

    Each comes from a pair of its own, so that no example is the counterpart of another.

    Args:
        source: where they come from.
        fewshot: how many, an even number.
        choice: `per_problem` or `shared`.
        exclude: ids of the problems that must not be examples: all that are evaluated, and their
            counterparts.

    Raises:
        TreecutError: an odd or negative number, or more than the configuration has.
    """
    check_fewshot(fewshot)
    rng = shots_rng(source.config, source.seed, _SHARED_KEY if choice == "shared" else source.key)
    seen = set(exclude)
    shots: list[Shot] = []
    repeats = 0
    for pair in example_pairs(source.config, source.seed, source.counterpart, rng, source.split):
        if len(shots) == fewshot:
            break
        ids = {pair.unanswerable.id, pair.answerable.id}
        if not ids.isdisjoint(seen):
            repeats += 1
            if repeats == _MAX_REPEATS:
                raise TreecutError(
                    f"fewshot is {fewshot}, but the theme {source.config.resolved_theme.name!r} gave only "
                    f"{len(shots)} examples that differ from each other and from the evaluated "
                    "problems: use fewer examples, fewer problems or a larger theme."
                )
            continue
        repeats = 0
        seen |= ids
        problem = pair.unanswerable if len(shots) % 2 else pair.answerable
        lines = None
        if source.instruction == DIAGNOSIS:
            lines = find_gap(problem.text, source.config.resolved_theme).lines()
        shots.append(
            make_shot(problem.text, problem.solution, problem.answer, source.instruction, lines)
        )
    rng.shuffle(shots)
    return tuple(shots)
