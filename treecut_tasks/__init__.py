"""TreeCut: unanswerable maths word problems, as tasks for Inspect and lm-evaluation-harness.

The names below are the public Python interface. They are imported when they are first used, so
that `import treecut_tasks` is quick and needs neither framework.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
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

# Each builds on those before it; only the last needs Inspect.
_ROOMS = (
    "errors", "themes", "problems", "scoring", "causes", "validity", "evaluation", "data_sets",
    "data_sets.environment", "tasks",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("treecut-tasks")
    for room in _ROOMS if name in __all__ else ():
        found = vars(import_module(f"treecut_tasks.{room}")).get(name)
        # `evaluation.diagnosis` is a module; `diagnosis` is a task.
        if found is not None and not isinstance(found, ModuleType):
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
