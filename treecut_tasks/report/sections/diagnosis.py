"""What is missing: diagnoses, and dialogues in which models may ask: a table of rates for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from treecut_tasks.evaluation.rates import RATES, TaskKind, ratios
from treecut_tasks.report.document import (
    NOTHING,
    Section,
    Table,
    asked_name,
    cell,
    percent,
    with_interval,
)
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.statistics import rate_of

_DIAGNOSIS = {
    "exact": "diagnosis_exact_rate",
    "F1": "diagnosis_f1",
    "settles": "ask_settles_rate",
    "chance": "ask_settles_by_chance",
    "corrected": "ask_settles_corrected",
    "wrong set": "knows_not_which_rate",
    "conflict": "inconsistent_rate",
    "number": "hallucination_rate",
}
_CLARIFICATION = {
    "resolved": "resolved_rate",
    "settles": "first_question_settles_rate",
    "chance": "first_question_settles_by_chance",
    "useless": "useless_question_rate",
    "unasked": "answered_without_asking_rate",
    "number": "hallucination_rate",
    "needless": "needless_question_rate",
    "questions": "questions_to_resolution",
}


def section(evidence: Evidence) -> Section:
    """Make the section; it is empty where no model was asked what is missing."""
    return Section("What is missing", tuple(_blocks(evidence)))


def _blocks(evidence: Evidence) -> Iterator[Table]:
    scored = evidence.scored
    diagnosed = scored[[each.diagnosis is not None for each in scored["judged"]]]
    if len(diagnosed):
        yield _table(
            evidence,
            "diagnosis",
            diagnosed,
            "Which prices are open, and which one would settle the question",
            _DIAGNOSIS,
            "Of pairs. Exact: on both members. Settles: the price asked for would settle the unanswerable "
            "one; chance: a blind pick; corrected: 100 is perfect, 0 a blind pick. Wrong set: abstains, but "
            "for other items. Conflict: calls the price open and gives a number. Number: a hallucination.",
        )
    dialogues = evidence.responses[evidence.responses["dialogue"]]
    if len(dialogues):
        yield _table(
            evidence,
            "clarification",
            dialogues,
            "Dialogues: the model may ask for prices before it answers",
            _CLARIFICATION,
            "Of unanswerable problems. Settles: the first question would settle it; chance: a blind pick. "
            "Unasked: a number without a question; number: any that neither text nor replies determine. "
            "Needless: questions on answerable problems. Questions: their mean where the end is right.",
        )


def _table(
    evidence: Evidence,
    kind: TaskKind,
    responses: pd.DataFrame,
    caption: str,
    columns: Mapping[str, str],
    note: str,
) -> Table:
    headline, *others = columns
    rows = []
    for (model, fewshot), pairs in evidence.pairs_of(kind, responses).groupby(["model", "fewshot"]):
        own = evidence.asked_alike(responses, str(model), int(fewshot))
        found = {name: rate_of(pairs[name]) for name in RATES[kind]}
        rows.append(
            {"model": model, "fewshot": fewshot, "pairs": len(pairs)}
            | dict.fromkeys(columns.values())
            | found
            | ratios(kind, own["judged"])
        )
    heads = {
        "model": lambda row: asked_name(row["model"], row["fewshot"]),
        "pairs": cell("pairs"),
        headline: cell(columns[headline], with_interval),
        **{head: cell(columns[head], percent) for head in others},
    }
    if kind == "clarification":
        heads["questions"] = cell(
            "questions_to_resolution", lambda number: f"{number:.2f}" if number else NOTHING
        )
    return Table.of(kind, caption, rows, heads, note)
