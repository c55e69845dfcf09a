"""The command `treecut`: one small module a command, loaded when it is needed."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from treecut_tasks.errors import TreecutError

# Exit status for input that the user can mend, the one that click uses for usage errors.
_BAD_INPUT = 2

_COMMANDS = {
    "audit": "treecut_tasks.cli.audit",
    "explain": "treecut_tasks.cli.explain",
    "generate": "treecut_tasks.cli.generate",
    "lm-eval-path": "treecut_tasks.cli.lm_eval_path",
    "published-data": "treecut_tasks.cli.published_data",
    "report": "treecut_tasks.cli.report",
    "run-config": "treecut_tasks.cli.run_config",
    "score": "treecut_tasks.cli.score",
    "verify": "treecut_tasks.cli.verify",
}


class _LazyGroup(click.Group):
    """Imports a command's module when the command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="treecut-tasks", prog_name="treecut")
def group() -> None:
    """TreeCut: unanswerable maths word problems for evaluating language models.

    Evaluations run in the frameworks: `inspect eval treecut_tasks/unanswerable --model …` and
    `lm_eval --tasks treecut --model …`. These commands make data and tell paths.
    """


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
