"""Small conversions of untrusted values from logs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_SECRET = re.compile(r"key|secret|token(?!s|izer)|password|credential|authorization|headers", re.I)
_USER_IN_URL = re.compile(r"(?<=://)[^/@\s]{1,500}@")
_LONG = 200


def optional_int(value: Any) -> int | None:
    """A whole number, or None for anything else (`unspecified`, for example)."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def optional_bool(value: Any) -> bool | None:
    """A truth value, or None for anything else."""
    return value if isinstance(value, bool) else None


def one_line(text: str, longest: int = _LONG) -> str:
    """Text on one line, shortened, safe for a terminal."""
    line = " ".join(printable(text[: 10 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def printable(text: str) -> str:
    """Text whose control and formatting characters do nothing.

    Terminals obey escape sequences, and characters that turn the direction of writing make a line
    read as something else. Line breaks and tabs stay; every other one is shown as a symbol.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in "\n\t":
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings without what may be a key or a password."""
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if _SECRET.search(str(name)):
            continue
        if isinstance(value, Mapping):
            kept[str(name)] = without_secrets(value)
        elif isinstance(value, str):
            kept[str(name)] = _USER_IN_URL.sub("", value)
        else:
            kept[str(name)] = value
    return kept
