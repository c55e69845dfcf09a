"""From a response and a row to a reward for reinforcement learning, by the judgement of the tasks.

Nothing here imports a training library: the adapters give plain functions with the signatures that
TRL and verifiers call.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from treecut_tasks.answers import answer_text
from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.judging import Ending, judge_response


def verdict(response: str | None, record: Mapping[str, Any], *, truncated: bool = False) -> Ending:
    """How a response ends, by what a careful reader says that it finally commits to.

    It is what the tasks' own rates count (`accuracy`, `wrong_number_rate`, `hallucination_rate`,
    `unknown_rate`, …), not the paper's rule, which any text that contains a phrase such as
    "cannot be determined" satisfies.

    Args:
        response: the visible text of the response; None counts as empty.
        record: a line of a data file or a row of a data set; only its `answer` is read, the price
            in digits or `unknown`.
        truncated: whether it is known that a token limit cut the response off.

    Raises:
        TreecutError: a record without an answer of that form.
    """
    try:
        answer = answer_text(record.get("answer"))
    except ValueError as error:
        raise TreecutError(
            f"The record to reward has the answer {record.get('answer')!r}: it {error}, so hand on the "
            "rows with the column 'answer' as they were made."
        ) from None
    return judge_response(answer, response, truncated=truncated).ending


@dataclass(frozen=True)
class Reward:
    """A reward function `(response, record) -> float` with a weight for each verdict.

    The defaults train a model to tell answerable from unanswerable problems:

    - A number on an unanswerable problem is the hallucination, and a wrong number on an answerable
      one is a false claim as well: both get the lowest reward.
    - `unknown` says that the conditions do not suffice. Where they do, that is false too, but it
      misleads less than a number: half the price. Were it free, a model that is right in less than
      half of its attempts would learn to call hard problems unanswerable. On a problem that it
      knows to be answerable, a number pays as soon as it is right with a probability above
      `(false_unknown - wrong_number) / (right - wrong_number)`: 1/4 by default.
    - No answer is never better than a wrong one, or a model would learn to trail off.

    On average over pairs, telling the kinds apart and solving gets 1, `unknown` to everything 0.25,
    a number to everything 0 at best, and silence -1.

    Attributes:
        right: for the right number on an answerable problem.
        wrong_number: for another number on an answerable problem.
        false_unknown: for `unknown` on an answerable problem.
        unknown: for `unknown` on an unanswerable problem.
        no_answer: for a response that commits to neither a number nor `unknown`: empty, refused,
            cut off, or undecided.
        hallucination: for a number on an unanswerable problem; None, the default, means as
            `wrong_number`.

    Raises:
        TreecutError: a weight that is not a finite number.
    """

    right: float = 1.0
    wrong_number: float = -1.0
    false_unknown: float = -0.5
    unknown: float = 1.0
    no_answer: float = -1.0
    hallucination: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "hallucination" and value is None:
                continue
            # Written so that infinity and what is no number fail; truth values are no numbers.
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (is_number and abs(value) <= sys.float_info.max):
                raise TreecutError(
                    f"The reward {field.name} is {value!r}: it must be a finite number, such as "
                    f"{field.default if field.default is not None else self.wrong_number}."
                )

    def __call__(
        self, response: str | None, record: Mapping[str, Any], *, truncated: bool = False
    ) -> float:
        """The reward of a response; see `verdict` for the arguments and the error."""
        found = verdict(response, record, truncated=truncated)
        if found == "hallucination" and self.hallucination is None:
            found = "wrong_number"
        return float(getattr(self, found))

    def for_trl(self) -> Callable[..., list[float]]:
        """A reward function for TRL, `GRPOTrainer(reward_funcs=reward.for_trl(), …)` for example.

        The data set needs a column `answer` beside `prompt`. Completions are texts, or lists of
        messages of which the last of the assistant counts. TRL does not say which completions were
        cut off, so they are judged by their text alone; `mask_truncated_completions=True` in
        TRL's configuration leaves them out of the loss.

        Returns:
            A function `treecut_reward(completions, answer, **other) -> list[float]`; TRL logs it as
            `rewards/treecut_reward`. It raises TreecutError where the column is missing.
        """
        # A bound method can be pickled, as TRL's asynchronous trainers need.
        return self.treecut_reward

    def treecut_reward(
        self,
        completions: Sequence[object],
        answer: Sequence[object] | None = None,
        **_: object,
    ) -> list[float]:
        """One reward for each completion; see `for_trl`."""
        if answer is None:
            raise TreecutError(
                "The rows to reward have no column 'answer': keep it in the data set that the trainer "
                "gets, beside 'prompt'."
            )
        return [
            self(_text_of(completion), {"answer": row_answer})
            for completion, row_answer in zip(completions, answer, strict=True)
        ]

    def for_verifiers(self) -> Callable[..., Awaitable[float]]:
        """A reward function for the tasks of verifiers (`import verifiers.v1 as vf`, from 0.3).

        The task's data needs a field `answer`. Name the function in the task's configuration,
        `vf.TaskConfig(rewards={"treecut": {"fn": "my_module:my_reward"}})`, or await it in a method
        of the task that `@vf.reward` marks: `return await my_reward(self.data, trace)`.

        Returns:
            A function `async treecut_reward(task, trace) -> float`.
        """

        async def treecut_reward(task: Any, trace: Any) -> float:
            record = {"answer": getattr(task, "answer", None)}
            return self(trace.last_reply, record, truncated=trace.is_truncated)

        return treecut_reward

    def for_verifiers_rubric(self) -> Callable[..., float]:
        """A reward function for `verifiers.Rubric`, which verifiers has up to version 0.3.

        The data set needs a column `answer`. Note that a rubric only logs what a reward function
        raises, and goes on with 0.

        Returns:
            A function `treecut_reward(completion, answer, state) -> float`.
        """

        def treecut_reward(
            completion: object, answer: object, state: Mapping[str, Any] | None = None
        ) -> float:
            truncated = bool(state and state.get("is_truncated"))
            return self(_text_of(completion), {"answer": answer}, truncated=truncated)

        return treecut_reward


def _text_of(completion: object) -> str:
    """The text of a completion: a string, or messages, of which the last of the assistant counts."""
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, Sequence):
        return ""
    of_assistant = [message for message in completion if _part(message, "role") == "assistant"]
    content = _part(of_assistant[-1], "content") if of_assistant else None
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    texts = [_part(part, "text") for part in content if _part(part, "type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _part(message: object, name: str) -> object:
    """A part of a message, which is a mapping in TRL and may be an object in verifiers."""
    if isinstance(message, Mapping):
        return message.get(name)
    return getattr(message, name, None)
