"""Inspect logs, scored or not, as runs and responses."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalLog,
    EvalSample,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
)
from pydantic import ValidationError

from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.inspect_adapter.scorers import reasoning_of
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.report.evidence import Batch, Response, Run, Words
from treecut_tasks.report.schemas import (
    LoggedJudgement,
    LoggedProblem,
    LoggedRun,
    LoggedSample,
)
from treecut_tasks.report.untrusted import one_line, safe_settings

_TRUNCATED = ("max_tokens", "model_length")
_TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens")
_NO_INFLUENCE = (
    "max_retries", "timeout", "attempt_timeout", "max_connections", "cache", "batch", "seed"
)  # fmt: skip
_LIMITS = ("token_limit", "message_limit", "time_limit", "working_limit", "cost_limit")
_AT_ONCE = 200


def read_inspect_log(path: Path, complain: Callable[[str], None]) -> Sequence[Batch]:
    """Read the run and the responses of a log, finished or not.

    Judgements are read where the log has them, from the summaries of samples, which is much faster
    than reading the samples; other responses are judged from their words.

    Args:
        path: the log.
        complain: not used: a log is read whole or not at all.

    Raises:
        TreecutError: the log is of another task, without samples, or has a value that cannot be.
    """
    name = repr(str(path))
    header = read_eval_log(str(path), header_only=True)
    if "treecut_tasks_version" not in (header.eval.metadata or {}):
        task = one_line(header.eval.task)
        raise TreecutError(f"{name} is a log of the task {task!r}, not of one of TreeCut's.")
    about = LoggedRun.model_validate(header.eval.metadata)
    if path.suffix == ".eval":
        samples: list[tuple[LoggedSample, EvalSample | None]] = [
            (_checked(name, each), None) for each in _summaries(path)
        ]
        unread = {(each.id, each.epoch) for each, _ in samples if not (each.error or each.record)}
        samples = [each for each in samples if (each[0].id, each[0].epoch) not in unread]
        samples += [(_checked(name, _fields(whole)), whole) for whole in _whole(path, unread)]
    else:
        wholes = read_eval_log(str(path)).samples or []
        samples = [(_checked(name, _fields(whole)), whole) for whole in wholes]
    if not samples:
        raise TreecutError(
            f"{name} holds no samples (status {header.status}): run the task without "
            "--no-log-samples, and until at least one sample is finished."
        )
    latest = max((each.started_at for each, _ in samples if each.started_at), default=None)
    run = _run(path, header, about, latest)
    return [Batch(run, [_response(name, header, run, *each) for each in samples])]


def inspect_words(
    run: Run, wanted: Iterable[tuple[str, int | str, int]]
) -> Iterator[tuple[tuple[str, int | str, int], Words]]:
    """The words of some responses of a run, by task, identifier of the sample, and repetition."""
    for sample in _whole(Path(run.path), {(sample, epoch) for _, sample, epoch in wanted}):
        messages = list(sample.messages)
        # With examples as turns, assistant messages belong to the prompt; the last is the response.
        if messages and messages[-1].role == "assistant":
            messages.pop()
        yield (
            (run.tasks[0], sample.id, sample.epoch),
            Words(
                problem=str(sample.metadata.get("problem") or ""),
                lacks=str(sample.metadata.get("lacks") or ""),
                prompt="\n\n".join(f"[{message.role}]\n{message.text}" for message in messages),
                response=sample.output.completion,
            ),
        )


def _whole(path: Path, wanted: Iterable[tuple[int | str, int]]) -> Iterator[EvalSample]:
    """Some samples with all their words; a JSON file is read once for all of them."""
    if path.suffix != ".eval":
        wanted = set(wanted)
        log = read_eval_log(str(path), resolve_attachments=True)
        yield from (each for each in log.samples or [] if (each.id, each.epoch) in wanted)
        return
    names = sorted(wanted, key=str)
    for start in range(0, len(names), _AT_ONCE):
        yield from read_eval_log_samples_by_id(
            str(path),
            names[start : start + _AT_ONCE],
            resolve_attachments=True,
            exclude_fields={"events", "store"},
        )


def _summaries(path: Path) -> list[dict[str, Any]]:
    """The summaries of samples; where a finished log has them in one file, from there.

    Inspect's function shortens all texts again, which takes five times as long.
    """
    with zipfile.ZipFile(path) as archive:
        if "summaries.json" in archive.namelist():
            summaries: list[dict[str, Any]] = json.loads(archive.read("summaries.json"))
            return summaries
    return [each.model_dump() for each in read_eval_log_sample_summaries(str(path))]


def _fields(sample: EvalSample) -> dict[str, Any]:
    """A sample as its summary has it, but with nothing taken out."""
    own = sample.model_dump(include={"metadata", "scores"})
    return sample.summary().model_dump() | own


def _checked(name: str, fields: dict[str, Any]) -> LoggedSample:
    try:
        return LoggedSample.model_validate(fields)
    except ValidationError as error:
        raise from_validation(error, f"{name}, sample {one_line(str(fields['id']))!r}") from error


def _response(
    name: str, header: EvalLog, run: Run, logged: LoggedSample, whole: EvalSample | None
) -> Response:
    judged: JudgedResponse | None = None
    if logged.record is not None:
        try:
            record = LoggedJudgement.model_validate(logged.record)
        except ValidationError as error:
            raise from_validation(error, f"{name}, sample {logged.id!r}, judgement") from error
        judged = JudgedResponse.from_record(record.model_dump())
    elif whole is not None and not logged.error:
        judged = _judge(whole, logged.metadata, logged.target)
    tokens = {
        each: sum(getattr(used, each) or 0 for used in logged.model_usage.values())
        if logged.model_usage
        else None
        for each in _TOKENS
    }
    return Response(
        # Resumed runs copy the samples that were finished, with Inspect's identifiers.
        identifier=logged.uuid or f"{header.eval.eval_id} {logged.id} {logged.epoch}",
        problem_id=logged.metadata.problem_id or str(logged.id),
        task=run.tasks[0],
        sample=logged.id,
        epoch=logged.epoch,
        problem=logged.metadata,
        judged=judged,
        unanswerable=logged.target == UNKNOWN,
        error=one_line(logged.error or ""),
        seconds=logged.working_time,
        **tokens,
    )


def _judge(sample: EvalSample, problem: LoggedProblem, answer: str) -> JudgedResponse:
    return judge_response(
        answer,
        sample.output.completion,
        truncated=sample.output.stop_reason in _TRUNCATED
        or (sample.limit is not None and sample.limit.type == "token"),
        problem=problem.problem,
        reasoning=reasoning_of(sample.output),
        theme=problem.theme_file
        if problem.theme_file and Path(problem.theme_file).is_file()
        else None,
    )


def _run(path: Path, header: EvalLog, about: LoggedRun, latest: str | None) -> Run:
    spec = header.eval
    asked = spec.model_generate_config.model_dump(exclude_none=True)
    limits = spec.config.model_dump(include=set(_LIMITS), exclude_none=True)
    fewshot = about.parameters.get("fewshot") or 0
    examples = {name: about.parameters.get(name) for name in ("fewshot_examples", "fewshot_format")}
    packages = dict(spec.packages)
    return Run(
        path=str(path),
        framework="Inspect",
        framework_version=str(packages.get("inspect_ai", "")),
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
                "prompt": about.prompt_sha256[:12],
                **(examples if fewshot else {}),
                "solver": spec.solver,
                **{key: value for key, value in asked.items() if key not in _NO_INFLUENCE},
                **limits,
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
    spec = header.eval
    samples, limit = spec.dataset.samples, spec.config.limit
    if samples is None:
        return None
    if limit is not None:
        samples = min(samples, limit if isinstance(limit, int) else limit[1] - limit[0])
    return samples * (spec.config.epochs or 1)
