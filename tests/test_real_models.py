"""Both frameworks on a small real model, and on OpenAI's APIs with their rules and mishaps.

The real model is far too weak for the problems. That is fine: it proves the wiring with real text.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
import yaml

from tests.framework_runs import ROOT, inspect_run, inspect_values, lm_eval_run
from tests.servers.openai_rules import (
    Answer,
    ApiError,
    Message,
    OpenAIRulesServer,
    Reply,
    in_turn,
)
from treecut_tasks.evaluation.prompts import COT_SYSTEM_MESSAGE
from treecut_tasks.reference_models.policies import respond
from treecut_tasks.tasks import diagnosis, paired, unanswerable

LOCAL_MODEL = "smollm2-135m-instruct"


@pytest.fixture(scope="module")
def local() -> Iterator[str]:
    """The address of the model, served as the documentation tells."""
    with subprocess.Popen(
        [sys.executable, str(ROOT / "docs" / "serve_small_model.py"), "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        try:
            address = server.stdout.readline().strip()
            assert address, server.stderr.read()
            yield address
        finally:
            server.kill()


@pytest.mark.localmodel
@pytest.mark.parametrize(
    ("instruction", "fewshot"),
    [
        ("standard", 2),
        ("standard", 0),
        ("bare", 0),
        ("confidence", 0),
        ("target:0.75", 0),
        ("diagnosis", 0),
    ],
)
def test_a_real_model_in_both_frameworks(
    instruction: str, fewshot: int, local: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same problems have the same responses and rates; the first sentence is enough."""
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    # It reads long prompts slowly.
    num_problems = 1 if fewshot else 2
    own = instruction == "diagnosis"
    chosen = {} if own else {"instruction": instruction}
    task: Any = diagnosis if own else paired
    group = "treecut_diagnosis_depth2" if own else "treecut_paired_depth2"
    log = inspect_run(
        task(
            ans_depth=2,
            num_problems=num_problems,
            fewshot=fewshot,
            fewshot_format="turns",
            **chosen,
        ),
        f"openai-api/local/{LOCAL_MODEL}",
        tmp_path,
        model_base_url=local,
        temperature=0,
        max_tokens=60,
        stop_seqs=["."],
    )
    run = lm_eval_run(
        group,
        model="local-chat-completions",
        model_args={"model": LOCAL_MODEL, "base_url": f"{local}/chat/completions"},
        metadata={"num_problems": num_problems, **chosen},
        num_fewshot=fewshot,
        fewshot_as_multiturn=True,
        apply_chat_template=True,
        gen_kwargs={"temperature": 0, "max_gen_toks": 60, "until": ["."]},
    )
    ours = {str(sample.id): sample for sample in log.samples or []}
    for sample in run.samples(group):
        for name, (response,) in zip(("id", "counterpart_id"), sample["resps"], strict=True):
            same = ours.pop(sample["doc"][name])
            assert same.output.completion.strip() == response.strip() != ""
            roles = [message.role for message in same.messages]
            assert roles == ["system", *["user", "assistant"] * (fewshot + 1)]
    assert ours == {}
    values, theirs = inspect_values(log), run.values(group)
    rates = {name: value for name, value in theirs.items() if not name.endswith("_stderr")}
    # Where any item would settle the question, there is no score corrected for chance.
    assert rates == pytest.approx({name: values[name] for name in rates}, nan_ok=True)


class TestServer:
    """The stand-in refuses what the APIs refuse, in the words of OpenAI's own client."""

    @pytest.mark.parametrize(
        ("model", "parameters", "refused"),
        [
            ("o3-mini", {"max_completion_tokens": 32_000, "reasoning_effort": "high"}, None),
            ("o3-mini", {"max_tokens": 100}, "max_tokens"),
            ("o3-mini", {"temperature": 0}, "temperature"),
            ("o3-mini", {"stop": ["\n\n"]}, "stop"),
            ("gpt-4o", {"max_tokens": 100, "temperature": 0, "stop": ["\n\n"]}, None),
            ("gpt-4o", {"stop": []}, "stop"),
            ("gpt-4o", {"max_tokens": 32_000}, "max_tokens"),
            ("gpt-4o", {"reasoning_effort": "high"}, "reasoning_effort"),
            ("gpt-4o", {"extra_body": {"max_gen_toks": 5}}, "max_gen_toks"),
        ],
    )
    def test_rules(self, model: str, parameters: dict[str, Any], refused: str | None) -> None:
        with OpenAIRulesServer() as server, self.client(server) as client:
            create: Any = client.chat.completions.create
            try:
                reply = create(
                    model=model, messages=[{"role": "user", "content": "?"}], **parameters
                )
            except openai.BadRequestError as error:
                assert error.param == refused
            else:
                assert refused is None
                assert reply.choices[0].message.content == "Answer: unknown"

    def test_responses(self) -> None:
        answers = in_turn(ApiError(429, "rate_limit_exceeded"), Reply("So the", "length"))
        with OpenAIRulesServer(answers) as server, self.client(server) as client:
            with pytest.raises(openai.BadRequestError, match="temperature"):
                client.responses.create(model="o3-mini", input="?", temperature=0)
            with pytest.raises(openai.RateLimitError):
                client.responses.create(model="o3-mini", input="?")
            reply = client.responses.create(model="o3-mini", input="?")
        assert (reply.output_text, reply.status) == ("So the", "incomplete")

    @staticmethod
    def client(server: OpenAIRulesServer) -> openai.OpenAI:
        return openai.OpenAI(base_url=server.base_url, api_key="sk-test", max_retries=0)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


@pytest.fixture
def api() -> Iterator[OpenAIRulesServer]:
    with OpenAIRulesServer() as server:
        yield server
    assert [request.error for request in server.requests if request.error] == []


def problems(api: OpenAIRulesServer) -> list[dict[str, Any]]:
    """The bodies of the requests for problems, each with its messages in one form."""
    # Inspect first asks a reasoning model for a greeting, to see whether summaries are allowed.
    return [
        {**request.body, "messages": request.messages}
        for request in api.requests
        if "hello" not in request.messages[-1]["content"]
    ]


@pytest.mark.parametrize("model", ["o3-mini", "gpt-4o"])
def test_inspect_with_the_papers_settings(
    model: str, api: OpenAIRulesServer, run_treecut: Any, tmp_path: Path
) -> None:
    reasoning = model == "o3-mini"
    path = run_treecut("run-config", "table1-o3-mini" if reasoning else "table1").stdout.strip()
    config = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    log = inspect_run(
        unanswerable(**config["task"]["args"]),
        f"openai/{model}",
        tmp_path,
        model_base_url=api.base_url,
        limit=4,
        **config["generate_config"],
    )
    bodies = problems(api)
    assert len(bodies) == 4
    for body in bodies:
        if reasoning:
            assert body["reasoning"]["effort"] == "high"
            assert body["max_output_tokens"] == 32_000
            assert [message["role"] for message in body["messages"]] == ["user"]
        else:
            assert (body["temperature"], body["max_tokens"]) == (0, 4000)
            assert body["messages"][0] == {"role": "system", "content": COT_SYSTEM_MESSAGE}
            assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert inspect_values(log)["hallucination_rate"] == 0
    sent = {sample.metadata["system_message_sent"] for sample in log.samples or []}
    assert sent == {"none" if reasoning else "cot"}


@pytest.mark.parametrize("model", ["o3-mini", "gpt-4o"])
def test_lm_eval_with_the_papers_settings(model: str, api: OpenAIRulesServer) -> None:
    reasoning = model == "o3-mini"
    run = lm_eval_run(
        "treecut_depth8",
        model="openai-chat-completions",
        model_args={"model": model, "base_url": f"{api.base_url}/chat/completions"},
        apply_chat_template=True,
        limit=3,
        gen_kwargs="max_gen_toks=32000,reasoning_effort=high" if reasoning else None,
    )
    assert run.values("treecut_depth8")["hallucination_rate"] == 0
    bodies = problems(api)
    assert len(bodies) == 3
    for body in bodies:
        if reasoning:
            assert (body["reasoning_effort"], body["max_completion_tokens"]) == ("high", 32_000)
            assert [message["role"] for message in body["messages"]] == ["user"]
        else:
            assert (body["temperature"], body["max_completion_tokens"]) == (0, 4000)
            assert body["stop"] == ["<|endoftext|>"]
            assert [message["role"] for message in body["messages"]] == ["system", "user"]


BUSY = ApiError(429, "rate_limit_exceeded", retry_after=0.1)
CUT_OFF = Reply("So the pie costs 12 dollars more than", "length")


@pytest.mark.parametrize("model", ["gpt-4o", "o3-mini"])
def test_inspect_tries_again_and_sees_what_is_cut_off(model: str, tmp_path: Path) -> None:
    task = unanswerable(ans_depth=4, num_problems=4)
    with OpenAIRulesServer(in_turn(BUSY, CUT_OFF, BUSY, "Answer: unknown")) as server:
        # Without the summary, Inspect does not ask first whether it may have one.
        settings = {"model_base_url": server.base_url, "reasoning_summary": "none"}
        log = inspect_run(task, f"openai/{model}", tmp_path, **settings)
    values = inspect_values(log)
    assert (values["unknown_rate"], values["no_answer_rate"]) == (0.75, 0.25)
    (cut,) = (s for s in log.samples or [] if s.output.stop_reason == "max_tokens")
    assert cut.output.completion == CUT_OFF.text


def test_lm_eval_tries_again() -> None:
    with OpenAIRulesServer(in_turn(BUSY, CUT_OFF, BUSY, "Answer: unknown")) as server:
        run = lm_eval_run(
            "treecut_depth4",
            model="openai-chat-completions",
            model_args={"model": "gpt-4o", "base_url": f"{server.base_url}/chat/completions"},
            metadata={"num_problems": 4},
            apply_chat_template=True,
        )
    values = run.values("treecut_depth4")
    assert (values["unknown_rate"], values["no_answer_rate"]) == (0.75, 0.25)


def test_a_request_that_fails_takes_its_pair_out_of_the_rates_of_pairs(tmp_path: Path) -> None:
    failing: list[str] = []

    def answer(messages: list[Message]) -> Answer:
        problem = messages[-1]["content"]
        failing[:] = failing or [problem]
        return ApiError(403, "forbidden") if problem in failing else respond("solver", problem)

    with OpenAIRulesServer(answer) as server:
        log = inspect_run(
            paired(ans_depth=4, num_problems=3),
            "openai/gpt-4o",
            tmp_path,
            model_base_url=server.base_url,
            fail_on_error=False,
        )
    assert [bool(sample.error) for sample in log.samples or []].count(True) == 1
    assert inspect_values(log)["pair_solved_rate"] == 1
