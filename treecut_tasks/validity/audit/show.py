"""Takes an audit's result, gives it as Markdown, as JSON and as a figure."""

from __future__ import annotations

import json
from dataclasses import asdict
from io import BytesIO
from textwrap import fill

from treecut_tasks.validity.audit.result import AuditResult

_JOINED = {
    "pair_id": "pairs by pair_id, kept together",
    "line": "pairs line by line, kept together",
    "not": "independent draws",
}

# Characters in a line of the figure's title.
_TITLE_WIDTH = 90


def as_markdown(result: AuditResult) -> str:
    """A section in Markdown: verdict, table, and the strongest features of each set."""
    rows = [
        ("feature set", "balanced accuracy", "AUC", "strongest feature"),
        *(
            (each.name, str(each.balanced_accuracy), str(each.auc), str(each.strongest[0]))
            for each in result.sets
        ),
    ]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in list(zip(*escaped, strict=True))[:-1]]
    table = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, [*widths, 0], strict=True)) + " |"
        for row in escaped
    ]
    table.insert(1, "|---|---|---|---|")
    heading = f"{_heading(result)} 95 % intervals in brackets."
    return "\n".join(["# Audit of shortcuts", "", result.verdict, "", heading, "", *table, ""])


def as_json(result: AuditResult) -> str:
    """Everything about the result."""
    data = {
        "verdict": result.verdict,
        "shortcut": bool(result.telling),
        "telling": [each.name for each in result.telling],
        **asdict(result),
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def draw_figure(result: AuditResult) -> bytes:
    """A PNG of the AUCs with their intervals; what tells the classes apart is drawn in red."""
    # The object interface: no window system and no global state.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 0.36 * len(result.sets) + 1.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    aucs = [each.auc for each in result.sets]
    for row, (each, auc) in enumerate(zip(result.sets, aucs, strict=True)):
        colour = "#c0392b" if each in result.telling else "#2c5f8a"
        reach = [[auc.value - auc.ci_low], [auc.ci_high - auc.value]]
        axes.errorbar(auc.value, row, xerr=reach, fmt="o", color=colour, capsize=3, clip_on=False)
    axes.axvline(0.5, color="black", linewidth=1, linestyle="--")
    axes.set_yticks(range(len(result.sets)), [each.name for each in result.sets])
    axes.invert_yaxis()
    low = min(0.45, *(auc.ci_low for auc in aucs))
    high = max(0.55, *(auc.ci_high for auc in aucs))
    axes.set_xlim(low - 0.005, high + 0.005)
    axes.set_xlabel(
        "AUC, with 95 % interval (0.5: not told apart; red: told apart, all sets considered)"
    )
    figure.suptitle(fill(_heading(result), _TITLE_WIDTH), fontsize=10)
    axes.grid(axis="x", alpha=0.3)
    content = BytesIO()
    figure.savefig(content, format="png", dpi=150)
    return content.getvalue()


def _heading(result: AuditResult) -> str:
    return (
        f"{result.unanswerable} unanswerable and {result.answerable} answerable problems, theme "
        f"{result.theme}, {_JOINED[result.joined]}; {result.folds} folds, seed {result.seed}."
    )
