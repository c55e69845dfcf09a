"""Diagnosis and clarification: exact truth, tolerant reading, dialogues, the same numbers everywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from tests.conftest import RunTreecut
from tests.framework_runs import DEPTHS, inspect_run, inspect_values, lm_eval_run
from tests.strategies import configs, seeds
from treecut_tasks import pair_at
from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.evaluation import JudgedResponse, TaskParameters, build_items, judge_response
from treecut_tasks.evaluation.clarification import Dialogue, DialogueSettings, Oracle
from treecut_tasks.evaluation.designs import DIAGNOSED
from treecut_tasks.evaluation.diagnosis import find_gap, judge_diagnosis
from treecut_tasks.inspect_adapter.solvers import treecut_dialogue
from treecut_tasks.problems import Problem, ProblemConfig
from treecut_tasks.reading import ReadProblem, read_problem
from treecut_tasks.scoring.names import NameReader, find_final_lines
from treecut_tasks.tasks import clarification, diagnosis, paired
from treecut_tasks.themes import Variable, load_theme

PRIME = 2**61 - 1


def span(read: ReadProblem) -> dict[Variable, dict[Variable, int]]:
    """Rows by their leading variable, modulo a large prime: nothing shared with the package's algebra."""
    rows: dict[Variable, dict[Variable, int]] = {}
    for sentence in read.sentences:
        row = rest(dict(sentence.equation.coefficients), rows)
        if row:
            lead = next(iter(row))
            inverse = pow(row[lead], -1, PRIME)
            rows[lead] = {v: n * inverse % PRIME for v, n in row.items()}
    return rows


def rest(
    row: Mapping[Variable, int], rows: Mapping[Variable, Mapping[Variable, int]]
) -> dict[Variable, int]:
    """What of a row the others do not give."""
    left = {v: n % PRIME for v, n in row.items() if n % PRIME}
    while lead := next((v for v in left if v in rows), None):
        times = left[lead]
        for v, n in rows[lead].items():
            left[v] = (left.get(v, 0) - times * n) % PRIME
        left = {v: n for v, n in left.items() if n}
    return left


def brute_force(text: str) -> tuple[set[Variable], set[Variable]]:
    read = read_problem(text)
    rows = span(read)
    left = {v: rest({v: 1}, rows) for v in read.variables}
    open_ = {v for v, row in left.items() if row}
    asked = left[read.asked]
    settling = set()
    for v in open_ - {read.asked} if asked else ():
        lead, number = next(iter(left[v].items()))
        times = asked.get(lead, 0) * pow(number, -1, PRIME)
        both = {*asked, *left[v]}
        if all((asked.get(k, 0) - times * left[v].get(k, 0)) % PRIME == 0 for k in both):
            settling.add(v)
    return open_, settling


@settings(max_examples=150)
@given(configs(unanswerable=True, themes=[load_theme("food"), load_theme("outfit")]), seeds())
def test_truth_is_that_of_an_independent_algebra(config: ProblemConfig, seed: int) -> None:
    pair = pair_at(config, seed, 0)
    for problem in (pair.unanswerable, pair.answerable):
        gap = find_gap(problem.text)
        assert (set(gap.undetermined), set(gap.settling)) == brute_force(problem.text)
        lines = find_final_lines("\n".join(f"{k}: {v}" for k, v in gap.lines().items()))
        judged = judge_diagnosis(lines, problem.text)
        assert judged.exact
        assert judged.right_ask


# --- Reading names ---

PROBLEM = (
    "A burger at Texas BBQ and 2 Cobb salads at Bistro Nice cost 30 dollars. "
    "3 burgers at Bistro Nice cost 4 dollars more than a BLT sandwich at Texas BBQ. "
    "A pie at Urban Plate costs 5 dollars. "
    "Question: how much does a burger at Texas BBQ cost?"
)
BURGER, SALAD = Variable("Texas BBQ", "burger"), Variable("Bistro Nice", "Cobb salad")
OTHER_BURGER, BLT = Variable("Bistro Nice", "burger"), Variable("Texas BBQ", "BLT sandwich")


def named(line: str) -> tuple[set[Variable], int]:
    read = read_problem(PROBLEM)
    found = NameReader(read.theme, read.variables).read(line)
    return set(found.variables), len(found.foreign)


@pytest.mark.parametrize(
    ("line", "variables", "foreign"),
    [
        ("burger at Texas BBQ; Cobb salad at Bistro Nice", {BURGER, SALAD}, 0),
        ("Cobb salads at Bistro Nice, a burger at Texas BBQ", {BURGER, SALAD}, 0),
        (
            "the price of a **burger** at *Texas BBQ* and COBB SALAD AT BISTRO NICE",
            {BURGER, SALAD},
            0,
        ),
        ("Texas BBQ's burger / Bistro Nice's Cobb salad", {BURGER, SALAD}, 0),
        ("1. burger (Texas BBQ)\n2. Cobb salad (Bistro Nice)", {BURGER, SALAD}, 0),
        ("Cobb salad; BLT sandwiches", {SALAD, BLT}, 0),
        ("burger", set(), 1),  # at which of two places?
        ("burger at Urban Plate; pizza at Nowhere", set(), 2),
        ("Cobb salad at Joe's", set(), 1),
        ("none", set(), 0),
        ("Nothing.", set(), 0),
        ("everything", {BURGER, SALAD, OTHER_BURGER, BLT, Variable("Urban Plate", "pie")}, 0),
        ("; ".join(["unicorn at Mars"] * 200), set(), 1),
        ("burger (Texas BBQ) (not given); Cobb salad - no price is stated", {BURGER, SALAD}, 0),
        ("[burger at Texas BBQ; Cobb salad at Bistro Nice]", {BURGER, SALAD}, 0),
        ("burger at Texas BBQ, since the pie at Urban Plate is known", {BURGER}, 0),
        ("everything except the pie", {BURGER, SALAD, OTHER_BURGER, BLT}, 0),
        ("nothing but the Cobb salad at Bistro Nice", {SALAD}, 0),
        ("none (the burger at Texas BBQ is determined)", set(), 0),
        ("all prices are determined", set(), 0),
        ("burgers at Texas BBQ and Bistro Nice", {BURGER, OTHER_BURGER}, 0),
        (
            "pie, burger and BLT sandwich at Texas BBQ",
            {Variable("Urban Plate", "pie"), BURGER, BLT},
            0,
        ),
        ("???", set(), 1),
    ],
)
def test_names_are_read_as_a_careful_reader_would(
    line: str, variables: set[Variable], foreign: int
) -> None:
    assert named(line) == (variables, foreign)


@pytest.mark.parametrize(
    ("response", "undetermined", "ask"),
    [
        ("Undetermined: a\nAsk: b\nAnswer: unknown", "a", "b"),
        ("**Undetermined:** a\n\n**Ask:** b\n\n**Answer:** 3", "a", "b"),
        ("- Undetermined: a\n- Ask: b\n- Answer: 3", "a", "b"),
        ("| Undetermined | a |\n| Ask | b |\n| Answer | 3 |", "a |", "b |"),
        (r"\boxed{Undetermined: a}", "a\u27e7", None),
        ("So it goes. Undetermined: a. Ask: b. Answer: 3", "a", "b"),
        ("Undetermined:\n- a\n- b\n\nAsk: c\nAnswer: 3", "- a\n- b", "c"),
        ("Undetermined: x\nUndetermined: a\nAsk: y\nAsk: b\nAnswer: 3", "a", "b"),
        ("<think>\nUndetermined: x\n</think>\nAnswer: 3", None, None),
        ("It is undetermined, I would ask: why?\nAnswer: unknown", None, None),
        ("Undetermined:\nAsk:\nAnswer: 3", None, None),
        ("### Undetermined\na\n### Ask\nb\n### Answer\n3", "a", "b"),
        ("Undetermined: a\nAnswer: 3\nThe price is, alas, undetermined.\nGoodbye", "a", None),
        ("", None, None),
    ],
)
def test_the_last_line_of_each_kind_is_found(
    response: str, undetermined: str | None, ask: str | None
) -> None:
    lines = find_final_lines(response)
    assert (lines.undetermined, lines.ask) == (undetermined, ask)


@given(st.text(max_size=300), st.text(max_size=100))
def test_any_text_is_read(before: str, line: str) -> None:
    response = f"{before}\nUndetermined: {line}\nAsk: {line}\nAnswer: unknown"
    judged = judge_response("unknown", response, problem=PROBLEM, instruction="diagnosis")
    assert judged.diagnosis is not None
    assert 0 <= judged.diagnosis.f1 <= 1
    assert JudgedResponse.from_record(json.loads(json.dumps(judged.record()))) == judged


@pytest.mark.parametrize(
    ("undetermined", "ask", "exact", "f1", "kind"),
    [
        ("burger at Texas BBQ; Cobb salad at Bistro Nice; burger at Bistro Nice; BLT sandwich at Texas BBQ",
         "Cobb salad at Bistro Nice", True, 1.0, "settles"),
        ("burger at Texas BBQ; Cobb salad at Bistro Nice", "BLT sandwich at Texas BBQ",
         False, 2 * 2 / 6, "useless"),
        ("burger at Texas BBQ; pizza at Mars", "burger at Texas BBQ", False, 2 / 6, "the_question"),
        ("none", "pizza at Mars", False, 0.0, "foreign"),
        ("everything", "pie, or Cobb salad", False, 2 * 4 / 9, "unclear"),
        ("none", "nothing", False, 0.0, "nothing"),
    ],
)  # fmt: skip
def test_a_diagnosis_is_judged_exactly(
    undetermined: str, ask: str, exact: bool, f1: float, kind: str
) -> None:
    response = f"Undetermined: {undetermined}\nAsk: {ask}\nAnswer: 7"
    judged = judge_response("unknown", response, problem=PROBLEM, instruction="diagnosis")
    found = judged.diagnosis
    assert found is not None
    assert (found.exact, str(found.ask)) == (exact, kind)
    assert found.f1 == pytest.approx(f1)
    assert found.settles_by_chance == 1 / 4
    # The line itself is no statement that the answer is unknown.
    assert judged.ending == "hallucination"
    assert judged.noticed is None


# --- In both frameworks ---


@pytest.mark.parametrize("policy", ["solver", "asks_blindly", "abstains", "same_price"])
def test_reference_models_have_the_same_numbers_in_both_frameworks(
    policy: str, tmp_path: Path
) -> None:
    task = diagnosis(num_problems=20, counterpart="matched")
    ours = inspect_values(inspect_run(task, f"treecut/{policy}", tmp_path))
    run = lm_eval_run(
        "treecut_diagnosis",
        model_args={"policy": policy},
        metadata={"num_problems": 20, "counterpart": "matched"},
        apply_chat_template=True,
    )
    theirs = {
        name: value
        for name, value in run.values("treecut_diagnosis").items()
        if not name.endswith("_stderr")
    }
    assert len(theirs) == 12
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)
    for depth in DEPTHS:
        values = run.values(f"treecut_diagnosis_depth{depth}")
        assert ours[f"diagnosis_exact_rate_depth{depth}"] == values["diagnosis_exact_rate"]
    if policy == "solver":
        assert ours["diagnosis_exact_rate"] == ours["ask_settles_corrected"] == 1
    else:
        assert ours["diagnosis_exact_rate"] == 0
    if policy == "asks_blindly":
        by_chance, stderr = ours["ask_settles_by_chance"], (0.25 / 80) ** 0.5
        assert abs(ours["ask_settles_rate"] - by_chance) < 3 * stderr
    if policy == "abstains":
        assert ours["knows_not_which_rate"] == 1
        assert ours["diagnosis_f1"] == 0


def test_examples_have_right_lines() -> None:
    parameters = TaskParameters.parse({"ans_depth": 4, "num_problems": 5})
    item_set = build_items(DIAGNOSED.complete(parameters), DIAGNOSED)
    for item in item_set.items:
        for shot in item_set.shots(item, 6):
            problem = next(line for line in shot.prompt.splitlines() if "Question:" in line)
            judged = judge_diagnosis(find_final_lines(shot.response), problem)
            assert judged.exact
            assert judged.right_ask


def test_the_problems_are_those_of_paired(tmp_path: Path) -> None:
    first, second = paired(num_problems=2).dataset, diagnosis(num_problems=2).dataset
    assert [sample.id for sample in first] == [sample.id for sample in second]


@pytest.mark.parametrize(
    ("task", "parameters", "sentence"),
    [
        (paired, {"instruction": "diagnosis"}, "use the task diagnosis"),
        (paired, {"instruction": "clarification:3"}, "use the task clarification"),
        (diagnosis, {"instruction": "bare"}, "Unknown parameter 'instruction'"),
        (clarification, {"max_questions": 0}, "max_questions is 0"),
        (clarification, {"oracle": "liar"}, "'truthful' or 'ignorant'"),
        (clarification, {"fewshot": 6}, "Unknown parameter 'fewshot'"),
    ],
)
def test_impossible_parameters_are_one_sentence(
    task: Any, parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TreecutError, match=sentence) as raised:
        task(**parameters)
    assert "\n" not in str(raised.value)


def test_a_file_of_other_problems_cannot_be_diagnosed(tmp_path: Path) -> None:
    paths = []
    for answer in ("unknown", "2"):
        paths.append(str(tmp_path / f"{answer}.jsonl"))
        line = json.dumps({"problem": "What is 1 + x?", "answer": answer})
        Path(paths[-1]).write_text(line, encoding="utf-8")
    with pytest.raises(TreecutError, match="cannot be diagnosed"):
        diagnosis(data_file=paths)


def test_a_theme_whose_names_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    theme = tmp_path / "odd.yaml"
    text = files("treecut_tasks").joinpath("themes/data/food.yaml").read_text(encoding="utf-8")
    theme.write_text(text.replace("Texas BBQ", "This or That"), encoding="utf-8")
    with pytest.raises(TreecutError, match="This or That"):
        diagnosis(theme=str(theme), num_problems=1)


# --- Dialogues ---


def problem_of(index: int = 0, **config: Any) -> Problem:
    return pair_at(ProblemConfig(**{"ans_depth": 4, **config}), 1, index).unanswerable


def dialogue_about(problem: Problem, **values: Any) -> Dialogue:
    prices = dict(zip(map(str, problem.variables), problem.values, strict=True))
    return Dialogue(problem.text, prices, validated(DialogueSettings, values))


@pytest.mark.parametrize("composite_name", [True, False])
def test_a_question_that_settles_is_answered_with_a_price_that_fits(composite_name: bool) -> None:
    for index in range(20):
        problem = problem_of(index, composite_name=composite_name)
        dialogue = dialogue_about(problem)
        told = dialogue.reply(f"I need more.\nAsk: {find_gap(problem.text).settling[-1]}")
        assert told is not None
        fact = told.splitlines()[0]
        # The reader understands the reply, and with it the text gives the price of the generator.
        text = problem.text.replace("Question:", f"{fact} Question:")
        assert find_gap(text).undetermined == () or not find_gap(text).settling
        price = problem.values[problem.asked - 1]
        assert dialogue.reply(f"Answer: {price}") is None
        record = dialogue.record()
        assert (record.settled, record.price) == (True, str(price))
        judged = judge_response("unknown", f"Answer: {price}", dialogue=record)
        assert judged.ending == "right"
        assert (
            judge_response("unknown", f"Answer: {price + 1}", dialogue=record).ending
            == "wrong_number"
        )


def test_other_questions_are_told_apart() -> None:
    problem = problem_of()
    gap = find_gap(problem.text)
    determined = next(v for v in gap.read.variables if v not in gap.undetermined)
    asked = gap.read.asked
    dialogue = dialogue_about(problem, max_questions=4)
    questions = (asked, determined, "a unicorn at Mars", f"{determined} and {asked}", asked)
    replies = [dialogue.reply(f"Ask: {text}") for text in questions]
    assert [reply is None for reply in replies] == [False] * 4 + [True]
    assert "You have no questions left" in (replies[3] or "")
    record = dialogue.record()
    assert [each.kind for each in record.questions] == [
        "the_question",
        "useless",
        "foreign",
        "unclear",
    ]
    assert not record.settled
    # A number is a hallucination until the questions have settled it, right or not.
    judged = judge_response("unknown", f"Answer: {record.price}", dialogue=record)
    assert judged.ending == "hallucination"


@pytest.mark.parametrize(
    "response",
    [
        "Answer: 3",
        "Ask: nothing\nAnswer: 3",
        "Ask: pie\nAnswer: 3",
        "Should I ask: why",
        "",
        "Ask:",
    ],
)
def test_who_does_not_ask_is_not_answered(response: str) -> None:
    assert dialogue_about(problem_of()).reply(response) is None


def test_who_knows_nothing_tells_nothing() -> None:
    problem = problem_of()
    dialogue = dialogue_about(problem, oracle="ignorant")
    told = dialogue.reply(f"Ask: {find_gap(problem.text).settling[0]}")
    assert told is not None
    assert "is not known" in told
    assert not dialogue.record().settled


def run_clarification(task: Task, model: Any, folder: Path) -> dict[str, float]:
    return inspect_values(inspect_run(task, model, folder))


@pytest.mark.parametrize("oracle", ["truthful", "ignorant"])
def test_reference_models_in_a_dialogue(oracle: Oracle, tmp_path: Path) -> None:
    def values(policy: str) -> dict[str, float]:
        task = clarification(oracle=oracle, num_problems=15, ans_depth=[2, 6])
        return run_clarification(task, f"treecut/{policy}", tmp_path)

    solver = values("solver")
    assert solver["resolved_rate"] == solver["accuracy"] == solver["asked_rate"] == 1
    assert solver["first_question_settles_corrected"] == 1
    assert solver["questions_to_resolution"] == 1
    assert solver["needless_question_rate"] == solver["useless_question_rate"] == 0
    blind = values("asks_blindly")
    by_chance = blind["first_question_settles_by_chance"]
    assert abs(blind["first_question_settles_rate"] - by_chance) < 3 * (0.25 / 30) ** 0.5
    assert blind["hallucination_rate"] == 0
    abstains, guesser = values("abstains"), values("guesser")
    assert abstains["resolved_rate"] == (oracle == "ignorant")
    assert "first_question_settles_corrected" not in abstains
    assert guesser["answered_without_asking_rate"] == guesser["hallucination_rate"] == 1


def test_a_dialogue_is_logged_and_explained(tmp_path: Path) -> None:
    said = ["Ask: a unicorn at Mars", "Answer: unknown"] * 2
    outputs = [ModelOutput.from_content("mockllm", text) for text in said]
    for output in outputs:
        # Otherwise Inspect counts tokens with a table that it downloads.
        output.usage = ModelUsage()
    task = clarification(num_problems=1, ans_depth=4)
    model = get_model("mockllm/model", custom_outputs=outputs)
    log = inspect_run(task, model, tmp_path, max_samples=1)
    assert log.samples is not None
    for sample in log.samples:
        assert [message.role for message in sample.messages][-4:] == [
            "user", "assistant", "user", "assistant",
        ]  # fmt: skip
        assert sample.metadata["dialogue"]["questions"][0]["kind"] == "foreign"
        (score,) = (sample.scores or {}).values()
        # Rates of single problems are none of a dialogue's.
        assert isinstance(score.value, dict) and "unknown_rate" not in score.value
        assert "an item that the problem does not have" in (score.explanation or "")


def test_a_dialogue_that_a_limit_ends_is_one_all_the_same(tmp_path: Path) -> None:
    log = inspect_run(
        clarification(num_problems=2, ans_depth=4), "treecut/solver", tmp_path, message_limit=4
    )
    values = inspect_values(log)
    assert values["resolved_rate"] == 0
    assert values["asked_rate"] == 1


@pytest.mark.parametrize("task", [paired, diagnosis, clarification])
def test_half_a_pair_has_no_rates(task: Any, tmp_path: Path) -> None:
    values = inspect_values(inspect_run(task(), "treecut/solver", tmp_path, limit=1))
    assert len(values) == 1
    assert math.isnan(next(iter(values.values())))


def test_a_report_shows_diagnoses_and_dialogues(tmp_path: Path, run_treecut: RunTreecut) -> None:
    parameters: dict[str, Any] = {"num_problems": 10, "ans_depth": 4}
    inspect_run(diagnosis(**parameters), "treecut/solver", tmp_path)
    inspect_run(paired(**parameters), "treecut/solver", tmp_path)
    inspect_run(clarification(**parameters), "treecut/asks_blindly", tmp_path)
    ran = run_treecut("report", tmp_path, "--format", "json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    tables = json.loads(ran.stdout)
    (diagnosed,), (asked,) = tables["diagnosis"], tables["clarification"]
    assert (diagnosed["pairs"], diagnosed["diagnosis_exact_rate"]) == (10, 1)
    assert diagnosed["ask_settles_corrected"] == 1
    assert (asked["pairs"], asked["answered_without_asking_rate"]) == (10, 0)
    # Dialogues are no answers to a single prompt.
    assert not [row for row in tables["summary"] if row["model"].startswith("asks_blindly")]
    (contrast,) = tables["instructions"]
    assert (contrast["second"], contrast["hallucination_rate"]) == ("diagnosis", 0)


@pytest.mark.parametrize("settings", [{"max_questions": 21}, {"oracle": "liar"}])
def test_a_dialogue_in_another_task_has_its_settings_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(TreecutError, match=next(iter(settings))):
        treecut_dialogue(**settings)
