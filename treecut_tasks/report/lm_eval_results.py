"""Results of lm-evaluation-harness with their logged samples."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import counts, judge_response
from treecut_tasks.evaluation.prompts import PROMPT_VERSION, user_prompt
from treecut_tasks.lm_eval_adapter.results import without_thinking
from treecut_tasks.report.evidence import ResponseRow, ResponseText, Run
from treecut_tasks.report.sources import Source, samples_files
from treecut_tasks.report.values import one_line, optional_bool, optional_int, without_secrets

_MODEL_NAMES = ("model", "pretrained", "model_name", "policy")
_BEFORE_PROBLEM, _AFTER_PROBLEM = user_prompt("\0").split("\0")


def read_lm_eval_results(
    source: Source,
) -> tuple[list[Run], list[ResponseRow], list[str], list[str]]:
    """Read the runs and the responses of a results file; tasks of one kind are one run.

    Args:
        source: the results file.

    Returns:
        The runs, their responses (which count the runs from 0), a unique identifier for each
        response, and sentences about what is missing.

    Raises:
        TreecutError: the results are damaged, of other tasks, or without samples.
    """
    name = str(source.path)
    results = _load(source.path)
    tasks = [task for task in results.get("configs", {}) if str(task).startswith("treecut")]
    if not tasks:
        others = ", ".join(sorted(map(str, results.get("configs", {})))[:3])
        raise TreecutError(f"{name!r} has results of {others}, not of TreeCut's tasks: left out.")
    files = samples_files(source.path)
    if not set(tasks) & set(files):
        raise TreecutError(
            f"{name!r} has no samples beside it: run lm_eval again with --log_samples and --output_path."
        )
    runs: dict[tuple[str, int], Run] = {}
    rows: list[ResponseRow] = []
    identifiers: list[str] = []
    complaints: list[str] = []
    for task in tasks:
        if task not in files:
            complaints.append(f"The samples of {task} are missing beside {name!r}: left out.")
            continue
        fewshot = int(results.get("n-shot", {}).get(task) or 0)
        try:
            for record in _records(files[task]):
                kind = _kind(record["doc"])
                key = (kind, fewshot)
                if key not in runs:
                    runs[key] = _run(name, results, kind, fewshot, record)
                if task not in runs[key].tasks:
                    runs[key] = _with_task(runs[key], task, results)
                run = list(runs).index(key)
                new = list(_rows(run, fewshot, record))
                rows += new
                identifiers += [f"{files[task].resolve()}:{row.problem_id}" for row in new]
        except (KeyError, TypeError, ValueError, OSError) as error:
            complaints.append(
                f"{str(files[task])!r} cannot be read to its end ({_reason(error)}): it is damaged or "
                "half-written; what comes before is used."
            )
    if not rows:
        raise TreecutError(complaints[0] if complaints else f"{name!r} has no samples beside it.")
    return list(runs.values()), rows, identifiers, complaints


def lm_eval_texts(path: str, tasks: Collection[str], wanted: set[str]) -> dict[str, ResponseText]:
    """The words of some responses, by identifier of the problem.

    Args:
        path: the results file.
        tasks: the tasks of one run; other tasks may have asked the same problems otherwise.
        wanted: identifiers of the problems.
    """
    texts: dict[str, ResponseText] = {}
    files = samples_files(Path(path))
    for file in (files[task] for task in tasks if task in files):
        try:
            for record in _records(file):
                for index, identifier in enumerate(_identifiers(record["doc"])):
                    if identifier in wanted:
                        prompt = record["arguments"][f"gen_args_{index}"]["arg_0"]
                        texts[identifier] = ResponseText(
                            _prompt_text(prompt), _response(record, index)
                        )
        except (KeyError, TypeError, ValueError, OSError):
            continue
    return texts


def _load(path: Path) -> dict[str, Any]:
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TreecutError(
            f"{str(path)!r} cannot be read as lm-eval results ({_reason(error)}): it is damaged or "
            "half-written; run lm_eval again."
        ) from error
    if not isinstance(results, dict) or not isinstance(results.get("configs"), dict):
        raise TreecutError(
            f"{str(path)!r} is not a results file of lm-eval: give the results_….json that "
            "lm_eval --output_path writes."
        )
    return results


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error), 80)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def _kind(doc: Mapping[str, Any]) -> str:
    if "counterpart_id" in doc:
        return "paired"
    return "unanswerable" if json.loads(doc["metadata"])["unanswerable"] else "answerable"


def _identifiers(doc: Mapping[str, Any]) -> list[str]:
    names = ("id", "counterpart_id") if "counterpart_id" in doc else ("id",)
    return [doc[name] for name in names]


def _response(record: Mapping[str, Any], index: int) -> str:
    response = record["filtered_resps"][index]
    return response if isinstance(response, str) else ""


def _prompt_text(prompt: Any) -> str:
    """The prompt as it was sent; with a chat template, the messages one after another."""
    if isinstance(prompt, list):
        return str(prompt[0]) if prompt else ""
    return str(prompt)


def _rows(run: int, fewshot: int, record: Mapping[str, Any]) -> Iterator[ResponseRow]:
    doc = record["doc"]
    metadata = json.loads(doc["metadata"])
    row = ResponseRow(
        run=run,
        problem_id=doc["id"],
        pair_id=metadata.get("pair_id"),
        epoch=1,
        unanswerable=bool(metadata["unanswerable"]),
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
        scored=True,
    )
    yield _judged(row, record, 0)
    if "counterpart_id" in doc:
        other = replace(row, problem_id=doc["counterpart_id"], unanswerable=False)
        yield _judged(other, record, 1)


def _judged(row: ResponseRow, record: Mapping[str, Any], index: int) -> ResponseRow:
    """Add the verdict on the text of the response; lm-eval does not log why a model stopped."""
    doc = record["doc"]
    judged = judge_response(
        doc["counterpart_answer" if index else "answer"],
        without_thinking(_response(record, index)),
        problem=doc["counterpart_problem" if index else "problem"],
        theme=doc["theme_file"] or None,
    )
    found = counts(judged, causes=True)
    return replace(
        row,
        hallucination=found.get("paper_hallucination_rate", math.nan),
        accuracy=found.get("accuracy", math.nan),
        wrong_number=found.get("wrong_number_rate", math.nan),
        false_unknown=found.get("false_unknown_rate", math.nan),
        outcome=judged.judgement.verdict,
        reason=judged.judgement.reason,
        cause="" if judged.cause is None else judged.cause.kind,
        same_price_by_chance=found["cause_same_price_by_chance"],
        any_by_chance=found["cause_any_by_chance"],
        truncated=judged.judgement.reason in ("truncated", "truncated_thinking"),
    )


def _run(
    name: str, results: Mapping[str, Any], kind: str, fewshot: int, record: Mapping[str, Any]
) -> Run:
    config = results.get("config") or {}
    doc = record["doc"]
    metadata = json.loads(doc["metadata"])
    date = results.get("date")
    created = (
        datetime.fromtimestamp(date, tz=timezone.utc).isoformat(timespec="seconds")
        if isinstance(date, int | float)
        else ""
    )
    arguments = record["arguments"]["gen_args_0"]["arg_1"]
    return Run(
        path=name,
        framework="lm-eval",
        framework_version=str(results.get("lm_eval_version", "")),
        package_version=str(metadata.get("treecut_tasks_version", "")),
        tasks=(),
        task_version="",
        task_id="",
        model=_model(results),
        kind=kind,
        fewshot=fewshot,
        created=created,
        status="success",
        planned=0,
        parameters={
            key: metadata.get(key) for key in ("order", "theme", "sampling", "counterpart", "seed")
        },
        settings=without_secrets(
            {**(config.get("gen_kwargs") or {}), **_model_args(config.get("model_args"))}
        ),
        sent=without_secrets(arguments) if isinstance(arguments, dict) else {},
        system_message="cot" if doc["system"] else "none",
        prompt=_prompt_version(doc["prompt"]),
        packages={
            "lm_eval": str(results.get("lm_eval_version", "")),
            "treecut-tasks": str(metadata.get("treecut_tasks_version", "")),
        },
    )


def _with_task(run: Run, task: str, results: Mapping[str, Any]) -> Run:
    counts = results.get("n-samples", {}).get(task, {})
    members = 2 if run.kind == "paired" else 1
    planned = (run.planned or 0) + members * int(counts.get("effective") or 0)
    return replace(
        run,
        tasks=(*run.tasks, task),
        planned=planned,
        task_version=str(results.get("versions", {}).get(task, "")),
    )


def _prompt_version(prompt: str) -> str:
    ours = prompt.startswith(_BEFORE_PROBLEM) and prompt.endswith(_AFTER_PROBLEM)
    return str(PROMPT_VERSION) if ours else "another"


def _model_args(given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return given
    if not isinstance(given, str):
        return {}
    return dict(part.split("=", 1) for part in given.split(",") if "=" in part)


def _model(results: Mapping[str, Any]) -> str:
    config = results.get("config") or {}
    arguments = _model_args(config.get("model_args"))
    source = str(config.get("model") or results.get("model_source") or "model")
    name = next((str(arguments[key]) for key in _MODEL_NAMES if key in arguments), None)
    if source == "treecut":
        return f"treecut/{name or 'solver'}"
    return name or str(results.get("model_name") or source)
