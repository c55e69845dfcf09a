"""From parameters to the items that a task serves."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.designs import Design
from treecut_tasks.evaluation.diagnosis import check_names, find_gap
from treecut_tasks.evaluation.fewshot import ShotSource, draw_shots
from treecut_tasks.evaluation.parameters import TaskParameters, check_fewshot
from treecut_tasks.evaluation.prompts import PROMPT_VERSION, Shot, make_shot, user_prompt
from treecut_tasks.evaluation.rates import TaskKind
from treecut_tasks.problems import (
    UNKNOWN,
    Problem,
    ProblemConfig,
    Record,
    draw_data_set,
    named_split,
    read_data_files,
)
from treecut_tasks.themes import BUILTIN_THEMES
from treecut_tasks.validity import check_label


@dataclass(frozen=True)
class Item:
    """One problem as a task serves it.

    Attributes:
        id: identifier made from the content: `depth8-0003-unanswerable-…`.
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
        parameters: of the task.
        items: in serving order; of a paired task each unanswerable problem and then its
            counterpart.
        reserved: ids of all served problems and of their counterparts, which are never examples.
    """

    kind: TaskKind
    parameters: TaskParameters
    items: tuple[Item, ...] = ()
    reserved: frozenset[str] = frozenset()

    def pairs(self) -> list[tuple[Item, Item]]:
        """The pairs of a paired task."""
        return list(zip(self.items[::2], self.items[1::2], strict=True))

    def shots(self, item: Item, fewshot: int) -> tuple[Shot, ...]:
        """The worked examples for an item; see `draw_shots`."""
        if check_fewshot(fewshot) == 0:
            return ()
        if item.shot_source is None:
            raise TreecutError(
                f"fewshot is {fewshot}, but {item.metadata['source']} has no worked solution (proof), or "
                "tells no configuration with a built-in theme, so that no examples of the same kind can "
                "be made: use a file of `treecut generate` or one of the authors', or fewshot 0."
            )
        return draw_shots(item.shot_source, fewshot, self.parameters, self.reserved)


def build_items(parameters: TaskParameters, design: Design) -> ItemSet:
    """The items of a task, in the order in which they are served: interleaved configurations.

    Answerable problems are the counterparts of exactly the unanswerable problems with the same
    parameters (paper, section 4.2), in the same order. The label of every generated problem is
    proven from its text before it is served; data files are served as they are (`treecut verify`
    proves theirs).

    Args:
        parameters: the task's parameters.
        design: what the task serves.

    Raises:
        TreecutError: impossible parameters or an unusable data file.
    """
    kind = design.kind
    if parameters.data_file:
        return _items_of_files(parameters, kind)
    configurations = design.configurations(parameters)
    drawn_set = draw_data_set(
        [configuration.config for configuration in configurations],
        parameters.num_problems,
        parameters.seed,
        parameters.counterpart,
        named_split(parameters.split),
    )
    if kind in ("diagnosis", "clarification") and configurations:
        check_names(configurations[0].config.resolved_theme)
    items: list[Item] = []
    reserved: set[str] = set()
    for drawn, configuration in zip(drawn_set, itertools.cycle(configurations), strict=False):
        pair = drawn.pair
        reserved |= {pair.unanswerable.id, pair.answerable.id}
        # The configuration that the index counts in is the unanswerable one.
        config = pair.unanswerable.config
        origin = {
            "configuration": configuration.label,
            **config.as_dict(),
            # A theme of the user's is found by its path, not by its name.
            "theme_file": None if parameters.theme in BUILTIN_THEMES else parameters.theme,
            "counterpart": parameters.counterpart,
            "seed": parameters.seed,
            "split": parameters.split,
            "index": drawn.index,
            "pair_id": pair.id,
            "instruction": parameters.instruction,
            "served": kind,
        }
        if kind == "clarification":
            names = map(str, pair.unanswerable.variables)
            origin["prices"] = dict(zip(names, pair.unanswerable.values, strict=True))
        source = ShotSource(config, pair.unanswerable.id)
        for problem in (pair.unanswerable, pair.answerable):
            if kind not in ("unanswerable", "answerable") or kind == problem_kind(problem):
                items.append(_item_of_problem(problem, origin, source))
    return ItemSet(kind, parameters, tuple(items), frozenset(reserved))


def _item_of_problem(problem: Problem, origin: dict[str, Any], source: ShotSource) -> Item:
    # Proven from the text by code that knows nothing of the generator; 0.2 ms a problem.
    check_label(problem.text, problem.answer, [problem.config.resolved_theme])
    return Item(
        id=_item_id(f"depth{problem.config.ans_depth}", f"{origin['index']:04}", problem),
        problem=problem.text,
        answer=problem.answer,
        prompt=user_prompt(problem.text, origin["instruction"]),
        metadata={
            **origin,
            "problem_id": problem.id,
            "problem": problem.text,
            "unanswerable": problem.config.unanswerable,
            "lacks": problem.lacks.sentence.text if problem.lacks else None,
        },
        shot_source=source,
    )


def _item_id(depth: str, within: str, problem: Problem | Record) -> str:
    """Says what the problem is, sorts with its pair, and is unique through the content's own id."""
    return f"{depth}-{within}-{problem_kind(problem)}-{problem.id}"


def problem_kind(problem: Problem | Record) -> TaskKind:
    """Whether a problem is answerable."""
    return "unanswerable" if problem.answer == UNKNOWN else "answerable"


def _items_of_files(parameters: TaskParameters, kind: TaskKind) -> ItemSet:
    if kind not in ("unanswerable", "answerable"):
        records = _paired_records(parameters.data_file)
    else:
        records = read_data_files(parameters.data_file, kind == "unanswerable")
    items = tuple(_item_of_record(record, parameters, kind) for record in records)
    return ItemSet(kind, parameters, items, frozenset(record.id for record in records))


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


def _item_of_record(record: Record, parameters: TaskParameters, kind: TaskKind) -> Item:
    if kind == "diagnosis":
        try:
            find_gap(record.problem)
        except TreecutError as error:
            raise TreecutError(f"{record.source} cannot be diagnosed: {error}") from None
    known = {
        name: value
        for name, value in record.config.items()
        if name in {field.name for field in fields(ProblemConfig)}
    }
    ans_depth = known.get("ans_depth", "unspecified")
    label = f"depth{ans_depth}" if "ans_depth" in known else "unspecified"
    metadata = {
        **known,
        "problem_id": record.id,
        "problem": record.problem,
        "unanswerable": record.unanswerable,
        "ans_depth": ans_depth,
        "configuration": label,
        "pair_id": record.pair_id,
        "source": record.source,
        "instruction": parameters.instruction,
        "served": kind,
    }
    return Item(
        id=_item_id(label, record.pair_id or "file", record),
        problem=record.problem,
        answer=record.answer,
        prompt=user_prompt(record.problem, parameters.instruction),
        metadata=metadata,
        shot_source=_shot_source_of_record(record, known),
    )


def _shot_source_of_record(record: Record, known: Mapping[str, Any]) -> ShotSource | None:
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
    return ShotSource(config, record.pair_id or record.id)


def describe_run(item_set: ItemSet) -> dict[str, Any]:
    """What a log needs so that the run can be repeated and compared, ready for JSON."""
    parameters = item_set.parameters
    ids = "\n".join(item.id for item in item_set.items)
    prompt = "".join(make_shot("", "", "", parameters.instruction))
    return {
        "treecut_tasks_version": version("treecut-tasks"),
        "kind": item_set.kind,
        "parameters": parameters.as_dict(),
        "system_message": parameters.system_message,
        "num_items": len(item_set.items),
        "data_set_sha256": hashlib.sha256(ids.encode()).hexdigest(),
        "prompt_version": PROMPT_VERSION,
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(),
    }
