"""From a response to what its reader sees: thinking, special tokens and later turns off."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from treecut_tasks.scoring.lexicon import compiled, entries, one_of
from treecut_tasks.scoring.text import Text, join

LIMIT = 50_000
"""Of longer visible text, so many characters of the start and of the end are read."""

TOKEN = re.compile(
    r"<\|?(?:start|im_start|channel|start_header_id|header_start)\|?> ?\w*|<channel\|>"
    r"|<[|/]{0,3}[A-Za-z_][\w :.-]{0,40}\|?>|\[/?[A-Z_ ]{3,20}\]|\u25c1/?\w{3,12}\u25b7|assistantfinal"
)
NAME = re.compile(r"[a-z][\w:]*")
THINKING = compiled("^" + one_of("thinking"))
TURN_OVER = entries("turn_over")


class Visible(NamedTuple):
    """What the reader sees, and whether thinking never ends."""

    text: Text
    open_thinking: bool


def visible_text(text: Text) -> Visible:
    """Drop thinking blocks of any name and everything from the end of the turn on.

    A closing tag without an opening one makes all before it thinking; a block that is never closed
    swallows the rest.
    """
    kept: list[Text] = []
    done, thinking = 0, text.chars.startswith("analysis")
    says_something = False
    for match in TOKEN.finditer(text.chars):
        token = match.group()
        kind = _kind(token)
        start, end = match.span()
        if thinking:
            if kind in ("close", "over", "channel"):
                thinking, done = False, end
            continue
        if kind == "text":
            continue
        if kind == "close":
            kept.clear()
            says_something = False
        else:
            kept.append(text.cut(done, start))
            says_something = says_something or bool(kept[-1].chars.strip())
        done = end
        thinking = kind == "open"
        if kind == "over" and says_something:
            done = len(text.chars)
            break
    if not thinking:
        kept.append(text.cut(done, len(text.chars)))
    whole = join(kept) if kept else text.cut(0, 0)
    if len(whole.chars) > 2 * LIMIT:
        whole = join([whole.cut(0, LIMIT), whole.cut(len(whole.chars) - LIMIT, len(whole.chars))])
    return Visible(whole, thinking)


@lru_cache(4096)
def _kind(token: str) -> str:
    """What a token in brackets does: opens or closes thinking, ends the turn, or nothing."""
    names = NAME.findall(token.lower().replace("begin_of_", "").replace("end_of_", "end "))
    if not names or "box" in names:
        return "text"
    closing = "/" in token[:3] or names[0] == "end" or token.lower() == "assistantfinal"
    if any(THINKING.search(name) for name in names):
        return "close" if closing else "open"
    if token == "assistantfinal":
        return "close"
    if names[0] == "channel":
        return "channel"
    if (
        token.startswith("<")
        and names[-1] in TURN_OVER
        and (closing or token[1] == "|" or names[-1] == "end_of_turn")
    ):
        return "over"
    return "token" if token.startswith("<|") else "text"


_THINK_TAG = re.compile(r"<think[^>]{0,200}>|</think>")


def split_thinking(response: str) -> tuple[str, str]:
    """The response without its first closed `<think>` block, and what stands in that block.

    Local servers leave thinking in the text, and so does lm-eval unless its model argument
    `think_end_token` says otherwise. Inspect takes this block out of every response; without it the
    literal rule would judge two different texts.
    """
    opened = closed = None
    depth = 0
    for tag in _THINK_TAG.finditer(response):
        if not tag[0].startswith("</"):
            opened, depth = opened or tag, depth + 1
        elif opened:
            closed, depth = closed or tag, depth - 1
            if depth == 0:
                closed = tag
                break
    # Opened more often than closed: as far as the first end.
    if not opened or not closed:
        return response, ""
    visible = response[: opened.start()] + response[closed.end() :]
    return visible.strip(), response[opened.end() : closed.start()].strip()
