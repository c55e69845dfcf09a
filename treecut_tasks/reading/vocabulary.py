"""Takes a theme, gives its vocabulary laid out for reading: the phrases that name what is sold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from treecut_tasks.errors import TreecutError
from treecut_tasks.themes import Theme, Variable, template_words

# Characters that end sentences. No name may hold one, nor words by which sentences are taken apart at
# their first occurrence: then every sentence comes apart in one way only.
_TEMPLATE_CHARACTERS = ".?:"

# Longer numbers are no prices; the limit also keeps conversion fast on hostile text.
_MAX_DIGITS = 18

_LISTED_NAMES = 20


class UnreadableError(Exception):
    """A phrase or sentence cannot be read; the message says why, as one clause without a stop."""


@dataclass(frozen=True)
class Lexicon:
    """Lookup tables of one theme.

    Attributes:
        theme: the theme itself.
        nouns: `burger`, `burgers at Texas BBQ` and so on, with the variable that each is of.
        plurals: the plural of each item.
    """

    theme: Theme
    nouns: Mapping[str, Variable]
    plurals: Mapping[str, str]

    def noun(self, noun: str) -> Variable:
        """Read `burger at Texas BBQ`, in singular or plural.

        Raises:
            UnreadableError: unknown name.
        """
        found = self.nouns.get(noun)
        if found is None:
            name, _, place = noun.partition(" at ")
            known = name in self.nouns
            names = self.theme.entities if known else tuple(self.plurals)
            more = ", …" if len(names) > _LISTED_NAMES else ""
            raise UnreadableError(
                f"theme {self.theme.name!r} has no {'entity' if known else 'item'} "
                f"{shortened(place if known else name)} (it has {', '.join(names[:_LISTED_NAMES])}{more})"
            )
        return found

    def quantity(self, phrase: str) -> tuple[int, Variable]:
        """Read `a burger at Texas BBQ` or `3 burgers`: how many, and of what; agreement is not checked.

        Raises:
            UnreadableError: neither an article nor a number above zero, or an unknown name.
        """
        head, _, noun = phrase.partition(" ")
        count = 1 if head in ("a", "an") else _whole_number(head)
        if not count:
            raise UnreadableError(
                f"{shortened(phrase)} begins neither with an article ('a', 'an') nor with a whole "
                f"number of at most {_MAX_DIGITS} digits"
            )
        return count, self.noun(noun)

    def money(self, phrase: str) -> int:
        """Read `a dollar` or `13 dollars`, in money units.

        Raises:
            UnreadableError: no amount of this theme's money.
        """
        head, _, unit = phrase.partition(" ")
        amount = 1 if phrase == self.theme.money_one else _whole_number(head)
        if amount is None or (unit != self.theme.money_many and phrase != self.theme.money_one):
            raise UnreadableError(
                f"{shortened(phrase)} is no amount of money, which is written "
                f"{self.theme.money_one!r} or as a number and {self.theme.money_many!r}"
            )
        return amount

    def written(self, count: int, variable: Variable) -> str:
        """Write a quantity as a sentence must have it; the inverse of `quantity`."""
        if count == 1:
            return f"{'an' if variable.item[0] in 'aeiouAEIOU' else 'a'} {variable}"
        return f"{count} {variable._replace(item=self.plurals[variable.item])}"


def shortened(text: str, limit: int = 120) -> str:
    """Quote a text for an error message, cut at `limit` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def _whole_number(digits: str) -> int | None:
    return int(digits) if digits.isdecimal() and len(digits) <= _MAX_DIGITS else None


@lru_cache(maxsize=64)
def lexicon(theme: Theme) -> Lexicon:
    """Lay out a theme for reading.

    Raises:
        TreecutError: a theme (built by hand, past the checks of `load_theme`) whose names could
            make one sentence readable in two ways.
    """
    nouns: dict[str, Variable] = {}
    for item in theme.items:
        for entity in (None, *theme.entities):
            variable = Variable(entity, item.name)
            nouns |= {str(variable): variable, str(variable._replace(item=item.plural)): variable}
    words = [name for item in theme.items for name in {item.name, item.plural}]
    if len(set(words)) < len(words):
        raise TreecutError(
            f"Theme {theme.name!r} has two items with the same name or plural, so that texts could "
            "be read in two ways: give each its own."
        )
    for name in (*words, *theme.entities, theme.money_one, theme.money_many):
        taken = template_words(name) + [each for each in _TEMPLATE_CHARACTERS if each in name]
        if taken:
            raise TreecutError(
                f"Theme {theme.name!r} has the name {name!r}, which cannot be told from the sentence "
                f"around it: use a name without {' and '.join(map(repr, taken))}."
            )
    return Lexicon(theme, nouns, {item.name: item.plural for item in theme.items})
