"""What was run: one row for each run, its settings, and what could not be used."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecut_tasks.logs import Run
from treecut_tasks.report.document import NOTHING, Section, Table, percent
from treecut_tasks.report.evidence import Evidence

_TOKENS = ("input_tokens", "output_tokens", "reasoning_tokens")


def section(evidence: Evidence) -> Section:
    """Make the section."""
    left_out = [f"Left out: {each.message}" for each in evidence.left_out]
    return Section("What was run", (_table(evidence), *_settings(evidence.runs), *left_out))


def _table(evidence: Evidence) -> Table:
    data, shown = [], []
    for number, run in enumerate(evidence.runs):
        rows = evidence.responses[evidence.responses["run"] == number]
        tokens = {name: rows[name].sum() if rows[name].notna().any() else None for name in _TOKENS}
        no_verdict, truncated = (~rows["scored"]).mean(), rows["truncated"].mean()
        labels = ", ".join(sorted(set(rows["model"])))
        data.append(
            {
                "run": number + 1,
                "model": labels,
                **run.model_dump(exclude={"tasks", "settings", "facts", "task_id", "model"}),
                "logged_as": run.model,
                "tasks": " ".join(run.tasks),
                "responses": len(rows),
                "no_verdict": no_verdict,
                "truncated": truncated,
                **tokens,
                "settings": _text(run.settings),
                "facts": _text(run.facts),
            }
        )
        # An adaptive run gives more than it begins with.
        planned = f" of {run.planned}" if run.planned and run.planned > len(rows) else ""
        status = "" if run.status == "success" else f", {run.status}"
        tasks = run.tasks[0] if len(run.tasks) == 1 else f"{run.tasks[0]} + {len(run.tasks) - 1}"
        shown.append(
            [
                str(number + 1),
                labels,
                tasks + (f", {run.fewshot} examples" if run.fewshot else ""),
                f"{len(rows)}{planned}{status}",
                percent(no_verdict),
                percent(truncated),
                *(NOTHING if tokens[name] is None else f"{tokens[name]:.0f}" for name in _TOKENS),
            ]
        )
    heads = [
        "run", "model", "task", "responses", "no verdict", "cut off", "tokens in", "tokens out", "reasoning"
    ]  # fmt: skip
    return Table(
        "runs",
        "Runs",
        pd.DataFrame(data),
        pd.DataFrame(shown, columns=heads),
        ("No verdict, cut off: in per cent. Tokens out include those of reasoning.",),
        words=3,
    )


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


def _text(settings: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
