"""Takes how much work there is, shows how much of it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size

# Below this many steps work is over before a bar could be read.
_WORTH_A_BAR = 20_000


@contextmanager
def counting(
    length: int, label: str, worth_a_bar: int = _WORTH_A_BAR
) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of steps done; on a terminal, long work shows a bar."""
    from tqdm import tqdm

    hidden = length < worth_a_bar or not sys.stderr.isatty()
    # Of a terminal that does not tell its size, tqdm would use nothing.
    width, height = get_terminal_size()
    with tqdm(
        total=length,
        desc=label,
        unit="",
        unit_scale=True,
        disable=hidden,
        ncols=width,
        nrows=height,
    ) as bar:
        yield lambda steps: bar.update(steps) and None
