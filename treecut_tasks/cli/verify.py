"""`treecut verify`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath, theme_option
from treecut_tasks.errors import TreecutError

if TYPE_CHECKING:
    from treecut_tasks.validity.data_files import DataFile, Say

# Exit status for labels that are wrong or cannot be proven; bad input has 2.
_WRONG = 1


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

    from treecut_tasks.cli.output import counting, say
    from treecut_tasks.files import whole_file
    from treecut_tasks.processes import usable_cores
    from treecut_tasks.themes import load_theme
    from treecut_tasks.validity.assumptions import require_solver
    from treecut_tasks.validity.data_files import prove_files

    vocabularies = tuple(map(load_theme, themes)) or None
    if assumptions:
        require_solver()
    if certificates is not None and workers not in (None, 1):
        raise TreecutError(
            "Certificates are written in the order of the problems: leave out --workers or "
            "--certificates."
        )
    # The report must not run into certificates on standard output.
    tell = partial(say, to_error=certificates == "-")
    files, all_right = _find_files(paths, tell)
    if files_only:
        for file in files:
            if file.folder is None:
                tell(f"{file.path}: no folder with a manifest; nothing was checked")
        sys.exit(0 if all_right else _WRONG)
    if workers is None:
        workers = usable_cores() if certificates is None else 1
    # Other files tell how many problems they hold only when they are read.
    length = sum(file.rows or 0 for file in files) or None
    with (
        nullcontext() if certificates is None else whole_file(certificates) as output,
        counting(length, "Verifying") as advance,
    ):
        proven = prove_files(files, vocabularies, assumptions, workers, tell, advance, output)
    if not (all_right and proven):
        sys.exit(_WRONG)


def _find_files(paths: Sequence[str], say: Say) -> tuple[list[DataFile], bool]:
    """Find the files to prove, and compare those of folders with their manifests.

    Returns:
        The files that are as they should be, and whether all are.
    """
    from treecut_tasks.data_sets.folder import check_files
    from treecut_tasks.validity.data_files import DataFile

    files, all_right = [], True
    for path in paths:
        if not Path(path).is_dir():
            files.append(DataFile(path))
            continue
        whole = True
        for expected, fault in check_files(Path(path)):
            file = str(Path(path) / expected.name)
            if fault is None:
                files.append(DataFile(file, path, expected.rows))
            else:
                say(f"{file} {fault}: remove it and run the command that made it again.")
                whole = False
        if whole:
            say(f"{path}: all files are as the manifest says")
        all_right = all_right and whole
    return files, all_right
