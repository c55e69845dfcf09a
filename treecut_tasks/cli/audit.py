"""`treecut audit`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from treecut_tasks.validity.audit import AuditResult

_REPORT_ENDINGS = (".json", ".md")
_FIGURE_ENDINGS = (".png",)


@click.command("audit")
@click.argument("unanswerable", metavar="UNANSWERABLE")
@click.argument("answerable", metavar="ANSWERABLE")
@click.option(
    "--theme",
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML).  [default: food or outfit]",
)
@click.option("--report", metavar="FILE", help="Also write the result here: .json or .md.")
@click.option("--figure", metavar="FILE", help="Draw the AUCs with their intervals: .png.")
@click.option(
    "--folds", type=int, default=5, show_default=True, help="Parts of the cross-validation."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the folds.")
def command(
    unanswerable: str,
    answerable: str,
    theme: str | None,
    report: str | None,
    figure: str | None,
    folds: int,
    seed: int,
) -> None:
    """Tell how well the two classes can be told apart without doing the algebra.

    UNANSWERABLE and ANSWERABLE are JSON Lines files, published or full format, of one theme. Length,
    sentence count, stated facts, where the asked item is named, numbers, words and so on are put to
    classifiers, cross-validated; pairs are recognised and kept together. Needs the extra
    treecut-tasks[audit].
    """
    from treecut_tasks.themes import load_theme
    from treecut_tasks.validity.audit import (
        as_text,
        audit,
        check_folds,
        check_seed,
        read_classes,
        require_libraries,
        steps,
    )

    require_libraries(figure=figure is not None)
    check_seed(seed)
    check_folds(folds)
    inputs = (unanswerable, answerable)
    _check_output("report", report, _REPORT_ENDINGS, inputs)
    _check_output("figure", figure, _FIGURE_ENDINGS, inputs)
    themes = None if theme is None else (load_theme(theme),)
    with _progress("Reading", sum(map(_count_lines, inputs))) as advance:
        classes = read_classes(unanswerable, answerable, themes, advance)
    with _progress("Auditing", steps(folds)) as advance:
        result = audit(classes, folds, seed, advance)
    click.echo(as_text(result))
    _write(result, report, figure)


def _check_output(
    name: str, path: str | None, endings: tuple[str, ...], inputs: tuple[str, str]
) -> None:
    from treecut_tasks.errors import TreecutError

    if path is None:
        return
    if Path(path).suffix.lower() not in endings:
        raise TreecutError(f"{name} is {path!r}: it must end in {' or '.join(endings)}.")
    if Path(path).resolve() in {Path(each).resolve() for each in inputs}:
        raise TreecutError(f"The {name} would replace the data file {path!r}: give another path.")
    if not Path(path).resolve().parent.is_dir():
        raise TreecutError(
            f"{path!r} cannot be written (its folder does not exist): make the folder or give "
            "another path."
        )


def _write(result: AuditResult, report: str | None, figure: str | None) -> None:
    from treecut_tasks.files import whole_file
    from treecut_tasks.validity.audit import as_json, as_markdown, draw_figure

    if report is not None:
        with whole_file(report) as file:
            file.write(as_json(result) if report.lower().endswith(".json") else as_markdown(result))
    if figure is not None:
        content = draw_figure(result)
        with whole_file(figure) as file:
            file.buffer.write(content)


@contextmanager
def _progress(label: str, length: int) -> Iterator[Callable[[], None]]:
    """A function to call after each step: on a terminal it moves a bar on standard error."""
    import sys

    if not sys.stderr.isatty() or not length:
        yield lambda: None
        return
    with click.progressbar(
        length=length, label=label, file=sys.stderr, update_min_steps=max(1, length // 200)
    ) as bar:
        yield lambda: bar.update(1)


def _count_lines(path: str) -> int:
    """Number of lines, for the bar; 0 for what is no file, which is told when it is read."""
    if not Path(path).is_file():
        return 0
    with Path(path).open("rb") as file:
        return sum(1 for _ in file)
