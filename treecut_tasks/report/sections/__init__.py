"""The sections of a report, one module each: evidence becomes tables and figures, and these text.

A section is a function that takes the evidence and gives a `Section`; one without blocks is left out.
"""

from __future__ import annotations

from treecut_tasks.report.document import Document, count
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.sections import (
    breaking_depth,
    claims,
    comparisons,
    confidence,
    configurations,
    diagnosis,
    endings,
    paper_tables,
    runs,
    summary,
)

SECTIONS = (
    summary.section,
    paper_tables.section,
    diagnosis.section,
    configurations.section,
    breaking_depth.section,
    claims.section,
    comparisons.section,
    endings.section,
    confidence.section,
    runs.section,
)
"""The sections in their order."""


def make_document(evidence: Evidence) -> Document:
    """The whole report of some evidence."""
    sections = [section(evidence) for section in SECTIONS]
    models = {variant.name for variant in evidence.variants.values()}
    return Document(
        title="TreeCut report",
        notices=tuple(_notices(evidence)),
        summary=(
            f"{count(len(models), 'model')}, {count(len(evidence.runs), 'run')}, "
            f"{count(len(evidence.responses), 'response')}; rates in per cent with 95 % Wilson intervals; "
            "n counts problems."
        ),
        sections=tuple(section for section in sections if section.blocks),
    )


def _notices(evidence: Evidence) -> list[str]:
    """What every format says before anything else."""
    runs = evidence.runs
    simulated = sorted({each.name for each in evidence.variants.values() if each.simulated})
    reference = sorted({run.model for run in runs if run.reference and not run.simulated})
    unfinished = sum(run.status != "success" for run in runs)
    notices = []
    if simulated:
        notices.append(
            f"SIMULATED, no language model (verdicts are drawn at random): {', '.join(simulated)}."
        )
    if reference:
        notices.append(
            f"Reference or mock models, which tell nothing about language models: {', '.join(reference)}."
        )
    if unfinished:
        notices.append(
            f"{unfinished} of {count(len(runs), 'run')} did not finish; the responses so far count."
        )
    if evidence.superseded:
        notices.append(
            f"{count(evidence.superseded, 'response')} in several of the logs (copies, resumed runs) count "
            "once."
        )
    if evidence.left_out:
        notices.append(f"{count(len(evidence.left_out), 'log')} left out: see the end.")
    return notices
