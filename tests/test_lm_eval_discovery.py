"""lm-eval finds the TreeCut tasks and model by itself, and nothing else changes.

Most tests start a Python whose site directory looks like one into which the wheel was installed
(the `.pth` file, the start-up hook, the package with task files inside) and which has a stand-in
for lm-eval with the same public surface, so that they take milliseconds and can play versions of
lm-eval that do not exist yet. The last ones use the real lm-eval.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent

import pytest
from lm_eval.api.instance import Instance

from treecut_tasks._lm_eval_discovery import is_enabled, task_configs_path
from treecut_tasks.errors import TreecutError
from treecut_tasks.lm_eval_adapter.models import TreecutLM

ROOT = Path(__file__).resolve().parents[1]

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

TASKS = """
    class TaskManager:
        def __init__(self, verbosity=None, include_path=None, include_defaults=True, metadata=None):
            self.seen = (verbosity, include_path, include_defaults, metadata)
"""
REGISTRY = """
    class Registry(dict):
        def register(self, name, target=None):
            if name in self:
                raise ValueError("already registered")
            self[name] = target

    model_registry = Registry()

    def get_model(model_name):
        model_registry.setdefault("dummy", "Dummy")
        if model_name not in model_registry:
            raise ValueError(f"no model for this name found: {model_name}")
        return model_registry[model_name]
"""


@dataclass(frozen=True)
class Environment:
    """A site directory, and Pythons that start with it.

    A bare one starts without the site directories of the Python that runs the tests, where this
    package may be installed, hook and all.
    """

    site: Path
    bare: bool = False

    @property
    def task_configs(self) -> Path:
        return self.site / "treecut_tasks" / "task_configs"

    def write(self, name: str, content: str) -> Path:
        path = self.site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content), encoding="utf-8")
        return path

    def run(self, code: str, **environ: str) -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TREECUT"))}
        # What a Python with site directories does by itself.
        start = "import sitecustomize\n" if self.bare else ""
        return subprocess.run(
            [sys.executable, *(["-S"] if self.bare else []), "-c", start + dedent(code)],
            env={**clean, "PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1", **environ},
            cwd=self.site.parent,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )

    def output(self, code: str, **environ: str) -> str:
        """Return what the code prints; it may print nothing on stderr."""
        result = self.run(code, **environ)
        assert (result.returncode, result.stderr) == (0, ""), result.stderr
        return result.stdout.strip()


@pytest.fixture
def installed(tmp_path: Path) -> Environment:
    """What the wheel puts into a site directory."""
    environment = Environment(tmp_path / "site")
    shutil.copytree(
        ROOT / "treecut_tasks",
        environment.site / "treecut_tasks",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name in ("_treecut_tasks_lm_eval.py", "treecut_tasks_lm_eval.pth"):
        shutil.copy(ROOT / name, environment.site)
    environment.write("treecut_tasks/task_configs/treecut_scratch.yaml", "task: treecut_scratch\n")
    # PYTHONPATH folders are no site directories: their .pth files need this to be read.
    environment.write(
        "sitecustomize.py", f"import site\nsite.addsitedir({str(environment.site)!r})\n"
    )
    return environment


@pytest.fixture
def env(installed: Environment) -> Environment:
    """The wheel beside a stand-in for lm-eval."""
    installed.write("lm_eval/__init__.py", "")
    installed.write("lm_eval/api/__init__.py", "")
    installed.write("lm_eval/api/registry.py", REGISTRY)
    installed.write("lm_eval/tasks/__init__.py", "from lm_eval.tasks.manager import TaskManager\n")
    installed.write("lm_eval/tasks/manager.py", TASKS)
    return replace(installed, bare=True)


def seen(environment: Environment, arguments: str, **environ: str) -> str:
    """Return the arguments that reach lm-eval's TaskManager, our folder written as OURS."""
    printed = environment.output(
        f"from lm_eval.tasks import TaskManager; print(TaskManager({arguments}).seen)", **environ
    )
    return printed.replace(repr(environment.task_configs), "OURS")


class TestStart:
    def test_a_python_that_starts_loads_the_hook_alone(self, env: Environment) -> None:
        hooked = env.output("import sys; print(*sorted(sys.modules))").split()
        (env.site / "treecut_tasks_lm_eval.pth").unlink()
        plain = env.output("import sys; print(*sorted(sys.modules))").split()
        assert set(hooked) - set(plain) == {"_treecut_tasks_lm_eval"}

    def test_a_checkout_on_the_path_comes_before_the_installed_package(
        self, env: Environment, tmp_path: Path
    ) -> None:
        checkout = tmp_path / "checkout"
        shutil.copytree(env.site / "treecut_tasks", checkout / "treecut_tasks")
        code = f"import sys; sys.path.insert(0, {str(checkout)!r}); import treecut_tasks; "
        printed = env.output(code + "print(treecut_tasks.__file__)")
        assert Path(printed).is_relative_to(checkout)

    def test_installing_twice_changes_nothing(self, env: Environment) -> None:
        code = """
            import importlib, sys
            import _treecut_tasks_lm_eval as hook
            before = len(sys.meta_path)
            hook.install()
            importlib.reload(hook)
            from lm_eval.tasks import TaskManager
            once = TaskManager.__init__
            hook.install()
            print(before == len(sys.meta_path), once is TaskManager.__init__)
        """
        assert env.output(code) == "True True"


class TestTasks:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ("", "(None, [OURS], True, None)"),
            ("include_path='mine'", "(None, [OURS, 'mine'], True, None)"),
            ("include_path=['b', 'a']", "(None, [OURS, 'b', 'a'], True, None)"),
            ("include_path=('b',)", "(None, [OURS, 'b'], True, None)"),
            ("'INFO', 'mine', True, {}", "('INFO', [OURS, 'mine'], True, {})"),
            ("metadata={'seed': 7}", "(None, [OURS], True, {'seed': 7})"),
        ],
    )
    def test_our_folder_comes_first_so_that_the_users_overrides_it(
        self, env: Environment, arguments: str, expected: str
    ) -> None:
        assert seen(env, arguments) == expected

    def test_without_defaults_only_what_the_user_names(self, env: Environment) -> None:
        assert seen(env, "include_defaults=False") == "(None, None, False, None)"
        assert seen(env, "None, 'mine', False") == "(None, 'mine', False, None)"

    def test_a_folder_that_the_user_names_himself_is_not_read_twice(self, env: Environment) -> None:
        assert seen(env, f"include_path={str(env.task_configs)!r}").count("task_configs") == 1
        assert seen(env, "include_path='site'") == "(None, 'site', True, None)"

    @pytest.mark.parametrize("value", ["0", "false", "No", " off "])
    def test_the_switch(self, env: Environment, value: str) -> None:
        assert seen(env, "", TREECUT_LM_EVAL_DISCOVERY=value) == "(None, None, True, None)"

    def test_the_switch_holds_when_python_code_sets_it(self, env: Environment) -> None:
        code = """
            import os
            from lm_eval.api.registry import get_model
            from lm_eval.tasks import TaskManager
            os.environ["TREECUT_LM_EVAL_DISCOVERY"] = "0"
            print(TaskManager().seen)
            try:
                get_model("treecut")
            except ValueError as error:
                print(error)
        """
        assert env.output(code).splitlines() == [
            "(None, None, True, None)",
            "no model for this name found: treecut",
        ]

    @pytest.mark.parametrize("value", ["1", "", "on"])
    def test_other_values_leave_it_on(self, env: Environment, value: str) -> None:
        assert seen(env, "", TREECUT_LM_EVAL_DISCOVERY=value) == "(None, [OURS], True, None)"

    def test_wrong_arguments_are_reported_by_lm_eval(self, env: Environment) -> None:
        result = env.run("from lm_eval.tasks import TaskManager; TaskManager(inclde_path='x')")
        assert result.stderr.strip().endswith("unexpected keyword argument 'inclde_path'")
        assert "TreeCut" not in result.stderr

    def test_subclasses_and_introspection(self, env: Environment) -> None:
        code = """
            import inspect
            from lm_eval.tasks import TaskManager
            class Mine(TaskManager):
                def __init__(self):
                    super().__init__(include_path="mine")
            print(len(Mine().seen[1]), list(inspect.signature(TaskManager).parameters))
        """
        assert env.output(code) == "2 ['verbosity', 'include_path', 'include_defaults', 'metadata']"

    def test_stands_aside_when_lm_eval_ships_the_tasks(self, env: Environment) -> None:
        env.write("lm_eval/tasks/treecut/treecut.yaml", "task: treecut_depth8\n")
        assert seen(env, "") == "(None, None, True, None)"

    @pytest.mark.parametrize(("offered", "expected"), [(True, "None"), (False, "[OURS]")])
    def test_stands_aside_when_lm_eval_reads_an_entry_point_of_ours(
        self, env: Environment, offered: bool, expected: str
    ) -> None:
        env.write(
            "lm_eval/tasks/manager.py", "    from importlib.metadata import entry_points" + TASKS
        )
        env.write(
            "treecut_tasks-9.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: treecut-tasks\nVersion: 9\n",
        )
        if offered:
            env.write(
                "treecut_tasks-9.dist-info/entry_points.txt",
                "[lm_eval.tasks]\ntreecut = treecut_tasks:x\n",
            )
        assert seen(env, "") == f"(None, {expected}, True, None)"


class TestNothingBreaks:
    def check_one_line(self, env: Environment, reason: str) -> None:
        result = env.run("from lm_eval.tasks import TaskManager; print(TaskManager().seen)")
        assert (result.returncode, result.stdout) == (0, "(None, None, True, None)\n")
        assert result.stderr.startswith("lm-eval will not find the TreeCut tasks by itself")
        assert reason in result.stderr
        assert len(result.stderr.splitlines()) == 1

    def test_task_files_missing(self, env: Environment) -> None:
        shutil.rmtree(env.task_configs)
        self.check_one_line(env, "No TreeCut task files")

    def test_package_gone(self, env: Environment) -> None:
        shutil.rmtree(env.site / "treecut_tasks")
        self.check_one_line(env, "No module named 'treecut_tasks'")

    def test_package_broken(self, env: Environment) -> None:
        env.write("treecut_tasks/_lm_eval_discovery.py", "1 / 0\n")
        self.check_one_line(env, "division by zero")

    def test_task_manager_gone(self, env: Environment) -> None:
        env.write("lm_eval/tasks/__init__.py", "")
        result = env.run("import lm_eval.tasks; print('imported')")
        assert result.stdout == "imported\n"
        assert len(result.stderr.splitlines()) == 1

    def test_warnings_as_errors(self, env: Environment) -> None:
        shutil.rmtree(env.task_configs)
        result = env.run(
            "from lm_eval.tasks import TaskManager; print(TaskManager().seen)",
            PYTHONWARNINGS="error",
        )
        assert result.returncode == 0, result.stderr

    def test_an_error_in_lm_eval_itself_arrives_unchanged(self, env: Environment) -> None:
        env.write("lm_eval/tasks/__init__.py", "raise RuntimeError('theirs')\n")
        result = env.run("import lm_eval.tasks")
        assert result.stderr.strip().endswith("RuntimeError: theirs")
        assert "TreeCut" not in result.stderr

    def test_no_lm_eval(self, installed: Environment) -> None:
        code = "import importlib.util as u; print(u.find_spec('_lm_eval_is_not_here'))"
        assert installed.output(code) == "None"


class TestImportSystem:
    def test_find_spec_and_sources(self, env: Environment) -> None:
        code = """
            import importlib.util, inspect, pickle
            spec = importlib.util.find_spec("lm_eval.tasks")
            import sys
            print("lm_eval.tasks" in sys.modules, type(spec.loader).__name__, spec.origin[-11:])
            import lm_eval.tasks
            loader = lm_eval.tasks.__loader__
            print(vars(pickle.loads(pickle.dumps(loader))) == vars(loader))
            print(importlib.util.find_spec("lm_eval.tasks.manager").name)
            print("import TaskManager" in inspect.getsource(lm_eval.tasks))
        """
        assert env.output(code).splitlines() == [
            "False SourceFileLoader __init__.py",
            "True",
            "lm_eval.tasks.manager",
            "True",
        ]

    def test_reload(self, env: Environment) -> None:
        code = """
            import importlib, lm_eval.tasks, lm_eval.tasks.manager
            importlib.reload(lm_eval.tasks.manager)
            importlib.reload(lm_eval.tasks)
            importlib.reload(lm_eval.tasks)
            print(len(lm_eval.tasks.TaskManager().seen[1]))
        """
        assert env.output(code) == "1"

    def test_imported_before_the_hook(self, env: Environment) -> None:
        (env.site / "treecut_tasks_lm_eval.pth").unlink()
        code = """
            import lm_eval.api.registry
            from lm_eval.tasks import TaskManager
            import _treecut_tasks_lm_eval
            print(len(TaskManager().seen[1]), lm_eval.api.registry.get_model("treecut"))
        """
        assert env.output(code) == "1 treecut_tasks.lm_eval_adapter.models:TreecutLM"

    def test_found_by_somebody_elses_finder(self, env: Environment, tmp_path: Path) -> None:
        elsewhere = tmp_path / "elsewhere"
        shutil.move(env.site / "lm_eval", elsewhere)
        code = f"""
            import sys
            from importlib.util import spec_from_file_location
            class Editable:
                @staticmethod
                def find_spec(name, path=None, target=None):
                    if name == "lm_eval":
                        folder = {str(elsewhere)!r}
                        return spec_from_file_location(
                            name, folder + "/__init__.py", submodule_search_locations=[folder]
                        )
            sys.meta_path.insert(0, Editable)
            from lm_eval.tasks import TaskManager
            print(len(TaskManager().seen[1]), sys.modules["lm_eval"].__path__)
        """
        assert env.output(code) == f"1 {[str(elsewhere)]}"

    @pytest.mark.parametrize("position", [0, 99])
    def test_beside_a_hook_that_asks_all_finders(self, env: Environment, position: int) -> None:
        code = f"""
            import sys
            class Asking:
                def find_spec(self, name, path=None, target=None):
                    others = [finder for finder in sys.meta_path if finder is not self]
                    specs = (finder.find_spec(name, path, target) for finder in others)
                    return next((spec for spec in specs if spec), None)
            sys.meta_path.insert({position}, Asking())
            from lm_eval.tasks import TaskManager
            print(len(TaskManager().seen[1]))
        """
        assert env.output(code) == "1"

    def test_spawned_processes(self, env: Environment) -> None:
        env.write(
            "work.py",
            """
            from lm_eval.api.registry import get_model
            from lm_eval.tasks import TaskManager

            def count(manager, get):
                return len(manager.seen[1]), len(TaskManager().seen[1]), get is get_model
            """,
        )
        code = """
            import multiprocessing, work
            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(*pool.apply(work.count, (work.TaskManager(), work.get_model)))
        """
        # Spawned processes start as their parent does, but without its first line.
        assert replace(env, bare=False).output(code) == "1 1 True"


class TestModelName:
    GET = "from lm_eval.api.registry import get_model, model_registry as r; "

    def test_lm_eval_gets_our_class_by_name(self, env: Environment) -> None:
        code = self.GET + "import sys; print(get_model('treecut'), len(r), get_model('treecut'))"
        target = "treecut_tasks.lm_eval_adapter.models:TreecutLM"
        assert env.output(code) == f"{target} 2 {target}"

    def test_nothing_is_registered_until_somebody_asks(self, env: Environment) -> None:
        assert env.output(self.GET + "print(len(r), get_model('dummy'), *r)") == "0 Dummy dummy"

    def test_stands_aside_when_lm_eval_knows_the_name(self, env: Environment) -> None:
        code = self.GET + "r.register('treecut', 'theirs'); print(get_model('treecut'))"
        assert env.output(code) == "theirs"

    def test_other_names_fail_as_before(self, env: Environment) -> None:
        result = env.run(self.GET + "get_model('treecutt')")
        assert result.stderr.strip().endswith("no model for this name found: treecutt")

    def test_the_switch(self, env: Environment) -> None:
        result = env.run(self.GET + "get_model('treecut')", TREECUT_LM_EVAL_DISCOVERY="0")
        assert result.stderr.strip().endswith("no model for this name found: treecut")

    def test_a_registry_that_refuses(self, env: Environment) -> None:
        env.write("lm_eval/api/registry.py", REGISTRY + "\n    del Registry.register\n")
        result = env.run(self.GET + "get_model('treecut')")
        assert result.stderr.startswith("lm-eval will not find the model 'treecut'")
        assert result.stderr.strip().endswith("no model for this name found: treecut")


class TestModel:
    def answers(self, model: TreecutLM, *prompts: str, **generation: object) -> list[str]:
        return model.generate_until(
            [
                Instance("generate_until", {}, (prompt, dict(generation)), index)
                for index, prompt in enumerate(prompts)
            ]
        )

    def last_lines(self, model: TreecutLM, *prompts: str) -> list[str]:
        return [answer.splitlines()[-1] for answer in self.answers(model, *prompts, until=[])]

    def test_solver(self) -> None:
        answers = self.last_lines(TreecutLM(policy="solver"), ANSWERABLE, UNANSWERABLE)
        assert answers == ["Answer: 10", "Answer: unknown"]

    def test_guesser_never_abstains(self) -> None:
        answers = self.last_lines(TreecutLM(policy="guesser"), ANSWERABLE, UNANSWERABLE)
        assert all(answer.removeprefix("Answer: ").isdigit() for answer in answers)

    def test_the_last_problem_of_a_chat_counts(self) -> None:
        model = TreecutLM()
        prompt = model.apply_chat_template(
            [
                {"role": "system", "content": "Think step by step."},
                {"role": "user", "content": ANSWERABLE},
                {"role": "assistant", "content": "Answer: 10"},
                {"role": "user", "content": UNANSWERABLE},
            ],
            add_generation_prompt=True,
        )
        assert isinstance(prompt, str)
        assert self.last_lines(model, prompt) == ["Answer: unknown"]

    def test_stop_sequences(self) -> None:
        model = TreecutLM()
        (full,) = self.answers(model, ANSWERABLE, until=["never in the text", ""])
        (cut,) = self.answers(model, ANSWERABLE, until=["10", "\nAnswer"])
        (single,) = self.answers(model, ANSWERABLE, until="\nAnswer")
        assert full == self.answers(model, ANSWERABLE)[0]
        assert full.startswith(cut)
        assert "10" not in cut
        assert "Answer" not in cut
        assert "Answer" not in single

    def test_own_theme(self, tmp_path: Path) -> None:
        food = ROOT / "treecut_tasks" / "themes" / "data" / "food.yaml"
        content = food.read_text(encoding="utf-8").replace("Bistro Nice", "Bistro Fine")
        theme = tmp_path / "fine.yaml"
        theme.write_text(content, encoding="utf-8")
        prompt = ANSWERABLE.replace("Bistro Nice", "Bistro Fine")
        assert self.last_lines(TreecutLM(theme=str(theme)), prompt) == ["Answer: 10"]
        with pytest.raises(TreecutError):
            self.answers(TreecutLM(), prompt)

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

    def test_what_lm_eval_passes_to_every_model_is_accepted(self) -> None:
        model = TreecutLM.create_from_arg_obj(
            {"policy": "guesser"}, {"batch_size": 1, "max_batch_size": 4, "device": "cpu"}
        )
        assert model.policy == "guesser"
        assert model.tokenizer_name

    def test_loglikelihood_is_refused(self) -> None:
        for method in (TreecutLM().loglikelihood, TreecutLM().loglikelihood_rolling):
            with pytest.raises(TreecutError, match="only writes answers"):
                method([])


class TestTaskConfigsPath:
    def test_of_this_checkout(self) -> None:
        assert task_configs_path() == ROOT / "task_configs"

    def test_of_an_installed_package(self, env: Environment) -> None:
        code = "from treecut_tasks import _lm_eval_discovery as d; print(d.task_configs_path())"
        assert env.output(code) == str(env.task_configs)

    def test_a_foreign_folder_of_that_name_is_not_ours(self, env: Environment) -> None:
        shutil.rmtree(env.task_configs)
        env.write("task_configs/other.yaml", "task: other\n")
        code = "from treecut_tasks import _lm_eval_discovery as d; d.task_configs_path()"
        assert "FileNotFoundError: No TreeCut task files" in env.run(code).stderr

    def test_switch_is_read_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TREECUT_LM_EVAL_DISCOVERY", raising=False)
        assert is_enabled()
        monkeypatch.setenv("TREECUT_LM_EVAL_DISCOVERY", "0")
        assert not is_enabled()


SCRATCH_TASK = """
    task: treecut_scratch
    output_type: generate_until
    custom_dataset: !function scratch.make
    test_split: test
    doc_to_text: problem
    doc_to_target: answer
    process_results: !function scratch.results
    generation_kwargs: {until: []}
    metric_list:
      - {metric: right, aggregation: mean, higher_is_better: true}
    metadata: {version: 1.0}
"""
SCRATCH_CODE = f"""
    from datasets import Dataset

    ROWS = [
        {{"problem": {ANSWERABLE!r}, "answer": "10"}},
        {{"problem": {UNANSWERABLE!r}, "answer": "unknown"}},
    ]

    def make(**metadata):
        return {{"test": Dataset.from_list(ROWS)}}

    def results(doc, responses):
        return {{"right": float(responses[0].endswith("Answer: " + doc["answer"]))}}
"""


class TestRealLmEval:
    """With lm-eval as installed here; each start takes it some seconds."""

    LM_EVAL = "from lm_eval.__main__ import cli_evaluate; cli_evaluate()"

    def lm_eval(self, env: Environment, *arguments: str) -> subprocess.CompletedProcess[str]:
        env.write("treecut_tasks/task_configs/treecut_scratch.yaml", SCRATCH_TASK)
        env.write("treecut_tasks/task_configs/scratch.py", SCRATCH_CODE)
        code = f"import sys; sys.argv = ['lm_eval', *{arguments!r}]; {self.LM_EVAL}"
        return env.run(code, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")

    @pytest.mark.parametrize("flags", [(), ("--apply_chat_template",)])
    def test_task_and_model_from_the_command_line(
        self, installed: Environment, flags: tuple[str, ...]
    ) -> None:
        result = self.lm_eval(
            installed,
            *("--model", "treecut", "--model_args", "policy=solver"),
            *("--tasks", "treecut_scratch", *flags),
        )
        assert result.returncode == 0, result.stderr
        (row,) = [line for line in result.stdout.splitlines() if "treecut_scratch" in line]
        columns = [column.strip() for column in row.split("|")]
        assert columns[5] == "right"
        assert float(columns[7]) == 1.0

    def test_a_wrong_policy_is_one_clear_error(self, installed: Environment) -> None:
        result = self.lm_eval(
            installed,
            *("--model", "treecut", "--model_args", "policy=oracle"),
            *("--tasks", "treecut_scratch"),
        )
        assert result.returncode != 0
        assert "TreecutError: Unknown policy 'oracle'" in result.stderr.splitlines()[-1]

    def test_names_overridden_by_the_user_and_switched_off(self, installed: Environment) -> None:
        code = """
            import os
            from pathlib import Path
            from lm_eval.tasks import TaskManager
            mine = Path("mine"); mine.mkdir()
            (mine / "a.yaml").write_text("task: treecut_scratch", encoding="utf-8")
            index = TaskManager(include_path="mine").task_index
            print(index["treecut_scratch"].yaml_path, "gsm8k" in index)
            os.environ["TREECUT_LM_EVAL_DISCOVERY"] = "0"
            print("treecut_scratch" in TaskManager().all_tasks)
        """
        result = installed.run(code)
        assert result.stdout.split() == [str(Path("mine/a.yaml")), "True", "False"]
        assert "overrides existing task" in result.stderr
