"""How lm-eval finds the TreeCut tasks and the `treecut` model without being told.

lm-eval 0.4.13 looks for tasks in its own folder and in `--include_path`, and knows only the
models that it ships. `_treecut_tasks_lm_eval` (loaded by the `.pth` file of the wheel) calls
`extend` with two of its modules as soon as they have been imported:

* `lm_eval.tasks`: `TaskManager` gets our folder of task files as if it had been the first
  `include_path`. The user's own paths come later and therefore override ours, with lm-eval's
  usual warning. `TaskManager(include_defaults=False)` means "only what I name" and gets nothing.
* `lm_eval.api.registry`: `get_model("treecut")` registers our class, by name and unimported,
  if lm-eval does not know the model.

We stand aside where lm-eval needs no help: our folder (or one that contains it) is among the paths
already; lm-eval ships a `treecut*` folder of its own; lm-eval reads entry points of the group
`lm_eval.tasks` and our distribution offers one; the model is registered, for instance through
its entry point in the group `lm_eval.models`, which later versions read.

`TREECUT_LM_EVAL_DISCOVERY=0` switches all of it off; `--include_path "$(treecut lm-eval-path)"`
then does by hand what this module does for tasks.

This module imports nothing but the standard library.
"""

from __future__ import annotations

import functools
import inspect
import logging
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

SWITCH = "TREECUT_LM_EVAL_DISCOVERY"
"""Environment variable; `0`, `false`, `no` or `off` switches the discovery off."""

MODEL_NAME = "treecut"
MODEL_TARGET = "treecut_tasks.lm_eval_adapter.models:TreecutLM"

_DISTRIBUTION = "treecut-tasks"
_TASKS_GROUP = "lm_eval.tasks"
_MARK = "__extended_by_treecut_tasks__"

_logger = logging.getLogger("treecut_tasks")


def task_configs_path() -> Path:
    """Return the folder with the lm-eval task files.

    An installed package carries it inside (`treecut_tasks/task_configs`); in a checkout it lies
    beside the package.

    Raises:
        FileNotFoundError: Neither folder holds a task file.
    """
    package = Path(__file__).resolve().parent
    candidates = (package / "task_configs", package.parent / "task_configs")
    for folder in candidates:
        if any(folder.glob("treecut*.yaml")):
            return folder
    raise FileNotFoundError(
        "No TreeCut task files (treecut*.yaml) in "
        f"{' or '.join(str(folder) for folder in candidates)}; reinstall {_DISTRIBUTION}."
    )


def is_enabled() -> bool:
    """Tell whether the environment allows the discovery (see `SWITCH`)."""
    return os.environ.get(SWITCH, "").strip().lower() not in {"0", "false", "no", "off"}


def extend(module: ModuleType) -> None:
    """Extend one module of lm-eval that has just been executed; any other is left alone.

    Calling it again is harmless.
    """
    if not is_enabled():
        return
    if module.__name__ == "lm_eval.tasks":
        _extend_task_manager(module.TaskManager)
    elif module.__name__ == "lm_eval.api.registry":
        _extend_get_model(module)


# --- tasks ----------------------------------------------------------------------------------------


def _extend_task_manager(manager: type[Any]) -> None:
    original = manager.__init__
    if hasattr(original, _MARK):
        return
    signature = inspect.signature(original)

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        try:
            arguments = signature.bind(self, *args, **kwargs)
        except TypeError:
            original(self, *args, **kwargs)  # raises the same, in lm-eval's name
            return
        try:
            _add_our_folder(manager, arguments)
        except Exception as error:
            # Whatever is wrong on our side must not keep lm-eval from working.
            _logger.warning("lm-eval will not find the TreeCut tasks by itself: %s", error)
        original(*arguments.args, **arguments.kwargs)

    setattr(__init__, _MARK, True)
    manager.__init__ = __init__


def _add_our_folder(manager: type[Any], arguments: inspect.BoundArguments) -> None:
    """Put our folder before the user's paths in `include_path`, where that is called for."""
    given = arguments.arguments
    if not is_enabled() or not given.get("include_defaults", True):
        return
    ours = task_configs_path()
    theirs = _as_paths(given.get("include_path"))
    if any(_contains(path, ours) for path in theirs) or _lm_eval_finds_them(manager):
        return
    given["include_path"] = [ours, *theirs]


def _as_paths(include_path: Any) -> list[Any]:
    if not include_path:
        return []
    return list(include_path) if isinstance(include_path, (list, tuple)) else [include_path]


def _contains(path: str | Path, folder: Path) -> bool:
    return folder.is_relative_to(Path(path).resolve())


def _lm_eval_finds_them(manager: type[Any]) -> bool:
    """Tell whether this lm-eval gets at TreeCut tasks without us."""
    folder = Path(inspect.getfile(manager)).parent
    if any(folder.glob("treecut*")):
        return True
    return _reads_entry_points(folder) and _offers_tasks_entry_point()


def _reads_entry_points(folder: Path) -> bool:
    return any("entry_points" in path.read_text(encoding="utf-8") for path in folder.glob("*.py"))


def _offers_tasks_entry_point() -> bool:
    from importlib import metadata

    try:
        points = metadata.distribution(_DISTRIBUTION).entry_points
    except metadata.PackageNotFoundError:
        return False
    return any(point.group == _TASKS_GROUP for point in points)


# --- model ----------------------------------------------------------------------------------------


def _extend_get_model(registry: ModuleType) -> None:
    original: Callable[..., Any] = registry.get_model
    if hasattr(original, _MARK):
        return

    @functools.wraps(original)
    def get_model(model_name: str, *args: Any, **kwargs: Any) -> Any:
        if model_name == MODEL_NAME:
            _register_if_unknown(registry, original)
        return original(model_name, *args, **kwargs)

    setattr(get_model, _MARK, True)
    registry.get_model = get_model  # type: ignore[attr-defined]


def _register_if_unknown(registry: ModuleType, original: Callable[..., Any]) -> None:
    """Register our class unless lm-eval finds it, which only asking for it can tell.

    Looking into the registry beforehand would not do: lm-eval fills it on the first request, and
    may read entry points then, which must not meet a second registration of the same name.
    """
    if not is_enabled():
        return
    try:
        original(MODEL_NAME)
    except (KeyError, ValueError):
        try:
            registry.model_registry.register(MODEL_NAME, target=MODEL_TARGET)
        except Exception as error:
            _logger.warning("lm-eval will not find the model %r: %s", MODEL_NAME, error)
