"""Making the files of a data set with the machines of a Ray cluster.

Ray Data schedules one task for each file, and starts it again when its process or machine dies. A
file that cannot be written is tried again when the others are done. The files are the same as on
one machine; the folder must be one that all machines share.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treecut_tasks.bulk.folder import Folder, describe_shard
from treecut_tasks.bulk.plan import Shard
from treecut_tasks.bulk.shards import Advance, WrittenShard, write_shard
from treecut_tasks.errors import TreecutError

# How often a file is begun whose writing fails.
_ATTEMPTS = 3
_OWN_CLUSTER = "local"
# Seconds to wait for an answer of a cluster, and for a file to be seen on another machine.
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
    ray = import_ray(address)
    absolute = Folder(folder.path.resolve(), folder.plan)
    _connect(ray, address)
    try:
        return _write_all(ray, absolute, shards, advance)
    finally:
        ray.shutdown()


def _keep_token_in_memory() -> None:
    """Give a cluster that ends with this process a token of its own.

    Ray would write one to the home directory, and each cluster that is started there later would
    demand it. Takes effect only before Ray is imported.
    """
    if not any(name.startswith("RAY_AUTH_") for name in os.environ):
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)


def import_ray(address: str) -> Any:
    """Import Ray and Ray Data, for the cluster at some address.

    Raises:
        TreecutError: they are not installed.
    """
    if address == _OWN_CLUSTER:
        _keep_token_in_memory()
    try:
        return import_module("ray.data") and import_module("ray")
    except ImportError as error:
        raise TreecutError("--ray needs Ray Data: pip install 'treecut-tasks[ray]'.") from error


def _connect(ray: Any, address: str) -> None:
    _check_answers(address)
    own = {"include_dashboard": False} if address == _OWN_CLUSTER else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".:")
        raise _no_cluster(
            address, f"{reason}; if it demands a token, RAY_AUTH_MODE=token must be set here too"
        ) from error
    # Ray Data logs every plan and every failure; what matters comes with the rows.
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False


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


def _write_all(
    ray: Any, folder: Folder, shards: Sequence[Shard], advance: Advance
) -> list[WrittenShard]:
    left = {shard.number: shard for shard in shards}
    written: list[WrittenShard] = []
    failure = ""
    for _ in range(_ATTEMPTS):
        failures = []
        try:
            for report in _reports(ray, folder, list(left.values())):
                number, reason = report.pop("number"), report.pop("failure")
                if reason:
                    failures.append(reason)
                    continue
                shard = left.pop(number)
                _wait_for(folder.path / shard.name)
                written.append(WrittenShard(**report))
                advance(shard.stop - shard.start)
        except ray.exceptions.RayError as error:
            failures.append(f"{_last_line(error)}: run the same command again.")
        if not left:
            return written
        failure = failures[0]
    raise TreecutError(
        f"The Ray cluster could not write {len(left)} of {len(shards)} files in {_ATTEMPTS} attempts; "
        f"finished files are kept. {failure}"
    )


def _reports(ray: Any, folder: Folder, shards: Sequence[Shard]) -> Iterator[dict[str, Any]]:
    """Write files, and tell of each what it is known by, or why it could not be written."""
    by_number = {shard.number: shard for shard in shards}
    our_versions = _versions()

    def write(row: Mapping[str, int]) -> dict[str, Any]:
        shard = by_number[row["number"]]
        failure, written = "", WrittenShard(shard.name, 0, 0, "")
        # Reported, not raised: Ray Data would stop the work on all other files.
        try:
            _check_versions(our_versions)
            write_shard(folder.plan, shard, folder.path / shard.name)
            written = describe_shard(folder, shard)
        except (TreecutError, OSError, MemoryError) as error:
            failure = f"On the machine {socket.gethostname()!r}: {_last_line(error)}"
        return {"number": shard.number, "failure": failure, **asdict(written)}

    # A block for each file, so that a task whose process dies redoes that file only.
    numbers = ray.data.from_items(
        [{"number": number} for number in by_number], override_num_blocks=len(by_number)
    )
    reports: Iterator[dict[str, Any]] = numbers.map(write).iter_rows()
    return reports


def _versions() -> dict[str, str]:
    """Versions of what decides the bytes of a file."""
    return {name: version(name) for name in ("treecut-tasks", "pyarrow")}


def _check_versions(wanted: Mapping[str, str]) -> None:
    """Check that this machine of the cluster makes the bytes that the first one would."""
    for name, found in _versions().items():
        if found != wanted[name]:
            raise TreecutError(
                f"{name} has the version {found}, not {wanted[name]}: install the same on all machines."
            )


def _wait_for(path: Path) -> None:
    """Wait for a file that another machine has written: network file systems take a moment."""
    end = time.monotonic() + _PATIENCE
    while not path.exists():
        if time.monotonic() > end:
            raise TreecutError(
                f"A machine of the cluster has written {str(path)!r}, but it is not there on this one: "
                "give a folder that all machines share."
            )
        time.sleep(0.1)


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
