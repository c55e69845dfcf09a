"""From a response to the items that its lines `Undetermined:` and `Ask:` name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, entries, one_of
from treecut_tasks.scoring.outcome import lower
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.question import singular
from treecut_tasks.scoring.sentences import DECORATION
from treecut_tasks.scoring.text import Text, as_text, fold, plain_characters
from treecut_tasks.scoring.visible import visible_text
from treecut_tasks.themes import Theme, Variable

LABEL = compiled(
    r"(?m)(?:^|[.;,|!?}\]] *)[^\w\n.;,|]{0,20}(?:\d{1,2}[.)] )?"
    r"(?:(?P<undetermined>"
    + one_of("undetermined_label")
    + ")|(?P<ask>"
    + one_of("ask_label")
    + ")"
    r"|(?P<answer>(?:final )?answer))"
    r"(?: ?\([^()\n]{0,40}\))?[^\w\n:=|]{0,6}[:=|]+"
)
BULLET = re2.compile(r"^ *(?:[-\x{2013}\x{2022}*+|]|\d{1,2}[.)] )")
SEPARATOR = re2.compile(r"[;,\n|/]|\band\b|\bor\b|\bas well as\b")
WORD = re2.compile(r"[\pL\pN]+(?:['-][\pL\pN]+)*")
EMPTY_SIGN = re2.compile(r"[-\x{2013}\x{2205}]|\[ *\]|\{ *\}")
MOST_CHARS = 20_000


class Named(NamedTuple):
    """What a line names.

    Attributes:
        variables: variables of the problem, each once, in the order of the line.
        foreign: what names nothing of the problem, each once.
    """

    variables: tuple[Variable, ...]
    foreign: tuple[str, ...] = ()


class FinalLines(NamedTuple):
    """The last line of each kind, without its label; None where there is none.

    Attributes:
        undetermined: what follows the last `Undetermined:`.
        ask: what follows the last `Ask:`.
        asks_last: whether `Ask:` comes behind every `Answer:`.
        rest: the response without all such lines, for the verdict.
    """

    undetermined: str | None
    ask: str | None
    asks_last: bool
    rest: str


def find_final_lines(response: str) -> FinalLines:
    """Find the lines of a diagnosis or a question in the visible text, in Markdown, boxes or tables too.

    Of several lines of a kind the last counts. What a line names may follow it in a list.
    """
    plain = plain_text(plain_characters(visible_text(as_text(response)).text))
    chars = lower(plain.chars)
    labels = list(LABEL.finditer(chars))
    found: dict[str, str] = {}
    last, kept, done = "", [], 0
    for number, label in enumerate(labels):
        end = labels[number + 1].start() if number + 1 < len(labels) else len(chars)
        last = next(kind for kind, text in label.groupdict().items() if text is not None)
        if last == "answer":
            continue
        start, stop = _content(chars, label.end(), end)
        if content := chars[start:stop].strip():
            found[last] = content[:MOST_CHARS]
        kept.append(_original(response, plain, done, label.start()))
        done = stop
    kept.append(_original(response, plain, done, len(chars)))
    rest = "\n".join(kept) if len(kept) > 1 else response
    return FinalLines(found.get("undetermined"), found.get("ask"), last == "ask", rest)


def _content(chars: str, start: int, end: int) -> tuple[int, int]:
    """The rest of the line or, where nothing stands there, the list below it."""
    stop = chars.find("\n", start, end)
    stop = end if stop < 0 else stop
    if WORD.search(chars[start:stop]) or EMPTY_SIGN.search(chars[start:stop]):
        return start, stop
    at = stop
    while at < end:
        at += 1
        after = chars.find("\n", at, end)
        after = end if after < 0 else after
        line = chars[at:after]
        if line.strip() and not BULLET.match(line):
            # A line without a bullet is the whole list, if it comes first.
            return start, stop if chars[start:stop].strip() else after
        if line.strip():
            stop = after
        at = after
    return start, stop


def _original(response: str, plain: Text, start: int, end: int) -> str:
    return response[plain.places[start] : plain.places[end]]


class NameReader:
    """Reads names of a problem's variables as a careful reader would.

    Case, articles, plurals, Markdown, order of item and place, and words such as `the price of` do not
    matter. A name without its place counts where it stands alone and one item of the problem has it.

    Args:
        theme: the vocabulary in which the problem is written.
        variables: the problem's variables.
    """

    def __init__(self, theme: Theme, variables: Sequence[Variable]) -> None:
        plurals = {item.name: item.plural for item in theme.items}
        self._variables = tuple(variables)
        self._vocabulary = {
            word for name in (*theme.entities, *plurals, *plurals.values()) for word in _words(name)
        }
        self._phrases: dict[tuple[str, ...], Variable] = {}
        self._bare: dict[tuple[str, ...], set[Variable]] = {}
        for variable in variables:
            place = _words(variable.entity or "")
            for name in {variable.item, plurals.get(variable.item, variable.item)}:
                item = _words(name)
                self._phrases |= {item + place: variable, place + item: variable}
                self._bare.setdefault(item, set()).add(variable)
        self._longest = max(map(len, self._phrases), default=0)

    def read(self, line: str) -> Named:
        """What a line names: nothing, everything, or a list."""
        said = frozenset(_words(line))
        if said <= _stems("nothing_named"):
            return Named(())
        if said <= _stems("everything_named"):
            return Named(self._variables)
        variables: list[Variable] = []
        foreign: list[str] = []
        for part in SEPARATOR.split(fold(line)):
            if words := _words(DECORATION.sub("", part)):
                named = self._part(words)
                variables += named
                foreign += [] if named else [" ".join(part.split())[:100]]
        return Named(tuple(dict.fromkeys(variables)), tuple(dict.fromkeys(foreign)))

    def _part(self, words: tuple[str, ...]) -> list[Variable]:
        if len(bare := self._bare.get(words, set())) == 1:
            return list(bare)
        found: list[Variable] = []
        at = 0
        while at < len(words):
            lengths = range(min(self._longest, len(words) - at), 0, -1)
            length = next((n for n in lengths if words[at : at + n] in self._phrases), 0)
            if length:
                found.append(self._phrases[words[at : at + length]])
            elif words[at] in self._vocabulary:
                # Further words may be a comment, but no other name.
                return []
            at += length or 1
        return found


def _words(text: str) -> tuple[str, ...]:
    """The telling words of a phrase, without endings that a plural or a possessive adds."""
    return tuple(word for word in _stemmed(text) if word not in _stems("unnamed"))


def _stemmed(text: str) -> Iterator[str]:
    return (singular(word) for word in WORD.findall(fold(text)))


@lru_cache(8)
def _stems(name: str) -> frozenset[str]:
    return frozenset(word for entry in entries(name) for word in _stemmed(entry))
