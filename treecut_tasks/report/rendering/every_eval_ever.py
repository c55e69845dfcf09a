"""The summary in the common schema of evaluation results, Every Eval Ever 0.3.0 (Every Eval Ever, 2026)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any
from uuid import UUID

import pandas as pd

from treecut_tasks.evaluation.rates import CONFIDENCE, RATES, TaskKind
from treecut_tasks.logs import Run
from treecut_tasks.report.document import Document, Table
from treecut_tasks.report.evidence import Evidence

SCHEMA_VERSION = "0.3.0"
_SOURCE = {"dataset_name": "TreeCut", "source_type": "other"}
_KIND_OF: dict[str, TaskKind] = {"accuracy": "answerable", "pair_solved_rate": "paired"}


def every_eval_ever_files(evidence: Evidence, document: Document) -> Iterator[tuple[str, str]]:
    """One file for each row of the summary, under the path that the schema wants, and its content."""
    rows = [
        row
        for table in document.blocks(Table)
        if table.name == "summary"
        for row in table.data.to_dict("records")
    ]
    for row in rows:
        log = _log(evidence, row)
        content = json.dumps(log, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        name = UUID(bytes=hashlib.sha256(content.encode()).digest()[:16], version=4)
        yield f"data/treecut/{log['model_info']['id']}/{name}.json", content


def _log(evidence: Evidence, row: dict[str, Any]) -> dict[str, Any]:
    responses = evidence.answers
    chosen = responses[
        (responses["model"] == row["model"]) & (responses["fewshot"] == row["fewshot"])
    ]
    run = evidence.runs[int(chosen["run"].max())]
    parts = [run.provider.rsplit("/", 1)[-1], run.model.rsplit("/", 1)[-1]]
    # The schema's folders are named so, too.
    developer, name = (
        re.sub(r"[^\w.-]+|^\.+", "-", part).strip("-") or "unknown" for part in parts
    )
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"treecut/{run.model}/{row['fewshot']}-shot/{run.last_asked}",
        "evaluation_timestamp": run.last_asked,
        "retrieved_timestamp": run.last_asked,
        "source_metadata": {
            "source_name": "treecut report",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": run.framework,
            "version": run.framework_version or "unknown",
            "additional_details": {"treecut-tasks": version("treecut-tasks")},
        },
        "model_info": {
            "name": row["model"],
            "id": f"{developer}/{name}",
            "developer": developer,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _result(name, row, run) for name in _rates(row) if pd.notna(row[name])
        ],
    }


def _rates(row: dict[str, Any]) -> list[str]:
    return [name for name in row if f"{name}_ci_low" in row and name != "format_followed_rate"]


def _result(name: str, row: dict[str, Any], run: Run) -> dict[str, Any]:
    kind: TaskKind = _KIND_OF.get(name, "unanswerable")
    definition = RATES[kind][name]
    number = row["pairs" if kind == "paired" else f"{kind}_problems"]
    return {
        "evaluation_name": f"treecut {kind}",
        "source_data": _SOURCE,
        "metric_config": {
            "metric_id": name,
            "evaluation_description": f"Share of {kind} problems whose responses {definition.meaning}",
            "lower_is_better": not definition.higher_is_better,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
        },
        "score_details": {
            "score": row[name],
            "uncertainty": {
                "confidence_interval": {
                    "lower": row[f"{name}_ci_low"],
                    "upper": row[f"{name}_ci_high"],
                    "confidence_level": CONFIDENCE,
                    "method": "Wilson",
                },
                "num_samples": int(number),
            },
        },
        "generation_config": {
            "additional_details": {"fewshot": str(row["fewshot"]), **run.settings}
        },
    }
