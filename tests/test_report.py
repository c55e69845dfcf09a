"""`treecut report`: from logs of both frameworks to every format, and what it says to bad input."""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="the extra [report] is not installed")

import pandas as pd
from inspect_ai import Task, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from rich.cells import cell_len

import treecut_tasks.extras
from tests.conftest import RunTreecut
from tests.framework_runs import inspect_run, inspect_values, save_lm_eval_run
from tests.report_logs import (
    EVIL,
    FlakyModel,
    cut_off,
    make_inspect_logs,
    make_lm_eval_results,
    saying,
    scripted_model,
    simulated,
)
from treecut_tasks import (
    ProblemConfig,
    breaking_depth,
    clarification,
    diagnosis,
    pair_at,
    paired,
    structure,
    unanswerable,
)
from treecut_tasks.cli.report import command as report_command
from treecut_tasks.errors import TreecutError
from treecut_tasks.report import FORMATS
from treecut_tasks.report.document import Document, Figure, Table
from treecut_tasks.report.evidence import Evidence, read_evidence
from treecut_tasks.report.rendering.output import text_report, write_report
from treecut_tasks.report.sections import make_document


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def inspect_logs(folder: Path) -> dict[str, EvalLog]:
    return make_inspect_logs(folder)


@pytest.fixture(scope="module")
def lm_eval_results(folder: Path) -> Path:
    return make_lm_eval_results(folder / "lm-eval")


@pytest.fixture(scope="module")
def evidence(folder: Path, inspect_logs: dict[str, EvalLog], lm_eval_results: Path) -> Evidence:
    return read_evidence([str(folder)])


@pytest.fixture(scope="module")
def document(evidence: Evidence) -> Document:
    return make_document(evidence)


@pytest.fixture(scope="module")
def written(
    evidence: Evidence, document: Document, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("report")
    return {path.name: path for path in write_report(evidence, document, folder, FORMATS)}


def table(document: Document, name: str) -> pd.DataFrame:
    found = [each for each in document.blocks(Table) if each.name == name]
    return found[0].data


def terminal(evidence: Evidence, document: Document) -> str:
    return text_report(evidence, document, "terminal", width=200, colour=False)


def test_rates_are_those_of_the_frameworks(
    document: Document, inspect_logs: dict[str, EvalLog], lm_eval_results: Path
) -> None:
    cells = table(document, "cells").set_index(["model", "unanswerable", "fewshot", "ans_depth"])
    one = "simulated-one"
    values = inspect_values(inspect_logs["six-shot"])
    for depth in (2, 4, 6, 8):
        (value,) = cells.loc[[(one, True, 6, depth)], "value"]
        assert value == pytest.approx(values[f"paper_hallucination_rate_depth{depth}"])
    values = inspect_values(inspect_logs["paired"])
    summary = table(document, "summary").set_index(["model", "fewshot"])
    assert summary.loc[(one, 0), "pair_solved_rate"] == pytest.approx(values["pair_solved_rate"])
    results = json.loads(lm_eval_results.read_text("utf-8"))["results"]
    accuracy = results["treecut_answerable_depth4"]["accuracy,none"]
    assert list(cells.loc[[("same_price", False, 0, 4)], "value"]) == [accuracy]
    rate = results["treecut_depth2_fewshot"]["paper_hallucination_rate,none"]
    assert list(cells.loc[[("same_price", True, 6, 2)], "value"]) == [rate]


def test_the_same_problems_of_two_tasks_count_once(document: Document) -> None:
    # treecut_depth2 and treecut_paired_depth2 ask the same 12 unanswerable problems.
    cells = table(document, "cells")
    (cell,) = cells[
        (cells["model"] == "same_price") & cells["unanswerable"] & (cells["fewshot"] == 0)
    ].to_dict("records")
    assert (cell["responses"], cell["problems"]) == (24, 12)


def test_shares_that_add_up_add_up(document: Document) -> None:
    summary = table(document, "summary")
    shares = summary[["hallucination_rate", "unknown_rate", "no_answer_rate"]].sum(axis=1)
    assert shares.to_numpy() == pytest.approx(1)
    endings = table(document, "endings").drop(
        columns=["model", "unanswerable", "fewshot", "responses"]
    )
    assert endings.sum(axis=1).to_numpy() == pytest.approx(1)
    causes = table(document, "causes").set_index(["model", "fewshot"])
    assert causes.loc[("same_price", 6), "same_price"] == 1
    assert causes["any_by_chance"].between(0, 1).all()


def test_tables_stand_beside_the_papers(document: Document, shared_dir: Path) -> None:
    import yaml

    ours = table(document, "table-1")
    assert {5, 7} <= set(ours["ans_depth"])
    assert set(ours.loc[~ours["from_paper"], "model"]) > {"same_price"}
    source = yaml.safe_load((shared_dir / "reference" / "paper-results.yaml").read_text("utf-8"))
    names = {
        1: "table_1_zero_shot_hallucination",
        2: "table_2_six_shot_hallucination",
        3: "table_3_answerable_accuracy",
    }
    for number, name in names.items():
        rows = table(document, f"table-{number}").query("from_paper")
        rates = rows.set_index(["ans_depth", "model"])
        for depth, values in source[name].items():
            expected = dict(zip(source["models"], values, strict=True))
            assert {
                model: 100 * rates.loc[(depth, model), "value"] for model in expected
            } == pytest.approx(expected)
    for depth, values in source["table_3_answerable_called_unknown"].items():
        expected = dict(zip(source["models"], values, strict=True))
        for model, value in expected.items():
            assert 100 * rates.loc[(depth, model), "false_unknown_rate"] == pytest.approx(value)


def test_figures_are_there_and_repeat_byte_for_byte(document: Document) -> None:
    figures = {figure.name: figure for figure in document.blocks(Figure)}
    assert {"figure-1", "figure-2", "figure-3", "endings", "causes"} <= set(figures)
    for figure in figures.values():
        assert figure.svg == replace(figure).svg and figure.png == replace(figure).png
        assert b"<script" not in figure.svg.lower()
        assert figure.alt and figure.caption
    assert "simulated-one, ansDepth 7" in figures["figure-3"].alt


def test_a_grid_becomes_a_heat_map(tmp_path: Path) -> None:
    grid = unanswerable(ans_depth=[4, 5, 6], cut_depth=[1, 2, 3], num_problems=2)
    inspect_run(grid, "treecut/guesser", tmp_path)
    figures = {
        each.name: each for each in make_document(read_evidence([str(tmp_path)])).blocks(Figure)
    }
    assert "grid-2-composite" in figures and "figure-3" not in figures
    assert figures["grid-2-composite"].png.startswith(b"\x89PNG")


def test_simulated_models_are_marked_in_every_output(
    evidence: Evidence,
    document: Document,
    written: dict[str, Path],
    inspect_logs: dict[str, EvalLog],
) -> None:
    for name in ("report.md", "report.json", "report.html"):
        assert "SIMULATED" in written[name].read_text("utf-8")
    assert "SIMULATED" in terminal(evidence, document)
    renamed = read_evidence([inspect_logs["six-shot"].location], {"simulated-one": "GPT"})
    assert renamed.models == ("GPT [simulated]",)


@pytest.mark.parametrize("colour", [False, True])
def test_the_terminal_view_fits_100_columns(
    evidence: Evidence, document: Document, colour: bool
) -> None:
    text = text_report(evidence, document, "terminal", width=200, colour=colour)
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert max(cell_len(line) for line in plain.splitlines()) <= 100
    assert "\x1b" not in plain and "\u202e" not in plain
    assert len(plain.splitlines()) <= 45
    for part in ("Rates by model", "Table 1.", "GPT-4o", "-o FOLDER"):
        assert part in plain


def test_every_section_has_content_and_each_untested_claim_its_reason(tmp_path: Path) -> None:
    inspect_run(unanswerable(num_problems=10), "treecut/guesser", tmp_path)
    evidence = read_evidence([str(tmp_path)])
    markdown = text_report(evidence, make_document(evidence), "markdown", 100, False)
    assert not re.search(r"(?m)^(#+) .*\n+(?=\1 |\Z)", markdown)
    (reason,) = re.findall(r"(?m)^Not tested: .*", markdown)
    assert "complexity, names (structure was not run)" in reason
    assert "composite names are" not in markdown.lower()


def test_text_from_logs_is_harmless(
    written: dict[str, Path], evidence: Evidence, document: Document
) -> None:
    page = written["report.html"].read_text("utf-8")
    assert "alert" in page, "the response is there"
    assert "<script>alert" not in page and "<b>[red]" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    markdown = written["report.md"].read_text("utf-8")
    assert "<b>" not in markdown and "evil|" not in markdown
    tables = re.findall(r"(?m)^\|.*\n\|[- :|]+\n(?:\|.*\n)+", markdown)
    assert len(tables) == len(document.blocks(Table))
    for found in tables:
        assert len({re.sub(r"\\.", "", line).count("|") for line in found.splitlines()}) == 1
    assert "[red]evil" in terminal(evidence, document)
    assert "\\$x\\$" in written["tables.tex"].read_text("utf-8")
    for name in ("report.html", "report.md", "report.json", "responses.csv"):
        text = written[name].read_text("utf-8")
        assert "\x1b" not in text and "\u202e" not in text, name


def test_all_formats_have_the_same_numbers(document: Document, written: dict[str, Path]) -> None:
    content = json.loads(written["report.json"].read_text("utf-8"))
    for name, rows in content.items():
        if f"{name}.csv" in written:
            frame = pd.read_csv(written[f"{name}.csv"])
            assert len(frame) == len(rows) and list(frame.columns) == list(rows[0])
    responses = pd.read_csv(written["responses.csv"])
    own = responses[(responses["model"] == "same_price") & (responses["fewshot"] == 6)]
    summary = table(document, "summary").set_index(["model", "fewshot"])
    assert (
        own["paper_hallucination_rate"].mean()
        == summary.loc[("same_price", 6), "paper_hallucination_rate"]
    )
    for name in re.findall(r"\]\((\S+)\)", written["report.md"].read_text("utf-8")):
        assert name in written


def shown_in_page(path: Path) -> dict[str, Any]:
    match = re.search(
        r'<script type="application/json" id="data">(.*?)</script>',
        path.read_text("utf-8"),
        re.DOTALL,
    )
    assert match
    content: dict[str, Any] = json.loads(match[1])
    return content


def test_responses_can_be_read_with_verdict_and_words(written: dict[str, Path]) -> None:
    content = shown_in_page(written["report.html"])
    model, verdict = (content["columns"].index(name) for name in ("model", "verdict"))
    evil = [index for index, row in enumerate(content["rows"]) if "evil" in row[model]]
    assert len(evil) == 6
    for index in evil:
        problem, lacks, prompt, response = content["texts"][index]
        assert content["rows"][index][verdict].startswith("Hallucination: it answers 7")
        assert (
            response.startswith("<script>alert('x')</script>")
            and "\x1b" in EVIL
            and "\x1b" not in response
        )
        assert problem in prompt and lacks and lacks not in problem
    both = [row for row in content["rows"] if row[model] == "same_price"]
    assert {row[verdict].split(":")[0] for row in both} == {"Hallucination", "Right"}


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_a_dialogue_is_read_as_a_whole_with_what_is_due(tmp_path: Path, suffix: str) -> None:
    log = inspect_run(
        clarification(ans_depth=2, num_problems=3), "treecut/solver", tmp_path / "run"
    )
    path = tmp_path / f"log{suffix}"
    write_eval_log(log, str(path))
    evidence = read_evidence([str(path)])
    (page,) = write_report(evidence, make_document(evidence), tmp_path, ["html"])
    content = shown_in_page(page)
    kind, verdict = (content["columns"].index(name) for name in ("problems", "verdict"))
    settled = 0
    for row, facts, words in zip(content["rows"], content["facts"], content["texts"], strict=True):
        _, _, prompt, response = words
        due = facts["correct answer"]
        assert row[verdict].startswith(f"Right: it answers {due}")
        assert "[assistant]" not in prompt and prompt.endswith("Answer: unknown")
        if row[kind].startswith("unanswerable"):
            settled += 1
            question, reply, answer = response.split("\n\n[")
            assert question.startswith("[assistant]\n") and "Ask: " in question
            assert reply.startswith("user]\n") and " costs " in reply
            assert answer.startswith("assistant]\n") and answer.endswith(f"Answer: {due}")
        else:
            assert response.endswith(f"Answer: {due}") and "[" not in response
    assert settled == 3


def test_what_was_run(document: Document) -> None:
    runs = table(document, "runs").set_index("tasks")
    evil = runs[runs["logged_as"].str.startswith("mockllm")].iloc[0]
    assert (evil["responses"], evil["planned"], evil["input_tokens"], evil["output_tokens"]) == (
        6,
        6,
        600,
        120,
    )
    assert "hallucination 0.6" in runs.loc["structure", "settings"]
    lm_eval = runs.loc["treecut_depth2_fewshot"]
    assert (lm_eval["fewshot"], lm_eval["planned"]) == (6, 12)
    assert "max_gen_toks 4000" in lm_eval["settings"] and pd.isna(lm_eval["input_tokens"])


def test_errors_and_limits_are_told_apart(tmp_path: Path) -> None:
    def failing(prompt: str) -> ModelOutput:
        if "burger" in prompt:
            raise RuntimeError(
                "\x1b[31mdown: https://x.org/v1?api_key=abcdef123 Bearer s3cr3t-t0ken"
            )
        return cut_off(prompt)

    log = inspect_run(
        unanswerable(ans_depth=4, num_problems=30),
        scripted_model(failing),
        tmp_path,
        fail_on_error=False,
    )
    errors = sum(sample.error is not None for sample in log.samples or [])
    assert 0 < errors < 30
    evidence = read_evidence([str(tmp_path)])
    document = make_document(evidence)
    (cell,) = evidence.counted_cells.to_dict("records")
    assert (cell["no_verdict"], cell["truncated"], cell["responses"], cell["problems"]) == (
        errors, 30 - errors, 30, 30 - errors,
    )  # fmt: skip
    (row,) = table(document, "endings").to_dict("records")
    assert (row["cut off"], row["no verdict"]) == pytest.approx((1 - errors / 30, errors / 30))
    for form in ("terminal", "json"):
        text = text_report(evidence, document, form, 100, False)
        assert "abcdef123" not in text and "s3cr3t" not in text and "\x1b" not in text
    said = " ".join(evidence.responses["error"])
    assert "down" in said and "abcdef123" not in said and "s3cr3t" not in said


def test_a_run_without_any_verdict_makes_a_report(tmp_path: Path) -> None:
    def failing(prompt: str) -> ModelOutput:
        raise RuntimeError("down")

    task = unanswerable(ans_depth=2, num_problems=2)
    inspect_run(task, scripted_model(failing), tmp_path / "logs", fail_on_error=False)
    evidence = read_evidence([str(tmp_path / "logs")])
    document = make_document(evidence)
    assert "2 responses" in document.summary
    written = write_report(evidence, document, tmp_path / "out", FORMATS)
    assert "No verdict: RuntimeError('down')." in json.dumps(
        shown_in_page(next(path for path in written if path.name == "report.html"))["rows"]
    )


def test_a_run_of_dialogues_alone_makes_a_report(tmp_path: Path) -> None:
    inspect_run(clarification(ans_depth=2, num_problems=2), "treecut/solver", tmp_path / "logs")
    evidence = read_evidence([str(tmp_path / "logs")])
    document = make_document(evidence)
    assert [section.title for section in document.sections] == ["What is missing", "What was run"]
    assert write_report(evidence, document, tmp_path / "out", FORMATS)


def test_the_papers_tables_come_right_after_the_summary(tmp_path: Path) -> None:
    for made in (diagnosis(ans_depth=2, num_problems=2), unanswerable(num_problems=2)):
        inspect_run(made, "treecut/solver", tmp_path)
    evidence = read_evidence([str(tmp_path)])
    document = make_document(evidence)
    titles = [section.title for section in document.sections]
    assert titles[:3] == ["Summary", "The paper's tables", "What is missing"]
    assert "Table 1." in terminal(evidence, document)


def test_a_search_for_the_breaking_depth_stands_apart(tmp_path: Path) -> None:
    """Answers decide which problems are asked: they change no cell, neither the paper's views."""
    inspect_run(structure(num_problems=10), "treecut/guesser", tmp_path / "set")
    inspect_run(breaking_depth(max_calls=30), "treecut/guesser", tmp_path / "search")
    save_lm_eval_run(tmp_path / "lm-eval", "treecut_breaking_depth", "guesser", limit=30)
    of_set, of_both, of_search = (
        make_document(read_evidence([str(tmp_path / name) for name in names]))
        for names in (["set"], ["set", "search"], ["search", "lm-eval"])
    )
    for name in ("table-1", "cells", "claims"):
        pd.testing.assert_frame_equal(table(of_both, name), table(of_set, name))
    drawn = [
        {each.name: each.alt for each in document.blocks(Figure) if each.name.startswith("figure")}
        for document in (of_both, of_set, of_search)
    ]
    assert drawn[0] == drawn[1] and drawn[2] == {}
    assert table(of_search, "breaking-depth")["problems"].tolist() == [30, 30]
    assert table(of_search, "endings")["responses"].tolist() == [30, 30]
    assert table(of_both, "endings")["responses"].tolist() == [230]
    titles = [section.title for section in of_search.sections]
    assert not {"The paper's tables", "Structure of the problems", "The paper's claims"} & {*titles}


def test_a_resumed_run_counts_once(tmp_path: Path) -> None:
    FlakyModel.calls = 0
    first = inspect_run(
        unanswerable(ans_depth=4, num_problems=8),
        "flaky/model",
        tmp_path,
        max_samples=1,
        max_connections=1,
    )
    assert first.status == "error"
    unfinished = read_evidence([first.location])
    assert 0 < len(unfinished.responses) < 8
    assert any("did not finish" in notice for notice in make_document(unfinished).notices)
    (second,) = eval_retry(
        first.location, log_dir=str(tmp_path), display="none", log_realtime=False
    )
    assert second.status == "success"
    evidence = read_evidence([str(tmp_path)])
    assert (len(evidence.responses), evidence.superseded) == (8, len(unfinished.responses))
    assert evidence.responses["scored"].all()
    assert [run.status for run in evidence.runs] == ["success"]


def test_copies_count_once(
    inspect_logs: dict[str, EvalLog], lm_eval_results: Path, tmp_path: Path
) -> None:
    location = Path(inspect_logs["paired"].location)
    shutil.copy(location, tmp_path / location.name)
    write_eval_log(read_eval_log(str(location)), str(tmp_path / "as-json.json"))
    shutil.copytree(lm_eval_results.parent, tmp_path / "copied")
    evidence = read_evidence([str(location), str(lm_eval_results), str(tmp_path)])
    assert (len(evidence.responses), evidence.superseded) == (120 + 60, 240 + 60)


def test_unscored_logs_are_judged_from_their_words(
    inspect_logs: dict[str, EvalLog], tmp_path: Path, lm_eval_results: Path
) -> None:
    scored = read_evidence([inspect_logs["paired"].location])
    inspect_run(paired(num_problems=15), simulated("one", hallucination=0.6), tmp_path, score=False)
    unscored = read_evidence([str(tmp_path)])
    columns = ["problem_id", "ending", "value", "cause", "tier", "quote"]
    frames = (each.responses.sort_values("problem_id") for each in (unscored, scored))
    ones, others = (frame.reset_index()[columns] for frame in frames)
    pd.testing.assert_frame_equal(ones, others)
    predicted = make_lm_eval_results(tmp_path / "predicted", predict_only=True)
    ones, others = (read_evidence([str(path)]).responses for path in (lm_eval_results, predicted))
    order = ["task", "problem_id"]
    pd.testing.assert_frame_equal(
        *(frame.sort_values(order, ignore_index=True)[columns] for frame in (ones, others))
    )


def test_models_and_runs_side_by_side(tmp_path: Path) -> None:
    for name, probability in (("x", 0.3), ("y", 0.9), ("x", 0.3)):
        model = simulated(name, hallucination=probability)
        inspect_run(unanswerable(ans_depth=[2, 4], num_problems=20), model, tmp_path)
    evidence = read_evidence([str(tmp_path)])
    assert evidence.models == ("simulated-x", "simulated-y")
    models, runs = table(make_document(evidence), "comparisons").to_dict("records")
    assert (models["first"], models["second"], models["common"]) == (*evidence.models, 40)
    assert models["difference"] == pytest.approx(models["second_rate"] - models["first_rate"])
    assert models["only_second"] - models["only_first"] == pytest.approx(40 * models["difference"])
    assert models["p_value"] <= models["p_corrected"] < 0.05
    assert runs["first"].endswith("run 1") and runs["second"].endswith("run 3")


SHOTS = {"fewshot": 2}
# Parameters of two runs, and what their labels add to the model's name; one label where they are comparable.
CASES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({}, {"theme": "outfit"}, ["", ", theme=outfit"]),
    ({}, {"order": "forward"}, ["", ", order=forward"]),
    ({}, {"sampling": "paper"}, ["", ", sampling=paper"]),
    ({}, {"system_message": "none"}, ["", ", system_message=none"]),
    ({}, {"instruction": "bare"}, ["", ", bare"]),
    (SHOTS, {**SHOTS, "fewshot_format": "single"}, ["", ", fewshot_format=single"]),
    (SHOTS, {**SHOTS, "fewshot_examples": "shared"}, ["", ", fewshot_examples=shared"]),
    ({}, {"fewshot_format": "single"}, [""]),
    ({}, SHOTS, [""]),
    ({}, {"seed": 3}, [""]),
]


def test_only_comparable_responses_are_pooled(tmp_path: Path) -> None:
    logs: dict[str, str] = {}
    for parameters in (each for case in CASES for each in case[:2]):
        if str(parameters) not in logs:
            task = unanswerable(ans_depth=2, num_problems=3, **parameters)
            logs[str(parameters)] = inspect_run(task, "treecut/guesser", tmp_path).location
    for first, second, expected in CASES:
        evidence = read_evidence([logs[str(first)], logs[str(second)]])
        assert [*evidence.models] == [f"guesser{each}" for each in expected]
        assert {variant.name for variant in evidence.variants.values()} == {"guesser"}
        assert len(evidence.runs) == 2


def test_problems_of_a_file_are_told_apart_by_their_own_configuration(tmp_path: Path) -> None:
    files = [tmp_path / "forward.jsonl", tmp_path / "random.jsonl"]
    configs = [ProblemConfig(ans_depth=2, order="forward"), ProblemConfig(ans_depth=2)]
    for file, config in zip(files, configs, strict=True):
        first = (pair_at(config, seed=42, index=index).records()[0] for index in range(3))
        file.write_text("".join(json.dumps(each) + "\n" for each in first), encoding="utf-8")
    inspect_run(unanswerable(data_file=[*map(str, files)]), "treecut/guesser", tmp_path / "logs")
    inspect_run(unanswerable(ans_depth=2, num_problems=3), "treecut/guesser", tmp_path / "logs")
    assert read_evidence([str(tmp_path / "logs")]).models == (
        "guesser",
        "guesser, problems=forward.jsonl",
        "guesser, problems=random.jsonl",
    )


def test_a_counterpart_of_another_form_makes_a_row_and_no_model(tmp_path: Path) -> None:
    for counterpart in ("full", "matched"):
        task = paired(ans_depth=4, num_problems=12, counterpart=counterpart)
        inspect_run(task, "treecut/same_price", tmp_path)
    document = make_document(read_evidence([str(tmp_path)]))
    assert document.summary.startswith("1 model, 2 runs")
    summary = table(document, "summary").set_index("model")
    counts = ["unanswerable_problems", "answerable_problems", "pairs"]
    full, matched = (
        summary.loc[label] for label in ("same_price", "same_price, counterpart=matched")
    )
    assert list(full[counts][1:]) == list(matched[counts][1:]) == [12, 12]
    # Unanswerable problems do not depend on their counterparts: both rows have them.
    shared = ["unanswerable_problems", "paper_hallucination_rate", "unknown_rate"]
    assert full[shared].tolist() == matched[shared].tolist() and matched[shared].notna().all()


@pytest.mark.parametrize("name", ["system_instruction", "chat_template", "temperature"])
def test_lm_eval_runs_with_other_settings_are_not_pooled(
    name: str, lm_eval_results: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(lm_eval_results.parent, other)
    results = other / lm_eval_results.name
    content = json.loads(results.read_text("utf-8"))
    content["date"] += 1
    if name == "temperature":
        for path in other.glob("samples_*"):
            text = path.read_text("utf-8").replace('"temperature": 0.0', '"temperature": 1.0')
            path.write_text(text, "utf-8")
    else:
        content[name] = "{{ messages }}"
    results.write_text(json.dumps(content), "utf-8")
    evidence = read_evidence([str(lm_eval_results), str(other)])
    assert len(evidence.models) == 2
    assert all(name in variant.settings for variant in evidence.variants.values())


def test_models_can_be_renamed(inspect_logs: dict[str, EvalLog]) -> None:
    evidence = read_evidence([inspect_logs["evil"].location], {"mockllm/<b>[red]evil|$x$": "GPT-X"})
    assert evidence.models == ("GPT-X",)
    markdown = text_report(evidence, make_document(evidence), "markdown", 100, False)
    assert r"GPT-X: mockllm/\<b\>\[red\]evil\|\$x\$." in markdown


def test_instructions_are_compared_on_the_same_problems(tmp_path: Path) -> None:
    for instruction, text in {
        "standard": "Answer: unknown",
        "bare": "Answer: 7",
        "target:0.9": "Answer: unknown",
    }.items():
        task = unanswerable(ans_depth=2, num_problems=12, instruction=instruction)
        inspect_run(task, scripted_model(saying(text)), tmp_path)
    document = make_document(read_evidence([str(tmp_path)]))
    rows = table(document, "instructions").set_index(["first", "second"])
    hint, penalty = rows.loc[("bare", "standard")], rows.loc[("standard", "target:0.9")]
    assert (hint["model"], hint["unanswerable_problems"]) == ("model", 12)
    assert (hint["hallucination_rate"], hint["unknown_rate"]) == (-1, 1)
    assert hint["hallucination_rate_ci_low"] <= -1 < hint["hallucination_rate_ci_high"] < 0
    assert penalty["hallucination_rate"] == 0 and pd.isna(penalty["accuracy"])
    (figure,) = (each for each in document.blocks(Figure) if each.name == "instructions")
    assert "100 % at 0 %" in figure.alt and figure.png.startswith(b"\x89PNG")
    # Beside the paper's numbers stand those of its own instruction only.
    measured = table(document, "table-1")
    assert measured.loc[~measured["from_paper"], "model"].tolist() == ["model"]


def test_a_model_that_states_no_confidence_is_told_so(tmp_path: Path) -> None:
    asked = unanswerable(ans_depth=2, num_problems=3, instruction="confidence")
    for folder, text in {"none": "Answer: 7", "stated": "Answer: 7\nConfidence: 90 %"}.items():
        inspect_run(asked, scripted_model(saying(text), folder), tmp_path)
    (found,) = (
        each
        for each in make_document(read_evidence([str(tmp_path)])).blocks(Table)
        if each.name == "calibration"
    )
    assert found.shown["n"].tolist() == ["0 of 3", "3 of 3"]
    assert found.data["out_of"].tolist() == [3, 3] and pd.isna(found.data["brier"][0])


def test_the_order_of_runs_depends_on_neither_clock_nor_names(tmp_path: Path) -> None:
    logs = [
        inspect_run(unanswerable(ans_depth=2, num_problems=3), saying_model, tmp_path)
        for saying_model in (
            scripted_model(saying("Answer: unknown"), "b"),
            scripted_model(saying("Answer: 7"), "a"),
        )
    ]
    texts = set()
    for number, order in enumerate(((0, 1), (1, 0))):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        for place, index in enumerate(order):
            log = read_eval_log(logs[index].location)
            log.eval.created = "2026-01-01T00:00:00+00:00"
            for sample in log.samples or []:
                sample.started_at = None
            write_eval_log(log, str(folder / f"{place}.eval"))
        evidence = read_evidence([str(folder)])
        texts.add(tuple(run.model for run in evidence.runs))
    assert len(texts) == 1


@task
def another_task() -> Task:
    return Task(dataset=[Sample("1 + 1?", target="2")], scorer=match())


def test_bad_input_is_one_sentence_each_and_the_rest_appears(
    inspect_logs: dict[str, EvalLog], lm_eval_results: Path, tmp_path: Path, run_treecut: RunTreecut
) -> None:
    good = Path(inspect_logs["evil"].location)
    other = inspect_run(another_task(), scripted_model(saying("2")), tmp_path / "other")
    (tmp_path / "empty").mkdir()
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(good.read_bytes()[:-3000])
    half = tmp_path / "half.json"
    write_eval_log(read_eval_log(str(good)), str(half))
    half.write_text(half.read_text("utf-8")[:-5000], "utf-8")
    no_samples = inspect_run(
        unanswerable(num_problems=1),
        scripted_model(saying("7")),
        tmp_path / "none",
        log_samples=False,
    )
    notes = tmp_path / "notes.txt"
    notes.write_text("hello", "utf-8")
    results = lm_eval_results.read_text("utf-8")
    paths = {}
    for name, text in (
        ("alone", results),
        ("others", json.dumps({**json.loads(results), "configs": {"gsm8k": {}}})),
        ("broken", results[:-100]),
    ):
        paths[name] = tmp_path / name / lm_eval_results.name
        paths[name].parent.mkdir()
        paths[name].write_text(text, "utf-8")
    bad = {
        tmp_path / "missing.eval": "No such file",
        tmp_path / "empty": "holds no logs",
        Path(other.location): "log of the task 'another_task'",
        damaged: "damaged or half-written",
        half: "damaged or half-written",
        Path(no_samples.location): "holds no samples",
        notes: "neither an Inspect log nor lm-eval results",
        paths["alone"]: "--log_samples",
        paths["others"]: "results of gsm8k",
        paths["broken"]: "damaged or half-written",
    }
    ran = run_treecut("report", good, *bad)
    assert ran.returncode == 1
    assert "Table 1." in ran.stdout and "Traceback" not in ran.stderr
    for path, message in bad.items():
        lines = [line for line in ran.stderr.splitlines() if repr(str(path)) in line]
        assert lines and all(message in line for line in lines), path
    ran = run_treecut("report", *bad)
    assert ran.returncode == 2 and ran.stdout == "" and "Traceback" not in ran.stderr


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def changed(content: Any, path: str, value: Any) -> None:
    *parts, last = path.split(".")
    for part in parts:
        names = [next(iter(content))] if part == "*" else [int(part) if part.isdecimal() else part]
        content = content[names[0]]
    content[last] = value


IN_INSPECT = [
    ("header.json", "eval.model", ""), ("header.json", "eval.model", 7),
    ("header.json", "eval.metadata.parameters", "no"),
    ("header.json", "eval.metadata.parameters.fewshot", "six"),
    ("header.json", "eval.dataset.samples", 10**30), ("header.json", "eval.model_args.deep", nested(150)),
    ("header.json", "eval.created", 10**30), ("header.json", "eval.metadata.prompt_sha256", {}),
    ("summaries.json", "0.metadata.ans_depth", "two"), ("summaries.json", "0.metadata.ans_depth", 10**30),
    ("summaries.json", "0.metadata.composite_name", "yes"), ("summaries.json", "0.metadata.pair_id", 5),
    ("summaries.json", "0.metadata.theme", ["food"]), ("summaries.json", "0.metadata", 3),
    ("summaries.json", "0.epoch", "x"), ("summaries.json", "0.target", ["unknown", "7"]),
    ("summaries.json", "0.working_time", float("nan")), ("summaries.json", "0.id", ""),
    ("summaries.json", "0.scores.*.metadata.verdict", "maybe"),
    ("summaries.json", "0.scores.*.metadata.value", 7),
    ("summaries.json", "0.scores.*.metadata.truncated", "false"),
    ("summaries.json", "0.scores.*.metadata.quote", [1]),
    ("summaries.json", "0.model_usage", {"m": {"input_tokens": 10**30}}),
]  # fmt: skip


@pytest.mark.parametrize(("member", "path", "value"), IN_INSPECT, ids=lambda value: str(value)[:30])
def test_an_odd_inspect_log_is_left_out(
    inspect_logs: dict[str, EvalLog], tmp_path: Path, member: str, path: str, value: Any
) -> None:
    odd, good = tmp_path / "odd.eval", inspect_logs["evil"].location
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(odd, "w") as target:
        for name in source.namelist():
            content = json.loads(source.read(name))
            if name == member:
                changed(content, path, value)
            target.writestr(name, json.dumps(content))
    evidence = read_evidence([good, str(odd)])
    if not evidence.left_out:
        # What does no harm is used.
        text_report(evidence, make_document(evidence), "json", 100, False)
        return
    (left_out,) = evidence.left_out
    assert odd.name in left_out.path and odd.name in left_out.message
    assert len(left_out.message) < 1001 and "\n" not in left_out.message
    assert len(evidence.responses) == 6


IN_RESULTS = [
    ("config.model", ""), ("config.model", None), ("config.model_args", 5), ("date", float("nan")),
    ("date", 10**30), ("n-shot", {"treecut_depth2": "six"}), ("versions", []), ("configs", [1]),
    ("chat_template", 10**30), ("config.model_args", {"deep": nested(900)}),
]  # fmt: skip
IN_SAMPLE = [
    ("doc.id", ""), ("doc.metadata", 5), ("doc.metadata", "{"), ("doc.metadata", '{"ans_depth": 1e30}'),
    ("doc.answer", 7), ("doc", None), ("arguments", {}), ("arguments", []), ("resps", []),
    ("resps", [[10**30]]), ("resps", nested(500)), ("doc.system", 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "path", "value"),
    [
        *(("results", *each) for each in IN_RESULTS),
        *(("samples_treecut_depth2", *each) for each in IN_SAMPLE),
    ],
    ids=lambda value: str(value)[:30],
)
def test_odd_lm_eval_results_are_left_out(
    inspect_logs: dict[str, EvalLog],
    lm_eval_results: Path,
    tmp_path: Path,
    place: str,
    path: str,
    value: Any,
) -> None:
    odd = tmp_path / "odd"
    shutil.copytree(lm_eval_results.parent, odd)
    (file,) = odd.glob(f"{place}_20*")
    first, *rest = (
        file.read_text("utf-8").splitlines() if place != "results" else [file.read_text("utf-8")]
    )
    content = json.loads(first)
    changed(content, path, value)
    file.write_text("\n".join([json.dumps(content), *rest]), "utf-8")
    evidence = read_evidence([inspect_logs["evil"].location, str(odd)])
    (left_out,) = evidence.left_out
    assert file.name in left_out.message and len(left_out.message) < 1001
    # Of one odd file of samples the other tasks are used.
    assert len(evidence.responses) == 6 + (0 if place == "results" else 48)


def report(*arguments: object) -> None:
    report_command.main([*map(str, arguments)], standalone_mode=False)


def test_formats_and_options(
    inspect_logs: dict[str, EvalLog], tmp_path: Path, run_treecut: RunTreecut
) -> None:
    log = inspect_logs["evil"].location
    for arguments, message in {
        (log, "--format", "pdf"): "Unknown format 'pdf': --format takes some of terminal, markdown",
        (log, "--format", "html"): "needs a folder",
        (log, "-o", ""): "-o is empty",
        (log, "--name", "GPT-X"): "must be OLD=NEW",
        (
            log,
            "--name",
            "nobody=X",
        ): "No model is called 'nobody', so it cannot be renamed: there are m",
        (): "Give paths of logs",
    }.items():
        with pytest.raises(TreecutError, match=re.escape(message)):
            report(*arguments)
    ran = run_treecut("report", log, "--format", "latex")
    assert ran.stdout.count("\\toprule") == ran.stdout.count("\\end{table}") > 3
    out = tmp_path / "deep" / "folder"
    ran = run_treecut("report", log, "-o", out, "--responses", "3")
    assert ran.returncode == 0 and ran.stdout == ""
    listed = {Path(line.removeprefix("Written: ")) for line in ran.stderr.splitlines()}
    assert listed == {path for path in out.rglob("*") if path.is_file()} and {
        "report.html",
        "report.md",
        "tables.tex",
    } <= {path.name for path in listed}
    assert len(shown_in_page(out / "report.html")["rows"]) == 3


def test_a_log_is_never_replaced(inspect_logs: dict[str, EvalLog], tmp_path: Path) -> None:
    log = tmp_path / "report.json"
    write_eval_log(read_eval_log(inspect_logs["evil"].location), str(log))
    before = log.read_bytes()
    with pytest.raises(TreecutError, match="is read"):
        report(log, "-o", tmp_path, "--format", "json")
    assert log.read_bytes() == before


def test_a_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, inspect_logs: dict[str, EvalLog]
) -> None:
    monkeypatch.setattr(
        treecut_tasks.extras, "find_spec", lambda name: None if name == "rich" else name
    )
    with pytest.raises(TreecutError, match=r"needs rich.*pip install 'treecut-tasks\[report\]'"):
        report(inspect_logs["evil"].location)


def test_recorded_responses_with_confidences(run_treecut: RunTreecut, tmp_path: Path) -> None:
    """JSON Lines of old outputs make a report, too: scores, noticing, calibration."""
    lines = []
    for index in range(6):
        pair = pair_at(ProblemConfig(ans_depth=2), seed=1, index=index)
        for problem, response in (
            (pair.unanswerable, "Something is missing: its price is not given.\nAnswer: 5"),
            (pair.answerable, f"Answer: {pair.answerable.answer}"),
        ):
            line = {"problem": problem.text, "answer": problem.answer, "pair_id": pair.id}
            stated = f"{response}\nConfidence: {90 - index} %"
            lines.append({**line, "response": stated, "model": "mine", "ans_depth": 2})
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    out = tmp_path / "out"
    run = run_treecut("report", str(file), "-o", str(out), "--format", "csv,markdown")
    assert run.returncode == 0, run.stderr
    joint = list(csv.DictReader((out / "notice-endings.csv").open(encoding="utf-8")))
    assert [(row["unanswerable"], row["noticed"], row["responses"]) for row in joint] == [
        ("True", "yes", "6"),
        ("False", "no", "6"),
    ]
    (noticing,) = csv.DictReader((out / "noticing.csv").open(encoding="utf-8"))
    assert float(noticing["answered_after_noticing_rate"]) == 1
    assert float(noticing["false_alarm_rate"]) == 0
    (calibration,) = csv.DictReader((out / "calibration.csv").open(encoding="utf-8"))
    assert (calibration["model"], float(calibration["auroc"])) == ("mine", 0.5)
    costs = list(csv.DictReader((out / "cost.csv").open(encoding="utf-8")))
    assert [(row["ending"], row["unit"], row["pairs"]) for row in costs] == [
        ("all", "characters", "6"),
        ("a number", "characters", "6"),
    ]
    assert float(costs[0]["output_ratio_ci_low"]) > 2 and not costs[0]["reasoning_ratio"]
