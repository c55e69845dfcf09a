"""What a report consists of: sections of paragraphs, tables and figures, whatever the format."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.rates import Rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NOTHING = "–"
"""A cell without data."""


@dataclass(frozen=True)
class Table:
    """A table, once with numbers and once with the texts that are read.

    Attributes:
        name: name of its CSV file and its key in JSON.
        caption: what it shows.
        data: one row for each thing, with columns named as in `docs/report.md`; for programs.
        shown: what is read, its columns being the heads.
        notes: sentences below it.
        words: number of leading columns that are words; the others are numbers.
    """

    name: str
    caption: str
    data: pd.DataFrame
    shown: pd.DataFrame
    notes: tuple[str, ...] = ()
    words: int = 1


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

    def render(self, form: Literal["svg", "png"], dark: bool = False) -> bytes:
        """The figure as the content of a file; the same figure gives the same bytes."""
        from matplotlib import style

        out = BytesIO()
        settings: dict[str, Any] = {
            "svg.hashsalt": self.name, "svg.fonttype": "none", "font.size": 9.0,
            "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True, "text.parse_math": False,
        }  # fmt: skip
        styles: list[Any] = ["default", *(["dark_background"] if dark else []), settings]
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        with style.context(styles), warnings.catch_warnings():
            # Names of models may have characters that the font lacks; a box is drawn for them.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            self.draw().savefig(out, format=form, dpi=150, metadata=metadata)
        return out.getvalue()


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it; a text is a paragraph."""

    title: str
    blocks: tuple[str | Table | Figure, ...]


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
        return [
            block
            for section in self.sections
            for block in section.blocks
            if isinstance(block, kind)
        ]


def show(data: pd.DataFrame, columns: Mapping[str, Callable[[Any], str]]) -> pd.DataFrame:
    """What is read of a table: for each head, what makes its text of a row."""
    rows = list(data.itertuples())
    return pd.DataFrame({head: [text(row) for row in rows] for head, text in columns.items()})


def spread(name: str, found: Estimate | Rate | None) -> dict[str, float | None]:
    """A number with the ends of its interval, as columns."""
    ends = {"": "value", "_ci_low": "ci_low", "_ci_high": "ci_high"}
    return {f"{name}{end}": getattr(found, part, None) for end, part in ends.items()}


def percent(share: float | None) -> str:
    """A share as a percentage with one decimal, without the sign."""
    return NOTHING if share is None or share != share else f"{100 * share:.1f}"


def with_interval(value: float | None, low: float, high: float) -> str:
    """A share in per cent with its 95 % interval, whose ends are rounded to whole ones."""
    if value is None or value != value:
        return NOTHING
    return f"{percent(value)} [{100 * low:.0f}, {100 * high:.0f}]"


def points(effect: Sequence[Any], decimals: int = 1) -> str:
    """An effect in percentage points with its interval."""
    if effect[0] is None or effect[0] != effect[0]:
        return NOTHING
    value, low, high = (
        # Adding zero turns minus zero into zero. The last digit of an end tells nothing.
        f"{round(100 * number, digits) + 0.0:+.{digits}f}"
        for number, digits in zip(effect, (decimals, decimals - 1, decimals - 1), strict=True)
    )
    return f"{value} [{low}, {high}]"


def p_text(p_value: float) -> str:
    """A p-value for reading."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def count(number: int, noun: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}".replace(
        ",", "\N{NARROW NO-BREAK SPACE}"
    )


def asked_name(model: str, fewshot: int) -> str:
    """The label of a model with the number of its worked examples, if there are some."""
    return f"{model}, {fewshot} examples" if fewshot else model


def kind_name(unanswerable: bool, fewshot: int) -> str:
    """`unanswerable, zero-shot`, for example."""
    kind = "unanswerable" if unanswerable else "answerable"
    return f"{kind}, {f'{fewshot} examples' if fewshot else 'zero-shot'}"
