"""From visible text to plain text: LaTeX, Markdown and HTML off, a box as one pair of brackets.

Own code, because the quote needs the place of every character: neither markdown-it-py nor
pylatexenc keeps it inside a line, the one takes a second for 100 kB, the other ends deep braces
in a RecursionError, and both read `12.` or `3*4*5` as their languages say, not as a model means.
"""

from __future__ import annotations

import html
import re
from typing import Any

from treecut_tasks.scoring.lexicon import load
from treecut_tasks.scoring.text import Text

OPEN, CLOSE = "\u27e6", "\u27e7"
"""Around the contents of a box."""

COMMANDS: dict[str, str] = load()["latex"]
LATEX = re.compile(
    r"\\[dt]?frac ?(\d) ?(\d)|\\[dt]?frac ?\{|\\(?:boxed|fbox) ?\{|\\(?:boxed|fbox) ?[\w.]+"
    r"|\\(?:begin|end)\{[a-z*]+\}"
    r"|\\([A-Za-z]+) ?(\{)?|\\(.)|\\\n|[_^]\{|\{,\}|[{}]|<\|begin_of_box\|>|<\|end_of_box\|>|&="
)
LATEX_SIGNS = {
    "&=": "=", "{,}": ",", "<|begin_of_box|>": OPEN, "<|end_of_box|>": CLOSE, "\\\\": "\n", "\\\n": "\n",
    **dict.fromkeys(("\\,", "\\!", "\\(", "\\)", "\\[", "\\]"), ""),
    **dict.fromkeys(("\\;", "\\:", "\\ "), " "),
}  # fmt: skip
ARROW = re.compile(r"[-=]{1,2}>")
TIMES = re.compile(r" x (?=[$(]?\d)")
LINES = re.compile(
    r"(?m)^[ >]*(?:[-*_=\u2013] ?){3,}$|^ *\x60{3,}(?:json|python|text|latex|markdown|plaintext|math|md)? *$"
)
MARKUP = re.compile(
    r"(?i)\*\*+|__+|\x60+|\$\$|~~|<br */?>"
    r"|</?(?:b|i|u|em|strong|span|p|div|code|sup|sub|mark|center|font|small|big|h\d)(?: [^<>\n]{0,100})?>"
    r"|&#?\w{2,8};"
)
STAR = re.compile(r"\*")


def plain_text(text: Text) -> Text:
    """Take the markup off. Text that is plain stays as it is."""
    text = text.sub(TIMES, " * ").sub(ARROW, "\u21d2").sub(LINES, "").sub(MARKUP, _markup)
    text = _emphasis(text)
    return text.sub(LATEX, _Latex(text.chars)) if LATEX.search(text.chars) else text


def _markup(match: Any) -> str:
    found: str = match.group()
    if found.startswith("&"):
        return html.unescape(found) if html.unescape(found) != found else found
    return "\n" if found.lower().startswith(("<br", "$$")) else ""


def _emphasis(text: Text) -> Text:
    """Drop each single star that stands on one side of a word only; the others multiply."""

    def replaced(match: Any) -> str:
        start, end = match.span()
        before, after = text.chars[start - 1 : start], text.chars[end : end + 1]
        at_start = not before or before == "\n"
        if at_start and after == " ":
            return "\u2022"
        return "*" if bool(before.strip()) == bool(after.strip()) and not at_start else ""

    return text.sub(STAR, replaced)


class _Latex:
    """Replaces one token of LaTeX after another, with the braces that are open."""

    def __init__(self, chars: str) -> None:
        self.chars = chars
        self.open: list[str] = []
        self.under = -1

    def __call__(self, match: Any) -> str:
        found: str = match.group()
        over, under, word, brace, sign = match.groups()
        if found.endswith("frac{") or over:
            before = self.chars[match.start() - 1 : match.start()]
            if not over:
                self.open.append("/")
            return (" " if before.isdigit() else "") + (f"{over}/{under}" if over else "")
        if found.startswith(("\\boxed", "\\fbox")):
            if found.endswith("{"):
                self.open.append(CLOSE)
                return OPEN
            return OPEN + found[6:].strip() + CLOSE
        if found == "}":
            return self._close(match.end())
        if found in LATEX_SIGNS:
            return LATEX_SIGNS[found]
        if found == "{":
            self.open.append("" if match.start() == self.under else "}")
            return "{" if self.open[-1] else ""
        if found in ("_{", "^{"):
            self.open.append("")
            return found[0]
        if word in ("begin", "end") or found.startswith(("\\begin{", "\\end{")):
            return " "
        if word:
            if brace:
                self.open.append("")
            return COMMANDS.get(word, "" if brace else word)
        return str(sign)

    def _close(self, end: int) -> str:
        closed = self.open.pop() if self.open else "}"
        if closed == "/" and self.chars[end : end + 1] == "{":
            self.under = end
            return "/"
        return "" if closed == "/" else closed
