"""Inspect and lm-eval send the same messages, and give the same responses the same scores."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task

from tests.framework_runs import DEPTHS, LmEvalRun, inspect_run, inspect_values, lm_eval_run
from tests.servers.openai_rules import Answer, Message, OpenAIRulesServer
from treecut_tasks.evaluation import RATES
from treecut_tasks.inspect_adapter.scorers import reasoning_of
from treecut_tasks.reading import Determined, read_problem, solve
from treecut_tasks.reference_models.policies import find_problem
from treecut_tasks.scoring.visible import split_thinking
from treecut_tasks.tasks import answerable, cut_location, paired, structure, unanswerable

Messages = Counter[str]


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.ERROR)
    monkeypatch.setenv("LOCAL_API_KEY", "none")


def with_inspect(
    task: Task, server: OpenAIRulesServer, folder: Path, model: str = "mine"
) -> dict[str, float]:
    return inspect_values(
        inspect_run(task, f"openai-api/local/{model}", folder, model_base_url=server.base_url)
    )


def with_lm_eval(
    tasks: str | Sequence[str], server: OpenAIRulesServer, model: str = "mine", **settings: Any
) -> LmEvalRun:
    return lm_eval_run(
        tasks,
        model="local-chat-completions",
        model_args={
            "model": model,
            "base_url": f"{server.base_url}/chat/completions",
            "max_retries": 1,
            "num_concurrent": 4,
        },
        apply_chat_template=True,
        **settings,
    )


def messages_of(server: OpenAIRulesServer) -> Messages:
    """The messages of all requests as they arrived, whatever their order."""
    assert all(request.status == 200 for request in server.requests)
    return Counter(json.dumps(request.messages) for request in server.requests)


@dataclass(frozen=True)
class Case:
    """The same run in both frameworks.

    Attributes:
        task: the Inspect task.
        tasks: the lm-eval tasks.
        parameters: of both, `ans_depth` left out.
        ans_depth: of the Inspect task.
        fewshot: number of examples.
        turns: whether they are sent as turns.
        model: name of the model.
        num_requests: how many requests each framework makes.
    """

    task: Callable[..., Task]
    tasks: tuple[str, ...]
    ans_depth: list[int]
    num_requests: int
    parameters: dict[str, Any] = field(default_factory=dict)
    fewshot: int = 0
    turns: bool = False
    model: str = "mine"

    def inspect_messages(self, folder: Path) -> Messages:
        task = self.task(
            ans_depth=self.ans_depth,
            fewshot=self.fewshot,
            fewshot_format="turns" if self.turns else "single",
            **self.parameters,
        )
        with OpenAIRulesServer(enforce=False) as server:
            with_inspect(task, server, folder, self.model)
            return messages_of(server)

    def lm_eval_messages(self) -> Messages:
        with OpenAIRulesServer(enforce=False) as server:
            with_lm_eval(
                self.tasks,
                server,
                self.model,
                metadata=self.parameters,
                num_fewshot=self.fewshot or None,
                fewshot_as_multiturn=self.turns,
            )
            return messages_of(server)


def depths(name: str, *wanted: int, end: str = "") -> tuple[str, ...]:
    return tuple(f"treecut_{name}depth{depth}{end}" for depth in wanted)


FEW = {"num_problems": 2}
CASES = {
    "table 1": Case(unanswerable, ("treecut",), [*DEPTHS], 8, FEW),
    "table 3": Case(answerable, ("treecut_answerable",), [*DEPTHS], 8, FEW),
    "pairs": Case(paired, ("treecut_paired",), [*DEPTHS], 16, FEW),
    "matched pairs": Case(
        paired, depths("paired_", 2, 6), [2, 6], 8, {**FEW, "counterpart": "matched"}
    ),
    "structure": Case(
        structure,
        tuple(
            f"treecut_structure_depth4_{shape}_{names}"
            for shape in ("path", "tree")
            for names in ("composite", "simple")
        ),
        [4],
        8,
        FEW,
    ),
    "cut location": Case(
        cut_location,
        tuple(f"treecut_cut_location_depth7_cut{cut}" for cut in range(1, 7)),
        [7],
        6,
        {"num_problems": 1},
    ),
    "other parameters": Case(
        unanswerable,
        depths("", 4),
        [4],
        3,
        {
            "theme": "outfit",
            "composite_name": False,
            "order": "forward",
            "sampling": "paper",
            "cut_depth": 3,
            "num_vars": 9,
            "num_problems": 3,
            "seed": 11,
        },
    ),
    "backward, cut near the question": Case(
        answerable, depths("answerable_", 6), [6], 2, {**FEW, "order": "backward", "cut_depth": 1}
    ),
    "no system message": Case(
        unanswerable, depths("", 2), [2], 2, {**FEW, "system_message": "none"}
    ),
    "reasoning model": Case(unanswerable, depths("", 2), [2], 2, FEW, model="qwq-32b"),
    "reasoning model, told to": Case(
        paired, depths("paired_", 2), [2], 4, {**FEW, "system_message": "cot"}, model="o3-mini"
    ),
    "six examples in one message": Case(
        unanswerable, depths("", 2, 4, end="_fewshot"), [2, 4], 4, FEW, fewshot=6
    ),
    "six examples as turns": Case(
        unanswerable, ("treecut_fewshot",), [*DEPTHS], 4, {"num_problems": 1}, fewshot=6, turns=True
    ),
    "shared examples": Case(
        unanswerable, depths("", 8), [8], 2, {**FEW, "fewshot_examples": "shared"}, fewshot=6
    ),
    "shared examples as turns": Case(
        answerable,
        depths("answerable_", 2),
        [2],
        3,
        {"num_problems": 3, "fewshot_examples": "shared"},
        fewshot=2,
        turns=True,
    ),
    "examples for matched pairs": Case(
        paired,
        depths("paired_", 2),
        [2],
        4,
        {**FEW, "counterpart": "matched", "theme": "outfit"},
        fewshot=4,
        turns=True,
    ),
    "examples for pairs in one message": Case(paired, depths("paired_", 4), [4], 4, FEW, fewshot=6),
}


class TestMessages:
    @pytest.mark.parametrize("name", CASES)
    def test_both_frameworks_send_the_same(self, name: str, tmp_path: Path) -> None:
        case = CASES[name]
        sent = case.inspect_messages(tmp_path)
        assert sum(sent.values()) == case.num_requests
        assert sent == case.lm_eval_messages()
        first = json.loads(next(iter(sent)))
        expects_system = name not in ("no system message", "reasoning model")
        turns = 2 * case.fewshot if case.turns else 0
        assert len(first) == expects_system + turns + 1
        assert (first[0]["role"] == "system") is expects_system

    def test_a_published_file(self, shared_dir: Path, tmp_path: Path) -> None:
        (path,) = (shared_dir / "reference" / "published").glob("*ansDepth-4*hallu-True*")
        task = unanswerable(data_file=str(path), fewshot=2, fewshot_format="turns")
        with OpenAIRulesServer(enforce=False) as inspect_server:
            log = inspect_run(
                task,
                "openai-api/local/mine",
                tmp_path,
                model_base_url=inspect_server.base_url,
                limit=5,
            )
            assert log.status == "success"
        with OpenAIRulesServer(enforce=False) as lm_eval_server:
            with_lm_eval(
                "treecut_depth4",
                lm_eval_server,
                metadata={"data_file": str(path)},
                num_fewshot=2,
                limit=5,
            )
        sent = messages_of(inspect_server)
        assert sum(sent.values()) == 5
        assert sent == messages_of(lm_eval_server)


RESPONSES = (
    "Answer: unknown",
    "The conditions do not suffice.\n\n**Answer: unknown**",
    "Let me add the first two sentences.\n\nAnswer: {right}",
    "So the answer is \\boxed{{{right}}}.",
    "Answer: {wrong}",
    "It costs {wrong} dollars, so the answer is {wrong}.",
    "The price is unknown.\nAnswer: {right}",
    "The answer cannot be determined from what is given.",
    "Answer: {wrong}\n\nWait, that is not right.\n\nAnswer: {right}",
    "The unknown price follows from the rest, as one easily sees.",
    "I'm sorry, but I can't help with that.",
    "",
    "   \n",
    "First, the pie costs more than the tart, and the tart costs more than",
    "Prices are a matter of taste. " * 20,
    "<think>Perhaps 7?</think>\nAnswer: {right}",
    "<think>Is the answer unknown?</think>\nIt costs {right} dollars.",
    "Answer: 1/0",
    "Answer: twelve dollars or unknown",
)


def recorded(messages: list[Message]) -> Answer:
    """One of `RESPONSES`, chosen by the messages alone, as if it had been recorded for them."""
    problem = find_problem(messages[-1]["content"])
    digest = hashlib.sha256(problem.encode("utf-8")).digest()
    verdict = solve(read_problem(problem))
    right = str(verdict.value) if isinstance(verdict, Determined) else "8"
    template = RESPONSES[int.from_bytes(digest[:4], "big") % len(RESPONSES)]
    return template.format(right=right, wrong=1000 + digest[5])


@dataclass(frozen=True)
class BothRuns:
    inspect: dict[str, float]
    lm_eval: LmEvalRun


def both(
    task: Task, tasks: str, folder: Path, metadata: dict[str, Any], **settings: Any
) -> BothRuns:
    with OpenAIRulesServer(recorded, enforce=False) as server:
        inspect = with_inspect(task, server, folder)
    with OpenAIRulesServer(recorded, enforce=False) as server:
        return BothRuns(inspect, with_lm_eval(tasks, server, metadata=metadata, **settings))


GROUPS: dict[str, Callable[..., Task]] = {
    "treecut": unanswerable,
    "treecut_answerable": answerable,
    "treecut_paired": paired,
}


@pytest.fixture(scope="module", params=GROUPS)
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, BothRuns]:
    """A group and its complete runs over all depths."""
    group: str = request.param
    # Set here, because this runs before the fixtures of a single test.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_API_KEY", "none")
        task = GROUPS[group](num_problems=25)
        return group, both(task, group, tmp_path_factory.mktemp(group), {"num_problems": 25})


def without_errors(values: dict[str, float]) -> dict[str, float]:
    """The rates alone; lm-eval has a standard error of each, Inspect's metric that of the first."""
    return {name: value for name, value in values.items() if not name.endswith("stderr")}


class TestScores:
    """The same recorded responses through both frameworks."""

    def test_responses_are_varied(self, runs: tuple[str, BothRuns]) -> None:
        values = runs[1].inspect
        assert all(0 < rate < 1 for name, rate in values.items() if "_depth" not in name), values

    def test_each_depth(self, runs: tuple[str, BothRuns]) -> None:
        group, both_runs = runs
        for depth in DEPTHS:
            end = f"_depth{depth}"
            theirs = both_runs.lm_eval.values(f"{group}_depth{depth}")
            ours = {
                name.replace(end, ""): value
                for name, value in both_runs.inspect.items()
                if end in name
            }
            assert len(ours) == 1
            assert {name: theirs[name] for name in ours} == pytest.approx(ours, abs=1e-12)

    def test_group(self, runs: tuple[str, BothRuns]) -> None:
        """The values are equal, the standard errors of the group nearly so.

        lm-eval pools those of the tasks (as if each had a mean of its own), Inspect has one sample of
        all problems.
        """
        group, both_runs = runs
        theirs = both_runs.lm_eval.values(group)
        names = [name for name in theirs if not name.endswith("_stderr")]
        assert {name.removesuffix("_stderr") for name in theirs} == set(names)
        for name in names:
            assert theirs[name] == pytest.approx(both_runs.inspect[name], abs=1e-12)
        error = both_runs.inspect["stderr"]
        assert theirs[f"{next(iter(both_runs.inspect))}_stderr"] == pytest.approx(error, rel=0.1)

    @pytest.mark.parametrize("group", GROUPS)
    def test_all_metrics_of_one_depth(self, group: str, tmp_path: Path) -> None:
        name = f"{group}_depth4"
        task = GROUPS[group](ans_depth=4, num_problems=30)
        runs = both(task, name, tmp_path, {"num_problems": 30})
        values = runs.lm_eval.values(name)
        assert without_errors(values) == pytest.approx(without_errors(runs.inspect), abs=1e-12)
        headline = next(iter(runs.inspect))
        assert values[f"{headline}_stderr"] == pytest.approx(runs.inspect["stderr"], abs=1e-12)

    def test_each_response(self, tmp_path: Path) -> None:
        """Problem by problem, the same text gets the same scores."""
        with OpenAIRulesServer(recorded, enforce=False) as server:
            log = inspect_run(
                answerable(ans_depth=4, num_problems=25),
                "openai-api/local/mine",
                tmp_path,
                model_base_url=server.base_url,
            )
            run = with_lm_eval("treecut_answerable_depth4", server, metadata={"num_problems": 25})
        assert log.samples is not None
        ours = {
            sample.id: (sample.output.completion, score.value)
            for sample in log.samples
            for score in (sample.scores or {}).values()
        }
        theirs = run.samples("treecut_answerable_depth4")
        assert {sample["doc"]["id"] for sample in theirs} == ours.keys()
        for sample in theirs:
            response, rates = ours[sample["doc"]["id"]]
            assert isinstance(rates, dict)
            assert split_thinking(sample["resps"][0][0])[0] == response
            found = {name: sample[name] for name in RATES["answerable"]}
            assert {name: rates[name] for name in found} == found


@pytest.mark.parametrize(
    "response",
    [
        "<think>The answer is unknown.</think>It costs 7 dollars.",
        "Hm. <think>a</think> Answer: 7 <think>b</think>",
        '<think signature="x">a <think>b</think> c</think>\n\nAnswer: 7',
        "<think><think>a</think> Answer: 7",
        "<think>never closed. Answer: 7",
        "</think>\nAnswer: 7",
        "  Answer: 7\n",
    ],
)
def test_thinking_in_the_text(response: str, tmp_path: Path) -> None:
    """The provider of Inspect takes thinking out of a response; lm-eval's scores must not see it."""
    with OpenAIRulesServer(lambda messages: response, enforce=False) as server:
        log = inspect_run(
            unanswerable(ans_depth=2, num_problems=1),
            "openai-api/local/mine",
            tmp_path,
            model_base_url=server.base_url,
        )
        run = with_lm_eval("treecut_depth2", server, metadata={"num_problems": 1})
    assert log.samples is not None
    output = log.samples[0].output
    assert (output.completion, reasoning_of(output)) == split_thinking(response)
    values = run.values("treecut_depth2")
    assert without_errors(values) == without_errors(inspect_values(log))


def test_a_response_that_is_cut_off(tmp_path: Path) -> None:
    """The one difference: lm-eval does not tell tasks that a token limit stopped a response.

    What the paper's rule says of the text is the same. The careful reader takes a last sentence
    without a marker for an answer unless it knows that the response would have gone on.
    """
    text = "So the pie costs 12 dollars. But wait, that is wrong.\n\nAnswer: unknown"
    with OpenAIRulesServer(lambda messages: text, enforce=False) as server:
        log = inspect_run(
            unanswerable(ans_depth=2, num_problems=2),
            "openai-api/local/mine",
            tmp_path,
            model_base_url=server.base_url,
            max_tokens=6,
        )
        run = with_lm_eval(
            "treecut_depth2",
            server,
            metadata={"num_problems": 2},
            gen_kwargs={"max_gen_toks": 6},
        )
    ours, theirs = inspect_values(log), run.values("treecut_depth2")
    assert {response["resps"][0][0] for response in run.samples("treecut_depth2")} == {
        "So the pie costs 12 dollars."
    }
    assert ours["paper_hallucination_rate"] == theirs["paper_hallucination_rate"] == 1
    assert (ours["no_answer_rate"], ours["hallucination_rate"]) == (1, 0)
    assert (theirs["no_answer_rate"], theirs["hallucination_rate"]) == (0, 1)


def test_reference_models_answer_both_frameworks_alike(tmp_path: Path) -> None:
    for policy in ("solver", "guesser", "same_price"):
        values = inspect_values(
            inspect_run(
                paired(ans_depth=4, num_problems=10), f"treecut/{policy}", tmp_path / policy
            )
        )
        run = lm_eval_run(
            "treecut_paired_depth4",
            model_args={"policy": policy},
            metadata={"num_problems": 10},
        )
        found = run.values("treecut_paired_depth4")
        assert without_errors(found) == pytest.approx(without_errors(values), abs=1e-12)
