"""The libraries of the extra `audit`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from treecut_tasks.errors import TreecutError

_FOR_CLASSIFIERS = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
_FOR_FIGURES = {"matplotlib": "matplotlib"}


def require_libraries(figure: bool = False) -> None:
    """Check that what an audit needs is installed.

    Args:
        figure: whether a figure is to be drawn, too.

    Raises:
        TreecutError: a library is missing; the message says how to install it.
    """
    needed = _FOR_CLASSIFIERS | (_FOR_FIGURES if figure else {})
    missing = [name for module, name in needed.items() if not _is_there(module)]
    if missing:
        raise TreecutError(_message(missing))


def _is_there(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def _message(missing: Sequence[str]) -> str:
    names = " and ".join(missing)
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"An audit needs {names}, which {verb} not installed: install with "
        "pip install 'treecut-tasks[audit]'."
    )
