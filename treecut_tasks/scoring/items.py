"""Tell which item a sentence prices, and whether it is another one than was concluded about."""

from __future__ import annotations

import re

_WORDS = r"[A-Za-z][A-Za-z-]{1,20}(?: [A-Za-z][A-Za-z-]{1,20}){0,3}?"
_PLACE = r"(?: at (?P<place{n}>[A-Z][\w']{{1,20}}(?: [A-Z][\w']{{1,20}}){{0,3}}))?"
_ENDS = (
    r"(?=(?: \w{1,12})?'s (?:price|cost)|,? (?:is|are|can|could|costs?|was|were|remains?|has|"
    r"must|would|by|at|cannot|here)\b|\W*=|\W*$|[.,;:()!?])"
)
_PRICED = re.compile(
    rf"\b(?:price|cost|value) (?:of|for) (?:(?:a|an|one|the|each|1|single) )?(?P<of>{_WORDS})"
    rf"{_PLACE.format(n=1)}{_ENDS}"
    rf"|\b(?:an?|one|the|each|1|single) (?!price|cost|value|answer)"
    rf"(?P<named>{_WORDS}){_PLACE.format(n=2)}{_ENDS}"
)
_NOT_ITEMS = re.compile(
    r"\b(?:price|cost|value|answer|result|question|problem|condition|information|sentence|"
    r"equation|unknown|total|solution|number|variable|dollars?|working|same)s?\b",
    re.IGNORECASE,
)
_MAX_SENTENCE = 400


def priced_items(sentence: str) -> list[tuple[str, str]]:
    """Return the items that a sentence names, each with its place or an empty string."""
    text = sentence[:_MAX_SENTENCE]
    text = re.sub(r"^(\W*)([A-Z])", lambda m: m[1] + m[2].lower(), text)
    found = []
    for match in _PRICED.finditer(text):
        name = match["of"] or match["named"]
        if not _NOT_ITEMS.search(name):
            found.append((_singular(name), match["place1"] or match["place2"] or ""))
    return found


def name_another_item(sentence: str, concluded: str) -> bool:
    """Whether a sentence names only items that a concluding sentence does not name.

    Args:
        sentence: The later sentence.
        concluded: The sentence that concludes; one that names no item leaves it open.
    """
    later, earlier = priced_items(sentence), priced_items(concluded)
    return bool(later) and not any(_same(a, b) for a in later for b in earlier)


def _same(left: tuple[str, str], right: tuple[str, str]) -> bool:
    places_differ = left[1] and right[1] and left[1] != right[1]
    return left[0] == right[0] and not places_differ


def _singular(name: str) -> str:
    return name.lower().strip().removesuffix("'s").removesuffix("s")
