"""Results of lm-evaluation-harness with their logged samples become runs and responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import Field

from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation.recorded import recorded_rows, response_to
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
)
from treecut_tasks.logs.untrusted import one_line, safe_settings
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.scoring.visible import split_thinking

_MODEL_NAMES = ("model", "pretrained", "model_name", "policy")
_NO_INFLUENCE = ("base_url", "num_concurrent", "max_retries", "batch_size", "device", "seed")


class _Config(Logged):
    """How lm-eval was called."""

    model: Name
    model_args: str | dict[str, Any] | None = None
    gen_kwargs: str | dict[str, Any] | None = None


class _Counts(Logged):
    """How many documents of a task lm-eval was to ask."""

    effective: Count


class _Results(Logged):
    """A results file."""

    configs: dict[str, Any]
    config: _Config
    date: Seconds
    lm_eval_version: str = ""
    versions: dict[str, int | float | str | None] = Field(default_factory=dict)
    shots: dict[str, Size] = Field({}, alias="n-shot")
    samples: dict[str, _Counts] = Field({}, alias="n-samples")
    system_instruction: str | None = None
    chat_template: str | dict[str, Any] | list[Any] | None = None
    chat_template_sha: str | None = None
    fewshot_as_multiturn: bool | None = None


class _Doc(Logged):
    """A row of our data set: one problem, or a pair whose second member has the prefix."""

    id: Name
    problem: str
    prompt: str
    answer: Name
    metadata: str
    system: str = ""
    counterpart_id: Name | None = None
    counterpart_problem: str = ""
    counterpart_answer: Name | None = None


class _Arguments(Logged):
    """One request: the prompt, and the settings that the model was asked with."""

    arg_0: str | list[str]
    arg_1: dict[str, Any] = Field(default_factory=dict)


class Sample(Logged):
    """A line of a samples file; of `resps` one list for each request, with a text a repetition."""

    doc: _Doc
    arguments: dict[str, _Arguments]
    resps: list[list[str | None]]


def read_lm_eval_results(
    path: Path, files: Mapping[str, Path], complain: Callable[[str], None]
) -> list[Batch]:
    """Read the runs and the responses of a results file; tasks that were asked alike are one run."""
    name = repr(str(path))
    content = path.read_bytes()
    loaded = json.loads(content)
    if not isinstance(loaded, dict) or not isinstance(loaded.get("configs"), dict):
        raise TreecutError(
            f"{name} is not a results file of lm-eval: give the results_….json that "
            "lm_eval --output_path writes."
        )
    results = _Results.model_validate(loaded)
    tasks = [task for task in results.configs if task.split("::")[-1].startswith("treecut")]
    if not tasks:
        names = one_line(", ".join(sorted(results.configs)[:3]))
        raise TreecutError(f"{name} has results of {names}, not of TreeCut's tasks.")
    # Copies of results have the same identifiers.
    origin = hashlib.sha256(content).hexdigest()
    batches: dict[str, Batch] = {}
    for task in tasks:
        if task not in files:
            complain(
                f"{name} has no samples of {task} beside it: run lm_eval again with --log_samples "
                "and --output_path."
            )
            continue
        try:
            with files[task].open(encoding="utf-8") as lines:
                rows = recorded_rows(lines, str(files[task]))
                found = list(documents(rows, origin, task))
        except TreecutError as error:
            complain(str(error))
            continue
        responses = [response for _, own in found for response in own]
        if not responses:
            continue
        run = _run(path, results, task, *found[0])
        key = json.dumps([run.fewshot, run.settings], sort_keys=True)
        if key in batches:
            earlier, others = batches[key]
            planned = (earlier.planned or 0) + (run.planned or 0)
            update = {"tasks": (*earlier.tasks, task), "planned": planned}
            run, responses = earlier.model_copy(update=update), others + responses
        batches[key] = Batch(run, responses)
    return list(batches.values())


def is_sample(row: object) -> bool:
    """Whether a row of JSON Lines is a sample that lm-eval logged."""
    return isinstance(row, dict) and isinstance(row.get("doc"), dict) and "resps" in row


def documents(
    rows: Iterable[tuple[str, Any]], origin: str, task: str
) -> Iterator[tuple[Sample, list[Response]]]:
    """The logged samples of some rows with their responses, judged from their words.

    Each document comes once; with several filters it has several rows.

    Args:
        rows: what each was read from, for messages, and the row.
        origin: the same for copies of the samples.
        task: name of the task.
    """
    seen: set[str] = set()
    for where, row in rows:
        sample = validated(Sample, row, where)
        doc = sample.doc
        facts = validated(ProblemFacts, doc.metadata.encode(), where)
        prefixes = ("",) if doc.counterpart_id is None else ("", "counterpart_")
        requests = [f"gen_args_{number}" for number, _ in enumerate(prefixes)]
        if len(sample.resps) < len(prefixes) or not sample.arguments.keys() >= {*requests}:
            raise TreecutError(f"{where}: resps or arguments lack a request.")
        if doc.id in seen:
            continue
        seen.add(doc.id)
        update = {
            "system_message_sent": "cot" if doc.system else "none",
            "pair_id": facts.pair_id or (doc.id if doc.counterpart_id else None),
        }
        facts = facts.model_copy(update=update)
        yield (
            sample,
            [
                _response(
                    sample, prefix, facts, text, sample.arguments[request], (origin, task, epoch)
                )
                for prefix, request, texts in zip(prefixes, requests, sample.resps, strict=False)
                # What a task asks for several times has several responses.
                for epoch, text in enumerate(texts, start=1)
            ],
        )


def _response(
    sample: Sample,
    prefix: str,
    facts: ProblemFacts,
    text: str | None,
    asked: _Arguments,
    place: tuple[str, str, int],
) -> Response:
    doc = sample.doc
    name, problem, answer = (getattr(doc, f"{prefix}{key}") for key in ("id", "problem", "answer"))
    visible, reasoning = split_thinking(text or "")
    origin, task, epoch = place
    recorded = response_to(
        facts.model_dump(),
        f"{task}, {name}",
        id=name,
        problem=problem,
        answer=answer,
        response=visible,
        reasoning=reasoning or None,
    )
    return Response(
        identifier=f"{origin} {task} {name} {epoch}",
        # The last part is made from the content.
        problem_id=name.rsplit("-", 1)[-1],
        task=task,
        sample=name,
        epoch=epoch,
        problem=facts,
        judged=recorded.judge(),
        unanswerable=answer == UNKNOWN,
        recorded=recorded,
        # With a chat template, the messages one after another.
        prompt=asked.arg_0 if isinstance(asked.arg_0, str) else "\n\n".join(asked.arg_0),
    )


def _run(
    path: Path, results: _Results, task: str, sample: Sample, responses: list[Response]
) -> Run:
    config, doc, facts = results.config, sample.doc, responses[0].problem
    arguments = _model_args(config.model_args)
    named = next((str(arguments[key]) for key in _MODEL_NAMES if arguments.get(key)), None)
    model = named or config.model
    if config.model == "treecut":
        model = f"treecut/{named or 'solver'}"
    fewshot = results.shots.get(task, 0)
    count = results.samples[task].effective if task in results.samples else 0
    template = results.chat_template_sha or results.chat_template
    multiturn = {"fewshot_as_multiturn": results.fewshot_as_multiturn} if fewshot else {}
    prompt = hashlib.sha256(doc.prompt.replace(doc.problem, "").encode()).hexdigest()
    others = {
        key: value for key, value in arguments.items() if key not in (*_MODEL_NAMES, *_NO_INFLUENCE)
    }
    return Run(
        path=str(path),
        framework="lm-eval",
        framework_version=results.lm_eval_version,
        package_version=facts.treecut_tasks_version,
        tasks=(task,),
        model=model,
        provider=config.model,
        fewshot=fewshot,
        planned=count * len(responses),
        last_asked=datetime.fromtimestamp(results.date, tz=timezone.utc).isoformat(),
        settings=safe_settings(
            {
                "task version": results.versions.get(task),
                "instruction": facts.instruction,
                "prompt": prompt[:12],
                **multiturn,
                "system_instruction": results.system_instruction,
                "chat_template": str(template)[:12] if template else None,
                **next(iter(sample.arguments.values())).arg_1,
                **others,
            }
        ),
        facts=safe_settings(
            {
                **{key: arguments.get(key) for key in ("base_url", "seed")},
                "gen_kwargs": config.gen_kwargs,
            }
        ),
    )


def _model_args(given: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(given, str):
        return dict(part.split("=", 1) for part in given.split(",") if "=" in part)
    return given or {}
