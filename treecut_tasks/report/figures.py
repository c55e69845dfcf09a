"""The paper's Figures 2 and 3 for the models of the logs, and bars of outcomes and causes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.report.build import Report
from treecut_tasks.report.cells import Cell, zero_shot
from treecut_tasks.report.evidence import UNEXPLAINED
from treecut_tasks.report.shares import OUTCOMES, Shares
from treecut_tasks.report.values import one_line

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_PANELS_PER_ROW = 3
_PANEL = (4.0, 3.1)
_FIGURE_3_DEPTHS = (7, 8)
_LONGEST_LABEL = 44


@dataclass(frozen=True)
class Style:
    """Colours for a light or a dark page: ink, grid, orange, blue, bars, and the scale of heat maps."""

    ink: str
    grid: str
    page: str
    orange: str
    blue: str
    bars: tuple[str, ...]
    scale: str


LIGHT = Style(
    ink="#1f2328",
    grid="#d8dee4",
    page="#ffffff",
    orange="#d95f02",
    blue="#1f6fb4",
    bars=("#1b7f5c", "#3f8fd0", "#d95f02", "#a8327a", "#7a6f00", "#7d7d7d", "#1f2328", "#8c564b"),
    scale="YlOrRd",
)
DARK = Style(
    ink="#e6edf3",
    grid="#3d444d",
    page="#12161c",
    orange="#ff9d4d",
    blue="#6cb6ff",
    bars=("#4cc38a", "#6cb6ff", "#ff9d4d", "#f28cc4", "#d9c949", "#9ba3ab", "#e6edf3", "#c49c94"),
    scale="inferno",
)


@dataclass(frozen=True)
class Figure:
    """A figure.

    Attributes:
        name: name of its files, without ending.
        caption: what it shows.
        alt: what can be seen, in words.
        draw: draws it in a style.
    """

    name: str
    caption: str
    alt: str
    draw: Callable[[Style], Canvas]

    def render(self, form: Literal["svg", "png"], style: Style = LIGHT) -> bytes:
        """The figure as the content of a file; the same figure gives the same bytes."""
        import matplotlib

        out = BytesIO()
        settings: Any = {"svg.hashsalt": self.name, "svg.fonttype": "none", "font.size": 9.0}
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        with matplotlib.rc_context(settings), warnings.catch_warnings():
            # Names of models may have characters that the font lacks; a box is drawn for them.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            self.draw(style).savefig(
                out, format=form, dpi=150, facecolor=style.page, metadata=metadata
            )
        return out.getvalue()


def make_figures(report: Report) -> dict[str, Figure]:
    """All figures that the data of a report are enough for, by name."""
    made = [
        _figure_2(report.cells),
        _figure_3(report.cells),
        *_grids(report.cells),
        _bars(
            "outcomes",
            "How responses end, in per cent of all responses.",
            report.outcomes,
            OUTCOMES,
        ),
        _bars(
            "causes",
            "False steps that explain hallucinated numbers, in per cent of these.",
            report.causes,
            _cause_names(report.causes),
        ),
    ]
    return {figure.name: figure for figure in made if figure is not None}


@dataclass(frozen=True)
class _Line:
    """A line of a panel: rates over depths or cuts."""

    complex_tree: bool
    composite: bool
    points: tuple[tuple[int, Rate], ...]

    @property
    def name(self) -> str:
        tree = "complex tree" if self.complex_tree else "single path"
        return f"{tree}, {'composite' if self.composite else 'simple'} names"


@dataclass(frozen=True)
class _Panel:
    title: str
    lines: tuple[_Line, ...]

    def in_words(self) -> str:
        texts = []
        for line in self.lines:
            (first, at_first), (last, at_last) = line.points[0], line.points[-1]
            top, at_top = max(line.points, key=lambda point: point[1].value)
            texts.append(
                f"{line.name} {_whole(at_first)} % at {first}, {_whole(at_last)} % at {last}, highest "
                f"{_whole(at_top)} % at {top}"
            )
        title = self.title.replace("\n", ", ")
        return f"{title}: {'; '.join(texts)}."


def _whole(rate: Rate) -> str:
    return f"{100 * rate.value:.0f}"


def _lines(
    cells: Sequence[tuple[Cell, Rate]], x: Callable[[Cell], int | None]
) -> tuple[_Line, ...]:
    """Lines of two or more points, complex above simple in the legend."""
    found: dict[tuple[bool, bool], list[tuple[int, Rate]]] = {}
    for cell, rate in cells:
        place = x(cell)
        if place is None or cell.num_vars is None or cell.ans_depth is None:
            continue
        extra = cell.num_vars - cell.ans_depth
        if extra in (0, 2):
            found.setdefault((extra == 2, bool(cell.composite_name)), []).append((place, rate))
    return tuple(
        _Line(*key, tuple(sorted(points, key=lambda point: point[0])))
        for key, points in sorted(found.items(), reverse=True)
        if len(points) > 1
    )


def _figure_2(cells: Sequence[Cell]) -> Figure | None:
    panels = []
    usable = [
        (cell, rate)
        for cell, rate in zero_shot(cells)
        if cell.ans_depth is not None and cell.cut_depth == cell.ans_depth // 2
    ]
    for model in dict.fromkeys(cell.model for cell, _ in usable):
        own = [(cell, rate) for cell, rate in usable if cell.model == model]
        lines = _lines(own, lambda cell: cell.ans_depth)
        # One line alone is Table 1.
        if len(lines) > 1:
            panels.append(_Panel(model, lines))
    if not panels:
        return None
    caption = (
        "Figure 2. Hallucination rate over ansDepth. Orange: complex trees; blue: single paths; solid: "
        "composite names; dashed: simple names. Bars are 95 % intervals."
    )
    columns = min(_PANELS_PER_ROW, len(panels))
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    return Figure(
        "figure-2",
        caption,
        f"Line chart. {' '.join(panel.in_words() for panel in panels)}",
        lambda style: _draw_lines(rows, "ansDepth", style),
    )


def _figure_3(cells: Sequence[Cell]) -> Figure | None:
    usable = zero_shot(cells)
    rows = []
    for model in dict.fromkeys(cell.model for cell, _ in usable):
        panels = []
        for depth in _FIGURE_3_DEPTHS:
            own = [
                (cell, rate)
                for cell, rate in usable
                if cell.model == model and cell.ans_depth == depth
            ]
            lines = _lines(own, lambda cell: cell.cut_depth)
            if lines:
                panels.append(_Panel(f"{model}\nansDepth {depth}", lines))
        if panels:
            rows.append(panels)
    if not rows:
        return None
    caption = (
        "Figure 3. Hallucination rate over cutDepth. Orange: complex trees; blue: single paths; solid: "
        "composite names; dashed: simple names. Bars are 95 % intervals."
    )
    words = " ".join(panel.in_words() for row in rows for panel in row)
    return Figure(
        "figure-3",
        caption,
        f"Line chart. {words}",
        lambda style: _draw_lines(rows, "cutDepth", style),
    )


def _grids(cells: Sequence[Cell]) -> list[Figure]:
    """Heat maps over ans_depth and cut_depth where more was run than Figure 3."""
    groups: dict[tuple[int, bool], list[tuple[Cell, Rate]]] = {}
    for cell, rate in zero_shot(cells):
        assert cell.num_vars is not None and cell.ans_depth is not None
        key = (cell.num_vars - cell.ans_depth, bool(cell.composite_name))
        groups.setdefault(key, []).append((cell, rate))
    figures = []
    for (extra, composite), own in sorted(groups.items()):
        by_model: dict[str, dict[tuple[int, int], Rate]] = {}
        for cell, rate in own:
            assert cell.ans_depth is not None and cell.cut_depth is not None
            by_model.setdefault(cell.model, {})[cell.ans_depth, cell.cut_depth] = rate
        maps = {model: grid for model, grid in by_model.items() if _is_grid(grid)}
        if not maps:
            continue
        names = "composite" if composite else "simple"
        words = []
        for model, grid in maps.items():
            (depth, cut), rate = max(grid.items(), key=lambda item: item[1].value)
            words.append(f"{model}: highest {_whole(rate)} % at ansDepth {depth}, cutDepth {cut}.")
        figures.append(
            Figure(
                f"grid-{extra}-{names}",
                f"Hallucination rate over ansDepth and cutDepth, numVars = ansDepth + {extra}, {names} "
                "names.",
                f"Heat map. {' '.join(words)}",
                lambda style, maps=maps: _draw_grids(maps, style),  # type: ignore[misc]
            )
        )
    return figures


def _is_grid(grid: dict[tuple[int, int], Rate]) -> bool:
    cuts: dict[int, int] = {}
    for depth, _ in grid:
        cuts[depth] = cuts.get(depth, 0) + 1
    several = {depth for depth, number in cuts.items() if number > 1}
    return len(several) > 1 and not several <= set(_FIGURE_3_DEPTHS)


def _canvas(rows: int, columns: int, size: tuple[float, float], style: Style) -> Canvas:
    from matplotlib.figure import Figure as Canvas

    return Canvas(
        figsize=(size[0] * columns, size[1] * rows), layout="constrained", facecolor=style.page
    )


def _draw_lines(rows: Sequence[Sequence[_Panel]], x_name: str, style: Style) -> Canvas:
    columns = max(len(row) for row in rows)
    # A single panel is drawn wider, because the legend needs the room.
    size = _PANEL if columns > 1 else (1.6 * _PANEL[0], _PANEL[1])
    canvas = _canvas(len(rows), columns, size, style)
    handles: dict[str, Artist] = {}
    for row_number, row in enumerate(rows):
        for column, panel in enumerate(row):
            axes = canvas.add_subplot(len(rows), columns, row_number * columns + column + 1)
            _dress(axes, panel.title, style)
            for line in panel.lines:
                handles.setdefault(line.name, _draw_line(axes, line, style))
            axes.set_ylim(-3, 103)
            axes.set_xticks(sorted({x for line in panel.lines for x, _ in line.points}))
            axes.set_xlabel(x_name, color=style.ink)
            if column == 0:
                axes.set_ylabel("hallucination, %", color=style.ink)
    legend = canvas.legend(
        list(handles.values()), list(handles), loc="outside lower center", ncols=min(4, columns)
    )
    legend.get_frame().set(facecolor=style.page, edgecolor=style.grid)
    for text in legend.get_texts():
        text.set_color(style.ink)
    return canvas


def _draw_line(axes: Axes, line: _Line, style: Style) -> Artist:
    # Lines are moved a little apart, so that their intervals can be told apart.
    shift = 0.04 * (int(line.complex_tree) * 2 + int(line.composite) - 1.5)
    rates = [rate for _, rate in line.points]
    drawn: Any = axes.errorbar(
        [x + shift for x, _ in line.points],
        [100 * rate.value for rate in rates],
        yerr=[
            [100 * (rate.value - rate.ci_low) for rate in rates],
            [100 * (rate.ci_high - rate.value) for rate in rates],
        ],
        color=style.orange if line.complex_tree else style.blue,
        linestyle="-" if line.composite else "--",
        marker="o" if line.complex_tree else "s",
        markersize=4,
        linewidth=1.6,
        elinewidth=0.9,
        capsize=2,
    )
    artist: Artist = drawn
    return artist


def _dress(axes: Axes, title: str, style: Style) -> None:
    axes.set_facecolor(style.page)
    axes.set_title(_wrapped(title), color=style.ink, fontsize=9, parse_math=False)
    axes.tick_params(colors=style.ink)
    axes.grid(True, color=style.grid, linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(style.grid)


def _wrapped(label: str) -> str:
    """A label on several lines; what its last line says is not cut off."""
    lines = label.split("\n")
    return "\n".join(
        line for part in lines for line in wrap(one_line(part), _LONGEST_LABEL) or [""]
    )


def _draw_grids(maps: dict[str, dict[tuple[int, int], Rate]], style: Style) -> Canvas:
    from matplotlib import colormaps

    columns = min(_PANELS_PER_ROW, len(maps))
    rows = math.ceil(len(maps) / columns)
    canvas = _canvas(rows, columns, _PANEL, style)
    scale = colormaps[style.scale]
    for number, (model, grid) in enumerate(maps.items(), start=1):
        axes = canvas.add_subplot(rows, columns, number)
        _dress(axes, model, style)
        axes.grid(False)
        depths = sorted({depth for depth, _ in grid})
        cuts = sorted({cut for _, cut in grid})
        values = [
            [100 * grid[depth, cut].value if (depth, cut) in grid else math.nan for cut in cuts]
            for depth in depths
        ]
        axes.imshow(values, cmap=scale, vmin=0, vmax=100, aspect="auto", origin="lower")
        axes.set_xticks(range(len(cuts)), [str(cut) for cut in cuts])
        axes.set_yticks(range(len(depths)), [str(depth) for depth in depths])
        axes.set_xlabel("cutDepth", color=style.ink)
        axes.set_ylabel("ansDepth", color=style.ink)
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                if not math.isnan(value):
                    red, green, blue, _ = scale(value / 100)
                    bright = 0.3 * red + 0.6 * green + 0.1 * blue > 0.5
                    colour = "#000000" if bright else "#ffffff"
                    axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=colour)
    return canvas


def _cause_names(bars: Sequence[Shares]) -> tuple[str, ...]:
    names = dict.fromkeys(name for bar in bars for name in bar.counts if name != UNEXPLAINED)
    return (*names, UNEXPLAINED)


def _bars(name: str, caption: str, bars: Sequence[Shares], names: Sequence[str]) -> Figure | None:
    if not bars:
        return None
    used = [each for each in names if any(each in bar.counts for bar in bars)]
    words = [
        f"{bar.model}, {bar.what}: "
        + ", ".join(f"{each} {100 * count / bar.total:.0f} %" for each, count in bar.counts.items())
        + "."
        for bar in bars
    ]
    return Figure(
        name,
        caption,
        f"Stacked bars. {' '.join(words)}",
        lambda style: _draw_bars(bars, used, style),
    )


def _draw_bars(bars: Sequence[Shares], names: Sequence[str], style: Style) -> Canvas:
    canvas = _canvas(1, 1, (9.0, 1.1 + 0.5 * len(bars) + 0.12 * len(names)), style)
    axes = canvas.add_subplot(1, 1, 1)
    _dress(axes, "", style)
    axes.grid(False, axis="y")
    places = list(range(len(bars)))[::-1]
    left = [0.0] * len(bars)
    for number, name in enumerate(names):
        widths = [100 * bar.counts.get(name, 0) / bar.total for bar in bars]
        axes.barh(
            places,
            widths,
            left=left,
            height=0.7,
            color=style.bars[number % len(style.bars)],
            # Colours repeat after some names; a pattern keeps them apart.
            hatch="///" if number >= len(style.bars) else None,
            edgecolor=style.page,
            label=one_line(name, _LONGEST_LABEL),
        )
        for place, start, width in zip(places, left, widths, strict=True):
            if width >= 7:
                axes.text(
                    start + width / 2,
                    place,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    color=style.page,
                    fontsize=8,
                )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    labels = [f"{_wrapped(bar.model)}\n{bar.what}, n={bar.total}" for bar in bars]
    axes.set_yticks(places, labels, parse_math=False, fontsize=8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("responses, %", color=style.ink)
    legend = canvas.legend(loc="outside lower center", ncols=min(4, len(names)), fontsize=8)
    legend.get_frame().set(facecolor=style.page, edgecolor=style.grid)
    for text in legend.get_texts():
        text.set_color(style.ink)
        text.set_parse_math(False)
    return canvas
