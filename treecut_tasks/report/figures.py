"""The paper's Figures 2 and 3 for the models of the logs, heat maps, and bars of shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import pandas as pd

from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.logs.untrusted import one_line
from treecut_tasks.report.cells import Cell
from treecut_tasks.report.document import Figure

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_PANELS_PER_ROW = 3
_PANEL = (4.0, 3.1)
_FIGURE_3_DEPTHS = (7, 8)
_LONGEST_LABEL = 44
_BARS = ("#1b9e77", "#66a3d9", "#d95f02", "#c2185b", "#b8a000", "#8a8a8a", "#6a51a3", "#8c564b")


def structure_figures(cells: Sequence[Cell]) -> Iterator[Figure]:
    """Figures 2 and 3 and heat maps, as far as the cells are enough for them."""
    usable = [cell for cell in cells if cell.unanswerable and not cell.fewshot and cell.known]
    models = list(dict.fromkeys(cell.model for cell in usable))
    legend = (
        "Orange: complex trees; blue: single paths; solid: composite names; dashed: simple names. Bars "
        "are 95 % intervals."
    )
    panels = [
        _Panel(model, lines)
        for model in models
        if len(lines := _lines(usable, lambda cell: cell.ans_depth, model=model, usual_cut=True))
        > 1
    ]
    if panels:
        yield _line_chart("figure-2", "ansDepth", f"Figure 2. {legend}", panels)
    panels = [
        _Panel(f"{model}\nansDepth {depth}", lines)
        for model in models
        for depth in _FIGURE_3_DEPTHS
        if (lines := _lines(usable, lambda cell: cell.cut_depth, model=model, ans_depth=depth))
    ]
    if panels:
        yield _line_chart("figure-3", "cutDepth", f"Figure 3. {legend}", panels)
    yield from _grids(usable)


def error_bars(axes: Axes, x: Sequence[float], rates: Sequence[Rate], **style: object) -> Artist:
    """Draw rates in per cent with their 95 % intervals."""
    drawn: Any = axes.errorbar(
        list(x),
        [100 * rate.value for rate in rates],
        yerr=[
            [100 * (rate.value - rate.ci_low) for rate in rates],
            [100 * (rate.ci_high - rate.value) for rate in rates],
        ],
        **{"markersize": 4, "capsize": 2, "elinewidth": 0.9, **style},  # type: ignore[arg-type]
    )
    artist: Artist = drawn
    return artist


def canvas_of(width: float, height: float) -> Canvas:
    """An empty canvas, in inches."""
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=(width, height), layout="constrained")


@dataclass(frozen=True)
class _Line:
    """A line of a panel: rates over depths or cuts."""

    complex_tree: bool
    composite: bool
    points: Mapping[int, Rate]

    @property
    def name(self) -> str:
        tree = "complex tree" if self.complex_tree else "single path"
        return f"{tree}, {'composite' if self.composite else 'simple'} names"


@dataclass(frozen=True)
class _Panel:
    title: str
    lines: Sequence[_Line]

    def in_words(self) -> str:
        lines = [
            f"{line.name} "
            + ", ".join(f"{100 * rate.value:.0f} % at {x}" for x, rate in line.points.items())
            for line in self.lines
        ]
        return f"{self.title}: {'; '.join(lines)}.".replace("\n", ", ")


def _lines(cells: Sequence[Cell], x: Callable[[Cell], int | None], **wanted: object) -> list[_Line]:
    """Lines of two or more points, complex above simple in the legend."""
    found: dict[tuple[bool, bool], dict[int, Rate]] = {}
    for cell in cells:
        right = all(getattr(cell, name) == value for name, value in wanted.items())
        if right and cell.extra_vars in (0, 2):
            line = found.setdefault((cell.extra_vars == 2, bool(cell.composite_name)), {})
            line[x(cell) or 0] = cell.rate
    return [
        _Line(*key, dict(sorted(points.items())))
        for key, points in sorted(found.items(), reverse=True)
        if len(points) > 1
    ]


def _line_chart(name: str, x_name: str, caption: str, panels: Sequence[_Panel]) -> Figure:
    words = " ".join(panel.in_words() for panel in panels)
    return Figure(
        name,
        f"{caption} Hallucination rate by the paper's rule over {x_name}.",
        f"Line chart. {words}",
        lambda: _draw_lines(panels, x_name),
    )


def _draw_lines(panels: Sequence[_Panel], x_name: str) -> Canvas:
    columns = min(_PANELS_PER_ROW, len(panels))
    rows = math.ceil(len(panels) / columns)
    # A single panel is drawn wider, because the legend needs the room.
    canvas = canvas_of(_PANEL[0] * max(1.6, columns), _PANEL[1] * rows)
    handles: dict[str, Artist] = {}
    for number, panel in enumerate(panels):
        axes = canvas.add_subplot(rows, columns, number + 1)
        for line in panel.lines:
            # Lines are moved a little apart, so that their intervals can be told apart.
            shift = 0.04 * (int(line.complex_tree) * 2 + int(line.composite) - 1.5)
            drawn = error_bars(
                axes,
                [x + shift for x in line.points],
                list(line.points.values()),
                color="tab:orange" if line.complex_tree else "tab:blue",
                linestyle="-" if line.composite else "--",
                marker="o" if line.complex_tree else "s",
            )
            handles.setdefault(line.name, drawn)
        axes.set_title(_wrapped(panel.title), fontsize=9)
        axes.set(ylim=(-3, 103), xlabel=x_name)
        axes.set_xticks(sorted({x for line in panel.lines for x in line.points}))
        if number % columns == 0:
            axes.set_ylabel("hallucination, %")
    canvas.legend(
        list(handles.values()),
        list(handles),
        loc="outside lower center",
        ncols=min(4, 2 * columns),
    )
    return canvas


def _wrapped(label: str) -> str:
    """A label on several lines; what its last line says is not cut off."""
    return "\n".join(fill(one_line(line), _LONGEST_LABEL) for line in label.split("\n"))


def _grids(cells: Sequence[Cell]) -> Iterator[Figure]:
    """Heat maps over ans_depth and cut_depth where more was run than Figure 3."""
    for extra, composite in sorted(
        {(cell.extra_vars, bool(cell.composite_name)) for cell in cells}
    ):
        grids: dict[str, dict[tuple[int, int], float]] = {}
        for cell in cells:
            if (cell.extra_vars, cell.composite_name) == (extra, composite):
                place = (cell.ans_depth or 0, cell.cut_depth or 0)
                grids.setdefault(cell.model, {})[place] = 100 * cell.rate.value
        grids = {model: grid for model, grid in grids.items() if _is_grid(list(grid))}
        if not grids:
            continue
        names = "composite" if composite else "simple"
        words = []
        for model, grid in grids.items():
            depth, cut = max(grid, key=grid.__getitem__)
            highest = f"{grid[depth, cut]:.0f} % at ansDepth {depth}, cutDepth {cut}"
            words.append(f"{model}: highest {highest}.")
        yield Figure(
            f"grid-{extra}-{names}",
            "Hallucination rate by the paper's rule over ansDepth and cutDepth, numVars = ansDepth + "
            f"{extra}, {names} names.",
            f"Heat map. {' '.join(words)}",
            lambda grids=grids: _draw_grids(grids),  # type: ignore[misc]
        )


def _is_grid(places: Sequence[tuple[int, int]]) -> bool:
    depths = [depth for depth, _ in places]
    several = {depth for depth in depths if depths.count(depth) > 1}
    return len(several) > 1 and not several <= set(_FIGURE_3_DEPTHS)


def _draw_grids(grids: Mapping[str, Mapping[tuple[int, int], float]]) -> Canvas:
    columns = min(_PANELS_PER_ROW, len(grids))
    rows = math.ceil(len(grids) / columns)
    canvas = canvas_of(_PANEL[0] * columns, _PANEL[1] * rows)
    for number, (model, grid) in enumerate(grids.items(), start=1):
        axes = canvas.add_subplot(rows, columns, number)
        frame = pd.Series(grid).unstack()
        axes.imshow(frame, cmap="YlOrRd", vmin=0, vmax=100, aspect="auto", origin="lower")
        axes.set_title(_wrapped(model), fontsize=9)
        axes.set_xticks(range(len(frame.columns)), [str(cut) for cut in frame.columns])
        axes.set_yticks(range(len(frame.index)), [str(depth) for depth in frame.index])
        axes.set(xlabel="cutDepth", ylabel="ansDepth")
        axes.grid(False)
        for y, row in enumerate(frame.to_numpy()):
            for x, value in enumerate(row):
                if not math.isnan(value):
                    colour = "white" if value > 65 else "black"
                    axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=colour)
    return canvas


def bars(name: str, caption: str, labels: Sequence[str], shares: pd.DataFrame) -> Figure:
    """Stacked bars, one for each row; the columns add up to one."""
    words = [
        f"{label}: "
        + ", ".join(f"{each} {100 * share:.0f} %" for each, share in row.items() if share)
        for label, (_, row) in zip(labels, shares.iterrows(), strict=True)
    ]
    return Figure(
        name,
        f"{caption}, in per cent.",
        f"Stacked bars. {'. '.join(words)}.".replace("\n", ", "),
        lambda: _draw_bars(labels, shares),
    )


def _draw_bars(labels: Sequence[str], shares: pd.DataFrame) -> Canvas:
    canvas = canvas_of(9.0, 1.1 + 0.5 * len(labels) + 0.12 * len(shares.columns))
    axes = canvas.add_subplot()
    axes.grid(False, axis="y")
    places = list(range(len(labels)))[::-1]
    left = [0.0] * len(labels)
    for number, name in enumerate(shares.columns):
        widths = [100 * float(share) for share in shares[name]]
        drawn = axes.barh(
            places,
            widths,
            left=left,
            height=0.7,
            color=_BARS[number % len(_BARS)],
            # Colours repeat after some names; a pattern keeps them apart.
            hatch="///" if number >= len(_BARS) else None,
            label=one_line(str(name), _LONGEST_LABEL),
        )
        texts = [f"{width:.0f}" if width >= 7 else "" for width in widths]
        axes.bar_label(drawn, texts, label_type="center", color="white", fontsize=8)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_yticks(places, [_wrapped(label) for label in labels], fontsize=8)
    axes.set(xlim=(0, 100), xlabel="%")
    canvas.legend(loc="outside lower center", ncols=min(4, len(shares.columns)), fontsize=8)
    return canvas
