"""Start-up hook: lets lm-eval find the tasks and the model of treecut-tasks.

``treecut_tasks_lm_eval.pth`` imports this module whenever a Python of the environment starts, so
it is small, imports nothing but ``sys`` and built-in modules, and leaves ``treecut_tasks`` itself
alone: importing the package here would pin the installed copy before a script or a checkout has
put its own on ``sys.path``. All it does is to put a finder on ``sys.meta_path`` that notices when
lm-eval's registry or its task room has been imported and hands that module to
:mod:`treecut_tasks._lm_eval_discovery`, where everything else is explained, including how to
switch this off (environment variable ``TREECUT_LM_EVAL_DISCOVERY=0``).
"""

import _thread
import sys

TYPE_CHECKING = False  # `typing` would cost more than everything else here together
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

WATCHED = ("lm_eval.api.registry", "lm_eval.tasks")


class LmEvalFinder:
    """A finder that finds nothing itself: it marks the watched modules that others find."""

    def __init__(self) -> None:
        self._searching: set[tuple[int, str]] = set()

    def find_spec(
        self,
        fullname: str,
        path: "Sequence[str] | None" = None,
        target: "ModuleType | None" = None,
    ) -> "ModuleSpec | None":
        """Return what the other finders find, to be extended once it has been executed."""
        if fullname not in WATCHED:
            return None
        # Another hook that asks all finders in turn would ask us again, for ever.
        search = (_thread.get_ident(), fullname)
        if search in self._searching:
            return None
        self._searching.add(search)
        try:
            spec = self._ask_others(fullname, path, target)
        finally:
            self._searching.discard(search)
        if spec is not None:
            _extend_after_execution(spec)
        return spec

    def _ask_others(
        self, fullname: str, path: "Sequence[str] | None", target: "ModuleType | None"
    ) -> "ModuleSpec | None":
        for finder in list(sys.meta_path):
            find_spec = getattr(finder, "find_spec", None)
            if finder is self or find_spec is None:
                continue
            spec: ModuleSpec | None = find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None


def _extend_after_execution(spec: "ModuleSpec") -> None:
    """Make the loader of ``spec`` call :func:`extend` after it has executed its module, once.

    The loader stays the same object, so that everything else that asks it (sources, resources,
    ``runpy``) sees no difference. Loaders that serve several modules (zip files) are left alone.
    """
    loader = spec.loader
    if loader is None or getattr(loader, "name", None) != spec.name:
        return
    execute = loader.exec_module

    def exec_module(module: "ModuleType") -> None:
        vars(loader).pop("exec_module", None)
        execute(module)
        extend(module)

    try:
        vars(loader)["exec_module"] = exec_module
    except TypeError:  # a loader without instance attributes
        return


def extend(module: "ModuleType") -> None:
    """Hand an executed module of lm-eval to the package; trouble becomes one line in the log."""
    try:
        from treecut_tasks import _lm_eval_discovery

        _lm_eval_discovery.extend(module)
    except Exception as error:
        import logging

        logging.getLogger("treecut_tasks").warning(
            "lm-eval will not find the TreeCut tasks by itself (%s: %s); "
            "name their folder with --include_path.",
            type(error).__name__,
            error,
        )


def install() -> None:
    """Put the finder first on ``sys.meta_path``, once, and extend what is imported already."""
    if not any(type(finder).__name__ == LmEvalFinder.__name__ for finder in sys.meta_path):
        sys.meta_path.insert(0, LmEvalFinder())
    for name in WATCHED:
        module = sys.modules.get(name)
        if module is not None:
            extend(module)


install()
