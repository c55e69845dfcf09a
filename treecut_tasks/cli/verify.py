"""`treecut verify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

# Exit status for labels that are wrong or cannot be proven; bad input has 2.
_WRONG = 1

# Fewer problems are done before a bar could be read; a solver is slower.
_WORTH_A_BAR = 10_000
_WORTH_A_BAR_SOLVING = 500


@click.command("verify")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--theme",
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML).  [default: food or outfit]",
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
def command(
    files: tuple[str, ...], theme: str | None, certificates: str | None, assumptions: bool
) -> None:
    """Prove the answers of data files from texts alone.

    Every problem is read back, without the knowledge of how it was made, and decided by exact
    arithmetic. A stated answer that is not the proven one is reported with a proof that can be
    checked by hand, and so is a text that cannot be read; the exit status is then 1.
    """
    import json
    import sys
    from contextlib import nullcontext

    from treecut_tasks.files import whole_file
    from treecut_tasks.problems.records import iter_data_file
    from treecut_tasks.themes import load_theme
    from treecut_tasks.verification import FileReport, require_solver

    themes = None if theme is None else (load_theme(theme),)
    if assumptions:
        require_solver()
    if certificates is not None:
        _check_no_input(certificates, files)
    worth_a_bar = _WORTH_A_BAR_SOLVING if assumptions else _WORTH_A_BAR
    # The report must not run into certificates on standard output.
    say = _speaker(to_error=certificates == "-")
    all_proven = True
    with (
        nullcontext() if certificates is None else whole_file(certificates) as output,
        _progress(files, worth_a_bar) as advance,
    ):
        for path in files:
            report = FileReport(path, say, themes, assumptions)
            for record in iter_data_file(path):
                certificate = report.add(record.problem, record.answer, record.source)
                if output is not None:
                    output.write(json.dumps(certificate, ensure_ascii=False) + "\n")
                advance()
            report.summarise()
            if report.unreadable and themes is None:
                say("  Texts of a theme of your own are read with --theme FILE.")
            all_proven = all_proven and report.all_proven
    if not all_proven:
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
def _progress(files: Sequence[str], worth_a_bar: int) -> Iterator[Callable[[], None]]:
    """A function to call after each problem: on a terminal, long work shows a bar."""
    import sys
    from pathlib import Path

    length = 0
    if sys.stderr.isatty():
        length = sum(_count_lines(path) for path in map(Path, files) if path.is_file())
    if length < worth_a_bar:
        yield lambda: None
        return
    with click.progressbar(
        length=length, label="Verifying", file=sys.stderr, update_min_steps=max(1, length // 200)
    ) as bar:
        yield lambda: bar.update(1)


def _count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)
