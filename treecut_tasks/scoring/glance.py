r"""See at a glance what a response finally says, where nothing can overrule its last line.

Most responses are plain text that ends in an answer line. Whether anything in them could matter
beside that line is seen by plain searches for what every rule of the other modules begins at. This
is a shortcut only: wherever there is such a thing, or a doubt, the response is read in full.
"""

from __future__ import annotations

import re

from treecut_tasks.scoring.characters import needs_no_change
from treecut_tasks.scoring.folding import without_signs
from treecut_tasks.scoring.labels import holds_only_ordinary_nouns
from treecut_tasks.scoring.matching import holds_any
from treecut_tasks.scoring.plain import close_gaps
from treecut_tasks.scoring.turns import poses_problem
from treecut_tasks.scoring.values import Reading, read_span

_LONGEST = 20_000
_LAST_LINE = re.compile(
    r"(?:\*\*)?(?:final )?answer:(?:\*\*)?"
    r"(?P<span> (?:[1-9]\d{0,8}(?: dollars)?|unknown)\.?)(?:\*\*)?",
    re.IGNORECASE | re.ASCII,
)
_OTHER_MARKUP = (*'<&`~${|#"\t', "__", "_*", "...", "\n\n\n\n")
"""What tags, tables, JSON, chat templates, unusual markup and floods of lines cannot do without."""

_FORMULA_SIGNS = ("\\[", "\\]", "\\(", "\\)", "\\cdot ", "\\times ")
"""LaTeX that stands for a sign or for nothing."""

_TELLING = ("[", "\\", "assistant", "analysis", "submit", "finish", "how much")
"""What other LaTeX, roles, calls and posed problems cannot do without."""

_QUOTED_WORD = re.compile(r"'[a-z_]{4,24}'")

_INTRODUCES = (":", ",", "/", "or", "with", "write", "as")
"""Ends of a text that may make the line after it a hypothesis or an example."""


def answer_at_a_glance(response: str) -> Reading | None:
    """Read the last line of a response if it is an answer line that nothing can overrule.

    Args:
        response: the model's text as it came.

    Returns:
        What the answer line states; None where the whole response has to be read.
    """
    end = len(response.rstrip())
    start = response.rfind("\n", 0, end) + 1
    line = _LAST_LINE.fullmatch(response, start, end)
    if line is None or end > _LONGEST:
        return None
    text = response[:start]
    if not (without_signs(text).isascii() and needs_no_change(text)):
        return None
    bare = _without_emphasis(text.lower())
    if (
        holds_any(text, _OTHER_MARKUP)
        or holds_any(bare, _TELLING)
        or ("'" in bare and _QUOTED_WORD.search(bare))
        or bare.rstrip(" \n-'").endswith(_INTRODUCES)
        or poses_problem(bare)
        or not holds_only_ordinary_nouns(bare)
    ):
        return None
    return read_span(line["span"])


def _without_emphasis(text: str) -> str:
    """Leave out the usual signs of markup wherever they stand.

    `plain_text` leaves some of them, between two digits for example. To leave those out, too, hides
    nothing from the rest of the glance: only behind an underscore can a star be all that parts two
    words, and such texts are read in full.
    """
    if "\\" in text:
        for sign in _FORMULA_SIGNS:
            text = text.replace(sign, " ")
    text = text.replace("*", "").replace("_", "").replace(">", " ")
    return close_gaps(text)
