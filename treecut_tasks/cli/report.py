"""`treecut report`."""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputFolder
from treecut_tasks.errors import TreecutError
from treecut_tasks.report import FORMATS, LIBRARIES, ON_STANDARD_OUTPUT

# Exit status where a report was made, but some of the input could not be used.
_INCOMPLETE = 1


@click.command("report", cls=Command)
@click.argument("paths", nargs=-1, type=InputPath(), metavar="PATH…")
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    metavar="DIR",
    help="Folder for the files; they are listed.",
)
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    help=f"Some of {','.join(FORMATS)}; terminal is one screen.  [default: terminal; with -o all the others]",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="OLD=NEW",
    help="Show the model OLD, named as in its logs or in a report, as NEW. Can be repeated.",
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
    paths: tuple[str, ...],
    output: str | None,
    formats: str | None,
    names: tuple[str, ...],
    responses: int,
) -> None:
    """Show the paper's tables, figures and claims for one's own runs.

    Prints one screen: the summary, and as many of the next tables as fit. -o writes everything,
    --format markdown prints all tables.

    PATH is an Inspect log (.eval, .json), scored or not, an lm-eval results file (results_….json with logged
    samples), or a folder that holds some; any mixture, finished or interrupted, of any number of models.

    Exit status 1 says that a report was made, but that some of the input could not be used.
    """
    from treecut_tasks.cli.output import telling
    from treecut_tasks.extras import require

    if not paths:
        raise TreecutError("Give paths of logs: treecut report logs/")
    chosen = _chosen(formats, output)
    new_names = _names(names)
    require("report", *LIBRARIES, for_what="A report")

    from treecut_tasks.report.evidence import read_evidence
    from treecut_tasks.report.rendering.output import text_report, write_report
    from treecut_tasks.report.sections import make_document

    # What is read stays to the end: the collector would go through all of it again and again.
    gc.disable()
    click.get_current_context().call_on_close(gc.enable)
    with telling() as progress:
        evidence = read_evidence(paths, new_names, progress)
        progress("computing")
        document = make_document(evidence)
        written = []
        if output is not None:
            written = write_report(evidence, document, Path(output), chosen, responses, progress)
    for each in evidence.left_out:
        click.echo(f"Left out: {each.message}", err=True)
    if output is None or "terminal" in chosen:
        form = "terminal" if "terminal" in chosen else chosen[0]
        columns = shutil.get_terminal_size((100, 24)).columns
        click.echo(text_report(evidence, document, form, columns, sys.stdout.isatty()), nl=False)
    for path in written:
        click.echo(f"Written: {path}", err=True)
    if evidence.left_out:
        sys.exit(_INCOMPLETE)


def _chosen(formats: str | None, output: str | None) -> list[str]:
    if formats is None:
        return ["terminal"] if output is None else [name for name in FORMATS if name != "terminal"]
    chosen = list(dict.fromkeys(name.strip() for name in formats.split(",")))
    for name in chosen:
        if name not in FORMATS:
            raise TreecutError(
                f"Unknown format {name!r}: --format takes some of {', '.join(FORMATS)}, with commas "
                "between them."
            )
    if output is None and (len(chosen) > 1 or chosen[0] not in ON_STANDARD_OUTPUT):
        raise TreecutError(
            f"--format {formats} needs a folder: give one with -o. Without it one of "
            f"{', '.join(ON_STANDARD_OUTPUT)} goes to standard output."
        )
    return chosen


def _names(given: tuple[str, ...]) -> dict[str, str]:
    names = {}
    for each in given:
        old, equals, new = each.partition("=")
        if not (old and equals and new):
            raise TreecutError(
                f"--name is {each!r}: it must be OLD=NEW, as in --name openai/gpt-4o=GPT-4o."
            )
        names[old] = new
    return names
