"""Rates become figures: line charts of one form, heat maps, and stacked bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.logs.untrusted import one_line
from treecut_tasks.report.document import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_PER_ROW = 3
_PANEL = (4.0, 3.1)
_ALONE = (6.8, 4.2)
_FIGURE_3_DEPTHS = (7, 8)
_LONGEST_LABEL = 44
_BARS = ("#1b9e77", "#66a3d9", "#d95f02", "#c2185b", "#b8a000", "#8a8a8a", "#6a51a3", "#8c564b")


class Line(NamedTuple):
    """A line with its name, shares over x (a `Rate` has its interval drawn), and matplotlib's style."""

    name: str
    points: Sequence[tuple[float, Rate | float]]
    style: Mapping[str, Any] = {}


class Panel(NamedTuple):
    """A part of a chart with its title, its lines, and what draws the rest of it."""

    title: str
    lines: Sequence[Line]
    more: Callable[[Axes], None] = lambda axes: None


def line_chart(
    name: str, caption: str, panels: Sequence[Panel], x: str, y: str, *, percent: bool = False
) -> Figure:
    """Shares in per cent over something, one panel after another.

    Args:
        name: name of its files.
        caption: what it shows.
        panels: its parts.
        x: what is to the right.
        y: what is upwards.
        percent: whether x is a share, too.
    """
    unit, scale = (" %", 100) if percent else ("", 1)
    words = []
    for title, lines, _ in panels:
        told = [
            f"{line.name}: "
            + ", ".join(
                f"{100 * _value(at):.0f} % at {scale * x:.3g}{unit}" for x, at in line.points
            )
            for line in lines
        ]
        words.append(f"{title}{': ' if title else ''}{'; '.join(told)}.".replace("\n", ", "))

    def draw() -> Canvas:
        canvas, places = _panels(len(panels), _ALONE if len(panels) == 1 else _PANEL)
        handles: dict[str, Any] = {}
        for number, ((title, lines, more), axes) in enumerate(zip(panels, places, strict=True)):
            for place, line in enumerate(lines):
                # Lines are moved a little apart, so that their intervals can be told apart.
                shift = 0 if percent else 0.05 * (place - (len(lines) - 1) / 2)
                xs = [scale * x + shift for x, _ in line.points]
                handles.setdefault(_wrapped(line.name), _draw_line(axes, xs, line))
            more(axes)
            axes.set_title(_wrapped(title), fontsize=9)
            axes.set(ylim=(-3, 103), xlabel=x, ylabel="" if number % _PER_ROW else y)
            if percent:
                axes.set_xlim(-3, 103)
            else:
                axes.set_xticks(sorted({x for line in lines for x, _ in line.points}))
        canvas.legend(
            [*handles.values()],
            [*handles],
            loc="outside lower center",
            ncols=min(4, 2 * len(panels)),
        )
        return canvas

    return Figure(name, caption, f"Line chart. {' '.join(words)}", draw)


def structure_figures(cells: pd.DataFrame) -> Iterator[Figure]:
    """The paper's Figures 2 and 3, and heat maps, as far as the cells are enough for them."""
    cells = cells[cells["unanswerable"] & (cells["fewshot"] == 0) & cells["known"]]
    legend = (
        "Orange: complex trees; blue: single paths; solid: composite names; dashed: simple names. Bars "
        "are 95 % intervals. Hallucination rate by the paper's rule over"
    )
    for number, x, own, keys in (
        (2, "ans_depth", cells[cells["usual_cut"]], ["model"]),
        (3, "cut_depth", cells[cells["ans_depth"].isin(_FIGURE_3_DEPTHS)], ["model", "ans_depth"]),
    ):
        axis = x.replace("_depth", "Depth")
        panels = [
            Panel("\nansDepth ".join(map(str, key)), lines)
            for key, rows in own.groupby(keys)
            # A single line of Figure 2 is that of Table 1, which has a figure.
            if len(lines := _structure_lines(rows, x)) > (number == 2)
        ]
        if panels:
            caption = f"Figure {number}. {legend} {axis}."
            yield line_chart(f"figure-{number}", caption, panels, axis, "hallucination, %")
    for (extra, composite), rows in cells.groupby(["extra_vars", "composite_name"]):
        grids = {
            str(model): grid
            for model, own in rows.groupby("model")
            if _is_grid(grid := own.pivot(index="ans_depth", columns="cut_depth", values="value"))
        }
        if grids:
            yield _heat_maps(int(extra), "composite" if composite else "simple", grids)


def bars(name: str, caption: str, shares: pd.DataFrame) -> Figure:
    """Stacked bars, one for each row, which adds up to one; the index has the labels."""
    words = [
        f"{label}: "
        + ", ".join(f"{each} {100 * share:.0f} %" for each, share in row.items() if share)
        for label, row in shares.iterrows()
    ]

    def draw() -> Canvas:
        canvas = _canvas(9.0, 1.1 + 0.5 * len(shares) + 0.12 * len(shares.columns))
        axes = canvas.add_subplot()
        axes.grid(False, axis="y")
        labels = [_wrapped(str(label)) for label in shares.index]
        # Pandas' own chart imports pyplot, which takes long.
        ends = (100 * shares).cumsum(axis=1)
        for (name, widths), color in zip((100 * shares).items(), _BARS, strict=False):
            drawn = axes.barh(
                labels, widths, 0.7, ends[name] - widths, color=color, label=str(name)
            )
            texts = [f"{each:.0f}" if each >= 7 else "" for each in widths]
            axes.bar_label(drawn, texts, label_type="center", color="white", fontsize=8)
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="%", ylabel="")
        canvas.legend(loc="outside lower center", ncols=min(4, len(shares.columns)), fontsize=8)
        return canvas

    alt = f"Stacked bars. {'. '.join(words)}.".replace("\n", ", ")
    return Figure(name, f"{caption}, in per cent.", alt, draw)


def _structure_lines(cells: pd.DataFrame, x: str) -> list[Line]:
    """Lines of two or more points, complex above simple in the legend."""
    lines = []
    cells = cells[cells["extra_vars"].isin((0, 2))].sort_values(x)
    for (extra, composite), rows in reversed([*cells.groupby(["extra_vars", "composite_name"])]):
        tree, names = (
            "complex tree" if extra else "single path",
            "composite" if composite else "simple",
        )
        style = {
            "color": "tab:orange" if extra else "tab:blue",
            "linestyle": "-" if composite else "--",
            "marker": "o" if extra else "s",
        }
        points = list(zip(rows[x].astype(int), rows["found"], strict=True))
        if len(points) > 1:
            lines.append(Line(f"{tree}, {names} names", points, style))
    return lines


def _draw_line(axes: Axes, xs: Sequence[float], line: Line) -> Any:
    values = [100 * _value(each) for _, each in line.points]
    style: dict[str, Any] = {"marker": "o", "markersize": 4, **line.style}
    rates = [each for _, each in line.points if isinstance(each, Rate)]
    if not rates:
        return axes.plot(xs, values, **style)[0]
    ends = [
        [100 * (rate.value - rate.ci_low) for rate in rates],
        [100 * (rate.ci_high - rate.value) for rate in rates],
    ]
    return axes.errorbar(xs, values, yerr=ends, capsize=2, elinewidth=0.9, **style)


def _value(share: Rate | float) -> float:
    return share.value if isinstance(share, Rate) else share


def _is_grid(grid: pd.DataFrame) -> bool:
    """Whether more was run than Figure 3."""
    several = grid.index[grid.notna().sum(axis=1) > 1]
    return len(several) > 1 and not set(several) <= set(_FIGURE_3_DEPTHS)


def _heat_maps(extra: int, names: str, grids: Mapping[str, pd.DataFrame]) -> Figure:
    words = []
    for model, grid in grids.items():
        depth, cut = grid.stack().idxmax()
        highest = f"{100 * grid.loc[depth, cut]:.0f} % at ansDepth {depth}, cutDepth {cut}"
        words.append(f"{model}: highest {highest}.")

    def draw() -> Canvas:
        canvas, places = _panels(len(grids), _PANEL)
        for (model, grid), axes in zip(grids.items(), places, strict=True):
            axes.imshow(
                grid.astype(float), cmap="YlOrRd", vmin=0, vmax=1, aspect="auto", origin="lower"
            )
            axes.set_title(_wrapped(model), fontsize=9)
            axes.set_xticks(range(len(grid.columns)), map(str, grid.columns))
            axes.set_yticks(range(len(grid)), map(str, grid.index))
            axes.set(xlabel="cutDepth", ylabel="ansDepth")
            axes.grid(False)
            for y, row in enumerate(grid.to_numpy()):
                for x, value in enumerate(row):
                    text = "" if math.isnan(value) else f"{100 * value:.0f}"
                    colour = "white" if value > 0.65 else "black"
                    axes.text(x, y, text, ha="center", va="center", color=colour)
        return canvas

    return Figure(
        f"grid-{extra}-{names}",
        "Hallucination rate by the paper's rule over ansDepth and cutDepth, numVars = ansDepth + "
        f"{extra}, {names} names.",
        f"Heat map. {' '.join(words)}",
        draw,
    )


def _panels(number: int, size: tuple[float, float]) -> tuple[Canvas, list[Axes]]:
    columns = min(_PER_ROW, number)
    rows = math.ceil(number / columns)
    canvas = _canvas(size[0] * columns, size[1] * rows)
    return canvas, [canvas.add_subplot(rows, columns, 1 + place) for place in range(number)]


def _canvas(width: float, height: float) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=(width, height), layout="constrained")


def _wrapped(label: str) -> str:
    """A label on several lines; what its last line says is not cut off."""
    return "\n".join(fill(one_line(line), _LONGEST_LABEL) for line in label.split("\n"))
