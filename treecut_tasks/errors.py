"""The one exception type for input that a user can mend, and what pydantic finds said its way."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Choice = TypeVar("Choice", bound=str)
Model = TypeVar("Model", bound="BaseModel")


class TreecutError(ValueError):
    """Bad input: a parameter, a file or a text that cannot be used.

    The message is one sentence that names the offending value, the allowed values and the remedy.
    Command lines print it alone, without a traceback; the framework adapters let it pass, so that
    it appears before any model is called.
    """


@contextmanager
def raised_as(error_type: type[TreecutError]) -> Iterator[None]:
    """Raise a `TreecutError` as one that a framework's program shows as its sentence alone."""
    try:
        yield
    except TreecutError as error:
        raise error_type(str(error)) from None


def shown(value: object) -> str:
    """A value as messages show it: short, on one line, whatever it is."""
    short = reprlib.Repr()
    short.maxlevel = 2
    short.maxstring = short.maxother = short.maxlong = 60
    return short.repr(value)


def checked_choice(name: str, value: object, allowed: Sequence[Choice]) -> Choice:
    """Return a value if it is one of those that are allowed."""
    for choice in allowed:
        if value == choice:
            return choice
    either = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
    raise TreecutError(f"{name} is {shown(value)}: it must be {either}.")


# What pydantic finds, in words for people who write YAML and JSON.
_MUST = {
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "float_type": "must be a number",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be {ge} or more",
    "int_type": "must be a whole number",
    "less_than_equal": "must be {le} or less",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "model_type": "must be a mapping",
    "string_type": "must be a text, in quotes",
    "too_short": "must have {min_length} or more parts, not {actual_length}",
}


def validated(model: type[Model], values: Any, what: str = "") -> Model:
    """The model made of what others supply, or one sentence on what is wrong with it.

    Args:
        model: what to make.
        values: what ought to be a mapping; bytes are JSON.
        what: what is checked, for the sentence: a file's name, for example; none for the parameters
            of a framework's command line.
    """
    # Most commands check nothing with it, and it is slow to import.
    from pydantic import ValidationError

    try:
        if isinstance(values, bytes):
            return model.model_validate_json(values)
        return model.model_validate(dict(values) if isinstance(values, Mapping) else values)
    except ValidationError as error:
        raise from_validation(error, what) from None


def from_validation(error: ValidationError, what: str = "") -> TreecutError:
    """The first thing that pydantic objects to, as our one sentence.

    Args:
        error: what pydantic raised.
        what: what was validated, put before the place in it: a file's name, for example.
    """
    first = error.errors()[0]
    # Of a parameter with several values the value tells which it is; of a file, its place does.
    parts = [part for part in first["loc"] if what or not isinstance(part, int)]
    place = ".".join(
        str(part) if str(part).isidentifier() or isinstance(part, int) else shown(part)
        for part in parts
    )
    subject = ": ".join(part for part in (what, place) if part)
    if first["type"] == "json_invalid":
        return TreecutError(f"{subject} is not JSON ({first['ctx']['error']}): mend it.")
    if first["type"] == "missing":
        return TreecutError(f"{subject} is missing: add it.")
    if first["type"] == "extra_forbidden":
        return TreecutError(f"{subject} is not known: correct its name, or leave it out.")
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, TreecutError):
        return TreecutError(f"{what}: {cause}" if what else str(cause))
    context = first.get("ctx", {})
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if first["type"] in _MUST:
        must = _MUST[first["type"]].format(**context)
    else:
        must = message if message.startswith("must ") else f"must be as follows: {message}"
    return TreecutError(f"{subject or 'It'} is {shown(first['input'])}: it {must}.")
