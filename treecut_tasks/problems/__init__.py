"""Problems: their configuration, the two draws, wording, solutions, pairs, splits, records and data files."""

from __future__ import annotations

from treecut_tasks.answers import UNKNOWN
from treecut_tasks.problems.config import (
    ORDERS,
    SAMPLINGS,
    Order,
    ProblemConfig,
    Sampling,
)
from treecut_tasks.problems.members import content_id
from treecut_tasks.problems.pairs import (
    COUNTERPARTS,
    CounterpartKind,
    default_num_vars,
)
from treecut_tasks.problems.problem import Pair, Problem
from treecut_tasks.problems.published import published_files
from treecut_tasks.problems.records import Record, read_data_files
from treecut_tasks.problems.splits import (
    SPLIT_NAMES,
    WHOLE,
    Split,
    SplitName,
    disjoint_splits,
    named_split,
)
from treecut_tasks.problems.streams import (
    Drawn,
    check_seed,
    draw_data_set,
    example_pairs,
    generate,
    generate_pair,
    pair_at,
    problem_at,
    shots_rng,
    stream,
)
from treecut_tasks.themes import Variable

__all__ = [
    "COUNTERPARTS",
    "ORDERS",
    "SAMPLINGS",
    "SPLIT_NAMES",
    "UNKNOWN",
    "WHOLE",
    "CounterpartKind",
    "Drawn",
    "Order",
    "Pair",
    "Problem",
    "ProblemConfig",
    "Record",
    "Sampling",
    "Split",
    "SplitName",
    "Variable",
    "check_seed",
    "content_id",
    "default_num_vars",
    "disjoint_splits",
    "draw_data_set",
    "example_pairs",
    "generate",
    "generate_pair",
    "named_split",
    "pair_at",
    "problem_at",
    "published_files",
    "read_data_files",
    "shots_rng",
    "stream",
]
