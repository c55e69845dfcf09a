"""Both frameworks, as commands, on a model that nobody scripted and on an API that enforces its rules.

The local model is far too weak for the problems. That is fine: it proves the wiring with real text.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.framework_runs import command, inspect_values, only_log
from tests.servers.openai_rules import OpenAIRulesServer, RecordedRequest
from tests.servers.smollm2 import (
    LocalModel,
    serve_smollm2,
)
from treecut_tasks._lm_eval_discovery import task_configs_path
from treecut_tasks.evaluation import definitions
from treecut_tasks.evaluation.prompts import COT_SYSTEM_MESSAGE

NUM_PROBLEMS = 2
MAX_TOKENS = 80


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    # A missing model is an error that names the command: the README's test command installs it.
    with serve_smollm2() as served:
        yield served


def succeeded(result: subprocess.CompletedProcess[str]) -> None:
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]


def lm_eval_samples(folder: Path, task: str) -> list[dict[str, Any]]:
    (log,) = folder.rglob(f"samples_{task}_*.jsonl")
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return sorted(lines, key=lambda line: int(line["doc_id"]))


def lm_eval_results(folder: Path) -> dict[str, Any]:
    (path,) = folder.rglob("results_*.json")
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return results


def sent_by_lm_eval(sample: dict[str, Any]) -> list[dict[str, str]]:
    """The messages of a logged sample; lm-eval keeps them as JSON."""
    ((context, _),) = (arguments.values() for arguments in sample["arguments"].values())
    if isinstance(context, list):
        (context,) = context
    messages: list[dict[str, str]] = json.loads(context)
    return [{"role": message["role"], "content": message["content"]} for message in messages]


@pytest.mark.localmodel
class TestLocalModel:
    @pytest.mark.parametrize("fewshot", [0, 6])
    def test_both_frameworks(self, model: LocalModel, fewshot: int, tmp_path: Path) -> None:
        inspect_ran = command(
            "inspect", "eval", "treecut_tasks/unanswerable",
            "--model", f"openai-api/local/{model.name}", "--max-tokens", str(MAX_TOKENS),
            "-T", "ans_depth=2", "-T", f"num_problems={NUM_PROBLEMS}",
            "-T", f"fewshot={fewshot}", "-T", "fewshot_format=turns",
            cwd=tmp_path,
            env={"LOCAL_BASE_URL": model.base_url, "LOCAL_API_KEY": "none"},
        )  # fmt: skip
        succeeded(inspect_ran)
        task = "treecut_depth2_fewshot" if fewshot else "treecut_depth2"
        succeeded(
            command(
                "lm_eval",
                "--model",
                "local-chat-completions",
                "--model_args",
                f"base_url={model.base_url}/chat/completions,model={model.name}",
                "--tasks",
                task,
                "--include_path",
                task_configs_path(),
                "--apply_chat_template",
                "--metadata",
                json.dumps({"treecut": {"num_problems": NUM_PROBLEMS}}),
                "--gen_kwargs",
                f"max_gen_toks={MAX_TOKENS}",
                "--log_samples",
                "--output_path",
                tmp_path / "out",
                cwd=tmp_path,
            )
        )
        log = only_log(tmp_path / "logs")
        values = inspect_values(log)
        assert log.samples is not None
        ours = {sample.id: sample for sample in log.samples}
        theirs = lm_eval_samples(tmp_path / "out", task)
        assert [sample["doc"]["id"] for sample in theirs] == log.eval.dataset.sample_ids
        for sample in theirs:
            twin = ours[sample["doc"]["id"]]
            messages = [{"role": m.role, "content": m.text} for m in twin.messages[:-1]]
            assert sent_by_lm_eval(sample) == messages
            assert len(messages) == 2 + 2 * fewshot
            # Decoding is greedy, so that the same messages have the same response.
            response = twin.output.completion
            assert response.strip()
            assert sample["resps"][0][0].strip() == response.strip()
            (score,) = (twin.scores or {}).values()
            assert isinstance(score.value, dict)
            assert score.value.keys() == definitions("unanswerable").keys()
            assert score.reason
            assert twin.output.stop_reason in ("stop", "max_tokens")
        results = lm_eval_results(tmp_path / "out")
        assert results["n-shot"][task] == fewshot
        name = "hallucination_rate"
        assert results["results"][task][f"{name},none"] == pytest.approx(values[name])


API = {"OPENAI_API_KEY": "sk-test"}


@pytest.fixture
def api() -> Iterator[OpenAIRulesServer]:
    with OpenAIRulesServer() as server:
        yield server


def evaluated(requests: Sequence[RecordedRequest]) -> list[dict[str, Any]]:
    """The bodies of the requests for problems; none of any kind may have been refused."""
    assert [(r.status, r.error) for r in requests] == [(200, None)] * len(requests)
    # Inspect first asks a reasoning model for a greeting, to see whether summaries are allowed.
    return [
        request.body or {} for request in requests if "hello" not in request.messages[-1]["content"]
    ]


def roles(request: RecordedRequest) -> list[str]:
    return [message["role"] for message in request.messages]


class TestOpenAIRules:
    """Requests as they arrive at an API that refuses what the real one refuses."""

    def test_inspect_o3_mini(self, api: OpenAIRulesServer, tmp_path: Path) -> None:
        succeeded(
            command(
                "inspect",
                "eval",
                "treecut_tasks/unanswerable",
                "--model",
                "openai/o3-mini",
                "--limit",
                "4",
                cwd=tmp_path,
                env={**API, "OPENAI_BASE_URL": api.base_url},
            )
        )
        bodies = evaluated(api.requests)
        assert len(bodies) == 4
        assert {request.path for request in api.requests} == {"/v1/responses"}
        assert all(roles(request) == ["user"] for request in api.requests)
        log = only_log(tmp_path / "logs")
        assert inspect_values(log)["hallucination_rate"] == 0
        assert {s.metadata["system_message_sent"] for s in log.samples or []} == {"none"}

    def test_inspect_o3_mini_with_the_papers_settings(
        self, api: OpenAIRulesServer, run_treecut: Any, tmp_path: Path
    ) -> None:
        path = run_treecut("run-config", "table1-o3-mini").stdout.strip()
        succeeded(
            command(
                "inspect",
                "eval",
                "--run-config",
                path,
                "--model",
                "openai/o3-mini",
                "--limit",
                "4",
                cwd=tmp_path,
                env={**API, "OPENAI_BASE_URL": api.base_url},
            )
        )
        bodies = evaluated(api.requests)
        assert len(bodies) == 4
        for body in bodies:
            assert body["model"] == "o3-mini"
            assert body["reasoning"]["effort"] == "high"
            assert body["max_output_tokens"] == 32_000
            assert "temperature" not in body
        assert all(roles(request) == ["user"] for request in api.requests)
        assert inspect_values(only_log(tmp_path / "logs"))["hallucination_rate"] == 0

    def test_inspect_gpt_4o_with_the_papers_settings(
        self, api: OpenAIRulesServer, run_treecut: Any, tmp_path: Path
    ) -> None:
        path = run_treecut("run-config", "table1").stdout.strip()
        succeeded(
            command(
                "inspect",
                "eval",
                "--run-config",
                path,
                "--model",
                "openai/gpt-4o",
                "--limit",
                "4",
                cwd=tmp_path,
                env={**API, "OPENAI_BASE_URL": api.base_url},
            )
        )
        bodies = evaluated(api.requests)
        assert len(bodies) == 4
        for body in bodies:
            assert (body["temperature"], body["max_tokens"]) == (0, 4000)
            assert "reasoning_effort" not in body
            assert body["messages"][0] == {"role": "system", "content": COT_SYSTEM_MESSAGE}
            assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert inspect_values(only_log(tmp_path / "logs"))["hallucination_rate"] == 0

    @staticmethod
    def lm_eval(api: OpenAIRulesServer, folder: Path, model: str, *more: str) -> dict[str, Any]:
        succeeded(
            command(
                "lm_eval",
                "--model",
                "openai-chat-completions",
                "--model_args",
                f"model={model},base_url={api.base_url}/chat/completions,max_retries=1",
                "--tasks",
                "treecut_depth8",
                "--include_path",
                task_configs_path(),
                "--apply_chat_template",
                "--limit",
                "3",
                "--log_samples",
                "--output_path",
                folder / "out",
                *more,
                cwd=folder,
                env=API,
            )
        )
        results: dict[str, Any] = lm_eval_results(folder / "out")["results"]["treecut_depth8"]
        samples = lm_eval_samples(folder / "out", "treecut_depth8")
        assert [sample["resps"] for sample in samples] == [[["Answer: unknown"]]] * 3
        return results

    def test_lm_eval_o3_mini(self, api: OpenAIRulesServer, tmp_path: Path) -> None:
        settings = "max_gen_toks=32000,reasoning_effort=high"
        results = self.lm_eval(api, tmp_path, "o3-mini", "--gen_kwargs", settings)
        assert results["hallucination_rate,none"] == 0
        bodies = evaluated(api.requests)
        assert len(bodies) == 3
        for body in bodies:
            assert body["model"] == "o3-mini"
            assert (body["reasoning_effort"], body["max_completion_tokens"]) == ("high", 32_000)
            assert body.get("temperature", 1) == 1
            assert not {"max_tokens", "stop"} & body.keys()
            assert [message["role"] for message in body["messages"]] == ["user"]

    def test_lm_eval_gpt_4o(self, api: OpenAIRulesServer, tmp_path: Path) -> None:
        results = self.lm_eval(api, tmp_path, "gpt-4o")
        assert results["hallucination_rate,none"] == 0
        bodies = evaluated(api.requests)
        assert len(bodies) == 3
        for body in bodies:
            assert (body["temperature"], body["max_completion_tokens"]) == (0, 4000)
            assert body["stop"] == ["<|endoftext|>"]
            assert body["messages"][0] == {"role": "system", "content": COT_SYSTEM_MESSAGE}
            assert [message["role"] for message in body["messages"]] == ["system", "user"]
