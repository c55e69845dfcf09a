"""Themes: the names, prices and money words that dress a tree as a word problem.

A theme is data (a YAML file). Both the writer (`treecut_tasks.problems`) and the independent
reader (`treecut_tasks.reading`) take their vocabulary from here and share nothing else.
"""

from __future__ import annotations

from treecut_tasks.themes.theme import (
    BUILTIN_THEMES,
    Item,
    Theme,
    Variable,
    load_theme,
    template_words,
)

__all__ = ["BUILTIN_THEMES", "Item", "Theme", "Variable", "load_theme", "template_words"]
