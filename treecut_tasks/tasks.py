"""The Inspect tasks: parameters become a task with its data set, prompts and scorer.

    inspect eval treecut_tasks/unanswerable --model openai/o3-mini
    inspect eval treecut_tasks/unanswerable -T fewshot=6 --model openai/gpt-4o
    inspect eval treecut_tasks/answerable -T ans_depth=8 -T num_problems=100 --model openai/gpt-4o
    inspect eval treecut_tasks/paired -T counterpart=matched --model treecut/solver --limit 40

    inspect eval treecut_tasks/structure treecut_tasks/cut_location --model openai/gpt-4o

TreeCut (Ouyang 2025, arXiv:2502.13442) makes maths word problems of which one necessary condition is
cut out. Without arguments the first three tasks are the set-up of the paper's Table 1: ans_depth 2, 4,
6 and 8, 500 problems each, interleaved. Temperature and token limits are the user's; the paper's
(Appendix B.2) are in the run configs. The paper's prompt is not published; ours says the same
(section 4.1), and its problems are drawn anew: `data_file` evaluates the authors' own.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec

from inspect_ai import SampleSource, Task, task
from inspect_ai.dataset import Dataset
from inspect_ai.log import HeadlineMetric
from inspect_ai.scorer import Metric
from inspect_ai.solver import Solver, generate

from treecut_tasks.errors import raised_as, validated
from treecut_tasks.evaluation import (
    ANSWERABLE,
    CUT_LOCATION,
    DIAGNOSED,
    PAIRED,
    RATES,
    STRUCTURE,
    UNANSWERABLE,
    Design,
    ItemSet,
    TaskParameters,
    build_items,
    describe_run,
)
from treecut_tasks.evaluation.adaptive import FailureMetric, Search, SearchPlan, Structure
from treecut_tasks.evaluation.clarification import DialogueSettings, Oracle
from treecut_tasks.evaluation.parameters import Metrics, ShotChoice
from treecut_tasks.evaluation.prompts import ShotFormat, SystemMessage
from treecut_tasks.inspect_adapter.breaking_depth import (
    BreakingDepthSource,
    breaking_depth_estimate,
)
from treecut_tasks.inspect_adapter.dataset import to_dataset
from treecut_tasks.inspect_adapter.errors import UsageError
from treecut_tasks.inspect_adapter.scorers import task_scorer, treecut_rates
from treecut_tasks.inspect_adapter.solvers import treecut_dialogue, treecut_prompt
from treecut_tasks.inspect_adapter.viewer import VIEWER
from treecut_tasks.problems import CounterpartKind, Order, Sampling, SplitName

TASK_VERSION = "2-A"
"""Comparability and interface: the number changes when scores are no longer comparable, the letter
when parameters change."""

P = ParamSpec("P")

_DEFAULT = TaskParameters()
_DIALOGUE = DialogueSettings()
_SEARCH = Search()
# Lists, as Inspect shows defaults; never changed.
_DEPTHS = [*_DEFAULT.ans_depth]
_FIGURE_2_DEPTHS = [4, 5, 6, 7, 8]
_FIGURE_3_DEPTHS = [7, 8]


def treecut_task(
    design_of: Callable[P, Design | type[Search | DialogueSettings]],
) -> Callable[P, Task]:
    """Make a task function of one whose signature has the parameters.

    The function returns the design or, where it has parameters of its own, the class that checks them.
    Inspect drops arguments that a task does not name, so a misspelt one would go unnoticed; here all
    others are caught by `**others`, and refused with the list of parameters.
    """
    signature = inspect.signature(design_of)
    name = design_of.__name__

    @functools.wraps(design_of)
    def build(*args: P.args, **kwargs: P.kwargs) -> Task:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given: dict[str, Any] = dict(bound.arguments)
        others = given.pop("others")
        shared = {key: given[key] for key in given if key in TaskParameters.model_fields}
        own = {key: given[key] for key in given if key not in shared}
        made = design_of(*args, **kwargs)
        with raised_as(UsageError):
            parameters = TaskParameters.parse({**shared, **others}, allowed=[*given])
            settings = None if isinstance(made, Design) else validated(made, own)
            if isinstance(settings, Search):
                return _search_task(name, settings, parameters)
            design = (
                made if isinstance(made, Design) else Design("clarification", dialogue=settings)
            )
            return _design_task(name, design, design.complete(parameters))

    build.__annotations__ = {**design_of.__annotations__, "return": "Task"}
    return build


def _design_task(name: str, design: Design, parameters: TaskParameters) -> Task:
    item_set = build_items(parameters, design)
    dialogue = None if design.dialogue is None else design.dialogue.model_dump()
    return _task(
        name,
        to_dataset(f"treecut_{name}", item_set),
        parameters,
        answer=generate() if dialogue is None else treecut_dialogue(**dialogue),
        metrics=[treecut_rates(full=True)] if parameters.metrics == "full" else None,
        headline=next(iter(RATES[design.kind])),
        metadata=describe_run(item_set) | ({"dialogue": dialogue} if dialogue else {}),
    )


def _search_task(name: str, search: Search, parameters: TaskParameters) -> Task:
    return _task(
        name,
        BreakingDepthSource(SearchPlan(search, parameters)),
        parameters,
        answer=generate(),
        metrics=[breaking_depth_estimate(**search.model_dump())],
        headline="breaking_depth",
        metadata={**describe_run(ItemSet(search.kind, parameters)), "search": search.model_dump()},
    )


def _task(
    name: str,
    dataset: Dataset | SampleSource,
    parameters: TaskParameters,
    *,
    answer: Solver,
    metrics: list[Metric | dict[str, list[Metric]]] | None,
    headline: str,
    metadata: dict[str, Any],
) -> Task:
    """What all tasks share: the prompt, the scorer, and how a run is shown."""
    prompt = treecut_prompt(
        parameters.system_message, parameters.fewshot_format, parameters.instruction
    )
    return Task(
        dataset=dataset,
        solver=[prompt, answer],
        scorer=task_scorer(),
        metrics=metrics,
        headline_metric=HeadlineMetric(metric=headline),
        version=TASK_VERSION,
        metadata=metadata,
        display_name=f"TreeCut: {name.replace('_', ' ')}",
        tags=["treecut", "hallucination", "mathematics"],
        viewer=VIEWER,
    )


@task
@treecut_task
def unanswerable(
    ans_depth: int | list[int] = _DEPTHS,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    data_file: str | list[str] | None = None,
    **others: Any,
) -> Design:
    """Unanswerable problems (paper, section 4.2): Table 1, and Table 2 with six examples.

    The target is always `unknown`. `paper_hallucination_rate` is the paper's number (Appendix B.2):
    the share of responses without `unknown` after the last `answer`, in lower case, on the raw text.
    Beside it stand the shares of what a careful reader says that responses commit to: a number
    (`hallucination_rate`), that the price cannot be determined, or neither.

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
        split: all, train, validation or test; no text is in two of the last three. With train_items,
            validation_items or test_items no item name is, either.
        system_message: auto, cot or none; auto leaves the chain-of-thought message out for reasoning
            models (paper, section 4.1).
        instruction: standard, bare (without the hint that the answer may be unknown), confidence (asks for
            a stated confidence) or target:T (announces a penalty of T / (1 - T) for a wrong number).
        fewshot: number of worked examples in each prompt, even; the paper's Table 2 has 6.
        fewshot_examples: per_problem (the paper's) or shared (one set for each configuration).
        fewshot_format: turns (user and assistant turns) or single (one user message).
        metrics: short, or full: also the causes of wrong numbers and each configuration.
        data_file: JSON Lines files in the published format, evaluated instead of generated problems.
        **others: refused, with the list of parameters.
    """
    return UNANSWERABLE


@task
@treecut_task
def answerable(
    ans_depth: int | list[int] = _DEPTHS,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    data_file: str | list[str] | None = None,
    **others: Any,
) -> Design:
    """The answerable counterparts of exactly the problems of `unanswerable` (paper, Table 3).

    The target is the price in digits; `accuracy` is the share of responses that commit to it. The
    parameters are those of `unanswerable`; `cut_depth` is that of the unanswerable problems.
    """
    return ANSWERABLE


@task
@treecut_task
def paired(
    ans_depth: int | list[int] = _DEPTHS,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    counterpart: CounterpartKind = _DEFAULT.counterpart,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    data_file: str | list[str] | None = None,
    **others: Any,
) -> Design:
    """Both members of each pair; `pair_solved_rate` is the share of pairs that are right on both.

    Ours, not the paper's: it tells abstention from saying `unknown` to everything. The parameters are
    those of `unanswerable`, and `counterpart`: full (it keeps the cut sentence) or matched (it lacks a
    spare one instead; num_vars is 6 by default at ans_depth 2 then). `num_problems` counts pairs, and
    `data_file` names two aligned files, first the unanswerable problems, then their counterparts.
    """
    return PAIRED


@task
@treecut_task
def diagnosis(
    ans_depth: int | list[int] = _DEPTHS,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    counterpart: CounterpartKind = _DEFAULT.counterpart,
    system_message: SystemMessage = _DEFAULT.system_message,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    data_file: str | list[str] | None = None,
    **others: Any,
) -> Design:
    """What is missing? Which prices are open, and which one would settle the question.

    Ours, not the paper's. Both members of each pair are asked for three last lines: `Undetermined:`,
    `Ask:` and `Answer:`; all are judged exactly, from the linear system of the text (docs/diagnosis.md).
    `diagnosis_exact_rate` is the share of pairs in which the undetermined items of both are named and
    no others. The parameters are those of `paired`.
    """
    return DIAGNOSED


@task
@treecut_task
def clarification(
    max_questions: int = _DIALOGUE.max_questions,
    oracle: Oracle = _DIALOGUE.oracle,
    ans_depth: int | list[int] = _DEPTHS,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    counterpart: CounterpartKind = _DEFAULT.counterpart,
    system_message: SystemMessage = _DEFAULT.system_message,
    metrics: Metrics = _DEFAULT.metrics,
    **others: Any,
) -> type[DialogueSettings]:
    """A dialogue: the model may ask for prices before it answers, and code replies (docs/diagnosis.md).

    Ours, not the paper's. `resolved_rate` is the share of unanswerable problems that end rightly: with
    the price, once the model's questions settle it, or with `unknown` where the oracle knows no price.
    A number that neither the text nor the replies determine is a hallucination, right or not.

    The model may ask `max_questions` times in each problem, 1 to 20. By `oracle`, it is told each price
    that it asks for, but the asked one (truthful), or that none is known (ignorant). The other parameters
    are those of `paired`; the prompt is zero-shot.
    """
    return DialogueSettings


@task
@treecut_task
def structure(
    ans_depth: int | list[int] = _FIGURE_2_DEPTHS,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    **others: Any,
) -> Design:
    """Unanswerable problems of 20 structures (paper, section 4.3 and Figure 2).

    At each depth a single path (num_vars = ans_depth) and a more complex tree (ans_depth + 2), with
    composite and with simple names; cut_depth is ans_depth // 2. The parameters are those of
    `unanswerable`.
    """
    return STRUCTURE


@task
@treecut_task
def cut_location(
    ans_depth: int | list[int] = _FIGURE_3_DEPTHS,
    num_vars: int | None = None,
    composite_name: bool = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    num_problems: int = _DEFAULT.num_problems,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    metrics: Metrics = _DEFAULT.metrics,
    **others: Any,
) -> Design:
    """Unanswerable problems with the cut at every place of the path (paper, section 4.3, Figure 3).

    The cut_depth goes from 1 to ans_depth - 1 at each depth. The parameters are those of
    `unanswerable`.
    """
    return CUT_LOCATION


@task
@treecut_task
def breaking_depth(
    rate: float = _SEARCH.rate,
    metric: FailureMetric | None = None,
    pairs: bool = _SEARCH.pairs,
    min_depth: int = _SEARCH.min_depth,
    max_depth: int = _SEARCH.max_depth,
    max_calls: int = _SEARCH.max_calls,
    precision: float = _SEARCH.precision,
    batch: int = _SEARCH.batch,
    structure: Structure = _SEARCH.structure,
    num_vars: int | list[int] | None = None,
    cut_depth: int | list[int] | None = None,
    composite_name: bool | list[bool] = True,
    order: Order = _DEFAULT.order,
    theme: str = _DEFAULT.theme,
    sampling: Sampling = _DEFAULT.sampling,
    seed: int = _DEFAULT.seed,
    split: SplitName = _DEFAULT.split,
    counterpart: CounterpartKind = _DEFAULT.counterpart,
    system_message: SystemMessage = _DEFAULT.system_message,
    instruction: str = _DEFAULT.instruction,
    fewshot: int = 0,
    fewshot_examples: ShotChoice = _DEFAULT.fewshot_examples,
    fewshot_format: ShotFormat = _DEFAULT.fewshot_format,
    **others: Any,
) -> type[Search]:
    """From which ans_depth on a model fails, found with few calls (docs/breaking-depth.md).

    Depths are asked for in batches, where the answers so far leave most open, until the 95 % interval
    of the breaking depth lies within ±`precision` or `max_calls` are used up. Where the rate of failures
    does not rise through `rate` from `min_depth` to `max_depth`, the outcome says so instead of a number.

    A failure is, by `metric`, a number (hallucination_rate, the default), no `unknown` by the paper's
    rule (paper_hallucination_rate) or to a careful reader (unknown_rate); with `pairs`, for which both
    members are asked and count as calls, a pair that is not solved (pair_solved_rate). `batch` calls are
    made at once. With `structure` paper the problems are those of the other tasks; drawn draws from
    ans_depth to ans_depth + 2 variables, and the cut at any place of the path. The other parameters are
    those of `paired`.
    """
    return Search
