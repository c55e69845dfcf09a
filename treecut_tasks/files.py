"""Writing files whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, BinaryIO, Literal, TextIO, cast

from treecut_tasks.errors import TreecutError

# What ends the names of temporary files.
_TOKEN_BYTES = 8
_TOKEN = re.compile(rf"\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}")


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
    with (
        writing(target),
        _place_to_write(target) as (place, mode),
        place.open(mode, encoding="utf-8", newline="\n") as file,
    ):
        _locked(file)
        yield file


@contextmanager
def whole_binary_file(target: Path, exclusive: bool = False) -> Iterator[BinaryIO]:
    """The same for bytes, and what appears under the name has reached the disk before.

    Args:
        target: the file.
        exclusive: whether a file that is there by the end stays, and what was written is dropped.

    Raises:
        TreecutError: the file cannot be written.
    """
    with (
        writing(target),
        _place_to_write(target, exclusive) as (place, mode),
        place.open(f"{mode}b") as file,
    ):
        _locked(file)
        yield cast(BinaryIO, file)
        file.flush()
        if place != target:
            os.fsync(file.fileno())


@contextmanager
def _place_to_write(
    target: Path, exclusive: bool = False
) -> Iterator[tuple[Path, Literal["w", "x"]]]:
    """Where to write what shall stand in a file, and the mode in which to open that place."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        # A device or pipe, which must not be replaced by a file.
        yield target, "w"
        return
    # A link keeps pointing at the file; the file itself is replaced.
    with _replaced_when_whole(target.resolve(), exclusive) as temporary:
        yield temporary, "x"


def remove_abandoned(folder: Path, targets: re.Pattern[str]) -> None:
    """Remove what runs that were killed have left, but not what others are writing now.

    Args:
        folder: where.
        targets: the names of the files that they were writing.
    """
    for path in sorted(folder.iterdir()):
        name, token = path.stem.removeprefix("."), path.suffix
        if path.name != f".{name}{token}" or not _TOKEN.fullmatch(token):
            continue
        if targets.fullmatch(name):
            # One that vanishes meanwhile was finished or removed by another run; one that may not be
            # removed belongs to someone else or, on Windows, is open.
            with suppress(FileNotFoundError, PermissionError):
                # Network file systems lock only what is open for writing.
                with path.open("r+b") as file:
                    abandoned = _locked(file)
                # Windows removes only what is closed; nobody takes up what was abandoned.
                if abandoned:
                    path.unlink()


def _locked(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False if another process has done so."""
    if sys.platform == "win32":  # where open files cannot be removed anyway
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


@contextmanager
def _replaced_when_whole(target: Path, exclusive: bool) -> Iterator[Path]:
    """A path for a temporary file that takes the target's place when the block ends well."""
    # Named before it is made, so that no interrupt can come between making and remembering it.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(_TOKEN_BYTES)}")
    with termination_raises():
        try:
            yield temporary
            if exclusive and _linked(temporary, target):
                temporary.unlink()
                return
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _linked(temporary: Path, target: Path) -> bool:
    """Give a file its name unless another has it; False on file systems that cannot."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn errors of the operating system into sentences about one file or folder."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            remedy = "make room, or give a path on another disk"
        else:
            remedy = "give a path in a folder that exists and that you may write to"
        raise TreecutError(
            f"{str(target)!r} cannot be written ({error.strerror}): {remedy}."
        ) from error


@contextmanager
def termination_raises() -> Iterator[None]:
    """Let termination signals unwind the program, so that the temporary file is removed."""

    def stop(signum: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + signum)

    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread may set handlers.
        return
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
