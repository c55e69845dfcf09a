"""From a plan to its files by the machines of a Ray cluster: one task for each file, with Ray's retries."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treecut_tasks.data_sets.folder import Write
from treecut_tasks.data_sets.plan import Plan, Shard
from treecut_tasks.data_sets.writing import Advance, WrittenFile, write_shard
from treecut_tasks.errors import TreecutError
from treecut_tasks.extras import require

_OWN_CLUSTER = "local"
# How often a file is begun again whose process or machine dies.
_RETRIES = 3
# Seconds to wait for an answer of a cluster; Ray itself tries for many minutes.
_PATIENCE = 10


def write_with_ray(address: str) -> Write:
    """Writes shards with a Ray cluster; the folder must be one that all machines share.

    Args:
        address: of the cluster, `auto` for the one that runs on this machine, or `local` for a new
            one that ends with the work.
    """
    ray = _import_ray(address)

    def write(
        plan: Plan, shards: Sequence[Shard], folder: Path, advance: Advance
    ) -> Iterator[WrittenFile]:
        _connect(ray, address)
        try:
            remote = ray.remote(max_retries=_RETRIES)(_write)
            versions, absolute = _versions(), folder.resolve()
            left = [remote.remote(plan, shard, absolute, versions) for shard in shards]
            while left:
                (done, *_), left = ray.wait(left)
                written: WrittenFile = ray.get(done)
                if not (folder / written.name).exists():
                    raise TreecutError(
                        f"A machine of the cluster has written {written.name!r}, but it is not in "
                        f"{str(folder)!r} on this one: give a folder that all machines share."
                    )
                yield written
                advance(written.rows)
        except ray.exceptions.RayError as error:
            raise TreecutError(
                f"The Ray cluster could not write all files ({_line(error, -1)}): mend that and run the "
                "same command again; finished files are kept."
            ) from error
        finally:
            ray.shutdown()

    return write


def _write(plan: Plan, shard: Shard, folder: Path, versions: Mapping[str, str]) -> WrittenFile:
    if versions != _versions():
        raise TreecutError(
            f"the machine {socket.gethostname()!r} has {_versions()}, not {versions}: install the same "
            "on all machines"
        )
    return write_shard(plan, shard, folder)


def _versions() -> dict[str, str]:
    """Versions of what decides the bytes of a file."""
    return {name: version(name) for name in ("treecut-tasks", "pyarrow", "orjson")}


def _import_ray(address: str) -> Any:
    if address == _OWN_CLUSTER and not any(name.startswith("RAY_AUTH_") for name in os.environ):
        # A token of its own for a cluster that ends with this process. Ray would write one to the
        # home directory, and each cluster that is started there later would demand it.
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    require("ray", "ray", for_what="--ray")
    return import_module("ray")


def _connect(ray: Any, address: str) -> None:
    host, _, port = address.removeprefix("ray://").rpartition(":")
    own = {"include_dashboard": False} if address == _OWN_CLUSTER else {}
    try:
        if host and port.isdecimal():
            socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except Exception as error:  # Ray raises all kinds, and plain ones too
        raise TreecutError(
            f"No Ray cluster answers at {address!r} ({_line(error, 0)}; if it demands a token, "
            "RAY_AUTH_MODE=token must be set here too): give the address that `ray start --head` printed, "
            f"auto, or {_OWN_CLUSTER}."
        ) from error


def _line(error: BaseException, number: int) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[number].rstrip(".:")
