"""Responses that were recorded elsewhere become judged responses and rates, without any framework."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, StrictBool

from treecut_tasks.answers import answer_text
from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.clarification import DialogueRecord
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.rates import (
    RATES,
    Rate,
    TaskKind,
    counts,
    kind_of,
    mean_counts,
    summarise,
)

_CUT_OFF = ("length", "max_tokens", "model_length")


class RecordedResponse(BaseModel):
    """A response that was recorded elsewhere; keys beside these are kept and not looked at.

    Attributes:
        problem: the problem's text.
        answer: the price in digits (a number will do), or `unknown`.
        response: the model's visible text; None counts as empty.
        truncated: whether it is known that a limit cut the response off.
        finish_reason: the provider's word for why the response ended; `length`, `max_tokens` and
            `model_length` mean `truncated`.
        theme: name or path of the problem's theme, if it is not a built-in one.
        pair_id: the same for both members of a pair, if the problem is one.
        reasoning: what the model wrote apart from its response; it decides no verdict.
        instruction: what the prompt asked for, as tasks name it; `diagnosis` is judged as well.
        dialogue: the questions that came before, as the task `clarification` logs them.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    problem: str
    answer: Annotated[str, BeforeValidator(answer_text)]
    response: str | None
    truncated: StrictBool = False
    finish_reason: str | None = None
    theme: str | None = None
    pair_id: str | None = None
    reasoning: str | None = None
    instruction: str = STANDARD
    dialogue: DialogueRecord | None = None

    @property
    def cut_off(self) -> bool:
        """Whether a limit cut the response off, as far as the record tells."""
        return self.truncated or self.finish_reason in _CUT_OFF

    def judge(self) -> JudgedResponse:
        """Judge it."""
        return judge_response(
            self.answer,
            self.response,
            truncated=self.cut_off,
            problem=self.problem,
            theme=self.theme,
            reasoning=self.reasoning,
            instruction=self.instruction,
            dialogue=self.dialogue,
        )


def recorded_response(row: object, where: str) -> RecordedResponse:
    """Check one record.

    Args:
        row: what should be a mapping with the keys of `RecordedResponse`.
        where: what messages call it: file and line, or its number.
    """
    if not isinstance(row, Mapping):
        raise TreecutError(
            f"{where} is no mapping: each response needs the keys problem, answer and response."
        )
    return validated(RecordedResponse, row, where)


def response_to(item: Mapping[str, Any], where: str, **words: Any) -> RecordedResponse:
    """A response to an item that a task served.

    Args:
        item: metadata of the item.
        where: what messages call the response.
        words: `answer`, `response` and what else is known of the response.
    """
    names = ("problem", "pair_id", "instruction", "dialogue")
    known = {name: item[name] for name in names if item.get(name) is not None}
    # A log may be read on another machine than it was made on.
    theme = item.get("theme_file")
    theme = theme if theme and Path(theme).is_file() else None
    return recorded_response({"problem": "", **known, "theme": theme, **words}, where)


def recorded_rows(lines: Iterable[str], where: str) -> Iterator[tuple[str, Any]]:
    """The objects of JSON Lines, each with the name that messages call it by; blank lines do not count.

    Args:
        lines: the lines.
        where: name of the file.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield f"{where}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TreecutError(f"{where}:{number} is not JSON ({error}).") from error


def score_responses(responses: Iterable[Mapping[str, Any]]) -> list[JudgedResponse]:
    """Judge responses that were recorded elsewhere, without any framework.

    Args:
        responses: mappings with the keys of `RecordedResponse`.

    Raises:
        TreecutError: a key is missing or has a value of the wrong type.
    """
    return [
        recorded_response(row, f"Response {number}").judge()
        for number, row in enumerate(responses, start=1)
    ]


def summarise_responses(
    judged: Sequence[JudgedResponse],
    pair_ids: Sequence[Hashable] = (),
    problems: Sequence[Hashable] = (),
) -> dict[TaskKind, dict[str, Rate]]:
    """The rates of judged responses by name, with those of causes, for each kind that occurs.

    Args:
        judged: the responses.
        pair_ids: for each of them the name of its pair, or None; without names no rates of pairs.
        problems: for each of them the name of its problem: several responses to it count with their
            mean, and so do several pairs with it. Without names each counts for itself.
    """
    names = problems or range(len(judged))
    rows: dict[TaskKind, dict[Hashable, list[dict[str, float]]]] = {}
    members: dict[Hashable, dict[bool, tuple[Hashable, JudgedResponse]]] = {}

    def add(name: Hashable, row: dict[str, float], *of: JudgedResponse) -> None:
        rows.setdefault(kind_of(*of), {}).setdefault(name, []).append(row)

    for number, (name, each) in enumerate(zip(names, judged, strict=True)):
        if each.dialogue is None:
            add(name, counts(each, causes=True), each)
        if pair_ids and (pair_id := pair_ids[number]) is not None:
            members.setdefault(pair_id, {})[each.unanswerable] = name, each
    for pair in members.values():
        if len(pair) == 2:
            (name, first), (_, second) = pair[True], pair[False]
            add(name, counts(first, second), first, second)
    return {
        kind: summarise([*map(mean_counts, rows[kind].values())]) for kind in RATES if kind in rows
    }
