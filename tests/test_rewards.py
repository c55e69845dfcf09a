"""The reward for reinforcement learning, and the signatures that training libraries call."""

from __future__ import annotations

import asyncio
import math
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trainers import TO_INSTALL, tiny_model, training_arguments
from treecut_tasks.data_sets import Reward, verdict
from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation import judge_response

ANSWERABLE = {
    "problem": "A pie costs 11 dollars. Question: how much does a pie cost?",
    "answer": "11",
}
CUT = {
    "problem": "A pie costs 11 dollars. Question: how much does a tart cost?",
    "answer": "unknown",
}
DISTINCT = Reward(
    right=1.5,
    wrong_number=-2.0,
    false_unknown=-0.25,
    unknown=0.75,
    no_answer=-3.0,
    hallucination=-4.0,
)
"""No two weights are the same, so that a mix-up shows."""

MAY_GO_ON = "So the pie costs 11 dollars"
"""A right answer if it is complete, and none yet if a limit cut it off."""

WEIGHTS = [field.name for field in fields(Reward)]


# --- The verdict and its weight ---


@pytest.mark.parametrize(
    ("response", "record", "expected"),
    [
        ("Two steps.\nAnswer: 11", ANSWERABLE, "right"),
        (r"So \boxed{11}.", ANSWERABLE, "right"),
        ("Answer: 11.00", ANSWERABLE, "right"),
        ("Answer: 12", ANSWERABLE, "wrong_number"),
        ("Answer: unknown", ANSWERABLE, "false_unknown"),
        ("Answer: unknown", CUT, "unknown"),
        ("The price of a tart cannot be determined.", CUT, "unknown"),
        ("Answer: 11", CUT, "hallucination"),
        # The paper's rule takes the first phrase; a careful reader the final answer.
        ("It looks as if it cannot be determined, but it can.\nAnswer: 11", CUT, "hallucination"),
        ("<think>It is unknown.</think>\nAnswer: 11", ANSWERABLE, "right"),
        ("", ANSWERABLE, "no_answer"),
        ("", CUT, "no_answer"),
        (None, CUT, "no_answer"),
        (" \n", ANSWERABLE, "no_answer"),
        ("<think>Let me see, the tart", CUT, "no_answer"),
        ("I'm sorry, I can't help with that.", CUT, "no_answer"),
    ],
)
def test_each_verdict_has_its_weight(
    response: str | None, record: dict[str, str], expected: str
) -> None:
    assert verdict(response, record) == expected
    assert DISTINCT(response, record) == getattr(DISTINCT, expected)


def test_a_hallucination_number_counts_as_a_wrong_one_unless_it_has_a_weight_of_its_own() -> None:
    assert Reward(wrong_number=-7.0)("Answer: 11", CUT) == -7.0
    assert Reward(wrong_number=-7.0, hallucination=-9)("Answer: 11", CUT) == -9.0
    assert Reward(wrong_number=-7.0, hallucination=-9)("Answer: 12", ANSWERABLE) == -7.0
    assert replace(Reward(), wrong_number=-5.0)("Answer: 11", CUT) == -5.0
    assert Reward(hallucination=0.0)("Answer: 11", CUT) == 0.0


def test_known_truncation_is_passed_on() -> None:
    assert verdict(MAY_GO_ON, ANSWERABLE) == "right"
    assert verdict(MAY_GO_ON, ANSWERABLE, truncated=True) == "no_answer"
    assert DISTINCT(MAY_GO_ON, ANSWERABLE, truncated=True) == DISTINCT.no_answer


def test_the_defaults_reward_telling_the_kinds_apart_above_every_blind_strategy() -> None:
    reward = Reward()

    def mean_over_pair(to_answerable: str, to_cut: str) -> float:
        return (reward(to_answerable, ANSWERABLE) + reward(to_cut, CUT)) / 2

    solver = mean_over_pair("Answer: 11", "Answer: unknown")
    blind = {
        "unknown": mean_over_pair("Answer: unknown", "Answer: unknown"),
        "number": mean_over_pair("Answer: 11", "Answer: 9"),
        "silent": mean_over_pair("", ""),
    }
    assert solver == 1.0
    assert blind == {"unknown": 0.25, "number": 0.0, "silent": -1.0}
    # Saying nothing never pays.
    assert reward.no_answer <= min(reward("Answer: 12", ANSWERABLE), reward("Answer: 12", CUT))
    # The probability of being right from which a number pays, as the documentation says.
    enough = (reward.false_unknown - reward.wrong_number) / (reward.right - reward.wrong_number)
    assert enough == 0.25


@given(response=st.text() | st.none(), answer=st.sampled_from(["unknown", "11", "-3", "43/3"]))
def test_any_text_gets_the_weight_of_the_verdict_that_the_tasks_report(
    response: str | None, answer: str
) -> None:
    by_ending = {
        "right": DISTINCT.right,
        "wrong_number": DISTINCT.wrong_number,
        "false_unknown": DISTINCT.false_unknown,
        "unknown": DISTINCT.unknown,
        "hallucination": DISTINCT.hallucination,
        "no_answer": DISTINCT.no_answer,
    }
    expected = by_ending[judge_response(answer, response).ending]
    assert DISTINCT(response, {"answer": answer}) == expected


# --- Bad input ---


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", True, [1.0], 10**400])
def test_weights_that_are_no_finite_numbers_are_refused(name: str, value: Any) -> None:
    with pytest.raises(TreecutError, match=rf"reward {name} is .*: it must be a finite number"):
        Reward(**{name: value})


def test_only_the_weight_with_a_default_of_its_own_may_be_none() -> None:
    with pytest.raises(TreecutError, match="right is None"):
        Reward(right=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("record", [{}, {"answer": None}, {"answer": True}, {"answer": "eleven"}])
def test_records_without_an_answer_are_refused(record: dict[str, Any]) -> None:
    with pytest.raises(TreecutError, match=r"has the answer .* must be 'unknown' or a number"):
        Reward()("Answer: 11", record)


# --- TRL ---


def _said(content: object) -> list[dict[str, object]]:
    return [{"role": "assistant", "content": content}]


def test_trl_completions_are_texts_or_messages() -> None:
    function = DISTINCT.for_trl()
    completions: list[Any] = [
        "Answer: 11",
        _said("Answer: 12"),
        [*_said("Answer: 11"), {"role": "tool", "content": "11"}, *_said("Answer: unknown")],
        _said([{"type": "text", "text": "So"}, {"type": "text", "text": "Answer: 11"}]),
        _said(None),
        [],
        [{"role": "user", "content": "Answer: 11"}],
        None,
    ]
    rewards = function(
        prompts=[""] * 8,
        completions=completions,
        completion_ids=[[1]] * 8,
        answer=["11"] * 7 + ["unknown"],
        problem=[ANSWERABLE["problem"]] * 8,
        trainer_state=None,
    )
    right, wrong, none = DISTINCT.right, DISTINCT.wrong_number, DISTINCT.no_answer
    false_unknown = DISTINCT.false_unknown
    assert rewards == [right, wrong, false_unknown, right, none, none, none, none]


def test_trl_rows_without_answers_are_refused() -> None:
    with pytest.raises(TreecutError, match="no column 'answer'"):
        Reward().for_trl()(prompts=[""], completions=["Answer: 11"])


def test_trl_function_has_a_name_and_can_be_sent_to_another_process() -> None:
    function = pickle.loads(pickle.dumps(DISTINCT.for_trl()))
    assert function.__name__ == "treecut_reward"
    assert function(completions=["Answer: 11"], answer=["11"]) == [DISTINCT.right]


ROWS = [
    {
        "prompt": f"{record['problem']} Answer:",
        "answer": record["answer"],
        "problem": record["problem"],
    }
    for record in (ANSWERABLE, CUT)
]


SAID = ("Answer: 11", "Answer: 12", "Answer: unknown", "I wonder.")
"""All that the tiny model says, each a single token."""


@pytest.mark.parametrize("conversational", [False, True])
def test_trl_takes_a_step_with_the_reward(tmp_path: Path, conversational: bool) -> None:
    trl = pytest.importorskip("trl", reason=f"needs {TO_INSTALL}")
    datasets = pytest.importorskip("datasets")
    model, tokenizer = tiny_model(SAID)
    rows: list[dict[str, Any]] = [dict(row) for row in ROWS]
    if conversational:
        rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in ROWS]
    completions_seen: list[Any] = []
    records_seen: list[dict[str, Any]] = []

    def note(
        completions: list[Any], answer: list[str], problem: list[str], **_: Any
    ) -> list[float]:
        completions_seen.extend(completions)
        records_seen.extend(
            {"answer": row_answer, "problem": text}
            for row_answer, text in zip(answer, problem, strict=True)
        )
        return [0.0] * len(completions)

    answers = {tokenizer.convert_tokens_to_ids(text) for text in SAID}
    before = model.lm_head.weight.detach().clone()
    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=[DISTINCT.for_trl(), note],
        args=trl.GRPOConfig(
            **training_arguments(tmp_path),
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=1,
            generation_kwargs={"suppress_tokens": sorted(set(range(len(tokenizer))) - answers)},
        ),
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    assert trainer.train().global_step == 1
    assert all(isinstance(completion, list) == conversational for completion in completions_seen)
    assert {record["answer"] for record in records_seen} == {"11", "unknown"}
    texts = [
        completion[0]["content"] if conversational else completion
        for completion in completions_seen
    ]
    assert set(texts) <= set(SAID)
    rewards = [DISTINCT(text, record) for text, record in zip(texts, records_seen, strict=True)]
    assert len(rewards) == 8
    logged = next(log for log in trainer.state.log_history if "rewards/treecut_reward/mean" in log)
    assert logged["rewards/treecut_reward/mean"] == pytest.approx(sum(rewards) / 8)
    # Rewards that differ are what the step learns from.
    assert len(set(rewards)) > 1
    assert not bool((before == model.lm_head.weight).all())


# --- verifiers ---

my_reward = DISTINCT.for_verifiers()
"""What the configuration of a task names, as a user's module would have it."""


def _rollout(vf: Any, task: Any, text: str | None, truncated: bool = False) -> Any:
    """A finished rollout of one reply, in the classes of verifiers."""
    nodes = [
        vf.MessageNode(message=vf.UserMessage(content=task.data.prompt)),
        vf.MessageNode(parent=0, message=vf.AssistantMessage(content=text), sampled=True),
    ]
    return vf.Trace(
        task=vf.TraceTask(type=type(task).__name__, data=task.data),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        nodes=nodes,
        stop_condition="max_output_tokens" if truncated else None,
    )


def _score(task: Any, trace: Any) -> float:
    asyncio.run(task.score(trace))
    return float(trace.reward)


CASES = [
    ("Answer: 11", ANSWERABLE, DISTINCT.right),
    ("Answer: 12", ANSWERABLE, DISTINCT.wrong_number),
    ("Answer: unknown", ANSWERABLE, DISTINCT.false_unknown),
    ("Answer: unknown", CUT, DISTINCT.unknown),
    ("Answer: 12", CUT, DISTINCT.hallucination),
    ("", CUT, DISTINCT.no_answer),
]


@pytest.mark.parametrize("plugged", [True, False])
def test_verifiers_scores_rollouts_with_the_reward(plugged: bool) -> None:
    vf = pytest.importorskip("verifiers.v1", reason=f"needs {TO_INSTALL}")

    class TreecutData(vf.TaskData):  # type: ignore[misc,name-defined]
        answer: str

    class Plain(vf.Task[TreecutData]):  # type: ignore[misc,name-defined]
        pass

    class Decorated(vf.Task[TreecutData]):  # type: ignore[misc,name-defined]
        @vf.reward  # type: ignore[untyped-decorator]
        async def treecut(self, trace: Any) -> float:
            return await my_reward(self.data, trace)

    config = vf.TaskConfig(rewards={"treecut": {"fn": f"{__name__}:my_reward"}})

    def task_of(record: dict[str, str]) -> Any:
        data = TreecutData(prompt=record["problem"], answer=record["answer"])
        return Plain(data, config) if plugged else Decorated(data)

    for text, record, expected in CASES:
        task = task_of(record)
        assert _score(task, _rollout(vf, task, text)) == expected
    task = task_of(ANSWERABLE)
    assert _score(task, _rollout(vf, task, None)) == DISTINCT.no_answer
    cut_off = _rollout(vf, task, MAY_GO_ON, truncated=True)
    assert _score(task, cut_off) == DISTINCT.no_answer
    assert _score(task, _rollout(vf, task, MAY_GO_ON)) == DISTINCT.right


def test_verifiers_reports_task_data_without_an_answer() -> None:
    vf = pytest.importorskip("verifiers.v1", reason=f"needs {TO_INSTALL}")
    config = vf.TaskConfig(rewards={"treecut": {"fn": f"{__name__}:my_reward"}})
    task = vf.Task(vf.TaskData(prompt="A pie?"), config)
    with pytest.raises(vf.TaskError, match="has the answer None"):
        _score(task, _rollout(vf, task, "Answer: 11"))


def test_a_rubric_of_verifiers_scores_rollouts_with_the_reward() -> None:
    verifiers = pytest.importorskip("verifiers", reason=f"needs {TO_INSTALL}")
    if not hasattr(verifiers, "Rubric"):
        pytest.skip('verifiers 0.4 has no rubrics; needs pip install "verifiers<0.4"')
    datasets = pytest.importorskip("datasets")
    rubric = verifiers.Rubric(funcs=[DISTINCT.for_verifiers_rubric()])
    rows = [
        {"prompt": [{"role": "user", "content": row["prompt"]}], "answer": row["answer"]}
        for row in ROWS
    ]
    environment = verifiers.SingleTurnEnv(dataset=datasets.Dataset.from_list(rows), rubric=rubric)
    by_answer = {row["answer"]: row for row in environment.get_dataset()}

    async def score(text: str, record: dict[str, str], truncated: bool = False) -> float:
        row = by_answer[record["answer"]]
        state = verifiers.State(input=row, **row)
        state["completion"] = [verifiers.types.AssistantMessage(content=text)]
        state["is_truncated"] = truncated
        await environment.rubric.score_rollout(state)
        assert state["metrics"]["treecut_reward"] == state["reward"]
        return float(state["reward"])

    for text, record, expected in CASES:
        assert asyncio.run(score(text, record)) == expected
    assert asyncio.run(score(MAY_GO_ON, ANSWERABLE)) == DISTINCT.right
    assert asyncio.run(score(MAY_GO_ON, ANSWERABLE, truncated=True)) == DISTINCT.no_answer
