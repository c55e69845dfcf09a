"""Takes the name of an extra and its modules, and refuses to go on where one is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from treecut_tasks.errors import TreecutError


def require(extra: str, *modules: str, for_what: str) -> None:
    """Check that the libraries of an extra are there.

    Args:
        extra: `bulk`, for example.
        modules: what will be imported.
        for_what: begins the message: `An audit`.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise TreecutError(
            f"{for_what} needs {' and '.join(missing)}: pip install 'treecut-tasks[{extra}]' or, in a "
            f"checkout, pip install '.[{extra}]'."
        )
