"""`treecut published-data`."""

from __future__ import annotations

import click


@click.command("published-data")
@click.argument("directory", metavar="DIR")
def command(directory: str) -> None:
    """Write the authors' eight data files into DIR, byte for byte.

    They are the data behind the paper's Table 1: ans_depth 2, 4, 6 and 8, unanswerable and
    answerable, 500 problems each. DIR is made if it does not exist; files of these names are
    replaced.
    """
    import json

    from treecut_tasks.files import made_folder, whole_file
    from treecut_tasks.problems import published_files

    folder = made_folder(directory)
    for published in published_files():
        path = folder / published.name
        with whole_file(str(path)) as file:
            for problem in published.problems:
                file.write(json.dumps(problem.published_record()) + "\n")
        click.echo(str(path))
