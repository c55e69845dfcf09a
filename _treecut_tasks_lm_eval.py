"""Start-up hook: lets lm-eval find the tasks and the model of treecut-tasks.

``treecut_tasks_lm_eval.pth`` imports this module whenever a Python of the environment starts, so
it is small, imports nothing but ``sys``, and leaves ``treecut_tasks`` itself alone: importing the
package here would pin the installed copy before a script or a checkout has put its own on
``sys.path``. It puts a finder on ``sys.meta_path`` that hands two modules of lm-eval, once they
are imported, to ``treecut_tasks.lm_eval_adapter.discovery``, where everything else is explained.
"""

import sys

TYPE_CHECKING = False  # `typing` would cost more than everything else here together
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class LmEvalFinder:
    """Finds two modules of lm-eval where Python would, and extends them once they have run."""

    @staticmethod
    def find_spec(
        name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Find one of the two modules in the folder of its package; leave others to others."""
        if name not in ("lm_eval.models", "lm_eval.tasks.manager"):
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader = spec.loader
            execute = loader.exec_module

            def exec_module(module: "ModuleType") -> None:
                del loader.exec_module
                execute(module)
                _extend(module)

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _extend(module: "ModuleType") -> None:
    try:
        from treecut_tasks.lm_eval_adapter.discovery import extend

        extend(module)
    # Whatever is wrong on our side must not keep lm-eval from working.
    except Exception as error:
        import logging

        logging.getLogger("treecut_tasks").warning(
            "lm-eval will not find the TreeCut tasks by itself (%s: %s); "
            "name their folder with --include_path.",
            type(error).__name__,
            error,
        )


sys.meta_path.insert(0, LmEvalFinder)
