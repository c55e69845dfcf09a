"""Bad input as one sentence on Inspect's command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from treecut_tasks.errors import TreecutError


class UsageError(TreecutError, click.ClickException):
    """A `TreecutError` that Inspect's command line, which is made with click, prints by itself.

    Any other exception is shown there with a traceback of a hundred lines.
    """

    exit_code = 2

    def __init__(self, message: str) -> None:
        click.ClickException.__init__(self, message)


@contextmanager
def shown_by_inspect() -> Iterator[None]:
    """Turn a `TreecutError` into one that is printed as one sentence."""
    try:
        yield
    except TreecutError as error:
        message = str(error)
    else:
        return
    raise UsageError(message)
