"""What was run: one row for each run, its settings, and what could not be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from treecut_tasks.logs import Run
from treecut_tasks.report.document import NOTHING, Row, Section, Table, asked_name, cell, percent
from treecut_tasks.report.evidence import Evidence

_TOKENS = ["input_tokens", "output_tokens", "reasoning_tokens"]


def section(evidence: Evidence) -> Section:
    """Make the section."""
    left_out = [f"Left out: {each.message}" for each in evidence.left_out]
    return Section(
        "What was run",
        (_table(evidence), *_names(evidence), *_settings(evidence.runs), *left_out),
    )


def _table(evidence: Evidence) -> Table:
    groups = evidence.responses.assign(no_verdict=~evidence.responses["scored"]).groupby("run")
    # A run of which nothing is known has no sum.
    tokens = groups[_TOKENS].sum(min_count=1).astype(object).where(lambda sums: sums.notna(), None)
    shares = groups[["no_verdict", "truncated"]].mean()
    labels = groups["model"].agg(lambda models: ", ".join(sorted(set(models))))
    rows = [
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
    ]
    heads = {
        "run": cell("run"),
        "model": cell("model"),
        "task": _task,
        "responses": _responses,
        "no verdict": cell("no_verdict", percent),
        "cut off": cell("truncated", percent),
        "tokens in": cell("input_tokens", _count),
        "tokens out": cell("output_tokens", _count),
        "reasoning": cell("reasoning_tokens", _count),
    }
    note = "No verdict, cut off: in per cent. Tokens out include those of reasoning."
    return Table.of("runs", "Runs", rows, heads, note, words=3)


def _task(row: Row) -> str:
    first, *others = row["tasks"].split()
    return asked_name(f"{first} + {len(others)}" if others else first, row["fewshot"])


def _responses(row: Row) -> str:
    # An adaptive run gives more than it begins with.
    planned = f" of {row['planned']}" if (row["planned"] or 0) > row["responses"] else ""
    status = "" if row["status"] == "success" else f", {row['status']}"
    return f"{row['responses']}{planned}{status}"


def _count(tokens: float | None) -> str:
    return NOTHING if tokens is None or tokens != tokens else f"{tokens:.0f}"


def _names(evidence: Evidence) -> Iterator[str]:
    """What labels stand for, where the logs have other names or settings tell runs of a model apart."""
    for label, variant in evidence.variants.items():
        told = [name for name in variant.logged_as if name != label]
        told += [f"{name}={value}" for name, value in variant.settings.items()]
        if told:
            yield f"{label}: {', '.join(told)}."


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
