"""Step 4: cut the text into the turns and problems that it runs on into.

The first turn that commits to something answers the question; what follows it belongs to turns or
problems that the model invented.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from treecut_tasks.scoring.folding import folded
from treecut_tasks.scoring.visible import STOP_MARK, TURN_MARK


@dataclass(frozen=True)
class Turn:
    """A part of the response that answers one question.

    Attributes:
        text: The part.
        before_problem: Whether a problem is posed right after it.
    """

    text: str
    before_problem: bool = False


_WORD = re.compile(r"\w")
_MARKS = re.compile(f"[{STOP_MARK}{TURN_MARK}]")
_OPENING = (
    r"[ \t]{0,6}(?:#{1,6}[ \t]*)?(?:"
    r"(?:user|human|customer|student|system|gpt|chatgpt|ai|bot|you|me|model|agent|teacher|"
    r"tutor)(?: (?:question|query|prompt|message))?\s?:"
    r"|(?:next|new|another|second|following|similar|bonus|follow-?up|additional|extra|"
    r"related)?\s?(?:question|problem|exercise|example|puzzle|quiz|task|instruction|query|"
    r"prompt|input)s?"
    r"(?:\s?#?\d{1,3})?\s?(?:[:.]|$)"
    r"|q\d{0,3}\s?[:.)](?=\s)"
    r"|(?:now |next,? )?(?:let's|let us|here's|here is|consider|try|"
    r"solve)\s(?:now )?(?:\w+ ){0,3}?(?:another|a new|a different|a similar|a second|the next|"
    r"one more)\b"
    r"|(?:now|next),? (?:for |here's |here is |try )?(?:an?|another|the) (?:\w{1,12} )?"
    r"(?:harder|easier|trickier|different|similar|new|second|tougher) (?:one|problem|question)\b"
    r"|(?:next|new|another|similar) (?:question|problem|exercise|example)\b"
    r"|assistant\s?:|[\[<|(](?:user|human|assistant)[\]>|)]"
    r"|\u95ee\u9898\s?\d{0,3}\s?:|\u9898\u76ee\s?\d{0,3}\s?:|\u7528\u6237\s?:"
)
_HOW_MUCH = r"|(?=[^\n]{0,2000}\bhow much (?:does|do|is|are|would|will)\b[^\n?]{0,200}\?)"
_NEW_PROBLEM = re.compile(rf"^{_OPENING}{_HOW_MUCH})", re.IGNORECASE | re.MULTILINE)

# The same for folded text with a line end in front, which the engine can skip to. How the words of
# an opening begin is looked at first: few lines begin so.
_BEGINNING = (
    r"(?=[ \t]{0,6}(?:#{1,6}[ \t]*)?\s?(?:a[dgins]|bo|c[hou]|ex|fo|gp|h[eu]|in|le|m[eo]|n[eo]|p[ru]|"
    r"q|re|s[eioty]|t[aeru]|us|yo|[\[<|(\u95ee\u9898\u7528]))"
)
_SOME_OPENING = re.compile(rf"\n{_BEGINNING}{_OPENING})", re.MULTILINE)
_SOME_QUESTION = re.compile(rf"\n{_OPENING}{_HOW_MUCH})", re.MULTILINE)


def split_turns(text: str) -> list[Turn]:
    """Cut plain text at turn marks, stop tokens and newly posed problems.

    Args:
        text: Plain text with the private marks of `visible`.

    Returns:
        The parts that hold any words, in order; at least one.
    """
    turns: list[Turn] = []
    marked = STOP_MARK in text or TURN_MARK in text
    for piece in _MARKS.split(text) if marked else [text]:
        parts = _split_problems(piece)
        turns += [Turn(part, index + 1 < len(parts)) for index, part in enumerate(parts)]
    return [turn for turn in turns if _WORD.search(turn.text)][:200] or [Turn(text)]


def poses_problem(plain: str) -> bool:
    """Whether a new problem or a turn of somebody else starts somewhere in a folded text."""
    opening = _SOME_QUESTION if "how much" in plain else _SOME_OPENING
    return opening.search(f"\n{plain}") is not None


def _split_problems(text: str) -> list[str]:
    if not poses_problem(folded(text)):
        return [text]
    cuts = [match.start() for match in _NEW_PROBLEM.finditer(text)]
    bounds = [0, *cuts, len(text)]
    return [text[a:b] for a, b in itertools.pairwise(bounds) if b > a]
