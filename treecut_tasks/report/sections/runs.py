"""What was run: one row for each run, its settings, and what could not be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from treecut_tasks.logs import Run
from treecut_tasks.report.document import NOTHING, Section, Table, percent, show
from treecut_tasks.report.evidence import Evidence

_TOKENS = ["input_tokens", "output_tokens", "reasoning_tokens"]


def section(evidence: Evidence) -> Section:
    """Make the section."""
    left_out = [f"Left out: {each.message}" for each in evidence.left_out]
    return Section("What was run", (_table(evidence), *_settings(evidence.runs), *left_out))


def _table(evidence: Evidence) -> Table:
    groups = evidence.responses.assign(no_verdict=~evidence.responses["scored"]).groupby("run")
    # A run of which nothing is known has no sum.
    tokens = groups[_TOKENS].sum(min_count=1).astype(object).where(lambda sums: sums.notna(), None)
    shares = groups[["no_verdict", "truncated"]].mean()
    labels = groups["model"].agg(lambda models: ", ".join(sorted(set(models))))
    data = pd.DataFrame(
        {
            "run": number + 1,
            "model": labels[number],
            **run.model_dump(exclude={"tasks", "settings", "facts", "task_id", "model"}),
            "logged_as": run.model,
            "tasks": " ".join(run.tasks),
            "responses": groups.size()[number],
            **shares.loc[number],
            **tokens.loc[number],
            "settings": _text(run.settings),
            "facts": _text(run.facts),
        }
        for number, run in enumerate(evidence.runs)
    )
    heads = {
        "run": lambda row: str(row.run),
        "model": lambda row: row.model,
        "task": _task,
        "responses": _responses,
        "no verdict": lambda row: percent(row.no_verdict),
        "cut off": lambda row: percent(row.truncated),
        "tokens in": lambda row: _count(row.input_tokens),
        "tokens out": lambda row: _count(row.output_tokens),
        "reasoning": lambda row: _count(row.reasoning_tokens),
    }
    note = "No verdict, cut off: in per cent. Tokens out include those of reasoning."
    return Table("runs", "Runs", data, show(data, heads), (note,), words=3)


def _task(row: Any) -> str:
    first, *others = row.tasks.split()
    more = f" + {len(others)}" if others else ""
    return f"{first}{more}" + (f", {row.fewshot} examples" if row.fewshot else "")


def _responses(row: Any) -> str:
    # An adaptive run gives more than it begins with.
    planned = f" of {row.planned:.0f}" if (row.planned or 0) > row.responses else ""
    return f"{row.responses}{planned}" + ("" if row.status == "success" else f", {row.status}")


def _count(tokens: float | None) -> str:
    return NOTHING if tokens is None or tokens != tokens else f"{tokens:.0f}"


def _settings(runs: tuple[Run, ...]) -> Iterator[str]:
    """How each run was made; runs that were made alike together."""
    alike: dict[str, list[str]] = {}
    for number, run in enumerate(runs, start=1):
        made_with = (
            f"{run.framework} {run.framework_version}, treecut-tasks {run.package_version}".strip()
        )
        words = "; ".join(filter(None, [made_with, _text(run.settings), _text(run.facts)]))
        alike.setdefault(words, []).append(str(number))
    for words, numbers in alike.items():
        yield f"{'Run' if len(numbers) == 1 else 'Runs'} {', '.join(numbers)}: {words}."


def _text(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
