"""The Inspect tasks: end to end on mock and reference models, logs, metrics, bad input, commands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from inspect_ai import Task, eval
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import generate

from tests.framework_runs import ROOT, command, inspect_run, inspect_values, only_log
from tests.metric_epochs import metric_values
from treecut_tasks import ProblemConfig, TreecutError, pair_at, tasks
from treecut_tasks.evaluation import JudgedResponse, judge_response, problem_prompt
from treecut_tasks.inspect_adapter.scorers import treecut_rates
from treecut_tasks.inspect_adapter.solvers import treecut_prompt
from treecut_tasks.tasks import TASK_VERSION, answerable, paired, unanswerable

PUBLISHED_2 = (
    "qa_theme-food_compositeName_True_numVars-4_ansDepth-2_order-random_hallu-{}_REP-500.jsonl"
)

OPEN = {
    "problem": "A pie costs 3 dollars. Question: how much does a burger cost?",
    "answer": "unknown",
}
FIXED = {"problem": "A pie costs 3 dollars. Question: how much does a pie cost?", "answer": "3"}

Answer = str | ModelOutput


class Mock:
    """`mockllm/model` that answers by a function of the messages and remembers them."""

    def __init__(self, respond: Callable[[list[ChatMessage]], Answer]) -> None:
        self.conversations: list[list[ChatMessage]] = []
        self._respond = respond

    def output(self, input: list[ChatMessage], *_: object) -> ModelOutput:
        self.conversations.append(list(input))
        answer = self._respond(list(input))
        output = (
            ModelOutput.from_content("mockllm/model", answer) if isinstance(answer, str) else answer
        )
        # Without a usage Inspect counts tokens with a table that it downloads.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    def model(self) -> Model:
        return get_model("mockllm/model", custom_outputs=self.output, memoize=False)


def always(answer: Answer) -> Mock:
    return Mock(lambda messages: answer)


def write_lines(path: Path, *records: Any) -> str:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def samples_of(log: EvalLog) -> list[EvalSample]:
    """The samples in the order of the data set."""
    assert log.samples is not None
    order = {name: i for i, name in enumerate(log.eval.dataset.sample_ids or [])}
    return sorted(log.samples, key=lambda sample: (sample.epoch, order[sample.id]))


def only_score(sample: EvalSample) -> Score:
    assert sample.scores is not None
    (score,) = sample.scores.values()
    return score


class TestMockModel:
    """End to end on mockllm/model, where a test decides what is answered."""

    def test_default_output_says_nothing(self, tmp_path: Path) -> None:
        (log,) = eval(
            "treecut_tasks/unanswerable",
            model=always("Default output").model(),
            limit=4,
            task_args={"num_problems": 2},
            log_dir=str(tmp_path),
            display="none",
        )
        values = inspect_values(log)
        assert values["paper_hallucination_rate"] == 1
        assert values["no_answer_rate"] == 1
        assert values["hallucination_rate"] == 0

    @pytest.mark.parametrize(
        ("answer", "reason", "outcome_reason", "is_unknown"),
        [
            ("Answer: unknown", "answer_line", "answer_line", True),
            ("Answer: 12", "answer_line", "answer_line", False),
            ("", "no_response", "empty", False),
            ("I'm sorry, but I can't help with that.", "refusal", "refused", False),
            (
                ModelOutput.from_content(
                    "mockllm/model", "So the pie costs 12 dollars.", stop_reason="max_tokens"
                ),
                "truncated",
                "truncated",
                False,
            ),
            ("Prices are interesting.", "no_commitment", "no_commitment", False),
        ],
        ids=["unknown", "number", "empty", "refusal", "truncated", "silent"],
    )
    def test_the_log_tells_failures_apart(
        self, answer: Answer, reason: str, outcome_reason: str, is_unknown: bool, tmp_path: Path
    ) -> None:
        log = inspect_run(
            unanswerable(ans_depth=2, num_problems=1), always(answer).model(), tmp_path
        )
        (sample,) = samples_of(log)
        score = only_score(sample)
        assert score.reason == reason
        assert score.metadata is not None
        assert score.metadata["reason"] == outcome_reason
        assert score.metadata["says_unknown"] is is_unknown
        assert inspect_values(log)["paper_hallucination_rate"] == 1 - is_unknown

    def test_wrong_and_right_numbers(self, tmp_path: Path) -> None:
        task = answerable(ans_depth=[2, 4], num_problems=3)
        targets = [str(sample.target) for sample in task.dataset]
        right = targets[0]
        log = inspect_run(task, always(f"So it is.\nAnswer: {right}").model(), tmp_path)
        values = inspect_values(log)
        assert values["accuracy"] == pytest.approx(targets.count(right) / 6)
        assert values["wrong_number_rate"] == pytest.approx(1 - targets.count(right) / 6)
        assert [only_score(sample).answer for sample in samples_of(log)] == [right] * 6

    def test_metrics_are_named_by_depth(self, tmp_path: Path) -> None:
        log = inspect_run(
            unanswerable(ans_depth=[2, 10], num_problems=3),
            # Unknown on short problems alone.
            Mock(lambda m: "Answer: unknown" if len(m[-1].text) < 1000 else "Answer: 5").model(),
            tmp_path,
        )
        values = inspect_values(log)
        assert values["hallucination_rate"] == 0.5
        assert values["paper_hallucination_rate_depth2"] == 0
        assert values["paper_hallucination_rate_depth10"] == 1
        assert list(values) == [
            "paper_hallucination_rate", "stderr",
            "hallucination_rate", "unknown_rate", "no_answer_rate", "rule_agreement_rate",
            "paper_hallucination_rate_depth2", "paper_hallucination_rate_depth10",
        ]  # fmt: skip
        # n = 6, half of them 1: sample variance 0.3.
        assert values["stderr"] == pytest.approx((0.3 / 6) ** 0.5)

    def test_headline_is_the_rate_that_the_paper_reports(self, tmp_path: Path) -> None:
        for task, headline in (
            (unanswerable(ans_depth=2, num_problems=1), "paper_hallucination_rate"),
            (answerable(ans_depth=2, num_problems=1), "accuracy"),
            (paired(ans_depth=2, num_problems=1), "pair_solved_rate"),
        ):
            log = inspect_run(task, always("Answer: 1").model(), tmp_path / str(task.name))
            assert log.results is not None
            assert log.results.headline is not None
            assert log.results.headline.metric == headline


def judged(answer: str, *responses: str) -> list[JudgedResponse]:
    return [judge_response(answer, response) for response in responses]


UNKNOWN, NUMBER = "Answer: unknown", "Answer: 4"


class TestMetrics:
    """The metrics after the real epoch reducer."""

    def test_differing_epochs_count_with_their_mean(self) -> None:
        values = metric_values(
            treecut_rates(),
            [judged("unknown", UNKNOWN, NUMBER), judged("unknown", UNKNOWN, UNKNOWN)],
            [{"ans_depth": 2}, {"ans_depth": 4}],
        )
        assert values["paper_hallucination_rate"] == pytest.approx(0.25)
        assert values["paper_hallucination_rate_depth2"] == pytest.approx(0.5)
        assert values["paper_hallucination_rate_depth4"] == 0

    def test_pairs_are_joined_epoch_by_epoch(self) -> None:
        metadata = [{"pair_id": pair, "ans_depth": 2} for pair in "aabb"]
        values = metric_values(
            treecut_rates(),
            [
                judged("unknown", UNKNOWN, NUMBER),
                judged("4", NUMBER, "Answer: 5"),  # pair a: solved, then answered both
                judged("unknown", UNKNOWN, UNKNOWN),
                judged("4", UNKNOWN, NUMBER),  # pair b: unknown to both, then solved
            ],
            metadata,
        )
        assert values["pair_solved_rate"] == pytest.approx(0.5)
        assert values["pair_answered_both_rate"] == pytest.approx(0.25)
        assert values["pair_unknown_both_rate"] == pytest.approx(0.25)
        assert values["pair_other_rate"] == 0
        assert values["hallucination_rate"] == pytest.approx(0.25)
        assert values["accuracy"] == pytest.approx(0.5)

    def test_errors_are_clustered_by_pair_and_half_a_pair_is_left_out(self) -> None:
        metadata = [{"pair_id": pair, "ans_depth": 2} for pair in "aabbccd"]
        answers = [UNKNOWN, NUMBER, NUMBER, NUMBER, NUMBER, UNKNOWN, UNKNOWN]
        epochs = [
            judged("4" if index % 2 else "unknown", answer) for index, answer in enumerate(answers)
        ]
        values = metric_values(treecut_rates(), epochs, metadata)
        # Three pairs, one of them solved: sample variance 1/3.
        assert values["pair_solved_rate"] == pytest.approx(1 / 3)
        assert values["stderr"] == pytest.approx((1 / 3 / 3) ** 0.5)


class TestSamples:
    def test_the_default_is_table_1(self) -> None:
        task = unanswerable()
        assert len(task.dataset) == 2000
        depths = Counter((sample.metadata or {})["ans_depth"] for sample in task.dataset)
        assert depths == {2: 500, 4: 500, 6: 500, 8: 500}
        assert len({sample.id for sample in task.dataset}) == 2000

    def test_every_prefix_is_balanced(self, tmp_path: Path) -> None:
        log = inspect_run(unanswerable(num_problems=5), "treecut/solver", tmp_path, limit=12)
        depths = Counter(sample.metadata["ans_depth"] for sample in samples_of(log))
        assert depths == {2: 3, 4: 3, 6: 3, 8: 3}

    def test_paired_prefixes_hold_whole_pairs_of_all_depths(self, tmp_path: Path) -> None:
        log = inspect_run(paired(num_problems=5), "treecut/solver", tmp_path, limit=8)
        pairs = Counter(sample.metadata["pair_id"] for sample in samples_of(log))
        assert list(pairs.values()) == [2] * 4
        depths = Counter(sample.metadata["ans_depth"] for sample in samples_of(log))
        assert depths == {2: 2, 4: 2, 6: 2, 8: 2}

    def test_ids_come_from_the_content(self) -> None:
        few, many = (unanswerable(ans_depth=[4, 6], num_problems=n).dataset for n in (3, 8))
        assert [sample.id for sample in few] == [sample.id for sample in many][:6]
        alone = unanswerable(ans_depth=6, num_problems=3).dataset
        assert [s.id for s in alone] == [s.id for s in few if (s.metadata or {})["ans_depth"] == 6]
        ids = [{s.id for s in unanswerable(seed=seed, num_problems=5).dataset} for seed in (1, 2)]
        assert ids[0].isdisjoint(ids[1])

    def test_metadata_is_typed_and_makes_the_problem_again(self, tmp_path: Path) -> None:
        task = paired(
            ans_depth=[3, 5], order="backward", theme="outfit", sampling="paper", num_problems=3,
            counterpart="matched", composite_name=False, seed=7,
        )  # fmt: skip
        log = read_eval_log(inspect_run(task, "treecut/solver", tmp_path).location)
        for sample in samples_of(log):
            meta = SimpleNamespace(**sample.metadata)
            config = ProblemConfig(
                theme=meta.theme,
                composite_name=meta.composite_name,
                num_vars=meta.num_vars,
                ans_depth=meta.ans_depth,
                order=meta.order,
                cut_depth=meta.cut_depth,
                sampling=meta.sampling,
            )
            assert meta.seed == 7
            pair = pair_at(config, meta.seed, meta.index, meta.counterpart)
            member = pair.unanswerable if meta.unanswerable else pair.answerable
            assert meta.problem_id == member.id
            kind = "unanswerable" if meta.unanswerable else "answerable"
            assert sample.id == f"depth{meta.ans_depth}-{meta.index:04}-{kind}-{member.id}"
            assert pair.id == meta.pair_id
            assert sample.input == member.text
            assert member.lacks is not None
            assert meta.lacks == member.lacks.sentence.text

    def test_answerable_serves_the_counterparts_of_unanswerable(self) -> None:
        cut = list(unanswerable(num_problems=3, seed=3).dataset)
        whole = list(answerable(num_problems=3, seed=3).dataset)
        both = list(paired(num_problems=3, seed=3).dataset)
        assert [s.id for s in both[::2]] == [s.id for s in cut]
        assert [s.id for s in both[1::2]] == [s.id for s in whole]
        for first, second in zip(cut, whole, strict=True):
            a, b = first.metadata or {}, second.metadata or {}
            assert a["pair_id"] == b["pair_id"]
            assert b["lacks"] is None
            assert a["lacks"] in second.input

    def test_splits_share_no_problem(self) -> None:
        texts = [
            {str(sample.input) for sample in unanswerable(num_problems=5, split=split).dataset}
            for split in ("train", "validation", "test")
        ]
        assert [len(each) for each in texts] == [20, 20, 20]
        assert len(set().union(*texts)) == 60


class TestRunDescription:
    def test_version_and_metadata(self, tmp_path: Path) -> None:
        log = inspect_run(
            unanswerable(ans_depth=4, num_problems=2, seed=9), "treecut/solver", tmp_path
        )
        assert log.eval.task_version == TASK_VERSION
        metadata = log.eval.metadata
        assert metadata is not None
        assert metadata["kind"] == "unanswerable"
        assert metadata["num_items"] == 2
        assert metadata["system_message"] == "auto"
        assert metadata["parameters"]["seed"] == 9
        assert metadata["parameters"]["ans_depth"] == [4]
        assert len(metadata["data_set_sha256"]) == len(metadata["prompt_sha256"]) == 64

    def test_fingerprint_names_the_problems(self) -> None:
        def fingerprint(**parameters: Any) -> str:
            defaults: dict[str, Any] = {"ans_depth": 2, "num_problems": 2}
            task = unanswerable(**(defaults | parameters))
            return str((task.metadata or {})["data_set_sha256"])

        assert fingerprint() == fingerprint()
        others: list[dict[str, Any]] = [
            {"seed": 1},
            {"num_problems": 3},
            {"order": "forward"},
            {"ans_depth": 3},
        ]
        assert len({fingerprint(), *(fingerprint(**other) for other in others)}) == 5


class TestSystemMessage:
    @pytest.mark.parametrize(
        ("model", "choice", "settings", "sent"),
        [
            ("plain", "auto", {}, True),
            ("plain", "none", {}, False),
            ("o3-mini", "auto", {}, False),
            ("o3-mini", "cot", {}, True),
            ("plain", "auto", {"reasoning_effort": "high"}, False),
            ("plain", "auto", {"reasoning_tokens": 1000}, False),
            ("plain", "auto", {"reasoning_effort": "none"}, True),
        ],
    )
    def test_choice(
        self, model: str, choice: str, settings: dict[str, Any], sent: bool, tmp_path: Path
    ) -> None:
        mock = always("Answer: unknown")
        # By its name, because Inspect gives the settings of a run to models that it makes itself.
        log = inspect_run(
            unanswerable(ans_depth=2, num_problems=1, system_message=choice),  # type: ignore[arg-type]
            f"mockllm/{model}",
            tmp_path,
            model_args={"custom_outputs": mock.output},
            **settings,
        )
        assert log.status == "success"
        (conversation,) = mock.conversations
        roles = [message.role for message in conversation]
        assert roles == (["system", "user"] if sent else ["user"])
        problem = log.samples[0].input if log.samples else ""
        expected = problem_prompt(str(problem), "cot" if sent else "none")
        assert [(each.role, each.text) for each in conversation] == expected
        (sample,) = samples_of(log)
        assert sample.metadata["system_message_sent"] == ("cot" if sent else "none")

    def test_the_solver_can_be_used_by_other_tasks(self, tmp_path: Path) -> None:
        mock = always("Answer: unknown")
        dataset = unanswerable(ans_depth=2, num_problems=1, fewshot=2).dataset
        task = Task(dataset=dataset, solver=[treecut_prompt("none", "single"), generate()])
        inspect_run(task, mock.model(), tmp_path)
        ((message,),) = mock.conversations
        assert message.text.count("Solve the following maths word problem.") == 3
        for wrong in ({"system_message": "loud"}, {"fewshot_format": "x"}, {"instruction": "x"}):
            with pytest.raises(TreecutError, match=f"{next(iter(wrong))} is .*: it must be"):
                treecut_prompt(**wrong)


class TestDataFiles:
    def test_own_files_keep_their_order(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "mine.jsonl", OPEN, {**OPEN, "problem": "A tart? Why?"})
        log = inspect_run(unanswerable(data_file=path), always("unknown").model(), tmp_path)
        samples = samples_of(log)
        assert [sample.metadata["source"] for sample in samples] == [f"{path}:1", f"{path}:2"]
        assert samples[0].input == OPEN["problem"]
        assert inspect_values(log)["unknown_rate"] in (0, 1)

    def test_generated_files_know_their_depth(self, run_treecut: Any, tmp_path: Path) -> None:
        paths = []
        for depth in ("2", "3"):
            paths.append(str(tmp_path / f"depth{depth}.jsonl"))
            made = run_treecut("generate", "--ans-depth", depth, "-n", "3", "-o", paths[-1])
            assert made.returncode == 0, made.stderr
        log = inspect_run(unanswerable(data_file=paths, fewshot=2), "treecut/solver", tmp_path)
        values = inspect_values(log)
        assert values["paper_hallucination_rate_depth2"] == 0
        assert values["paper_hallucination_rate_depth3"] == 0
        assert [len(sample.input) for sample in samples_of(log)] == [2 * 2 + 1] * 6

    def test_a_file_with_a_theme_of_its_own_is_evaluated(
        self, run_treecut: Any, tmp_path: Path
    ) -> None:
        theme = tmp_path / "tools.yaml"
        builtin = ROOT / "treecut_tasks" / "themes" / "data" / "outfit.yaml"
        theme.write_text(
            builtin.read_text(encoding="utf-8").replace("name: outfit", "name: tools"), "utf-8"
        )
        path = tmp_path / "own.jsonl"
        made = run_treecut("generate", "--theme", theme, "--ans-depth", "3", "-n", "2", "-o", path)
        assert made.returncode == 0, made.stderr
        assert json.loads(path.read_text(encoding="utf-8").splitlines()[0])["config"][
            "theme"
        ] == "tools"  # fmt: skip
        task = unanswerable(data_file=str(path))
        values = inspect_values(inspect_run(task, "treecut/solver", tmp_path))
        assert values["hallucination_rate"] == 0
        with pytest.raises(TreecutError, match=r"fewshot is 2, but .*own\.jsonl:1"):
            unanswerable(data_file=str(path), fewshot=2)

    def test_authors_files(self, shared_dir: Path, tmp_path: Path) -> None:
        folder = shared_dir / "reference" / "published"
        cut, whole = (str(folder / PUBLISHED_2.format(k)) for k in ("True_cutDepth-1", "False"))
        values = inspect_values(
            inspect_run(
                unanswerable(data_file=cut, fewshot=6), "treecut/solver", tmp_path / "1", limit=20
            )
        )
        assert values["hallucination_rate"] == 0
        log = inspect_run(answerable(data_file=whole), "treecut/solver", tmp_path / "2", limit=20)
        assert inspect_values(log)["accuracy"] == 1
        assert {sample.metadata["ans_depth"] for sample in samples_of(log)} == {2}

    def test_aligned_pairs(self, run_treecut: Any, tmp_path: Path) -> None:
        for kind in ("full", "matched"):
            folder = tmp_path / kind
            made = run_treecut(
                "generate", "--pairs", kind, "--ans-depth", "4", "-n", "3", "-o", folder
            )
            assert made.returncode == 0, made.stderr
            files = [str(folder / f"{name}.jsonl") for name in ("unanswerable", "answerable")]
            log = inspect_run(paired(data_file=files), "treecut/solver", folder)
            values = inspect_values(log)
            assert values["pair_solved_rate"] == 1
            generated = paired(ans_depth=4, num_problems=3, counterpart=kind)
            ids = [(s.metadata or {})["problem_id"] for s in generated.dataset]
            assert [s.metadata["problem_id"] for s in samples_of(log)] == ids


BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"ans_depth": 1}, "ans_depth is 1: it must be 2 or more"),
    ({"ans_depth": "two"}, "ans_depth is 'two'"),
    ({"ans_depth": True}, "ans_depth is True"),
    ({"ans_depth": None}, "ans_depth is None"),
    ({"ans_depth": []}, "ans_depth is []"),
    ({"ans_depth": [4, 4]}, "name each value once"),
    ({"num_vars": "many"}, "num_vars is 'many'"),
    ({"ans_depth": 4, "num_vars": 99}, "can name only 28 variables with composite names"),
    ({"composite_name": "maybe"}, "composite_name is 'maybe'"),
    ({"order": "sideways"}, "order is 'sideways': it must be 'forward', 'backward' or 'random'"),
    ({"sampling": "both"}, "sampling is 'both': it must be 'published' or 'paper'"),
    ({"theme": "drinks"}, "Unknown theme 'drinks': use food or outfit"),
    ({"num_problems": 0}, "num_problems is 0: it must be 1 or more"),
    ({"num_problems": 99_999_999}, "it must be 100000 or less"),
    ({"counterpart": "full"}, "Unknown parameter 'counterpart'"),
    ({"seed": -1}, "seed is -1"),
    ({"system_message": "loud"}, "system_message is 'loud'"),
    ({"fewshot": 3}, "fewshot is 3: it must be an even whole number"),
    ({"fewshot": "six"}, "fewshot is 'six'"),
    (
        {"fewshot_examples": "some"},
        "fewshot_examples is 'some': it must be 'per_problem' or 'shared'",
    ),
    ({"data_file": 7}, "data_file is 7"),
    ({"data_file": "no/such.jsonl"}, "'no/such.jsonl' cannot be read"),
]


class TestBadInput:
    """One clear error, and no model is called."""

    @staticmethod
    def refusal(task: str, **parameters: Any) -> str:
        mock = always("Answer: unknown")
        with pytest.raises(TreecutError) as error:
            eval(
                f"treecut_tasks/{task}",
                model=mock.model(),
                task_args=parameters,
                display="none",
            )
        assert mock.conversations == []
        message = str(error.value)
        assert "\n" not in message
        return message

    @pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=str)
    def test_parameters(self, parameters: dict[str, Any], message: str) -> None:
        assert message in self.refusal("unanswerable", **parameters)

    @pytest.mark.parametrize("task", ["unanswerable", "answerable", "paired"])
    def test_misspelt_parameter(self, task: str) -> None:
        message = self.refusal(task, ans_depht=2)
        assert "Unknown parameter 'ans_depht'" in message
        assert "ans_depth" in message
        assert "system_message" in message

    def test_a_task_has_the_parameters_that_it_obeys(self) -> None:
        for task, name in (
            ("structure", "composite_name"),
            ("structure", "num_vars"),
            ("structure", "cut_depth"),
            ("cut_location", "cut_depth"),
            ("answerable", "counterpart"),
        ):
            assert f"Unknown parameter '{name}'" in self.refusal(task, **{name: 4})

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"counterpart": "half"}, "counterpart is 'half': it must be 'full' or 'matched'"),
            ({"counterpart": "matched", "ans_depth": 4, "num_vars": 4}, "no matched counterpart"),
            ({"counterpart": "matched", "ans_depth": 2, "num_vars": 4}, "use num_vars 6 or more"),
        ],
        ids=str,
    )
    def test_pairs(self, parameters: dict[str, Any], message: str) -> None:
        assert message in self.refusal("paired", **parameters)

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ([], "is empty"),
            (["{"], "bad.jsonl:1 is not JSON"),
            ([{"answer": "unknown"}], "bad.jsonl:1: problem is missing"),
            (
                [OPEN, FIXED],
                "bad.jsonl:2 has the answer '3', but this task takes only unanswerable",
            ),
            ([OPEN, OPEN], "bad.jsonl:2 repeats the problem of"),
        ],
        ids=str,
    )
    def test_data_file(self, lines: list[Any], message: str, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "bad.jsonl", *lines)
        assert message in self.refusal("unanswerable", data_file=path)

    def test_data_file_of_the_other_kind(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "open.jsonl", OPEN)
        message = self.refusal("answerable", data_file=path)
        assert "this task takes only answerable problems" in message

    @pytest.mark.parametrize(
        "parameter", [{"ans_depth": 4}, {"theme": "outfit"}, {"num_problems": 3}], ids=str
    )
    def test_data_file_with_parameters_of_generation(
        self, parameter: dict[str, Any], tmp_path: Path
    ) -> None:
        path = write_lines(tmp_path / "open.jsonl", OPEN)
        message = self.refusal("unanswerable", data_file=path, **parameter)
        assert "together with data_file" in message
        assert next(iter(parameter)) in message

    def test_fewshot_with_a_data_file_without_solutions(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "open.jsonl", OPEN)
        message = self.refusal("unanswerable", data_file=path, fewshot=6)
        assert "open.jsonl:1 has no worked solution" in message

    def test_more_examples_than_the_theme_has(self, tmp_path: Path) -> None:
        theme = tmp_path / "tiny.yaml"
        theme.write_text(
            "name: tiny\nentities: [Here, There]\nitems:\n"
            "  - {name: pear, plural: pears}\n  - {name: fig, plural: figs}\n"
            "values: {min: 5, max: 5, step: 1}\nmoney: {one: a dollar, many: dollars}\n",
            encoding="utf-8",
        )
        message = self.refusal(
            "unanswerable", theme=str(theme), composite_name=False, ans_depth=2, num_vars=2,
            order="forward", num_problems=3, fewshot=100,
        )  # fmt: skip
        assert "fewshot is 100, but the theme 'tiny' gave only" in message

    def test_paired_data_files(self, tmp_path: Path) -> None:
        open_file = write_lines(tmp_path / "open.jsonl", OPEN)
        fixed = write_lines(tmp_path / "fixed.jsonl", FIXED)
        longer = write_lines(tmp_path / "longer.jsonl", FIXED, FIXED | {"problem": "A fig?"})
        first = write_lines(tmp_path / "first.jsonl", OPEN | {"pair_id": "1"})
        second = write_lines(tmp_path / "second.jsonl", FIXED | {"pair_id": "2"})
        for files, message in (
            ([open_file], "need two aligned ones"),
            ([fixed, open_file], "takes only unanswerable problems"),
            ([open_file, longer], "has 1 problems and"),
            ([first, second], "belongs to the pair '1'"),
        ):
            assert message in self.refusal("paired", data_file=files)


class TestCommandLine:
    """Commands in processes of their own; each takes seconds."""

    def test_runs_from_a_checkout(self, tmp_path: Path) -> None:
        logs = tmp_path / "logs"
        result = command(
            "inspect", "eval", "treecut_tasks/unanswerable", "--model", "treecut/solver",
            "-T", "ans_depth=2", "-T", "num_problems=3",
            cwd=ROOT,
            env={"INSPECT_LOG_DIR": str(logs)},
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
        log = only_log(logs)
        assert inspect_values(log)["hallucination_rate"] == 0
        assert [sample.metadata["ans_depth"] for sample in samples_of(log)] == [2, 2, 2]

    def test_an_old_log_is_scored_again(self, tmp_path: Path) -> None:
        task = unanswerable(ans_depth=[2, 4], num_problems=2)
        unscored = inspect_run(task, "treecut/guesser", tmp_path, score=False)
        assert unscored.results is None or unscored.results.scores == []
        scored = command(
            "inspect", "score", unscored.location, "--output-file", tmp_path / "scored.eval",
            "--action", "append", cwd=tmp_path,
        )  # fmt: skip
        assert scored.returncode == 0, scored.stdout + scored.stderr
        log = read_eval_log(str(tmp_path / "scored.eval"))
        assert log.results is not None
        assert [score.name for score in log.results.scores] == ["treecut_scorer"]
        values = inspect_values(log)
        assert values["hallucination_rate"] == 1
        assert values["paper_hallucination_rate_depth4"] == 1

    def test_bad_input_is_one_sentence(self, tmp_path: Path) -> None:
        result = command(
            "inspect", "eval", "treecut_tasks/unanswerable", "--model", "treecut/solver",
            "-T", "ans_depht=2", cwd=tmp_path,
        )  # fmt: skip
        output = result.stdout + result.stderr
        assert result.returncode != 0
        assert " ".join(output.split()).count("Unknown parameter 'ans_depht'") == 1
        assert "Traceback" not in output
        assert len(output.strip().splitlines()) <= 3, output
        assert not list(tmp_path.glob("logs/*.eval"))


class TestRunConfigs:
    FOLDER = ROOT / "treecut_tasks" / "run_configs" / "inspect"

    @pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
    def test_every_file_names_a_task_and_its_parameters(self, path: Path) -> None:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert settings.keys() == {"task", "generate_config"}
        package, _, name = settings["task"]["task"].partition("/")
        assert package == "treecut_tasks"
        task = getattr(tasks, name)(**{**settings["task"]["args"], "num_problems": 1})
        assert len(task.dataset) >= 2
        generate = settings["generate_config"]
        if path.stem.endswith("-o3-mini"):
            assert generate == {"reasoning_effort": "high", "max_tokens": 32000}
            assert settings["task"]["args"]["system_message"] == "none"
        else:
            assert generate == {"temperature": 0, "max_tokens": 4000}
            assert settings["task"]["args"]["system_message"] == "cot"

    def test_each_table_has_a_file_for_both_kinds_of_models(self) -> None:
        names = {path.stem for path in self.FOLDER.glob("*.yaml")}
        for table in (1, 2, 3):
            assert {f"table{table}", f"table{table}-o3-mini"} <= names
