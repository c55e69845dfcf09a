"""`treecut run-config`."""

from __future__ import annotations

import click


@click.command("run-config")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the path of a file with the paper's settings; without NAME, list the files.

    For `inspect eval --run-config "$(treecut run-config table1)" --model …`.
    """
    from pathlib import Path

    import treecut_tasks
    from treecut_tasks.errors import TreecutError

    folder = Path(treecut_tasks.__file__).parent / "run_configs"
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if name is None:
        for known in names:
            click.echo(known)
    elif name in names:
        click.echo(str(folder / f"{name}.yaml"))
    else:
        raise TreecutError(f"Unknown run config {name!r}: use {', '.join(names)}.")
