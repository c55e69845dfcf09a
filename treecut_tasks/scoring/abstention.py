"""Whether a sentence says that what is asked for cannot be found, or asks for what is missing."""

from __future__ import annotations

from typing import Literal

from treecut_tasks.scoring.lexicon import patterns

Strength = Literal["strong", "weak", ""]
"""`strong`: it cannot be found, something is missing or open; `weak`: it needs or asks for more."""


def abstains(sentence: str) -> Strength:
    """How plainly a folded sentence abstains; empty if it does not."""
    prompt = sentence.startswith(("if ", "when ")) and "answer" in sentence
    if prompt or patterns("exempt").search(sentence):
        return ""
    if patterns("strong").search(sentence):
        return "strong"
    return "weak" if patterns("weak").search(sentence) else ""
