"""Letters without case, so that a plain search can rule out what a slow pattern looks for.

Most patterns of this room ignore case, which keeps the regular expression engine from skipping
ahead. Nearly all of them look for words that nearly no text holds; whether it does is seen at once
in the folded text.
"""

from __future__ import annotations

from functools import lru_cache

_LIKE_ASCII = (("\u0130", "i"), ("\u0131", "i"), ("\u017f", "s"), ("\u212a", "k"))
"""The only other characters that patterns take for ASCII letters when they ignore case."""


def fold(text: str) -> str:
    """Return a text of the same length in which ASCII letters are lower case.

    Whatever a pattern matches in the text without regard to case, the same pattern matches in the
    folded text at the same place, as far as it speaks of ASCII letters.

    Args:
        text: any text.
    """
    if not text.isascii():
        for other, letter in _LIKE_ASCII:
            text = text.replace(other, letter)
    return text.lower()


_SIGNS = "\u00d7\u00f7\u2248\u2013\u2014"
"""Signs of ordinary responses that are no letters and are written plainly as they are."""


def without_signs(text: str) -> str:
    """Leave out a few usual signs, a multiplication sign for example; most texts are ASCII then.

    Args:
        text: any text.
    """
    if not text.isascii():
        for sign in _SIGNS:
            text = text.replace(sign, "")
    return text


@lru_cache(maxsize=4)
def folded(text: str) -> str:
    """The same as `fold`, for a long text that several steps look at."""
    return fold(text)
