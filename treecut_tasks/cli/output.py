"""Takes how much work there is, shows on terminals how much of it is done; messages go above that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from shutil import get_terminal_size

import click
from tqdm import tqdm

# Shown on terminals only, and gone when the work is done.
_bar = partial(tqdm, leave=False, disable=None)


@contextmanager
def counting(length: int | None, label: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of steps done, of `length` if that is known."""
    # Of a terminal that does not tell its size, tqdm would use nothing.
    width, height = get_terminal_size()
    with _bar(total=length, desc=label, unit="", unit_scale=True, ncols=width, nrows=height) as bar:
        yield lambda steps: bar.update(steps) and None


@contextmanager
def telling() -> Iterator[Callable[[str], None]]:
    """A function to call with what is being done."""
    width, _ = get_terminal_size()
    with _bar(bar_format="{desc}") as line:
        yield lambda label: line.set_description_str(label[: width - 1])


def say(message: str, to_error: bool = False) -> None:
    """Print a message."""
    with tqdm.external_write_mode():
        click.echo(message, err=to_error)
