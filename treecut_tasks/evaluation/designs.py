"""The sets of configurations behind the paper's Figures 2 and 3 (section 4.3)."""

from __future__ import annotations

from dataclasses import replace

from treecut_tasks.evaluation import Configuration, TaskParameters

STRUCTURE_DEPTHS = (4, 5, 6, 7, 8)
"""Depths of Figure 2."""

CUT_LOCATION_DEPTHS = (7, 8)
"""Depths of Figure 3's panels."""


def structure_configurations(parameters: TaskParameters) -> list[Configuration]:
    """Figure 2: a single path or a more complex tree, composite or simple names, at each depth.

    Args:
        parameters: supplies the depths; num_vars is ans_depth or ans_depth + 2, and cut_depth
            ans_depth // 2, at each.
    """
    configurations = []
    for ans_depth in parameters.ans_depth:
        at_depth = replace(
            parameters,
            ans_depth=(ans_depth,),
            num_vars=(ans_depth, ans_depth + 2),
            composite_name=(True, False),
        )
        configurations += at_depth.configurations()
    return configurations


def cut_location_configurations(parameters: TaskParameters) -> list[Configuration]:
    """Figure 3: every location of the cut at each depth.

    Args:
        parameters: supplies the depths; cut_depth is 1 to ans_depth - 1 at each.
    """
    configurations = []
    for ans_depth in parameters.ans_depth:
        cuts = tuple(range(1, ans_depth))
        at_depth = replace(parameters, ans_depth=(ans_depth,), cut_depth=cuts)
        configurations += at_depth.configurations()
    return configurations
