"""Recognise the statement that a price cannot be determined.

Works on plain text. The algebraic unknown ("let the unknown price be x"), the negated one ("not
unknown") and partial statements ("cannot be found from the first condition alone") do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from treecut_tasks.scoring.folding import fold
from treecut_tasks.scoring.matching import Guarded, holds_any

_TARGET = "unknown"
_U_WORD = re.compile(r"(?<![a-z0-9])u[a-z0-9]{3,80}", re.IGNORECASE)
_U_STARTS = ("un", "uk", "uu")
"""How every word begins that `is_unknown_word` knows."""

_GAPS = " .-_|"
_SPACED = re.compile(r"(?<![A-Za-z])u([ .\-_|]{1,2})n\1k\1n\1o\1w\1n(?![A-Za-z])", re.IGNORECASE)
_SPLIT = re.compile(
    r"(?<![A-Za-z])u[ -]?n[ -]?k[ -]?n[ -]?o[ -]?w[ -]?n(?![A-Za-z])", re.IGNORECASE
)

_NEGATED_BEFORE = re.compile(
    r"(?:\b(?:not|no longer|never|neither|nor|rather than|instead of|no|without|isn't|aren't|wasn't"
    r"|hardly|anything but|than|nothing(?: is)?)\s(?:an?\s|the\s|really\s|truly\s|actually\s|"
    r"completely\s|as\s)?[\W_]{0,3})$",
    re.IGNORECASE,
)
_ARTICLE_BEFORE = re.compile(
    r"\b(?:the|an?|our|each|every|this|that|one|two|three|\d|only|single|let|its|main|other|for|of|"
    r"another|all|some|these|those|second|first|remaining|find|solve)\s[\W_]{0,2}$",
    re.IGNORECASE,
)
_HAS_BEFORE = re.compile(r"\b(?:has|have|having) an? $", re.IGNORECASE)
_LISTS_VARIABLES = re.compile(r"\s?:\s?[A-Z](?:\s?[,;]|\s?$|\sand\b|_)")
_UNKNOWN_AMOUNT = re.compile(r"\s(?:amount|sum)\W*$", re.IGNORECASE)
_NOUN_AFTER = re.compile(
    r"^[\W_]{0,2}\s?(?:price|prices|value|values|cost|costs|variable|variables|quantity|quantities|"
    r"number|amount|item|items|parameter|term|in\b|x\b|[A-Z]\b)"
)

# The patterns from here to `_STATE` are for folded text, in which the engine finds them faster.
_NOT = (
    r"(?:cannot|can(?:'?t| not)|could(?:n't| not)|impossible|not possible|n[o']t possible|unable|"
    r"not able|no way|never|not|isn't|is not|aren't|don't|doesn't|do not|does not|won't|"
    r"neither|nor|no method|no means|nothing)"
)
_FIND = (
    r"(?:determin\w*|comput(?:e|ed|ing|able)|calculat\w+|solv(?:e|ed|ing|able)|find|found|finding|"
    r"deduc\w+|infer\w*|deriv\w+|obtain\w*|establish\w*|identif\w+|pin(?:ned)?\b|fix(?:ed)?\b|"
    r"ascertain\w*|figured?\b|knowing\b|worked? out|work it out|resolv\w+|known?\b|conclude\w*|specif\w+|"
    r"given|answered|decided?|evaluated?|recover\w*|isolate\w*|provided|stated|say|tell|get\b|"
    r"uniquely|pinpoint\w*|settled?|narrow\w*|expressed as|be reduced to|reached?|knowable|"
    r"deducible|answerable|arrive at|quantif\w+|discover\w*|locate\w*|extract\w*|suffic\w+|"
    r"enough to|"
    r"guess\w*)"
)
_CANNOT_FIND = Guarded(
    re.compile(rf"\b{_NOT}(?:[^\w.;\n]{{1,3}}[\w'\-]{{1,20}}){{0,5}}?[^\w.;\n]{{1,3}}{_FIND}"),
    (
        *("not", "n't", "cant", "impossible", "unable", "never", "no way", "neither", "nor"),
        *("no method", "no means"),
    ),
)
_HARMLESS = re.compile(
    r"\b(?:need|needed|necessary|required|have to|hard|difficult|only|just|matter|relevant|affect|"
    r"worry|use|used|involve[ds]?|yet|forget|want|help|match|exceed|surprising|problem|"
    r"negative|change)\b",
    re.IGNORECASE,
)
_PARTIAL_AFTER = re.compile(
    r"^[^.\n]{0,25}?\b(?:yet|directly|immediately|right away|at this (?:point|stage)|so far|"
    r"alone(?! is)|by itself|by hand|(?:from|with|using) (?:just |only )?"
    r"(?:this|that|condition|equation|"
    r"sentence|the (?:first|second|third|fourth|last|next) (?:condition|equation|sentence)))\b",
    re.IGNORECASE,
)
_DATA = (
    r"(?:information|info\b|data\b|conditions?|constraints?|equations?|details?|facts?|clues?|"
    r"premises|relations?(?:hips?)?|inputs?|context|prices?|statements?|knowns)"
)
_MISSING = Guarded(
    re.compile(
        r"(?:\b|(?<=n't)|(?=n't))(?:not enough|n[o']t enough|isn't enough|insufficient|inadequate|"
        r"too little|too few|"
        r"lack(?:s|ing)?(?: of)?|missing|incomplete|without (?:enough|more|further|additional)|"
        r"not sufficient|no sufficient|(?:not|n't)\s(?:\w{1,12}\s){1,3}(?:enough|sufficient|"
        r"adequate)|needs? (?:more|additional|further|extra)|"
        r"(?:more|additional|further|extra))"
        rf"(?:[^\w.;\n]{{1,2}}[\w'\-]{{1,20}}){{0,4}}?[^\w.;\n]{{1,2}}{_DATA}",
    ),
    (
        *("enough", "sufficient", "adequate", "too little", "too few", "lack", "missing"),
        *("incomplete", "more", "additional", "further", "extra"),
    ),
)
_MORE_ONLY = re.compile(r"^(?:more|additional|further|extra)\b", re.IGNORECASE)
_REQUIRED_AFTER = re.compile(
    r"^[^.;\n]{0,30}?\b(?:needed|required|necessary|must|would be|is missing)\b", re.IGNORECASE
)
_DATA_SHORT = Guarded(
    re.compile(
        rf"\b{_DATA}(?:[^\w.;\n]{{1,2}}[\w'\-]{{1,20}}){{0,4}}?[^\w.;\n]{{1,2}}"
        r"(?:insufficient|not sufficient|not enough|n't (?:sufficient|enough)|missing|incomplete|"
        r"lacking|"
        r"inadequate|not suffice|n't suffice|not adequate|too few|absent|not complete)\b",
    ),
    (
        *("suffic", "enough", "missing", "incomplete", "lacking", "adequate", "too few", "absent"),
        *("not complete",),
    ),
)
_STATE = Guarded(
    re.compile(
        r"\b(?:indetermin\w+|inknown|ynknown|undetermin\w+|under-?\s?determin\w+|non-?determin\w+|undecidable|"
        r"undecided|"
        r"unsolvable|insoluble|unanswerable|unspecified|not specified|unknowable|unresolv\w+|"
        r"not (?:be )?unique(?:ly)?|isn't unique|non-?unique|no (?:single |one )?(?:unique|definite|"
        r"definitive|determinate|specific|particular|fixed|exact) (?:\w{1,12} )?"
        r"(?:answer|solution|value|price|number|cost|result)|no single|"
        r"infinite(?:ly many)?\b|infinite number|infinitely|"
        r"(?:many|multiple|several|various|different|countless) (?:possible |valid |different |"
        r"distinct )?"
        r"(?:solutions|values|answers|prices|possibilities)|more than one (?:possible |valid )?"
        r"(?:solution|value|answer|price)|degrees? of freedom|"
        r"(?:could|can|may|might) (?:be|take|have) (?:any|anything|arbitrary)|any (?:value|number|"
        r"price)|"
        r"arbitrary|inconclusive|insufficient|not enough|not determinable|indefinite|"
        r"free (?:variable|parameter)|undeterminable|"
        r"(?:fewer|less) (?:independent )?equations than (?:unknowns|variables)|"
        r"more (?:unknowns|variables) than (?:independent )?(?:equations|conditions)|"
        r"(?:nobody|no one|no-one) (?:can|could|knows)|don't know|do not know|no idea|"
        r"not applicable|not available|n/a\b|not given|uncertain|"
        r"undefined|incalculable|unclear|not clear|can't say|cannot say|not computable|"
        r"not derivable|not deducible|not inferable|incomplete)\b",
    ),
    (
        *("determin", "nknown", "undecid", "unsolvable", "insoluble", "unanswerable", "specified"),
        *("unknowable", "unresolv", "unique", "no ", "infinite", "many", "multiple", "several"),
        *("various", "different", "countless", "more than one", "degree", "any", "arbitrary"),
        *("could", "can ", "may ", "might", "inconclusive", "insufficient", "not ", "indefinite"),
        *("free ", "less ", "fewer", "more ", "nobody", "no-one", "don't know", "n/a", "uncertain"),
        *("undefined", "incalculable", "unclear", "can't say", "incomplete"),
    ),
)
_OTHER_LANGUAGES = Guarded(
    re.compile(
        "未知|未定|不明|[无無](?:法|从|從|可)(?:唯一)?(?:地)?(?:确定|確定|求|得出|得到|得知|计算|計算|判断|判斷|解|算|推|知)|"
        "不能(?:唯一)?(?:确定|確定|求|得出|计算|計算|判断|知)|不确定|不確定|不可知|不得而知|不唯一|不可(?:确定|求)|"
        "(?:条件|條件|信息|資訊|资料|資料|數據|数据|已知条件)(?:并)?(?:不足|不够|不夠|不充分|缺失|不完整)|"
        "缺(?:少|乏|失)(?:了|足够|必要|关键|的|相关)*(?:信息|条件|資訊|數據|数据)|[没沒]有(?:办法|辦法)|没有足够|沒有足夠|不足以|无唯一|無唯一|"
        "求不出|算不出|确定不了|無法|无法|知道ない|わから(?:ない|ず)|分から(?:ない|ず)|求められ|求めること(?:は|が)でき|"
        "決定でき|特定でき|情報が(?:不足|足り)|알 수 없|결정할 수 없|구할 수 없|정보가 부족|"
        r"\b(?:desconocid[oa]|indeterminad[oa]|no se puede|no es posible|informacion insuficiente|"
        r"falta informacion|inconnue?|indetermine[e]?|impossible (?:de|a)|ne peut (?:pas )?etre|"
        r"pas assez d|unbekannt|unbestimmt|nicht (?:eindeutig )?(?:bestimmbar|bestimmt|berechenbar)|"
        r"nicht genug|nicht genugend|sconosciut[oa]|non (?:e )?determinabile|non puo essere|"
        r"non si puo|informazioni insufficienti|nao (?:e possivel|pode ser|se pode)|onbekend|"
        r"niet te bepalen|bilinmiyor|belirlenemez|nieznan[aey])\b|"
        r"неизвестн[оаы]|невозможно|нельзя|недостаточно|не определен|غير معروف|غير محدد|لا يمكن",
        re.IGNORECASE,
    ),
    (
        *("desconocid", "indeterminad", "no se puede", "no es posible", "falta informacion"),
        *("informacion insuficiente", "inconnu", "indetermine", "impossible d", "impossible a"),
        *("ne peut", "pas assez d", "unbekannt", "unbestimmt", "nicht", "sconosciut"),
        *("determinabile", "non puo essere", "non si puo", "informazioni insufficienti"),
        *("possivel", "pode ser", "se pode", "onbekend", "niet te", "bilinmiyor", "belirlenemez"),
        *("nieznan",),
    ),
    languages=True,
)
_DOUBLE_NEGATION = re.compile(
    r"\b(?:not|isn't|never|nor|no|wasn't|hardly|n't)\s(?:\w{1,8}\s){0,1}$", re.IGNORECASE
)


@lru_cache(maxsize=2048)
def find_abstention(text: str) -> int | None:
    """Return where the first abstention of a text starts.

    Args:
        text: A short plain text: the span of an answer or a sentence.

    Returns:
        The index of its first character, or None if the text does not abstain.
    """
    return min(_abstentions(text), default=None)


def is_unknown_word(word: str) -> bool:
    """Tell whether a word is "unknown", an obvious typo or a repeat of it.

    Args:
        word: One word.

    Returns:
        False for "unknowns", which are algebraic, and for other English words.
    """
    word = word.lower()
    if word in ("unknowns", "unknot", "unwon"):
        return False
    if word in ("unknownvalue", "unknownprice"):
        return True
    original = word
    while word.startswith(_TARGET) and len(word) > len(_TARGET):
        word = word[len(_TARGET) :]
        if _TARGET.startswith(word):
            return True
        if word == "s":
            return False
    if len(word) > 12:
        return False
    if original in ("unknownn", "unknownnn", "ukown", "unown"):
        return True
    squeezed = re.sub(r"(.)\1+", r"\1", word)
    if word in ("unkn", "unkno"):
        return True
    return word == _TARGET or _one_slip(word) or squeezed == _TARGET or _one_slip(squeezed)


def _one_slip(word: str) -> bool:
    """Whether one letter was dropped, added or changed, or two letters near each other swapped."""
    target = _TARGET
    if abs(len(word) - len(target)) > 1 or not word.startswith(("un", "uk")):
        return False
    if sorted(word) == sorted(target):
        return sum(a != b for a, b in zip(word, target, strict=True)) <= 3
    prefix = 0
    while prefix < min(len(word), len(target)) and word[prefix] == target[prefix]:
        prefix += 1
    shift = (len(word) > len(target), len(word) < len(target))
    return word[prefix + (not shift[1]) :] == target[prefix + (not shift[0]) :]


def _abstentions(text: str) -> Iterator[int]:
    plain = fold(text)
    yield from _unknown_words(text, plain)
    for match in _CANNOT_FIND.finditer(plain):
        if not (
            _HARMLESS.search(match[0])
            or _PARTIAL_AFTER.match(text[match.end() : match.end() + 90])
            or _DOUBLE_NEGATION.search(text[max(0, match.start() - 16) : match.start()])
        ):
            yield match.start()
            break
    for match in _MISSING.finditer(plain):
        if _MORE_ONLY.match(match[0]) and not _REQUIRED_AFTER.match(text[match.end() :][:60]):
            continue
        if not _not_negated(text, match.start()):
            continue
        yield match.start()
        break
    for pattern in (_DATA_SHORT, _STATE):
        for match in pattern.finditer(plain):
            if _not_negated(text, match.start()):
                yield match.start()
                break
    other = _OTHER_LANGUAGES.search(text)
    if other is not None:
        yield other.start()


def _not_negated(text: str, start: int) -> bool:
    return not _DOUBLE_NEGATION.search(text[max(0, start - 16) : start])


def _unknown_words(text: str, plain: str) -> Iterator[int]:
    for pattern in (_SPACED, _SPLIT) if _spells_unknown(plain) else ():
        match = next((m for m in pattern.finditer(text) if m[0].lower() != _TARGET), None)
        if match is not None:
            yield match.start()
    if not holds_any(plain, _U_STARTS):
        return
    for match in _U_WORD.finditer(text):
        if is_unknown_word(match[0]) and not _is_algebraic(text, match.start(), match.end()):
            yield match.start()
            return


def _spells_unknown(plain: str) -> bool:
    """Whether a folded text holds the letters of "unknown" in order, perhaps with gaps."""
    if "k" not in plain or "w" not in plain:
        return False
    for gap in _GAPS:
        plain = plain.replace(gap, "")
    return _TARGET in plain


def _is_algebraic(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 40) : start]
    after = text[end : end + 24]
    if _NEGATED_BEFORE.search(before):
        return True
    if _HAS_BEFORE.search(before) or _UNKNOWN_AMOUNT.match(after):
        return False
    if _LISTS_VARIABLES.match(after):
        return True
    return bool(_ARTICLE_BEFORE.search(before)) or (
        bool(before.strip()) and bool(_NOUN_AFTER.match(after))
    )
