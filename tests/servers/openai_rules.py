"""A server on loopback that answers as OpenAI's two APIs do, and refuses what they refuse.

    with OpenAIRulesServer(respond=lambda messages: "Answer: 11") as server:
        ...  # point a client at server.base_url
    server.requests[0].body["max_completion_tokens"]

Of the APIs' rules it has those that a task, or a command in the documentation, could break: names
of parameters, what reasoning models do not take, empty stop lists, limits on tokens, and roles.
With `enforce=False` it takes anything, as most OpenAI-compatible servers do.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"

Message = dict[str, str]


class Reply(NamedTuple):
    """A text, and why it ends: `stop`, `length` or `content_filter`."""

    text: str
    finish_reason: str = "stop"


class ApiError(NamedTuple):
    """A refusal; clients may try again after `retry_after` seconds, if that is given."""

    status: int
    code: str
    param: str | None = None
    retry_after: float | None = None


class RecordedRequest(NamedTuple):
    """A request, and how it was answered; messages have the same form for both APIs."""

    path: str
    body: dict[str, Any]
    messages: list[Message]
    error: ApiError | None

    @property
    def status(self) -> int:
        """The HTTP status of the answer."""
        return self.error.status if self.error else 200


Answer = str | Reply | ApiError
Respond = Callable[[list[Message]], Answer]
"""Called with `[{"role": …, "content": text}, …]`, from one thread at a time."""


def answer_unknown(messages: list[Message]) -> Answer:
    """The default model: every problem is unanswerable."""
    del messages
    return "Answer: unknown"


def in_turn(*answers: Answer) -> Respond:
    """A model that gives one answer after another and repeats the last."""
    remaining = list(answers)
    return lambda messages: remaining.pop(0) if len(remaining) > 1 else remaining[0]


class OpenAIRulesServer:
    """The server; it runs while its context lasts."""

    def __init__(self, respond: Respond = answer_unknown, *, enforce: bool = True) -> None:
        self.requests: list[RecordedRequest] = []
        self._respond = respond
        self._enforce = enforce
        self._lock = threading.Lock()
        self._http = _HTTPServer(("127.0.0.1", 0), _Handler)
        self._http.answer = self._answer
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> OpenAIRulesServer:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _answer(self, path: str, authorization: str, body: dict[str, Any]) -> Reply | ApiError:
        messages = _messages(body)
        answer: Answer | None = None
        if self._enforce:
            answer = refusal(path, body) if authorization else ApiError(401, "invalid_api_key")
        with self._lock:
            answer = answer or self._respond(messages)
            error = answer if isinstance(answer, ApiError) else None
            self.requests.append(RecordedRequest(path, body, messages, error))
        reply = Reply(answer) if isinstance(answer, str) else answer
        return _within_limit(reply, body) if isinstance(reply, Reply) else reply


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    # Evaluations connect many clients at once; the default backlog of 5 would turn some away.
    request_queue_size = 128
    answer: Callable[[str, str, dict[str, Any]], Reply | ApiError]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave in one packet: without this, delayed acknowledgements cost 40 ms each.
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        assert isinstance(self.server, _HTTPServer)
        answer = self.server.answer(path, self.headers.get("Authorization", ""), body)
        if isinstance(answer, Reply):
            self._send(200, (_completion if path == CHAT else _response)(body["model"], answer))
        else:
            error = {
                "message": f"{answer.code}: {answer.param}",
                "type": "invalid_request_error",
                "code": answer.code,
                "param": answer.param,
            }
            self._send(answer.status, {"error": error}, answer.retry_after)

    def _send(self, status: int, body: object, retry_after: float | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if retry_after is not None:
            self.send_header("Retry-After", f"{retry_after:g}")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: requests are kept, not printed."""


# --- rules ----------------------------------------------------------------------------------------

_EITHER = {"model", "temperature", "top_p", "store", "metadata", "user", "service_tier"}
_PARAMETERS = {
    CHAT: _EITHER
    | {"messages", "max_tokens", "max_completion_tokens", "stop", "seed", "n", "reasoning_effort"}
    | {"presence_penalty", "frequency_penalty", "logprobs"},
    RESPONSES: _EITHER | {"input", "instructions", "max_output_tokens", "reasoning", "include"},
}
_NOT_WHEN_REASONING = ("max_tokens", "stop", "top_p", "presence_penalty", "frequency_penalty")
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def refusal(path: str, body: dict[str, Any]) -> ApiError | None:
    """What the API says to a request that it does not accept; a parameter that is null is absent."""
    if path not in _PARAMETERS:
        return ApiError(404, "not_found")
    given = {name: value for name, value in body.items() if value is not None}
    return next(_refusals(path, given), None)


def _refusals(path: str, given: dict[str, Any]) -> Iterator[ApiError]:
    reasoning = given["model"].startswith(("o1", "o3", "o4", "gpt-5"))
    for name in given:
        if name not in _PARAMETERS[path]:
            yield ApiError(400, "unknown_parameter", name)
    if given.get("stop") == []:
        yield ApiError(400, "empty_array", "stop")
    if reasoning:
        for name in given:
            if name in _NOT_WHEN_REASONING:
                yield ApiError(400, "unsupported_parameter", name)
        if given.get("temperature", 1) != 1:
            yield ApiError(400, "unsupported_value", "temperature")
    for name in ("reasoning", "reasoning_effort"):
        if name in given and not reasoning:
            yield ApiError(400, "unsupported_parameter", name)
    limits = [name for name in _LIMITS if name in given]
    if len(limits) > 1:
        yield ApiError(400, "invalid_request", limits[0])
    for name in limits:
        if not 16 <= given[name] <= (100_000 if reasoning else 16_384):
            yield ApiError(400, "invalid_value", name)
    for role in {message["role"] for message in _messages(given)}:
        if role not in ("system", "developer", "user", "assistant"):
            yield ApiError(400, "invalid_value", "role")
        if role == "system" and given["model"].startswith("o1-mini"):
            yield ApiError(400, "unsupported_value", "role")


def _messages(body: dict[str, Any]) -> list[Message]:
    listed = body.get("messages", body.get("input", []))
    listed = [{"role": "user", "content": listed}] if isinstance(listed, str) else listed
    return [
        {
            "role": message["role"],
            "content": content
            if isinstance(content := message["content"], str)
            else "".join(part["text"] for part in content),
        }
        for message in listed
        if "content" in message
    ]


def _within_limit(reply: Reply, body: dict[str, Any]) -> Reply:
    """The reply as far as the limit on tokens reaches; words are near enough to tokens here."""
    words = re.findall(r"\s*\S+", reply.text)
    limit = next((body[name] for name in _LIMITS if body.get(name)), len(words))
    return reply if len(words) <= limit else Reply("".join(words[:limit]), "length")


# --- answers --------------------------------------------------------------------------------------


def _completion(model: str, reply: Reply) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text},
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _response(model: str, reply: Reply) -> dict[str, Any]:
    reason = {"length": "max_output_tokens"}.get(reply.finish_reason, reply.finish_reason)
    status = "completed" if reason == "stop" else "incomplete"
    text = {"type": "output_text", "text": reply.text, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": status}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": model,
        "status": status,
        "incomplete_details": None if status == "completed" else {"reason": reason},
        "output": [{**message, "content": [text]}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }
