"""What a report is made from: runs, their responses in one tidy table, and what had to be left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


UNEXPLAINED = "unexplained"
"""The cause of a wrong number that no false step explains."""


@dataclass(frozen=True)
class ResponseRow:
    """One response: a row of the table of responses. The attributes are its columns.

    Attributes:
        run: position of the run that it belongs to.
        problem_id: identifier of the problem, made from its content.
        pair_id: identifier of the pair; an unanswerable problem and its counterpart share it.
        epoch: number of the repetition, from 1.
        unanswerable: whether the problem is unanswerable.
        ans_depth: distance from the root to the questioned variable; missing if unknown.
        num_vars: number of variables; missing if unknown.
        cut_depth: distance from the questioned variable to the cut; missing if unknown.
        composite_name: whether items have composite names; missing if unknown.
        fewshot: number of worked examples in the prompt.
        order: order of the sentences.
        theme: theme of the problem.
        sampling: published or paper.
        counterpart: full or matched.
        seed: seed of the problem's stream; missing if unknown.
        scored: whether there is a verdict; all that follows is empty otherwise.
        hallucination: 1 if the paper's rule counts a hallucination; missing for answerable problems.
        accuracy: 1 if the right number was given; missing for unanswerable problems.
        wrong_number: 1 if another number was given; missing for unanswerable problems.
        false_unknown: 1 if an answerable problem was called unknown; missing for unanswerable ones.
        outcome: number, unknown or none, what a careful reader finds; error if there is no verdict.
        reason: how the outcome was decided.
        cause: the kind of false step that explains a wrong number; `unexplained` if none does, and
            empty if that was not asked.
        same_price_by_chance: share of guesses that `same_price` would have explained as well;
            missing if that was not asked.
        any_by_chance: share of guesses that any false step would have explained.
        truncated: whether a token limit cut the response off.
        errored: whether the model or the framework failed on the problem.
        error: the failure in its own words.
        input_tokens: tokens of the prompt; missing if the log does not tell.
        output_tokens: tokens of the response, those of its reasoning included.
        reasoning_tokens: tokens of the reasoning alone.
        seconds: time that the response took.
    """

    run: int
    problem_id: str
    pair_id: str | None
    epoch: int
    unanswerable: bool
    ans_depth: int | None
    num_vars: int | None
    cut_depth: int | None
    composite_name: bool | None
    fewshot: int
    order: str | None
    theme: str | None
    sampling: str | None
    counterpart: str | None
    seed: int | None
    scored: bool
    hallucination: float = math.nan
    accuracy: float = math.nan
    wrong_number: float = math.nan
    false_unknown: float = math.nan
    outcome: str = "error"
    reason: str = ""
    cause: str = ""
    same_price_by_chance: float = math.nan
    any_by_chance: float = math.nan
    truncated: bool = False
    errored: bool = False
    error: str = ""
    input_tokens: float = math.nan
    output_tokens: float = math.nan
    reasoning_tokens: float = math.nan
    seconds: float = math.nan


_NULLABLE = {
    "ans_depth": "Int64",
    "num_vars": "Int64",
    "cut_depth": "Int64",
    "seed": "Int64",
    "composite_name": "boolean",
}


def responses_frame(rows: list[ResponseRow]) -> pd.DataFrame:
    """The table of responses, with the columns of `ResponseRow` and fitting types."""
    import pandas as pd

    names = [each.name for each in fields(ResponseRow)]
    frame = pd.DataFrame(
        [tuple(getattr(row, name) for name in names) for row in rows], columns=names
    )
    for name, kind in _NULLABLE.items():
        frame[name] = frame[name].astype(kind)
    for name in ("unanswerable", "scored", "truncated", "errored"):
        frame[name] = frame[name].astype(bool)
    for each in fields(ResponseRow):
        if each.type == "float":
            frame[each.name] = frame[each.name].astype(float)
    return frame


@dataclass(frozen=True)
class Run:
    """One run of a task with a model: an Inspect log, or lm-eval results of one kind.

    Attributes:
        path: file that it was read from.
        framework: `Inspect` or `lm-eval`.
        framework_version: its version.
        package_version: version of treecut-tasks that made the problems.
        tasks: names of the tasks.
        task_version: version of the task as logged.
        task_id: identifier that a resumed run shares with the interrupted one; empty if there is none.
        model: name of the model as the framework knows it.
        kind: unanswerable, answerable or paired.
        fewshot: number of worked examples in each prompt.
        created: when it was started, in ISO 8601.
        status: success, error, cancelled or started.
        planned: how many responses it was to give; None if the log does not tell.
        parameters: parameters of the task.
        settings: generation settings that were asked for.
        sent: generation settings that the provider got, taken from one request; empty if unknown.
        system_message: whether the chain-of-thought system message was sent: cot or none.
        prompt: version of the prompt; empty if unknown.
        data_set: fingerprint of the data set; empty if unknown.
        packages: versions of packages.
    """

    path: str
    framework: str
    framework_version: str
    package_version: str
    tasks: tuple[str, ...]
    task_version: str
    task_id: str
    model: str
    kind: str
    fewshot: int
    created: str
    status: str
    planned: int | None
    parameters: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    sent: dict[str, Any] = field(default_factory=dict)
    system_message: str = ""
    prompt: str = ""
    data_set: str = ""
    packages: dict[str, str] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the model draws its verdicts at random, with probabilities that somebody set."""
        return self.model.startswith("treecut/simulated")

    @property
    def reference(self) -> bool:
        """Whether the model is one of ours or a mock: it says nothing about language models."""
        return self.model.startswith(("treecut/", "mockllm/"))


@dataclass(frozen=True)
class LeftOut:
    """Something that could not be used, and why, in one sentence that tells the remedy."""

    path: str
    message: str


@dataclass(frozen=True)
class Evidence:
    """All that was read.

    Attributes:
        runs: the runs, the oldest first.
        responses: one row for each response (see `ResponseRow`).
        left_out: what could not be used.
        superseded: number of responses left out because a later run of the same task, resumed, or
            a copy of the same log holds them too.
    """

    runs: tuple[Run, ...]
    responses: pd.DataFrame
    left_out: tuple[LeftOut, ...] = ()
    superseded: int = 0


@dataclass(frozen=True)
class ResponseText:
    """The words of one response.

    Attributes:
        prompt: all messages that the model was sent.
        response: what it answered.
    """

    prompt: str
    response: str
