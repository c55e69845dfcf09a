"""The one exception type for input that a user can mend, and what pydantic finds said its way."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class TreecutError(ValueError):
    """Bad input: a parameter, a file or a text that cannot be used.

    The message is one sentence that names the offending value, the allowed values and the remedy.
    Command lines print it alone, without a traceback; the framework adapters let it pass, so that
    it appears before any model is called.
    """


def shown(value: object) -> str:
    """A value as messages show it: short, on one line, whatever it is."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    return short.repr(value)


def from_validation(error: ValidationError, what: str = "") -> TreecutError:
    """The first thing that pydantic objects to, as our one sentence.

    Args:
        error: what pydantic raised.
        what: what was validated, put before the place in it: a file's name, for example.
    """
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    subject = " ".join(part for part in (what and f"{what}:", place) if part)
    if first["type"] == "missing":
        return TreecutError(f"{subject} is missing.")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, TreecutError):
        return TreecutError(f"{what}: {cause}" if what else str(cause))
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return TreecutError(f"{subject} is {shown(first['input'])}: it {message}.")
