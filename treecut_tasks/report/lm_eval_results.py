"""Results of lm-evaluation-harness with their logged samples, as runs and responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from treecut_tasks.errors import TreecutError, from_validation
from treecut_tasks.lm_eval_adapter.results import judge_text, without_thinking
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.report.evidence import Batch, Response, Run, Words
from treecut_tasks.report.schemas import LmEvalResults, LmEvalSample, LoggedProblem
from treecut_tasks.report.sources import samples_files
from treecut_tasks.report.untrusted import one_line, safe_settings

_MODEL_NAMES = ("model", "pretrained", "model_name", "policy")
_NO_INFLUENCE = ("base_url", "num_concurrent", "max_retries", "batch_size", "device", "seed")


def read_lm_eval_results(path: Path, complain: Callable[[str], None]) -> Sequence[Batch]:
    """Read the runs and the responses of a results file; all responses are judged from their words.

    Tasks that were asked alike are one run.

    Args:
        path: the results file.
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
    results = LmEvalResults.model_validate(loaded)
    tasks = [task for task in results.configs if task.startswith("treecut")]
    if not tasks:
        others = one_line(", ".join(sorted(results.configs)[:3]))
        raise TreecutError(f"{name} has results of {others}, not of TreeCut's tasks.")
    files = samples_files(path)
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
            documents = list(_documents(files[task]))
            if documents:
                run = _run(path, results, task, *documents[0])
                key = json.dumps([run.fewshot, run.settings], sort_keys=True)
                earlier, responses = batches.get(key, Batch(run, []))
                responses += [
                    response
                    for sample, members in documents
                    for response in _responses(origin, task, sample, members)
                ]
                tasks_so_far = tuple(dict.fromkeys((*earlier.tasks, task)))
                planned = (earlier.planned or 0) + (0 if earlier is run else run.planned or 0)
                update = {"tasks": tasks_so_far, "planned": planned}
                batches[key] = Batch(earlier.model_copy(update=update), responses)
        except TreecutError as error:
            complain(str(error))
    return list(batches.values())


def lm_eval_words(
    run: Run, wanted: set[tuple[str, int | str, int]]
) -> Iterator[tuple[tuple[str, int | str, int], Words]]:
    """The words of some responses of a run, by task, identifier of the sample, and repetition."""
    files = samples_files(Path(run.path))
    for task in sorted({task for task, _, _ in wanted}):
        for _, members in _documents(files[task]):
            for member in members:
                for epoch, response in enumerate(member.responses, start=1):
                    key = (task, member.id, epoch)
                    if key in wanted:
                        lacks = member.problem.lacks or "" if member.answer == UNKNOWN else ""
                        yield (
                            key,
                            Words(member.text, lacks, member.prompt, without_thinking(response)),
                        )


class _Member:
    """One problem of a document with the responses to it; a pair has two."""

    def __init__(self, sample: LmEvalSample, index: int, prefix: str) -> None:
        doc = sample.doc
        self.id: str = getattr(doc, f"{prefix}id")
        self.text: str = getattr(doc, f"{prefix}problem")
        self.answer: str = getattr(doc, f"{prefix}answer")
        self.problem = LoggedProblem.model_validate_json(doc.metadata)
        # What a task asks for several times has several responses.
        self.responses = [text or "" for text in sample.resps[index]]
        prompt = sample.arguments[f"gen_args_{index}"].arg_0
        # With a chat template, the messages one after another.
        self.prompt = prompt if isinstance(prompt, str) else "\n\n".join(prompt)


_Document = tuple[LmEvalSample, list[_Member]]


def _documents(path: Path) -> Iterator[_Document]:
    seen: set[str] = set()
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            what = f"'{path}', line {number}"
            try:
                sample = LmEvalSample.model_validate_json(line)
                prefixes = ["", *([] if sample.doc.counterpart_id is None else ["counterpart_"])]
                members = [_Member(sample, *each) for each in enumerate(prefixes)]
            except ValidationError as error:
                raise from_validation(error, what) from error
            except (IndexError, KeyError) as error:
                raise TreecutError(f"{what}: resps or arguments lack a request.") from error
            # With several filters there is a line for each.
            if sample.doc.id not in seen:
                seen.add(sample.doc.id)
                yield sample, members


def _responses(
    origin: str, task: str, sample: LmEvalSample, members: Sequence[_Member]
) -> Iterator[Response]:
    theme = sample.doc.theme_file
    for member in members:
        for epoch, text in enumerate(member.responses, start=1):
            yield Response(
                identifier=f"{origin} {task} {member.id} {epoch}",
                # The last part is made from the content.
                problem_id=member.id.rsplit("-", 1)[-1],
                task=task,
                sample=member.id,
                epoch=epoch,
                problem=member.problem.model_copy(
                    update={"system_message_sent": "cot" if sample.doc.system else "none"}
                ),
                judged=judge_text(
                    member.answer,
                    text,
                    problem=member.text,
                    theme=theme if Path(theme).is_file() else None,
                ),
                unanswerable=member.answer == UNKNOWN,
            )


def _run(
    path: Path, results: LmEvalResults, task: str, sample: LmEvalSample, members: Sequence[_Member]
) -> Run:
    config, doc = results.config, sample.doc
    arguments = _model_args(config.model_args)
    named = next((str(arguments[key]) for key in _MODEL_NAMES if arguments.get(key)), None)
    model = named or config.model
    if config.model == "treecut":
        model = f"treecut/{named or 'solver'}"
    fewshot = results.shots.get(task, 0)
    documents = results.samples[task].effective if task in results.samples else 0
    instruction = results.system_instruction
    template = results.chat_template_sha or results.chat_template
    prompt = hashlib.sha256(doc.prompt.replace(doc.problem, "").encode()).hexdigest()
    others = {
        key: value for key, value in arguments.items() if key not in (*_MODEL_NAMES, *_NO_INFLUENCE)
    }
    sent = next(iter(sample.arguments.values())).arg_1
    return Run(
        path=str(path),
        framework="lm-eval",
        framework_version=results.lm_eval_version,
        package_version=members[0].problem.treecut_tasks_version,
        tasks=(task,),
        model=model,
        provider=config.model,
        fewshot=fewshot,
        planned=documents * sum(len(member.responses) for member in members),
        last_asked=datetime.fromtimestamp(results.date, tz=timezone.utc).isoformat(),
        settings=safe_settings(
            {
                "task version": results.versions.get(task),
                "prompt": prompt[:12],
                **({"fewshot_as_multiturn": results.fewshot_as_multiturn} if fewshot else {}),
                "system_instruction": instruction,
                "chat_template": str(template)[:12] if template else None,
                **sent,
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
