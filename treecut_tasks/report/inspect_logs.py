"""Inspect logs, read through Inspect's own data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspect_ai.analysis import SampleColumn, samples_df
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_samples_by_id,
)

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import JudgedResponse, counts
from treecut_tasks.report.evidence import ResponseRow, ResponseText, Run
from treecut_tasks.report.sources import Source
from treecut_tasks.report.values import one_line, optional_bool, optional_int, without_secrets

if TYPE_CHECKING:
    import pandas as pd

_TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens")
_NOT_SETTINGS = ("max_retries", "timeout", "attempt_timeout", "max_connections", "cache", "batch")


def read_inspect_log(source: Source) -> tuple[Run, list[ResponseRow], list[str]]:
    """Read the run and the responses of a log, finished or not.

    Args:
        source: the log.

    Returns:
        The run, its responses (of run 0), and a unique identifier for each response.

    Raises:
        TreecutError: the log is damaged, of another task, or without samples.
    """
    name = str(source.path)
    try:
        header = read_eval_log(name, header_only=True)
    except Exception as error:  # Whatever Inspect stumbles over, the file is at fault.
        raise _damaged(name, error) from error
    metadata = header.eval.metadata or {}
    if "treecut_tasks_version" not in metadata:
        raise TreecutError(
            f"{name!r} is a log of the task {header.eval.task!r}, not of one of TreeCut's: left out."
        )
    try:
        # Of a JSON file there is no part to read; and by its path Inspect takes it for a log only if it
        # is named as Inspect names logs.
        log = name if source.path.suffix == ".eval" else read_eval_log(name)
        frame = samples_df(log, columns=_COLUMNS, quiet=True)
        first = None if frame.empty else _first_sample(name, frame)
    except Exception as error:
        raise _damaged(name, error) from error
    if frame.empty:
        raise TreecutError(
            f"{name!r} holds no samples (status {header.status}): run the task without --no-log-samples, "
            "and until at least one sample is finished."
        )
    fewshot = int((metadata.get("parameters") or {}).get("fewshot") or 0)
    rows = [_row(fewshot, record) for record in frame.to_dict("records")]
    # Resumed runs copy the samples that were finished, with Inspect's identifiers.
    return _run(name, header, first), rows, [str(identifier) for identifier in frame["sample_id"]]


def inspect_texts(path: str, wanted: Sequence[tuple[str, int]]) -> list[ResponseText]:
    """The words of some responses.

    Args:
        path: the log.
        wanted: identifier of the problem and number of the repetition, for each response.
    """
    return [_text(sample) for sample in _samples(path, wanted, {"events", "store"})]


def _samples(
    path: str, wanted: Sequence[tuple[str, int]], without: set[str] | None = None
) -> list[EvalSample]:
    """Some samples whole; a JSON file is read once for all of them."""
    if path.endswith(".eval"):
        return read_eval_log_samples_by_id(
            path, wanted, resolve_attachments=True, exclude_fields=without
        )
    log = read_eval_log(path, resolve_attachments=True)
    samples = {(str(sample.id), sample.epoch): sample for sample in log.samples or []}
    return [samples[key] for key in wanted]


def _damaged(name: str, error: Exception) -> TreecutError:
    return TreecutError(
        f"{name!r} cannot be read as an Inspect log ({one_line(str(error)) or type(error).__name__}): "
        "it is damaged or half-written; `inspect log recover` or `inspect eval-retry` may help."
    )


def _judgement(sample: EvalSampleSummary | EvalSample) -> Any:
    """The judged response that our scorer logged, with what it counts; of the last score that has one."""
    for score in reversed((sample.scores or {}).values()):
        metadata = score.metadata or {}
        if "says_unknown" in metadata and "verdict" in metadata:
            judged = JudgedResponse.from_record(metadata)
            return {**metadata, "rates": counts(judged, causes=True)}
    return None


def _usage(sample: EvalSampleSummary | EvalSample) -> Any:
    used = list((sample.model_usage or {}).values())
    if not used:
        return None
    return {name: sum(getattr(usage, name) or 0 for usage in used) for name in _TOKENS}


def _error(sample: EvalSampleSummary | EvalSample) -> Any:
    return getattr(sample.error, "message", sample.error)


def _limit(sample: EvalSampleSummary | EvalSample) -> Any:
    return getattr(sample.limit, "type", sample.limit)


# Everything is in the summaries of samples, which are much faster to read than the samples.
_COLUMNS = [
    SampleColumn("id", path="id", required=True, type=str),
    SampleColumn("epoch", path="epoch", required=True),
    SampleColumn("target", path=lambda sample: str(sample.target)),
    SampleColumn("metadata", path=lambda sample: sample.metadata),
    SampleColumn("judgement", path=_judgement),
    SampleColumn("usage", path=_usage),
    SampleColumn("error", path=_error),
    SampleColumn("limit", path=_limit),
    SampleColumn("seconds", path="working_time"),
]


def _row(fewshot: int, record: Mapping[str, Any]) -> ResponseRow:
    metadata = _object(record["metadata"])
    judgement = _object(record["judgement"])
    usage = _object(record["usage"])
    rates = judgement.get("rates", {})
    error = "" if _missing(record["error"]) else str(record["error"])
    unanswerable = metadata.get("unanswerable")
    if unanswerable is None:
        unanswerable = record["target"] == "unknown"
    limit = "" if _missing(record["limit"]) else str(record["limit"])
    return ResponseRow(
        run=0,
        problem_id=str(record["id"]),
        pair_id=metadata.get("pair_id"),
        epoch=int(record["epoch"]),
        unanswerable=bool(unanswerable),
        ans_depth=optional_int(metadata.get("ans_depth")),
        num_vars=optional_int(metadata.get("num_vars")),
        cut_depth=optional_int(metadata.get("cut_depth")),
        composite_name=optional_bool(metadata.get("composite_name")),
        fewshot=fewshot,
        order=metadata.get("order"),
        theme=metadata.get("theme"),
        sampling=metadata.get("sampling"),
        counterpart=metadata.get("counterpart"),
        seed=optional_int(metadata.get("seed")),
        scored=bool(rates),
        hallucination=_rate(rates, "paper_hallucination_rate"),
        accuracy=_rate(rates, "accuracy"),
        wrong_number=_rate(rates, "wrong_number_rate"),
        false_unknown=_rate(rates, "false_unknown_rate"),
        outcome=str(judgement.get("verdict", "error")),
        reason=str(judgement.get("reason", "")),
        cause=(judgement.get("cause") or {}).get("kind", ""),
        same_price_by_chance=_rate(rates, "cause_same_price_by_chance"),
        any_by_chance=_rate(rates, "cause_any_by_chance"),
        truncated=bool(judgement.get("truncated")) or limit == "token",
        errored=bool(error) or not rates,
        error=one_line(error),
        input_tokens=_rate(usage, "input_tokens"),
        output_tokens=_rate(usage, "output_tokens"),
        reasoning_tokens=_rate(usage, "reasoning_tokens"),
        seconds=math.nan if _missing(record["seconds"]) else float(record["seconds"]),
    )


def _object(text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        return {}
    value = json.loads(text)
    return value if isinstance(value, dict) else {}


def _missing(value: Any) -> bool:
    return value is None or value != value or str(value) in ("", "<NA>")


def _rate(rates: Mapping[str, Any], name: str) -> float:
    value = rates.get(name)
    return math.nan if value is None else float(value)


def _first_sample(name: str, frame: pd.DataFrame) -> EvalSample:
    """A sample whole, for the settings that the provider got; one with a verdict if possible."""
    scored = frame[frame["judgement"].notna()]
    chosen = (scored if len(scored) else frame).iloc[0]
    key = (str(chosen["id"]), int(chosen["epoch"]))
    return _samples(name, [key])[0]


def _run(name: str, header: EvalLog, sample: EvalSample | None) -> Run:
    spec = header.eval
    metadata = spec.metadata or {}
    packages = dict(spec.packages)
    settings = spec.model_generate_config.model_dump(exclude_none=True)
    samples, epochs = spec.dataset.samples, spec.config.epochs or 1
    limit = spec.config.limit
    planned = samples
    if planned is not None and limit is not None:
        size = limit if isinstance(limit, int) else limit[1] - limit[0]
        planned = min(planned, size)
    return Run(
        path=name,
        framework="Inspect",
        framework_version=str(packages.get("inspect_ai", "")),
        package_version=str(metadata["treecut_tasks_version"]),
        tasks=(spec.task.rsplit("/", 1)[-1],),
        task_version=str(spec.task_version),
        task_id=spec.task_id,
        model=spec.model,
        kind=str(metadata.get("kind", "")),
        fewshot=int((metadata.get("parameters") or {}).get("fewshot") or 0),
        created=spec.created,
        status=header.status,
        planned=None if planned is None else planned * epochs,
        parameters=dict(metadata.get("parameters") or {}),
        settings=without_secrets(
            {
                **{key: value for key, value in settings.items() if key not in _NOT_SETTINGS},
                **{f"model_args.{key}": value for key, value in spec.model_args.items()},
                **({"base_url": spec.model_base_url} if spec.model_base_url else {}),
            }
        ),
        sent=_sent(sample),
        system_message=str((sample.metadata if sample else {}).get("system_message_sent", "")),
        prompt=_prompt_version(metadata),
        data_set=str(metadata.get("data_set_sha256", ""))[:12],
        packages={key: str(value) for key, value in packages.items()},
    )


def _prompt_version(metadata: Mapping[str, Any]) -> str:
    if "prompt_version" not in metadata:
        return ""
    return f"{metadata['prompt_version']} ({str(metadata.get('prompt_sha256', ''))[:12]})"


def _sent(sample: EvalSample | None) -> dict[str, Any]:
    """The settings in the request that went to the provider, without what was said in it.

    Where the provider does not log its requests, the settings that Inspect handed to it.
    """
    event = (
        next((each for each in sample.events if each.event == "model"), None) if sample else None
    )
    if event is None:
        return {}
    if event.call is not None and event.call.request:
        request = {
            key: value
            for key, value in event.call.request.items()
            if key not in ("messages", "input", "prompt", "contents", "system", "instructions")
            and isinstance(value, str | int | float | bool | dict)
        }
    else:
        request = event.config.model_dump(exclude_none=True)
        request = {key: value for key, value in request.items() if key not in _NOT_SETTINGS}
    asked = event.model.rsplit("/", 1)[-1]
    answered = (sample.output.model if sample else "").rsplit("/", 1)[-1]
    if answered and answered != asked:
        request["model that answered"] = answered
    return without_secrets(request)


def _text(sample: EvalSample) -> ResponseText:
    messages = list(sample.messages)
    # With examples as turns, assistant messages belong to the prompt; the last is the response.
    if messages and messages[-1].role == "assistant":
        messages.pop()
    prompt = "\n\n".join(f"[{message.role}]\n{message.text}" for message in messages)
    return ResponseText(prompt, sample.output.completion)
