"""What a problem asks for: from its text to the words that a statement about the answer may use."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import re2

from treecut_tasks.scoring.lexicon import entries, words
from treecut_tasks.scoring.numbers import find_numbers
from treecut_tasks.scoring.plain import plain_text
from treecut_tasks.scoring.text import as_text, plain_characters

SENTENCE = re2.compile(r"[^.?!\n]*(?:[.]\d[^.?!\n]*)*[?.!\n]?")
ASKS = re2.compile(r"\b(?:how|what|which|find|calculate|determine|when|who)\b")
PRICE = re2.compile(
    r"how much (?:does|do|is|are|would|will) (?P<item>.{1,120}?) cost"
    r"|(?:price|cost) of (?P<item2>[^?.]{1,120})"
)
COUNT = re2.compile(
    r"how many (?:more |fewer |less |total |additional )?(?P<noun>[a-z'-]+(?: [a-z'-]+)?)"
    r"|how much (?:more )?(?P<mass>[a-z]+)"
)
CONTENT = re2.compile(r"[a-z][a-z'-]{2,}")
SMALL = entries("small")


class Question(NamedTuple):
    """The question of a problem.

    Attributes:
        text: the whole problem, folded; empty if it is not at hand.
        item: content words of the item whose price is asked for; empty for other questions.
        nouns: the words counted by "how many", without plural endings; empty for other questions.
        words: content words of the question.
        others: content words of the problem that are not in the question.
        money: whether an amount of money is asked for.
        difference: whether a difference is asked for ("how many more").
        numbers: the numbers of the problem.
    """

    text: str = ""
    item: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    money: bool = False
    difference: bool = False
    numbers: frozenset[object] = frozenset()


def content_words(chars: str) -> frozenset[str]:
    """The telling words of a folded text, without plural endings."""
    return frozenset(singular(word) for word in CONTENT.findall(chars) if word not in SMALL)


def singular(word: str) -> str:
    """The stem that a noun shares with its plural and its possessive: `sandwiches`, `pies`, `scarves`."""
    word = word.removesuffix("'s").removesuffix("'")
    word = word if word.endswith("ss") else word.removesuffix("s")
    word = word.removesuffix("e")
    return word[:-1] + {"y": "i", "f": "v"}.get(word[-1:], word[-1:])


@lru_cache(256)
def read_question(problem: str | None) -> Question:
    """Find what is asked for in the last question of a problem."""
    if not problem:
        return Question()
    text = " ".join(plain_text(plain_characters(as_text(problem))).chars.lower().split())
    sentences = [s for s in SENTENCE.findall(text) if s.strip()]
    asking = [s for s in sentences if s.endswith("?")] or [s for s in sentences if ASKS.search(s)]
    asked = (asking or sentences or [""])[-1]
    price, count = PRICE.search(asked), COUNT.search(asked)
    several = words("together").search(asked) or re2.search(
        r"\b(?:both|all|total|difference)\b", asked
    )
    named = (price["item"] or price["item2"]) if price and not several else ""
    item = content_words(named)
    noun = (count["noun"] or count["mass"] or "") if count else ""
    return Question(
        text=text,
        item=item,
        nouns=frozenset(singular(word) for word in noun.split() if word not in SMALL),
        words=content_words(asked),
        others=content_words(text) - content_words(asked),
        money=bool(words("money_question").search(asked))
        and not (count and count["noun"] and "dollar" not in noun),
        difference=bool(words("difference").search(asked)),
        numbers=frozenset(number.value for number in find_numbers(text)),
    )
