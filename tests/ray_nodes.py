"""A Ray cluster of two nodes on this machine, as a program.

It prints the address, and ends when its standard input does.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from ray.cluster_utils import Cluster

# Ray's default is a third of the machine for each node.
_OBJECT_STORE = 100 * 1024 * 1024


# Ray gives a node half a minute to start, which a busy machine may miss.
_ATTEMPTS = 5


def started() -> Any:
    node: Any = {"num_cpus": 1, "object_store_memory": _OBJECT_STORE}
    for _ in range(_ATTEMPTS):
        cluster: Any = Cluster()
        try:
            cluster.add_node(**node, include_dashboard=False)
            cluster.add_node(**node)
            cluster.wait_for_nodes(timeout=600)
        except Exception as error:
            print(error, file=sys.stderr)
            cluster.shutdown()
        else:
            return cluster
    raise SystemExit("Ray does not start.")


def main() -> None:
    # Ray puts sockets there, whose paths must be short. Told as `temp_dir`, it would write beside them
    # to its usual folder, which a fresh machine has not.
    with tempfile.TemporaryDirectory(
        prefix="ray", dir="/tmp", ignore_cleanup_errors=True
    ) as folder:
        os.environ["RAY_TMPDIR"] = folder
        cluster = started()
        try:
            print(cluster.address, flush=True)
            sys.stdin.read()
        finally:
            cluster.shutdown()


if __name__ == "__main__":
    main()
