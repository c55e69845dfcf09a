"""The lm-eval tasks: names, groups, metrics, parameters, few-shot prompts, bad input, commands."""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.framework_runs import (
    DEPTHS,
    ROOT,
    LmEvalRun,
    command,
    lm_eval_run,
    task_manager,
)
from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import ANSWERABLE, PAIRED, UNANSWERABLE, TaskParameters, build_items
from treecut_tasks.evaluation.prompts import COT_SYSTEM_MESSAGE, SHOT_SEPARATOR
from treecut_tasks.lm_eval_adapter.discovery import task_configs_path
from treecut_tasks.lm_eval_adapter.models import TreecutLM

KINDS = {"treecut": UNANSWERABLE, "treecut_answerable": ANSWERABLE, "treecut_paired": PAIRED}
NAMES = sorted(
    [f"{group}_depth{depth}" for group in KINDS for depth in DEPTHS]
    + [f"treecut_depth{depth}_fewshot" for depth in DEPTHS]
)
GROUPS = [*KINDS, "treecut_fewshot", "treecut_structure", "treecut_cut_location"]

OPEN = {
    "problem": "A pie costs 3 dollars. Question: how much does a burger cost?",
    "answer": "unknown",
}


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)


def yaml_of(name: str) -> dict[str, Any]:
    """A file of ours, its functions read as their names."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: node.value)
    text = (task_configs_path() / name).read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=Loader)
    return data


def all_names() -> list[str]:
    """Every task and group that a file of ours defines."""
    files = [yaml_of(path.name) for path in sorted(task_configs_path().glob("*.yaml"))]
    return [data.get("task") if "group" not in data else data["group"] for data in files]  # type: ignore[misc]


def run(tasks: Any, policy: str = "solver", **settings: Any) -> LmEvalRun:
    metadata = {"num_problems": 2, **settings.pop("metadata", {})}
    return lm_eval_run(tasks, model_args={"policy": policy}, metadata=metadata, **settings)


class ChatRecorder(TreecutLM):
    """A reference model that remembers the conversations that lm-eval renders for it."""

    def __init__(self) -> None:
        super().__init__(policy="solver")
        self.conversations: list[list[dict[str, str]]] = []

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        self.conversations.append([dict(message) for message in chat_history])
        return super().apply_chat_template(chat_history, add_generation_prompt)


class TestNames:
    def test_every_promised_task_and_group_has_a_file(self) -> None:
        assert {*NAMES, *GROUPS} <= set(all_names())

    @pytest.mark.parametrize("name", sorted(all_names()))
    def test_every_name_loads(self, name: str) -> None:
        # A broken file is skipped at debug level, so nothing but this would notice.
        loaded = task_manager(treecut={"num_problems": 1}).load([name])
        assert loaded["tasks"]
        assert name in loaded["tasks"] or name in loaded["groups"]

    @pytest.mark.parametrize("group", GROUPS)
    def test_groups_have_every_metric_that_they_list(self, group: str) -> None:
        settings = yaml_of(f"{group}.yaml")
        names = [entry["metric"] for entry in settings["aggregate_metric_list"]]
        results = run(group, metadata={"num_problems": 1, "fewshot_examples": "shared"})
        values = results.values(group)
        # A misspelt metric would print an empty group without a warning.
        assert set(names) <= values.keys()
        # From 0.5 on lm-eval calls them `group::task`.
        served = [name.split("::")[-1] for name in results.results["group_subtasks"][group]]
        assert served == settings["task"]
        headline = {
            "treecut_answerable": "accuracy",
            "treecut_paired": "pair_solved_rate",
        }.get(group, "paper_hallucination_rate")
        assert names[0] == headline

    @pytest.mark.parametrize("group", KINDS)
    def test_every_metric_for_every_problem(self, group: str) -> None:
        name = f"{group}_depth2"
        metrics = [entry["metric"] for entry in yaml_of(f"_{KINDS[group].kind}")["metric_list"]]
        results = run(name, policy="guesser", metadata={"num_problems": 5})
        samples = results.samples(name)
        assert len(samples) == 5
        for sample in samples:
            assert all(isinstance(sample[metric], float) for metric in metrics)
        assert results.values(name).keys() >= set(metrics)


class TestProblems:
    @pytest.mark.parametrize("group", KINDS)
    def test_they_are_those_of_the_core_with_the_same_parameters(self, group: str) -> None:
        parameters = {"seed": 5, "theme": "outfit", "order": "forward", "num_problems": 3}
        name = f"{group}_depth4"
        samples = run(name, metadata=parameters).samples(name)
        items = build_items(TaskParameters.parse({"ans_depth": 4, **parameters}), KINDS[group])
        names = ["id", "counterpart_id"] if group == "treecut_paired" else ["id"]
        served = [sample["doc"][name] for sample in samples for name in names]
        assert served == [item.id for item in items.items]

    def test_a_sample_says_where_it_comes_from(self) -> None:
        (sample, _) = run("treecut_depth8", metadata={"seed": 3}).samples("treecut_depth8")
        origin = json.loads(sample["doc"]["metadata"])
        assert (origin["ans_depth"], origin["seed"], origin["index"]) == (8, 3, 0)

    def test_without_parameters_it_is_the_papers_set_up(self) -> None:
        loaded = task_manager().load(["treecut_depth8"])["tasks"]["treecut_depth8"]
        assert len(loaded.test_docs()) == 500
        origin = json.loads(loaded.test_docs()[0]["metadata"])
        assert (origin["num_vars"], origin["cut_depth"], origin["theme"]) == (10, 4, "food")

    def test_authors_file(self, shared_dir: Path) -> None:
        (path,) = (shared_dir / "reference" / "published").glob("*ansDepth-2*hallu-True*")
        metadata = {"data_file": str(path)}
        results = lm_eval_run(
            "treecut_depth2", model_args={"policy": "solver"}, metadata=metadata, limit=10
        )
        assert results.values("treecut_depth2")["hallucination_rate"] == 0
        first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        assert first["problem"] in results.prompts("treecut_depth2")[0]
        examples = lm_eval_run(
            "treecut_depth2_fewshot", model_args={"policy": "solver"}, metadata=metadata, limit=2
        )
        assert examples.prompts("treecut_depth2_fewshot")[0].count(SHOT_SEPARATOR) == 6


class TestFewshot:
    def test_number_of_examples_is_in_the_table(self) -> None:
        results = run(["treecut_depth2", "treecut_depth4_fewshot"], metadata={"num_problems": 1})
        assert results.results["n-shot"] == {"treecut_depth2": 0, "treecut_depth4_fewshot": 6}
        results = run("treecut_paired_depth2", num_fewshot=2)
        assert results.results["n-shot"] == {"treecut_paired_depth2": 2}

    def test_num_fewshot_on_a_zero_shot_task_gives_the_same_prompts(self) -> None:
        asked = run("treecut_depth4", num_fewshot=6).prompts("treecut_depth4")
        built_in = run("treecut_depth4_fewshot").prompts("treecut_depth4_fewshot")
        assert asked == built_in
        assert len(set(asked)) == 2
        zero = run("treecut_depth4_fewshot", num_fewshot=0).prompts("treecut_depth4_fewshot")
        assert zero == run("treecut_depth4").prompts("treecut_depth4")

    @pytest.mark.parametrize("multiturn", [False, True])
    @pytest.mark.parametrize("name", ["treecut_depth2_fewshot", "treecut_depth2"])
    def test_chat_template(self, name: str, multiturn: bool) -> None:
        model = ChatRecorder()
        metadata = {"num_problems": 2}
        results = lm_eval_run(
            name,
            model=model,
            metadata=metadata,
            apply_chat_template=True,
            fewshot_as_multiturn=multiturn,
        )
        assert results.values(name)["hallucination_rate"] == 0
        turns = ["user", "assistant"] * 6 if multiturn and name.endswith("fewshot") else []
        for conversation in model.conversations:
            assert [message["role"] for message in conversation] == ["system", *turns, "user"]
            assert conversation[0]["content"] == COT_SYSTEM_MESSAGE
            answers = Counter(
                message["content"].rpartition("\n")[2] == "Answer: unknown"
                for message in conversation
                if message["role"] == "assistant"
            )
            assert answers == (Counter({True: 3, False: 3}) if turns else Counter())
        assert len(model.conversations) >= 2

    def test_plain_text(self) -> None:
        (prompt, _) = run("treecut_depth2").prompts("treecut_depth2")
        assert prompt.startswith(f"{COT_SYSTEM_MESSAGE}\n\nSolve the following")
        metadata = {"system_message": "none"}
        (bare, _) = run("treecut_depth2", metadata=metadata).prompts("treecut_depth2")
        assert prompt == f"{COT_SYSTEM_MESSAGE}\n\n{bare}"


class TestBadInput:
    """One clear error before anything is generated."""

    @pytest.mark.parametrize(
        ("task", "metadata", "message"),
        [
            (
                "treecut_depth8",
                {"seeed": 1},
                "Unknown parameter 'seeed': the parameters of this task are num_vars, cut_depth,",
            ),
            (
                "treecut_structure_depth4_path_simple",
                {"seeed": 1},
                "Unknown parameter 'seeed': the parameters of this task are order,",
            ),
            ("treecut_depth8", {"n": 1}, "Unknown parameter 'n'"),
            ("treecut_depth8", {"counterpart": "full"}, "Unknown parameter 'counterpart'"),
            ("treecut_depth8", {"of_task": 5}, "Unknown parameter 'of_task'"),
            (
                "treecut_structure_depth4_path_simple",
                {"cut_depth": 1},
                "is the one for cut_depth 2",
            ),
            ("treecut_depth8", {"fewshot": 6}, "use --num_fewshot"),
            ("treecut_depth8", {"fewshot_format": "turns"}, "use --fewshot_as_multiturn"),
            ("treecut_depth8", {"ans_depth": 4}, "this task is the one for ans_depth 8"),
            ("treecut_depth2", {"cut_depth": 2}, "cut_depth is 2: it must be from 1 to 1"),
            ("treecut_depth2", {"num_problems": 0}, "num_problems is 0"),
            (
                "treecut_paired_depth2",
                {"counterpart": "matched", "num_vars": 4},
                "no matched counterpart",
            ),
            ("treecut_depth2", {"data_file": "no/such.jsonl"}, "together with data_file"),
        ],
        ids=str,
    )
    def test_parameters(self, task: str, metadata: dict[str, Any], message: str) -> None:
        with pytest.raises(TreecutError) as error:
            run(task, metadata=metadata)
        assert message in str(error.value)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize("num_fewshot", [1, 5])
    def test_number_of_examples(self, num_fewshot: int) -> None:
        with pytest.raises(TreecutError, match=f"fewshot is {num_fewshot}: it must be an even"):
            run("treecut_depth2", num_fewshot=num_fewshot)

    def test_the_depth_of_the_task_may_be_repeated(self) -> None:
        results = run("treecut_depth4", metadata={"ans_depth": 4})
        assert len(results.samples("treecut_depth4")) == 2

    def test_arguments_of_models_are_no_parameters(self) -> None:
        heap = {"num_concurrent": 4, "model": "mine", "max_length": 100, "seed": 7, "of_task": 5}
        manager = task_manager(**heap, treecut={"num_problems": 1})
        loaded = manager.load(["treecut_depth2"])["tasks"]["treecut_depth2"]
        (doc,) = loaded.test_docs()
        assert json.loads(doc["metadata"])["seed"] == 42

    @pytest.mark.parametrize("metadata", [{"num_problems": 1}, {"treecut": 5}], ids=str)
    def test_parameters_stand_under_our_key(self, metadata: dict[str, Any]) -> None:
        with pytest.raises(TreecutError, match=r'--metadata \'\{"treecut": \{"num_problems": '):
            task_manager(**metadata).load(["treecut_depth2"])

    def test_our_key_is_written_in_small_letters(self) -> None:
        with pytest.raises(TreecutError, match=r"The key 'Treecut' .*: write it 'treecut'"):
            task_manager(Treecut={"num_problems": 1}).load(["treecut_depth2"])

    def test_fewshot_with_a_data_file_without_solutions(self, tmp_path: Path) -> None:
        path = tmp_path / "open.jsonl"
        path.write_text(json.dumps(OPEN), encoding="utf-8")
        metadata = {"data_file": str(path)}
        model_args = {"policy": "solver"}
        with pytest.raises(TreecutError, match=r"'no/such\.jsonl' cannot be read"):
            lm_eval_run("treecut_depth2", metadata={"data_file": "no/such.jsonl"})
        with pytest.raises(TreecutError, match=r"open\.jsonl:1 has no worked solution"):
            lm_eval_run("treecut_depth2", model_args=model_args, metadata=metadata, num_fewshot=6)
        results = lm_eval_run("treecut_depth2", model_args=model_args, metadata=metadata)
        assert results.values("treecut_depth2")["hallucination_rate"] == 0


class TestConfigFiles:
    FOLDER = ROOT / "treecut_tasks" / "run_configs" / "lm-eval"

    @pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
    def test_every_file_names_tasks_and_their_parameters(self, path: Path) -> None:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert settings["apply_chat_template"] is True
        metadata = {**settings["metadata"]["treecut"], "num_problems": 1}
        assert task_manager(treecut=metadata).load(settings["tasks"])["tasks"]
        generate = settings["gen_kwargs"]
        if path.stem.endswith("-o3-mini"):
            assert generate == {"max_gen_toks": 32000, "reasoning_effort": "high"}
            assert metadata["system_message"] == "none"
        else:
            assert generate == {"max_gen_toks": 4000, "temperature": 0}
            assert metadata["system_message"] == "cot"

    def test_the_same_tables_as_for_inspect(self) -> None:
        inspect = ROOT / "treecut_tasks" / "run_configs" / "inspect"
        names = {path.stem for path in self.FOLDER.glob("*.yaml")}
        assert names == {path.stem for path in inspect.glob("*.yaml")}


def test_bad_input_ends_the_command_line_with_one_clear_sentence(tmp_path: Path) -> None:
    result = command(
        "lm_eval", "--model", "treecut", "--model_args", "policy=solver", "--tasks",
        "treecut_depth8", "--include_path", task_configs_path(),
        "--metadata", '{"treecut": {"num_problem": 3}}', cwd=tmp_path,
    )  # fmt: skip
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Unknown parameter 'num_problem': the parameters of this task are")
    assert "Traceback" not in result.stderr
