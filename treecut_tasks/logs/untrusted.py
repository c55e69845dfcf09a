"""Text from logs made harmless: control characters do nothing, and nothing looks like a credential."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_SECRET_NAME = re.compile(
    r"key|secret|token(?!s|iz)|passw|credential|authoriz|cookie|headers", re.IGNORECASE
)
_CREDENTIAL = re.compile(
    r"""
    (?P<kept> :// ) [^/@\s]{1,500} @                  # user and password in an address
    | (?P<query> \? ) [^\s"'<>=]{1,200} = [^\s"'<>]{0,2000}
    | (?P<named> (?i: (?: key | token | secret | passw[a-z]{1,5} | authorization ) ["']?
        \s{0,3} [:=] \s{0,3} ["']? (?: bearer\s )? | bearer\s ) ) [^\s"',;&]{4,2000}
    | \b (?: sk | pk | rk | hf | gh[a-z] | glpat | xox[a-z] | gsk | xai | r8 ) [-_] [-\w.*]{8,2000}
    | \b (?: AKIA | AIza | eyJ ) [-\w.]{12,2000}
    | \b (?= [a-zA-Z]{0,99}\d ) (?= [A-Z\d]{0,99}[a-z] ) (?= [a-z\d]{0,99}[A-Z] ) [a-zA-Z\d]{32,2000} \b
    | \b [\da-f]{32} \b
    """,
    re.VERBOSE | re.ASCII,
)
_UNUSUAL = re.compile(r"[^ -~\n\t]")
_LONGEST = 10_000


def without_credentials(text: str) -> str:
    """Text in which `[removed]` stands for all that looks like a key, a password or a query string."""
    return _CREDENTIAL.sub(
        lambda found: (found["kept"] or found["query"] or found["named"] or "") + "[removed]", text
    )


def safe_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as short texts, without those whose name or value looks like a credential."""
    return {
        str(name): one_line(_text(_without_secrets(value)))
        for name, value in settings.items()
        if value is not None and not _SECRET_NAME.search(str(name))
    }


def _without_secrets(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            str(name): _without_secrets(each)
            for name, each in value.items()
            if not _SECRET_NAME.search(str(name))
        }
    return [_without_secrets(each) for each in value] if isinstance(value, list) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def one_line(text: str, longest: int = 200) -> str:
    """Text on one line without credentials, shortened, safe for a terminal."""
    line = " ".join(printable(without_credentials(text[:_LONGEST])).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def printable(text: str) -> str:
    """Text whose control and formatting characters do nothing.

    Terminals obey escape sequences, and characters that turn the direction of writing make a line
    read as something else. Line breaks and tabs stay; every other one is shown as a symbol.
    """
    return _UNUSUAL.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    if character < " ":
        return chr(0x2400 + ord(character))
    invisible = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "\N{REPLACEMENT CHARACTER}" if invisible else character
