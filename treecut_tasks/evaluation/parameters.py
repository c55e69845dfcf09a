"""The parameters of a task, checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.fewshot import SHOT_CHOICES, ShotChoice, check_fewshot
from treecut_tasks.evaluation.prompts import SHOT_FORMATS, ShotFormat
from treecut_tasks.problems import (
    CounterpartKind,
    Order,
    ProblemConfig,
    Sampling,
    check_counterpart,
    default_num_vars,
)

T = TypeVar("T")

PAPER_DEPTHS = (2, 4, 6, 8)
"""Depths of Table 1."""

PAPER_NUM_PROBLEMS = 500
"""Problems for each set of generation parameters (section 4.1)."""

DEFAULT_SEED = 42
"""Seed of a task that is given none."""


class Configuration(NamedTuple):
    """One configuration of a task: how its rates are named apart, and what is drawn."""

    label: str
    config: ProblemConfig


@dataclass(frozen=True)
class TaskParameters:
    """The parameters of a task, checked. The defaults are Table 1's set-up.

    Where the first four have several values, every combination is a configuration; problems of all
    configurations are interleaved.

    Attributes:
        ans_depth: one or more depths.
        num_vars: numbers of variables; `ans_depth + 2` if None.
        cut_depth: distances of the cut from the questioned variable; `ans_depth // 2` if None. For
            answerable problems, those of the unanswerable ones whose counterparts they are.
        composite_name: `a burger at Bistro Nice` (True), just `a burger` (False), or both.
        order: `forward`, `backward` or `random`.
        theme: `food`, `outfit` or the path of a theme file.
        sampling: `published` or `paper`.
        num_problems: problems of each configuration.
        seed: names the stream of problems, 0 or more.
        counterpart: how an answerable counterpart differs: it keeps the cut sentence (`full`), or
            lacks a spare one so that both have equally many sentences (`matched`).
        fewshot: number of worked examples in each prompt, even; 0 is zero-shot.
        fewshot_examples: `per_problem` or `shared`.
        fewshot_format: `single` (one user message) or `turns` (user and assistant turns).
        data_file: JSON Lines files in the published format, evaluated as they are; instead of
            generated problems.
    """

    ans_depth: tuple[int, ...] = PAPER_DEPTHS
    num_vars: tuple[int, ...] | None = None
    cut_depth: tuple[int, ...] | None = None
    composite_name: tuple[bool, ...] = (True,)
    order: Order = "random"
    theme: str = "food"
    sampling: Sampling = "published"
    num_problems: int = PAPER_NUM_PROBLEMS
    seed: int = DEFAULT_SEED
    counterpart: CounterpartKind = "full"
    fewshot: int = 0
    fewshot_examples: ShotChoice = "per_problem"
    fewshot_format: ShotFormat = "turns"
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
                    f"Unknown parameter {name!r}: the parameters are {', '.join(sorted(names))} and "
                    "system_message."
                )
        parsed = {name: value for name, value in values.items() if value is not None}
        for name, parse in _PARSERS.items():
            if name in parsed:
                parsed[name] = parse(name, parsed[name])
        if isinstance(parsed.get("theme"), Path):
            parsed["theme"] = str(parsed["theme"])
        return cls(**parsed)

    def __post_init__(self) -> None:
        check_counterpart(self.counterpart)
        check_fewshot(self.fewshot)
        _check_choice("fewshot_examples", self.fewshot_examples, SHOT_CHOICES)
        _check_choice("fewshot_format", self.fewshot_format, SHOT_FORMATS)
        if not self.data_file:
            return
        for field in fields(self):
            if field.name in _WITH_DATA_FILE:
                continue
            if getattr(self, field.name) != field.default:
                raise TreecutError(
                    f"{field.name} is {getattr(self, field.name)!r} together with data_file: the "
                    f"problems of a data file are evaluated as they are, so leave {field.name} out."
                )

    def configurations(self) -> list[Configuration]:
        """Every combination of the parameters, in the order in which they are interleaved.

        Raises:
            TreecutError: a combination that cannot exist.
        """
        return [
            self._configuration(*combination)
            for combination in itertools.product(
                self.ans_depth,
                self.num_vars or (None,),
                self.composite_name,
                self.cut_depth or (None,),
            )
        ]

    def _configuration(
        self, ans_depth: int, num_vars: int | None, composite_name: bool, cut_depth: int | None
    ) -> Configuration:
        if num_vars is None:
            num_vars = default_num_vars(ans_depth, self.counterpart)
        config = ProblemConfig(
            theme=self.theme,
            composite_name=composite_name,
            num_vars=num_vars,
            ans_depth=ans_depth,
            order=self.order,
            unanswerable=True,
            cut_depth=cut_depth,
            sampling=self.sampling,
        )
        label = f"ans_depth_{ans_depth}"
        if len(self.num_vars or ()) > 1:
            label += f"_num_vars_{num_vars}"
        if len(self.composite_name) > 1:
            label += "_composite_name" if composite_name else "_simple_name"
        if len(self.cut_depth or ()) > 1:
            label += f"_cut_depth_{cut_depth}"
        return Configuration(label, config)

    def as_dict(self) -> dict[str, Any]:
        """All parameters under their names, ready for JSON."""
        return asdict(self)


_INTEGER = re.compile(r"[+-]?\d{1,9}", re.ASCII)

# What goes together with a data file, where seed and counterpart are those of the examples; all else
# describes problems that would be generated.
_WITH_DATA_FILE = (
    "data_file",
    "seed",
    "counterpart",
    "fewshot",
    "fewshot_examples",
    "fewshot_format",
)


def _check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise TreecutError(f"{name} is {value!r}: it must be {' or '.join(choices)}.")


def _whole_numbers(name: str, value: Any) -> tuple[int, ...]:
    # Frameworks hand over `2,4` as numbers or as texts.
    values = [
        int(each) if isinstance(each, str) and _INTEGER.fullmatch(each) else each
        for each in _as_list(value)
    ]
    return _several(name, values, int, "a whole number or several, such as 4 or 2,4,6,8")


def _truth_values(name: str, value: Any) -> tuple[bool, ...]:
    values = [
        str(each).lower() == "true" if str(each).lower() in ("true", "false") else each
        for each in _as_list(value)
    ]
    return _several(name, values, bool, "true, false or both")


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return value.split(",")
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _several(name: str, values: list[Any], kind: type[T], allowed: str) -> tuple[T, ...]:
    shown = values[0] if len(values) == 1 else values
    if not values or any(type(each) is not kind for each in values):
        raise TreecutError(f"{name} is {shown!r}: it must be {allowed}.")
    if len(set(values)) < len(values):
        raise TreecutError(f"{name} is {shown!r}: name each value once.")
    return tuple(values)


def _paths(name: str, value: Any) -> tuple[str, ...]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values or any(not isinstance(path, (str, Path)) or not str(path) for path in values):
        raise TreecutError(f"{name} is {value!r}: it must be the path of a file, or several.")
    return tuple(str(path) for path in values)


_PARSERS: dict[str, Callable[[str, Any], tuple[Any, ...]]] = {
    "ans_depth": _whole_numbers,
    "num_vars": _whole_numbers,
    "cut_depth": _whole_numbers,
    "composite_name": _truth_values,
    "data_file": _paths,
}
"""The parameters that take one value or several."""
