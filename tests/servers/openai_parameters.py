"""What the OpenAI API refuses in the body of a request, for each endpoint and model family.

Every rule family is a generator of refusals; the API reports the first. A parameter that is null
counts as absent, as it does there. The sources are the API reference (names, types, ranges), the
reasoning guide (what reasoning models refuse) and the errors clients report. Where the real models
differ among themselves, the strictest common reading stands: no temperature other than 1, no
`max_tokens`, no `stop`, and no other sampling parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.servers.api_errors import (
    ApiError,
    bad_request,
    invalid_type,
    invalid_value,
    missing_parameter,
    unknown_parameter,
    unsupported_parameter,
    unsupported_value,
)
from tests.servers.openai_models import ModelRules, find_model

Body = dict[str, Any]
Errors = Iterator[ApiError]

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_CHAT_NAMES = """
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens
    max_tokens messages metadata modalities model n parallel_tool_calls prediction presence_penalty
    prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed
    service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p
    user verbosity web_search_options
"""
_CHAT_PARAMETERS = frozenset(_CHAT_NAMES.split())
_RESPONSES_NAMES = """
    background conversation include input instructions max_output_tokens max_tool_calls metadata
    model parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention
    reasoning safety_identifier service_tier store stream stream_options temperature text
    tool_choice tools top_logprobs top_p truncation user
"""
_RESPONSES_PARAMETERS = frozenset(_RESPONSES_NAMES.split())
_MOVED_IN_RESPONSES = {
    "max_completion_tokens": "max_output_tokens",
    "max_tokens": "max_output_tokens",
    "messages": "input",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
}
_INCLUDABLE = (
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
    "web_search_call.action.sources",
    "web_search_call.results",
)
_REFUSED_BY_REASONING = (
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "parallel_tool_calls",
)
_CHAT_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_MESSAGE_FIELDS = frozenset(
    {"audio", "content", "function_call", "name", "refusal", "role", "tool_call_id", "tool_calls"}
)
_CONTENT_OPTIONAL = frozenset({"tool_calls", "function_call", "refusal"})
_CHAT_PARTS = ("text", "refusal", "image_url", "input_audio", "file")
_INPUT_ROLES = ("user", "assistant", "system", "developer")
_INPUT_PARTS = ("input_text", "input_image", "input_file")
_OUTPUT_PARTS = ("output_text", "refusal")
_TEXT_FIELD = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}


def chat_error(body: Body) -> ApiError | None:
    """The first refusal of a body for `/v1/chat/completions`, or None if the API would accept."""
    return next(_chat_errors(body), None)


def responses_error(body: Body, *, verified: bool) -> ApiError | None:
    """The first refusal of a body for `/v1/responses`, or None if the API would accept it.

    Args:
        body: the parsed request.
        verified: whether the organisation may ask for reasoning summaries.
    """
    return next(_responses_errors(body, verified), None)


def _chat_errors(body: Body) -> Errors:
    yield from _model_errors(body)
    yield from (unknown_parameter(name) for name in body if name not in _CHAT_PARAMETERS)
    model = find_model(body["model"])
    assert model is not None
    yield from _messages_errors(body, model)
    yield from _stop_errors(body)
    for name in ("max_tokens", "max_completion_tokens", "n"):
        yield from _integer_errors(body, name, low=1)
    yield from _integer_errors(body, "seed")
    yield from _sampling_errors(body)
    for name in ("presence_penalty", "frequency_penalty"):
        yield from _number_errors(body, name, -2, 2)
    if model.reasoning:
        yield from _reasoning_chat_errors(body)
    yield from _output_limit_errors(body, model)
    yield from _effort_errors(body.get("reasoning_effort"), "reasoning_effort", model)


def _responses_errors(body: Body, verified: bool) -> Errors:
    yield from _model_errors(body)
    yield from _responses_name_errors(body)
    model = find_model(body["model"])
    assert model is not None
    yield from _input_errors(body)
    if _given(body, "instructions") and not isinstance(body["instructions"], str):
        yield invalid_type("instructions", body["instructions"], "a string")
    # The API's own lower limit.
    yield from _integer_errors(body, "max_output_tokens", low=16)
    yield from _sampling_errors(body)
    if model.reasoning:
        for name in ("temperature", "top_p", "top_logprobs"):
            if _given(body, name):
                yield unsupported_parameter(name)
    yield from _include_errors(body, model)
    yield from _reasoning_object_errors(body, model, verified)


def _given(body: Body, name: str) -> bool:
    return body.get(name) is not None


def _model_errors(body: Body) -> Errors:
    name = body.get("model")
    if name is None:
        yield missing_parameter("model")
    elif not isinstance(name, str):
        yield invalid_type("model", name, "a string")
    elif find_model(name) is None:
        yield ApiError(
            404,
            f"There is no model {name!r}, or this key may not use it.",
            code="model_not_found",
        )


def _responses_name_errors(body: Body) -> Errors:
    for name in body:
        if name in _MOVED_IN_RESPONSES:
            yield unsupported_parameter(name, f"Use '{_MOVED_IN_RESPONSES[name]}' instead.")
        elif name not in _RESPONSES_PARAMETERS:
            yield unknown_parameter(name)


def _number_errors(body: Body, name: str, low: float, high: float) -> Errors:
    if not _given(body, name):
        return
    value = body[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield invalid_type(name, value, "a decimal")
    elif value < low:
        yield bad_request(f"'{name}' must be at least {low}.", name, "decimal_below_min_value")
    elif value > high:
        yield bad_request(f"'{name}' must be at most {high}.", name, "decimal_above_max_value")


def _integer_errors(body: Body, name: str, low: int | None = None) -> Errors:
    if not _given(body, name):
        return
    value = body[name]
    if isinstance(value, bool) or not isinstance(value, int):
        yield invalid_type(name, value, "an integer")
    elif low is not None and value < low:
        yield bad_request(f"'{name}' must be at least {low}.", name, "integer_below_min_value")


def _sampling_errors(body: Body) -> Errors:
    yield from _number_errors(body, "temperature", 0, 2)
    yield from _number_errors(body, "top_p", 0, 1)


def _stop_errors(body: Body) -> Errors:
    if not _given(body, "stop"):
        return
    stop = body["stop"]
    if isinstance(stop, str):
        return
    if not isinstance(stop, list):
        yield invalid_type("stop", stop, "a string or an array of strings")
    elif not stop:
        yield bad_request("'stop' must hold 1 to 4 strings, not none.", "stop", "empty_array")
    elif len(stop) > 4:
        yield bad_request("'stop' must hold at most 4 strings.", "stop", "array_above_max_length")
    else:
        for place, text in enumerate(stop):
            if not isinstance(text, str):
                yield invalid_type(f"stop[{place}]", text, "a string")


def _reasoning_chat_errors(body: Body) -> Errors:
    if _given(body, "max_tokens"):
        yield unsupported_parameter("max_tokens", "Use 'max_completion_tokens' instead.")
    for name in ("temperature", "n"):
        if _given(body, name) and body[name] != 1:
            yield unsupported_value(name, body[name], "the default (1)")
    for name in ("stop", *_REFUSED_BY_REASONING):
        if _given(body, name):
            yield unsupported_parameter(name)


def _output_limit_errors(body: Body, model: ModelRules) -> Errors:
    for name in ("max_tokens", "max_completion_tokens"):
        if _given(body, name) and body[name] > model.max_output:
            yield bad_request(
                f"'{name}' is too large: {body[name]}; this model writes at most "
                f"{model.max_output} tokens.",
                name,
                "invalid_value",
            )
    if _given(body, "max_tokens") and _given(body, "max_completion_tokens"):
        yield bad_request(
            "'max_tokens' and 'max_completion_tokens' exclude each other.", "max_tokens"
        )


def _effort_errors(effort: object, param: str, model: ModelRules) -> Errors:
    if effort is None:
        return
    if not model.efforts:
        yield unsupported_parameter(param)
    elif effort not in EFFORTS:
        yield invalid_value(param, effort, f"one of {', '.join(EFFORTS)}")
    elif effort not in model.efforts:
        yield unsupported_value(param, effort, ", ".join(model.efforts))


def _messages_errors(body: Body, model: ModelRules) -> Errors:
    if not _given(body, "messages"):
        yield missing_parameter("messages")
        return
    messages = body["messages"]
    if not isinstance(messages, list):
        yield invalid_type("messages", messages, "an array of objects")
        return
    if not messages:
        yield bad_request("'messages' must not be empty.", "messages", "empty_array")
    for place, message in enumerate(messages):
        yield from _message_errors(message, f"messages[{place}]", model)


def _message_errors(message: object, param: str, model: ModelRules) -> Errors:
    if not isinstance(message, dict):
        yield invalid_type(param, message, "an object")
        return
    yield from (unknown_parameter(f"{param}.{name}") for name in message.keys() - _MESSAGE_FIELDS)
    role = message.get("role")
    if role is None:
        yield missing_parameter(f"{param}.role")
    elif role not in _CHAT_ROLES:
        yield invalid_value(f"{param}.role", role, f"one of {', '.join(_CHAT_ROLES)}")
    elif role in ("system", "developer") and not model.instructions:
        yield unsupported_value(f"{param}.role", role, "'user' and 'assistant'")
    yield from _content_errors(message, f"{param}.content")


def _content_errors(message: Body, param: str) -> Errors:
    content = message.get("content")
    if isinstance(content, str):
        return
    if content is None:
        if not (message.get("role") == "assistant" and message.keys() & _CONTENT_OPTIONAL):
            yield invalid_type(param, content, "a string or an array of parts")
    elif not isinstance(content, list):
        yield invalid_type(param, content, "a string or an array of parts")
    elif not content:
        yield bad_request(f"'{param}' must not be empty.", param, "empty_array")
    else:
        for place, part in enumerate(content):
            yield from _part_errors(part, f"{param}[{place}]", _CHAT_PARTS)


def _part_errors(part: object, param: str, allowed: tuple[str, ...]) -> Errors:
    if not isinstance(part, dict):
        yield invalid_type(param, part, "an object")
        return
    kind = part.get("type")
    if kind is None:
        yield missing_parameter(f"{param}.type")
    elif kind not in allowed:
        yield invalid_value(f"{param}.type", kind, f"one of {', '.join(allowed)}")
    elif kind in _TEXT_FIELD and not isinstance(part.get(_TEXT_FIELD[kind]), str):
        field = _TEXT_FIELD[kind]
        yield invalid_type(f"{param}.{field}", part.get(field), "a string")


def _input_errors(body: Body) -> Errors:
    if not _given(body, "input"):
        yield missing_parameter("input")
        return
    items = body["input"]
    if isinstance(items, str):
        return
    if not isinstance(items, list):
        yield invalid_type("input", items, "a string or an array of items")
        return
    if not items:
        yield bad_request("'input' must not be empty.", "input", "empty_array")
    for place, item in enumerate(items):
        yield from _input_item_errors(item, f"input[{place}]")


def _input_item_errors(item: object, param: str) -> Errors:
    if not isinstance(item, dict):
        yield invalid_type(param, item, "an object")
        return
    if item.get("type", "message") != "message":
        # Reasoning, tool calls and their results go back as they came; no rule of ours looks in.
        return
    role = item.get("role")
    if role is None:
        yield missing_parameter(f"{param}.role")
    elif role not in _INPUT_ROLES:
        yield invalid_value(f"{param}.role", role, f"one of {', '.join(_INPUT_ROLES)}")
    content = item.get("content")
    if content is None:
        yield missing_parameter(f"{param}.content")
    elif isinstance(content, list):
        allowed = _OUTPUT_PARTS if role == "assistant" else _INPUT_PARTS
        for place, part in enumerate(content):
            yield from _part_errors(part, f"{param}.content[{place}]", allowed)
    elif not isinstance(content, str):
        yield invalid_type(f"{param}.content", content, "a string or an array of parts")


def _include_errors(body: Body, model: ModelRules) -> Errors:
    if not _given(body, "include"):
        return
    include = body["include"]
    if not isinstance(include, list):
        yield invalid_type("include", include, "an array of strings")
        return
    for place, name in enumerate(include):
        if name not in _INCLUDABLE:
            yield invalid_value(f"include[{place}]", name, f"one of {', '.join(_INCLUDABLE)}")
        elif name == "reasoning.encrypted_content" and not model.reasoning:
            yield bad_request("This model has no encrypted content to include.", "include")


def _reasoning_object_errors(body: Body, model: ModelRules, verified: bool) -> Errors:
    if not _given(body, "reasoning"):
        return
    reasoning = body["reasoning"]
    if not isinstance(reasoning, dict):
        yield invalid_type("reasoning", reasoning, "an object")
        return
    for name in reasoning.keys() - {"effort", "summary", "generate_summary"}:
        yield unknown_parameter(f"reasoning.{name}")
    yield from _effort_errors(reasoning.get("effort"), "reasoning.effort", model)
    summary = reasoning.get("summary")
    if summary is None:
        return
    if not model.reasoning:
        yield unsupported_parameter("reasoning.summary")
    elif summary not in ("auto", "concise", "detailed"):
        yield invalid_value("reasoning.summary", summary, "auto, concise or detailed")
    elif not verified:
        yield bad_request(
            "Only a verified organisation gets reasoning summaries.",
            "reasoning.summary",
            "unsupported_value",
        )
