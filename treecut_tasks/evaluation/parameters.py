"""What a framework's command line supplies becomes the checked parameters of a task."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
)

from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.instructions import STANDARD, choose_instruction
from treecut_tasks.evaluation.prompts import ShotFormat, SystemMessage
from treecut_tasks.problems import (
    CounterpartKind,
    Order,
    ProblemConfig,
    Sampling,
    SplitName,
    default_num_vars,
)

T = TypeVar("T")

PAPER_DEPTHS = (2, 4, 6, 8)
"""Depths of Table 1."""

PAPER_NUM_PROBLEMS = 500
"""Problems for each set of generation parameters (section 4.1)."""

DEFAULT_SEED = 42
"""Seed of a task that is given none."""

MAX_NUM_PROBLEMS = 100_000
"""A task holds its problems in memory; larger sets are files of `treecut generate`."""

MAX_FEWSHOT = 200
"""More examples fit into no prompt (each has some 600 tokens at depth 8)."""

ShotChoice = Literal["per_problem", "shared"]
"""Examples drawn anew for each problem, or one fixed set for all problems of a configuration."""

Metrics = Literal["short", "full"]


@dataclass(frozen=True)
class Configuration:
    """What is drawn, and the one name by which its rates are told apart.

    Attributes:
        config: the unanswerable problems, or those whose counterparts are served.
        varied: the parameters beside `ans_depth` that the task varies; they are part of the label.
    """

    config: ProblemConfig
    varied: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`depth8`, `depth7_cut3`, `depth4_path_simple`: in metrics, logs and names of lm-eval tasks."""
        config = self.config
        shapes = {config.ans_depth: "path", config.ans_depth + 2: "tree"}
        parts = {
            "num_vars": shapes.get(config.vars, f"vars{config.num_vars}"),
            "composite_name": "composite" if config.composite_name else "simple",
            "cut_depth": f"cut{config.cut_depth}",
        }
        return "_".join([f"depth{config.ans_depth}", *(parts[name] for name in self.varied)])


def _several(value: Any) -> Any:
    """One value or several, as numbers or as texts such as `2,4`: frameworks hand over any of these."""
    values = value.split(",") if isinstance(value, str) else value
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise ValueError("must be one value or several")
    return tuple(_plain(each) for each in values)


def _plain(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[+-]?\d{1,9}", value.strip(), re.ASCII):
        return int(value)
    return {"true": True, "false": False}.get(value.strip().lower(), value)


def _once_each(values: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(values)) < len(values):
        raise ValueError("must name each value once")
    return values


def _paths(value: Any) -> Any:
    if value is None:
        return ()
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if any(not isinstance(path, (str, Path)) or not str(path) for path in values):
        raise ValueError("must be the path of a file, or several")
    return tuple(str(path) for path in values)


def check_fewshot(fewshot: object) -> int:
    """Return the number of examples if it is an even whole number from 0 to `MAX_FEWSHOT`."""
    if type(fewshot) is not int or not 0 <= fewshot <= MAX_FEWSHOT or fewshot % 2:
        raise TreecutError(
            f"fewshot is {fewshot!r}: it must be an even whole number from 0 to {MAX_FEWSHOT}, because half "
            "of the examples are answerable and half are not."
        )
    return fewshot


_WholeNumbers = Annotated[
    tuple[StrictInt, ...], BeforeValidator(_several), AfterValidator(_once_each)
]
_TruthValues = Annotated[
    tuple[StrictBool, ...], BeforeValidator(_several), AfterValidator(_once_each)
]
_Path = Annotated[
    str, BeforeValidator(lambda value: str(value) if isinstance(value, Path) else value)
]


class TaskParameters(BaseModel):
    """The parameters of a task, checked. The defaults are Table 1's set-up, and stand here only.

    Where the first four have several values, every combination is a configuration; problems of all
    configurations are interleaved.

    What each means stands once, for the people who give them: at `treecut_tasks.tasks.unanswerable`, and
    `counterpart` at `paired`. For answerable problems, `cut_depth` is that of the unanswerable ones
    whose counterparts they are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ans_depth: _WholeNumbers = PAPER_DEPTHS
    num_vars: _WholeNumbers | None = None
    cut_depth: _WholeNumbers | None = None
    composite_name: _TruthValues = (True,)
    order: Order = "random"
    theme: _Path = "food"
    sampling: Sampling = "published"
    num_problems: Annotated[StrictInt, Field(ge=1, le=MAX_NUM_PROBLEMS)] = PAPER_NUM_PROBLEMS
    seed: Annotated[StrictInt, Field(ge=0)] = DEFAULT_SEED
    split: SplitName = "all"
    counterpart: CounterpartKind = "full"
    system_message: SystemMessage = "auto"
    instruction: Annotated[Any, AfterValidator(choose_instruction)] = STANDARD
    fewshot: Annotated[Any, AfterValidator(check_fewshot)] = 0
    fewshot_examples: ShotChoice = "per_problem"
    fewshot_format: ShotFormat = "turns"
    metrics: Metrics = "short"
    data_file: Annotated[tuple[str, ...], BeforeValidator(_paths)] = ()

    @classmethod
    def parse(
        cls, values: Mapping[str, Any], allowed: Collection[str] | None = None
    ) -> TaskParameters:
        """Make parameters from what a framework's command line supplies.

        Args:
            values: parameters by name; a single value is accepted where several are possible.
            allowed: the parameters that the task obeys; None means all.
        """
        names = cls.model_fields if allowed is None else allowed
        for name in values:
            if name not in names:
                raise TreecutError(
                    f"Unknown parameter {name!r}: the parameters of this task are {', '.join(names)}."
                )
        parameters = validated(cls, values)
        for name, field in cls.model_fields.items() if parameters.data_file else ():
            value = getattr(parameters, name)
            if name not in _WITH_DATA_FILE and value != field.default:
                raise TreecutError(
                    f"{name} is {value!r} together with data_file: the problems of a data file are "
                    f"evaluated as they are, so leave {name} out."
                )
        return parameters

    def configurations(
        self, vary: Callable[[int], Mapping[str, Any]] = lambda ans_depth: {}
    ) -> list[Configuration]:
        """Every combination of the parameters, in the order in which they are interleaved.

        Args:
            vary: what other parameters are at an ans_depth, instead of their own values.
        """
        found = []
        for ans_depth in self.ans_depth:
            at_depth = self.model_copy(update={"ans_depth": (ans_depth,), **vary(ans_depth)})
            values: dict[str, tuple[Any, ...]] = {
                "num_vars": at_depth.num_vars or (None,),
                "composite_name": at_depth.composite_name,
                "cut_depth": at_depth.cut_depth or (None,),
            }
            varied = tuple(name for name, each in values.items() if len(each) > 1)
            for combination in itertools.product(*values.values()):
                found.append(Configuration(at_depth._config(ans_depth, *combination), varied))
        return found

    def _config(
        self, ans_depth: int, num_vars: int | None, composite_name: bool, cut_depth: int | None
    ) -> ProblemConfig:
        if num_vars is None:
            num_vars = default_num_vars(ans_depth, self.counterpart)
        return ProblemConfig(
            theme=self.theme,
            composite_name=composite_name,
            num_vars=num_vars,
            ans_depth=ans_depth,
            order=self.order,
            unanswerable=True,
            cut_depth=cut_depth,
            sampling=self.sampling,
        )

    def as_dict(self) -> dict[str, Any]:
        """All parameters under their names, ready for JSON."""
        return self.model_dump(mode="json")


# What goes together with a data file, where seed and counterpart are those of the examples; all else
# describes problems that would be generated.
_WITH_DATA_FILE = (
    "data_file",
    "seed",
    "counterpart",
    "system_message",
    "instruction",
    "fewshot",
    "fewshot_examples",
    "fewshot_format",
    "metrics",
)
