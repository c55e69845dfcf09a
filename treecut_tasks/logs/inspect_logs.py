"""An Inspect log, scored or not, becomes a run and its responses."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSample,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
)
from inspect_ai.model import ChatMessage
from pydantic import Field
from pydantic_core import from_json

from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.recorded import response_to
from treecut_tasks.inspect_adapter.scorers import reasoning_of
from treecut_tasks.logs.records import (
    Batch,
    Count,
    Logged,
    Name,
    ProblemFacts,
    Response,
    Run,
    Seconds,
    Size,
    Words,
)
from treecut_tasks.logs.untrusted import one_line, safe_settings
from treecut_tasks.problems import UNKNOWN

_TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens")
_NO_INFLUENCE = (
    "max_retries", "timeout", "attempt_timeout", "max_connections", "cache", "batch", "seed"
)  # fmt: skip
_LIMITS = ("token_limit", "message_limit", "time_limit", "working_limit", "cost_limit")
_AT_ONCE = 1000


class _LoggedRun(Logged):
    """What a log says about all of its samples, in the metadata of the task."""

    treecut_tasks_version: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    prompt_sha256: str = ""
    data_set_sha256: str = ""
    dialogue: dict[str, Any] = Field(default_factory=dict)


class _LoggedUsage(Logged):
    """Tokens of one model."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_tokens: Count | None = None


# Parts of a judgement that are objects, or None.
_LONG = ("cause", "noticed", "diagnosis", "dialogue")


class _LoggedScore(Logged):
    """A score; ours has the record of a `JudgedResponse` for its metadata."""

    metadata: dict[str, Any] | None = None


class _LoggedSample(Logged):
    """A sample as its summary has it."""

    id: Name | int
    epoch: Size
    uuid: Name | None = None
    target: Name
    metadata: ProblemFacts
    scores: dict[str, _LoggedScore] | None = None
    model_usage: dict[str, _LoggedUsage] = Field(default_factory=dict)
    error: str | None = None
    started_at: Name | None = None
    working_time: Seconds | None = None

    @property
    def record(self) -> dict[str, Any] | None:
        """What our scorer put into the last score that has it whole."""
        for score in reversed((self.scores or {}).values()):
            record = score.metadata or {}
            # What is long is taken out of summaries, and a text stands in its place.
            if "verdict" in record and not isinstance(record.get("quote"), str):
                shortened = any(isinstance(record.get(each), str) for each in _LONG)
                return None if shortened else record
        return None


def read_inspect_log(path: Path, whole: bool) -> Batch:
    """Read the run and the responses of a log, finished or not.

    Judgements are taken from the summaries of samples, which is much faster than reading the samples;
    responses without one are judged from their words.
    """
    name = repr(str(path))
    header = read_eval_log(str(path), header_only=True)
    if "treecut_tasks_version" not in (header.eval.metadata or {}):
        task = one_line(header.eval.task)
        raise TreecutError(f"{name} is a log of the task {task!r}, not of one of TreeCut's.")
    about = _LoggedRun.model_validate(header.eval.metadata)
    samples: dict[tuple[int | str, int], tuple[_LoggedSample, EvalSample | None]] = {}
    if path.suffix == ".eval":
        samples = {(each.id, each.epoch): (each, None) for each in _summaries(path, name)}
        unread = {
            key
            for key, (each, _) in samples.items()
            if not each.error and (whole or each.record is None)
        }
    else:
        unread = None
    for sample in _whole(path, unread):
        own = sample.model_dump(include={"metadata", "scores"})
        logged = _checked(name, sample.summary().model_dump() | own)
        samples[logged.id, logged.epoch] = logged, None if logged.error else sample
    if not samples:
        raise TreecutError(
            f"{name} holds no samples (status {header.status}): run the task without "
            "--no-log-samples, and until at least one sample is finished."
        )
    latest = max((each.started_at for each, _ in samples.values() if each.started_at), default=None)
    run = _run(path, header, about, latest)
    return Batch(
        run, [_response(name, header, run, *each, whole=whole) for each in samples.values()]
    )


def inspect_words(
    path: Path, wanted: set[tuple[int | str, int]]
) -> dict[tuple[object, int], Words]:
    """The words of some responses, by identifier of the sample and repetition."""
    words: dict[tuple[object, int], Words] = {}
    for sample in _whole(path, wanted):
        start = _start(sample)
        words[sample.id, sample.epoch] = Words(
            str(sample.metadata.get("problem") or ""),
            str(sample.metadata.get("lacks") or ""),
            _said(sample.messages[:start]),
            _said(sample.messages[start:]) if _questions(sample) else sample.output.completion,
        )
    return words


def _said(messages: Sequence[ChatMessage]) -> str:
    return "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)


def _start(sample: EvalSample) -> int:
    """The place of the first message that is no part of the prompt; examples as turns are."""
    answered = bool(sample.messages) and sample.messages[-1].role == "assistant"
    return max(0, len(sample.messages) - 2 * _questions(sample) - answered)


def _questions(sample: EvalSample) -> int:
    """The number of questions in a dialogue; each has a reply."""
    dialogue = sample.metadata.get("dialogue")
    questions = dialogue.get("questions") if isinstance(dialogue, dict) else None
    return len(questions) if isinstance(questions, list) else 0


def _whole(path: Path, wanted: set[tuple[int | str, int]] | None) -> Iterator[EvalSample]:
    """Some samples (None: all) with all their words."""
    if path.suffix != ".eval":
        log = read_eval_log(str(path), resolve_attachments=True)
        for each in log.samples or []:
            if wanted is None or (each.id, each.epoch) in wanted:
                yield each
        return
    names = sorted(wanted or (), key=str)
    for start in range(0, len(names), _AT_ONCE):
        yield from read_eval_log_samples_by_id(
            str(path),
            names[start : start + _AT_ONCE],
            resolve_attachments=True,
            exclude_fields={"events", "store"},
        )


def _summaries(path: Path, name: str) -> Iterator[_LoggedSample]:
    """The summaries of samples; where a finished log has them in one file, from there.

    Inspect's function shortens all texts again, which takes five times as long.
    """
    with zipfile.ZipFile(path) as archive:
        if "summaries.json" in archive.namelist():
            summaries = from_json(archive.read("summaries.json"))
        else:
            summaries = [each.model_dump() for each in read_eval_log_sample_summaries(str(path))]
    for each in summaries:
        yield _checked(name, each)


def _checked(name: str, fields: dict[str, Any]) -> _LoggedSample:
    return validated(_LoggedSample, fields, f"{name}, sample {one_line(str(fields['id']))!r}")


def _response(
    name: str,
    header: EvalLog,
    run: Run,
    logged: _LoggedSample,
    sample: EvalSample | None,
    whole: bool,
) -> Response:
    facts, record = logged.metadata, None if whole else logged.record
    where = f"{name}, sample {logged.id!r}"
    recorded = judged = None
    if sample is not None:
        recorded = response_to(
            facts.model_dump(),
            where,
            id=str(sample.id),
            answer=logged.target,
            response=sample.output.completion,
            reasoning=reasoning_of(sample.output) or None,
            finish_reason=sample.output.stop_reason,
        )
        judged = recorded.judge() if record is None else None
    if record is not None:
        judged = JudgedResponse.from_record(record, f"{where}, judgement")
    tokens = {
        each: sum(getattr(used, each) or 0 for used in logged.model_usage.values())
        if logged.model_usage
        else None
        for each in _TOKENS
    }
    return Response(
        # Resumed runs copy the samples that were finished, with Inspect's identifiers.
        identifier=logged.uuid or f"{header.eval.eval_id} {logged.id} {logged.epoch}",
        problem_id=facts.problem_id or str(logged.id),
        task=run.tasks[0],
        sample=logged.id,
        epoch=logged.epoch,
        problem=facts,
        judged=judged,
        unanswerable=logged.target == UNKNOWN,
        recorded=recorded,
        prompt="" if sample is None else _said(sample.messages[: _start(sample)]),
        error=one_line(logged.error or ""),
        seconds=logged.working_time,
        **tokens,
    )


def _run(path: Path, header: EvalLog, about: _LoggedRun, latest: str | None) -> Run:
    spec = header.eval
    asked = spec.model_generate_config.model_dump(exclude_none=True)
    fewshot = about.parameters.get("fewshot") or 0
    examples = {name: about.parameters.get(name) for name in ("fewshot_examples", "fewshot_format")}
    return Run(
        path=str(path),
        framework="Inspect",
        framework_version=str(dict(spec.packages).get("inspect_ai", "")),
        package_version=about.treecut_tasks_version,
        tasks=(spec.task.rsplit("/", 1)[-1],),
        task_id=spec.task_id,
        model=spec.model,
        provider=spec.model.rpartition("/")[0],
        fewshot=fewshot,
        last_asked=latest or spec.created,
        status=header.status,
        planned=_planned(header),
        settings=safe_settings(
            {
                "task version": spec.task_version,
                "instruction": about.parameters.get("instruction", STANDARD),
                "prompt": about.prompt_sha256[:12],
                "oracle": about.dialogue.get("oracle"),
                **(examples if fewshot else {}),
                "solver": spec.solver,
                **{key: value for key, value in asked.items() if key not in _NO_INFLUENCE},
                **spec.config.model_dump(include=set(_LIMITS), exclude_none=True),
                **{key: each for key, each in spec.model_args.items() if key != "seed"},
            }
        ),
        facts=safe_settings(
            {
                "base_url": spec.model_base_url,
                "data set": about.data_set_sha256[:12],
                "seed": about.parameters.get("seed"),
            }
        ),
    )


def _planned(header: EvalLog) -> int | None:
    samples, limit = header.eval.dataset.samples, header.eval.config.limit
    if samples is None:
        return None
    if limit is not None:
        samples = min(samples, limit if isinstance(limit, int) else limit[1] - limit[0])
    return samples * (header.eval.config.epochs or 1)
