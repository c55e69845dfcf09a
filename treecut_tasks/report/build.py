"""A report: everything that the formats show, made from evidence once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecut_tasks.report.cells import Cell, label_runs, make_cells, problems_frame
from treecut_tasks.report.claims import Finding, examine_claims
from treecut_tasks.report.comparison import Comparison, compare_runs
from treecut_tasks.report.evidence import Evidence, Run
from treecut_tasks.report.paper import PaperResults, paper_results
from treecut_tasks.report.shares import Shares, cause_shares, outcome_shares
from treecut_tasks.report.tables import PaperLikeTable, paper_like_tables

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RunSummary:
    """A run in numbers.

    Attributes:
        number: its number, from 1.
        run: the run.
        label: label of the model.
        responses: number of its responses that count.
        errored: how many have no verdict.
        truncated: how many were cut off.
        input_tokens: tokens of all prompts; None if the log does not tell, and so are the next two.
        output_tokens: tokens of all responses, reasoning included.
        reasoning_tokens: tokens of all reasoning.
    """

    number: int
    run: Run
    label: str
    responses: int
    errored: int
    truncated: int
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True)
class Report:
    """Everything that a report shows."""

    evidence: Evidence
    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    tables: tuple[PaperLikeTable, ...]
    findings: tuple[Finding, ...]
    comparisons: tuple[Comparison, ...]
    outcomes: tuple[Shares, ...]
    causes: tuple[Shares, ...]
    runs: tuple[RunSummary, ...]
    paper: PaperResults

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models, sorted."""
        return tuple(sorted(set(self.labels)))

    @property
    def notices(self) -> tuple[str, ...]:
        """What every format says before anything else."""
        runs = self.evidence.runs
        simulated = sorted(
            {label for label, run in zip(self.labels, runs, strict=True) if run.simulated}
        )
        reference = sorted(
            {
                label
                for label, run in zip(self.labels, runs, strict=True)
                if run.reference and not run.simulated
            }
        )
        notices = []
        if simulated:
            notices.append(
                f"SIMULATED, not a language model: {', '.join(simulated)}. The verdicts were drawn at "
                "random with probabilities that somebody set."
            )
        if reference:
            notices.append(
                f"Reference or mock models, which tell nothing about language models: "
                f"{', '.join(reference)}."
            )
        unfinished = [run for run in runs if run.status != "success"]
        if unfinished:
            notices.append(
                f"{len(unfinished)} of {len(runs)} runs did not finish; their responses so far count."
            )
        if self.evidence.superseded:
            notices.append(
                f"{self.evidence.superseded} responses are in several of the logs (copies, resumed "
                "runs) and count once."
            )
        return tuple(notices)


def build_report(evidence: Evidence) -> Report:
    """Make the report of some evidence."""
    labels = [
        _marked(label, run)
        for label, run in zip(label_runs(evidence.runs), evidence.runs, strict=True)
    ]
    problems = problems_frame(evidence, labels)
    cells = make_cells(evidence, labels, problems)
    paper = paper_results()
    return Report(
        evidence=evidence,
        labels=tuple(labels),
        cells=cells,
        tables=paper_like_tables(cells, paper),
        findings=examine_claims(cells, problems),
        comparisons=compare_runs(evidence),
        outcomes=outcome_shares(evidence, labels),
        causes=cause_shares(evidence, labels),
        runs=_summaries(evidence, labels),
        paper=paper,
    )


def _marked(label: str, run: Run) -> str:
    return f"{label} [simulated]" if run.simulated else label


def _summaries(evidence: Evidence, labels: list[str]) -> tuple[RunSummary, ...]:
    groups = dict(list(evidence.responses.groupby("run")))
    return tuple(
        _summary(number, run, label, groups[number])
        for number, (run, label) in enumerate(zip(evidence.runs, labels, strict=True))
    )


def _summary(number: int, run: Run, label: str, rows: pd.DataFrame) -> RunSummary:
    return RunSummary(
        number=number + 1,
        run=run,
        label=label,
        responses=len(rows),
        errored=int((~rows["scored"]).sum()),
        truncated=int(rows["truncated"].sum()),
        input_tokens=_total(rows["input_tokens"]),
        output_tokens=_total(rows["output_tokens"]),
        reasoning_tokens=_total(rows["reasoning_tokens"]),
    )


def _total(tokens: pd.Series) -> int | None:
    return int(tokens.sum()) if tokens.notna().any() else None
