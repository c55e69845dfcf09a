"""`treecut verify`."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath, theme_option

# Exit status for labels that are wrong or cannot be proven; bad input has 2.
_WRONG = 1

# Fewer problems are done before a bar could be read; a solver is slower.
_WORTH_A_BAR = 10_000
_WORTH_A_BAR_SOLVING = 500


@click.command("verify", cls=Command)
@click.argument("paths", nargs=-1, required=True, type=InputPath(), metavar="FILE|DIR...")
@theme_option(multiple=True)
@click.option(
    "--certificates",
    type=OutputPath(),
    metavar="FILE",
    help="Write a proof of every label here, as JSON Lines; - is standard output.",
)
@click.option(
    "--assumptions",
    is_flag=True,
    help="Also tell how often an extra assumption would fix an unanswerable price.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of processes, each for one file at a time.  [default: one for each core]",
)
@click.option(
    "--files-only", is_flag=True, help="Compare folders with their manifests, but prove nothing."
)
def command(
    paths: tuple[str, ...],
    themes: tuple[str, ...],
    certificates: str | None,
    assumptions: bool,
    workers: int | None,
    files_only: bool,
) -> None:
    """Prove the answers of data files from texts alone.

    Every problem is read back, without the knowledge of how it was made, and decided by exact
    arithmetic. A stated answer that is not the proven one is reported with a proof that can be
    checked by hand, and so is a text that cannot be read; the exit status is then 1.

    Of a folder that `treecut generate --shards` has finished, every file is first compared with
    the manifest, and repeated problems are counted.
    """
    from contextlib import nullcontext

    from treecut_tasks.cli.output import counting
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.files import whole_file
    from treecut_tasks.processes import usable_cores
    from treecut_tasks.themes import load_theme
    from treecut_tasks.validity.assumptions import require_solver
    from treecut_tasks.validity.data_files import find_files, prove_files

    vocabularies = tuple(map(load_theme, themes)) or None
    if assumptions:
        require_solver()
    if certificates is not None and workers not in (None, 1):
        raise TreecutError(
            "Certificates are written in the order of the problems: leave out --workers or "
            "--certificates."
        )
    # The report must not run into certificates on standard output.
    say = _speaker(to_error=certificates == "-")
    files, all_right = find_files(paths, say)
    if files_only:
        for file in files:
            if file.folder is None:
                say(f"{file.path}: no folder with a manifest; nothing was checked")
        sys.exit(0 if all_right else _WRONG)
    if workers is None:
        workers = usable_cores() if certificates is None else 1
    length = sum(file.count() for file in files) if sys.stderr.isatty() else 0
    with (
        nullcontext() if certificates is None else whole_file(certificates) as output,
        counting(
            length, "Verifying", _WORTH_A_BAR_SOLVING if assumptions else _WORTH_A_BAR
        ) as advance,
    ):
        proven = prove_files(files, vocabularies, assumptions, workers, say, advance, output)
    if not (all_right and proven):
        sys.exit(_WRONG)


def _speaker(to_error: bool) -> Callable[[str], None]:
    """A function that prints a message, on a terminal over the bar that may stand in the line."""
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""

    def say(message: str) -> None:
        if clear:
            click.echo(clear, err=True, nl=False)
        click.echo(message, err=to_error)

    return say
