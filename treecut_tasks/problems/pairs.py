"""Which kinds of counterparts there are, and which configurations have them."""

from __future__ import annotations

from typing import Literal, get_args

from treecut_tasks.errors import TreecutError, checked_choice
from treecut_tasks.problems.blocks import PairKind
from treecut_tasks.problems.config import ProblemConfig

CounterpartKind = Literal["full", "matched"]

COUNTERPARTS: tuple[CounterpartKind, ...] = get_args(CounterpartKind)
"""`full` keeps the cut sentence; `matched` has as many sentences as the unanswerable problem."""


def default_num_vars(ans_depth: int, pairs: PairKind) -> int:
    """Number of variables of a problem or a pair where none is given.

    The paper's `ans_depth + 2`, but 6 for matched counterparts at depth 2, because four composite
    names leave no sentence that could be spared unnoticed.
    """
    return 6 if pairs == "matched" and ans_depth == 2 else ans_depth + 2


def check_pair(config: ProblemConfig, counterpart: CounterpartKind) -> None:
    """Check that a configuration has pairs of this kind, as far as that can be told without drawing."""
    checked_choice("counterpart", counterpart, COUNTERPARTS)
    if not config.unanswerable:
        raise TreecutError(
            "A pair was asked of an answerable configuration: give the configuration of the "
            "unanswerable problem."
        )
    if counterpart == "full":
        return
    if config.vars < config.ans_depth + 2:
        raise no_match(config, "a sentence is spared between two variables off the path")
    if config.composite_name and (config.vars, config.ans_depth) == (4, 2):
        raise no_match(
            config,
            "a spare sentence shows what is asked for where four names are a two-by-two grid",
        )


def no_match(config: ProblemConfig, reason: str) -> TreecutError:
    """The error that says why a configuration has no matched counterpart."""
    return TreecutError(
        f"num_vars={config.num_vars}, ans_depth={config.ans_depth}, cut_depth={config.cut_depth} has no "
        f"matched counterpart, because {reason}: use num_vars "
        f"{default_num_vars(config.ans_depth, 'matched')} or more, or counterpart full."
    )
