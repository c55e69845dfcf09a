"""Problem configurations and the package's front door."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import treecut_tasks
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import ProblemConfig
from treecut_tasks.themes import load_theme


def make(**values: Any) -> ProblemConfig:
    return ProblemConfig(**values)


def test_defaults() -> None:
    config = ProblemConfig()
    assert config.as_dict() == {
        "theme": "food",
        "composite_name": True,
        "num_vars": 10,
        "ans_depth": 8,
        "order": "random",
        "unanswerable": True,
        "cut_depth": 4,
        "sampling": "published",
    }


@pytest.mark.parametrize(
    ("ans_depth", "num_vars", "cut_depth"), [(2, 4, 1), (3, 5, 1), (5, 7, 2), (6, 8, 3), (9, 11, 4)]
)
def test_defaults_follow_the_depth(ans_depth: int, num_vars: int, cut_depth: int) -> None:
    config = ProblemConfig(ans_depth=ans_depth)
    assert (config.num_vars, config.cut_depth) == (num_vars, cut_depth)
    assert config.vars == num_vars
    answerable = ProblemConfig(ans_depth=ans_depth, unanswerable=False)
    assert (answerable.num_vars, answerable.cut_depth) == (num_vars, None)
    assert config.answerable() == answerable


def test_order_of_parameters_is_the_documented_one() -> None:
    config = ProblemConfig("outfit", False, 9, 3, "forward", True, 2, "paper")
    assert list(config.as_dict().values()) == ["outfit", False, 9, 3, "forward", True, 2, "paper"]


def test_config_is_frozen_and_hashable() -> None:
    config = ProblemConfig()
    with pytest.raises(FrozenInstanceError):
        config.ans_depth = 4  # type: ignore[misc]
    assert {config: 1}[ProblemConfig(num_vars=10, cut_depth=4)] == 1
    assert config != ProblemConfig(order="forward")


def test_theme_by_name_path_or_value_is_the_same_config(tmp_path: Path) -> None:
    food = load_theme("food")
    source = Path(treecut_tasks.__file__).parent / "themes" / "data" / "food.yaml"
    copy = tmp_path / "mine.yaml"
    copy.write_bytes(source.read_bytes())
    configs = [ProblemConfig(food), ProblemConfig(copy), ProblemConfig(str(copy))]
    assert configs == [ProblemConfig()] * 3
    assert len({*configs, ProblemConfig()}) == 1


def test_smallest_and_largest_configurations() -> None:
    assert ProblemConfig(num_vars=2, ans_depth=2, cut_depth=1).vars == 2
    for theme, items in (("food", 14), ("outfit", 9)):
        assert make(theme=theme, num_vars=2 * items, ans_depth=2 * items).vars == 2 * items
        assert make(theme=theme, composite_name=False, num_vars=items).vars == items


BAD = [
    ({"ans_depth": 1}, "ans_depth is 1: it must be 2 or more"),
    ({"ans_depth": 4.0}, "ans_depth is 4.0: it must be a whole number"),
    ({"ans_depth": "4"}, "ans_depth is '4': it must be a whole number"),
    ({"ans_depth": True}, "ans_depth is True: it must be a whole number"),
    ({"ans_depth": None}, "ans_depth is None"),
    ({"ans_depth": 4, "num_vars": 3}, "num_vars is 3: it must be at least ans_depth, which is 4"),
    ({"num_vars": "ten"}, "num_vars is 'ten': it must be a whole number"),
    ({"cut_depth": 0}, "cut_depth is 0: it must be from 1 to 7"),
    ({"cut_depth": 1.5}, "cut_depth is 1.5: it must be a whole number"),
    ({"ans_depth": 2, "cut_depth": 2}, "cut_depth is 2: it must be from 1 to 1"),
    ({"unanswerable": False, "cut_depth": 3}, "cut_depth is 3 for an answerable problem"),
    ({"unanswerable": "yes"}, "unanswerable is 'yes': it must be true or false"),
    ({"composite_name": 1}, "composite_name is 1: it must be true or false"),
    ({"order": "sideways"}, "order is 'sideways': it must be forward, backward or random"),
    ({"order": None}, "order is None"),
    ({"sampling": "thirds"}, "sampling is 'thirds': it must be published or paper"),
    ({"theme": "fod"}, "Unknown theme 'fod': use food or outfit, or the path"),
    ({"num_vars": 29}, "num_vars is 29, but the theme 'food' can name only 28 variables"),
    (
        {"composite_name": False, "num_vars": 15},
        "can name only 14 variables with simple names: use fewer variables, composite names or",
    ),
    (
        {"theme": "outfit", "num_vars": 19},
        "the theme 'outfit' can name only 18 variables with composite names",
    ),
]


@pytest.mark.parametrize(("values", "message"), BAD, ids=[str(values) for values, _ in BAD])
def test_bad_values_are_refused_in_one_clear_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(TreecutError) as caught:
        make(**values)
    text = str(caught.value)
    assert message in text
    assert text.endswith(".")
    assert "\n" not in text


def test_config_is_the_same_in_another_process() -> None:
    """Worker processes get configurations pickled; equal ones must stay equal as keys, too."""
    config = ProblemConfig()
    assert hash(config.resolved_theme) == hash(load_theme("food"))  # cached now
    program = (
        "import pickle, sys; from treecut_tasks.problems import ProblemConfig\n"
        "config = pickle.loads(sys.stdin.buffer.read())\n"
        "theme = config.resolved_theme\n"
        "fresh = ProblemConfig().resolved_theme\n"
        "print(config == ProblemConfig(), {theme: True}.get(fresh, False))"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=pickle.dumps(config),
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            check=True,
        )
        assert done.stdout.split() == [b"True", b"True"]


# --- The package's front door. ---


def modules_after(statement: str, environment: dict[str, str]) -> set[str]:
    program = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    modules: list[str] = json.loads(done.stdout)
    return set(modules)


FRAMEWORKS = {"inspect_ai", "lm_eval", "datasets"}


def test_importing_the_package_imports_no_framework(treecut_environment: dict[str, str]) -> None:
    modules = modules_after("import treecut_tasks", treecut_environment)
    assert "treecut_tasks" in modules
    assert not modules & {*FRAMEWORKS, "yaml", "click", "treecut_tasks.problems"}


def test_the_core_works_without_a_framework(treecut_environment: dict[str, str]) -> None:
    statement = (
        "import treecut_tasks\n"
        "problem = treecut_tasks.problem_at(treecut_tasks.ProblemConfig(), 0, 0)\n"
        "assert problem.record()\n"
        "assert treecut_tasks.says_unknown('Answer: unknown')\n"
        "import treecut_tasks.reading, treecut_tasks.reference_models.policies\n"
        "import treecut_tasks.evaluation\n"
    )
    assert not modules_after(statement, treecut_environment) & FRAMEWORKS


def test_every_public_name_is_there() -> None:
    for name in treecut_tasks.__all__:
        assert getattr(treecut_tasks, name) is not None
        assert name in dir(treecut_tasks)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = treecut_tasks.no_such_name


def test_errors_are_value_errors() -> None:
    assert issubclass(TreecutError, ValueError)


def test_package_is_marked_as_typed() -> None:
    assert (Path(treecut_tasks.__file__).parent / "py.typed").exists()
