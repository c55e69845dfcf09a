"""Every command and every piece of Python in README.md and docs/ runs, and what they print is true.

Commands run as they stand, with replacements that a machine without keys and without an hour needs:
a provider's API is a server on loopback that enforces that API's rules, an evaluation gets a limit
where the command has none, and the address of the reader's own server is that of ours.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.framework_runs import OFFLINE
from tests.servers.openai_rules import OpenAIRulesServer
from tests.trainers import TO_INSTALL, tiny_model, training_arguments

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
README = DOCUMENTS["README.md"]

PROBLEM = (
    "A pizza at Texas BBQ and 3 lasagnas at Texas BBQ cost 48 dollars. A lasagna at Urban Plate "
    "costs 6 dollars. 3 lasagnas at Urban Plate and 3 pizzas at Urban Plate cost 63 dollars. "
    "Question: how much does a lasagna at Texas BBQ cost?"
)


def _blocks(language: str) -> list[str]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [block for text in DOCUMENTS.values() for block in pattern.findall(text)]


def _marked(marker: str) -> str:
    found = re.search(rf"^<!-- {marker} -->\n```bash\n(.*?)\n```", README, re.MULTILINE | re.DOTALL)
    assert found is not None, f"README.md has no block after <!-- {marker} -->"
    return found[1]


# The commands that make an environment have tests of their own.
_SETTING_UP = (_marked("main command"), _marked("test command"))
COMMANDS = list(
    dict.fromkeys(
        line
        for block in _blocks("bash")
        for line in block.replace("\\\n", "").splitlines()
        if line and not line.startswith("#") and line not in _SETTING_UP
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a reader tries the commands, with the files that they name."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "problem.txt").write_text(PROBLEM, encoding="utf-8")
    responses = [
        {"problem": PROBLEM, "answer": "unknown", "response": response}
        for response in ("Answer: 11", "Answer: unknown", None)
    ]
    lines = "".join(json.dumps(response) + "\n" for response in responses)
    (folder / "responses.jsonl").write_text(lines, encoding="utf-8")
    for block in _blocks("yaml"):
        if block.startswith("parts:"):
            (folder / "mixture.yaml").write_text(block, encoding="utf-8")
    (folder / "docs").symlink_to(ROOT / "docs")
    return folder


@pytest.fixture(scope="module")
def api() -> Iterator[OpenAIRulesServer]:
    with OpenAIRulesServer() as server:
        yield server


@pytest.fixture(scope="module")
def local() -> Iterator[OpenAIRulesServer]:
    with OpenAIRulesServer(enforce=False) as server:
        yield server


def _adapted(command: str, api: str, local: str) -> str:
    command = command.replace("http://127.0.0.1:8000/v1", local)
    # lm-eval knows the address of the API only from its model arguments.
    if "openai-chat-completions" in command:
        command = command.replace(
            "model_args model=", f"model_args base_url={api}/chat/completions,model="
        )
    if re.search(r"\b(inspect eval|lm_eval)\b", command):
        command = re.sub(r" --limit \d+", "", command) + " --limit 2"
    return command


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 25
    assert len(README.splitlines()) < 230


@pytest.mark.parametrize("command", COMMANDS)
def test_command(
    command: str, folder: Path, api: OpenAIRulesServer, local: OpenAIRulesServer
) -> None:
    if "--labels review.csv" in command:
        _mark(folder / "review.csv")
    binaries = Path(sys.executable).parent
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("INSPECT_")},
        **OFFLINE,
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": api.base_url,
        "INSPECT_DISPLAY": "plain",
    }
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", _adapted(command, api.base_url, local.base_url)],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    if "inspect eval" in command:
        assert re.search(r"^\w+ +(\d|nan)", output, re.MULTILINE), output
        assert "WARNING" not in output, output
    if "lm_eval" in command:
        assert re.search(r"\|(hallucination_rate|accuracy) +\|", output), output
    refused = [request.error for request in api.requests if request.error is not None]
    assert not refused, refused


def _mark(sheet: Path) -> None:
    """Mark every verdict of a sheet as right, as a reader would."""
    text = sheet.read_text(encoding="utf-8")
    sheet.write_text(re.sub(r"^(\d+),,", r"\1,y,", text, flags=re.MULTILINE), encoding="utf-8")


@pytest.mark.parametrize("block", _blocks("python"))
def test_python(block: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names = {
        "problem": PROBLEM,
        **(_names_for_trl(folder) if "import GRPOTrainer" in block else {}),
    }
    exec(compile(block, "README.md", "exec"), names)


def _names_for_trl(folder: Path) -> dict[str, Any]:
    """What a reader who trains a model has: it, its tokeniser and the settings of the trainers."""
    trl = pytest.importorskip("trl", reason=f"needs {TO_INSTALL}")
    model, tokenizer = tiny_model()
    settings = training_arguments(folder / "trained")
    return {
        "model": model,
        "tokenizer": tokenizer,
        "sft_arguments": trl.SFTConfig(**settings, per_device_train_batch_size=2),
        "grpo_arguments": trl.GRPOConfig(
            **settings, per_device_train_batch_size=2, num_generations=2, max_completion_length=4
        ),
    }


def test_values_in_python_comments() -> None:
    from treecut_tasks import score_responses, summarise_responses

    judged = score_responses([{"problem": PROBLEM, "answer": "unknown", "response": "Answer: 11"}])
    (first,) = judged
    assert first.judgement.quote is not None
    assert first.cause is not None
    shown = (first.ending, first.judgement.quote.text, first.cause.kind)
    assert f"# {shown}" in README
    assert summarise_responses(judged)["unanswerable"]["hallucination_rate"].value == 1.0


def test_the_example_is_a_problem_of_the_default_stream() -> None:
    from treecut_tasks import ProblemConfig, pair_at

    pair = pair_at(ProblemConfig(ans_depth=3, num_vars=4), seed=42, index=4)
    assert f"| {pair.unanswerable.text} |" in README
    assert pair.answerable.text in README.replace("**", "")
    assert f"| `Answer: {pair.answerable.answer}` |" in README


def test_printed_explanation_is_what_is_printed(folder: Path) -> None:
    shown = re.search(
        r"^\$ treecut explain --problem-file problem.txt --value 11\n(.*?)^```",
        DOCUMENTS["docs/causes.md"],
        re.MULTILINE | re.DOTALL,
    )
    assert shown is not None
    printed = subprocess.run(
        ["treecut", "explain", "--problem-file", "problem.txt", "--value", "11"],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert shown[1].strip() == printed.strip()


def test_examples_of_rule_and_verdict() -> None:
    from treecut_tasks.scoring import classify_outcome, says_unknown

    rows = re.findall(
        r"^\| (`Answer: .*?) \| (hallucination|correct) \| (unknown|number)",
        DOCUMENTS["docs/tasks.md"],
        re.MULTILINE,
    )
    assert len(rows) == 3
    for cell, rule, verdict in rows:
        response = "\n".join(re.findall(r"`(.*?)`", cell))
        assert says_unknown(response) == (rule == "correct"), response
        assert classify_outcome(response).verdict == verdict, response


def test_links_lead_somewhere() -> None:
    for name, text in DOCUMENTS.items():
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert ((ROOT / name).parent / target).exists(), (name, target)


def test_ci_runs_the_test_command() -> None:
    assert "<!-- test command -->" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.install
@pytest.mark.timeout(1800)
def test_main_command(tmp_path: Path) -> None:
    """The one command for the main job, in a clone, with nothing but python3; README shows its end."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    command = _marked("main command").replace("python3", sys.executable, 1)
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=clone,
        env={**os.environ, **OFFLINE, "INSPECT_DISPLAY": "plain", "PYTHONPATH": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    shown = re.search(r"^treecut_tasks/treecut_scorer\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert shown is not None
    printed = [" ".join(line.split()) for line in output.splitlines()]
    for line in shown[1].splitlines():
        assert " ".join(line.split()) in printed, output
