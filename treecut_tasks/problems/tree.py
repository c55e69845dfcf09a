"""From the parents of variables to the edges of their tree (paper, section 3 and Algorithm 2)."""

from __future__ import annotations

from functools import lru_cache

Edge = tuple[int, int]
"""(parent, child); variables are numbered from 1, 0 is the root."""


# A run draws the same few trees over and over (90 at ten variables and depth 8).
@lru_cache(maxsize=4096)
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


@lru_cache(maxsize=4096)
def subtree(parents: tuple[int, ...], top: int) -> tuple[int, ...]:
    """The variables from `top` downwards, breadth first; `parents` as in `breadth_first`."""
    variables = [top]
    for parent, child in breadth_first(parents):
        if parent in variables:
            variables.append(child)
    return tuple(variables)
