"""A Ray cluster of two nodes on this machine, as a program.

It prints the address, and ends when its standard input does.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

from ray.cluster_utils import Cluster

# Ray's default is a third of the machine for each node.
_OBJECT_STORE = 100 * 1024 * 1024


def main() -> None:
    # Ray puts sockets there, whose paths must be short.
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as folder:
        node: Any = {"num_cpus": 1, "object_store_memory": _OBJECT_STORE}
        cluster: Any = Cluster(
            initialize_head=True,
            head_node_args={**node, "include_dashboard": False, "temp_dir": folder},
        )
        try:
            cluster.add_node(**node)
            cluster.wait_for_nodes(timeout=600)
            print(cluster.address, flush=True)
            sys.stdin.read()
        finally:
            cluster.shutdown()


if __name__ == "__main__":
    main()
