"""Two on the same problems: models, runs of one that are pooled elsewhere, and instructions to one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import TYPE_CHECKING

import pandas as pd

from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.rates import rate
from treecut_tasks.report.document import (
    MISSING,
    Figure,
    Row,
    Section,
    Table,
    asked_name,
    cell,
    kind_name,
    p_text,
    percent,
    points,
)
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.statistics import holm, paired_problems

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 60
"""No more comparisons are made; with many models the first ones are."""

_NOTE = (
    "The paper's hallucination rate, or accuracy, on the problems that both were asked; difference in "
    "percentage points with Newcombe's interval for pairs; McNemar's exact test, p corrected for the number "
    "of comparisons (Holm)."
)
_INSTRUCTIONS_NOTE = (
    "Differences in percentage points on the same problems, with Newcombe's interval for pairs; n: "
    "unanswerable + answerable ones. Hallucination and abstention (unknown) are of unanswerable problems. "
    "Standard minus bare: what it is worth to hint that the answer may be unknown. Target minus standard: "
    "how far an announced penalty moves the model. Diagnosis minus standard: what it changes to ask what is "
    "missing."
)
_RATES = {"hallucination_rate": True, "unknown_rate": True, "accuracy": False}
"""What instructions may change, and whether it is a rate of unanswerable problems."""

_Group = tuple[str, int, dict[str, pd.DataFrame]]
"""A model, its worked examples, and its problems under each instruction."""


def section(evidence: Evidence) -> Section:
    """Make the section; it is empty where no two were asked the same problems."""
    return Section("Side by side", (*_pairs(evidence), *_instructions(evidence)))


def _pairs(evidence: Evidence) -> Iterator[Table]:
    rows = list(islice(_comparisons(evidence), MOST))
    corrected = holm([row["p_value"] for row in rows])
    heads = {
        "first": cell("first"),
        "second": cell("second"),
        "problems": lambda row: kind_name(row["unanswerable"], row["fewshot"]),
        "n": cell("common"),
        "rates": lambda row: f"{percent(row['first_rate'])}, {percent(row['second_rate'])}",
        "second − first": cell("difference", points),
        "p": cell("p_corrected", p_text),
    }
    if rows:
        rows = [{**row, "p_corrected": p} for row, p in zip(rows, corrected, strict=True)]
        caption = "Two on the same problems"
        yield Table.of("comparisons", caption, rows, heads, _NOTE, words=3)


def _comparisons(evidence: Evidence) -> Iterator[Row]:
    scored = evidence.scored
    runs = scored.assign(
        within=scored["model"], model=scored["model"] + ", run " + (scored["run"] + 1).astype(str)
    )
    # Any two models, and any two runs of one.
    for frame in (scored.assign(within=""), runs):
        for (_, unanswerable, fewshot), rows in frame.groupby(
            ["within", "unanswerable", "fewshot"]
        ):
            means = rows.groupby(["model", "problem_id"])["headline"].mean().reset_index()
            problems = dict([*means.groupby("model")])
            for first, second in combinations(problems, 2):
                if found := paired_problems(problems[first], problems[second], "headline"):
                    yield {
                        "first": first,
                        "second": second,
                        "unanswerable": bool(unanswerable),
                        "fewshot": int(fewshot),
                        "common": found.n,
                        "first_rate": found.first,
                        "second_rate": found.second,
                        "difference": found.effect,
                        "only_first": found.down,
                        "only_second": found.up,
                        "p_value": found.p_value,
                    }


def _instructions(evidence: Evidence) -> Iterator[Table | Figure]:
    groups = list(_groups(evidence))
    rows = [row for group in groups for row in _contrasts(*group)]
    heads = {
        "model": lambda row: asked_name(row["model"], row["fewshot"]),
        "contrast": lambda row: f"{row['second']} − {row['first']}",
        "n": lambda row: f"{row['unanswerable_problems']} + {row['answerable_problems']}",
        "hallucination": cell("hallucination_rate", points),
        "abstention": cell("unknown_rate", points),
        "accuracy": cell("accuracy", points),
    }
    if rows:
        caption = "What instructions change"
        yield Table.of("instructions", caption, rows, heads, _INSTRUCTIONS_NOTE, words=2)
    if groups:
        yield _figure(groups)


def _groups(evidence: Evidence) -> Iterator[_Group]:
    """What was asked under several instructions and alike in everything else."""
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for label, variant in evidence.variants.items():
        settings = {**variant.settings}
        instruction = settings.pop("instruction", None)
        # The fingerprint of the prompt goes with its instruction.
        settings.pop("prompt", None)
        if instruction is not None:
            alike.setdefault((variant.name, str(settings)), {})[label] = instruction
    for (name, _), instructions in alike.items():
        chosen = evidence.problems[evidence.problems["model"].isin([*instructions])]
        for fewshot, own in chosen.groupby("fewshot"):
            asked = dict([*own.groupby(own["model"].map(instructions))])
            if len(asked) > 1:
                yield name, int(fewshot), asked


def _contrasts(model: str, fewshot: int, asked: dict[str, pd.DataFrame]) -> Iterator[Row]:
    """Each other instruction against the standard one, or the first if that was not asked."""
    base = STANDARD if STANDARD in asked else min(asked)
    for other in sorted(asked.keys() - {base}):
        first, second = (other, base) if other == "bare" else (base, other)
        found = {
            name: paired_problems(
                asked[first][asked[first]["unanswerable"] == kind],
                asked[second][asked[second]["unanswerable"] == kind],
                name,
            )
            for name, kind in _RATES.items()
        }
        sizes = {name: each.n if each else 0 for name, each in found.items()}
        if any(found.values()):
            yield {
                "model": model,
                "fewshot": fewshot,
                "first": first,
                "second": second,
                "unanswerable_problems": sizes["unknown_rate"],
                "answerable_problems": sizes["accuracy"],
                **{name: each.effect if each else MISSING for name, each in found.items()},
            }


def _figure(groups: list[_Group]) -> Figure:
    """Abstention against hallucination: a point for each instruction, a line for each model."""
    lines, marks = [], []
    for name, fewshot, asked in groups:
        points = {
            instruction: (own["unknown_rate"].mean(), rate(own["hallucination_rate"].tolist()))
            for instruction, problems in sorted(asked.items())
            if len(own := problems[problems["unanswerable"]])
        }
        marks += [*points.items()]
        lines.append(Line(asked_name(name, fewshot), [*points.values()], {"linestyle": ":"}))

    def names(axes: Axes) -> None:
        for instruction, (abstained, hallucinated) in marks:
            place = (100 * abstained, 100 * hallucinated.value)
            axes.annotate(instruction, place, xytext=(5, 4), textcoords="offset points", fontsize=8)

    return line_chart(
        "instructions",
        "Hallucination against abstention on unanswerable problems, a point for each instruction.",
        [Panel("", lines, names)],
        "unknown, %",
        "hallucination, %",
        percent=True,
    )
