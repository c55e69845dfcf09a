"""lm-eval finds the TreeCut tasks and model by itself, and nothing else changes.

Here a Python starts in a site directory like the one into which the wheel was installed, beside a
stand-in for lm-eval, so that it takes milliseconds; `test_install.py` has the real ones.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from lm_eval.api.instance import Instance

from tests.conftest import REPOSITORY
from treecut_tasks.errors import TreecutError
from treecut_tasks.lm_eval_adapter.models import TreecutLM

ANSWERABLE = (
    "A pie at Bistro Nice costs 2 dollars more than a Cobb salad at Urban Plate. A pie at Urban "
    "Plate costs 5 dollars. A Cobb salad at Bistro Nice costs 8 dollars. 3 Cobb salads at Bistro "
    "Nice and 2 pies at Bistro Nice cost 44 dollars. Question: how much does a pie at Bistro Nice "
    "cost?"
)
UNANSWERABLE = (
    "A BLT sandwich at Taste Good Cuisine and a fruit tart at Taste Good Cuisine cost 28 dollars. "
    "3 fruit tarts at Urban Plate cost 3 dollars more than a BLT sandwich at Taste Good Cuisine. A "
    "BLT sandwich at Urban Plate costs 14 dollars. Question: how much does a fruit tart at Taste "
    "Good Cuisine cost?"
)

LM_EVAL = {
    "__init__": "",
    "api/__init__": "",
    "api/registry": """
        class Registry(dict):
            def register(self, name, target):
                self[name] = target
        model_registry = Registry()
    """,
    "models/__init__": "",
    "tasks/__init__": "from lm_eval.tasks.manager import TaskManager",
    "tasks/manager": """
        class TaskManager:
            def __init__(self, verbosity=None, include_path=None, include_defaults=True):
                self.seen = include_path
    """,
}
SEEN = "from lm_eval.tasks import TaskManager; print(TaskManager({}).seen)"
REGISTERED = "import lm_eval.models; from lm_eval.api.registry import model_registry as r; print(r)"


@dataclass(frozen=True)
class Site:
    """A site directory, and Pythons that start with it alone."""

    folder: Path

    def write(self, name: str, content: str) -> None:
        path = self.folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), encoding="utf-8")

    def run(self, code: str, **environ: str) -> tuple[str, str]:
        """What a Python prints, on stdout and on stderr."""
        start = f"import site; site.addsitedir({str(self.folder)!r})\n"
        ended = subprocess.run(
            [sys.executable, "-S", "-c", start + dedent(code)],
            env={"PYTHONDONTWRITEBYTECODE": "1", **environ},
            cwd=self.folder.parent,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return ended.stdout.strip(), ended.stderr.strip()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    for name, content in LM_EVAL.items():
        site.write(f"lm_eval/{name}", content)
    for name in ("_treecut_tasks_lm_eval.py", "treecut_tasks_lm_eval.pth", "treecut_tasks"):
        (site.folder / name).symlink_to(REPOSITORY / name)
    return site


def test_a_python_that_starts_loads_the_hook_alone(site: Site) -> None:
    code = "import sys; print(*sorted(sys.modules))"
    hooked, _ = site.run(code)
    (site.folder / "treecut_tasks_lm_eval.pth").unlink()
    plain, _ = site.run(code)
    assert {*hooked.split()} - {*plain.split()} == {"_treecut_tasks_lm_eval"}


def test_a_checkout_on_the_path_comes_before_the_installed_package(
    site: Site, tmp_path: Path
) -> None:
    (tmp_path / "checkout" / "treecut_tasks").mkdir(parents=True)
    (tmp_path / "checkout" / "treecut_tasks" / "__init__.py").touch()
    code = (
        "import sys; sys.path.insert(0, 'checkout'); import treecut_tasks as t; print(t.__file__)"
    )
    assert "checkout" in site.run(code)[0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "[OURS]"),
        ("include_path='mine'", "[OURS, 'mine']"),
        ("include_path=['b', 'a']", "[OURS, 'b', 'a']"),
        ("'INFO', ('mine',), True", "[OURS, 'mine']"),
        ("include_path=OURS", "OURS"),
        ("include_defaults=False", "None"),
        ("None, 'mine', False", "mine"),
    ],
)
def test_our_folder_comes_first_so_that_the_users_overrides_it(
    site: Site, arguments: str, expected: str
) -> None:
    ours = REPOSITORY / "task_configs"
    output, error = site.run(SEEN.format(arguments.replace("OURS", repr(str(ours)))))
    assert (output.replace(repr(ours), "OURS").replace(str(ours), "OURS"), error) == (expected, "")


def test_the_model_is_registered_by_name_and_unimported(site: Site) -> None:
    target = "treecut_tasks.lm_eval_adapter.models:TreecutLM"
    assert site.run(REGISTERED) == (str({"treecut": target}), "")


@pytest.mark.parametrize("value", ["0", "false", "No", " off "])
def test_the_switch(site: Site, value: str) -> None:
    assert site.run(SEEN.format(""), TREECUT_LM_EVAL_DISCOVERY=value) == ("None", "")
    assert site.run(REGISTERED, TREECUT_LM_EVAL_DISCOVERY=value) == ("{}", "")


class TestTrouble:
    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("treecut_tasks/__init__", "1 / 0", "division by zero"),
            ("treecut_tasks/__init__", "", "No module named 'treecut_tasks.lm_eval_adapter'"),
            ("lm_eval/tasks/manager", "TaskManager = None", "NoneType"),
        ],
    )
    def test_on_our_side_is_one_line(
        self, site: Site, name: str, content: str, reason: str
    ) -> None:
        if name.startswith("treecut"):
            (site.folder / "treecut_tasks").unlink()
        site.write(name, content)
        output, error = site.run("import lm_eval.tasks; print('imported')")
        assert output == "imported"
        assert error.startswith("lm-eval will not find the TreeCut tasks by itself")
        assert reason in error
        assert len(error.splitlines()) == 1

    def test_no_task_files(self, site: Site) -> None:
        package = site.folder / "treecut_tasks"
        package.unlink()
        # A copy: through a link, the files beside the original would be found.
        for name in ("__init__", "errors", "lm_eval_adapter/__init__", "lm_eval_adapter/discovery"):
            code = (REPOSITORY / "treecut_tasks" / f"{name}.py").read_text(encoding="utf-8")
            site.write(f"treecut_tasks/{name}", code)
        output, error = site.run(SEEN.format(""))
        assert output == "None"
        assert f"no TreeCut task files (treecut*.yaml) in or beside {package}" in error

    def test_in_lm_eval_arrives_unchanged(self, site: Site) -> None:
        site.write("lm_eval/tasks/__init__", "raise RuntimeError('theirs')")
        _, error = site.run("import lm_eval.tasks")
        assert error.endswith("RuntimeError: theirs")
        assert "TreeCut" not in error


class TestModel:
    def answers(self, model: TreecutLM, *prompts: str, **generation: object) -> list[str]:
        return model.generate_until(
            [Instance("generate_until", {}, (p, generation), 0, doc_id=0) for p in prompts]
        )

    def test_policies(self) -> None:
        for policy, expected in (
            ("solver", ["Answer: 10", "Answer: unknown"]),
            ("same_price", ["Answer: 10", "Answer: 14"]),
        ):
            answers = self.answers(TreecutLM(policy=policy), ANSWERABLE, UNANSWERABLE, until=[])
            assert [answer.splitlines()[-1] for answer in answers] == expected

    def test_the_last_problem_of_a_chat_counts(self) -> None:
        model = TreecutLM()
        chat = [("user", ANSWERABLE), ("assistant", "Answer: 10"), ("user", UNANSWERABLE)]
        prompt = model.apply_chat_template([{"role": r, "content": c} for r, c in chat])
        assert self.answers(model, prompt)[0].endswith("Answer: unknown")

    def test_stop_sequences(self) -> None:
        (full,) = self.answers(TreecutLM(), ANSWERABLE, until=["never in the text", ""])
        (cut,) = self.answers(TreecutLM(), ANSWERABLE, until="\nAnswer")
        assert full.startswith(cut)
        assert full[len(cut) :] == "\nAnswer: 10"

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            ("policy=oracle", ["'oracle'", "solver", "guesser", "same_price"]),
            ("polcy=solver", ["'polcy'", "policy", "theme"]),
            ("theme=fod", ["'fod'", "food", "outfit"]),
        ],
    )
    def test_wrong_arguments_fail_before_any_request(
        self, arguments: str, named: list[str]
    ) -> None:
        with pytest.raises(TreecutError) as caught:
            TreecutLM.create_from_arg_string(arguments, {"batch_size": 1, "device": None})
        assert all(name in str(caught.value) for name in named)

    def test_loglikelihood_is_refused(self) -> None:
        for method in (TreecutLM().loglikelihood, TreecutLM().loglikelihood_rolling):
            with pytest.raises(TreecutError, match="only writes answers"):
                method([])
