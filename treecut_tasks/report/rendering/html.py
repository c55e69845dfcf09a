"""The HTML view: one file that loads nothing, with a list of responses that can be read."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import pandas as pd
from jinja2 import Environment
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup

from treecut_tasks.evaluation.describing import describe_response
from treecut_tasks.logs.untrusted import printable
from treecut_tasks.report.cells import KEYS
from treecut_tasks.report.document import Document, Figure, kind_name
from treecut_tasks.report.evidence import Evidence, in_words
from treecut_tasks.report.rendering.markdown import markdown_text

LONGEST_TEXT = 20_000
"""Prompts and responses are cut behind this many characters."""

_COLUMNS = (
    "model", "problems", "depth", "verdict", "cause", "end", "notice", "variables", "cut", "names"
)  # fmt: skip


def html_text(evidence: Evidence, document: Document, responses: int) -> str:
    """The report as one HTML page."""
    css, js = _part("page.css"), _part("page.js")
    chosen = choose_responses(evidence, responses)
    total = len(evidence.responses)
    shown = (
        f"All {total} responses."
        if len(chosen) == total
        else (
            f"{len(chosen)} of {total} responses, spread over models, configurations and ways to end; "
            "rare ones are more frequent here than in the tables, and --responses shows more."
        )
    )
    drawn = {figure.name: figure for figure in document.blocks(Figure)}
    body, sections = _body(markdown_text(document, lambda figure: figure.name), drawn)
    page = Environment(autoescape=True).from_string(_part("page.html"))
    return page.render(
        policy=(
            "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
            f"style-src 'sha256-{_digest(css)}'; script-src 'sha256-{_digest(js)}'"
        ),
        css=Markup(css),
        js=Markup(js),
        title=document.title,
        sections=sections,
        body=Markup(body),
        shown=shown if len(chosen) else "",
        data=_data(evidence, chosen),
        version=version("treecut-tasks"),
    )


def choose_responses(evidence: Evidence, number: int) -> pd.DataFrame:
    """Responses for reading, spread over models, configurations and ways to end.

    The choice depends on the problems alone, so that the same problems are shown for every model.
    """
    frame = evidence.responses.copy()
    frame["lot"] = [hashlib.sha256(name.encode()).hexdigest() for name in frame["problem_id"]]
    frame = frame.sort_values(["lot", "run", "epoch"], kind="stable")
    frame["rank"] = frame.groupby([*KEYS, "ending"], dropna=False).cumcount()
    chosen = frame.sort_values(["rank", "lot"], kind="stable").head(number)
    ascending = [True, False, *([True] * 6)]
    return chosen.sort_values([*KEYS, "lot"], ascending=ascending, kind="stable")


def _body(markdown: str, figures: dict[str, Figure]) -> tuple[str, list[tuple[str, str]]]:
    """Markdown as HTML, and the anchor and title of each section."""
    sections: list[tuple[str, str]] = []
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")

    def image(self: RendererHTML, tokens: Any, index: int, options: Any, env: Any) -> str:
        figure = figures[tokens[index].attrGet("src")]
        content = base64.b64encode(figure.svg).decode("ascii")
        return Markup('<img src="data:image/svg+xml;base64,{}" alt="{}">').format(
            content, printable(figure.alt)
        )

    def heading(self: RendererHTML, tokens: Any, index: int, options: Any, env: Any) -> str:
        title, tag = tokens[index + 1], tokens[index].tag
        anchor = re.sub(r"[^a-z0-9]+", "-", title.content.lower()).strip("-")
        if tag == "h2":
            text = "".join(child.content for child in title.children)
            sections.append((anchor, text))
        return Markup('<{} id="{}">').format(tag, anchor)

    def table(self: RendererHTML, tokens: Any, index: int, options: Any, env: Any) -> str:
        # The heading of the table is the block before it.
        name = "".join(child.content for child in tokens[index - 2].children)
        return Markup(
            '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table>'
        ).format(name)

    def cell(self: RendererHTML, tokens: Any, index: int, options: Any, env: Any) -> str:
        # The page's policy lets no element have a style of its own.
        number = ' class="number"' if "right" in str(tokens[index].attrGet("style")) else ""
        return f"<{tokens[index].tag}{number}>"

    parser.add_render_rule("image", image)
    parser.add_render_rule("th_open", cell)
    parser.add_render_rule("td_open", cell)
    parser.add_render_rule("heading_open", heading)
    parser.add_render_rule("table_open", table)
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser.render(markdown), sections


def _data(evidence: Evidence, chosen: pd.DataFrame) -> Markup:
    """The chosen responses as JSON that cannot end the element which it stands in."""
    words = evidence.words(chosen)
    known = chosen.assign(end=in_words(chosen)).astype(object)
    rows = list(known.where(known.notna(), None).itertuples(index=False))
    content = {
        "columns": _COLUMNS,
        "rows": [_row(row) for row in rows],
        "facts": [_facts(row) for row in rows],
        "texts": [[_cut(text) for text in each] for each in words],
        "notices": [_notice(row) for row in rows],
        "steps": [printable(row.cause_explained or "") for row in rows],
    }
    escaped = json.dumps(content, ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        escaped = escaped.replace(character, f"\\u{ord(character):04x}")
    return Markup(escaped)


def _row(row: Any) -> list[Any]:
    return [
        printable(row.model),
        kind_name(row.unanswerable, row.fewshot),
        row.ans_depth,
        printable(_verdict(row)),
        printable(row.cause or "").replace("_", " "),
        row.end,
        {True: "noticed", False: "not noticed"}.get(row.noticed),
        row.num_vars,
        row.cut_depth,
        {True: "composite", False: "simple"}.get(row.composite_name),
    ]


def _notice(row: Any) -> dict[str, str] | None:
    """The words that notice that something is missing, and where they stand."""
    found = row.judged and row.judged.noticed
    if not found:
        return None
    ends = "and ends with it" if found.upheld else "and ends otherwise"
    where = f"Notices, {100 * found.position:.0f} % into what it wrote, {ends}:"
    return {"where": where, "quote": printable(found.quote)}


def _verdict(row: Any) -> str:
    if row.judged is None:
        return f"No verdict: {row.error or 'there is no response'}."
    return describe_response(row.judged)


def _facts(row: Any) -> dict[str, Any]:
    by_rule = "" if row.judged is None else "unknown" if row.says_unknown else "not unknown"
    facts = {
        "decided by": row.reason and f"{row.reason} ({row.tier or 'no tier'})".replace("_", " "),
        "paper's rule": by_rule,
        "correct answer": row.judged and row.judged.due,
        "problem": row.problem_id,
        "pair": row.pair_id,
        "run": row.run + 1,
        "repetition": row.epoch if row.epoch > 1 else None,
        "tokens": None if row.output_tokens is None else f"{row.output_tokens:.0f}",
    }
    return {name: printable(str(value)) for name, value in facts.items() if value}


def _cut(text: str) -> str:
    text = printable(text)
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n[{len(text) - LONGEST_TEXT} more characters are in the log]"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _part(name: str) -> str:
    return (files("treecut_tasks.report.rendering") / "html_parts" / name).read_text("utf-8")
