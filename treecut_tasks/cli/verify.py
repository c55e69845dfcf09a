"""`treecut verify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from treecut_tasks.cli.verifying import Target

# Exit status for labels that are wrong or cannot be proven; bad input has 2.
_WRONG = 1

# Fewer problems are done before a bar could be read; a solver is slower.
_WORTH_A_BAR = 10_000
_WORTH_A_BAR_SOLVING = 500


@click.command("verify")
@click.argument("files", nargs=-1, required=True, metavar="FILE|DIR...")
@click.option(
    "--theme",
    "theme_names",
    multiple=True,
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML); give it once for each theme of a mixture.  "
    "[default: food or outfit]",
)
@click.option(
    "--certificates",
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
    default=1,
    show_default=True,
    help="Number of processes, each for one file at a time.",
)
@click.option(
    "--files-only", is_flag=True, help="Compare folders with their manifests, but prove nothing."
)
def command(
    files: tuple[str, ...],
    theme_names: tuple[str, ...],
    certificates: str | None,
    assumptions: bool,
    workers: int,
    files_only: bool,
) -> None:
    """Prove the answers of data files from texts alone.

    Every problem is read back, without the knowledge of how it was made, and decided by exact
    arithmetic. A stated answer that is not the proven one is reported with a proof that can be
    checked by hand, and so is a text that cannot be read; the exit status is then 1.

    Of a folder that `treecut generate --shards` has finished, every file is first compared with
    the manifest, and repeated problems are counted.
    """
    import sys
    from contextlib import nullcontext

    from treecut_tasks.cli.verifying import Proving, check_folders, prove_files
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.files import whole_file
    from treecut_tasks.themes import load_theme
    from treecut_tasks.validity import require_solver

    themes = tuple(map(load_theme, theme_names)) or None
    if assumptions:
        require_solver()
    if certificates is not None:
        _check_no_input(certificates, files)
        if workers > 1:
            raise TreecutError(
                "Certificates are written in the order of the problems: leave out --workers or "
                "--certificates."
            )
    # The report must not run into certificates on standard output.
    say = _speaker(to_error=certificates == "-")
    targets, all_right = check_folders(files, say)
    if files_only:
        sys.exit(0 if all_right else _WRONG)
    worth_a_bar = _WORTH_A_BAR_SOLVING if assumptions else _WORTH_A_BAR
    with (
        nullcontext() if certificates is None else whole_file(certificates) as output,
        _progress(targets, worth_a_bar) as advance,
    ):
        proving = Proving(themes, assumptions, output, say, advance)
        all_right = prove_files(targets, workers, proving) and all_right
    if not all_right:
        sys.exit(_WRONG)


def _check_no_input(certificates: str, files: Sequence[str]) -> None:
    from pathlib import Path

    from treecut_tasks.errors import TreecutError

    inputs = {Path(path).resolve() for path in files}
    if certificates != "-" and Path(certificates).resolve() in inputs:
        raise TreecutError(
            f"The certificates would replace the data file {certificates!r}: give another path."
        )


def _speaker(to_error: bool) -> Callable[[str], None]:
    """A function that prints a message, on a terminal over the bar that may stand in the line."""
    import sys

    clear = "\r\x1b[K" if sys.stderr.isatty() else ""

    def say(message: str) -> None:
        if clear:
            click.echo(clear, err=True, nl=False)
        click.echo(message, err=to_error)

    return say


@contextmanager
def _progress(targets: Sequence[Target], worth_a_bar: int) -> Iterator[Callable[[int], None]]:
    """A function to call after some problems: on a terminal, long work shows a bar."""
    import sys

    length = 0
    if sys.stderr.isatty():
        length = sum(target.count() for target in targets)
    if length < worth_a_bar:
        yield lambda _: None
        return
    with click.progressbar(
        length=length, label="Verifying", file=sys.stderr, update_min_steps=max(1, length // 200)
    ) as bar:
        yield bar.update
