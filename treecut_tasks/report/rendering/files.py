"""The machine-readable formats: CSV files and one JSON file, without the words of models."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from treecut_tasks.report.build import Report
from treecut_tasks.report.cells import Cell
from treecut_tasks.report.claims import Finding
from treecut_tasks.report.comparison import Comparison
from treecut_tasks.report.document import settings_text

FORMAT_VERSION = 1
"""Changes whenever a field of the JSON file or a column of a CSV file changes its meaning."""

# A spreadsheet takes a text that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def json_text(report: Report) -> str:
    """The report as JSON; see the keys."""
    content = {
        "format_version": FORMAT_VERSION,
        "notices": report.notices,
        "models": report.models,
        "cells": [_cell(cell) for cell in report.cells],
        "tables": [asdict(table) for table in report.tables],
        "claims": [_finding(finding) for finding in report.findings],
        "comparisons": [asdict(comparison) for comparison in report.comparisons],
        "outcomes": [asdict(shares) for shares in report.outcomes],
        "causes": [asdict(shares) for shares in report.causes],
        "runs": [{**asdict(run), "simulated": run.run.simulated} for run in report.runs],
        "left_out": [asdict(each) for each in report.evidence.left_out],
        "paper": asdict(report.paper),
    }
    return json.dumps(_plain(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def csv_files(report: Report) -> dict[str, str]:
    """The report as CSV files: their names and contents."""
    responses = report.evidence.responses.copy()
    responses.insert(0, "model", [report.labels[run] for run in responses["run"]])
    responses["run"] += 1
    simulated = {report.labels[i]: each.simulated for i, each in enumerate(report.evidence.runs)}
    responses.insert(1, "simulated", [simulated[model] for model in responses["model"]])
    return {
        "cells.csv": _csv(
            _cell(cell) | {"simulated": simulated[cell.model]} for cell in report.cells
        ),
        "claims.csv": _csv(
            _finding(each) | {"simulated": simulated[each.model]} for each in report.findings
        ),
        "comparisons.csv": _csv(_comparison(each) for each in report.comparisons),
        "responses.csv": _csv(
            responses.astype(object).where(responses.notna(), "").to_dict("records")
        ),
        "runs.csv": _csv(
            {
                "run": each.number,
                "model": each.label,
                "simulated": each.run.simulated,
                "path": each.run.path,
                "framework": each.run.framework,
                "framework_version": each.run.framework_version,
                "treecut_tasks_version": each.run.package_version,
                "tasks": " ".join(each.run.tasks),
                "task_version": each.run.task_version,
                "kind": each.run.kind,
                "fewshot": each.run.fewshot,
                "created": each.run.created,
                "status": each.run.status,
                "planned": each.run.planned,
                "responses": each.responses,
                "errored": each.errored,
                "truncated": each.truncated,
                "input_tokens": each.input_tokens,
                "output_tokens": each.output_tokens,
                "reasoning_tokens": each.reasoning_tokens,
                "settings": settings_text(each.run.settings),
                "sent": settings_text(each.run.sent),
                "system_message": each.run.system_message,
                "prompt": each.run.prompt,
                "data_set": each.run.data_set,
            }
            for each in report.runs
        ),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    row = {key: value for key, value in asdict(cell).items() if key != "rates"}
    for name in ("hallucination", "accuracy", "wrong_number", "false_unknown"):
        rate = cell.rates.get(name)
        row[name] = None if rate is None else rate.value
        row[f"{name}_ci_low"] = None if rate is None else rate.ci_low
        row[f"{name}_ci_high"] = None if rate is None else rate.ci_high
    headline = cell.headline
    return {**row, "problems": 0 if headline is None else headline.n, "marks": cell.marks}


def _finding(finding: Finding) -> dict[str, Any]:
    effect = finding.effect
    return {
        "model": finding.model,
        "claim": finding.claim.name,
        "sentence": finding.claim.sentence,
        "verdict": finding.verdict,
        "effect": None if effect is None else effect.value,
        "effect_ci_low": None if effect is None else effect.ci_low,
        "effect_ci_high": None if effect is None else effect.ci_high,
        "unit": finding.claim.unit.replace("points", "share", 1),
        "p_value": finding.p_value,
        "p_corrected": finding.p_corrected,
        "test": finding.test,
        "basis": finding.basis,
    }


def _comparison(each: Comparison) -> dict[str, Any]:
    row = asdict(each)
    rates = each.rates or (None, None)
    difference = each.difference
    row |= {
        "first": each.first + 1,
        "second": each.second + 1,
        "first_rate": rates[0],
        "second_rate": rates[1],
        "difference": None if difference is None else difference.value,
        "difference_ci_low": None if difference is None else difference.ci_low,
        "difference_ci_high": None if difference is None else difference.ci_high,
        "warnings": "; ".join(each.warnings),
    }
    del row["rates"]
    return row


def _csv(rows: Iterable[dict[str, Any]]) -> str:
    rows = list(rows)
    out = io.StringIO()
    names: Sequence[str] = list(rows[0]) if rows else []
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_harmless(row[name]) for name in names] for row in rows)
    return out.getvalue()


def _harmless(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _plain(value: Any) -> Any:
    """The same with what JSON knows; what is not a number becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
