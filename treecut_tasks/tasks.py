"""The Inspect tasks.

    inspect eval treecut_tasks/unanswerable --model openai/o3-mini
    inspect eval treecut_tasks/unanswerable --model treecut/solver --limit 40
    inspect eval treecut_tasks/answerable -T ans_depth=8 -T num_problems=100 --model openai/gpt-4o

Without arguments a task is the set-up of the paper's Table 1: ans_depth 2, 4, 6 and 8, 500 problems
each, interleaved. Temperature and token limits are the user's; the paper's are in the run configs.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.log import HeadlineMetric
from inspect_ai.solver import generate

from treecut_tasks.evaluation import (
    DEFAULT_SEED,
    PAPER_NUM_PROBLEMS,
    TaskParameters,
    build_items,
    describe_run,
    rate_names,
)
from treecut_tasks.inspect_adapter.dataset import to_dataset
from treecut_tasks.inspect_adapter.scorers import answerable_scorer, unanswerable_scorer
from treecut_tasks.inspect_adapter.solvers import cot_system_message
from treecut_tasks.problems import Order, Sampling
from treecut_tasks.prompts import SystemMessage, check_system_message

TASK_VERSION = "1-A"
"""Comparability and interface: the number changes when scores are no longer comparable, the letter
when parameters change."""


@task
def unanswerable(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | None = None,
    cut_depth: int | None = None,
    composite_name: bool = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    data_file: str | list[str] | None = None,
) -> Task:
    """Unanswerable problems (paper, section 4.2 and Table 1); reports the hallucination rate.

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given.
        cut_depth: distance from the questioned variable to the cut; ans_depth // 2 if not given.
        composite_name: `a burger at Bistro Nice` (true) or just `a burger` (false).
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each ans_depth.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
    """
    return _task(True, **locals())


@task
def answerable(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | None = None,
    cut_depth: int | None = None,
    composite_name: bool = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    data_file: str | list[str] | None = None,
) -> Task:
    """The answerable counterparts of exactly the problems of `unanswerable` (paper, Table 3).

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given.
        cut_depth: that of the unanswerable problems whose counterparts are served.
        composite_name: `a burger at Bistro Nice` (true) or just `a burger` (false).
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each ans_depth.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
    """
    return _task(False, **locals())


def _task(unanswerable: bool, system_message: str, **values: Any) -> Task:
    choice = check_system_message(system_message)
    parameters = TaskParameters.parse(values)
    items = build_items(parameters, unanswerable)
    name = "unanswerable" if unanswerable else "answerable"
    return Task(
        dataset=to_dataset(f"treecut_{name}", items),
        solver=[cot_system_message(choice), generate()],
        scorer=unanswerable_scorer() if unanswerable else answerable_scorer(),
        headline_metric=HeadlineMetric(metric=rate_names(unanswerable)[0]),
        version=TASK_VERSION,
        metadata={**describe_run(parameters, unanswerable, items), "system_message": choice},
    )
