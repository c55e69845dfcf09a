"""The HTML view: one file that loads nothing, with a list of responses that can be read."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup

from treecut_tasks.report.build import Report
from treecut_tasks.report.document import Block, Document
from treecut_tasks.report.figures import DARK, LIGHT, Figure
from treecut_tasks.report.reading import read_texts
from treecut_tasks.report.shares import end_of_response, kind_name
from treecut_tasks.report.values import printable

if TYPE_CHECKING:
    import pandas as pd

LONGEST_TEXT = 20_000
"""Prompts and responses are cut behind this many characters."""

_GROUPS = [
    "model",
    "unanswerable",
    "fewshot",
    "ans_depth",
    "num_vars",
    "cut_depth",
    "composite_name",
]
_COLUMNS = (
    "model",
    "problems",
    "ansDepth",
    "numVars",
    "cutDepth",
    "names",
    "outcome",
    "cause",
    "tokens out",
)
_FILTERS = ("model", "problems", "ansDepth", "numVars", "cutDepth", "names", "outcome", "cause")
_DETAILS = (
    "hallucination by the paper's rule",
    "how it was decided",
    "run",
    "problem",
    "pair",
    "error",
)
_VERDICTS = {"holds": "holds", "does not hold": "fails", "not enough data": "open"}


def html_text(
    report: Report, document: Document, figures: Mapping[str, Figure], responses: int
) -> str:
    """The report as one HTML page.

    Args:
        report: the report.
        document: its layout.
        figures: its figures by name.
        responses: how many responses can be read in the page.
    """
    css, js = _part("page.css"), _part("page.js")
    chosen = choose_responses(report, responses)
    environment = Environment(autoescape=True, trim_blocks=False)
    environment.filters.clear()
    page = environment.from_string(_part("page.html"))
    return page.render(
        policy=(
            "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
            f"style-src 'sha256-{_digest(css)}'; script-src 'sha256-{_digest(js)}'"
        ),
        css=Markup(css),
        js=Markup(js),
        document=document,
        figures={name: _drawn(figure) for name, figure in figures.items()},
        kind_of=_kind_of,
        lines=_lines,
        verdict_class=_verdict_class,
        shown=_shown(len(chosen), len(report.evidence.responses)),
        data=_data(report, chosen),
        version=version("treecut-tasks"),
    )


def choose_responses(report: Report, number: int) -> pd.DataFrame:
    """Responses for reading, spread over models, configurations and outcomes.

    The choice depends on the problems alone, so that the same problems are shown for every model.

    Args:
        report: the report.
        number: how many to choose at most.
    """
    frame = report.evidence.responses.copy()
    frame["model"] = [report.labels[run] for run in frame["run"]]
    names = ("scored", "unanswerable", "outcome", "accuracy", "truncated")
    columns = zip(*(frame[name].tolist() for name in names), strict=True)
    frame["end"] = [end_of_response(*values) for values in columns]
    frame["lot"] = [hashlib.sha256(name.encode()).hexdigest() for name in frame["problem_id"]]
    frame = frame.sort_values(["lot", "run", "epoch"], kind="stable")
    frame["rank"] = frame.groupby([*_GROUPS, "end"], dropna=False).cumcount()
    chosen = frame.sort_values(["rank", "lot"], kind="stable").head(number)
    return chosen.sort_values(
        ["model", "unanswerable", "fewshot", "ans_depth", "num_vars", "cut_depth", "lot"],
        ascending=[True, False, True, True, True, True, True],
        kind="stable",
    )


def _shown(chosen: int, total: int) -> str:
    if not chosen:
        return ""
    if chosen == total:
        return f"All {total} responses."
    return (
        f"{chosen} of {total} responses, spread over models, configurations and outcomes, so that rare "
        "outcomes are more frequent here than in the tables. More can be read with --responses."
    )


def _data(report: Report, chosen: pd.DataFrame) -> Markup:
    """The chosen responses as JSON that cannot end the element which it stands in."""
    texts = read_texts(report.evidence, chosen)
    content = {
        "columns": _COLUMNS,
        "filters": _FILTERS,
        "details": _DETAILS,
        "rows": [_row(record) for record in chosen.to_dict("records")],
        "facts": [_facts(record) for record in chosen.to_dict("records")],
        "texts": [(_cut(text.prompt), _cut(text.response)) for text in texts],
    }
    escaped = json.dumps(content, ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    return Markup(escaped)


def _row(record: dict[str, Any]) -> list[Any]:
    composite = _or_none(record["composite_name"])
    tokens = _or_none(record["output_tokens"])
    return [
        printable(record["model"]),
        kind_name(record["unanswerable"], record["fewshot"]),
        _or_none(record["ans_depth"]),
        _or_none(record["num_vars"]),
        _or_none(record["cut_depth"]),
        None if composite is None else "composite" if composite else "simple",
        record["end"],
        printable(record["cause"]),
        None if tokens is None else int(tokens),
    ]


def _facts(record: dict[str, Any]) -> list[Any]:
    hallucination = _or_none(record["hallucination"])
    return [
        None if hallucination is None else "yes" if hallucination else "no",
        printable(str(record["reason"])),
        record["run"] + 1,
        printable(str(record["problem_id"])),
        printable(str(_or_none(record["pair_id"]) or "")),
        printable(str(record["error"])),
    ]


def _or_none(value: Any) -> Any:
    import pandas as pd

    if value is None or pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


def _cut(text: str) -> str:
    text = printable(text)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n[{len(text) - LONGEST_TEXT} more characters are in the log]"


def _drawn(figure: Figure) -> dict[str, str]:
    return {
        "light": _address(figure.render("svg", LIGHT)),
        "dark": _address(figure.render("svg", DARK)),
        "alt": printable(figure.alt),
        "caption": figure.caption,
    }


def _address(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _part(name: str) -> str:
    return (files("treecut_tasks.report.rendering") / "html_parts" / name).read_text("utf-8")


def _kind_of(block: Block) -> str:
    return type(block).__name__


def _lines(text: str) -> Markup:
    """Text with its lines below each other, all but the first subdued."""
    first, *others = printable(text).split("\n")
    parts = [Markup("<br><span class='sub'>{}</span>").format(line) for line in others]
    return Markup("").join([Markup.escape(first), *parts])


def _verdict_class(text: str) -> Markup:
    name = _VERDICTS.get(text)
    return Markup(f" class='{name}'") if name else Markup("")
