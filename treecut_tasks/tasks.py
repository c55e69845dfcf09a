"""The Inspect tasks.

    inspect eval treecut_tasks/unanswerable --model openai/o3-mini
    inspect eval treecut_tasks/unanswerable -T fewshot=6 --model openai/gpt-4o
    inspect eval treecut_tasks/answerable -T ans_depth=8 -T num_problems=100 --model openai/gpt-4o
    inspect eval treecut_tasks/paired -T counterpart=matched --model treecut/solver --limit 40

    inspect eval treecut_tasks/structure,treecut_tasks/cut_location --model openai/gpt-4o

Without arguments the first three kinds are the set-up of the paper's Table 1: ans_depth 2, 4, 6
and 8, 500 problems each, interleaved. Temperature and token limits are the user's; the paper's are
in the run configs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.log import HeadlineMetric
from inspect_ai.solver import generate

from treecut_tasks.evaluation import (
    DEFAULT_SEED,
    PAPER_NUM_PROBLEMS,
    Configuration,
    TaskKind,
    TaskParameters,
    build_items,
    definitions,
    describe_run,
    draw_items,
)
from treecut_tasks.evaluation.designs import cut_location_configurations, structure_configurations
from treecut_tasks.evaluation.fewshot import ShotChoice
from treecut_tasks.evaluation.prompts import ShotFormat, SystemMessage, check_system_message
from treecut_tasks.inspect_adapter.dataset import to_dataset
from treecut_tasks.inspect_adapter.errors import shown_by_inspect
from treecut_tasks.inspect_adapter.scorers import treecut_scorer
from treecut_tasks.inspect_adapter.solvers import cot_system_message
from treecut_tasks.problems import CounterpartKind, Order, Sampling

TASK_VERSION = "1-A"
"""Comparability and interface: the number changes when scores are no longer comparable, the letter
when parameters change."""


@task
def unanswerable(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "turns",
    data_file: str | list[str] | None = None,
    **misspelt: Any,
) -> Task:
    """Unanswerable problems (paper, section 4.2 and Table 1); reports the hallucination rate.

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given.
        cut_depth: distance from the questioned variable to the cut; ans_depth // 2 if not given.
        composite_name: `a burger at Bistro Nice` (true), just `a burger` (false), or both.
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each configuration, that is of each combination of the values above.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
        **misspelt: anything else is refused, with the list of parameters.
    """
    return _task("unanswerable", locals())


@task
def answerable(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "turns",
    data_file: str | list[str] | None = None,
    **misspelt: Any,
) -> Task:
    """The answerable counterparts of exactly the problems of `unanswerable` (paper, Table 3).

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given.
        cut_depth: that of the unanswerable problems whose counterparts are served; ans_depth // 2 if not
            given.
        composite_name: `a burger at Bistro Nice` (true), just `a burger` (false), or both.
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each configuration, that is of each combination of the values above.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
        **misspelt: anything else is refused, with the list of parameters.
    """
    return _task("answerable", locals())


@task
def paired(
    ans_depth: int | list[int] = [2, 4, 6, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    counterpart: CounterpartKind = "full",
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "turns",
    data_file: str | list[str] | None = None,
    **misspelt: Any,
) -> Task:
    """Both members of each pair; reports their joint outcome beside the rates of both kinds.

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        num_vars: number of variables; ans_depth + 2 if not given (6 for
            matched counterparts at ans_depth 2).
        cut_depth: distance from the questioned variable to the cut; ans_depth // 2 if not given.
        composite_name: `a burger at Bistro Nice` (true), just `a burger` (false), or both.
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: pairs of each configuration, that is of each combination of the values above.
        seed: names the stream of problems, 0 or more.
        counterpart: full (keeps the cut sentence) or matched (lacks a spare one instead).
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        data_file: two aligned JSON Lines files, first the unanswerable problems, then their
            counterparts, evaluated instead of generated pairs.
        **misspelt: anything else is refused, with the list of parameters.
    """
    return _task("paired", locals())


@task
def structure(
    ans_depth: int | list[int] = [4, 5, 6, 7, 8],  # noqa: B006 (Inspect shows the default; never changed)
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "turns",
    **misspelt: Any,
) -> Task:
    """Unanswerable problems of 20 structures (paper, section 4.3 and Figure 2).

    At each depth a single path (num_vars = ans_depth) and a more complex tree (ans_depth + 2), with
    composite and with simple names; cut_depth is ans_depth // 2.

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several.
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each configuration.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even.
        fewshot_examples: per_problem or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        **misspelt: anything else is refused, with the list of parameters.
    """
    return _task("unanswerable", locals(), structure_configurations)


@task
def cut_location(
    ans_depth: int | list[int] = [7, 8],  # noqa: B006 (Inspect shows the default; never changed)
    num_vars: int | None = None,
    composite_name: bool = True,
    order: Order = "random",
    theme: str = "food",
    sampling: Sampling = "published",
    num_problems: int = PAPER_NUM_PROBLEMS,
    seed: int = DEFAULT_SEED,
    system_message: SystemMessage = "auto",
    fewshot: int = 0,
    fewshot_examples: ShotChoice = "per_problem",
    fewshot_format: ShotFormat = "turns",
    **misspelt: Any,
) -> Task:
    """Unanswerable problems with the cut at every place of the path (paper, section 4.3, Figure 3).

    Args:
        ans_depth: distance from the root to the questioned variable; one value or several. The
            cut_depth goes from 1 to ans_depth - 1 at each.
        num_vars: number of variables; ans_depth + 2 if not given.
        composite_name: `a burger at Bistro Nice` (true) or just `a burger` (false).
        order: order of the sentences: forward, backward or random.
        theme: food, outfit, or the path of a theme file.
        sampling: published (the authors' data) or paper (Algorithm 1).
        num_problems: problems of each configuration.
        seed: names the stream of problems, 0 or more.
        system_message: auto, cot or none; auto leaves it out for reasoning models.
        fewshot: number of worked examples in each prompt, even.
        fewshot_examples: per_problem or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        **misspelt: anything else is refused, with the list of parameters.
    """
    return _task("unanswerable", locals(), cut_location_configurations)


def _task(
    kind: TaskKind,
    arguments: dict[str, Any],
    configure: Callable[[TaskParameters], list[Configuration]] | None = None,
) -> Task:
    # Inspect drops arguments that a task does not name, so a misspelt one would go unnoticed.
    values = {**arguments, **arguments["misspelt"]}
    del values["misspelt"]
    with shown_by_inspect():
        choice = check_system_message(values.pop("system_message"))
        parameters = TaskParameters.parse(values)
        if configure is None:
            item_set = build_items(parameters, kind)
        else:
            item_set = draw_items(parameters, configure(parameters), kind)
        dataset = to_dataset(f"treecut_{kind}", item_set, parameters)
    return Task(
        dataset=dataset,
        solver=[cot_system_message(choice), generate()],
        scorer=treecut_scorer(),
        headline_metric=HeadlineMetric(metric=next(iter(definitions(kind)))),
        version=TASK_VERSION,
        metadata={**describe_run(parameters, item_set), "system_message": choice},
    )
