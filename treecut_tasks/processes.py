"""Takes a function and its jobs, gives the results in order, made by one process or by several."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from typing import TypeVar

from treecut_tasks.errors import TreecutError
from treecut_tasks.files import termination_raises

Advance = Callable[[int], None]
"""Is told how many more entries of a job are done."""

Job = TypeVar("Job")
Result = TypeVar("Result")

# How often the progress of other processes is looked at, in seconds.
_LOOK_EVERY = 0.2


def run_jobs(
    work: Callable[[Job, Advance], Result], jobs: Sequence[Job], workers: int, advance: Advance
) -> Iterator[Result]:
    """Do jobs, several at once if so wished, and give the results in the jobs' order.

    Args:
        work: does one job and tells its progress, often: a stop is noticed then. With several
            processes it must be a function of a module, as must be what it is bound to.
        jobs: what it does.
        workers: number of processes.
        advance: told of the progress of all jobs.

    Raises:
        TreecutError: a process was killed; and what `work` raises.
    """
    if workers == 1 or len(jobs) < 2:
        for job in jobs:
            yield work(job, advance)
        return
    context = get_context("spawn")
    done, stop = context.Value("q", 0), context.Event()
    with (
        termination_raises(),
        ProcessPoolExecutor(min(workers, len(jobs)), context, _start_worker, (done, stop)) as pool,
    ):
        try:
            with _interrupts_later():
                futures = [pool.submit(_run, work, job) for job in jobs]
            pending, seen = set(futures), 0
            for future in futures:
                while future in pending:
                    finished, pending = wait(pending, _LOOK_EVERY, FIRST_COMPLETED)
                    for each in finished:
                        each.result()  # an error ends all of them at once
                    now = done.value
                    advance(now - seen)
                    seen = now
                yield future.result()
        except BrokenProcessPool as error:
            raise TreecutError(
                "A worker process was killed (perhaps the memory was full): run the same command again, "
                "with fewer workers if need be; finished files are kept."
            ) from error
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


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


# What a worker shares with the process that started it.
_shared: tuple[Synchronized[int], Event] | None = None


def _start_worker(done: Synchronized[int], stop: Event) -> None:
    global _shared
    _shared = done, stop
    # The interrupt of a terminal reaches all processes; the first one tells the others to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _run(work: Callable[[Job, Advance], Result], job: Job) -> Result:
    assert _shared is not None
    done, stop = _shared

    def advance(entries: int) -> None:
        if stop.is_set():
            raise SystemExit(1)
        with done.get_lock():
            done.value += entries

    advance(0)
    return work(job, advance)
