"""What a report is made from: runs, one table of their responses, and what had to be left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd
from pydantic import Field

from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.rates import counts, definitions, pair_counts
from treecut_tasks.report.schemas import Count, Logged, LoggedProblem, Name, Size

if TYPE_CHECKING:
    from treecut_tasks.report.labels import Variant

Progress = Callable[[int, int, str], None]
"""Told how many steps are done, how many there are, and what the next one is."""

CONFIGURATION = ("ans_depth", "num_vars", "cut_depth", "composite_name")
"""The structure of a problem; what else can change a rate makes models different (see `labels`)."""

GROUP = ("model", "unanswerable", "fewshot")
"""Responses that one rate may be made of have these in common, and the configuration."""


class Run(Logged):
    """One run of a model with one set of settings: an Inspect log, or lm-eval tasks of one call.

    Attributes:
        path: file that it was read from.
        framework: `Inspect`, `lm-eval` or `recorded`.
        framework_version: its version.
        package_version: version of treecut-tasks that made the problems.
        tasks: names of the tasks.
        task_id: identifier that a resumed run shares with the interrupted one; empty if there is none.
        model: name of the model as the framework knows it.
        provider: what stands before the model's short name, or serves it.
        fewshot: number of worked examples in each prompt.
        last_asked: when its last response was asked for, in ISO 8601.
        status: success, error, cancelled or started.
        planned: how many responses it was to give; None if the log does not tell.
        settings: everything else that can change a rate of the whole run, by name.
        facts: what is worth knowing and changes no rate.
    """

    path: str
    framework: Literal["Inspect", "lm-eval", "recorded"]
    framework_version: str = ""
    package_version: str = ""
    tasks: tuple[str, ...]
    task_id: str = ""
    model: Name
    provider: str = ""
    fewshot: Size = 0
    last_asked: str = ""
    status: str = "success"
    planned: Count | None = None
    settings: dict[str, str] = Field(default_factory=dict)
    facts: dict[str, str] = Field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the model draws its verdicts at random, with probabilities that somebody set."""
        return self.model.startswith("treecut/simulated")

    @property
    def reference(self) -> bool:
        """Whether the model is one of ours or a mock: it says nothing about language models."""
        return self.model.startswith(("treecut/", "mockllm/"))


@dataclass(frozen=True)
class Response:
    """One response as a reader gives it.

    Attributes:
        identifier: the same for copies of the response, whatever file they are in.
        problem_id: identifier of the problem, made from its content.
        task: name of the task, for finding the words again.
        sample: the framework's own identifier of the sample, for finding the words again.
        epoch: number of the repetition, from 1.
        problem: the problem's configuration.
        judged: the response judged; None if there is none (an error).
        unanswerable: whether the problem is unanswerable.
        error: failure of the model or the framework, in its own words.
        input_tokens: tokens of the prompt; None if the log does not tell.
        output_tokens: tokens of the response, those of its reasoning included.
        reasoning_tokens: tokens of the reasoning alone.
        seconds: time that the response took.
    """

    identifier: str
    problem_id: str
    task: str
    sample: int | str
    epoch: int
    problem: LoggedProblem
    judged: JudgedResponse | None
    unanswerable: bool
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float | None = None

    def row(self) -> dict[str, Any]:
        """The response as a row of the table of responses; rates have the names that they have everywhere."""
        problem, judged = self.problem, self.judged
        row: dict[str, Any] = {
            "identifier": self.identifier,
            "problem_id": self.problem_id,
            "pair_id": problem.pair_id,
            "task": self.task,
            "sample": self.sample,
            "epoch": self.epoch,
            "unanswerable": self.unanswerable,
            "ans_depth": problem.ans_depth,
            "num_vars": problem.num_vars,
            "cut_depth": problem.cut_depth,
            "composite_name": problem.composite_name,
            **{name: getattr(problem, name) for name in ("order", "theme", "sampling", "split")},
            # Unanswerable problems are the same whatever their counterparts are.
            "counterpart": None if self.unanswerable else problem.counterpart,
            "problems": "generated" if problem.source is None else _file_name(problem.source),
            "seed": problem.seed,
            "system_message": problem.system_message_sent,
            "scored": judged is not None,
            "judged": judged,
            "ending": "no_verdict",
            "truncated": judged is not None
            and (judged.truncated or "truncated" in judged.judgement.reason),
            "error": self.error,
            **{
                name: getattr(self, name)
                for name in ("input_tokens", "output_tokens", "reasoning_tokens", "seconds")
            },
        }
        if judged is not None:
            judgement, cause = judged.judgement, judged.cause
            row |= {
                "ending": judged.ending,
                "value": judgement.value,
                "tier": judgement.tier,
                "reason": judgement.reason,
                "quote": judgement.quote.text if judgement.quote else None,
                "says_unknown": judged.says_unknown,
                **counts(judged),
            }
            if cause is not None:
                row |= {"cause": cause.kind, "cause_explained": cause.description}
                row |= {f"{name}_by_chance": share for name, share in cause.by_chance.items()}
        return row


def _file_name(source: str) -> str:
    """The name of a data file; a problem's source is its path and the number of its line."""
    return source.rsplit(":", 1)[0].replace("\\", "/").rsplit("/", 1)[-1]


_COLUMNS = {
    "value": "object", "tier": "object", "reason": "object", "quote": "object", "cause": "object",
    "cause_explained": "object", "paper_hallucination_rate": float, "hallucination_rate": float,
    "unknown_rate": float, "accuracy": float, "wrong_number_rate": float,
    "false_unknown_rate": float, "no_answer_rate": float, "same_price_by_chance": float,
    "any_by_chance": float, "ans_depth": "Int64", "num_vars": "Int64", "cut_depth": "Int64",
    "seed": "object", "input_tokens": float, "output_tokens": float, "reasoning_tokens": float,
    "seconds": float, "composite_name": "boolean", "says_unknown": "boolean",
}  # fmt: skip
"""Columns that may be empty in all rows, with their types."""


class Words(NamedTuple):
    """What a reader wants to see of one response.

    Attributes:
        problem: the problem's text.
        lacks: the sentence that was cut out of it; empty for answerable problems.
        prompt: all messages that the model was sent.
        response: what it answered.
    """

    problem: str
    lacks: str
    prompt: str
    response: str


class LeftOut(NamedTuple):
    """Something that could not be used, and why, in one sentence that tells the remedy."""

    path: str
    message: str


class Batch(NamedTuple):
    """A run and its responses, as a reader gives them."""

    run: Run
    responses: list[Response]


@dataclass(frozen=True)
class Evidence:
    """All that was read.

    Attributes:
        runs: the runs, the oldest first.
        responses: one row for each response (see `Response.row`), with the number of its `run` from 0,
            its `fewshot`, and the label of its `model`.
        variants: the models, by label (see `labels`).
        left_out: what could not be used.
        superseded: number of responses left out because they are copies, or because a resumed run
            holds them again.
    """

    runs: tuple[Run, ...]
    responses: pd.DataFrame
    variants: Mapping[str, Variant]
    left_out: tuple[LeftOut, ...] = ()
    superseded: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models, in the order in which every table has them."""
        return tuple(self.variants)

    @cached_property
    def problems(self) -> pd.DataFrame:
        """One row for each problem that a model answered: the mean of its responses with a verdict.

        Repetitions, and runs of the same problems, do not count as more problems. `headline` is the
        paper's rate: hallucination by its rule, or accuracy.
        """
        frame = self.responses[self.responses["scored"]]
        rates = [name for name, kind in _COLUMNS.items() if name.endswith(("rate", "accuracy"))]
        keys = [*GROUP, *CONFIGURATION, "problem_id"]
        means = frame.groupby(keys, dropna=False, observed=True)[rates].mean()
        means["pair_id"] = frame.groupby(keys, dropna=False, observed=True)["pair_id"].first()
        problems = means.reset_index()
        problems["headline"] = problems["paper_hallucination_rate"].where(
            problems["unanswerable"], problems["accuracy"]
        )
        return problems

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair of which a model answered both members: its rates, means of repetitions."""
        scored = self.responses[self.responses["scored"] & self.responses["pair_id"].notna()]
        keys = ["fewshot", "pair_id", "epoch"]
        found = []
        for model in self.models:
            own = self.asked_alike(scored, model)
            members = [
                own.loc[own["unanswerable"] == kind, [*keys, "model", "judged"]]
                for kind in (True, False)
            ]
            joint = members[0].merge(members[1], on=keys)
            joint = joint[(joint["model_x"] == model) | (joint["model_y"] == model)]
            rates = [
                pair_counts(one, two)
                for one, two in zip(joint["judged_x"], joint["judged_y"], strict=True)
            ]
            frame = pd.DataFrame(rates, index=joint.index, columns=[*definitions("paired")])
            frame[["fewshot", "pair_id"]] = joint[["fewshot", "pair_id"]]
            means = frame.groupby(["fewshot", "pair_id"]).mean().reset_index()
            means.insert(0, "model", model)
            found.append(means)
        return pd.concat(found, ignore_index=True)

    def asked_alike(self, frame: pd.DataFrame, model: str) -> pd.DataFrame:
        """The rows of a model, and those to which the settings that set it apart do not apply."""
        own = self.variants[model]
        labels = [label for label, other in self.variants.items() if other.within(own)]
        return frame[frame["model"].isin(labels)]


def gather(
    batches: Iterable[Batch],
    left_out: Sequence[LeftOut] = (),
    names: Mapping[str, str] | None = None,
) -> Evidence:
    """Join what readers gave; of copies, and of what a resumed run holds again, the newest counts.

    Args:
        batches: what was read.
        left_out: what could not be.
        names: names that models shall have, by the names that they have in logs.
    """
    from treecut_tasks.report.labels import label_models

    ordered = sorted(batches, key=lambda batch: (batch.run.last_asked, _content(batch)))
    runs = [batch.run for batch in ordered]
    frame = pd.DataFrame(
        {"run": number, "fewshot": batch.run.fewshot, **response.row()}
        for number, batch in enumerate(ordered)
        for response in batch.responses
    )
    frame = frame.reindex(columns=list(dict.fromkeys([*frame.columns, *_COLUMNS]))).astype(_COLUMNS)
    total = len(frame)
    frame["task_id"] = [runs[run].task_id or f"run {run}" for run in frame["run"]]
    frame = frame.sort_values(["scored", "run"], kind="stable")
    frame = frame.drop_duplicates("identifier", keep="last")
    resumed = ["task_id", "task", "sample", "epoch"]
    frame = frame.drop_duplicates(resumed, keep="last")
    frame = frame.sort_index().drop(columns=["identifier", "task_id"]).reset_index(drop=True)
    kept = sorted(frame["run"].unique())
    frame["run"] = frame["run"].map({old: new for new, old in enumerate(kept)})
    runs = [runs[number] for number in kept]
    labels, variants = label_models(runs, frame, names or {})
    frame.insert(0, "model", labels)
    return Evidence(tuple(runs), frame, variants, tuple(left_out), total - len(frame))


def _content(batch: Batch) -> str:
    """What a run holds, for an order that depends on neither the clock nor random names."""
    held = sorted(
        (each.problem_id, each.epoch, str(each.judged and each.judged.record()))
        for each in batch.responses
    )
    settings = sorted(batch.run.settings.items())
    return hashlib.sha256(repr((batch.run.model, settings, held)).encode()).hexdigest()
