"""Problems: their configuration, generation, wording, solutions, streams, data sets and files."""

from __future__ import annotations

from treecut_tasks.problems.config import (
    ORDERS,
    SAMPLINGS,
    Order,
    ProblemConfig,
    Sampling,
)
from treecut_tasks.problems.data_set import Drawn, check_count, draw_data_set
from treecut_tasks.problems.formulas import Formula
from treecut_tasks.problems.generator import generate
from treecut_tasks.problems.pairs import (
    COUNTERPARTS,
    CounterpartKind,
    Pair,
    check_counterpart,
    default_num_vars,
    generate_pair,
)
from treecut_tasks.problems.problem import UNKNOWN, Problem, Removed, Sentence, content_id
from treecut_tasks.problems.published import PublishedFile, published_files
from treecut_tasks.problems.records import Record, is_answer, read_data_files
from treecut_tasks.problems.streams import (
    check_seed,
    pair_at,
    pairs_stream,
    problem_at,
    problem_rng,
    shots_rng,
    stream,
)
from treecut_tasks.problems.tree import Edge
from treecut_tasks.themes import Variable

__all__ = [
    "COUNTERPARTS",
    "ORDERS",
    "SAMPLINGS",
    "UNKNOWN",
    "CounterpartKind",
    "Drawn",
    "Edge",
    "Formula",
    "Order",
    "Pair",
    "Problem",
    "ProblemConfig",
    "PublishedFile",
    "Record",
    "Removed",
    "Sampling",
    "Sentence",
    "Variable",
    "check_count",
    "check_counterpart",
    "check_seed",
    "content_id",
    "default_num_vars",
    "draw_data_set",
    "generate",
    "generate_pair",
    "is_answer",
    "pair_at",
    "pairs_stream",
    "problem_at",
    "problem_rng",
    "published_files",
    "read_data_files",
    "shots_rng",
    "stream",
]
