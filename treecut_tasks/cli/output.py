"""Writing files whole or not at all, and showing progress."""

from __future__ import annotations

import os
import secrets
import signal
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TextIO, TypeVar

import click

from treecut_tasks.errors import TreecutError

T = TypeVar("T")

# Below this many steps work is over before a bar could be read.
_WORTH_A_BAR = 20_000


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """Open a text file that appears under its name only when all of it was written.

    `-` is standard output, whose errors pass. An exception, an interrupt or a termination signal
    leaves an earlier file of that name as it was. Devices and pipes are written to directly.

    Raises:
        TreecutError: the file cannot be written.
    """
    if path == "-":
        if sys.stdout is None:  # `>&-` in a shell
            raise TreecutError("Standard output is closed: give a file with -o.")
        yield sys.stdout
        sys.stdout.flush()
        return
    target = Path(path)
    with _writing(target):
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("w", encoding="utf-8", newline="\n") as device:
                yield device
            return
        if target.is_dir():
            raise IsADirectoryError(21, os.strerror(21))
        # A link keeps pointing at the file; the file itself is replaced.
        target = target.resolve()
        # Named before it is made, so that no interrupt can come between making and remembering it.
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        with _termination_raises():
            try:
                with temporary.open("x", encoding="utf-8", newline="\n") as file:
                    yield file
                if target.exists():
                    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TreecutError(
            f"{str(target)!r} cannot be written ({error.strerror}): give a path in a folder that exists "
            "and that you may write to."
        ) from error


@contextmanager
def _termination_raises() -> Iterator[None]:
    """Let termination signals unwind the program, so that the temporary file is removed."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + signum)

    # Windows has no SIGHUP; and what is ignored (`nohup`) stays ignored.
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    caught = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def made_folder(path: str) -> Path:
    """Return a folder, made if it does not exist.

    Raises:
        TreecutError: it cannot be made.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TreecutError(
            f"The folder {path!r} cannot be made ({error.strerror}): give a path that you may write to."
        ) from error
    return folder


def with_progress(steps: Iterable[T], length: int, label: str) -> Iterator[T]:
    """Pass the steps on; on a terminal, long work shows a bar on standard error."""
    if length < _WORTH_A_BAR or not sys.stderr.isatty():
        yield from steps
        return
    with click.progressbar(
        steps, length=length, label=label, file=sys.stderr, update_min_steps=length // 200
    ) as bar:
        yield from bar
