"""A report as text, tables and figures in order; what terminal, Markdown and HTML have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.report.build import Report, RunSummary
from treecut_tasks.report.cells import MARKS, Cell
from treecut_tasks.report.claims import SMALLEST_EFFECT, Claim, Finding
from treecut_tasks.report.comparison import Comparison
from treecut_tasks.report.evidence import UNEXPLAINED
from treecut_tasks.report.shares import OUTCOMES, Shares, kind_name
from treecut_tasks.report.statistics import Effect
from treecut_tasks.report.tables import PAPER_FEWSHOT, Entry, PaperLikeTable

TITLE = "TreeCut report"

NOTHING = "–"
"""A cell without data."""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        caption: what it shows.
        heads: column heads.
        rows: cells; a cell may have several lines.
        keys: number of leading columns that say what a row is; they are repeated where a table is
            too wide and is split.
        notes: sentences below it.
        numeric: whether the columns behind the keys are numbers, for alignment.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int = 1
    notes: tuple[str, ...] = ()
    numeric: bool = True


@dataclass(frozen=True)
class FigurePlace:
    """Where a figure belongs; the figure itself is found by its name."""

    name: str


@dataclass(frozen=True)
class Facts:
    """A list of named facts about something.

    Attributes:
        title: what they are about.
        items: name and value of each.
    """

    title: str
    items: tuple[tuple[str, str], ...]


Block = Text | Table | FigurePlace | Facts


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = field(default=())


@dataclass(frozen=True)
class Document:
    """A report ready for rendering.

    Attributes:
        title: its title.
        notices: what has to be said first.
        summary: one sentence.
        sections: the rest.
    """

    title: str
    notices: tuple[str, ...]
    summary: str
    sections: tuple[Section, ...]


def make_document(report: Report, figures: Iterable[str]) -> Document:
    """Lay out a report.

    Args:
        report: what to lay out.
        figures: names of the figures that there are.
    """
    there = set(figures)

    def places(prefix: str) -> list[Block]:
        return [FigurePlace(name) for name in sorted(there) if name.startswith(prefix)]

    sections = [
        Section("The paper's tables", "tables", tuple(_tables(report))),
        Section(
            "The paper's figures",
            "figures",
            (*places("figure-"), *places("grid"), *_configurations(report)),
        ),
        Section("The paper's claims", "claims", tuple(_claims(report))),
        Section(
            "How responses end",
            "outcomes",
            (
                *places("outcomes"),
                *_shares("Outcomes of all responses", report.outcomes, OUTCOMES),
                *places("causes"),
                *_shares(
                    "False steps that explain hallucinated numbers",
                    report.causes,
                    _causes(report.causes),
                    "By chance: what guesses from the price range would have been explained by.",
                ),
            ),
        ),
        Section("Side by side", "side-by-side", tuple(_comparisons(report))),
        Section("What was run", "runs", tuple(_runs(report))),
        Section(
            "Left out",
            "left-out",
            tuple(Text(each.message) for each in report.evidence.left_out),
        ),
    ]
    responses = len(report.evidence.responses)
    return Document(
        title=TITLE,
        notices=report.notices,
        summary=(
            f"{_count(len(report.models), 'model')}, {_count(len(report.runs), 'run')}, "
            f"{_count(responses, 'response')}. Rates in per cent, with 95 % Wilson intervals in brackets; "
            f"n counts problems. The paper: {report.paper.source}."
        ),
        sections=tuple(section for section in sections if section.blocks),
    )


def percent(share: float) -> str:
    """A share as a percentage with one decimal, without the sign."""
    return f"{100 * share:.1f}"


def points(effect: Effect, decimals: int = 1) -> str:
    """An effect in percentage points with its interval."""
    value, low, high = (
        f"{100 * number + 0.0:+.{decimals}f}"
        for number in (effect.value, effect.ci_low, effect.ci_high)
    )
    return f"{value} [{low}, {high}]"


def p_text(p_value: float | None) -> str:
    """A p-value for reading."""
    if p_value is None:
        return NOTHING
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _tables(report: Report) -> Iterable[Block]:
    for table in report.tables:
        if table.measured:
            yield _paper_like(table)
        else:
            yield Text(f"Table {table.number} ({table.title}): nothing in these logs.")
    marks = "".join(dict.fromkeys("".join(cell.marks for cell in report.cells)))
    if marks:
        yield Text("Marks: " + "; ".join(f"{mark} = {MARKS[mark]}" for mark in sorted(marks)) + ".")


def _paper_like(table: PaperLikeTable) -> Table:
    heads = ("ansDepth", *table.models, *(f"{name}\n(paper)" for name in table.paper_models))
    rows = []
    for depth, row in table.rows.items():
        measured = (_entry(row.measured.get(model)) for model in table.models)
        paper = (_paper_entry(row.paper.get(model)) for model in table.paper_models)
        rows.append((str(depth), *measured, *paper))
    paper_n = next(entry.n for row in table.rows.values() for entry in row.paper.values())
    notes = [f"The paper's cells have n={paper_n}."]
    if table.number == 3:
        notes.append("In parentheses: answerable problems called unknown.")
    return Table(
        caption=f"Table {table.number}. {table.title}, %",
        heads=heads,
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _entry(entry: Entry | None) -> str:
    if entry is None:
        return NOTHING
    if entry.value is None or entry.ci_low is None or entry.ci_high is None:
        return f"no verdict\nn=0 {entry.marks}"
    second = "" if entry.second is None else f" ({percent(entry.second)})"
    interval = f"[{percent(entry.ci_low)}, {percent(entry.ci_high)}]"
    return f"{percent(entry.value)}{second}\n{interval}\nn={entry.n} {entry.marks}".rstrip()


def _paper_entry(entry: Entry | None) -> str:
    if entry is None or entry.value is None:
        return NOTHING
    second = "" if entry.second is None else f" ({100 * entry.second:.0f})"
    return f"{percent(entry.value)}{second}"


def _configurations(report: Report) -> Iterable[Block]:
    """A table for each kind of problems that has cells which are in none of the three tables."""
    kinds = dict.fromkeys(
        (cell.unanswerable, cell.fewshot) for cell in report.cells if not _in_tables(cell)
    )
    for unanswerable, fewshot in kinds:
        by_row: dict[tuple[str, ...], dict[str, Cell]] = {}
        # The cells of the three tables are shown again: Figures 2 and 3 have them too.
        for cell in sorted(report.cells, key=_configuration_order):
            if (cell.unanswerable, cell.fewshot) == (unanswerable, fewshot):
                by_row.setdefault(_configuration(cell), {})[cell.model] = cell
        models = [model for model in report.models if any(model in row for row in by_row.values())]
        what = "hallucination rate" if unanswerable else "accuracy"
        yield Table(
            caption=f"All configurations, {kind_name(unanswerable, fewshot)}: {what}, %",
            heads=("ansDepth", "numVars", "cutDepth", "names", *models),
            rows=tuple(
                (*key, *(_rate_line(row[model]) if model in row else NOTHING for model in models))
                for key, row in by_row.items()
            ),
            keys=4,
        )


def _in_tables(cell: Cell) -> bool:
    return cell.as_in_tables and (
        cell.fewshot == 0 or (cell.unanswerable and cell.fewshot == PAPER_FEWSHOT)
    )


def _configuration(cell: Cell) -> tuple[str, ...]:
    names = {True: "composite", False: "simple", None: "?"}[cell.composite_name]
    structure = (cell.ans_depth, cell.num_vars, cell.cut_depth)
    return (*("?" if value is None else str(value) for value in structure), names)


def _configuration_order(cell: Cell) -> tuple[Any, ...]:
    structure = (cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name)
    return (
        not cell.unanswerable,
        cell.fewshot,
        *(-1 if value is None else value for value in structure),
    )


def _rate_line(cell: Cell) -> str:
    rate: Rate | None = cell.headline
    if rate is None:
        return f"no verdict, n=0 {cell.marks}"
    interval = f"[{percent(rate.ci_low)}, {percent(rate.ci_high)}]"
    return f"{percent(rate.value)} {interval} n={rate.n} {cell.marks}".rstrip()


def _claims(report: Report) -> Iterable[Block]:
    yield Text(
        "A claim holds where the p-value, corrected for the number of claims tested on the model (Holm), "
        "is below 0.05 and the effect has the claimed direction. It does not hold where the effect has "
        f"the other direction, or where its interval lies below {100 * SMALLEST_EFFECT:.0f} percentage "
        "points (over the whole range of depths, for the first). Otherwise there is not enough data."
    )
    claims = list(dict.fromkeys(finding.claim for finding in report.findings))
    for number, claim in enumerate(claims, start=1):
        findings = [finding for finding in report.findings if finding.claim == claim]
        yield _claim_block(number, claim, findings, report.paper.findings.get(claim.name, ""))


def _claim_block(number: int, claim: Claim, findings: Sequence[Finding], paper: str) -> Block:
    caption = f"Claim {number}. {claim.sentence}"
    tested = [finding for finding in findings if finding.effect is not None]
    untested = [finding.model for finding in findings if finding.effect is None]
    notes = [f"The paper: {paper}."] if paper else []
    notes += sorted({f"Test: {finding.test}." for finding in tested})
    if untested:
        notes.append(f"Not enough data (needs {claim.needs}): {', '.join(untested)}.")
    if not tested:
        return Text(" ".join([caption, *notes]))
    return Table(
        caption=caption,
        heads=("model", "verdict", f"effect [95 %]\n({claim.unit})", "p corrected", "basis"),
        rows=tuple(
            (
                finding.model,
                finding.verdict,
                points(finding.effect, 2 if claim.name == "depth" else 1)
                if finding.effect
                else NOTHING,
                p_text(finding.p_corrected),
                finding.basis,
            )
            for finding in tested
        ),
        notes=tuple(notes),
        numeric=False,
    )


def _causes(bars: Sequence[Shares]) -> tuple[str, ...]:
    names = dict.fromkeys(name for bar in bars for name in bar.counts if name != UNEXPLAINED)
    return (*names, UNEXPLAINED)


def _shares(
    caption: str, bars: Sequence[Shares], names: Sequence[str], chance_note: str = ""
) -> Iterable[Block]:
    if not bars:
        return
    used = [name for name in names if any(name in bar.counts for bar in bars)]
    chances = list(dict.fromkeys(name for bar in bars for name in bar.by_chance))
    yield Table(
        caption=f"{caption}, %",
        heads=(
            "model",
            "problems",
            *used,
            *(f"{name}\nby chance" for name in chances),
            "responses",
        ),
        rows=tuple(
            (
                bar.model,
                bar.what,
                *(percent(bar.counts.get(name, 0) / bar.total) for name in used),
                *(
                    percent(bar.by_chance[name]) if name in bar.by_chance else NOTHING
                    for name in chances
                ),
                str(bar.total),
            )
            for bar in bars
        ),
        keys=2,
        notes=(chance_note,) if chances else (),
    )


def _comparisons(report: Report) -> Iterable[Block]:
    if not report.comparisons:
        return
    yield Text(
        "Runs of the same task with the same model, on the problems that both asked: difference newer "
        "minus older, McNemar's exact test (not corrected). The numbers are those under What was run."
    )
    yield Table(
        caption="Two runs of one model",
        heads=(
            "model",
            "what",
            "runs",
            "common",
            "older, newer, %",
            "difference [95 %]",
            "p",
            "warnings",
        ),
        rows=tuple(_comparison(each) for each in report.comparisons),
        keys=3,
        numeric=False,
    )


def _comparison(each: Comparison) -> tuple[str, ...]:
    rates = NOTHING if each.rates is None else f"{percent(each.rates[0])}, {percent(each.rates[1])}"
    only = f"{each.common} (+{each.only_first}, +{each.only_second})"
    return (
        each.model,
        each.what,
        f"{each.first + 1}, {each.second + 1}",
        only,
        rates,
        points(each.difference) if each.difference else NOTHING,
        p_text(each.p_value),
        "\n".join(each.warnings) or "none",
    )


def _runs(report: Report) -> Iterable[Block]:
    yield Table(
        caption="Runs",
        heads=(
            "run",
            "model",
            "task",
            "responses",
            "errored",
            "cut off",
            "tokens in",
            "tokens out",
            "reasoning",
        ),
        rows=tuple(_run_row(each) for each in report.runs),
        notes=(
            "Errored: no verdict, %. Cut off: by a token limit, %. Tokens out include those of reasoning.",
        ),
        numeric=False,
    )
    alike: dict[tuple[tuple[str, str], ...], list[RunSummary]] = {}
    for each in report.runs:
        alike.setdefault(_facts(each), []).append(each)
    for facts, runs in alike.items():
        numbers = ", ".join(str(each.number) for each in runs)
        yield Facts(f"Run {numbers}" if len(runs) == 1 else f"Runs {numbers}", facts)


def _facts(each: RunSummary) -> tuple[tuple[str, str], ...]:
    run = each.run
    names = ("sampling", "seed", "theme", "order", "counterpart")
    problems = [f"{name} {run.parameters[name]}" for name in names if name in run.parameters]
    made_with = (
        f"{run.framework} {run.framework_version}, treecut-tasks {run.package_version}, "
        f"task version {run.task_version}"
    )
    return (
        ("made with", made_with),
        ("settings asked for", settings_text(run.settings)),
        ("settings that the provider got", settings_text(run.sent)),
        ("system message", run.system_message or "unknown"),
        ("prompt version", run.prompt or "unknown"),
        ("problems", ", ".join(problems) or "unknown"),
        ("data set", run.data_set or "no fingerprint"),
    )


def _run_row(each: RunSummary) -> tuple[str, ...]:
    run = each.run
    planned = "" if run.planned is None else f" of {run.planned}"
    return (
        str(each.number),
        each.label,
        tasks_text(run.tasks) + (f" ({run.fewshot} examples)" if run.fewshot else ""),
        f"{each.responses}{planned}" + ("" if run.status == "success" else f", {run.status}"),
        percent(each.errored / each.responses),
        percent(each.truncated / each.responses),
        *(_tokens(n) for n in (each.input_tokens, each.output_tokens, each.reasoning_tokens)),
    )


def tasks_text(tasks: Sequence[str]) -> str:
    """Names of tasks, shortened."""
    return tasks[0] if len(tasks) == 1 else f"{tasks[0]} and {len(tasks) - 1} more"


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings on one line."""
    lines = [
        f"{name}={value if isinstance(value, str) else json.dumps(value, default=str)}"
        for name, value in settings.items()
    ]
    return ", ".join(lines) or "none logged"


def _tokens(number: int | None) -> str:
    return (
        "not logged" if number is None else f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
