"""`treecut report`: from logs of both frameworks to every format, and what it says to bad input."""

from __future__ import annotations

import csv
import json
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("statsmodels", reason="the extra [report] is not installed")
pytest.importorskip("matplotlib", reason="the extra [report] is not installed")

from inspect_ai import Task, eval_retry, task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from rich.cells import cell_len

import treecut_tasks.report
from tests.conftest import RunTreecut
from tests.framework_runs import inspect_run, inspect_values
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
from treecut_tasks import unanswerable
from treecut_tasks.errors import TreecutError
from treecut_tasks.report.build import Report, build_report
from treecut_tasks.report.document import Table, make_document
from treecut_tasks.report.figures import make_figures
from treecut_tasks.report.paper import paper_results
from treecut_tasks.report.reading import read_evidence, read_texts
from treecut_tasks.report.rendering.files import csv_files, json_text
from treecut_tasks.report.rendering.markdown import markdown_text
from treecut_tasks.report.rendering.output import write_report
from treecut_tasks.report.rendering.terminal import terminal_text


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
def report(folder: Path, inspect_logs: dict[str, EvalLog], lm_eval_results: Path) -> Report:
    return build_report(read_evidence([str(folder)]))


def cell_rate(report: Report, model: str, **wanted: Any) -> float:
    (cell,) = [
        cell
        for cell in report.cells
        if cell.model.startswith(model)
        and all(getattr(cell, name) == value for name, value in wanted.items())
    ]
    assert cell.headline is not None
    return cell.headline.value


def test_rates_are_those_of_the_frameworks(
    report: Report, inspect_logs: dict[str, EvalLog], lm_eval_results: Path
) -> None:
    values = inspect_values(inspect_logs["six-shot"])
    for depth in (2, 4, 6, 8):
        assert cell_rate(
            report, "treecut/simulated-one", ans_depth=depth, fewshot=6
        ) == pytest.approx(values[f"paper_hallucination_rate_ans_depth_{depth}"])
    results = json.loads(lm_eval_results.read_text("utf-8"))["results"]
    rates = {"ans_depth": 4, "unanswerable": False}
    assert (
        cell_rate(report, "treecut/same_price", **rates)
        == results["treecut_answerable_depth4"]["accuracy,none"]
    )
    rates = {"ans_depth": 2, "unanswerable": True, "fewshot": 6}
    assert (
        cell_rate(report, "treecut/same_price", **rates)
        == results["treecut_depth2_fewshot"]["paper_hallucination_rate,none"]
    )


def test_the_same_problems_of_two_tasks_count_once(report: Report) -> None:
    # treecut_depth2 and treecut_paired_depth2 ask the same 12 unanswerable problems.
    (cell,) = [
        cell
        for cell in report.cells
        if cell.model == "treecut/same_price" and cell.unanswerable and not cell.fewshot
    ]
    assert cell.responses == 24
    assert cell.headline is not None and cell.headline.n == 12


def test_tables_stand_beside_the_papers(report: Report) -> None:
    one, two, three = report.tables
    assert one.rows[8].paper["GPT-4o"].value == 0.64
    assert two.rows[2].paper["o3-mini"].value == 0.032
    assert three.rows[8].paper["GPT-4o"].second == 0.02
    assert one.rows[2].measured["treecut/same_price"].value == 1.0
    assert {5, 7} <= set(one.rows) and not one.rows[5].paper
    for depth in (2, 4, 6, 8):
        entry = three.rows[depth].measured["treecut/simulated-one [simulated]"]
        assert entry.value == 1.0 and entry.n == 15 and "f" in entry.marks


def test_the_papers_numbers_are_those_of_the_paper(shared_dir: Path) -> None:
    import yaml

    source = yaml.safe_load((shared_dir / "reference" / "paper-results.yaml").read_text("utf-8"))
    names = {
        1: "table_1_zero_shot_hallucination",
        2: "table_2_six_shot_hallucination",
        3: "table_3_answerable_accuracy",
    }
    paper = paper_results()
    assert paper.models == source["full_names"]
    for number, name in names.items():
        for depth, values in source[name].items():
            rates = paper.tables[number].rates[depth]
            assert [100 * rates[model] for model in source["models"]] == pytest.approx(values)
    for depth, values in source["table_3_answerable_called_unknown"].items():
        second = paper.tables[3].second[depth]
        assert [100 * second[model] for model in source["models"]] == pytest.approx(values)


def test_figures_are_there_and_repeat_byte_for_byte(report: Report) -> None:
    figures = make_figures(report)
    assert {"figure-2", "figure-3", "outcomes", "causes"} <= set(figures)
    for figure in figures.values():
        svg = figure.render("svg")
        assert svg == figure.render("svg")
        assert b"<script" not in svg.lower()
        assert figure.render("png").startswith(b"\x89PNG")
        assert figure.alt and figure.caption
    alt = figures["figure-3"].alt
    assert "ansDepth 7" in alt and "ansDepth 8" in alt and "[simulated]" in alt


def test_a_grid_becomes_a_heat_map(tmp_path: Path) -> None:
    grid = unanswerable(ans_depth=[4, 5, 6], cut_depth=[1, 2, 3], num_problems=2)
    inspect_run(grid, "treecut/guesser", tmp_path)
    figures = make_figures(build_report(read_evidence([str(tmp_path)])))
    assert "grid-2-composite" in figures
    assert "figure-3" not in figures
    assert figures["grid-2-composite"].render("png").startswith(b"\x89PNG")


def test_simulated_models_are_marked_in_every_output(report: Report, tmp_path: Path) -> None:
    files = write_report(report, tmp_path, ["markdown", "csv", "json", "html"], 20, lambda *_: None)
    for name in ("report.md", "report.json", "report.html"):
        assert "SIMULATED" in files[name].read_text("utf-8")
    for name in ("cells.csv", "claims.csv", "responses.csv", "runs.csv"):
        rows = list(csv.DictReader(files[name].open(encoding="utf-8")))
        marked = {row["simulated"] for row in rows if row["model"].startswith("treecut/simulated")}
        assert marked == {"true"}, name
    for name in ("figure-2.svg", "figure-3.svg", "outcomes.svg"):
        assert "[simulated]" in files[name].read_text("utf-8")
    assert "SIMULATED" in terminal_text(make_document(report, ()), {})


def test_the_terminal_view_fits_100_columns(report: Report) -> None:
    for colour in (False, True):
        text = terminal_text(make_document(report, ()), {}, colour=colour)
        plain = re.sub(r"\x1b\[[\d;]*m", "", text)
        assert max(cell_len(line) for line in plain.splitlines()) <= 100
        assert "\x1b" not in plain and "\u202e" not in plain
    for part in ("Table 1.", "Claim 6.", "holds", "GPT-4o", "What was run"):
        assert part in plain


def test_text_from_logs_is_harmless(report: Report, tmp_path: Path) -> None:
    files = write_report(report, tmp_path, ["markdown", "json", "html"], 1000, lambda *_: None)
    page = files["report.html"].read_text("utf-8")
    assert "alert" in page, "the response is there"
    assert "<script>alert" not in page and "<b>[red]" not in page
    assert "\x1b" not in page and "\u202e" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    markdown = files["report.md"].read_text("utf-8")
    assert "<b>" not in markdown and "evil|" not in markdown
    lines = markdown.splitlines()
    for head, rule in pairwise(lines):
        if rule.startswith("| ---"):
            assert re.sub(r"\\.", "", head).count("|") == rule.count("|")
    terminal = terminal_text(make_document(report, ()), {})
    assert "[red]evil" in terminal


def test_responses_can_be_read(report: Report) -> None:
    frame = report.evidence.responses
    evil = frame[[report.labels[run].startswith("mockllm") for run in frame["run"]]]
    (text,) = read_texts(report.evidence, evil.head(1))
    assert text.response == EVIL
    assert "Solve the following maths word problem." in text.prompt
    runs = [run.framework == "lm-eval" and run.kind == "paired" for run in report.evidence.runs]
    pairs = frame[[runs[run] for run in frame["run"]]].head(4)
    texts = read_texts(report.evidence, pairs)
    for text, unanswerable_ in zip(texts, pairs["unanswerable"], strict=True):
        assert text.prompt.count("Question:") == 1
        assert ("I assume that the price" in text.response) == unanswerable_


def test_what_was_run(report: Report) -> None:
    by_task = {(run.run.framework, run.run.tasks): run for run in report.runs}
    (evil,) = [run for run in report.runs if run.label.startswith("mockllm")]
    assert (evil.responses, evil.run.planned) == (6, 6)
    assert (evil.input_tokens, evil.output_tokens) == (600, 120)
    assert evil.run.system_message == "cot" and evil.run.data_set
    lm_eval = by_task["lm-eval", ("treecut_depth2_fewshot",)]
    assert lm_eval.run.fewshot == 6 and lm_eval.run.planned == 12
    assert lm_eval.run.sent["max_gen_toks"] == 4000
    assert lm_eval.input_tokens is None
    one = by_task["Inspect", ("structure",)]
    assert one.run.settings["model_args.hallucination"] == 0.6


def test_causes_have_their_chance_beside_them(report: Report) -> None:
    (same_price, *_) = [bar for bar in report.causes if bar.model == "treecut/same_price"]
    assert same_price.counts.keys() == {"same_price"}
    simulated_bars = [bar for bar in report.causes if bar.model.startswith("treecut/simulated")]
    assert all(0 < bar.by_chance["any"] < 1 for bar in simulated_bars)


def test_numbers_in_json_and_csv_agree(report: Report) -> None:
    content = json.loads(json_text(report))
    rows = list(csv.DictReader(csv_files(report)["cells.csv"].splitlines()))
    assert len(rows) == len(content["cells"]) == len(report.cells)
    for row, cell in zip(rows, content["cells"], strict=True):
        assert row["hallucination"] == (
            "" if cell["hallucination"] is None else str(cell["hallucination"])
        )
        assert int(row["responses"]) == cell["responses"]
    responses = list(csv.DictReader(csv_files(report)["responses.csv"].splitlines()))
    assert len(responses) == len(report.evidence.responses)


def test_errors_and_limits_are_marked(tmp_path: Path) -> None:
    def failing(prompt: str) -> ModelOutput:
        if "a burger" in prompt or "burgers" in prompt:
            raise RuntimeError("the provider is \x1b[31mdown")
        return cut_off(prompt)

    log = inspect_run(
        unanswerable(ans_depth=4, num_problems=30),
        scripted_model(failing),
        tmp_path,
        fail_on_error=False,
    )
    assert log.samples is not None
    errors = sum(sample.error is not None for sample in log.samples)
    assert 0 < errors < 30
    report = build_report(read_evidence([str(tmp_path)]))
    (cell,) = report.cells
    assert (cell.errored, cell.truncated, cell.responses) == (errors, 30 - errors, 30)
    assert cell.headline is not None and cell.headline.n == 30 - errors
    assert cell.marks == "fet"
    (bar,) = report.outcomes
    assert bar.counts == {"cut off": 30 - errors, "no verdict": errors}
    text = terminal_text(make_document(report, ()), {})
    assert "e = some responses have no verdict" in text and "\x1b" not in text


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
    unfinished = build_report(read_evidence([first.location]))
    assert 0 < len(unfinished.evidence.responses) < 8
    assert any("did not finish" in notice for notice in unfinished.notices)

    (second,) = eval_retry(
        first.location, log_dir=str(tmp_path), display="none", log_realtime=False
    )
    assert second.status == "success"
    report = build_report(read_evidence([str(tmp_path)]))
    assert len(report.evidence.responses) == 8
    assert report.evidence.superseded == len(unfinished.evidence.responses)
    assert not report.evidence.responses["errored"].any()
    assert [run.run.status for run in report.runs] == ["success"]


def test_copies_of_a_log_count_once(
    folder: Path, inspect_logs: dict[str, EvalLog], tmp_path: Path
) -> None:
    location = Path(inspect_logs["paired"].location)
    shutil.copy(location, tmp_path / location.name)
    write_eval_log(read_eval_log(str(location)), str(tmp_path / "as-json.json"))
    report = build_report(read_evidence([str(location), str(tmp_path), str(location)]))
    assert len(report.evidence.responses) == 120
    assert report.evidence.superseded == 240


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    for seed, problems in ((0, 42), (1, 42), (2, 43)):
        task_ = unanswerable(ans_depth=[2, 4], num_problems=20, seed=problems)
        inspect_run(task_, simulated("x", seed=seed), tmp_path)
    comparisons = build_report(read_evidence([str(tmp_path)])).comparisons
    assert len(comparisons) == 3
    alike, *others = comparisons
    assert (alike.common, alike.only_first, alike.only_second) == (40, 0, 0)
    assert alike.rates is not None and alike.difference is not None
    assert alike.difference.value == pytest.approx(alike.rates[1] - alike.rates[0])
    assert alike.up - alike.down == pytest.approx(40 * alike.difference.value)
    assert not any("data set" in warning for warning in alike.warnings)
    for other in others:
        assert other.common == 0 and other.p_value is None
        assert "seed: 42 and 43" in other.warnings
        assert any(warning.startswith("data set:") for warning in other.warnings)


def test_runs_with_other_settings_are_not_pooled(tmp_path: Path) -> None:
    for theme in ("food", "outfit"):
        inspect_run(
            unanswerable(ans_depth=2, num_problems=3, theme=theme), "treecut/guesser", tmp_path
        )
    report = build_report(read_evidence([str(tmp_path)]))
    assert report.models == ("treecut/guesser (theme food)", "treecut/guesser (theme outfit)")


@task
def another_task() -> Task:
    return Task(dataset=[Sample("1 + 1?", target="2")], scorer=match())


def test_bad_input_is_one_sentence_each_and_the_rest_appears(
    inspect_logs: dict[str, EvalLog], tmp_path: Path, run_treecut: RunTreecut
) -> None:
    good = Path(inspect_logs["paired"].location)
    other = inspect_run(another_task(), scripted_model(saying("2")), tmp_path / "other")
    (tmp_path / "empty").mkdir()
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(good.read_bytes()[:-3000])
    half = tmp_path / "half.json"
    write_eval_log(read_eval_log(str(good)), str(half))
    half.write_text(half.read_text("utf-8")[:-5000], "utf-8")
    no_samples = inspect_run(
        unanswerable(num_problems=1),
        scripted_model(saying("Answer: 1")),
        tmp_path / "none",
        log_samples=False,
    )
    notes = tmp_path / "notes.txt"
    notes.write_text("hello", "utf-8")
    bad = {
        tmp_path / "missing.eval": "does not exist",
        tmp_path / "empty": "holds no logs",
        Path(other.location): "log of the task 'another_task'",
        damaged: "damaged or half-written",
        half: "damaged or half-written",
        Path(no_samples.location): "holds no samples",
        notes: "neither an Inspect log nor lm-eval results",
    }
    ran = run_treecut("report", good, *bad)
    assert ran.returncode == 1
    assert "Table 1." in ran.stdout and "Traceback" not in ran.stderr
    messages = ran.stderr.splitlines()
    assert len(messages) == len(bad)
    for path, message in bad.items():
        (line,) = [line for line in messages if repr(str(path)) in line]
        assert message in line
        assert message.split(" (", 1)[0] in " ".join(ran.stdout.split())
    ran = run_treecut("report", *bad)
    assert ran.returncode == 2 and ran.stdout == ""
    assert len(ran.stderr.splitlines()) == len(bad)


def test_lm_eval_results_that_cannot_be_used(
    lm_eval_results: Path, tmp_path: Path, run_treecut: RunTreecut
) -> None:
    alone = tmp_path / "alone" / lm_eval_results.name
    alone.parent.mkdir()
    shutil.copy(lm_eval_results, alone)
    half = tmp_path / "half"
    shutil.copytree(lm_eval_results.parent, half)
    (samples,) = half.glob("samples_treecut_depth2_20*.jsonl")
    samples.write_text(samples.read_text("utf-8")[:-2000], "utf-8")
    (half / "samples_treecut_answerable_depth4_x.jsonl").write_text("", "utf-8")
    others = tmp_path / "others" / lm_eval_results.name
    others.parent.mkdir()
    content = json.loads(lm_eval_results.read_text("utf-8"))
    others.write_text(json.dumps({**content, "configs": {"gsm8k": {}}}), "utf-8")
    broken = tmp_path / "broken" / lm_eval_results.name
    broken.parent.mkdir()
    broken.write_text(lm_eval_results.read_text("utf-8")[:-100], "utf-8")
    ran = run_treecut("report", alone, half, others, broken, "--format", "json")
    assert ran.returncode == 1
    report = json.loads(ran.stdout)
    messages = {Path(each["path"]).parent.name: each["message"] for each in report["left_out"]}
    assert "--log_samples" in messages["alone"]
    assert "what comes before is used" in messages["half"]
    assert "results of gsm8k" in messages["others"]
    assert "damaged or half-written" in messages["broken"]
    (cell,) = [
        cell for cell in report["cells"]
        if cell["unanswerable"] and cell["fewshot"] == 0 and cell["ans_depth"] == 2
    ]  # fmt: skip
    assert cell["problems"] == 12 and cell["responses"] < 24


def test_formats_and_options(
    inspect_logs: dict[str, EvalLog], tmp_path: Path, run_treecut: RunTreecut
) -> None:
    log = inspect_logs["evil"].location
    ran = run_treecut("report", log, "--format", "pdf")
    assert ran.returncode == 2
    assert "Unknown format 'pdf': --format takes some of terminal, markdown, csv" in ran.stderr
    ran = run_treecut("report", log, "--format", "html")
    assert ran.returncode == 2 and "needs a folder" in ran.stderr
    ran = run_treecut("report")
    assert ran.returncode == 2 and "Give paths of logs" in ran.stderr
    out = tmp_path / "deep" / "folder"
    ran = run_treecut("report", log, "-o", out, "--format", "markdown,csv", "--responses", "0")
    assert ran.returncode == 0 and ran.stdout == ""
    names = {path.name for path in out.iterdir()}
    assert {"report.md", "cells.csv", "responses.csv", "outcomes.svg", "outcomes.png"} <= names
    assert "report.html" not in names and "report.json" not in names
    for name in re.findall(r"\]\((\S+)\)", (out / "report.md").read_text("utf-8")):
        assert (out / name).is_file()
    ran = run_treecut("report", log, "-o", tmp_path / "all", "--responses", "3")
    assert ran.returncode == 0 and "Table 1." in ran.stdout
    page = (tmp_path / "all" / "report.html").read_text("utf-8")
    assert "3 of 6 responses" in page


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        treecut_tasks.report, "find_spec", lambda name: None if name == "rich" else name
    )
    with pytest.raises(TreecutError, match=r"need rich.*pip install 'treecut-tasks\[report\]'"):
        treecut_tasks.report.check_extra()


def test_markdown_tables_have_as_many_cells_as_heads(report: Report) -> None:
    document = make_document(report, ())
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                assert {len(row) for row in block.rows} == {len(block.heads)}
    assert markdown_text(document, {}, {}).startswith("# TreeCut report\n")
