"""`treecut score` and the same in Python: responses that exist already."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import run_here
from tests.framework_runs import inspect_run
from treecut_tasks import TreecutError, paired, score_responses, summarise_responses

PROBLEM = (
    "A pizza at Texas BBQ and 3 lasagnas at Texas BBQ cost 48 dollars. A lasagna at Urban Plate "
    "costs 6 dollars. Question: how much does a lasagna at Texas BBQ cost?"
)
FULL = PROBLEM.replace("Question", "A pizza at Texas BBQ costs 15 dollars. Question")


def score(*arguments: str, folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_here(["score", *arguments], stdin, folder)


def rows() -> list[dict[str, Any]]:
    pair = {"pair_id": "one"}
    return [
        {"problem": PROBLEM, "answer": "unknown", "response": "Answer: unknown", "id": "a", **pair},
        {"problem": FULL, "answer": 11.0, "response": "Answer: 11", "tag": {"name": "m"}, **pair},
        {"problem": PROBLEM, "answer": "unknown", "response": "Answer: 12"},
        {"problem": PROBLEM, "answer": "unknown", "response": "x costs", "finish_reason": "length"},
    ]


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    return file


def test_rates_of_all_kinds(responses: Path) -> None:
    run = score(responses.name, "--json", folder=responses.parent)
    table = json.loads(run.stdout)
    assert {kind: next(iter(rates.values()))["n"] for kind, rates in table.items()} == {
        "unanswerable": 1,
        "answerable": 1,
        "paired": 1,
    }
    assert table["unanswerable"]["hallucination_rate"]["value"] == pytest.approx(1 / 3)
    assert table["paired"]["pair_solved_rate"]["value"] == 1
    assert "pair_solved_rate" in score(responses.name, folder=responses.parent).stdout


def test_what_is_printed_is_explained_and_never_nan(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps(rows()[0]), encoding="utf-8")
    printed = score("r.jsonl", folder=tmp_path).stdout
    assert (
        "commit to a number" in printed and "the line that the prompt asks for 100.0 %" in printed
    )
    assert " nan" not in printed and "false_alarm_rate" not in printed


def test_several_files_count_together(responses: Path) -> None:
    (responses.parent / "other.jsonl").write_text(responses.read_text("utf-8"), encoding="utf-8")
    run = score(responses.name, "other.jsonl", "--json", folder=responses.parent)
    table = json.loads(run.stdout)
    # The same problems, answered once more.
    assert table["unanswerable"]["unknown_rate"]["n"] == 1
    assert table["paired"]["pair_solved_rate"]["n"] == 1


def test_output_keeps_the_callers_keys(responses: Path) -> None:
    run = score(responses.name, "-o", "-", folder=responses.parent)
    written = [json.loads(line) for line in run.stdout.splitlines()]
    assert written[0]["id"] == "a"
    assert written[1]["tag"] == {"name": "m"}
    assert [row["verdict"] for row in written] == ["unknown", "number", "number", "none"]
    assert [row["truncated"] for row in written] == [False, False, False, True]


def test_python_gives_the_same() -> None:
    judged = score_responses(rows())
    rates = summarise_responses(judged, [row.get("pair_id") for row in rows()])
    assert rates["paired"]["pair_solved_rate"].value == 1
    assert "paired" not in summarise_responses(judged)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"truncated": "false"}, ["truncated", "'false'"]),
        ({"answer": True}, ["answer", "True"]),
        ({"answer": "eleven"}, ["answer", "'eleven'", "unknown"]),
        ({"answer": "1" * 5000}, ["answer"]),
        ({"response": 5}, ["response", "5"]),
        ({"problem": None}, ["problem"]),
        ({"ans_depth": -1}, ["ans_depth", "-1"]),
        ({"theme": "no_such_theme"}, ["no_such_theme"]),
    ],
)
def test_bad_values_are_named_with_file_and_line(
    change: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    lines = [rows()[0], {**rows()[2], **change}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "r.jsonl").write_text(text, encoding="utf-8")
    run = score("r.jsonl", folder=tmp_path)
    assert run.returncode != 0
    assert len(run.stderr.strip().splitlines()) == 1
    assert len(run.stderr) < 400
    for word in words:
        assert word in run.stderr
    if "theme" not in change:
        assert "r.jsonl:2" in run.stderr


def test_missing_key() -> None:
    with pytest.raises(TreecutError, match=r"Response 1: response is missing"):
        score_responses([{"problem": PROBLEM, "answer": "unknown"}])


def test_a_byte_order_mark_and_standard_input(responses: Path) -> None:
    text = "\ufeff" + responses.read_text(encoding="utf-8")
    run = score("-", folder=responses.parent, stdin=text)
    assert "1 unanswerable problem:" in run.stdout


class TestReview:
    def sheet(self, responses: Path) -> list[dict[str, str]]:
        (responses.parent / "review.csv").unlink(missing_ok=True)
        run = score(responses.name, "--review", "4", folder=responses.parent)
        assert "review.csv" in run.stderr
        with (responses.parent / "review.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def mark(self, responses: Path, marks: dict[str, str]) -> str:
        table = self.sheet(responses)
        for row in table:
            row["mark"] = marks.get(row["line"], "")
        with (responses.parent / "marked.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
        run = score(responses.name, "--labels", "marked.csv", folder=responses.parent)
        return run.stdout + run.stderr

    def test_the_least_certain_come_first(self, responses: Path) -> None:
        table = self.sheet(responses)
        assert table[0]["line"] == "4"
        assert {row["line"] for row in table} == {"1", "2", "3", "4"}
        assert table[1]["question"] == "how much does a lasagna at Texas BBQ cost?"

    def test_empty_responses_are_not_marked(self, tmp_path: Path) -> None:
        lines = [rows()[0], {**rows()[0], "response": " "}]
        (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        run = score("r.jsonl", "--review", "5", folder=tmp_path)
        assert "1 responses to mark (1 are empty and left out)" in run.stderr
        (tmp_path / "r.jsonl").write_text(json.dumps(lines[1]), encoding="utf-8")
        run = score("r.jsonl", "--review", "5", "--sheet", "s.csv", folder=tmp_path)
        assert "All responses are empty" in run.stderr and not (tmp_path / "s.csv").exists()

    def test_agreement(self, responses: Path) -> None:
        printed = self.mark(responses, {"1": "y", "2": "11", "3": "unknown", "4": "y"})
        assert "75.0 %" in printed
        assert "4 marked" in printed
        assert "line 3: verdict 12, marked unknown" in printed
        assert "kappa of the verdicts: 0.6" in printed

    def test_a_sheet_of_other_responses_is_refused(self, responses: Path) -> None:
        self.mark(responses, {"1": "y"})
        lines = responses.read_text(encoding="utf-8").splitlines(keepends=True)
        (responses.parent / "other.jsonl").write_text("".join(reversed(lines)), encoding="utf-8")
        run = score("other.jsonl", "--labels", "marked.csv", folder=responses.parent)
        assert run.returncode != 0
        assert "Line 1 of the sheet shows another response" in run.stderr

    def test_another_number_disagrees(self, responses: Path) -> None:
        assert "line 2: verdict 11, marked 12" in self.mark(responses, {"2": "12"})

    def test_marks_that_are_none(self, responses: Path) -> None:
        assert "no marks" in self.mark(responses, {})
        assert "'perhaps'" in self.mark(responses, {"1": "perhaps"})

    def test_marks_are_never_overwritten(self, responses: Path) -> None:
        (responses.parent / "review.csv").write_text("line,mark\n1,y\n", encoding="utf-8")
        run = score(responses.name, "--review", "2", folder=responses.parent)
        assert run.returncode != 0
        assert "'review.csv' exists" in run.stderr
        assert (responses.parent / "review.csv").read_text(encoding="utf-8") == "line,mark\n1,y\n"

    def test_no_formulas(self, tmp_path: Path) -> None:
        row = {"problem": PROBLEM, "answer": "unknown", "response": "=1+1"}
        (tmp_path / "r.jsonl").write_text(json.dumps(row), encoding="utf-8")
        score("r.jsonl", "--review", "1", folder=tmp_path)
        assert ",'=1+1" in (tmp_path / "review.csv").read_text(encoding="utf-8")


def test_an_inspect_log_without_scores(tmp_path: Path) -> None:
    task = paired(ans_depth=2, num_problems=4)
    inspect_run(task, "treecut/same_price", tmp_path / "logs", score=False)
    (log,) = (tmp_path / "logs").glob("*.eval")
    table = json.loads(score(str(log), "--json", folder=tmp_path).stdout)
    assert table["paired"]["hallucination_rate"]["value"] == 1
    assert table["paired"]["accuracy"]["value"] == 1


@pytest.mark.parametrize("end", ["", "\n"])
def test_thinking_in_lm_evals_samples_is_reasoning(end: str, tmp_path: Path) -> None:
    """Wherever it stands, it is read as what a framework keeps apart as reasoning."""
    thought = "Hm. The price of a pizza is missing, so it cannot be determined."
    doc = {"id": "p", "problem": PROBLEM, "prompt": PROBLEM, "answer": "unknown", "metadata": "{}"}
    response = f"So: <think>{thought}</think> Answer: 3{end}"
    line = {"doc": doc, "arguments": {"gen_args_0": {"arg_0": ""}}, "resps": [[response]]}
    (tmp_path / "samples.jsonl").write_text(json.dumps(line), encoding="utf-8")
    written = json.loads(score("samples.jsonl", "-o", "-", folder=tmp_path).stdout)
    apart = {"response": "So:  Answer: 3", "reasoning": thought}
    (judged,) = score_responses([{**rows()[2], **apart}])
    assert judged.noticed is not None
    assert written["noticed"] == judged.record()["noticed"]


def test_lm_evals_samples(tmp_path: Path) -> None:
    doc = {"id": "p", "problem": PROBLEM, "prompt": PROBLEM, "answer": "unknown", "metadata": "{}"}
    pair = {"counterpart_id": "q", "counterpart_problem": FULL, "counterpart_answer": "11"}
    asked = {f"gen_args_{number}": {"arg_0": PROBLEM} for number in (0, 1)}
    lines = [
        {"doc": doc, "arguments": asked, "resps": [["Answer: 12", "Answer: unknown"]]},
        {
            "doc": {**doc, **pair, "id": "r"},
            "arguments": asked,
            "resps": [["Answer: unknown"], ["Answer: 11"]],
        },
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "samples.jsonl").write_text(text, encoding="utf-8")
    table = json.loads(score("samples.jsonl", "--json", folder=tmp_path).stdout)
    # Three responses to one problem.
    unknown = table["unanswerable"]["unknown_rate"]
    assert unknown["n"] == 1
    assert unknown["value"] == pytest.approx(2 / 3)
    assert table["paired"]["pair_solved_rate"]["value"] == 1
