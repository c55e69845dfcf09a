"""The examples for tools that read Inspect's logs: Inspect Scout, Inspect Viz, data frames."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from inspect_ai import eval

from tests.framework_runs import ROOT
from treecut_tasks.tasks import unanswerable


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    task = unanswerable(ans_depth=[2, 4], num_problems=2)
    eval(task, ["treecut/solver", "treecut/guesser"], log_dir=str(folder), display="none")
    return folder


def test_a_scanner_finds_what_models_noticed(logs: Path, tmp_path: Path) -> None:
    scout = pytest.importorskip("inspect_scout", reason="needs pip install inspect-scout")
    notices = runpy.run_path(str(ROOT / "docs" / "scout_notices.py"))["notices"]
    status = scout.scan(
        [notices()], scout.transcripts_from(logs), str(tmp_path), max_processes=1, display="none"
    )
    assert status.complete
    found = scout.scan_results_df(status.location).scanners["notices"]
    assert len(found) == 8
    noticed = found[found["value"] == True]  # noqa: E712  # of an object column
    assert {*noticed["transcript_model"]} == {"treecut/solver"}
    assert len(noticed) == 4
    assert {*noticed["answer"]} == {"unknown"}
    assert noticed["explanation"].str.contains("stays open").all()


def test_rates_by_depth_are_drawn(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("inspect_viz", reason="needs pip install inspect-viz")
    page = tmp_path / "depths.html"
    monkeypatch.setattr(sys, "argv", ["viz_depths.py", str(logs), str(page)])
    runpy.run_path(str(ROOT / "docs" / "viz_depths.py"))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [
        ["treecut/guesser", "2", "1.0"],
        ["treecut/guesser", "4", "1.0"],
        ["treecut/solver", "2", "0.0"],
        ["treecut/solver", "4", "0.0"],
    ]
    assert "<html" in page.read_text(encoding="utf-8")
