"""From a theme to the names that it can give to variables, in the order by which they are numbered."""

from __future__ import annotations

from functools import lru_cache

from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.themes import Theme, Variable


def all_names(config: ProblemConfig) -> tuple[Variable, ...]:
    """Every name that a configuration can give to a variable."""
    return names_of(config.resolved_theme, config.composite_name)


@lru_cache(maxsize=64)
def names_of(theme: Theme, composite_name: bool) -> tuple[Variable, ...]:
    """Every name of a theme: of composite names entity by entity, in the order of the theme."""
    entities = theme.entities if composite_name else (None,)
    return tuple(Variable(entity, item.name) for entity in entities for item in theme.items)
