"""Bad input as one sentence on Inspect's command line."""

from __future__ import annotations

import click

from treecut_tasks.errors import TreecutError


class UsageError(TreecutError, click.ClickException):
    """A `TreecutError` that Inspect's command line, which is made with click, prints by itself.

    Any other exception is shown there with a traceback of a hundred lines.
    """

    exit_code = 2

    def __init__(self, message: str) -> None:
        click.ClickException.__init__(self, message)
