"""Making the files of a data set with the machines of a Ray cluster.

Ray Data schedules one task for each file, and starts it again when it fails or its process is
killed. The files are the same as on one machine; the folder must be one that all machines share.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from treecut_tasks.bulk.folder import Folder, describe_shard
from treecut_tasks.bulk.plan import Shard
from treecut_tasks.bulk.shards import Advance, WrittenShard, write_shard
from treecut_tasks.errors import TreecutError

# Ray starts tasks again whose process died; what failed in another way is begun so many times.
_ATTEMPTS = 3
_OWN_CLUSTER = "local"
# Seconds to wait for an answer of a cluster.
_PATIENCE = 10


def write_missing_with_ray(
    folder: Folder, shards: Sequence[Shard], address: str, advance: Advance
) -> list[WrittenShard]:
    """Write files of a data set; see `local.write_missing`.

    Args:
        folder: where; a path that means the same on all machines.
        shards: which.
        address: of the cluster, `auto` for the one that runs on this machine, or `local` for a new
            one that ends with the work.
        advance: told of progress, whole files at a time.

    Returns:
        What was written.

    Raises:
        TreecutError: Ray is missing, no cluster answers, or a file cannot be written.
    """
    ray = _ray()
    absolute = Folder(folder.path.resolve(), folder.plan)
    _connect(ray, address)
    written: list[WrittenShard] = []
    try:
        for attempt in range(1, _ATTEMPTS + 1):
            known = {each.name for each in written}
            left = [shard for shard in shards if shard.name not in known]
            try:
                _write_some(ray, absolute, left, advance, written)
                break
            except ray.exceptions.RayError as error:
                if attempt == _ATTEMPTS:
                    raise TreecutError(
                        f"The Ray cluster could not write all files in {_ATTEMPTS} attempts "
                        f"({_reason(error)}): run the same command again; finished files are kept."
                    ) from error
        return written
    finally:
        ray.shutdown()


def _ray() -> Any:
    try:
        return import_module("ray.data") and import_module("ray")
    except ImportError as error:
        raise TreecutError("--ray needs Ray Data: pip install 'treecut-tasks[ray]'.") from error


def _connect(ray: Any, address: str) -> None:
    _check_answers(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_cluster(address, str(error).strip().splitlines()[0]) from error
    # Ray Data logs every plan; what matters comes as an exception.
    logging.getLogger("ray.data").setLevel(logging.ERROR)


def _check_answers(address: str) -> None:
    """Check that something listens, because Ray itself tries for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, str(error)) from error


def _no_cluster(address: str, reason: str) -> TreecutError:
    return TreecutError(
        f"No Ray cluster answers at {address!r} ({reason}): give the address that `ray start --head` "
        f"printed, auto, or {_OWN_CLUSTER}."
    )


def _write_some(
    ray: Any,
    folder: Folder,
    shards: Sequence[Shard],
    advance: Advance,
    written: list[WrittenShard],
) -> None:
    """Write files; those that are finished are added to `written`, whatever happens to the others."""
    if not shards:
        return
    ray.data.DataContext.get_current().enable_progress_bars = False
    by_number = {shard.number: shard for shard in shards}

    def write(row: dict[str, Any]) -> dict[str, Any]:
        shard = by_number[row["number"]]
        write_shard(folder.plan, shard, folder.path / shard.name)
        return {**row, **asdict(describe_shard(folder, shard))}

    # A block for each file, so that a task whose process dies redoes that file only.
    numbers = ray.data.from_items(
        [{"number": number} for number in by_number], override_num_blocks=len(by_number)
    )
    for row in numbers.map(write).iter_rows():
        shard = by_number[row.pop("number")]
        _check_shared(folder.path / shard.name)
        written.append(WrittenShard(**row))
        advance(shard.stop - shard.start)


def _check_shared(path: Path) -> None:
    if not path.exists():
        raise TreecutError(
            f"A machine of the cluster has written {str(path)!r}, but it is not there on this one: give a "
            "folder that all machines share."
        )


def _reason(error: BaseException) -> str:
    """The innermost cause, in one line."""
    cause: BaseException = error
    while (inner := getattr(cause, "cause", None) or cause.__cause__) is not None:
        cause = inner
    lines = str(cause).strip().splitlines()
    return lines[-1] if lines else type(cause).__name__
