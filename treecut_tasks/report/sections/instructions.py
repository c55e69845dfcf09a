"""What instructions change: runs that differ in nothing else, compared on the same problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.rates import rate
from treecut_tasks.report.document import Figure, Section, Table, asked_name, points, show, spread
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.figures import Line, Panel, line_chart
from treecut_tasks.report.statistics import paired

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 10
"""With fewer common problems a rate is not compared."""

_RATES = {
    "hallucination": ("hallucination_rate", True),
    "abstention": ("unknown_rate", True),
    "accuracy": ("accuracy", False),
}
"""What is compared, with the rate and whether it is one of unanswerable problems."""

_NOTE = (
    "Differences in percentage points on the same problems, with Newcombe's interval for pairs; n: "
    "unanswerable + answerable ones. Hallucination and abstention (unknown) are of unanswerable problems. "
    "Standard minus bare: what it is worth to hint that the answer may be unknown. Target minus standard: "
    "how far an announced penalty moves the model. Diagnosis minus standard: what it changes to ask what is "
    "missing."
)


def section(evidence: Evidence) -> Section:
    """Make the section; it is empty where no model was asked under several instructions."""
    groups = list(_groups(evidence))
    data = pd.DataFrame(row for group in groups for row in _contrasts(group))
    blocks: list[Table | Figure] = []
    if len(data):
        heads = {
            "model": lambda row: asked_name(row.model, row.fewshot),
            "contrast": lambda row: f"{row.second} − {row.first}",
            "n": lambda row: f"{row.unanswerable_problems} + {row.answerable_problems}",
            **{
                head: lambda row, name=name: _text(row, name)  # type: ignore[misc]
                for head, (name, _) in _RATES.items()
            },
        }
        caption = "What instructions change"
        blocks.append(Table("instructions", caption, data, show(data, heads), (_NOTE,), words=2))
    if groups:
        blocks.append(_figure(groups))
    return Section("Instructions", tuple(blocks))


_Group = tuple[str, int, dict[str, pd.DataFrame]]
"""A model, its worked examples, and its problems under each instruction."""


def _groups(evidence: Evidence) -> Iterator[_Group]:
    """What was asked under several instructions and alike in everything else."""
    alike: dict[tuple[str, str], dict[str, list[str]]] = {}
    for label, variant in evidence.variants.items():
        settings = {**variant.settings}
        instruction = settings.pop("instruction", None)
        # The fingerprint of the prompt goes with its instruction.
        settings.pop("prompt", None)
        if instruction is not None:
            own = alike.setdefault((variant.name, str(sorted(settings.items()))), {})
            own.setdefault(instruction, []).append(label)
    problems = evidence.problems
    for (name, _), labels in alike.items():
        chosen = {each: problems[problems["model"].isin(own)] for each, own in labels.items()}
        for fewshot in sorted({n for own in chosen.values() for n in own["fewshot"]}):
            asked = {each: own[own["fewshot"] == fewshot] for each, own in chosen.items()}
            asked = {each: own for each, own in asked.items() if len(own)}
            if len(asked) > 1:
                yield name, int(fewshot), asked


def _contrasts(group: _Group) -> Iterator[dict[str, Any]]:
    """Each other instruction against the standard one, or the first if that was not asked."""
    name, fewshot, asked = group
    base = STANDARD if STANDARD in asked else min(asked)
    for other in sorted(asked.keys() - {base}):
        first, second = (other, base) if other == "bare" else (base, other)
        row: dict[str, Any] = {"model": name, "fewshot": fewshot, "first": first, "second": second}
        both = asked[first].merge(
            asked[second], on=["problem_id", "unanswerable"], suffixes=("_1", "_2")
        )
        kinds = {kind: both[both["unanswerable"] == kind] for kind in (True, False)}
        row |= {"unanswerable_problems": len(kinds[True]), "answerable_problems": len(kinds[False])}
        for rate_name, kind in _RATES.values():
            one, two = (kinds[kind][f"{rate_name}_{side}"].tolist() for side in (1, 2))
            found = paired(one, two).effect if len(one) >= FEWEST else None
            row |= spread(rate_name, found)
        if max(map(len, kinds.values())) >= FEWEST:
            yield row


def _text(row: Any, name: str) -> str:
    return points([getattr(row, f"{name}{end}") for end in ("", "_ci_low", "_ci_high")])


def _figure(groups: list[_Group]) -> Figure:
    """Abstention against hallucination: a point for each instruction, a line for each model."""
    lines, marks = [], []
    for name, fewshot, asked in groups:
        found = []
        for instruction, problems in sorted(asked.items()):
            own = problems[problems["unanswerable"]]
            if len(own):
                found.append((own["unknown_rate"].mean(), rate(own["hallucination_rate"].tolist())))
                marks.append((instruction, *found[-1]))
        lines.append(Line(asked_name(name, fewshot), found, {"linestyle": ":"}))

    def names(axes: Axes) -> None:
        for instruction, abstained, hallucinated in marks:
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
