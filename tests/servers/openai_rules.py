"""A server on loopback that accepts and refuses requests as the OpenAI API does.

    with OpenAIRulesServer(respond=lambda messages: "Answer: 11") as server:
        ...  # point a client at server.base_url
    server.requests[0].body["max_completion_tokens"]

It knows `POST /v1/chat/completions`, `POST /v1/responses` (neither streams) and `GET /v1/models`.
With `enforce=False` it takes any key, model and parameter and only answers and records, as an
ordinary OpenAI-compatible server would.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.servers.api_errors import ApiError, bad_request, rate_limited
from tests.servers.openai_models import find_model, model_names
from tests.servers.openai_parameters import chat_error, responses_error
from tests.servers.openai_replies import Message, Reply, chat_completion, response_object

__all__ = [
    "Answer",
    "ApiError",
    "Message",
    "OpenAIRulesServer",
    "RecordedRequest",
    "Reply",
    "Respond",
    "answer_unknown",
    "in_turn",
    "rate_limited",
]

Answer = str | Reply | ApiError
"""What a test may answer: a text, a reply with its circumstances, or an error such as a 429."""

Respond = Callable[[list[Message]], Answer]
"""Called with `[{"role": …, "content": text}, …]`, from one thread at a time."""

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
MODELS = "/v1/models"

_SECRET_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "cookie"})


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it arrived, and how it was answered.

    Attributes:
        method: `GET` or `POST`.
        path: with the `/v1` prefix.
        headers: names in lower case, without the secret ones.
        raw: the body byte for byte.
        body: the parsed body; None if there was none or it was no JSON object.
        messages: role and text of each message, whichever endpoint was used.
        status: the HTTP status of the answer.
        error: the refusal, or None.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any] | None
    messages: tuple[Message, ...]
    status: int
    error: ApiError | None


def answer_unknown(messages: list[Message]) -> Answer:
    """The default model: every problem is unanswerable."""
    del messages
    return "Answer: unknown"


def in_turn(*answers: Answer) -> Respond:
    """A model that gives one answer after another and repeats the last."""
    remaining = list(answers)

    def respond(messages: list[Message]) -> Answer:
        del messages
        return remaining.pop(0) if len(remaining) > 1 else remaining[0]

    return respond


class OpenAIRulesServer:
    """The server; a context manager that serves between entering and leaving.

    Args:
        respond: gives the answers. If it raises, the client gets a 400 (so that it does not retry)
            and the exception is raised again when the context is left.
        enforce: whether keys, models and parameters are checked.
        verified: whether the organisation may ask for reasoning summaries.
    """

    def __init__(
        self, respond: Respond = answer_unknown, *, enforce: bool = True, verified: bool = True
    ) -> None:
        self._respond = respond
        self._enforce = enforce
        self._verified = verified
        self._lock = threading.Lock()
        self._respond_lock = threading.Lock()
        self._arrivals = 0
        self._records: dict[int, RecordedRequest] = {}
        self._failure: BaseException | None = None
        self._http = _HTTPServer(self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> OpenAIRulesServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if error is None and self._failure is not None:
            raise self._failure

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def requests(self) -> tuple[RecordedRequest, ...]:
        """Every answered request, in the order in which they arrived."""
        with self._lock:
            return tuple(self._records[place] for place in sorted(self._records))

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes
    ) -> tuple[int, dict[str, Any], Mapping[str, str]]:
        """Answers one request with status, body and headers, and records it."""
        with self._lock:
            place = self._arrivals
            self._arrivals += 1
        path = path.partition("?")[0]
        body = _parse(raw)
        record = RecordedRequest(
            method=method,
            path=path,
            headers={name: text for name, text in headers.items() if name not in _SECRET_HEADERS},
            raw=raw,
            body=body,
            messages=tuple(_messages(body)),
            status=200,
            error=None,
        )
        outcome = self._outcome(record, headers.get("authorization", ""))
        if isinstance(outcome, ApiError):
            record = replace(record, status=outcome.status, error=outcome)
        with self._lock:
            self._records[place] = record
        if isinstance(outcome, ApiError):
            return outcome.status, outcome.body(), outcome.headers
        return 200, outcome, {}

    def _outcome(self, request: RecordedRequest, authorization: str) -> dict[str, Any] | ApiError:
        if self._enforce and (error := _authorization_error(authorization)):
            return error
        if request.method == "GET" and request.path == MODELS:
            return _model_list()
        if request.method != "POST" or request.path not in (CHAT, RESPONSES):
            return ApiError(404, f"There is nothing at {request.method} {request.path}.")
        if request.body is None:
            return bad_request("The body of the request is not a JSON object.")
        if error := self._parameter_error(request.path, request.body):
            return error
        return self._reply(request.path, request.body, request.messages)

    def _parameter_error(self, path: str, body: dict[str, Any]) -> ApiError | None:
        if self._enforce:
            error = (
                chat_error(body) if path == CHAT else responses_error(body, verified=self._verified)
            )
            if error is not None:
                return error
        if body.get("stream"):
            # What the API tells organisations that may not stream; clients know how to go on.
            return bad_request("This organisation may not stream.", "stream", "unsupported_value")
        return None

    def _reply(
        self, path: str, body: dict[str, Any], messages: Sequence[Message]
    ) -> dict[str, Any] | ApiError:
        try:
            with self._respond_lock:
                answer = self._respond([dict(message) for message in messages])
        except Exception as error:
            self._failure = self._failure or error
            return bad_request(f"The test's respond() raised {error!r}.", code="respond_failed")
        if isinstance(answer, ApiError):
            return answer
        reply = Reply(answer) if isinstance(answer, str) else answer
        name = str(body.get("model"))
        model = find_model(name)
        if model is None or not model.reasoning:
            reply = replace(reply, reasoning_tokens=0)
        snapshot = model.snapshots[0] if model is not None and name == model.name else name
        reply = reply.within(_output_limit(body))
        if path == CHAT:
            return chat_completion(snapshot, reply, messages)
        return response_object(snapshot, reply, messages, body)


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    # Evaluations connect many clients at once; the default backlog of 5 would turn some away.
    request_queue_size = 128

    def __init__(self, rules: OpenAIRulesServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rules = rules


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave in one packet: without this, delayed acknowledgements cost 40 ms each.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:
        """Stays silent; the record replaces the log."""

    def _serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): text for name, text in self.headers.items()}
        assert isinstance(self.server, _HTTPServer)
        status, body, extra = self.server.rules.handle(self.command, self.path, headers, raw)
        content = json.dumps(body).encode("ascii")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, text in extra.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)


def _parse(raw: bytes) -> dict[str, Any] | None:
    try:
        # Python's extensions NaN and Infinity are no JSON.
        body = json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _authorization_error(authorization: str) -> ApiError | None:
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() == "bearer" and key.strip():
        return None
    return ApiError(401, "There is no API key in the Authorization header (Bearer KEY).")


def _model_list() -> dict[str, Any]:
    return {
        "object": "list",
        "data": [
            {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "system"}
            for name in model_names()
        ],
    }


def _messages(body: dict[str, Any] | None) -> list[Message]:
    """Role and text of every message of a request that may be malformed."""
    if body is None:
        return []
    listed = body.get("messages", body.get("input"))
    if isinstance(listed, str):
        listed = [{"role": "user", "content": listed}]
    found = [
        {"role": str(item.get("role")), "content": _text(item.get("content"))}
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and item.get("type", "message") == "message"
    ]
    if isinstance(body.get("instructions"), str):
        found.insert(0, {"role": "developer", "content": body["instructions"]})
    return found


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(
            str(part.get("text", part.get("refusal", "")))
            for part in content
            if isinstance(part, dict)
        )
    return content if isinstance(content, str) else ""


def _output_limit(body: dict[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens", "max_output_tokens"):
        if isinstance(body.get(name), int):
            return int(body[name])
    return None
