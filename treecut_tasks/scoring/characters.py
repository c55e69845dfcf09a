"""Step 1: write every character in its plainest form.

Only characters change here: digits of any script become ASCII digits, look-alike letters inside
Latin words become Latin letters, invisible characters disappear. Words, markup and lines stay.
"""

from __future__ import annotations

import re
import unicodedata

from treecut_tasks.scoring.folding import without_signs

_REPLACEMENTS = {
    # Hyphens and minus signs. En and em dashes stay: they may separate words or bound a range.
    **dict.fromkeys("\u2010\u2011\u2212\u2796\ufe63\uff0d\u207b\u208b\u02d7", "-"),
    **dict.fromkeys("\u2012\u2013", "\u2013"),
    **dict.fromkeys("\u2014\u2015\u2e3a\u2e3b\ufe58", "\u2014"),
    # Quotation marks.
    **dict.fromkeys(
        "\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\u2033\uff02", '"'
    ),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\uff07\u00b4", "'"),
    # Brackets and colons.
    **dict.fromkeys("\u3010\u3014\u3016", "["),
    **dict.fromkeys("\u3011\u3015\u3017", "]"),
    "\u25c1": "<",
    "\u25b7": ">",
    **dict.fromkeys("\u2236\ua789\u02d0\ufe55\ufe30", ":"),
    # Operators.
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
    **dict.fromkeys("\u22c5\u2219\u2022", "\u00b7"),
    **dict.fromkeys("\u2217\u204e", "*"),
    **dict.fromkeys("\u2248\u2243\u2245\u223c\u2a85", "\u2248"),
    **dict.fromkeys("\u2192\u27f6\u21d2\u27f9\u2794\u279c\u27a1\u21fe\u27a4\u279e\u2b95", "\u2192"),
    "\u2260": "\u2260",
    "\u2a7d": "\u2264",
    "\u2a7e": "\u2265",
    "\u066b": ".",
    "\u066c": ",",
    "\u2581": "_",
    # Line ends.
    **dict.fromkeys("\u2028\u2029\u0085\u000b\u000c\r\u2424", "\n"),
    "\t": "\t",
    "\n": "\n",
    # Small capitals, which compatibility normalisation leaves alone.
    **dict(
        zip(
            "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274"
            "\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
            "ABCDEFGHIJKLMNOPRSTUVWYZ",
            strict=True,
        )
    ),
}

# Marks that a font stacks on a letter. Vowel signs of other scripts are not among them.
_STACKED_MARKS = (
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
    (0xE0100, 0xE01EF),
)

_INVISIBLE = {"Cc", "Cf", "Cn", "Co", "Cs"}
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"

_LOOKALIKES = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0430\u0435\u043e\u0440"
    "\u0441\u0443\u0445\u0455\u0456\u0458\u0405\u0406\u0408\u043a\u043f\u0501\u051b\u051d\u04bb"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1"
    "\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c9\u03b7\u0461\u0448\u0433\u0442\u043c\u0578"
    "\u057d",
    "ABEKMHOPCTXaeopcyxsijSIJkndqwhABEZHIKMNOPTYXaeiknopuwnwwrtmnu",
)
_MIXED_WORD = re.compile(r"[A-Za-z\u0370-\u03ff\u0400-\u052f\u0530-\u058f]+")
_OTHER_LETTER = re.compile(r"[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]")
_LATIN = re.compile(r"[A-Za-z]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_OVERLINED = re.compile("((?:[0-9][\u0304\u0305])+)")


_SMALL_FRACTION = re.compile(
    "([\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,20})[\u2044/]([\u2080-\u2089]{1,20})"
)
_SMALL_DIGITS = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
    "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089",
    "0123456789" * 2,
)


_MAX_REMEMBERED = 50_000
"""Bounds the memory that texts of rare characters can claim."""


class _PlainForms(dict[int, str]):
    """Code point to plain text, computed when a character is first met."""

    def __missing__(self, code: int) -> str:
        plain = _plain_form(chr(code))
        if len(self) < _MAX_REMEMBERED:
            self[code] = plain
        return plain


_PLAIN_FORMS = _PlainForms()


def normalise_characters(text: str) -> str:
    """Return the text with every character in its plainest form.

    Works character by character (normalising a whole text would sort long runs of combining
    marks, which is quadratic), so the time is linear in the length.

    Args:
        text: Any string, lone surrogates and control characters included.

    Returns:
        Text of the same reading; private-use characters are gone, so later steps can use them.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\u0305" in text or "\u0304" in text:
        text = _OVERLINED.sub(_bracketed_period, text)
    if needs_no_change(text):
        return text
    if text.isascii():  # the rest is about other characters
        return text.translate(_PLAIN_FORMS)
    text = _SMALL_FRACTION.sub(_small_fraction, text)
    return _MIXED_WORD.sub(_latin_word, text.translate(_PLAIN_FORMS))


def needs_no_change(text: str) -> bool:
    """Whether a text is written plainly, as most are, also if they hold a few × for example.

    Args:
        text: text without overlined digits.
    """
    others = "".join(_NOT_ASCII.findall(text)) if not without_signs(text).isascii() else ""
    if others and (_OTHER_LETTER.search(others) or others.translate(_PLAIN_FORMS) != others):
        return False
    ascii_only = text.encode("ascii", "ignore")
    return len(ascii_only.translate(None, _CONTROLS)) == len(ascii_only)


def _bracketed_period(match: re.Match[str]) -> str:
    return "(" + "".join(c for c in match[1] if c.isascii()) + ")"


def _small_fraction(match: re.Match[str]) -> str:
    return f" {match[1]}/{match[2]}".translate(_SMALL_DIGITS)


def _latin_word(match: re.Match[str]) -> str:
    word = match[0]
    if word.isascii() or not _LATIN.search(word):
        return word
    return word.translate(_LOOKALIKES)


def _plain_form(char: str) -> str:
    if char in _REPLACEMENTS:
        return _REPLACEMENTS[char]
    code = ord(char)
    if any(low <= code <= high for low, high in _STACKED_MARKS) or char in _FILLERS:
        return ""
    category = unicodedata.category(char)
    if category in _INVISIBLE:
        return ""
    if char.isspace():
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("No", "Nl"):
        return _plain_number(char)
    if code < 0x80:
        return char
    decomposed = unicodedata.normalize("NFKD", char)
    kept = "".join(c for c in decomposed if not 0x0300 <= ord(c) <= 0x036F)
    return unicodedata.normalize("NFC", kept)


def _plain_number(char: str) -> str:
    """Write a vulgar fraction, an index, a circled or a Roman numeral in ASCII."""
    kind = unicodedata.decomposition(char).partition(">")[0]
    value = unicodedata.numeric(char)
    if kind == "<fraction":
        # The space keeps a whole number before it apart: 14 1/3.
        return " " + unicodedata.normalize("NFKC", char).replace("\u2044", "/")
    if kind == "<super":
        return f"^{value:g}"
    if kind == "<sub":
        return f"_{value:g}"
    return f"{value:g}" if value == int(value) else f" {value:g}"


_CONTROLS = bytes(code for code in range(0x80) if _plain_form(chr(code)) != chr(code))
"""The ASCII characters that are written in another way: control characters."""
