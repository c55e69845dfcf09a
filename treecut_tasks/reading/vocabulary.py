"""Takes a theme, gives its vocabulary laid out for reading: phrases for quantities and prices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from treecut_tasks.errors import TreecutError
from treecut_tasks.themes import Theme, Variable, template_words

# Characters that end sentences. No name may hold one, nor words by which sentences are taken apart at
# their first occurrence: then every sentence comes apart in one way only.
_TEMPLATE_CHARACTERS = ".?:"

# Longer numbers are no prices; the limit also keeps conversion fast on hostile text.
_MAX_DIGITS = 18

_LISTED_NAMES = 20

# More phrases than the problems of a theme are made of; the limit bounds what hostile texts can claim.
_MAX_REMEMBERED = 20_000


class UnreadableError(Exception):
    """A phrase or sentence cannot be read; the message says why, as one clause without a stop."""


@dataclass(frozen=True)
class Lexicon:
    """Lookup tables of one theme.

    Attributes:
        theme: the theme itself.
        by_singular: singular names, to themselves.
        by_plural: plural names, to the singular.
        entities: the places, to themselves.
        quantities: phrases that were read before, with what they say.
    """

    theme: Theme
    by_singular: dict[str, str]
    by_plural: dict[str, str]
    entities: dict[str, str]
    quantities: dict[str, tuple[int, Variable]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def quantity(self, phrase: str) -> tuple[int, Variable]:
        """Read `a burger at Texas BBQ` or `3 burgers`: how many, and of what.

        Raises:
            UnreadableError: unknown name, or an article, number or plural that does not fit.
        """
        known = self.quantities.get(phrase)
        if known is None:
            known = self._quantity(phrase)
            if len(self.quantities) < _MAX_REMEMBERED:
                self.quantities[phrase] = known
        return known

    def _quantity(self, phrase: str) -> tuple[int, Variable]:
        head, _, noun = phrase.partition(" ")
        name, at, entity = noun.partition(" at ")
        if head in ("a", "an"):
            count, item = 1, self._singular(name)
            if head != indefinite_article(item):
                raise UnreadableError(f"{item!r} takes {indefinite_article(item)!r}, not {head!r}")
        else:
            count = _whole_number(head, of=phrase)
            item = self._plural(name, count)
        return count, Variable(self._entity(entity) if at else None, item)

    def asked(self, noun: str) -> Variable:
        """Read `Oxford shirt at Urban Tailors`, which follows the `a` of every question.

        Raises:
            UnreadableError: unknown name.
        """
        name, at, entity = noun.partition(" at ")
        return Variable(self._entity(entity) if at else None, self._singular(name))

    def money(self, phrase: str) -> int:
        """Read `a dollar` or `13 dollars`, in money units.

        Raises:
            UnreadableError: no amount of this theme's money.
        """
        if phrase == self.theme.money_one:
            return 1
        head, _, unit = phrase.partition(" ")
        if unit != self.theme.money_many:
            raise UnreadableError(
                f"{shortened(phrase)} is no amount of money, which is written "
                f"{self.theme.money_one!r} or as a number and {self.theme.money_many!r}"
            )
        if head == "0":
            return 0
        return _whole_number(head, of=phrase)

    def _singular(self, name: str) -> str:
        item = self.by_singular.get(name)
        if item is None:
            if name in self.by_plural:
                raise UnreadableError(
                    f"one is written with the singular {self.by_plural[name]!r}, not {name!r}"
                )
            raise UnreadableError(self._no_such("item", name, self.by_singular))
        return item

    def _plural(self, name: str, count: int) -> str:
        item = self.by_plural.get(name)
        if item is None:
            if name in self.by_singular:
                raise UnreadableError(f"{count} is written with the plural, not with {name!r}")
            raise UnreadableError(self._no_such("plural", name, self.by_plural))
        return item

    def _entity(self, name: str) -> str:
        entity = self.entities.get(name)
        if entity is None:
            raise UnreadableError(self._no_such("entity", name, self.entities))
        return entity

    def _no_such(self, role: str, name: str, allowed: Iterable[str]) -> str:
        names = list(allowed)
        more = ", …" if len(names) > _LISTED_NAMES else ""
        return (
            f"theme {self.theme.name!r} has no {role} {shortened(name)} "
            f"(it has {', '.join(names[:_LISTED_NAMES])}{more})"
        )


def indefinite_article(name: str) -> str:
    """Return `a` or `an` for a name in a sentence (not in the question, which always has `a`)."""
    return "an" if name[0] in "aeiouAEIOU" else "a"


def shortened(text: str, limit: int = 120) -> str:
    """Quote a text for an error message, cut at `limit` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def _whole_number(digits: str, of: str) -> int:
    """Read a number of 2 or more in plain digits; 1 has a word of its own in every phrase."""
    if not (digits.isascii() and digits.isdigit()):
        raise UnreadableError(
            f"{shortened(of)} begins neither with an article ('a', 'an') nor with a whole number"
        )
    if len(digits) > _MAX_DIGITS:
        raise UnreadableError(f"{shortened(digits)} has more than {_MAX_DIGITS} digits")
    if digits[0] == "0" or digits == "1":
        raise UnreadableError(
            f"{shortened(of)} begins with {digits!r}, but a number is 2 or more without leading "
            "zeros, and one is written with 'a'"
        )
    return int(digits)


@lru_cache(maxsize=64)
def lexicon(theme: Theme) -> Lexicon:
    """Lay out a theme for reading.

    Raises:
        TreecutError: a theme (built by hand, past the checks of `load_theme`) whose names could
            make one sentence readable in two ways.
    """
    by_singular = {item.name: item.name for item in theme.items}
    by_plural = {item.plural: item.name for item in theme.items}
    entities = {entity: entity for entity in theme.entities}
    if len(by_singular) < len(theme.items) or len(by_plural) < len(theme.items):
        raise TreecutError(
            f"Theme {theme.name!r} has two items with the same name or plural, so that texts could "
            "be read in two ways: give each its own."
        )
    for name in (*by_singular, *by_plural, *entities, theme.money_one, theme.money_many):
        _check_name(name, theme)
    return Lexicon(theme, by_singular, by_plural, entities)


def _check_name(name: str, theme: Theme) -> None:
    taken = template_words(name)
    taken += [character for character in _TEMPLATE_CHARACTERS if character in name]
    if taken:
        raise TreecutError(
            f"Theme {theme.name!r} has the name {name!r}, which cannot be told from the sentence "
            f"around it: use a name without {' and '.join(map(repr, taken))}."
        )
