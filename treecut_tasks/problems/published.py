"""The authors' eight files (generator.md, "The published files")."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.generator import generate_endlessly
from treecut_tasks.problems.problem import Problem

_SEED = 42
_PROBLEMS_PER_FILE = 500
_DEPTHS = (2, 4, 6, 8)


class PublishedFile(NamedTuple):
    """One of the authors' files: its name, its configuration and its problems."""

    name: str
    config: ProblemConfig
    problems: list[Problem]


def published_files() -> Iterator[PublishedFile]:
    """The eight files in the order in which the authors drew them from one generator."""
    rng = random.Random(_SEED)
    for ans_depth in _DEPTHS:
        for unanswerable in (True, False):
            config = ProblemConfig(ans_depth=ans_depth, unanswerable=unanswerable)
            problems = list(islice(generate_endlessly(config, rng), _PROBLEMS_PER_FILE))
            yield PublishedFile(published_name(config), config, problems)


def published_name(config: ProblemConfig) -> str:
    """The name that the authors' scheme gives to a file of this configuration."""
    cut = "" if config.cut_depth is None else f"_cutDepth-{config.cut_depth}"
    return (
        f"qa_theme-{config.resolved_theme.name}_compositeName_{config.composite_name}"
        f"_numVars-{config.num_vars}_ansDepth-{config.ans_depth}_order-{config.order}"
        f"_hallu-{config.unanswerable}{cut}_REP-{_PROBLEMS_PER_FILE}.jsonl"
    )
