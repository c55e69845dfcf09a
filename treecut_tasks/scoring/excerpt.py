"""Leave out the monotonous middle of an enormous text.

A response of a megabyte is a loop or a flood. Its start, its end and the surroundings of the first
and the last markers hold everything that a reader would look for.
"""

from __future__ import annotations

import re

from treecut_tasks.scoring.matching import bounded_matches
from treecut_tasks.scoring.visible import STOP_MARK, TURN_MARK

_LONG = 60_000
_ENDS = 20_000
_AROUND = 300
_MARKER = re.compile(
    rf"answer|oxed|####|\bans\b|\u7b54|[{STOP_MARK}{TURN_MARK}]|respuesta|\bresult\b|_of_box",
    re.IGNORECASE,
)


def excerpt(text: str) -> str:
    """Return a text of ordinary length as it is, and the telling parts of an enormous one.

    Args:
        text: Visible text.
    """
    if len(text) <= _LONG:
        return text
    middle = _MARKER.finditer(text, _ENDS, len(text) - _ENDS)
    spans = [(0, _ENDS)]
    spans += [(m.start() - _AROUND, m.end() + _AROUND) for m in bounded_matches(middle)]
    spans.append((len(text) - _ENDS, len(text)))
    kept: list[str] = []
    done = 0
    for start, end in spans:
        if start > done:
            kept.append("\n\n")
        kept.append(text[max(start, done) : end])
        done = max(done, end)
    return "".join(kept)
