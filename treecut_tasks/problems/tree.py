"""The tree behind a problem (paper, section 3 and Algorithm 2)."""

from __future__ import annotations

Edge = tuple[int, int]
"""(parent, child); variables are numbered from 1, 0 is the root."""


def breadth_first(parents: tuple[int, ...]) -> tuple[Edge, ...]:
    """Edges from the root breadth first, children in the order attached (Algorithm 2).

    Args:
        parents: `parents[i - 1]` is the parent of x_i, 0 for the root.
    """
    children: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for child, parent in enumerate(parents, start=1):
        children[parent].append(child)
    edges: list[Edge] = []
    queue = [0]
    for node in queue:
        for child in children[node]:
            edges.append((node, child))
            queue.append(child)
    return tuple(edges)
