"""Tell whether the text between two answers takes the first one back."""

from __future__ import annotations

import re

_HARD = re.compile(
    r"\b(?:mistakes?|mistaken(?:ly)?|errors?|wrong(?:ly)?|incorrect(?:ly)?|correction|"
    r"correcting|scratch that|strike that|"
    r"i misread|misread|misremember\w*|miscalculat\w+|miscount\w*|misunderst\w+|mis-?appl\w+|"
    r"oops|whoops|my bad|disregard|"
    r"ignore (?:that|the (?:above|previous|first))|retract|take (?:that|it) back|not right|"
    r"isn't right|"
    r"i (?:forgot|overlooked|missed|confused|mixed|swapped|skipped|used the wrong|used one)|"
    r"let me (?:redo|correct|fix|recalculate|recompute|start over|try again|revise|rework|"
    r"re-?do)|redo(?:ing)?|"
    r"start(?:ing)? over|on second thought|on reflection|revis\w+|updat\w+|corrected|"
    r"should (?:have (?:been|used|divided|taken)|be|read)|"
    r"apolog\w+|sorry|that can't be|cannot be right|not quite|doesn't (?:satisfy|match|fit|"
    r"work)|does not (?:satisfy|match|fit|work)|"
    r"contradict\w*|reconsider\w*|rather than|instead of|invalid|not valid|fails|failed|"
    r"(?:attempt|try) (?:[2-9]|two)|second (?:attempt|try)|no longer)\b|"
    r"\u66f4\u6b63|\u4fee\u6b63|\u7b97\u9519|\u9519\u4e86|\u91cd\u65b0",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\b(?:wait|actually|hold on|hmm+|no(?=,)|hang on|let me (?:re-?check|double[- ]check|re-?read|"
    r"verify|re-?examine|reconsider|think)|"
    r"re-?check\w*|re-?read\w*|upon|looking (?:back|again)|however,|but wait|well,|edit|"
    r"but the question|the question asks|"
    r"(?:this|that) is (?:only )?(?:for|the price of) (?:two|three|both|\d))\b|"
    r"\u7b49\u4e00\u4e0b|\u7b49\u7b49",
    re.IGNORECASE,
)


_REPLACES = re.compile(
    r"\b(?:replaces?|replacing|supersedes?|corrects|overrides|instead of|(?:previous|earlier|"
    r"first|above) \w+ "
    r"(?:is|was) (?:wrong|incorrect))\b",
    re.IGNORECASE,
)


def replaces(line: str) -> bool:
    """Whether the line of an answer says that it takes the place of an earlier one."""
    return bool(_REPLACES.search(line))


def retracts(between: str) -> bool:
    """Whether a text says that what was answered before it is wrong.

    Args:
        between: The plain text between two answers, the label of the second one included.
    """
    return bool(_HARD.search(between))


def reopens(between: str) -> bool:
    """Whether a text takes up the question again ("Wait, …") or retracts."""
    return bool(_SOFT.search(between)) or retracts(between)
