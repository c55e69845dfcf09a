"""English for explanations: takes names and numbers, gives phrases."""

from __future__ import annotations

from collections.abc import Sequence

from treecut_tasks.themes import Variable


def one(name: Variable | str) -> str:
    """Write one piece: `an omelette at Bistro Nice`."""
    text = str(name)
    return f"{'an' if text[0] in 'aeiouAEIOU' else 'a'} {text}"


def quantity(count: int, variable: Variable) -> str:
    """Write several pieces without their plural, which a variable does not know: `3 × pie at …`."""
    return one(variable) if count == 1 else f"{count} × {variable}"


def capital(text: str) -> str:
    """Write a phrase as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def listed(parts: Sequence[object]) -> str:
    """Write a list: `1, 2 and 5`."""
    *most, last = map(str, parts)
    return f"{', '.join(most)} and {last}" if most else last


def sentences(numbers: Sequence[int]) -> str:
    """Write `sentence 2` or `sentences 1, 2 and 5`."""
    return f"sentence{'s' if len(numbers) > 1 else ''} {listed(numbers)}"
