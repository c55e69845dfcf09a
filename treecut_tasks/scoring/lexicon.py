"""The vocabulary of `lexicon.yaml`: from the name of a class to a pattern that finds its words."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import re2
import yaml

from treecut_tasks.scoring.text import fold

GAP = r"[^\w\s]*(?: [^\s;,]+){0,6}? [\"'(]*"
"""Up to six words between two parts of a pattern."""


@cache
def load() -> dict[str, Any]:
    """The lexicon as it stands in its file."""
    source = resources.files("treecut_tasks.scoring").joinpath("lexicon.yaml")
    loaded: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    return loaded


def compiled(pattern: str) -> Any:
    """Compile for lower-case text with an engine that takes linear time on every input."""
    options = re2.Options()
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)


def place(match: Any, name: str) -> tuple[int, int]:
    """Where a named group stands; the engine's own call knows numbers only."""
    start, end = match.span(match.re.groupindex[name])
    return start, end


@cache
def entries(name: str) -> frozenset[str]:
    """The entries of a class, folded."""
    return frozenset(fold(str(entry)) for entry in load()["classes"][name])


@cache
def one_of(*classes: str) -> str:
    """A pattern for one word or phrase of the classes."""
    found = sorted(frozenset[str]().union(*map(entries, classes)), key=lambda e: (-len(e), e))
    return "(?:" + "|".join(_phrase(entry) for entry in found) + ")"


@cache
def words(*classes: str) -> Any:
    """What finds a word or phrase of the classes anywhere in folded text."""
    return compiled(one_of(*classes))


@cache
def patterns(name: str) -> Any:
    """What finds one of the patterns `name`, which join classes (see the head of the file)."""
    return compiled("|".join(_joined(pattern) for pattern in load()["patterns"][name]))


def _phrase(entry: str) -> str:
    body: str = re2.escape(entry.rstrip("*")) + (r"[\w'-]*" if entry.endswith("*") else "")
    start = r"\b" if entry[0].isascii() and entry[0].isalnum() else ""
    end = r"\b" if entry[-1].isascii() and entry[-1].isalnum() else ""
    return start + body + end


def _joined(pattern: str) -> str:
    joined, blank = "", ""
    for part in pattern.split():
        if part == "~":
            blank = GAP
            continue
        optional = part.startswith("[")
        chosen = "|".join(
            one_of(word[1:-1]) if word.startswith("{") else _phrase(fold(word.replace("_", " ")))
            for word in part.strip("[]").split("|")
        )
        if optional:
            joined += f"(?:{blank}(?:{chosen}))?"
        else:
            joined += f"{blank}(?:{chosen})"
        blank = " "
    return joined
