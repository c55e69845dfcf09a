"""Read what one span of plain text states: a number, an abstention, or something less.

This is the step that knows that `x = 33 - 22 = 11` states 11, `25 - 2B` states no number, and
`unknown, but it would be 12 if …` abstains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from treecut_tasks.scoring.abstention import find_abstention
from treecut_tasks.scoring.folding import fold, without_signs
from treecut_tasks.scoring.items import name_another_item, priced_items
from treecut_tasks.scoring.matching import Guarded, holds_any
from treecut_tasks.scoring.numerals import Quantity, read_quantity
from treecut_tasks.scoring.plain import BOX_CLOSE, BOX_OPEN, TEMPLATE_BLANK

TOLERANCE = Fraction(1, 10000)
"""Relative difference up to which two numbers are the same value."""

MAX_SPAN = 1500
"""Characters of a span that are read."""

Kind = Literal[
    "number", "unknown", "expression", "range", "template", "empty", "unreadable", "text"
]


@dataclass(frozen=True)
class Reading:
    """What a span states.

    Attributes:
        kind: `number` or `unknown` for a commitment; `expression` (also an equation), `range` (also
            bounds and alternatives), `unreadable` (a number beyond all bounds) for less than one;
            `template` for a placeholder, `empty` for nothing, `text` for other words.
        value: The number.
        direct: Whether the span starts with what it states.
    """

    kind: Kind
    value: Fraction | None = None
    direct: bool = False

    @property
    def commits(self) -> bool:
        """Whether the span states a number or abstains."""
        return self.kind in ("number", "unknown")


def values_equal(value: str, answer: str) -> bool:
    """Compare two numbers as the scorer does.

    Args:
        value: A number as `Outcome.value` writes it.
        answer: The right answer, `11` or `43/3`; `unknown` equals no number.

    Returns:
        Whether both are numbers that differ by at most one part in 10,000 of the answer.
    """
    left, right = _as_fraction(value), _as_fraction(answer)
    return left is not None and right is not None and same_value(left, right)


def same_value(value: Fraction, answer: Fraction) -> bool:
    """Whether two values differ by at most one part in 10,000 of the second."""
    return abs(value - answer) <= TOLERANCE * max(abs(answer), TOLERANCE)


@lru_cache(maxsize=1024)
def _as_fraction(text: str) -> Fraction | None:
    text = text.strip()
    quantity = read_quantity(text, 0)
    if quantity is None or quantity.in_words or quantity.end != len(text):
        return None
    return quantity.value


_EDGE = " \t\n\"'\ue005*_:;,.!?\u00b7\u2192|#>\u2705\u2714\u2611\u25aa\u25cf\u2014"
_LEADING = re.compile(
    r"(?:[\s\"'\ue005*:;,|\u2192\ue000\u2014\u2705\u2714\u2611#]|\.(?!\d)|>(?!\s?[=\d])"
    r"|[-\u2013](?=\s+[A-Za-z\d$])|[-=\u2013]{1,2}>|=(?=\s?[^=]))+"
)
_FILLER = re.compile(
    r"(?:\s|\ue000|"
    r"(?:approximately|approx|about|around|roughly|nearly|almost|exactly|precisely|simply|just|"
    r"only|"
    r"is|it's|it is|its|that's|that is|which is|equals|equal to|probably|likely|most likely|maybe|"
    r"perhaps|possibly|presumably|i think|i think it's|i believe|i'd say|i would say|definitely|"
    r"clearly|indeed|therefore|thus|then|hence|so|again|still|now|finally|also|costs?|"
    r"a total of|the number|the value|the integer|the price is|the cost is|price|cost|"
    r"best guess|my best guess is|estimated(?: at)?|ca|circa|"
    r"usd|us|eur|gbp|dollars?|"
    r"约|大约|约为|大約|是|为|為|等于|即|:)(?![A-Za-z])"
    r"|[\u2248~\u20ac\u00a3\u00a5\u20b9\u00a2:])+",
    re.IGNORECASE,
)
_UNIT_WORDS = (
    r"dolar(?:es)?|"
    r"(?:us |u\.s\. |united states )?dollars?|bucks?|usd|us|eur|euros?|gbp|pounds?|cad|aud|units?|"
    r"\u20ac|\u00a3|\u00a5|\u00a2|cents?|apiece|each|per (?:\w+ ){0,2}\w+|a piece|total|"
    r"in total|even|only|exactly|of a dollar|money|currency|rupees?|yuan|rmb|coins?|credits?"
)
_UNIT = re.compile(
    rf"\s{{0,2}}(?:(?:{_UNIT_WORDS})(?![A-Za-z])|美元|元|美金|块钱?|圆|円|ドル|달러|\.00)",
    re.IGNORECASE,
)
_CENTS = re.compile(
    r"\s?(?:and\s|,\s)?(\d{1,2}|[a-z]{3,9}(?:[ -][a-z]{3,5})?)\scents?\b", re.IGNORECASE
)
_TEMPLATE = re.compile(
    rf"[\s\"'\ue005*:.]*(?:<[^<>\n]{{1,40}}>|\[(?:your|insert|the|a|final|number|value|price|"
    rf"numerical|"
    r"numeric|result|answer|unknown or|x|n|\.\.\.)[^\[\]\n]{0,40}\]|\{\{?[A-Za-z_ ]{1,30}\}?\}|"
    rf"(?:a )?(?:number|value) (?:or|/) [\"']?unknown|"
    rf"{TEMPLATE_BLANK}|\((?:your|insert|number|value|the number)[^()\n]{{0,30}}\)|(?:xx+|"
    rf"\?\?+|\.\.\.+)(?=\W*$)|"
    r"\$?\{(?![\d.]{1,20}\})\w{1,20}\}|%\w\b|#\{\w{1,20}\})",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"(?:is |be |costs? |it is |it costs? |must be |should be |price is )?"
    r"(?:(?:a |any )?multiples? of|divisible by|"
    r"at (?:least|most)|less than|more than|greater than|no (?:more|less|fewer|greater) than|"
    r"not (?:more|less) than|up to|under|over|below|above|fewer than|cheaper than|higher than|"
    r"lower than|"
    r"larger than|smaller than|minimum(?: of)?|maximum(?: of)?|max\b\.?|min\b\.?|exceeds?|"
    r"bigger than|"
    r"(?:somewhere |anywhere |any \w+ |a \w+ |some \w+ )?(?:between|from|in the (?:range|interval)|"
    r"within)|anywhere|"
    r"either|one of|any of|[<>]=|[<>\u2264\u2265\u00b1\u2260]|not )",
    re.IGNORECASE,
)
_RANGE_AFTER = re.compile(
    r"\s?(?:[-\u2013\u2014~\u2026]|\.{2,3}|to\b|through\b|until\b|up to\b)\s?", re.IGNORECASE
)
_LIST_AFTER = re.compile(
    r"\s?(?:,\s?(?:or|and)?|/|;|\bor\b|\band\b|\bor maybe\b|\bor perhaps\b|\bor possibly\b)\s?",
    re.IGNORECASE,
)
_SAME_AFTER = re.compile(
    r"\s?(?:[,(\[]\s?)?(?:\u2248|~|=|\u2192|or|ie|that is|which is|equivalently|about|"
    r"approximately|roughly|"
    r"as a decimal|in decimal(?: form)?|approx)"
    r"(?:[\s,:]{1,2}(?:about|approximately|roughly|around|equivalently|\u2248|is|approx|"
    r"ie)){0,2}[\s,:]{0,2}",
    re.IGNORECASE,
)
_OPEN_BOUND_AFTER = re.compile(
    r"\s?(?:(?:or|and) (?:more|less|higher|lower|above|below|under|over|greater|fewer|cheaper|"
    r"up)\b|"
    r"\+(?=\s?(?:$|[.,)]|dollars))|at (?:least|most)|minimum|maximum|[<>](?![/A-Za-z|])|"
    r"[\u2264\u2265\u00b1])",
    re.IGNORECASE,
)
_RELATIVE_AFTER = re.compile(
    r"\s?(?:more|less|fewer|cheaper|higher|lower|greater|above|below|over|under|off|extra|"
    r"additional|"
    r"times|as (?:much|many)|fold)\b(?! the| a complete)",
    re.IGNORECASE,
)
_OPERATOR_AFTER = re.compile(
    r"\s:\s?(?=\d{1,6}\s?=)|\s?[+*\u00d7\u00b7^\u00f7\u221a](?!\s?$)|\s?/(?!\s?(?:$|[A-Za-z]{2}))|"
    r"\s?[-\u2013](?=\s?[\d(\\])"
)
_MINUS_VARIABLE = re.compile(
    r"\s?[-\u2013]\s?\d*\s?(?:[A-Za-z](?:_\w+|\d+|')?)(?![A-Za-z'])(?!\s(?!dollars?\b)[a-z]{2})"
)
_VARIABLE_AFTER = re.compile(
    r"(?:[A-Za-z](?:_\{?\w{1,20}\}?)?(?![A-Za-z])|[A-Za-z]_\{?\w+\}?|"
    r"\s[A-Za-z](?:_\w{1,10})?(?=\s?[-+*/=.\u2013)]|\s?$))"
    r"|\((?=\s?[\dA-Za-z]{1,3}(?:_\w{1,8})?\s?[-+*/\u00d7\u2013])|\s?\u00d7|\{"
)
_INDEX = re.compile(r"_\{?\w{1,20}\}?|(?<=[A-Za-z])(?:\d{1,3}|')")
_ALGEBRA = re.compile(
    r"[\sA-Za-z\d.()+\-*/\u00d7\u00b7^=\u2013{}\[\],'<>\u2264\u2265\u2248\u2208|!:\u221e\ue000\ue001\ue005\"]+"
)
_WORD = re.compile(r"[A-Za-z]{2}")
_LETTER = re.compile(r"[A-Za-z]")
_VARIABLE_SIDE = re.compile(
    r"(?:.*[\s,;:(])?[A-Za-z](?:_\{?[\w,.\s']{1,30}\}?|\d{1,2}|'|\([\w' ]{1,30}\))*\s?$|"
    r"(?:.*\W)?[A-Za-z_]{2,30}(?:\([^()]{1,60}\))?[\"']?\s?$",
    re.DOTALL,
)
_COEFFICIENT_SIDE = re.compile(
    r"(?:.*[\s,;:(])?(?:\d+\s?[*\u00d7\u00b7]?\s?)[A-Za-z]\w{0,12}\s?$", re.DOTALL
)
_CANCELLED = re.compile(r"(?:^|\s)(\d{1,4})\s?[A-Za-z]\w{0,12}\s?[/\u00f7]\s?\1$")
_CLAUSE_BREAK = re.compile(
    r"\u2192|=>|->|;|,\s|\n|\.\s|\bso\b|\bhence\b|\bthus\b|\btherefore\b|\bgiving\b|\bgives\b|"
    r"\bwe get\b|"
    r"\bthen\b|\bwhich means\b|\bmeaning\b|\u2234|[\u3002\uff0c\u3001]|所以|因此|故|得到?|\band\b|"
    r"\bsince\b|\bbecause\b|\bie\b|\bwith\b|\bwhere\b|\bif\b",
    re.IGNORECASE,
)
_NUMBER_START = re.compile(
    r"(?<![\w.,/])(?:[-\u2013]\s?)?(?=[\d.]*\d)|"
    r"(?<![A-Za-z])(?=(?:minus|negative|zero|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|"
    r"twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|"
    r"fou?rty|fifty|"
    r"sixty|seventy|eighty|ninety|a (?:dozen|hundred|half|third|quarter))\b)|"
    r"(?<=[是为為\u4e8e于])(?=[零一二两三四五六七八九十百\d])",
    re.IGNORECASE,
)
_NUMBER_SIGN = re.compile(r"[-\u2013.\d]")
_NUMBER_WORDS = (
    *("minus", "negative", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "eleven", "twelve", "thirt", "fifte", "twent", "fort", "fift"),
    *("a dozen", "a hundred", "a half", "a third", "a quarter"),
)
"""How the words of `_NUMBER_START` begin."""
_ANCHOR_BEFORE = re.compile(
    r"(?:\b(?:is|are|was|be|being|costs?|costing|equals?|equal to|=|comes? (?:out )?(?:to|at)|"
    r"came (?:out )?to|"
    r"amounts? to|get|got|gives?|find|found|obtain|pays?|charges?|charged|priced at|price of|"
    r"cost of|"
    r"answer|must be|to be|remains?|stands at|worth|yields?|at|for|value of|conclude|as|say|"
    r"says|goes for|"
    r"sells for|settles? (?:on|at)|works out (?:to|at)|turns out to be|fetches|than|not)\b|=|:|"
    r"\u2192|"
    r"\u2248|是|为|為|等于|即|[-\u2013\u2014]\s|\u2234)"
    r"(?:\s|\ue000|,|just|only|exactly|approximately|about|around|roughly|therefore|thus|hence|"
    r"then|"
    r"also|indeed|simply|\u2248|:|\u20ac|\u00a3|usd|us|约|a total of|the number|the value|equal to|"
    r"equals|now|probably|likely|\(|\"|'|\ue005){0,12}$",
    re.IGNORECASE,
)
_BOUND_BEFORE = Guarded(
    re.compile(
        r"(?:at (?:least|most)|less than|more than|greater than|no more than|up to|under|over|"
        r"below|above|"
        r"between|between [\w.]{1,12} and|[<>\u2264\u2265\u00b1]|not|than)\s{0,2}\W{0,2}$",
        re.IGNORECASE,
    ),
    (
        "at least",
        "at most",
        "than",
        "up to",
        "under",
        "over",
        "below",
        "above",
        "between",
        "not",
        *"<>\u2264\u2265\u00b1",
    ),
)
_COUNTED_AFTER = re.compile(
    r"\s(?:of (?:them|these|those|the)\b|(?!dollars?\b|bucks\b|usd\b|us\b|each\b|per\b|"
    r"euros?\b|units?\b|cents?\b|"
    r"and\b|or\b|but\b|so\b|because\b|since\b|as\b|for\b|is\b|in\b|to\b|at\b|when\b|if\b|"
    r"given\b|by\b|which\b|"
    r"where\b|with\b|from\b|after\b|while\b|not\b|that\b|then\b|on\b|here\b|too\b|apiece\b|"
    r"a piece\b|"
    r"based\b|according\b|assuming\b|exactly\b|only\b|total\b|altogether\b|this\b|the\b|it\b|"
    r"would\b|"
    r"was\b|hence\b|thus\b|therefore\b|satisf|under\b|although\b|though\b|even\b|instead\b|"
    r"rather\b|there\b|we\b|I\b|again\b)"
    r"[A-Za-z]{2,})"
)
_PLURAL_SUBJECT = re.compile(
    r"\b(?:[2-9]|\d{2,3}|two|three|four|both|these|those)\s(?:[\w']+\s){0,9}?(?:together )?"
    r"(?:costs?|are|is|come|would cost|total|=|amount|makes?|give|is worth)\W*(?:\w+\s){0,2}\W*$",
    re.IGNORECASE,
)
_TRAILING_REASON = re.compile(
    r"\s(?:because|since|as (?:\d|two|three|we|the|it|can|shown)|given that|considering|"
    r"which is (?!\d+\s?(?:dollars?)?[.\s]*$)|which means two|compared|whereas|while|"
    r"considering)\b",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"\([^()\n]{0,400}\)|\[[^\[\]\n]{0,400}\]")
_WORDY_PARENTHESIS = re.compile(r"\((?=[^()\n]{0,300}[A-Za-z]{3})[^()\n]{0,400}\)")
_PROSE_THEN_SUM = re.compile(r".*[A-Za-z]{2}[\s:]+[\d\s.+\-*/\u00d7\u00f7\u00b7()]+$", re.DOTALL)
_PART_OF_SUM = re.compile(
    r"[A-Za-z]\s?[+*\u00d7]\s?$|(?:\b[A-Za-z](?:_\w{1,12})?|\d|\))\s?[-+*/\u00d7\u00b7^\u00f7]\s?$"
)
_SYMBOL_SUM = re.compile(r"\b[A-Za-z]\s?[-+*\u00d7]\s?$|\bplus\s$")
_COUNTED_NOUN = re.compile(
    r"\s(?:of\b|(?:[A-Za-z'-]+\s){0,3}(?!is\b|was\b|this\b|as\b|costs\b|dollars\b|its\b|"
    r"us\b)[A-Za-z'-]+s\b|more\b)"
)
_OPENERS = re.compile(r"[\s(\[{\"'\ue005\ue000]{0,6}")
_ITEM_END = re.compile(r"\s?(?:[.,;)!?\]\"'\n]|$|or\b|and\b|depending|are\b)")
_CURRENCY_GAP = re.compile(
    r"[\s\u20ac\u00a3(]*(?:about |approximately |maybe |perhaps |possibly )?[\s\u20ac\u00a3]*"
)
_NOT_BUT = re.compile(
    r"(?:not|isn't|no longer)\s[^.;\n]{1,40}?(?:,\s?but|;\s?it is|\sbut(?: rather)?|:\sit is|"
    r":\sit's|,\sit is|,\sit's)\s",
    re.IGNORECASE,
)
_CONCEDED = re.compile(
    r"\b(?:may|might|could|would|seems?|seemed|appears?|looks?|looked|at first|first glance|"
    r"think|thought|although|though|"
    r"while|even though)\b",
    re.IGNORECASE,
)
_ALTHOUGH = re.compile(r"\b(?:although|though|while|whereas|despite)\b", re.IGNORECASE)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|assum\w+|suppos\w+|would|could|might|were|hypothetical\w*|guess\w*|should)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(r"\b(?:but|however|yet|still|nevertheless|it is|it's)\b", re.IGNORECASE)


_FILLED_IN = re.compile(r"<\s?([-$\d./,]{1,40}|unknown)\s?>", re.IGNORECASE)
_WRAPPED = re.compile(r"\s*<[a-z_]{1,20}>\s?(?=[-$]?\d|unknown\b)", re.IGNORECASE)
_PREMISE_CLAUSE = re.compile(
    r"\s*\(?(?:assuming|given|if|with|supposing|suppose|provided|under the assumption)\b"
    r"[^,;\n]{3,120},\s(?:then\s)?(?P<rest>[^,;\n]{1,40})$",
    re.IGNORECASE,
)
_SET = re.compile(
    r"[\s(\[{]{0,4}-?\d[\d.]{0,12}\s?,\s?(?:\.{2,4}|-?(?!\d{3}\s?[)\]}])\d[\d.]{0,12}\s?[)\]}])"
)
_INEQUALITY = re.compile(r"\s*[A-Za-z](?:_\w{1,12})?\s?\u2260")
_CONCATENATED = re.compile(r"\s?[\"'\ue005]\s?[+,]\s?[A-Za-z(]")
_PLURAL_UNKNOWN = re.compile(r"unknowns\W*", re.IGNORECASE)
_CHOICE = re.compile(r"^\s*(?:\([A-E]\)|[A-E][).:])\s{1,3}(?=[-$\d]|unknown\b)")
_HAN_PRICE = re.compile(
    r"(?P<value>-?\d[\d.]{0,20}|[\u96f6\u4e00\u4e8c\u4e24\u5169\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e]{1,8})"
    r"\s?(?:\u7f8e\u5143|\u5143|\u7f8e\u91d1|\u5757)"
)
_HAN_EACH = re.compile(
    r"(?:\u4e00[\u4e2a\u4efd\u53ea]|\u6bcf[\u4e2a\u4efd\u53ea]?|\u5355\u4ef7|\u6240\u4ee5|\u56e0\u6b64)[^,.\uff0c\u3002]{0,12}$"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_LESS = re.compile(
    r"[\u8d35\u8cb4\u591a\u5c11\u81f3\u5230\u6216\u8d85\u5927\u5c0f]|\u4fbf\u5b9c|\u4e4b\u95f4|\u5982\u679c|\u5047\u8bbe"
)


def read_span(span: str) -> Reading:
    """Read what a span states; a sentence is read several times, and many answers are alike.

    Args:
        span: Plain text after an answer marker, inside a box, or a sentence.

    Returns:
        The reading; `direct` if the statement is at the start of the span.
    """
    span = span[:MAX_SPAN]
    # One space in front says nothing; without it more spans are alike.
    return _read_span(span[1:] if span[:1] == " " and not span[1:2].isspace() else span)


@lru_cache(maxsize=2048)
def _read_span(span: str) -> Reading:
    span = _FILLED_IN.sub(r"\1", span) if "<" in span else span
    opened = _WRAPPED.match(span)
    span = span[opened.end() :] if opened else span
    if BOX_OPEN in span:
        boxed = _read_boxes(span)
        if boxed is not None:
            return boxed
    body = _strip_lead(_CHOICE.sub("", span))
    if _SET.match(body) or _INEQUALITY.match(body):
        abstains = find_abstention(body) is not None
        return Reading("unknown" if abstains else "range", direct=True)
    if _CONCATENATED.match(span):
        return Reading("expression", direct=True)
    if _PLURAL_UNKNOWN.fullmatch(body):
        return Reading("unknown", direct=True)
    if not body.strip(_EDGE + "-\u2013()[]{}\ue001$="):
        return Reading("empty", direct=True)
    if _TEMPLATE.match(body):
        return Reading("template", direct=True)
    return (
        _read_han_price(body)
        or _read_premised(body)
        or _read_start(body)
        or _read_equation(body)
        or _read_algebra(body)
        or _read_statement(body)
        or Reading("text")
    )


def _read_han_price(body: str) -> Reading | None:
    """Read a Chinese phrase that holds one price: `\u4e00\u4e2a\u6c34\u679c\u584411\u7f8e\u5143`."""
    if not _HAN.search(body) or _HAN_LESS.search(body) or find_abstention(body) is not None:
        return None
    prices = list(_HAN_PRICE.finditer(body))
    if len(prices) > 1:  # the price of one item, or what is concluded
        prices = [m for m in prices if _HAN_EACH.search(body[max(0, m.start() - 16) : m.start()])]
    values = {
        quantity.value
        for match in prices
        if (quantity := read_quantity(match["value"], 0)) is not None
    }
    value = values.pop() if len(values) == 1 else None
    return Reading("number", value, direct=True) if value is not None else None


def _read_premised(body: str) -> Reading | None:
    """Read the value behind an assumption: `assuming wraps cost 10 dollars everywhere, 12`."""
    clause = _PREMISE_CLAUSE.match(body)
    if clause is None:
        return None
    reading = read_span(clause["rest"])
    return reading if reading.kind == "number" and reading.direct else None


def _read_boxes(span: str) -> Reading | None:
    """Read the last box of a span: what is boxed is what is meant."""
    start = span.rfind(BOX_OPEN)
    end = span.find(BOX_CLOSE, start)
    if end < 0:
        return None
    before = span[:start].replace(BOX_OPEN, "").replace(BOX_CLOSE, "")
    head = _read_start(_strip_lead(before)) if before.strip(_EDGE) else None
    if head is not None and head.kind == "unknown":
        return head
    content = span[start + 1 : end].replace(BOX_OPEN, "")
    if "=" not in content and before.rstrip().endswith(("-", "\u2212")):
        content = "-" + content
    inner = read_span(content)
    if inner.kind == "text":
        return None
    return Reading(inner.kind, inner.value, direct=True)


def _strip_lead(span: str) -> str:
    lead = _LEADING.match(span)
    return span[lead.end() :] if lead else span


def _read_start(body: str) -> Reading | None:
    """Read a span that starts with what it states."""
    filler = _FILLER.match(body)
    at = filler.end() if filler else 0
    opened = _OPENERS.match(body, at)
    inner = opened.end() if opened else at
    abstained = find_abstention(body[at : at + 200])
    if _IMPOSSIBLE.match(body, inner) or (abstained is not None and abstained <= inner - at):
        return Reading("unknown", direct=True)
    negated = _NOT_BUT.match(body, at)
    if negated is not None:
        return _read_start(body[negated.end() :])
    bound = _BOUND.match(body, at)
    if bound is not None:
        return _read_bound(body, bound.end(), abstained)
    quantity = read_quantity(body, inner)
    if quantity is None:
        return None
    if quantity.value is None:
        return Reading("unreadable", direct=True)
    if quantity.in_words and _ONE_COSTS.match(body, quantity.end):
        return _read_statement(body[quantity.end :])
    return _read_after(body, quantity, opened=body[at:inner])


_ONE_COSTS = re.compile(r"\s(?:is|costs?|equals)\s", re.IGNORECASE)
_SO_VALUE = re.compile(
    r"[,;]\s(?:so|hence|thus|ie|that is|which is|which gives|giving|therefore)\s([^,;\n]{1,40})$",
    re.IGNORECASE,
)
_IMPOSSIBLE = re.compile(r"impossible\b", re.IGNORECASE)
_INTERVAL = re.compile(
    r"(?:between|from|in the (?:range|interval)|within|anywhere|either|one of|any of|not )$",
    re.IGNORECASE,
)
_SPANS = re.compile(
    r"\s\W{0,3}[\w.]{1,12}\W{0,3}(?:\w{1,8} )?(?:to|up|through|[-\u2013])", re.IGNORECASE
)


def _read_bound(body: str, end: int, abstained: int | None) -> Reading | None:
    """A bound, an interval or alternatives, unless the span goes on to abstain."""
    rest = body[end : end + 120]
    if re.match(r"\s{0,2}\W{0,3}(?:\d|[A-Za-z]+)", rest) is None:
        return None
    opens_interval = _INTERVAL.search(body[:end])
    if opens_interval and opens_interval[0].lower() == "from" and not _SPANS.match(rest[:80]):
        return None
    if abstained is not None:
        return Reading("unknown", direct=True)
    if opens_interval:
        return Reading("range", direct=True) if _quantities(rest[:60]) else None
    return Reading("range", direct=True) if _starts_quantity(rest, 0) else None


def _read_after(body: str, quantity: Quantity, opened: str) -> Reading:
    """Decide by what follows a leading number whether it stands alone."""
    value = quantity.value
    assert value is not None
    number = Reading("number", value, direct=True)
    end = quantity.end
    unit = _UNIT.match(body, end)
    cents = _CENTS.match(body, unit.end() if unit else end)
    if cents is not None and (unit is not None or "and" in cents[0]):
        parts = read_quantity(cents[1], 0)
        if parts is not None and parts.value is not None:
            return Reading("number", value + parts.value / 100, direct=True)
    if unit is not None:
        end = unit.end()
        again = _UNIT.match(body, end)
        end = again.end() if again else end
    rest = (
        body[end:].lstrip("\ue001\ue005\"'")
        if body[end : end + 1] in "\ue001\ue005\"'"
        else body[end:]
    )
    if unit is None and _VARIABLE_AFTER.match(rest):
        return _chain_or(rest, body, "expression")
    if _OPEN_BOUND_AFTER.match(rest):
        return Reading("range", direct=True)
    if "(" in opened or "[" in opened or "{" in opened:
        pair = re.match(r"\s?[,;\u2013-]\s?(?=[-\d])", rest)
        if pair is not None:
            return Reading("range", direct=True)
        rest = rest.lstrip(" )]}")
    same = _SAME_AFTER.match(rest)
    if same is not None:
        return _read_equal(body, rest, same, number)
    ranged = _RANGE_AFTER.match(rest)
    if ranged is not None and _starts_quantity(rest, ranged.end()):
        return _chain_or(rest, body, "range")
    listed = _LIST_AFTER.match(rest)
    if listed is not None:
        other = read_quantity(rest, _skip_currency(rest, listed.end()))
        if other is not None and other.value is not None and _ends_item(rest, other.end):
            alone = same_value(other.value, value)
            return number if alone else Reading("range", direct=True)
    if _OPERATOR_AFTER.match(rest) or (unit is None and _MINUS_VARIABLE.match(rest)):
        return _chain_or(rest, body, "expression")
    if _RELATIVE_AFTER.match(rest):
        return _read_statement(body[quantity.end :]) or Reading("expression", direct=True)
    if unit is None and _COUNTED_AFTER.match(body, quantity.end) and not _is_closed(rest):
        stated = _read_statement(body)
        if stated is not None and not stated.direct:
            return stated
        if quantity.in_words or _COUNTED_NOUN.match(body, quantity.end):
            return Reading("text")
    return number


def _is_closed(rest: str) -> bool:
    return bool(re.match(r"\s?(?:[.,;:!?)(\n]|$)", rest))


def _skip_currency(text: str, at: int) -> int:
    match = _CURRENCY_GAP.match(text, at)
    return match.end() if match else at


def _starts_quantity(text: str, at: int) -> bool:
    quantity = read_quantity(text, _skip_currency(text, at))
    if quantity is None:
        return False
    end = quantity.end
    if _UNIT.match(text, end):
        return True
    return not (_COUNTED_AFTER.match(text, end) or _VARIABLE_AFTER.match(text, end))


def _ends_item(text: str, at: int) -> bool:
    unit = _UNIT.match(text, at)
    at = unit.end() if unit else at
    return bool(_ITEM_END.match(text, at))


def _chain_or(rest: str, body: str, kind: Kind) -> Reading:
    """Arithmetic with a result (`33 - 22 = 11`) states the result; otherwise it stays what it is."""
    line = body.partition("\n")[0]
    if "=" in line or "\u2192" in line:
        result = _read_equation(line)
        if result is not None and result.kind == "number":
            return Reading("number", result.value, direct=True)
    concluded = _SO_VALUE.search(line[:400])
    result_value = _whole_number(concluded[1]) if concluded else None
    if result_value is not None:
        return Reading("number", result_value, direct=True)
    if find_abstention(rest[:300]) is not None:
        return Reading("unknown", direct=True)
    return Reading(kind, direct=True)


def _read_equal(body: str, rest: str, same: re.Match[str], number: Reading) -> Reading:
    """Read `43/3 ≈ 14.33`, `22/2 = 11`, `11 or about 11.0`: one answer in several forms."""
    other = read_quantity(rest, _skip_currency(rest, same.end()))
    word = same[0].strip(" ,(").lower()
    if other is None or other.value is None:
        return number
    assert number.value is not None
    if same_value(other.value, number.value):
        return number
    if word.startswith("="):
        chain = _read_equation(body.partition("\n")[0])
        return (
            Reading("number", chain.value, direct=True)
            if chain and chain.value is not None
            else number
        )
    scale = max(abs(number.value), Fraction(1))
    if abs(other.value - number.value) <= scale / 20:
        return number  # an exact value and its rounding
    if word.startswith(("or", "~")):
        return Reading("range", direct=True) if _ends_item(rest, other.end) else number
    return number


def _read_equation(body: str) -> Reading | None:
    """Read chains of equalities: the last side counts, a bare variable before a multiple."""
    if "=" not in body and "\u2248" not in body:
        return None
    text = _WORDY_PARENTHESIS.sub(" ", body).replace("==", "=")
    reason = _TRAILING_REASON.search(text)
    if reason is not None and _NUMBER_START.search(text[: reason.start()]):
        text = text[: reason.start()]
    best: Reading | None = None
    weight = 0
    algebraic = False
    clauses = [c for c in _CLAUSE_BREAK.split(text) if c and c.strip()]
    for clause in clauses[:200]:
        exact, _, _ = clause.partition("\u2248")
        if "=" in exact and _whole_number(exact.rpartition("=")[2]) is not None:
            clause = exact  # the rounding of an exact value
        clause = clause.replace("\u2248", "=")
        sides = [s.strip(" \t\ue000\ue001\ue005\"'*.:") for s in clause.split("=")]
        if len(sides) < 2:
            if weight and best is not None and len(clauses) > 1:
                bare = _whole_number(clause)
                if bare is not None and weight < 3:
                    best, weight = Reading("number", bare), 2
            continue
        value = _whole_number(sides[-1])
        if value is None:
            head = _whole_number(sides[0])
            if (
                head is not None
                and len(sides) == 2
                and re.fullmatch(r"[A-Za-z](?:_\w{1,12})?", sides[1])
            ):
                best, weight = Reading("number", head), 3
                continue
            algebraic = algebraic or bool(re.search(r"[A-Za-z]", sides[-1]))
            continue
        if _whole_number(sides[0]) is None and _VARIABLE_SIDE.match(sides[0]):
            rank = 1 if _COEFFICIENT_SIDE.match(sides[0]) else 3
            if re.search(r"[-+*/\u00d7]\s?[A-Za-z(]\w{0,8}\s?$", sides[0]):
                rank = 1
        elif re.search(r"[A-Za-z]", sides[0]) and not _PROSE_THEN_SUM.match(sides[0]):
            rank = 1
        else:
            rank = 2
        if _CANCELLED.search(sides[0]):
            rank = 3
        if rank >= weight:
            best, weight = Reading("number", value), rank
    if best is not None and weight >= 2:
        return Reading("number", best.value, direct=True)
    if find_abstention(body) is not None:
        return Reading("unknown")
    if best is not None or algebraic:
        prose = re.findall(r"[A-Za-z]{3,}", _PARENTHESIS.sub("", body))
        if len(prose) <= 6:
            return Reading("expression", direct=True)
    return None


def _whole_number(side: str) -> Fraction | None:
    """Read a side that is a number and nothing else but a unit."""
    side = side.strip(" \t\ue000\ue001\ue005\"'*.:()[]{},;!?")
    filler = _FILLER.match(side)
    at = filler.end() if filler else 0
    quantity = read_quantity(side, at)
    if quantity is None or quantity.value is None:
        return None
    unit = _UNIT.match(side, quantity.end)
    rest = side[unit.end() if unit else quantity.end :]
    again = _UNIT.match(rest)
    rest = rest[again.end() :] if again else rest
    rest = rest.strip(" \t\ue000\ue001\ue005\"'*.:()[]{},;!?")
    if not rest or re.match(
        r"(?:\(|for|per|at|as|in|by|dollars|from|which|[\u2014\u2013]\s|\u2714|\u2705)", rest
    ):
        return quantity.value
    return None


def _read_algebra(body: str) -> Reading | None:
    line = body.partition("\n")[0].strip()
    head = re.split(r",?\s(?:where|with|in terms of|for|dollars?|if)\b", line, maxsplit=1)[0]
    term = _INDEX.sub("", head[:400])
    is_algebra = _ALGEBRA.fullmatch(term) and _LETTER.search(term) and not _WORD.search(term)
    if is_algebra and re.search(r"[-+*/\u00d7=^<>\u2264\u2265\u2208]|\d|\u2013", head):
        return Reading("expression", direct=True)
    if re.fullmatch(r"[A-Za-z](?:_\w{1,12})?\W{0,4}", line):
        return Reading("expression", direct=True)
    return None


def _number_start(text: str, at: int, *, in_words: bool) -> re.Match[str] | None:
    """Where the next number may start: what `_NUMBER_START` finds, which is slow at finding."""
    if in_words:
        return _NUMBER_START.search(text, at)
    while (sign := _NUMBER_SIGN.search(text, at)) is not None:
        start = _NUMBER_START.match(text, sign.start())
        if start is not None:
            return start
        at = sign.end()
    return None


def _quantities(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    in_words = not without_signs(text).isascii() or holds_any(fold(text), _NUMBER_WORDS)
    at = 0
    while len(found) < 200:
        start = _number_start(text, at, in_words=in_words)
        if start is None:
            break
        quantity = read_quantity(text, start.start()) or read_quantity(text, start.end())
        if quantity is None:
            at = start.end() + 1
            continue
        found.append(quantity)
        at = max(quantity.end, start.end() + 1)
    return found


def _read_statement(body: str) -> Reading | None:
    """Read a sentence: an abstention, or the value that it says the price is."""
    abstained = find_abstention(body)
    if abstained is not None:
        rest = body[abstained:]
        contrast = _CONTRAST.search(rest)
        conceded = bool(_CONCEDED.search(body[:abstained]))
        if contrast is None and _ALTHOUGH.search(body[:abstained]):
            contrast = re.search(r",\s", rest)
        if contrast is not None and conceded and not _HYPOTHETICAL.search(rest[contrast.end() :]):
            value = _stated_value(rest[contrast.start() :])
            if value is not None:
                return Reading("number", value)
        if contrast is not None and contrast[0].lower() in ("but", "however", "yet"):
            later = rest[contrast.end() :]
            if name_another_item(later, body[:abstained]) and priced_items(body[:abstained]):
                value = None if _HYPOTHETICAL.search(later) else _stated_value(later)
                if value is not None:
                    return Reading("number", value)
        earlier = _stated_value(body[:abstained]) if abstained > 3 else None
        cue = re.search(r"\b(?:but|however|although|though|and|while|;)\b|;|\(", body[:abstained])
        if earlier is not None and cue is not None and not _HYPOTHETICAL.search(body[:abstained]):
            return Reading("number", earlier)
        return Reading("unknown")
    value = _stated_value(body)
    if value is None and ("->" in body or "\u2192" in body):
        value = _whole_number(body.replace("->", "\u2192").rpartition("\u2192")[2])
    return Reading("number", value) if value is not None else None


def _stated_value(text: str) -> Fraction | None:
    main = _PARENTHESIS.sub(" ", text)
    value = _anchored_value(main)
    if value is None and main != text:
        value = _anchored_value(text)
    if value is not None:
        return value
    loose = [
        q
        for q in _quantities(main)
        if q.value is not None and not _counts(main, q) and not _of_several(main, q)
    ]
    distinct = {q.value for q in loose if not q.in_words}
    if len(distinct) == 1 and not _bounded(main, loose[0]):
        return distinct.pop()
    if not distinct:
        inside = [q for q in _quantities(text) if q.value is not None and not _counts(text, q)]
        values = {q.value for q in inside if not q.in_words}
        if len(values) == 1:
            return values.pop()
    return None


def _anchored_value(text: str) -> Fraction | None:
    """The last value that the main clause says something is or costs."""
    found: Fraction | None = None
    cut = len(text)
    quantities = _quantities(text)
    for quantity in quantities:
        if quantity.value is None or quantity.start > cut or _counts(text, quantity):
            continue
        before = text[max(0, quantity.start - 80) : quantity.start]
        if not _ANCHOR_BEFORE.search(before) or _bounded(text, quantity):
            continue
        if _of_several(text, quantity) or _COMPARED.search(before):
            continue
        found = quantity.value
        reason = _TRAILING_REASON.search(text, quantity.end)
        cut = min(cut, reason.start()) if reason else cut
    return found


_COMPARED = re.compile(r"\b(?:than|compared|versus|vs|unlike)\b[^.,;:]*$", re.IGNORECASE)


def _of_several(text: str, quantity: Quantity) -> bool:
    """Whether a number is the price of several items together ("2 tarts cost 22 dollars")."""
    before = text[max(0, quantity.start - 80) : quantity.start]
    clause = re.split(r"[,;.:]\s|\bso\b|\band\b", before)[-1]
    return bool(_PLURAL_SUBJECT.search(clause))


def _bounded(text: str, quantity: Quantity) -> bool:
    before = text[max(0, quantity.start - 24) : quantity.start]
    if _BOUND_BEFORE.search(before):
        return True
    unit = _UNIT.match(text, quantity.end)
    rest = text[unit.end() if unit else quantity.end :]
    ranged = _RANGE_AFTER.match(rest)
    return bool(_OPEN_BOUND_AFTER.match(rest)) or (
        ranged is not None and _starts_quantity(rest, ranged.end())
    )


def _counts(text: str, quantity: Quantity) -> bool:
    """Whether a number counts things or compares prices instead of stating one."""
    unit = _UNIT.match(text, quantity.end)
    after = text[unit.end() if unit else quantity.end :][:40]
    if _RELATIVE_AFTER.match(after):
        return True
    if _SYMBOL_SUM.search(text[max(0, quantity.start - 20) : quantity.start]):
        return True
    if unit is not None:
        return False
    if re.match(r"[A-Za-z(]|\s?[*\u00d7+^]|\s?/(?![A-Za-z]{2})|\s?[-\u2013]\s?\d", after):
        return True
    if _MINUS_VARIABLE.match(after) or _PART_OF_SUM.search(
        text[max(0, quantity.start - 20) : quantity.start]
    ):
        return True
    return bool(_COUNTED_AFTER.match(text, quantity.end))
