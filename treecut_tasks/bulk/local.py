"""Making the files of a data set with the processes of one machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event

from treecut_tasks.bulk.folder import Folder, describe_shard
from treecut_tasks.bulk.plan import Shard
from treecut_tasks.bulk.shards import Advance, WrittenShard, write_shard
from treecut_tasks.errors import TreecutError
from treecut_tasks.files import termination_raises

# How often the progress of other processes is looked at, in seconds.
_LOOK_EVERY = 0.2


def write_missing(
    folder: Folder, shards: Sequence[Shard], workers: int, advance: Advance
) -> list[WrittenShard]:
    """Write files of a data set.

    Args:
        folder: where.
        shards: which.
        workers: number of processes; what is written does not depend on it.
        advance: told of progress.

    Returns:
        What was written.

    Raises:
        TreecutError: a file cannot be written, or a process was killed.
    """
    if workers == 1 or len(shards) < 2:
        return [_write(folder, shard, advance) for shard in shards]
    context = get_context("spawn")
    written, stop = context.Value("q", 0), context.Event()
    with (
        termination_raises(),
        _stopping(stop),
        ProcessPoolExecutor(
            min(workers, len(shards)), context, _start_worker, (written, stop)
        ) as pool,
    ):
        try:
            with _interrupts_later():
                futures = {pool.submit(_write_in_worker, folder, shard) for shard in shards}
            return list(_results(futures, written, advance))
        except BrokenProcessPool as error:
            raise TreecutError(
                "A worker process was killed (perhaps the memory was full): run the same command again, "
                "with fewer workers if need be; finished files are kept."
            ) from error
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _write(folder: Folder, shard: Shard, advance: Advance) -> WrittenShard:
    write_shard(folder.plan, shard, folder.path / shard.name, advance)
    return describe_shard(folder, shard)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold interrupts back, and keep them from processes that are started meanwhile.

    Otherwise an interrupt of a terminal would find them before they ignore it.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _stopping(stop: Event) -> Iterator[None]:
    try:
        yield
    finally:
        stop.set()


def _results(
    futures: set[Future[WrittenShard]], written: Synchronized[int], advance: Advance
) -> Iterator[WrittenShard]:
    seen = 0
    while futures:
        done, futures = wait(futures, timeout=_LOOK_EVERY, return_when=FIRST_COMPLETED)
        now = written.value
        advance(now - seen)
        seen = now
        for future in done:
            yield future.result()


# What a worker shares with the process that started it.
_shared: tuple[Synchronized[int], Event] | None = None


def _start_worker(written: Synchronized[int], stop: Event) -> None:
    global _shared
    _shared = written, stop
    # The interrupt of a terminal reaches all processes; the first one tells the others to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _write_in_worker(folder: Folder, shard: Shard) -> WrittenShard:
    assert _shared is not None
    written, stop = _shared

    def check_stop() -> None:
        if stop.is_set():
            raise SystemExit(1)

    def advance(entries: int) -> None:
        check_stop()
        with written.get_lock():
            written.value += entries

    check_stop()
    return _write(folder, shard, advance)
