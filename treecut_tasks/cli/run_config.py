"""`treecut run-config`."""

from __future__ import annotations

import click

from treecut_tasks.cli.parameters import Command
from treecut_tasks.errors import TreecutError


@click.command("run-config", cls=Command)
@click.argument("name", required=False)
@click.option("--lm-eval", "lm_eval", is_flag=True, help="The file for lm-eval, not for Inspect.")
def command(name: str | None, lm_eval: bool) -> None:
    """Print the path of a file with the paper's settings; without NAME, list the names.

    For `inspect eval --run-config "$(treecut run-config table1)" --model …` and
    `lm_eval --config "$(treecut run-config --lm-eval table1)" --model …`.
    """
    from pathlib import Path

    import treecut_tasks

    folder = Path(treecut_tasks.__file__).parent / "run_configs"
    folder /= "lm-eval" if lm_eval else "inspect"
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if name is None:
        for known in names:
            click.echo(known)
    elif name in names:
        click.echo(str(folder / f"{name}.yaml"))
    else:
        raise TreecutError(f"Unknown run config {name!r}: use {', '.join(names)}.")
