"""TreeCut: unanswerable maths word problems, as tasks for Inspect and lm-evaluation-harness.

The names below are the public Python interface. They are imported when they are first used, so
that `import treecut_tasks` is quick and needs neither framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treecut_tasks.causes import explain
    from treecut_tasks.data_sets import Reward, read_mixture, to_dataset, to_iterable_dataset
    from treecut_tasks.data_sets.environment import load_environment
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.evaluation import problem_prompt, score_responses, summarise_responses

    __version__: str
    from treecut_tasks.problems import (
        Pair,
        Problem,
        ProblemConfig,
        generate,
        generate_pair,
        pair_at,
        problem_at,
        stream,
    )
    from treecut_tasks.scoring import Judgement, classify_outcome, says_unknown
    from treecut_tasks.tasks import (
        answerable,
        breaking_depth,
        clarification,
        cut_location,
        diagnosis,
        paired,
        structure,
        unanswerable,
    )
    from treecut_tasks.themes import Theme, load_theme
    from treecut_tasks.validity import Proof, prove

__all__ = [
    "Judgement",
    "Pair",
    "Problem",
    "ProblemConfig",
    "Proof",
    "Reward",
    "Theme",
    "TreecutError",
    "answerable",
    "breaking_depth",
    "clarification",
    "classify_outcome",
    "cut_location",
    "diagnosis",
    "explain",
    "generate",
    "generate_pair",
    "load_environment",
    "load_theme",
    "pair_at",
    "paired",
    "problem_at",
    "problem_prompt",
    "prove",
    "read_mixture",
    "says_unknown",
    "score_responses",
    "stream",
    "structure",
    "summarise_responses",
    "to_dataset",
    "to_iterable_dataset",
    "unanswerable",
]

_HOMES = {
    "treecut_tasks.causes": ("explain",),
    "treecut_tasks.errors": ("TreecutError",),
    "treecut_tasks.evaluation": ("problem_prompt", "score_responses", "summarise_responses"),
    "treecut_tasks.problems": (
        "Pair",
        "Problem",
        "ProblemConfig",
        "generate",
        "generate_pair",
        "pair_at",
        "problem_at",
        "stream",
    ),
    "treecut_tasks.scoring": ("Judgement", "classify_outcome", "says_unknown"),
    "treecut_tasks.tasks": (
        "answerable",
        "breaking_depth",
        "clarification",
        "cut_location",
        "diagnosis",
        "paired",
        "structure",
        "unanswerable",
    ),
    "treecut_tasks.themes": ("Theme", "load_theme"),
    "treecut_tasks.data_sets": ("Reward", "read_mixture", "to_dataset", "to_iterable_dataset"),
    "treecut_tasks.data_sets.environment": ("load_environment",),
    "treecut_tasks.validity": ("Proof", "prove"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("treecut-tasks")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
