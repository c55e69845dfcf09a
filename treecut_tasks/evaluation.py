"""What a task is, for both frameworks: parameters become items, an item and a response a score."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from treecut_tasks.attribution import KINDS, Explanation, analyse, explain
from treecut_tasks.errors import TreecutError
from treecut_tasks.fewshot import (
    SHOT_CHOICES,
    ShotChoice,
    ShotSource,
    check_fewshot,
    draw_shots,
)
from treecut_tasks.problems import (
    UNKNOWN,
    CounterpartKind,
    Order,
    Problem,
    ProblemConfig,
    Record,
    Sampling,
    check_counterpart,
    default_num_vars,
    draw_data_set,
    is_answer,
    read_data_files,
)
from treecut_tasks.prompts import (
    PROMPT_VERSION,
    SHOT_FORMATS,
    Shot,
    ShotFormat,
    make_shot,
    user_prompt,
)
from treecut_tasks.scoring import Outcome, classify_outcome, says_unknown, values_equal
from treecut_tasks.scoring.rates import rate_table
from treecut_tasks.themes import BUILTIN_THEMES, load_theme

T = TypeVar("T")

TaskKind = Literal["unanswerable", "answerable", "paired"]
"""What a task serves: problems of one kind, or both members of each pair."""

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

PAIRED_RATES = (
    "hallucination_rate",
    "accuracy",
    "false_unknown_rate",
    "pair_solved_rate",
    "pair_answered_both_rate",
    "pair_unknown_both_rate",
    "pair_other_rate",
    "unknown_rate",
    "answered_rate",
    "wrong_number_rate",
    "unanswerable_no_answer_rate",
    "answerable_no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates over pairs. The four `pair_…` add up to one: right on both, a number (right or
wrong) to both, unknown to both, and the rest; all by the verdict of a careful reader."""

CAUSE_RATES = (
    *(f"cause_{kind}" for kind in KINDS),
    "cause_unexplained",
    "cause_same_price_by_chance",
    "cause_any_by_chance",
)
"""Names of the shares of responses whose wrong number has this kind of first explanation (see
`treecut_tasks.attribution`). Up to `cause_unexplained` they add up to `answered_rate` on unanswerable
and to `wrong_number_rate` on answerable problems. The last two say what guesses from the theme's
price range would have given: same_price first, and any explanation at all."""

PAPER_RATES = ("hallucination_rate", "accuracy", "false_unknown_rate", "pair_solved_rate")
"""The rates that the paper's tables report, and the share of solved pairs. They are given with an
interval and for each depth; the others stand beside them for all responses together."""

_RATES: dict[TaskKind, tuple[str, ...]] = {
    "unanswerable": (*UNANSWERABLE_RATES, *CAUSE_RATES),
    "answerable": (*ANSWERABLE_RATES, *CAUSE_RATES),
    "paired": PAIRED_RATES,
}


def rate_names(kind: TaskKind) -> tuple[str, ...]:
    """Names of the rates of one kind of task, the headline first."""
    return _RATES[kind]


@dataclass(frozen=True)
class Item:
    """One problem as a task serves it.

    Attributes:
        id: identifier made from the content.
        problem: the problem's text.
        answer: the price in digits, or `unknown`.
        prompt: the user message of a zero-shot prompt.
        metadata: where the problem comes from and how it was made, ready for JSON; always with
            `ans_depth`, which is `unspecified` where a data file does not tell, and
            `configuration`, by which rates are told apart.
        shot_source: where examples for the problem come from; None where that is unknown.
    """

    id: str
    problem: str
    answer: str
    prompt: str
    metadata: dict[str, Any]
    shot_source: ShotSource | None


@dataclass(frozen=True)
class ItemSet:
    """The items of a task.

    Attributes:
        kind: what the task serves.
        items: in serving order; of a paired task each unanswerable problem and then its
            counterpart.
        reserved: ids of all served problems and of their counterparts, which are never examples.
    """

    kind: TaskKind
    items: tuple[Item, ...]
    reserved: frozenset[str]

    def pairs(self) -> list[tuple[Item, Item]]:
        """The pairs of a paired task."""
        return list(zip(self.items[::2], self.items[1::2], strict=True))

    def shots(self, item: Item, fewshot: int, choice: ShotChoice) -> tuple[Shot, ...]:
        """The worked examples for an item; see `draw_shots`.

        Raises:
            TreecutError: an impossible number, or an item whose configuration is unknown.
        """
        if check_fewshot(fewshot) == 0:
            return ()
        if item.shot_source is None:
            raise TreecutError(
                f"fewshot is {fewshot}, but {item.metadata['source']} has no worked solution (proof), or "
                "tells no configuration with a built-in theme, so that no examples of the same kind can "
                "be made: use a file of `treecut generate` or one of the authors', or fewshot 0."
            )
        return draw_shots(item.shot_source, fewshot, choice, self.reserved)


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
    fewshot_format: ShotFormat = "single"
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


def build_items(parameters: TaskParameters, kind: TaskKind) -> ItemSet:
    """The items of a task, in the order in which they are served.

    Answerable problems are the counterparts of exactly the unanswerable problems with the same
    parameters (paper, section 4.2), in the same order.

    Args:
        parameters: the task's parameters.
        kind: what the task serves.

    Raises:
        TreecutError: impossible parameters or an unusable data file.
    """
    if parameters.data_file:
        return _items_of_files(parameters, kind)
    return draw_items(parameters, parameters.configurations(), kind)


def draw_items(
    parameters: TaskParameters, configurations: Sequence[Configuration], kind: TaskKind
) -> ItemSet:
    """Draw the items of several configurations, interleaved; see `build_items`.

    Args:
        parameters: all but the configurations is taken from here.
        configurations: what to draw `parameters.num_problems` problems of each.
        kind: what the task serves.
    """
    items: list[Item] = []
    reserved: set[str] = set()
    configs = [configuration.config for configuration in configurations]
    drawn_set = draw_data_set(
        configs, parameters.num_problems, parameters.seed, parameters.counterpart
    )
    labels = itertools.cycle(configuration.label for configuration in configurations)
    for drawn, label in zip(drawn_set, labels, strict=False):
        pair = drawn.pair
        reserved |= {pair.unanswerable.id, pair.answerable.id}
        # The configuration that index and attempt count in is the unanswerable one.
        config = pair.unanswerable.config
        source = ShotSource(config, parameters.seed, pair.unanswerable.id, parameters.counterpart)
        origin = {
            "configuration": label,
            **config.as_dict(),
            # A theme of the user's is found by its path, not by its name.
            "theme_file": None if parameters.theme in BUILTIN_THEMES else parameters.theme,
            "counterpart": parameters.counterpart,
            "seed": parameters.seed,
            "index": drawn.index,
            "attempt": drawn.attempt,
            "pair_id": pair.id,
        }
        if kind != "answerable":
            items.append(_item_of_problem(pair.unanswerable, origin, source))
        if kind != "unanswerable":
            items.append(_item_of_problem(pair.answerable, origin, source))
    return ItemSet(kind, tuple(items), frozenset(reserved))


def _item_of_problem(problem: Problem, origin: dict[str, Any], source: ShotSource) -> Item:
    return Item(
        id=problem.id,
        problem=problem.text,
        answer=problem.answer,
        prompt=user_prompt(problem.text),
        metadata={
            **origin,
            "problem": problem.text,
            "unanswerable": problem.config.unanswerable,
            "lacks": problem.lacks.sentence.text if problem.lacks else None,
        },
        shot_source=source,
    )


def _items_of_files(parameters: TaskParameters, kind: TaskKind) -> ItemSet:
    if kind == "paired":
        records = _paired_records(parameters.data_file)
    else:
        records = read_data_files(parameters.data_file, kind == "unanswerable")
    items = tuple(_item_of_record(record, parameters) for record in records)
    return ItemSet(kind, items, frozenset(item.id for item in items))


def _paired_records(paths: Sequence[str]) -> list[Record]:
    """The records of two aligned files, the members of each pair one after the other."""
    if len(paths) != 2:
        raise TreecutError(
            f"data_file names {len(paths)} file(s), but paired problems need two aligned ones: first "
            "the unanswerable problems, then their counterparts."
        )
    unanswerable = read_data_files(paths[:1], unanswerable=True)
    answerable = read_data_files(paths[1:], unanswerable=False)
    if len(unanswerable) != len(answerable):
        raise TreecutError(
            f"{paths[0]} has {len(unanswerable)} problems and {paths[1]} has {len(answerable)}: paired "
            "files need as many lines, the members of a pair on the same line."
        )
    records = []
    for first, second in zip(unanswerable, answerable, strict=True):
        if first.pair_id != second.pair_id:
            raise TreecutError(
                f"{first.source} belongs to the pair {first.pair_id!r} and {second.source} to "
                f"{second.pair_id!r}: the members of a pair must stand on the same line."
            )
        # Without ids in the files, lines belong together by their place.
        pair_id = first.pair_id or first.id
        records += [replace(first, pair_id=pair_id), replace(second, pair_id=pair_id)]
    return records


def _item_of_record(record: Record, parameters: TaskParameters) -> Item:
    known = {
        name: value
        for name, value in record.config.items()
        if name in {field.name for field in fields(ProblemConfig)}
    }
    metadata = {
        **known,
        "problem": record.problem,
        "unanswerable": record.unanswerable,
        "ans_depth": known.get("ans_depth", "unspecified"),
        "configuration": f"ans_depth_{known.get('ans_depth', 'unspecified')}",
        "pair_id": record.pair_id,
        "source": record.source,
    }
    return Item(
        id=record.id,
        problem=record.problem,
        answer=record.answer,
        prompt=user_prompt(record.problem),
        metadata=metadata,
        shot_source=_shot_source_of_record(record, known, parameters),
    )


def _shot_source_of_record(
    record: Record, known: Mapping[str, Any], parameters: TaskParameters
) -> ShotSource | None:
    """Where examples of a record's configuration come from, if it tells one that can be drawn from.

    A record tells its theme by name only, so one with a theme of the user's own has no examples; that
    must not be in the way of evaluating it without any.
    """
    if record.proof is None or "ans_depth" not in known:
        return None
    try:
        config = ProblemConfig(**{**known, "unanswerable": True})
    except TreecutError:
        return None
    key = record.pair_id or record.id
    return ShotSource(config, parameters.seed, key, parameters.counterpart)


def describe_run(parameters: TaskParameters, item_set: ItemSet) -> dict[str, Any]:
    """What a log needs so that the run can be repeated and compared.

    Args:
        parameters: the task's parameters.
        item_set: its items.

    Returns:
        Package version, parameters, fingerprints of data set and prompt; ready for JSON.
    """
    from importlib.metadata import version

    ids = "\n".join(item.id for item in item_set.items)
    prompt = user_prompt("") + make_shot("", "", "").response
    return {
        "treecut_tasks_version": version("treecut-tasks"),
        "kind": item_set.kind,
        "parameters": parameters.as_dict(),
        "num_items": len(item_set.items),
        "data_set_sha256": hashlib.sha256(ids.encode()).hexdigest(),
        "prompt_version": PROMPT_VERSION,
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(),
    }


@dataclass(frozen=True)
class ScoredResponse:
    """A response judged.

    Attributes:
        rates: for each name of `rate_names`, 1.0 if the response counts towards it, else 0.0 (what
            chance would give is in between).
        says_unknown: the paper's rule (Appendix B.2) on the raw visible text.
        outcome: what a careful reader says the model committed to.
        cause: the first explanation of a wrong number; None for other responses, for a number that
            nothing explains, and where the problem's text is not at hand.
    """

    rates: dict[str, float]
    says_unknown: bool
    outcome: Outcome
    cause: Explanation | None


def score_response(
    answer: str,
    response: str | None,
    truncated: bool = False,
    problem: str | None = None,
    theme: str | None = None,
) -> ScoredResponse:
    """Judge a response.

    On unanswerable problems a hallucination is, as in the paper, everything that the paper's rule
    does not count as saying unknown; the verdict of a careful reader stands beside it. On
    answerable problems the answer is the number that the response commits to.

    Args:
        answer: the price in digits, or `unknown` for an unanswerable problem.
        response: the visible text of the response; None counts as empty.
        truncated: whether the framework knows that the response was cut off.
        problem: the problem's text, from which a wrong number is explained; without it, or where
            it is not a TreeCut text, a wrong number counts as unexplained.
        theme: name or path of the theme of the problem, if it is not a built-in one.
    """
    text = response or ""
    unknown_by_rule = says_unknown(text)
    outcome = classify_outcome(text, truncated=truncated)
    is_unknown, is_number = outcome.outcome == "unknown", outcome.outcome == "number"
    no_answer = not is_unknown and not is_number
    disagree = unknown_by_rule != is_unknown
    if answer == UNKNOWN:
        right = False
        flags = (not unknown_by_rule, is_unknown, is_number, no_answer, disagree)
        names = UNANSWERABLE_RATES
    else:
        right = is_number and outcome.value is not None and values_equal(outcome.value, answer)
        flags = (right, is_number and not right, is_unknown, no_answer, disagree)
        names = ANSWERABLE_RATES
    rates = {name: float(flag) for name, flag in zip(names, flags, strict=True)}
    rates |= dict.fromkeys(CAUSE_RATES, 0.0)
    cause = None
    if is_number and not right:
        if problem is not None and outcome.value is not None:
            cause, by_chance = _explain(problem, outcome.value, theme)
            rates |= by_chance
        rates[f"cause_{cause.kind}" if cause else "cause_unexplained"] = 1.0
    return ScoredResponse(rates, unknown_by_rule, outcome, cause)


def _explain(
    problem: str, value: str, theme: str | None
) -> tuple[Explanation | None, dict[str, float]]:
    """The first explanation of a wrong number, and what guesses would have given."""
    themes = None if theme is None else [load_theme(theme)]
    try:
        analysis = analyse(problem, themes)
    except TreecutError:
        # Not a text of ours, in a data file of the user's for example.
        return None, {}
    explanations = explain(problem, value, themes)
    by_chance = {
        "cause_same_price_by_chance": analysis.expected("same_price"),
        "cause_any_by_chance": analysis.expected(),
    }
    return (explanations[0] if explanations else None), by_chance


def score_pair(
    unanswerable: Mapping[str, float], answerable: Mapping[str, float]
) -> dict[str, float]:
    """The rates of a pair from those of its members' responses (see `PAIRED_RATES`)."""
    solved = unanswerable["unknown_rate"] * answerable["accuracy"]
    answered = unanswerable["answered_rate"] * (
        answerable["accuracy"] + answerable["wrong_number_rate"]
    )
    unknown = unanswerable["unknown_rate"] * answerable["false_unknown_rate"]
    return {
        "hallucination_rate": unanswerable["hallucination_rate"],
        "accuracy": answerable["accuracy"],
        "false_unknown_rate": answerable["false_unknown_rate"],
        "pair_solved_rate": solved,
        "pair_answered_both_rate": answered,
        "pair_unknown_both_rate": unknown,
        "pair_other_rate": 1.0 - solved - answered - unknown,
        "unknown_rate": unanswerable["unknown_rate"],
        "answered_rate": unanswerable["answered_rate"],
        "wrong_number_rate": answerable["wrong_number_rate"],
        "unanswerable_no_answer_rate": unanswerable["no_answer_rate"],
        "answerable_no_answer_rate": answerable["no_answer_rate"],
        "rule_disagreement": (unanswerable["rule_disagreement"] + answerable["rule_disagreement"])
        / 2,
    }


def summarise(
    scores: Sequence[tuple[str, Mapping[str, float]]], kind: TaskKind
) -> dict[str, float]:
    """The rates of a run as named numbers (see `rate_table`).

    All rates over all responses (or pairs), then the paper's for each configuration, with
    `_ans_depth_8` for example behind the name, where there are several configurations.

    Args:
        scores: for each response the label of its configuration and its `ScoredResponse.rates`;
            for each pair the label and its `score_pair`.
        kind: what the task served.
    """
    names = rate_names(kind)
    if not scores:
        return dict.fromkeys(names, math.nan)
    paper_names = [name for name in names if name in PAPER_RATES]
    groups: dict[str, list[Mapping[str, float]]] = {}
    for label, rates in scores:
        groups.setdefault(label, []).append(rates)
    table = rate_table(_columns([rates for _, rates in scores], names), PAPER_RATES)
    if len(groups) > 1:
        for label in sorted(groups, key=_numbers_in_order):
            table |= rate_table(_columns(groups[label], paper_names), PAPER_RATES, f"_{label}")
    return table


def _numbers_in_order(label: str) -> list[tuple[int, str]]:
    """A sorting key that puts ans_depth_8 before ans_depth_10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in label.split("_")]


def _columns(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, list[float]]:
    return {name: [float(row[name]) for row in rows] for name in names}


RESPONSE_KEYS = ("problem", "answer", "response")
"""Keys of a response that was recorded elsewhere; `truncated` and `theme` may be added."""


def score_responses(
    responses: Iterable[Mapping[str, Any]],
) -> list[tuple[TaskKind, ScoredResponse]]:
    """Judge responses that were recorded elsewhere, without any framework.

    Args:
        responses: mappings with the keys `problem` (the text), `answer` (a number in digits, or
            `unknown`) and `response` (the model's visible text; None counts as empty). `truncated`
            (true where the response was cut off) and `theme` (name or path, for themes of one's
            own) may be added; other keys are ignored.

    Returns:
        For each response the kind of its problem and the judgement.

    Raises:
        TreecutError: a key is missing or has a value of the wrong type.
    """
    scored: list[tuple[TaskKind, ScoredResponse]] = []
    for number, row in enumerate(responses, start=1):
        for key in RESPONSE_KEYS:
            if key not in row:
                raise TreecutError(
                    f"Response {number} lacks the key {key!r}: each needs the keys "
                    f"{', '.join(RESPONSE_KEYS)}."
                )
        problem, answer, response = (row[key] for key in RESPONSE_KEYS)
        if not isinstance(response, str | None):
            raise TreecutError(f"Response {number} is {response!r}: it must be a text or null.")
        if not isinstance(problem, str) or not is_answer(answer):
            raise TreecutError(
                f"Response {number} has the answer {answer!r}: problem must be a text, and answer "
                "'unknown' or a number in quotes such as '11'."
            )
        truncated = row.get("truncated") or False
        judged = score_response(answer, response, bool(truncated), problem, row.get("theme"))
        scored.append(("unanswerable" if answer == UNKNOWN else "answerable", judged))
    return scored


def summarise_responses(
    scored: Iterable[tuple[TaskKind, ScoredResponse]],
) -> dict[TaskKind, dict[str, float]]:
    """The rates of judged responses, for each kind of problem that occurs; see `summarise`."""
    by_kind: dict[TaskKind, list[tuple[str, Mapping[str, float]]]] = {}
    for kind, judged in scored:
        by_kind.setdefault(kind, []).append(("", judged.rates))
    return {kind: summarise(rows, kind) for kind, rows in sorted(by_kind.items(), reverse=True)}
