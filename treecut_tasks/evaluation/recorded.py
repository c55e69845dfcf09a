"""Responses that were recorded elsewhere become judged responses and rates, without any framework."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictBool, field_validator

from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.clarification import DialogueRecord
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.rates import Rate, TaskKind, counts, kind_of, summarise
from treecut_tasks.problems import is_answer

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
    answer: str
    response: str | None
    truncated: StrictBool = False
    finish_reason: str | None = None
    theme: str | None = None
    pair_id: str | None = None
    reasoning: str | None = None
    instruction: str = STANDARD
    dialogue: DialogueRecord | None = None

    @field_validator("answer", mode="before")
    @classmethod
    def _price_or_unknown(cls, value: object) -> object:
        text = str(value) if type(value) is int else value
        if not isinstance(text, str) or not is_answer(text):
            raise ValueError("must be 'unknown' or a number such as 11")
        return text

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
    judged: Sequence[JudgedResponse], pair_ids: Sequence[str | None] = ()
) -> dict[TaskKind, dict[str, Rate]]:
    """The rates of judged responses by name, with those of causes, for each kind that occurs.

    Args:
        judged: the responses.
        pair_ids: for each of them the name of its pair, or None; without names no rates of pairs.
    """
    rows: dict[TaskKind, list[dict[str, float]]] = {"unanswerable": [], "answerable": []}
    members: dict[str, dict[bool, JudgedResponse]] = {}
    for number, each in enumerate(judged):
        if each.dialogue is None:
            rows[kind_of(each)].append(counts(each, causes=True))
        if pair_ids and (pair_id := pair_ids[number]) is not None:
            members.setdefault(pair_id, {})[each.unanswerable] = each
    for pair in members.values():
        if len(pair) == 2:
            both = pair[True], pair[False]
            rows.setdefault(kind_of(*both), []).append(counts(*both))
    return {kind: summarise(each) for kind, each in rows.items() if each}
