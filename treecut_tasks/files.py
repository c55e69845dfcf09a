"""Takes paths, gives what is read from files, and files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, cast

import yaml

from treecut_tasks.errors import TreecutError, shown

# What ends the names of temporary files.
_TOKEN_BYTES = 8
# Bytes of a file's name that its temporary file keeps: file systems allow 255 in all.
_KEPT_NAME = 200

# Far above what themes and mixtures need.
_MAX_YAML_NODES = 100_000
_MAX_YAML_NUMBER = 10**18


# --- Reading. ---


def read_text(path: str | Path, what: str) -> str:
    """Read a text file in UTF-8, with or without a byte order mark; `-` is standard input.

    Args:
        path: the file.
        what: what it is, for messages: `theme file`.
    """
    named = f"The {what} {str(path)!r}"
    if str(path) == "-" and sys.__stdin__ is None:
        raise TreecutError("Standard input is closed: give the path of a file.")
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreecutError(
            f"{named} is not UTF-8 text (byte {error.start}): save it as UTF-8."
        ) from error
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path.
        reason = getattr(error, "strerror", None) or error
        raise TreecutError(
            f"{named} cannot be read ({reason}): give the path of a file that exists and that you may "
            "read."
        ) from error


def read_yaml(path: str | Path, what: str) -> Any:
    """Read a YAML file that strangers may have made; see `read_text` for the arguments.

    Raises:
        TreecutError: the file cannot be read or is not YAML, its aliases make it endless, or a number
            in it is too long.
    """
    what, text = f"{what} {str(path)!r}", read_text(path, what)
    try:
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except Exception as error:  # of all kinds: tags such as `!!bool x`, dates such as 2024-13-45
        reason = shown(" ".join(str(error).split()))
        raise TreecutError(f"The {what} is not valid YAML ({reason}): mend the file.") from error
    left, seen = [data], 0
    while left:
        node = left.pop()
        seen += 1
        if seen > _MAX_YAML_NODES:
            raise TreecutError(
                f"The {what} holds more than {_MAX_YAML_NODES} values, counting those that aliases "
                "repeat: make it shorter."
            )
        if isinstance(node, dict):
            left += [*node, *node.values()]
        elif isinstance(node, (list, tuple, set)):
            left += node
        elif isinstance(node, int) and abs(node) > _MAX_YAML_NUMBER:
            raise TreecutError(
                f"The {what} holds a number of more than {len(str(_MAX_YAML_NUMBER)) - 1} digits: use "
                "smaller numbers."
            )
    return data


# --- Writing. ---


def check_outputs(outputs: Iterable[str | Path], inputs: Iterable[str | Path]) -> None:
    """Check that what is written replaces nothing that is read, and nothing else that is written.

    Args:
        outputs: files to be written; `-` is standard output.
        inputs: files that are read, `-` for standard input, and folders whose files are.
    """
    sources = [*inputs]
    for output in outputs:
        if str(output) == "-":
            continue
        for source in sources:
            if _is_or_is_in(Path(output), source):
                raise TreecutError(
                    f"The output {str(output)!r} is, or lies in, {str(source)!r}, which is read or "
                    "written already: give another path."
                )
        sources.append(output)


def _is_or_is_in(output: Path, source: str | Path) -> bool:
    if str(source) != "-" and os.path.realpath(output) == os.path.realpath(source):
        return not output.exists() or output.is_file()
    with suppress(OSError, ValueError, AttributeError):
        read = os.fstat(sys.stdin.fileno()) if str(source) == "-" else Path(source).stat()
        if stat.S_ISDIR(read.st_mode):
            return Path(os.path.realpath(source)) in Path(os.path.realpath(output)).parents
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, output.stat())
    return False


@contextmanager
def whole_file(path: str | Path) -> Iterator[TextIO]:
    """Open a text file that appears under its name only when all of it was written; see `whole_files`.

    `-` is standard output, whose errors pass.
    """
    if str(path) != "-":
        with whole_files(path) as (file,):
            yield file
        return
    if sys.__stdout__ is None:
        raise TreecutError("Standard output is closed: give a file with -o.")
    # What is written here is data, not messages in the terminal's encoding.
    cast(Any, sys.stdout).reconfigure(encoding="utf-8", errors="backslashreplace")
    yield sys.stdout
    sys.stdout.flush()


@contextmanager
def whole_files(*paths: str | Path) -> Iterator[list[TextIO]]:
    """Open files that appear, all or none, when all of them were written and have reached the disk.

    An exception, an interrupt or a termination signal leaves earlier files of those names as they
    were. Devices and pipes are written to directly. Text is UTF-8 everywhere; bytes go to `.buffer`.
    """
    with ExitStack() as stack:
        places = []
        for path in map(Path, paths):
            stack.enter_context(writing(path))
            places.append(stack.enter_context(_temporary(path)))
        files = [
            # What no encoding can write is written as JSON writes it.
            place.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
            for place, _ in places
        ]
        try:
            yield cast(list[TextIO], files)
            for file, (place, target) in zip(files, places, strict=True):
                file.flush()
                if place != target:
                    os.fsync(file.fileno())
        finally:
            for file in files:
                file.close()
        _give_names([(place, target) for place, target in places if place != target])


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, Path]]:
    """Where to write, and the file to replace: the target itself if it is a device or a pipe."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        yield target, target
        return
    # A link keeps pointing at the file; the file itself is replaced.
    target = target.resolve()
    name = target.name.encode()[:_KEPT_NAME].decode(errors="ignore")
    # Named before it is made, so that no interrupt can come between making and remembering it.
    temporary = target.with_name(f".{name}.{secrets.token_hex(_TOKEN_BYTES)}")
    with termination_raises():
        try:
            yield temporary, target
        finally:
            temporary.unlink(missing_ok=True)


def _give_names(places: Sequence[tuple[Path, Path]]) -> None:
    """Give temporary files their names: all of them, or none."""
    with ExitStack() as copies, ExitStack() as undo:
        for temporary, target in places:
            old = temporary.with_suffix(f".{secrets.token_hex(_TOKEN_BYTES)}")
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                if len(places) > 1:
                    copies.callback(old.unlink, missing_ok=True)
                    shutil.copy2(target, old)
                    undo.callback(old.replace, target)
            else:
                undo.callback(target.unlink, missing_ok=True)
            temporary.replace(target)
        undo.pop_all()


_REMEDIES = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room, or give a path on another disk"
    ),
    errno.ENAMETOOLONG: "give a shorter name",
    errno.EEXIST: "give the path of a folder",
    errno.EISDIR: "give the path of a file",
    errno.ELOOP: "give a path that is no link to itself",
}


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn errors of the operating system into sentences about one file or folder."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        remedy = _REMEDIES.get(
            error.errno or 0, "give a path in a folder that exists and that you may write to"
        )
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


def made_folder(path: str | Path) -> Path:
    """Return a folder, made if it does not exist."""
    folder = Path(path)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder
