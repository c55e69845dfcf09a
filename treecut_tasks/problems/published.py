"""From nothing to the authors' eight files, the data behind the paper's Table 1."""

from __future__ import annotations

import random
from collections.abc import Iterator

from treecut_tasks.problems.authors import draw_as_authors
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.members import Member

_SEED = 42
_PROBLEMS_PER_FILE = 500
_DEPTHS = (2, 4, 6, 8)


def published_files() -> Iterator[tuple[str, Member]]:
    """Names and problems of the files, in the order in which the authors drew them from one generator."""
    rng = random.Random(_SEED)
    for ans_depth in _DEPTHS:
        for unanswerable in (True, False):
            config = ProblemConfig(ans_depth=ans_depth, unanswerable=unanswerable)
            cut = "" if config.cut_depth is None else f"_cutDepth-{config.cut_depth}"
            name = (
                f"qa_theme-{config.resolved_theme.name}_compositeName_{config.composite_name}"
                f"_numVars-{config.num_vars}_ansDepth-{ans_depth}_order-{config.order}"
                f"_hallu-{unanswerable}{cut}_REP-{_PROBLEMS_PER_FILE}.jsonl"
            )
            yield name, Member.of(draw_as_authors(config, rng, _PROBLEMS_PER_FILE))
