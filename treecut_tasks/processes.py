"""Takes a function and its jobs, gives the results, made by several processes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from typing import TypeVar

from treecut_tasks.errors import TreecutError
from treecut_tasks.files import termination_raises

Job = TypeVar("Job")
Result = TypeVar("Result")


def in_processes(
    work: Callable[[Job], Result], jobs: Sequence[Job], workers: int
) -> Iterator[Result]:
    """Do jobs, several at once, with results in their order; an exception or interrupt ends all of them.

    Args:
        work: does one job; a function of a module, perhaps with bound arguments.
        jobs: what it does.
        workers: number of processes.

    Raises:
        TreecutError: a process was killed; and what `work` raises.
    """
    processes = min(workers, len(jobs))
    with (
        termination_raises(),
        ProcessPoolExecutor(processes, get_context("spawn"), _start_worker) as pool,
    ):
        try:
            with _interrupts_later():
                results = pool.map(work, jobs)
            yield from results
        except BrokenProcessPool as error:
            raise TreecutError(
                "A worker process was killed (perhaps the memory was full): run the same command again, "
                "with fewer workers if need be; finished files are kept."
            ) from error
        except BaseException:
            # What they are doing is dropped.
            for process in active_children():
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def usable_cores() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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


def _start_worker() -> None:
    # The interrupt of a terminal reaches all processes; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
