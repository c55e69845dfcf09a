"""Worked examples for few-shot prompts (paper, section 4.2: three answerable, three unanswerable)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.diagnosis import find_gap
from treecut_tasks.evaluation.instructions import DIAGNOSIS
from treecut_tasks.evaluation.parameters import TaskParameters, check_fewshot
from treecut_tasks.evaluation.prompts import Shot, make_shot
from treecut_tasks.problems import ProblemConfig, example_pairs, named_split, shots_rng

# A repeated example is drawn anew; after so many repeats in a row there are no other examples.
_MAX_REPEATS = 1000

# In place of a problem's id where all problems share their examples.
_SHARED_KEY = "shared"


class ShotSource(NamedTuple):
    """Where the examples for a problem come from.

    Attributes:
        config: configuration of the examples, that of the problem; an unanswerable one.
        key: id of the unanswerable problem, so that both members of a pair get the same examples.
    """

    config: ProblemConfig
    key: str


def draw_shots(
    source: ShotSource, fewshot: int, parameters: TaskParameters, exclude: Collection[str]
) -> tuple[Shot, ...]:
    """Draw the examples for a problem: half answerable, half unanswerable, in random order.

    Each comes from a pair of its own, so that no example is the counterpart of another.

    Args:
        source: where they come from.
        fewshot: how many, an even number.
        parameters: those of the task.
        exclude: ids of the problems that must not be examples: all that are evaluated, and their
            counterparts.
    """
    check_fewshot(fewshot)
    config, seed, instruction = source.config, parameters.seed, parameters.instruction
    shared = parameters.fewshot_examples == "shared"
    rng = shots_rng(config, seed, _SHARED_KEY if shared else source.key)
    pairs = example_pairs(config, seed, parameters.counterpart, rng, named_split(parameters.split))
    seen = set(exclude)
    shots: list[Shot] = []
    repeats = 0
    while len(shots) < fewshot:
        pair = next(pairs)
        ids = {pair.unanswerable.id, pair.answerable.id}
        if not ids.isdisjoint(seen):
            repeats += 1
            if repeats == _MAX_REPEATS:
                raise TreecutError(
                    f"fewshot is {fewshot}, but the theme {config.resolved_theme.name!r} gave only "
                    f"{len(shots)} examples that differ from each other and from the evaluated "
                    "problems: use fewer examples, fewer problems or a larger theme."
                )
            continue
        repeats = 0
        seen |= ids
        problem = pair.unanswerable if len(shots) % 2 else pair.answerable
        lines = None
        if instruction == DIAGNOSIS:
            lines = find_gap(problem.text, config.resolved_theme).lines()
        shots.append(make_shot(problem.text, problem.solution, problem.answer, instruction, lines))
    rng.shuffle(shots)
    return tuple(shots)
