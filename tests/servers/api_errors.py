"""Refusals in the shape in which the OpenAI API gives them.

Codes, types and `param` are the API's own; the texts are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ApiError:
    """An answer other than 200; `body()` is what the client receives."""

    status: int
    message: str
    type: str = "invalid_request_error"
    param: str | None = None
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> dict[str, Any]:
        return {
            "error": {
                "message": self.message,
                "type": self.type,
                "param": self.param,
                "code": self.code,
            }
        }


def bad_request(message: str, param: str | None = None, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)


def unknown_parameter(param: str) -> ApiError:
    return bad_request(f"The API knows no parameter '{param}'.", param, "unknown_parameter")


def unsupported_parameter(param: str, remedy: str = "") -> ApiError:
    message = f"Unsupported parameter: this model does not take '{param}'. {remedy}".rstrip()
    return bad_request(message, param, "unsupported_parameter")


def unsupported_value(param: str, value: object, allowed: str) -> ApiError:
    return bad_request(
        f"Unsupported value: this model does not take {value!r} as '{param}', only {allowed}.",
        param,
        "unsupported_value",
    )


def invalid_value(param: str, value: object, allowed: str) -> ApiError:
    return bad_request(
        f"Invalid value {value!r} for '{param}'; it must be {allowed}.", param, "invalid_value"
    )


def invalid_type(param: str, value: object, expected: str) -> ApiError:
    return bad_request(
        f"Invalid type for '{param}': {type(value).__name__} instead of {expected}.",
        param,
        "invalid_type",
    )


def missing_parameter(param: str) -> ApiError:
    return bad_request(
        f"The required parameter '{param}' is missing.", param, "missing_required_parameter"
    )


def rate_limited(retry_after: float = 1) -> ApiError:
    """A 429 that asks the client to come back after `retry_after` seconds."""
    return ApiError(
        429,
        "Rate limit reached for requests; try again later.",
        type="requests",
        code="rate_limit_exceeded",
        headers={"Retry-After": f"{retry_after:g}"},
    )
