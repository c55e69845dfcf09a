"""`treecut published-data`."""

from __future__ import annotations

import click

from treecut_tasks.cli.parameters import Command, OutputFolder


@click.command("published-data", cls=Command)
@click.argument("directory", type=OutputFolder(), metavar="DIR")
def command(directory: str) -> None:
    """Write the authors' eight data files into DIR, byte for byte.

    They are the data behind the paper's Table 1: ans_depth 2, 4, 6 and 8, unanswerable and
    answerable, 500 problems each. DIR is made if it does not exist; files of these names are
    replaced.
    """
    from treecut_tasks.files import made_folder, whole_files
    from treecut_tasks.problems import published_files

    folder = made_folder(directory)
    contents = {folder / name: problems for name, problems in published_files()}
    with whole_files(*contents) as files:
        for file, problems in zip(files, contents.values(), strict=True):
            file.writelines(problems.published_lines())
    for path in contents:
        click.echo(str(path))
