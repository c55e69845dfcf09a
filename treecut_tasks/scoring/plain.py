r"""Step 3: take the markup off.

LaTeX, Markdown and HTML are written as plain text: `\frac{43}{3}` becomes `43/3`, `**11**` becomes
`11`. A box keeps two private marks around its content, because boxing is a way to commit.
"""

from __future__ import annotations

import re
from itertools import chain

from treecut_tasks.scoring.matching import holds_any, matches_at, places

BOX_OPEN = "\ue000"
BOX_CLOSE = "\ue001"

_MAX_BOX = 600
"""A box with more content than this is not a final answer but an unclosed brace."""

_ENTITIES = {
    "nbsp": " ",
    "minus": "-",
    "dollar": "$",
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "ndash": "\u2013",
    "mdash": "\u2014",
    "times": "\u00d7",
    "divide": "\u00f7",
    "frasl": "/",
    "asymp": "\u2248",
    "rarr": "\u2192",
    "le": "\u2264",
    "ge": "\u2265",
    "colon": ":",
    "equals": "=",
    "thinsp": " ",
    "frac12": " 1/2",
    "frac13": " 1/3",
    "frac14": " 1/4",
}
_ENTITY = re.compile(r"&(?:#(\d{1,6})|#[xX]([0-9a-fA-F]{1,5})|([a-z]{2,6}\d{0,2}));")

_HTML_BREAK = re.compile(
    r"<(?:br|hr|p|/p|div|/div|li|/li|tr|/tr|h[1-6]|/h[1-6]|ul|/ul|ol|/ol|pre|/pre)"
    r"(?:\s[^<>\n]{0,200})?\s?/?>",
    re.IGNORECASE,
)
_HTML_INLINE = re.compile(
    r"</?(?:b|i|u|em|strong|span|code|sup|sub|mark|big|small|center|font|a|kbd|samp|var|math|mn|mo|"
    r"mi|mrow|table|tbody|thead|td|th|details|summary|body|html|ins|blockquote)"
    r"(?:\s[^<>\n]{0,200})?\s?/?>",
    re.IGNORECASE,
)
_BOX_TOKENS = re.compile(r"<\|begin_of_box\|>([^<>\n]{0,400})<\|end_of_box\|>", re.IGNORECASE)
_ALIGNED = re.compile(r"\\begin\{(?:align|aligned|gather|gathered|split|eqnarray|array)\*?\}")
_NEXT_SIDE = re.compile(r"\\\\\s{0,4}&?\s{0,4}=")
_NEXT_ROW = re.compile(r"\\\\(?=\s{0,4}[\w&])")
_STRUCK = re.compile(r"~~[^~\n]{1,400}~~|<(del|s|strike)>[^<>\n]{1,400}</\1>", re.IGNORECASE)

_COMMANDS = {
    **dict.fromkeys(("times", "cdot", "ast"), "\u00d7"),
    "div": "\u00f7",
    **dict.fromkeys(("approx", "simeq", "cong", "thickapprox", "sim"), "\u2248"),
    **dict.fromkeys(
        ("implies", "Rightarrow", "Longrightarrow", "rightarrow", "to", "longrightarrow", "iff"),
        "\u2192",
    ),
    **dict.fromkeys(("leq", "le", "leqslant"), "\u2264"),
    **dict.fromkeys(("geq", "ge", "geqslant"), "\u2265"),
    **dict.fromkeys(("lt",), "<"),
    **dict.fromkeys(("gt",), ">"),
    **dict.fromkeys(("ne", "neq"), "\u2260"),
    "pm": "\u00b1",
    "therefore": "\u2234 ",
    **dict.fromkeys(("dots", "ldots", "cdots", "dotsc"), "..."),
    **dict.fromkeys(("colon",), ":"),
    **dict.fromkeys(("quad", "qquad", "newline", "par", "enspace", "thinspace", "space"), " "),
    **dict.fromkeys(("in",), "\u2208"),
    "infty": "\u221e",
    "mid": "|",
    **dict.fromkeys(("lbrace",), "{"),
    **dict.fromkeys(("rbrace",), "}"),
    "sqrt": "\u221a",
    "neg": "-",
    "checkmark": "",
    "item": "\n",
}
_WRITTEN_OUT = {name: f" {sign} " for name, sign in _COMMANDS.items()}
_COMMAND = re.compile(r"\\([A-Za-z]{1,24})\*?[ ]?")
_BOX = re.compile(
    r"\\{1,2}(?:(?:boxed|fbox|framebox|answer|ans)\s{0,3}(?=\{)|(?:boxed|fbox)\s{1,3}(?=\d))"
)
_BOX_WITHOUT_BACKSLASH = re.compile(r"(?<![\\\w])b?oxed(?=\{)")
_BARE_BOX = re.compile(r"\d{1,30}")
_FRACTION = re.compile(
    r"(?P<whole>\d)?\s{0,2}(?P<sign>-\s?)?\\{1,2}[dtc]?frac\s{0,2}"
    r"(?:\{(?P<top>[^{}\n]{1,60})\}|(?P<top1>\d))\s{0,2}"
    r"(?:\{(?P<bottom>[^{}\n]{1,60})\}|(?P<bottom1>\d))"
)
_SIMPLE_TERM = re.compile(r"-?[\w.,]{1,60}")
_OVER = re.compile(r"\{\s{0,3}(-?\d{1,20})\s{0,3}\\over\s{0,3}(\d{1,20})\s{0,3}\}")
_PERIOD = re.compile(
    r"\\\\?(?:overline|bar|dot)\s{0,2}\{\s{0,2}(\d{1,20})\s{0,2}\}|\\\\?bar\s?(\d)"
)
_TEXT = re.compile(
    r"\\\\?(?:text|textbf|textit|textrm|textsf|texttt|mathrm|mathbf|mathit|mathsf|mathtt|"
    r"mbox|hbox|"
    r"operatorname|emph|underline|bold|boldsymbol|bm|textnormal|textsc|textup|mathord|phantom)"
    r"\s{0,3}\{(?P<inner>[^{}]{0,600})\}"
)
_LAYOUT = re.compile(
    r"\\\\?(?:tag|label|hspace|vspace|color|textcolor|colorbox|begin|end|ref|require)\*?"
    r"\s{0,3}\{[^{}\n]{0,40}\}(?:\{[lcr|@ ]{1,8}\})?"
)
_SPACING = re.compile(r"\\(?:[,;:! ]|(?=\n))|~(?<=\d~)(?=\\)")
_SIZING = re.compile(
    r"\\(?:left|right|big|Big|bigg|Bigg|bigl|bigr|displaystyle|textstyle)(?![a-z])\.?"
)
_SIZES = ("\\left", "\\right", "\\big", "\\Big", "\\displaystyle", "\\textstyle")
_MATH_DELIMITER = re.compile(r"\\\\?[()\[\]]")
_ROW_END = re.compile(r"\\\\(?:\[[^\]\n]{0,10}\])?")
_BACKSLASHES = re.compile(r"\\{3,}")
_ESCAPED_NEWLINE = re.compile(r"\\n(?![a-z])")
_ESCAPED = re.compile(r"\\([$%#&_*`>~{}<.+\-!|\"'])")
_SIGNED_DOLLAR = re.compile(r"(?<=[-\u2013])[ ]?(?:US|U\.S\.|A|C|AU|CA)?\$(?=[ ]?\d)")
_COUNTRY_DOLLAR = re.compile(r"\b(?:US|U\.S\.|AU|CA)[ ]?\$")

_FENCE = re.compile(r"^[ ]{0,6}(?:```|~~~)[ ]?([\w+-]{0,20})[ ]*$", re.MULTILINE)
_BLANK = re.compile(r"_{3,}")
# The mark stands first and what is before it is looked at afterwards: then the search is fast.
_EMPHASIS = re.compile(
    r"\*(?:(?<![\w*]\*)(?=[^\s*])|(?<=[^\s*]\*)(?![\w*(])|(?<=[A-Za-z.:)]\*)(?=\w))"
)
_UNDERSCORE = re.compile(r"_(?:(?<![\w_]_)(?=[^\s_])|(?<=[^\s_]_)(?![\w_{(]))")
_QUOTE_LINE = re.compile(r"^[ \t]{0,6}(?:>[ ]?){1,4}", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,200}\)")
_ABBREVIATIONS = (
    ("i.e.", "ie"),
    ("e.g.", "eg"),
    ("I.e.", "ie"),
    ("E.g.", "eg"),
    ("approx.", "approx"),
    ("vs.", "vs"),
)
_ABBREVIATED = (".e.", ".g.", "approx.", "vs.")
_BLANK_LINES = re.compile(r"\n{4,}")
_GAP = re.compile(r"[ \t]{2,}")
_BLANK_MARK = "\ue004"

TEMPLATE_BLANK = _BLANK_MARK
"""Stands for a gap to fill in (`____`)."""


def plain_text(text: str) -> str:
    """Return the text without LaTeX, Markdown and HTML markup.

    Args:
        text: Visible text with plain characters.

    Returns:
        Plain text in which `BOX_OPEN` and `BOX_CLOSE` surround what was boxed.
    """
    if "&" in text:
        text = _ENTITY.sub(_entity, text)
    text = _strip_html(text)
    text = _strip_latex(text)
    text = _strip_markdown(text)
    if holds_any(text, _ABBREVIATED):
        for written, plain in _ABBREVIATIONS:
            text = text.replace(written, plain)
    text = close_gaps(text)
    return _BLANK_LINES.sub("\n\n\n", text) if "\n\n\n\n" in text else text


def close_gaps(text: str) -> str:
    """Write one space for several.

    Args:
        text: any text.
    """
    if "\t" in text:
        return _GAP.sub(" ", text)
    while "  " in text:  # halves every gap, so that a few rounds do for any
        text = text.replace("  ", " ")
    return text


def _entity(match: re.Match[str]) -> str:
    if match[3]:
        return _ENTITIES.get(match[3], match[0])
    code = int(match[1]) if match[1] else int(match[2], 16)
    return chr(code) if 0x20 <= code < 0xD800 else ""


def _strip_html(text: str) -> str:
    if "<" in text:
        text = _BOX_TOKENS.sub(rf"{BOX_OPEN}\1{BOX_CLOSE}", text)
        text = _STRUCK.sub(" ", text)
        text = _HTML_BREAK.sub("\n", text)
        return _HTML_INLINE.sub("", text)
    return _STRUCK.sub(" ", text) if "~~" in text else text


def _strip_latex(text: str) -> str:
    if "$" in text:
        text = _SIGNED_DOLLAR.sub("", text)
        text = _COUNTRY_DOLLAR.sub("$", text)
    if "{" in text:
        text = text.replace("{,}", ",")
    if "\\begin{" in text and _ALIGNED.search(text):  # the sides of one chain stand on several rows
        text = _NEXT_ROW.sub("; ", _NEXT_SIDE.sub(" =", text)).replace("&", " ")
    if "\\" in text or "oxed{" in text:
        if "\\\\\\" in text:
            text = _BACKSLASHES.sub(r"\\\\", text)
        if "\\n" in text:
            text = _ESCAPED_NEWLINE.sub("\n", text)
        if "$" in text or "\\textdollar" in text:
            text = text.replace("\\textdollar", "$").replace("\\$", "$")
            text = _SIGNED_DOLLAR.sub("", text)
        text = _SPACING.sub(" ", text)
        text = _SIZING.sub("", text) if holds_any(text, _SIZES) else text
        text = _strip_arguments(text) if "{" in text or "frac" in text or "bar" in text else text
        text = _mark_boxes(text)
        text = _ROW_END.sub("\n", text) if "\\\\" in text else text
        text = _MATH_DELIMITER.sub(" ", text)
        text = _ESCAPED.sub(r"\1", text)
        text = _COMMAND.sub(_command, text)
    return text.replace("$", " ")


def _strip_arguments(text: str) -> str:
    """Take off the commands that act on what follows them."""
    text = _LAYOUT.sub(" ", text)
    text = _PERIOD.sub(lambda m: f"({m[1] or m[2]})", text)
    text = _OVER.sub(r"\1/\2", text)
    for _ in range(2):  # text inside fractions inside text
        text = _TEXT.sub(lambda m: m["inner"], text)
        text = _FRACTION.sub(_fraction, text) if "frac" in text else text
    return text


def _fraction(match: re.Match[str]) -> str:
    top = (match["top"] or match["top1"]).strip()
    bottom = (match["bottom"] or match["bottom1"]).strip()
    sign = "-" if match["sign"] else ""
    whole = match["whole"] or ""
    gap = " " if whole else ""
    if sign and whole:
        gap, sign = "", " - "
    return f"{whole}{gap}{sign}{_grouped(top)}/{_grouped(bottom)}"


def _grouped(term: str) -> str:
    simple = _SIMPLE_TERM.fullmatch(term)
    return term if simple else f"({term})"


def _command(match: re.Match[str]) -> str:
    return _WRITTEN_OUT.get(match[1], " ")


def _mark_boxes(text: str) -> str:
    """Put private marks around the content of every closed box, in one pass over the braces."""
    if "box" not in text and "oxed" not in text and "\\ans" not in text:
        return text
    bare = matches_at(_BOX_WITHOUT_BACKSLASH, text, places(text, ("boxed{", "oxed{")))
    starts = {m.end(): m.start() for m in chain(_BOX.finditer(text), bare)}
    if not starts:
        return text
    pieces: list[tuple[int, int, str]] = []  # start, end, replacement
    stack: list[int] = []
    for brace in re.finditer(r"[{}]", text):
        at = brace.start()
        if brace[0] == "{":
            stack.append(at)
        elif stack:
            opened = stack.pop()
            if opened in starts and at - opened <= _MAX_BOX:
                pieces.append((starts.pop(opened), opened + 1, BOX_OPEN))
                pieces.append((at, at + 1, BOX_CLOSE))
    for end, start in starts.items():
        digits = _BARE_BOX.match(text, end)
        if digits:
            pieces.append((start, end, BOX_OPEN))
            pieces.append((digits.end(), digits.end(), BOX_CLOSE))
    pieces.sort()
    result: list[str] = []
    done = 0
    for start, end, mark in pieces:
        if start < done:
            continue
        result.append(text[done:start])
        result.append(mark)
        done = end
    result.append(text[done:])
    return "".join(result)


def _strip_markdown(text: str) -> str:
    if "`" in text or "~" in text:
        text = _FENCE.sub("", text)
        text = text.replace("`", "\ue005")
    if "*" in text:
        text = text.replace("**", "")
    if "__" in text:
        text = _BLANK.sub(_BLANK_MARK, text).replace("__", "")
    if "*" in text:
        text = _EMPHASIS.sub("", text)
    if "_" in text:
        text = _UNDERSCORE.sub("", text)
    if ">" in text:
        text = _QUOTE_LINE.sub("", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text
