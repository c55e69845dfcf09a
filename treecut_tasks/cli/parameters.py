"""What all commands share: kinds of parameters, and the check that no output is an input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from treecut_tasks.errors import TreecutError


class InputPath(click.Path):
    """A file or folder that is read, or the name of a theme; `-` is standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty path, which is mostly a variable that is not set."""
        if not value:
            name = param.opts[0] if param is not None else "The path"
            raise TreecutError(f"{name} is empty: give a path.")
        return super().convert(value, param, ctx)


class OutputPath(InputPath):
    """A file that is written; `-` is standard output."""


class OutputFolder(InputPath):
    """A folder that files are written to."""


class Command(click.Command):
    """A command that refuses to replace what it reads."""

    def invoke(self, ctx: click.Context) -> Any:
        """Check all paths, then run."""
        from treecut_tasks.files import check_outputs
        from treecut_tasks.themes import BUILTIN_THEMES

        outputs: list[str] = []
        inputs: list[str] = []
        for parameter, path in _paths(self, ctx):
            if isinstance(parameter.type, OutputPath):
                outputs.append(path)
            elif not isinstance(parameter.type, OutputFolder) and path not in BUILTIN_THEMES:
                inputs.append(path)
        check_outputs(outputs, inputs)
        return super().invoke(ctx)


def _paths(command: click.Command, ctx: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    for parameter in command.params:
        value = ctx.params.get(parameter.name or "")
        if isinstance(parameter.type, InputPath) and value is not None:
            for path in value if isinstance(value, tuple) else (value,):
                yield parameter, path


def theme_option(multiple: bool = False) -> Callable[[Any], Any]:
    """The option for the vocabulary of the problems that are read."""
    more = "; give it once for each theme of a mixture" if multiple else ""
    return click.option(
        "--theme",
        "themes",
        type=InputPath(),
        multiple=multiple,
        metavar="NAME|FILE",
        help=f"food, outfit, or the path of a theme file (YAML){more}.  [default: food or outfit]",
    )
