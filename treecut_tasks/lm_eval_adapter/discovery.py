"""How lm-eval finds the TreeCut tasks and the `treecut` model: it takes modules and extends them.

lm-eval looks for tasks in its own folder and in `--include_path`, and knows only the models that it
ships. `_treecut_tasks_lm_eval`, loaded by the wheel's `.pth` file, calls `extend` with two modules
of lm-eval as soon as they have been imported:

* `lm_eval.tasks.manager`: `TaskManager` gets our folder of task files as if it had been the first
  `include_path`. The user's own come later and therefore override ours, with lm-eval's usual
  warning. `TaskManager(include_defaults=False)` means "only what I name" and gets nothing.
* `lm_eval.models`, which registers all models by name and unimported: ours is one more.

`TREECUT_LM_EVAL_DISCOVERY=0` switches both off; `--include_path "$(treecut lm-eval-path)"` then
does by hand what this module does for tasks.
"""

from __future__ import annotations

import functools
import inspect
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from treecut_tasks.errors import TreecutError

SWITCH = "TREECUT_LM_EVAL_DISCOVERY"
"""Environment variable; `0`, `false`, `no` or `off` switches the discovery off."""


def task_configs_path() -> Path:
    """Return the folder with the lm-eval task files.

    An installed package carries it inside (`treecut_tasks/task_configs`); in a checkout it lies
    beside the package.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "task_configs", package.parent / "task_configs"):
        if any(folder.glob("treecut*.yaml")):
            return folder
    raise TreecutError(
        f"There are no TreeCut task files (treecut*.yaml) in or beside {package}: reinstall "
        "treecut-tasks."
    )


def extend(module: ModuleType) -> None:
    """Extend a module of lm-eval that has just been imported: see above."""
    if os.environ.get(SWITCH, "").strip().lower() in {"0", "false", "no", "off"}:
        return
    if module.__name__ == "lm_eval.models":
        from lm_eval.api.registry import model_registry

        target = "treecut_tasks.lm_eval_adapter.models:TreecutLM"
        model_registry.register("treecut", target=target)
    else:
        _extend_task_manager(module.TaskManager, task_configs_path())


def _extend_task_manager(manager: type[Any], ours: Path) -> None:
    original = manager.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        bound = signature.bind(self, *args, **kwargs)
        given = bound.arguments
        if given.get("include_defaults", True):
            theirs = given.get("include_path") or []
            theirs = list(theirs) if isinstance(theirs, (list, tuple)) else [theirs]
            # Named by the user as well, it would be read twice, with a warning for each task.
            if ours not in [Path(path).resolve() for path in theirs]:
                given["include_path"] = [ours, *theirs]
        original(*bound.args, **bound.kwargs)

    manager.__init__ = __init__
