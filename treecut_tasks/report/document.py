"""What a report consists of: sections of paragraphs, tables and figures, whatever the format."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.rates import Rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NOTHING = "–"
"""A cell without data."""

MISSING = Estimate(*[float("nan")] * 3)
"""An estimate where there is nothing to estimate."""

Row = Mapping[str, Any]
"""A row of a table: what it has in each column."""


@dataclass(frozen=True)
class Table:
    """A table, once with numbers and once with the texts that are read.

    Attributes:
        name: name of its CSV file and its key in JSON.
        caption: what it shows.
        data: one row for each thing, with columns named as in `docs/report.md`; for programs.
        shown: what is read, its columns being the heads.
        note: what stands below it.
        words: number of leading columns that are words; the others are numbers.
    """

    name: str
    caption: str
    data: pd.DataFrame
    shown: pd.DataFrame
    note: str = ""
    words: int = 1

    @classmethod
    def of(
        cls,
        name: str,
        caption: str,
        rows: Sequence[Row],
        heads: Mapping[str, Callable[[Row], str]],
        note: str = "",
        words: int = 1,
    ) -> Table:
        """A table of rows, of which rates and estimates become three columns; heads make texts of a row.

        A head under which no row has anything is not shown.
        """
        data = pd.DataFrame(dict(_columns(row)) for row in rows)
        shown = pd.DataFrame({head: [text(row) for row in rows] for head, text in heads.items()})
        shown = shown.loc[:, (shown != NOTHING).any()]
        return cls(name, caption, data, shown, note, words)


def _columns(row: Row) -> Iterator[tuple[str, Any]]:
    for name, cell in row.items():
        if isinstance(cell, Rate | Estimate):
            yield name, cell.value
            yield f"{name}_ci_low", cell.ci_low
            yield f"{name}_ci_high", cell.ci_high
        else:
            yield name, cell


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        name: name of its files, without ending.
        caption: what it shows.
        alt: what can be seen, in words.
        draw: draws it on an empty canvas.
    """

    name: str
    caption: str
    alt: str
    draw: Callable[[], Canvas]

    @cached_property
    def svg(self) -> bytes:
        """The figure as a drawing; the same figure gives the same bytes."""
        return self._render("svg", {"Date": None})

    @cached_property
    def png(self) -> bytes:
        """The figure as a picture; the same figure gives the same bytes."""
        return self._render("png", {"Software": None})

    def _render(self, form: str, metadata: dict[str, None]) -> bytes:
        from matplotlib import style

        out = BytesIO()
        settings: dict[str, Any] = {
            "svg.hashsalt": self.name, "svg.fonttype": "none", "font.size": 9.0,
            "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True, "text.parse_math": False,
        }  # fmt: skip
        with style.context(["default", settings]), warnings.catch_warnings():
            # Names of models may have characters that the font lacks; a box is drawn for them.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            self.draw().savefig(out, format=form, dpi=150, metadata=metadata)
        return out.getvalue()


Block = str | Table | Figure
"""A part of a section; a text is a paragraph."""


@dataclass(frozen=True)
class Section:
    """A heading, if the title is not empty, and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A report ready for rendering.

    Attributes:
        title: its title.
        notices: what has to be said first.
        summary: one or two sentences.
        sections: the rest.
    """

    title: str
    notices: tuple[str, ...]
    summary: str
    sections: tuple[Section, ...]

    def blocks(self, kind: type[Any]) -> list[Any]:
        """All tables, for example, in order."""
        blocks = [block for section in self.sections for block in section.blocks]
        return [block for block in blocks if isinstance(block, kind)]


def cell(name: str, text: Callable[[Any], str] = str) -> Callable[[Row], str]:
    """What makes the text of one column of a row."""
    return lambda row: text(row[name])


def percent(share: Rate | Estimate | float | None) -> str:
    """A share as a percentage with one decimal, without the sign."""
    value = share.value if isinstance(share, Rate | Estimate) else share
    return NOTHING if value is None or value != value else f"{100 * value:.1f}"


def with_interval(share: Rate | Estimate) -> str:
    """A share in per cent with its 95 % interval, whose ends are rounded to whole ones."""
    if share.value != share.value:
        return NOTHING
    return f"{percent(share.value)} [{100 * share.ci_low:.0f}, {100 * share.ci_high:.0f}]"


def points(effect: Estimate, decimals: int = 1) -> str:
    """An effect in percentage points with its interval, of whose ends the last digit tells nothing."""
    if effect.value != effect.value:
        return NOTHING
    value, low, high = (
        # Adding zero turns minus zero into zero.
        f"{round(100 * number, digits) + 0.0:+.{digits}f}"
        for number, digits in zip(effect, (decimals, decimals - 1, decimals - 1), strict=True)
    )
    return f"{value} [{low}, {high}]"


def plain(found: Estimate) -> str:
    """A number that is no share, with its interval."""
    if found.value != found.value:
        return NOTHING
    value, low, high = (f"{each:.{1 if abs(found.value) > 1 else 2}f}" for each in found)
    return f"{value} [{low}, {high}]"


def p_text(p_value: float) -> str:
    """A p-value for reading."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def count(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    plural = "" if number == 1 else "s"
    return f"{number:,} {noun}{plural}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def asked_name(model: str, fewshot: int) -> str:
    """The label of a model with the number of its worked examples, if there are some."""
    return f"{model}, fewshot={fewshot}" if fewshot else model


def kind_name(unanswerable: bool, fewshot: int) -> str:
    """`unanswerable, zero-shot`, for example."""
    kind = "unanswerable" if unanswerable else "answerable"
    return f"{kind}, {f'fewshot={fewshot}' if fewshot else 'zero-shot'}"
