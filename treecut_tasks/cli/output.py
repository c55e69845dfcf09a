"""Showing progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

T = TypeVar("T")

# Below this many steps work is over before a bar could be read.
_WORTH_A_BAR = 20_000


def with_progress(steps: Iterable[T], length: int, label: str) -> Iterator[T]:
    """Pass the steps on; on a terminal, long work shows a bar on standard error."""
    if length < _WORTH_A_BAR or not sys.stderr.isatty():
        yield from steps
        return
    with click.progressbar(
        steps, length=length, label=label, file=sys.stderr, update_min_steps=length // 200
    ) as bar:
        yield from bar


@contextmanager
def counting(length: int, label: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of steps done; on a terminal, long work shows a bar."""
    from tqdm import tqdm

    hidden = length < _WORTH_A_BAR or not sys.stderr.isatty()
    with tqdm(total=length, desc=label, unit="", unit_scale=True, disable=hidden) as bar:
        yield lambda steps: bar.update(steps) and None
