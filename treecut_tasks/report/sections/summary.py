"""The summary: evidence becomes one row of rates for each model, and the figure of Table 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.report.cells import Cell, make_cells
from treecut_tasks.report.document import Figure, Section, Table, percent, with_interval
from treecut_tasks.report.evidence import CONFIGURATION, Evidence
from treecut_tasks.report.figures import canvas_of, error_bars
from treecut_tasks.report.paper import paper_results

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_NOTE = (
    "Paper's rate: hallucination by the paper's rule, as in its tables (no “unknown” after the last "
    "“answer”). Number, unknown, none: how responses to unanswerable problems end for a careful reader; "
    "a number is a hallucination. Accuracy: of answerable problems. Pairs: solved, that is, unknown to the "
    "unanswerable member, the right number to the other. Format: responses whose last line is the one that "
    "the prompt asks for. n: unanswerable + answerable problems."
)
_UNLIKE = (
    "Not all rows are of the same configurations of problems, which these rates depend on: to compare, read "
    "the tables by depth."
)
_SHARES = ("hallucination_rate", "unknown_rate", "no_answer_rate")


def section(evidence: Evidence) -> Section:
    """Make the section."""
    blocks: list[str | Table | Figure] = [_table(evidence), *_names(evidence)]
    figure = _figure(make_cells(evidence.problems))
    return Section("Summary", tuple(blocks + ([figure] if figure else [])))


def _table(evidence: Evidence) -> Table:
    keys = (
        evidence.responses[["model", "fewshot"]].drop_duplicates().sort_values(["model", "fewshot"])
    )
    data, shown = [], []
    asked = set()
    for model, fewshot in keys.itertuples(index=False, name=None):
        problems, responses, pairs = (
            frame[(frame["model"] == model) & (frame["fewshot"] == fewshot)]
            for frame in (evidence.problems, evidence.responses, evidence.pairs)
        )
        unanswerable = problems[problems["unanswerable"]]
        answerable = problems[~problems["unanswerable"]]
        asked.add(
            frozenset(problems[["unanswerable", *CONFIGURATION]].astype(str).apply(tuple, axis=1))
        )
        rates: dict[str, Rate | None] = {
            "paper_hallucination_rate": _rate(unanswerable["paper_hallucination_rate"]),
            **{name: _rate(unanswerable[name]) for name in _SHARES},
            "accuracy": _rate(answerable["accuracy"]),
            "pair_solved_rate": _rate(pairs["pair_solved_rate"]),
            "format_followed_rate": _rate(
                (responses.loc[responses["scored"], "tier"] == "contract").astype(float)
            ),
        }
        name = f"{model}, {fewshot} examples" if fewshot else model
        numbers = (len(unanswerable), len(answerable))
        n = " + ".join(str(number) for number in numbers if number)
        shown.append([name, n, *(_text(which, found) for which, found in rates.items())])
        data.append(
            {
                "model": model,
                "fewshot": fewshot,
                "unanswerable_problems": numbers[0],
                "answerable_problems": numbers[1],
                "pairs": len(pairs),
                **_columns(rates),
            }
        )
    heads = [
        "model",
        "n",
        "paper's rate",
        "number",
        "unknown",
        "none",
        "accuracy",
        "pairs",
        "format",
    ]
    notes = (_NOTE, *([_UNLIKE] if len(asked) > 1 else []))
    return Table(
        "summary",
        "All models",
        pd.DataFrame(data),
        pd.DataFrame(shown, columns=heads),
        notes,
    )


def _rate(values: pd.Series) -> Rate | None:
    return rate(values.tolist()) if len(values) else None


def _text(name: str, found: Rate | None) -> str:
    if name == "paper_hallucination_rate":
        return with_interval(found)
    return percent(found.value if found else None)


def _columns(rates: Mapping[str, Rate | None]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, found in rates.items():
        columns[name] = found and found.value
        columns[f"{name}_ci_low"] = found and found.ci_low
        columns[f"{name}_ci_high"] = found and found.ci_high
    return columns


def _names(evidence: Evidence) -> Iterator[str]:
    """What a label means, where the logs have another name or the settings tell models apart."""
    meanings = []
    for label, variant in evidence.variants.items():
        meaning = [name for name in variant.logged_as if name != label]
        meaning += [variant.differences] if variant.differences else []
        if meaning:
            meanings.append(f"{label}: {', '.join(meaning)}")
    if meanings:
        yield f"In the logs: {'; '.join(meanings)}."


def _figure(cells: list[Cell]) -> Figure | None:
    """Table 1 as lines: the measured models in colours, the paper's in grey."""
    lines: dict[str, dict[int, Rate]] = {}
    for cell in cells:
        if cell.unanswerable and not cell.fewshot and cell.as_in_tables and cell.ans_depth:
            lines.setdefault(cell.model, {})[cell.ans_depth] = cell.rate
    if not lines:
        return None
    words = [
        f"{model}: "
        + ", ".join(f"{percent(found.value)} % at {depth}" for depth, found in line.items())
        for model, line in lines.items()
    ]
    return Figure(
        "figure-1",
        "Hallucination rate by the paper's rule over ansDepth, as in Table 1, with 95 % intervals; grey: the "
        "models of the paper.",
        f"Line chart. {'. '.join(words)}.",
        lambda: _draw(lines),
    )


def _draw(lines: Mapping[str, Mapping[int, Rate]]) -> Canvas:
    canvas = canvas_of(7.5, 4.2)
    axes = canvas.add_subplot()
    paper = paper_results().tables[1].rates
    last = max(paper)
    end = max(last, *(depth for line in lines.values() for depth in line))
    ends = sorted(paper[last].items(), key=lambda item: item[1])
    place = -1.0
    for name, at_last in ends:
        axes.plot(
            list(paper), [100 * row[name] for row in paper.values()], color="0.6", linewidth=1
        )
        # Names stand apart even where lines end together.
        place = max(place + 4.5, 100 * at_last)
        axes.text(end + 0.15, place, name, color="0.5", fontsize=8, va="center")
    for number, (model, line) in enumerate(lines.items()):
        shift = 0.05 * (number - len(lines) / 2)
        error_bars(
            axes, [depth + shift for depth in line], list(line.values()), label=model, marker="o"
        )
    axes.set(
        xlabel="ansDepth",
        ylabel="hallucination, %",
        ylim=(-3, 103),
        xlim=(min(paper) - 0.3, end + 1.2),
    )
    axes.set_xticks(sorted({*paper, *(depth for line in lines.values() for depth in line)}))
    canvas.legend(loc="outside lower center", ncols=min(3, len(lines)))
    return canvas
