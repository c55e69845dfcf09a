"""The command `treecut`: one small module a command, which imports what it needs when it runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from treecut_tasks.cli import (
    audit,
    explain,
    generate,
    lm_eval_path,
    published_data,
    report,
    run_config,
    score,
    verify,
)
from treecut_tasks.errors import TreecutError

# Exit status for input that the user can mend, the one that click uses for usage errors.
_BAD_INPUT = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="treecut-tasks", prog_name="treecut")
def group() -> None:
    """TreeCut: unanswerable maths word problems for evaluating language models.

    Evaluations run in the frameworks: `inspect eval treecut_tasks/unanswerable --model …` and
    `lm_eval --tasks treecut --model …`. These commands make data and tell paths.
    """


_ALL = (audit, explain, generate, lm_eval_path, published_data, report, run_config, score, verify)
for _each in _ALL:
    group.add_command(_each.command)


def main() -> None:
    """Run the command line; bad input is one sentence and exit status 2."""
    _mend_streams()
    try:
        group(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        sys.exit(130)
    except TreecutError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(_BAD_INPUT)
    except OSError as error:
        # Where the reader of a pipe has gone, `head` for example, click has ended the program already.
        if error.filename is not None:  # not standard output, so a fault of ours
            raise
        # Python would complain again when it flushes standard output at exit, so that is pointed
        # elsewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"Error: Standard output cannot be written ({error.strerror}).", err=True)
        sys.exit(_BAD_INPUT)


def _mend_streams() -> None:
    """Make the standard streams usable, whatever they are.

    Where one is closed (`2>&-`), nothing that is opened later may take its place. What the encoding
    of one cannot write (cp1252, for example) is written as an escape.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            file = Path(os.devnull).open("r+", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, file)
        elif name != "stdin":
            stream.reconfigure(errors="backslashreplace")
