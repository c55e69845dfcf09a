"""Results of lm-evaluation-harness with their logged samples become runs and responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.recorded import RecordedResponse, recorded_rows
from treecut_tasks.lm_eval_adapter.dataset import KEY
from treecut_tasks.lm_eval_adapter.results import without_thinking
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
    theme_file: str = ""
    counterpart_id: Name | None = None
    counterpart_problem: str = ""
    counterpart_prompt: str = ""
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


class Member(NamedTuple):
    """One problem of a sample with the responses to it; a pair has two."""

    id: str
    problem: str
    answer: str
    facts: ProblemFacts
    prompt: str
    responses: list[str | None]


def read_lm_eval_results(
    path: Path, files: Mapping[str, Path], complain: Callable[[str], None]
) -> list[Batch]:
    """Read the runs and the responses of a results file; tasks that were asked alike are one run.

    Args:
        path: the results file.
        files: the samples of each task.
        complain: told about every task that has no samples, or unusable ones.

    Raises:
        TreecutError: the results are of other tasks, without samples, or have a value that cannot be.
    """
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
                found = list(documents(recorded_rows(lines, str(files[task]))))
            responses = [
                response
                for sample, members in found
                for response in document_responses(origin, task, sample, members)
            ]
        except TreecutError as error:
            complain(str(error))
            continue
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


def documents(rows: Iterable[tuple[str, Any]]) -> Iterator[tuple[Sample, list[Member]]]:
    """The logged samples of some rows, each document once: with several filters it has several.

    Args:
        rows: what each was read from, for messages, and the row.

    Raises:
        TreecutError: a row is no sample.
    """
    seen: set[str] = set()
    for where, row in rows:
        try:
            sample = Sample.model_validate(row)
            members = [_member(sample, 0, "")]
            if sample.doc.counterpart_id is not None:
                members.append(_member(sample, 1, "counterpart_"))
        except ValidationError as error:
            raise from_validation(error, where) from error
        except (IndexError, KeyError) as error:
            raise TreecutError(f"{where}: resps or arguments lack a request.") from error
        if sample.doc.id not in seen:
            seen.add(sample.doc.id)
            yield sample, members


def document_responses(
    origin: str, task: str, sample: Sample, members: Iterable[Member]
) -> Iterator[Response]:
    """The responses to a document, judged from their words.

    Args:
        origin: the same for copies of the samples.
        task: name of the task.
        sample: the document.
        members: its problems.
    """
    theme = sample.doc.theme_file
    for member in members:
        for epoch, text in enumerate(member.responses, start=1):
            visible = without_thinking(text or "")
            recorded = RecordedResponse(
                id=member.id,  # type: ignore[call-arg]
                problem=member.problem,
                answer=member.answer,
                response=visible,
                reasoning=(text or "").removesuffix(visible) or None,
                # Results may be read on another machine than they were made on.
                theme=theme if theme and Path(theme).is_file() else None,
                pair_id=member.facts.pair_id,
                instruction=member.facts.instruction,
            )
            yield Response(
                identifier=f"{origin} {task} {member.id} {epoch}",
                # The last part is made from the content.
                problem_id=member.id.rsplit("-", 1)[-1],
                task=task,
                sample=member.id,
                epoch=epoch,
                problem=member.facts,
                judged=recorded.judge(),
                unanswerable=member.answer == UNKNOWN,
                recorded=recorded,
                prompt=member.prompt,
            )


def _member(sample: Sample, index: int, prefix: str) -> Member:
    doc = sample.doc
    problem, facts = (
        getattr(doc, f"{prefix}problem"),
        ProblemFacts.model_validate_json(doc.metadata),
    )
    prompt = sample.arguments[f"gen_args_{index}"].arg_0
    update = {
        "system_message_sent": "cot" if doc.system else "none",
        "pair_id": facts.pair_id or (doc.id if doc.counterpart_id else None),
    }
    return Member(
        getattr(doc, f"{prefix}id"),
        problem,
        getattr(doc, f"{prefix}answer"),
        facts.model_copy(update=update),
        # With a chat template, the messages one after another.
        prompt if isinstance(prompt, str) else "\n\n".join(prompt),
        # What a task asks for several times has several responses.
        sample.resps[index],
    )


def _run(path: Path, results: _Results, task: str, sample: Sample, members: list[Member]) -> Run:
    config, doc = results.config, sample.doc
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
        package_version=members[0].facts.treecut_tasks_version,
        tasks=(task,),
        model=model,
        provider=config.model,
        fewshot=fewshot,
        planned=count * sum(len(member.responses) for member in members),
        last_asked=datetime.fromtimestamp(results.date, tz=timezone.utc).isoformat(),
        settings=safe_settings(
            {
                "task version": results.versions.get(task),
                "instruction": _instruction(results.configs[task]),
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


def _instruction(config: Any) -> str:
    """What the user gave for it in `--metadata`, which the configuration of the task keeps."""
    for key in ("metadata", KEY, "instruction"):
        config = config.get(key) if isinstance(config, dict) else None
    return config if isinstance(config, str) else STANDARD


def _model_args(given: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if isinstance(given, str):
        return dict(part.split("=", 1) for part in given.split(",") if "=" in part)
    return given or {}
