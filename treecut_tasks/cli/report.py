"""`treecut report`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputFolder

if TYPE_CHECKING:
    from treecut_tasks.report.reading import Progress

_FORMATS = ("terminal", "markdown", "csv", "json", "html")
_TO_STDOUT = ("terminal", "markdown", "json")

# Exit status where a report was made, but some of the input could not be used.
_INCOMPLETE = 1


@click.command("report", cls=Command)
@click.argument("paths", nargs=-1, type=InputPath(), metavar="PATH…")
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    metavar="DIR",
    help="Folder for report.md, .json, .html, CSV, figures.",
)
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    help=f"Some of {','.join(_FORMATS)}.  [default: terminal, and with -o all of them]",
)
@click.option(
    "--responses",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many responses can be read in the HTML report, spread evenly.",
)
def command(
    paths: tuple[str, ...], output: str | None, formats: str | None, responses: int
) -> None:
    """Show the paper's tables, figures and claims for one's own runs.

    PATH is an Inspect log (.eval, .json), an lm-eval results file (results_….json with logged samples),
    or a folder that holds some; any mixture, finished or interrupted, of any number of models.

    Exit status 1 says that a report was made, but that some of the input could not be used.
    """
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.report import check_extra

    chosen = _chosen(formats, output)
    if not paths:
        raise TreecutError("Give paths of logs: treecut report logs/")
    check_extra()

    from treecut_tasks.report.build import build_report
    from treecut_tasks.report.reading import read_evidence
    from treecut_tasks.report.rendering.output import terminal_report, write_report

    with _progress() as progress:
        evidence = read_evidence(paths, progress)
        progress(1, 1, "computing")
        report = build_report(evidence)
        files = [name for name in chosen if name != "terminal"]
        written: dict[str, Path] = {}
        if output is not None and files:
            written = write_report(report, Path(output), files, responses, progress)
    for each in evidence.left_out:
        click.echo(f"Left out: {each.message}", err=True)
    if output is None and chosen != ["terminal"]:
        from treecut_tasks.report.rendering.output import text_report

        click.echo(text_report(report, chosen[0]), nl=False)
    elif "terminal" in chosen:
        click.echo(terminal_report(report, written, colour=sys.stdout.isatty()), nl=False)
    for name in ("report.html", "report.md", "report.json"):
        if name in written:
            click.echo(f"Written: {written[name]}", err=True)
    if evidence.left_out:
        sys.exit(_INCOMPLETE)


def _chosen(formats: str | None, output: str | None) -> list[str]:
    from treecut_tasks.errors import TreecutError

    if formats is None:
        return ["terminal"] if output is None else list(_FORMATS)
    chosen = list(dict.fromkeys(name.strip() for name in formats.split(",")))
    for name in chosen:
        if name not in _FORMATS:
            raise TreecutError(
                f"Unknown format {name!r}: --format takes some of {', '.join(_FORMATS)}, with commas "
                "between them."
            )
    if output is None and (len(chosen) > 1 or chosen[0] not in _TO_STDOUT):
        raise TreecutError(
            f"--format {formats} needs a folder: give one with -o. Without it one of "
            f"{', '.join(_TO_STDOUT)} goes to standard output."
        )
    return chosen


@contextmanager
def _progress() -> Iterator[Progress]:
    """Progress on standard error if that is a terminal, in one line that disappears."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, label: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Label(TextColumn):
        """The description as it is; names of files are not markup."""

        def render(self, task):  # type: ignore[no-untyped-def]
            return Text(task.description)

    columns = (Label(""), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("starting", total=None)

        def show(done: int, total: int, label: str) -> None:
            bars.update(bar, completed=done, total=total, description=label)

        yield show
