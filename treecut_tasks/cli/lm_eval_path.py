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
    from treecut_tasks.lm_eval_adapter.discovery import task_configs_path

    click.echo(str(task_configs_path()))
