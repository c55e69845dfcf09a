"""The Inspect tasks.

    inspect eval treecut_tasks/unanswerable --model openai/o3-mini
    inspect eval treecut_tasks/unanswerable -T fewshot=6 --model openai/gpt-4o
    inspect eval treecut_tasks/answerable -T ans_depth=8 -T num_problems=100 --model openai/gpt-4o
    inspect eval treecut_tasks/paired -T counterpart=matched --model treecut/solver --limit 40

Without arguments a task is the set-up of the paper's Table 1: ans_depth 2, 4, 6 and 8, 500 problems
each, interleaved. Temperature and token limits are the user's; the paper's are in the run configs.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.log import HeadlineMetric
from inspect_ai.scorer import Scorer
from inspect_ai.solver import generate

from treecut_tasks.evaluation import (
    DEFAULT_SEED,
    PAPER_NUM_PROBLEMS,
    TaskKind,
    TaskParameters,
    build_items,
    describe_run,
    rate_names,
)
from treecut_tasks.fewshot import ShotChoice
from treecut_tasks.inspect_adapter.dataset import to_dataset
from treecut_tasks.inspect_adapter.scorers import (
    answerable_scorer,
    paired_scorer,
    unanswerable_scorer,
)
from treecut_tasks.inspect_adapter.solvers import cot_system_message
from treecut_tasks.problems import CounterpartKind, Order, Sampling
from treecut_tasks.prompts import ShotFormat, SystemMessage, check_system_message

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
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "single",
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
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: single (one user message) or turns (user and assistant turns).
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
    """
    return _task("unanswerable", **locals())


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
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "single",
    data_file: str | list[str] | None = None,
) -> Task:
    """The answerable counterparts of exactly the problems of `unanswerable` (paper, Table 3).

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given.
        cut_depth: that of the unanswerable problems whose counterparts are served; ans_depth // 2 if not
            given.
        composite_name: `a burger at Bistro Nice` (true) or just `a burger` (false).
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each ans_depth.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: single (one user message) or turns (user and assistant turns).
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
    """
    return _task("answerable", **locals())


@task
def paired(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | None = None,
    cut_depth: int | None = None,
    composite_name: bool = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    counterpart: CounterpartKind = "full",
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "single",
    data_file: str | list[str] | None = None,
) -> Task:
    """Both members of each pair; reports their joint outcome beside the rates of both kinds.

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given (6 for
            matched counterparts at ans_depth 2).
        cut_depth: distance from the questioned variable to the cut; ans_depth // 2 if not given.
        composite_name: `a burger at Bistro Nice` (true) or just `a burger` (false).
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: pairs of each ans_depth.
        seed: names the stream of problems, 0 or more.
        counterpart: full (keeps the cut sentence) or matched (lacks a spare one instead).
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: single (one user message) or turns (user and assistant turns).
        data_file: two aligned JSON Lines files, first the unanswerable problems, then their
            counterparts, evaluated instead of generated pairs.
    """
    return _task("paired", **locals())


def _task(kind: TaskKind, system_message: str, **values: Any) -> Task:
    choice = check_system_message(system_message)
    parameters = TaskParameters.parse(values)
    item_set = build_items(parameters, kind)
    return Task(
        dataset=to_dataset(f"treecut_{kind}", item_set, parameters),
        solver=[cot_system_message(choice), generate()],
        scorer=_scorer(kind),
        headline_metric=HeadlineMetric(metric=rate_names(kind)[0]),
        version=TASK_VERSION,
        metadata={**describe_run(parameters, item_set), "system_message": choice},
    )


def _scorer(kind: TaskKind) -> Scorer:
    match kind:
        case "unanswerable":
            return unanswerable_scorer()
        case "answerable":
            return answerable_scorer()
        case "paired":
            return paired_scorer()
