"""What a task is, for both frameworks: parameters become items, an item and a response a score."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import (
    UNKNOWN,
    Order,
    ProblemConfig,
    Record,
    Sampling,
    draw_data_set,
    read_data_files,
)
from treecut_tasks.prompts import PROMPT_VERSION, user_prompt
from treecut_tasks.scoring import Outcome, classify_outcome, says_unknown, values_equal
from treecut_tasks.scoring.rates import rate_table

PAPER_DEPTHS = (2, 4, 6, 8)
"""Depths of Table 1."""

PAPER_NUM_PROBLEMS = 500
"""Problems for each set of generation parameters (section 4.1)."""

DEFAULT_SEED = 42
"""Seed of a task that is given none."""

UNANSWERABLE_RATES = (
    "hallucination_rate",
    "unknown_rate",
    "answered_rate",
    "no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates on unanswerable problems, the paper's first."""

ANSWERABLE_RATES = (
    "accuracy",
    "wrong_number_rate",
    "false_unknown_rate",
    "no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates on answerable problems, the paper's first."""

PAPER_RATES = ("hallucination_rate", "accuracy", "false_unknown_rate")
"""The rates that the paper's tables report. They are given with an interval and for each depth; the
others stand beside them for all responses together."""


def rate_names(unanswerable: bool) -> tuple[str, ...]:
    """Names of the rates on one kind of problems."""
    return UNANSWERABLE_RATES if unanswerable else ANSWERABLE_RATES


@dataclass(frozen=True)
class Item:
    """One problem as a task serves it.

    Attributes:
        id: identifier made from the content.
        problem: the problem's text.
        answer: the price in digits, or `unknown`.
        prompt: the user message.
        metadata: where the problem comes from and how it was made, ready for JSON; always with
            `ans_depth`, which is `unspecified` where a data file does not tell.
    """

    id: str
    problem: str
    answer: str
    prompt: str
    metadata: dict[str, Any]


@dataclass(frozen=True)
class TaskParameters:
    """The parameters of a task, checked. The defaults are Table 1's set-up.

    Attributes:
        ans_depth: one or more depths; problems of all of them are interleaved.
        num_vars: number of variables; `ans_depth + 2` if None.
        cut_depth: distance of the cut from the questioned variable; `ans_depth // 2` if None. For
            answerable problems, that of the unanswerable ones whose counterparts they are.
        composite_name: `a burger at Bistro Nice` or just `a burger`.
        order: `forward`, `backward` or `random`.
        theme: `food`, `outfit` or the path of a theme file.
        sampling: `published` or `paper`.
        num_problems: problems of each depth.
        seed: names the stream of problems, 0 or more.
        data_file: JSON Lines files in the published format, evaluated as they are; instead of
            generated problems.
    """

    ans_depth: tuple[int, ...] = PAPER_DEPTHS
    num_vars: int | None = None
    cut_depth: int | None = None
    composite_name: bool = True
    order: Order = "random"
    theme: str = "food"
    sampling: Sampling = "published"
    num_problems: int = PAPER_NUM_PROBLEMS
    seed: int = DEFAULT_SEED
    data_file: tuple[str, ...] = ()

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> TaskParameters:
        """Make parameters from what a framework's command line supplies.

        Single values are accepted where several are possible, and None means the default.

        Args:
            values: parameters by name.

        Raises:
            TreecutError: an unknown name, or a value of a type that the parameter does not take.
        """
        names = {field.name for field in fields(cls)}
        for name in values:
            if name not in names:
                raise TreecutError(
                    f"Unknown parameter {name!r}: the parameters are {', '.join(sorted(names))}."
                )
        parsed = {name: value for name, value in values.items() if value is not None}
        for name, parse in (("ans_depth", _whole_numbers), ("data_file", _paths)):
            if name in parsed:
                parsed[name] = parse(name, parsed[name])
        if isinstance(parsed.get("theme"), Path):
            parsed["theme"] = str(parsed["theme"])
        return cls(**parsed)

    def __post_init__(self) -> None:
        if not self.data_file:
            return
        default = TaskParameters()
        for field in fields(self):
            if field.name != "data_file" and getattr(self, field.name) != getattr(
                default, field.name
            ):
                raise TreecutError(
                    f"{field.name} is {getattr(self, field.name)!r} together with data_file: the "
                    f"problems of a data file are evaluated as they are, so leave {field.name} out."
                )

    def configs(self) -> list[ProblemConfig]:
        """The configuration of the unanswerable problems, for each depth."""
        return [
            ProblemConfig(
                theme=self.theme,
                composite_name=self.composite_name,
                num_vars=self.num_vars,
                ans_depth=ans_depth,
                order=self.order,
                unanswerable=True,
                cut_depth=self.cut_depth,
                sampling=self.sampling,
            )
            for ans_depth in self.ans_depth
        ]

    def as_dict(self) -> dict[str, Any]:
        """All parameters under their names, ready for JSON."""
        return asdict(self)


def _whole_numbers(name: str, value: Any) -> tuple[int, ...]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values or any(type(number) is not int for number in values):
        raise TreecutError(
            f"{name} is {value!r}: it must be a whole number or several, such as 4 or 2,4,6,8."
        )
    if len(set(values)) < len(values):
        raise TreecutError(f"{name} is {value!r}: name each value once.")
    return tuple(values)


def _paths(name: str, value: Any) -> tuple[str, ...]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values or any(not isinstance(path, (str, Path)) or not str(path) for path in values):
        raise TreecutError(f"{name} is {value!r}: it must be the path of a file, or several.")
    return tuple(str(path) for path in values)


def build_items(parameters: TaskParameters, unanswerable: bool) -> list[Item]:
    """The items of a task, in the order in which they are served.

    Answerable problems are the counterparts of exactly the unanswerable problems with the same
    parameters (paper, section 4.2), in the same order.

    Args:
        parameters: the task's parameters.
        unanswerable: which kind of problems the task serves.

    Raises:
        TreecutError: impossible parameters or an unusable data file.
    """
    if parameters.data_file:
        records = read_data_files(parameters.data_file, unanswerable)
        return [_item_of_record(record) for record in records]
    items = []
    drawn_set = draw_data_set(parameters.configs(), parameters.num_problems, parameters.seed)
    for drawn in drawn_set:
        origin = {"seed": parameters.seed, "index": drawn.index, "attempt": drawn.attempt}
        problem = drawn.problem
        if not unanswerable:
            origin["counterpart_of"] = problem.id
            # The configuration that `index` and `attempt` count in is the unanswerable one.
            origin["cut_depth"] = problem.config.cut_depth
            problem = problem.counterpart()
        items.append(
            Item(
                id=problem.id,
                problem=problem.text,
                answer=problem.answer,
                prompt=user_prompt(problem.text),
                metadata={**problem.config.as_dict(), **origin},
            )
        )
    return items


def _item_of_record(record: Record) -> Item:
    ans_depth = record.config.get("ans_depth", "unspecified")
    return Item(
        id=record.id,
        problem=record.problem,
        answer=record.answer,
        prompt=user_prompt(record.problem),
        metadata={
            "unanswerable": record.unanswerable,
            "ans_depth": ans_depth,
            "source": record.source,
        },
    )


def describe_run(
    parameters: TaskParameters, unanswerable: bool, items: Sequence[Item]
) -> dict[str, Any]:
    """What a log needs so that the run can be repeated and compared.

    Args:
        parameters: the task's parameters.
        unanswerable: which kind of problems the task serves.
        items: its items.

    Returns:
        Package version, parameters, fingerprints of data set and prompt; ready for JSON.
    """
    from importlib.metadata import version

    ids = "\n".join(item.id for item in items)
    return {
        "treecut_tasks_version": version("treecut-tasks"),
        "unanswerable": unanswerable,
        "parameters": parameters.as_dict(),
        "num_items": len(items),
        "data_set_sha256": hashlib.sha256(ids.encode()).hexdigest(),
        "prompt_version": PROMPT_VERSION,
        "prompt_sha256": hashlib.sha256(user_prompt("").encode()).hexdigest(),
    }


@dataclass(frozen=True)
class ScoredResponse:
    """A response judged.

    Attributes:
        rates: for each name of `rate_names`, 1.0 if the response counts towards it, else 0.0.
        says_unknown: the paper's rule (Appendix B.2) on the raw visible text.
        outcome: what a careful reader says the model committed to.
    """

    rates: dict[str, float]
    says_unknown: bool
    outcome: Outcome


def score_response(answer: str, response: str | None, truncated: bool = False) -> ScoredResponse:
    """Judge a response.

    On unanswerable problems a hallucination is, as in the paper, everything that the paper's rule
    does not count as saying unknown; the verdict of a careful reader stands beside it. On
    answerable problems the answer is the number that the response commits to.

    Args:
        answer: the price in digits, or `unknown` for an unanswerable problem.
        response: the visible text of the response; None counts as empty.
        truncated: whether the framework knows that the response was cut off.
    """
    text = response or ""
    unknown_by_rule = says_unknown(text)
    outcome = classify_outcome(text, truncated=truncated)
    is_unknown, is_number = outcome.outcome == "unknown", outcome.outcome == "number"
    no_answer = not is_unknown and not is_number
    disagree = unknown_by_rule != is_unknown
    if answer == UNKNOWN:
        flags = (not unknown_by_rule, is_unknown, is_number, no_answer, disagree)
        names = UNANSWERABLE_RATES
    else:
        right = is_number and outcome.value is not None and values_equal(outcome.value, answer)
        flags = (right, is_number and not right, is_unknown, no_answer, disagree)
        names = ANSWERABLE_RATES
    rates = {name: float(flag) for name, flag in zip(names, flags, strict=True)}
    return ScoredResponse(rates, unknown_by_rule, outcome)


def summarise(
    scores: Sequence[tuple[str, Mapping[str, float]]], unanswerable: bool
) -> dict[str, float]:
    """The rates of a run as named numbers (see `rate_table`).

    All rates over all responses, then the paper's for each depth, with `_ans_depth_8` for example
    behind the name, where there are several depths.

    Args:
        scores: for each response the depth of its problem and its `ScoredResponse.rates`.
        unanswerable: which kind of problems it was.
    """
    if not scores:
        return {}
    names = rate_names(unanswerable)
    paper_names = [name for name in names if name in PAPER_RATES]
    groups: dict[str, list[Mapping[str, float]]] = {}
    for ans_depth, rates in scores:
        groups.setdefault(ans_depth, []).append(rates)
    table = rate_table(_columns([rates for _, rates in scores], names), PAPER_RATES)
    if len(groups) > 1:
        for ans_depth in sorted(groups, key=lambda depth: (len(depth), depth)):
            columns = _columns(groups[ans_depth], paper_names)
            table |= rate_table(columns, PAPER_RATES, suffix=f"_ans_depth_{ans_depth}")
    return table


def _columns(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, list[float]]:
    return {name: [float(row[name]) for row in rows] for name in names}
