"""Reports: the paper's tables, figures and claims from logs of either framework.

    paths ──▶ sources ──▶ evidence ──▶ cells ──▶ tables, figures, claims, comparisons ──▶ formats

`reading` makes the evidence (a list of runs and one table of responses), `build` everything that is
shown, `rendering` the formats. The libraries behind it are in the extra `[report]`; nothing is imported
here, so that `check_extra` can say so first.
"""

from __future__ import annotations

from importlib.util import find_spec

from treecut_tasks.errors import TreecutError

_LIBRARIES = ("jinja2", "matplotlib", "pandas", "pyarrow", "rich", "scipy", "statsmodels")


def check_extra() -> None:
    """Make sure that the libraries of the extra `[report]` are there.

    Raises:
        TreecutError: they are not.
    """
    missing = [name for name in _LIBRARIES if find_spec(name) is None]
    if missing:
        raise TreecutError(
            f"Reports need {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
            "installed: pip install 'treecut-tasks[report]'"
        )
