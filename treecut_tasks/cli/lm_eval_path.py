"""`treecut lm-eval-path`."""

from __future__ import annotations

import click

from treecut_tasks.cli.parameters import Command


@click.command("lm-eval-path", cls=Command)
def command() -> None:
    """Print the folder of the lm-eval task files.

    For `lm_eval --include_path "$(treecut lm-eval-path)"`, where the tasks are not found by
    themselves.
    """
    from treecut_tasks._lm_eval_discovery import task_configs_path
    from treecut_tasks.errors import TreecutError

    try:
        path = task_configs_path()
    except FileNotFoundError as error:
        # The discovery imports nothing of ours, not even our errors.
        raise TreecutError(str(error)) from error
    click.echo(str(path))
