"""`treecut audit`."""

from __future__ import annotations

from pathlib import Path

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath, theme_option
from treecut_tasks.errors import TreecutError

_REPORT_ENDINGS = (".json", ".md")
_FIGURE_ENDINGS = (".png",)


@click.command("audit", cls=Command)
@click.argument("unanswerable", type=InputPath(), metavar="UNANSWERABLE")
@click.argument("answerable", type=InputPath(), metavar="ANSWERABLE")
@theme_option()
@click.option(
    "--report", type=OutputPath(), metavar="FILE", help="Also write the result here: .json or .md."
)
@click.option(
    "--figure",
    type=OutputPath(),
    metavar="FILE",
    help="Draw the AUCs with their intervals: .png.",
)
@click.option(
    "--folds", type=int, default=5, show_default=True, help="Parts of the cross-validation."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the folds.")
def command(
    unanswerable: str,
    answerable: str,
    themes: str | None,
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
    from treecut_tasks.cli.output import counting
    from treecut_tasks.extras import require
    from treecut_tasks.files import whole_files
    from treecut_tasks.themes import load_theme

    require("audit", "sklearn", "threadpoolctl", for_what="An audit")
    if figure is not None:
        require("audit", "matplotlib", for_what="A figure")
    _check_ending("report", report, _REPORT_ENDINGS)
    _check_ending("figure", figure, _FIGURE_ENDINGS)

    from treecut_tasks.validity.audit import (
        SET_NAMES,
        as_json,
        as_markdown,
        audit,
        draw_figure,
        read_classes,
    )

    vocabularies = None if themes is None else (load_theme(themes),)
    with whole_files(*filter(None, (report, figure))) as files:
        classes = read_classes(unanswerable, answerable, vocabularies)
        with counting(len(SET_NAMES), "Auditing") as advance:
            result = audit(classes, folds, seed, advance)
        if report is not None:
            json_wanted = report.lower().endswith(".json")
            files[0].write(as_json(result) if json_wanted else as_markdown(result))
        if figure is not None:
            files[-1].buffer.write(draw_figure(result))
    click.echo(as_markdown(result))


def _check_ending(name: str, path: str | None, endings: tuple[str, ...]) -> None:
    if path is not None and Path(path).suffix.lower() not in endings:
        raise TreecutError(f"{name} is {path!r}: it must end in {' or '.join(endings)}.")
