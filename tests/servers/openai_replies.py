"""Bodies of successful answers, as the two endpoints give them.

A token is a run of characters without white space, counted the same way in prompts and answers:
near enough for limits and usage, and it needs no tokenizer.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import uuid4

Message = dict[str, str]

_TOKEN = re.compile(r"\s*\S+")


@dataclass(frozen=True)
class Reply:
    """What the model says.

    Attributes:
        text: the visible answer; None gives `content: null` and, on `/v1/responses`, no message.
        finish_reason: why it stopped; a limit that cuts the text off turns it into `length`.
        refusal: the text of a refusal, which then replaces the answer.
        reasoning_tokens: hidden tokens spent before the answer, counted by reasoning models only.
    """

    text: str | None
    finish_reason: Literal["stop", "length", "content_filter"] = "stop"
    refusal: str | None = None
    reasoning_tokens: int = 64

    def within(self, limit: int | None) -> Reply:
        """The reply as far as `limit` output tokens reach; hidden tokens are spent first."""
        if limit is None or self.reasoning_tokens + count_tokens(self.text) <= limit:
            return self
        hidden = min(self.reasoning_tokens, limit)
        kept = "".join(_TOKEN.findall(self.text or "")[: limit - hidden])
        return replace(self, text=kept, finish_reason="length", reasoning_tokens=hidden)


def count_tokens(text: str | None) -> int:
    return len((text or "").split())


def chat_completion(model: str, reply: Reply, messages: Sequence[Message]) -> dict[str, Any]:
    """The body of `/v1/chat/completions`."""
    prompt, visible = _usage(reply, messages)
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None if reply.refusal is not None else reply.text,
                    "refusal": reply.refusal,
                    "annotations": [],
                },
                "logprobs": None,
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": reply.reasoning_tokens + visible,
            "total_tokens": prompt + reply.reasoning_tokens + visible,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": reply.reasoning_tokens,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "default",
        "system_fingerprint": None,
    }


def response_object(
    model: str, reply: Reply, messages: Sequence[Message], request: dict[str, Any]
) -> dict[str, Any]:
    """The body of `/v1/responses`."""
    prompt, visible = _usage(reply, messages)
    incomplete = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(
        reply.finish_reason
    )
    reasoning = request.get("reasoning") or {}
    return {
        "id": f"resp_{uuid4().hex}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "incomplete" if incomplete else "completed",
        "background": False,
        "error": None,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "instructions": request.get("instructions"),
        "max_output_tokens": request.get("max_output_tokens"),
        "model": model,
        "output": _output_items(reply, "incomplete" if incomplete else "completed"),
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")},
        "service_tier": "default",
        "store": request.get("store", True),
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": reply.reasoning_tokens + visible,
            "output_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
            "total_tokens": prompt + reply.reasoning_tokens + visible,
        },
        "user": None,
        "metadata": {},
    }


def _output_items(reply: Reply, status: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.reasoning_tokens:
        items.append({"id": f"rs_{uuid4().hex}", "type": "reasoning", "summary": []})
    if reply.refusal is not None:
        part: dict[str, Any] = {"type": "refusal", "refusal": reply.refusal}
    elif reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
    else:
        # Without visible text the API lists no message at all.
        return items
    items.append(
        {
            "id": f"msg_{uuid4().hex}",
            "type": "message",
            "status": status,
            "role": "assistant",
            "content": [part],
        }
    )
    return items


def _usage(reply: Reply, messages: Sequence[Message]) -> tuple[int, int]:
    prompt = sum(count_tokens(message["content"]) for message in messages)
    return prompt, count_tokens(reply.refusal if reply.refusal is not None else reply.text)
