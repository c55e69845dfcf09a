"""From a response to the items that its lines `Undetermined:` and `Ask:` name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, entries, one_of, words
from treecut_tasks.scoring.outcome import lower
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.question import singular
from treecut_tasks.scoring.sentences import DECORATION
from treecut_tasks.scoring.text import Text, as_text, fold, plain_characters
from treecut_tasks.scoring.visible import visible_text
from treecut_tasks.themes import Theme, Variable

LINE_LABEL = compiled(
    r"(?m)(?:^|[.;,|!?}\]] *)[^\w\n.;,|]{0,20}(?:\d{1,2}[.)] )?"
    r"(?:(?P<undetermined>"
    + one_of("undetermined_label")
    + ")|(?P<ask>"
    + one_of("ask_label")
    + ")"
    r"|(?P<answer>(?:final )?answer))"
    r"(?: ?\([^()\n]{0,40}\))?(?:[^\w\n:=|]{0,6}[:=|]+|[^\w\n]{0,6}$)"
)
SEPARATOR = re2.compile(r"[;,\n|/]|\band\b|\bor\b|\bas well as\b")
WORD = re2.compile(r"[\pL\pN]+(?:['-][\pL\pN]+)*")
EMPTY_SIGN = re2.compile(r"[-\x{2013}\x{2205}]|\[ *\]|\{ *\}")
SENTENCE_END = re2.compile(r"[.!?](?: |$)")
CLAUSE_END = re2.compile(r"[;,.:(\n\x{2013}]| - |\bbecause\b|\bsince\b|\bas\b")
BRACKETS = re2.compile(r"[(\[]([^()\[\]]{0,200})[)\]]")
DASH = re2.compile(r" - | ?\x{2013} ?")
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
    # Without a sign behind it, a label is a line of its own.
    labels = [
        label
        for label in LINE_LABEL.finditer(chars)
        if label.group().rstrip()[-1] in ":=|" or label.group()[0] not in ".;,|!?}]"
    ]
    found: dict[str, str] = {}
    last, kept, done = "", [], 0
    for number, label in enumerate(labels):
        end = labels[number + 1].start() if number + 1 < len(labels) else len(chars)
        last = next(kind for kind, text in label.groupdict().items() if text is not None)
        if last == "answer":
            continue
        # A list goes on up to the next label; where there is none, prose may follow.
        several = last == "undetermined" and number + 1 < len(labels)
        start, stop = label.end(), chars.find("\n", label.end(), end)
        says = stop >= 0 and (
            WORD.search(chars[start:stop]) or EMPTY_SIGN.search(chars[start:stop])
        )
        stop = stop if says and not several else end
        if content := chars[start:stop].strip():
            found[last] = content[:MOST_CHARS]
        kept.append(_original(response, plain, done, label.start()))
        done = stop
    kept.append(_original(response, plain, done, len(chars)))
    rest = "\n".join(kept) if len(kept) > 1 else response
    return FinalLines(found.get("undetermined"), found.get("ask"), last == "ask", rest)


def _original(response: str, plain: Text, start: int, end: int) -> str:
    return response[plain.places[start] : plain.places[end]]


class NameReader:
    """Reads names of a problem's variables as a careful reader would.

    Case, articles, plurals, Markdown, order of item and place, measures (`pair of`), and words such as
    `the price of` do not matter; remarks in brackets, behind a dash or in a further sentence are left
    out. In a list, a name without its place is of the place that follows; elsewhere it counts where
    one item of the problem has it.

    Args:
        theme: the vocabulary in which the problem is written.
        variables: the problem's variables.
    """

    def __init__(self, theme: Theme, variables: Sequence[Variable]) -> None:
        plurals = {item.name: item.plural for item in theme.items}
        self._variables = tuple(variables)
        self._places = {_words(entity): entity for entity in theme.entities}
        self._vocabulary = {
            word for name in (*theme.entities, *plurals, *plurals.values()) for word in _words(name)
        }
        self._phrases: dict[tuple[str, ...], Variable] = {}
        self._bare: dict[tuple[str, ...], set[Variable]] = {}
        for variable in variables:
            place = _words(variable.entity or "")
            names = {variable.item, plurals.get(variable.item, variable.item)}
            for name in names | {name.rpartition(" of ")[2] for name in names}:
                item = _words(name)
                self._phrases |= {item + place: variable, place + item: variable}
                self._bare.setdefault(item, set()).add(variable)
        self._longest = max(map(len, self._phrases), default=0)

    def read(self, line: str) -> Named:
        """What a line names: nothing, everything, or a list, less what it excludes."""
        folded = fold(line).strip()
        text = folded.strip("[]")
        if not _words(text):
            return Named(()) if EMPTY_SIGN.search(folded) else Named((), (_brief(text),))
        kept, excluded = _split(text, "excluded")
        clause = _words(CLAUSE_END.split(kept, 1)[0])
        first = clause[0] if clause and self._vocabulary.isdisjoint(clause) else ""
        # `All prices are determined` and `None of them is determined` say the opposite.
        opposite = bool(_stems("determined").intersection(clause))
        if first in _stems("nothing_named"):
            if excluded and self._list(excluded).variables:
                return self._list(excluded)
            return Named(self._variables if opposite else ())
        if first in _stems("everything_named"):
            without = self._list(excluded).variables
            kept_names = () if opposite else self._variables
            return Named(tuple(v for v in kept_names if v not in without))
        return self._list(text)

    def _list(self, text: str) -> Named:
        variables: list[Variable] = []
        foreign: list[str] = []
        bare: list[tuple[str, ...]] = []

        def place_bare(entity: str | None) -> None:
            for item in bare:
                items = self._bare[item]
                there = [v for v in items if v.entity == entity] or list(items)
                if len(there) == 1:
                    variables.append(there[0])
                else:
                    foreign.append(" ".join(item))
            bare.clear()

        for part in self._parts(text):
            said = _words(part)
            if said in self._bare and said not in self._phrases:
                bare.append(said)
            elif said in self._places and variables:
                other = Variable(self._places[said], variables[-1].item)
                if other in self._variables:
                    variables.append(other)
                else:
                    foreign.append(part)
            elif named := self._names(said):
                place_bare(named[0].entity)
                variables += named
            elif said:
                foreign.append(part)
        place_bare(None)
        return Named(tuple(dict.fromkeys(variables)), tuple(dict.fromkeys(map(_brief, foreign))))

    def _parts(self, text: str) -> Iterator[str]:
        """The parts of a list, remarks left out."""
        for line in text.splitlines():
            sentences = SENTENCE_END.split(DECORATION.sub("", line))
            line = next((s for s in sentences if not self._vocabulary.isdisjoint(_words(s))), line)
            line = _split(line, "reason")[0]
            line = BRACKETS.sub(lambda found: f" {self._place_in(found[1])} ", line)
            first, *others = DASH.split(line)
            for part in SEPARATOR.split(" ".join([first, *map(self._place_in, others)])):
                yield part if _words(part) in self._phrases else _split(part, "excluded")[0]

    def _place_in(self, remark: str) -> str:
        """The remark, if it is a place or a list of names in JSON; else nothing."""
        return remark if _words(remark) in self._places or '"' in remark else ""

    def _names(self, said: tuple[str, ...]) -> list[Variable]:
        found: list[Variable] = []
        at = 0
        while at < len(said):
            lengths = range(min(self._longest, len(said) - at), 0, -1)
            length = next((n for n in lengths if said[at : at + n] in self._phrases), 0)
            if length:
                found.append(self._phrases[said[at : at + length]])
            elif said[at] in self._vocabulary:
                # Further words may be a comment, but no other name.
                return []
            at += length or 1
        return found


def _split(text: str, name: str) -> tuple[str, str]:
    """A text before and behind the first word of a class."""
    found = words(name).search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _brief(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:100]


def _words(text: str) -> tuple[str, ...]:
    """The telling words of a phrase, without endings that a plural or a possessive adds."""
    return tuple(word for word in _stemmed(text) if word not in _stems("unnamed"))


def _stemmed(text: str) -> Iterator[str]:
    return (singular(word) for word in WORD.findall(fold(text)))


@lru_cache(8)
def _stems(name: str) -> frozenset[str]:
    return frozenset(word for entry in entries(name) for word in _stemmed(entry))
