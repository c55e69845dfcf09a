"""Cut plain text into sentences and tell what kind of remark a sentence is."""

from __future__ import annotations

import re
from typing import NamedTuple

from treecut_tasks.scoring.matching import Guarded

# Every alternative begins with one of a few characters, to which the engine can skip.
_BOUNDARY = re.compile(
    r"[.!?][\"')\ue005\ue001]{0,3}\s+(?=\S)|[\u3002\uff01\uff1f!?](?=[^\s\"')])|\n"
)

MAX_TAIL = 12000
"""Characters at the end of a text that are searched for a concluding sentence."""


class Sentence(NamedTuple):
    """A sentence with its place in the text."""

    text: str
    start: int
    end: int


def split_sentences(text: str, offset: int = 0) -> list[Sentence]:
    """Cut a text into sentences; line ends always separate.

    Args:
        text: Plain text.
        offset: Added to the positions.

    Returns:
        The sentences that are not blank, in order.
    """
    found: list[Sentence] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        mark, following = boundary.span()
        end = mark if text[mark] == "\n" else mark + 1  # the full stop belongs to the sentence
        piece = text[start:end]
        if piece and not piece.isspace():
            found.append(Sentence(piece, offset + start, offset + end))
        start = following
    piece = text[start:]
    if piece and not piece.isspace():
        found.append(Sentence(piece, offset + start, offset + len(text)))
    return found


_CUE = Guarded(
    re.compile(
        r"(?:^|[,;:]\s|\band\s|\bthat\s)[\W_]{0,6}(?:therefore|thus|hence|consequently|so\b(?! far|"
        r" many| much)|in conclusion|to conclude|"
        r"in summary|to summari[sz]e|finally|overall|accordingly|as a result|conclusion|"
        r"it follows|this means|which means|that means|this implies|we conclude|i conclude|"
        r"this gives|ultimately|in short|in total|which gives|meaning|solving)|\bis therefore\b|"
        r"\bthus\b|\btherefore\b|\bhence\b|\bconclude\b|"
        r"^\W{0,4}[\u2234\u2192]|\u56e0\u6b64|\u6240\u4ee5|\u6545|\u7efc\u4e0a|\u7d9c\u4e0a|"
        r"\u4e8e\u662f|\u5373|\u7531\u6b64|"
        r"^\W*(?:por lo tanto|por tanto|entonces|asi que|donc|ainsi|par consequent|also|daher|"
        r"somit|folglich|"
        r"portanto|logo|assim|quindi|pertanto|dunque|"
        r"\u0441\u043b\u0435\u0434\u043e\u0432\u0430\u0442\u0435\u043b\u044c\u043d\u043e|"
        r"\u0437\u043d\u0430\u0447\u0438\u0442|\u0438\u0442\u0430\u043a|"
        r"\u043f\u043e\u044d\u0442\u043e\u043c\u0443)\b",
        re.IGNORECASE,
    ),
    (
        *("therefor", "thus", "hence", "consequently", "so", "conclu", "in summary", "summari"),
        *("finally", "overall", "accordingly", "as a result", "it follows", "this means"),
        *("which means", "that means", "implies", "gives", "ultimately", "in short", "in total"),
        *("meaning", "solving", "por lo tanto", "por tanto", "entonces", "asi que", "donc"),
        *("ainsi", "par consequent", "daher", "folglich", "portanto", "logo", "assim", "quindi"),
        *("pertanto", "dunque"),
    ),
    languages=True,
)
_OPENING_CUE = re.compile(
    r"^[\W_\d]*(?:and |but |step \d+\W+|conclusion\W+)*(?:therefore|thus|hence|consequently|so|"
    r"in conclusion|to conclude|in summary|"
    r"to summari[sz]e|finally|overall|accordingly|as a result|conclusion|it follows|"
    r"we conclude|i conclude|"
    r"this means|this implies|this gives|ultimately|in short|ergo|altogether|we (?:find|get|"
    r"see|have|obtain)|since|because|solving|"
    r"\u56e0\u6b64|\u6240\u4ee5|\u6545|\u7efc\u4e0a|\u7d9c\u4e0a|\u4e8e\u662f|\u7531\u6b64|"
    r"por lo tanto|por tanto|entonces|asi que|donc|ainsi|par consequent|also|daher|somit|"
    r"folglich|portanto|logo|assim|quindi|pertanto|"
    r"\u0441\u043b\u0435\u0434\u043e\u0432\u0430\u0442\u0435\u043b\u044c\u043d\u043e|"
    r"\u0437\u043d\u0430\u0447\u0438\u0442|\u0438\u0442\u0430\u043a|"
    r"\u043f\u043e\u044d\u0442\u043e\u043c\u0443)(?![a-z])|^\W{0,4}[\u2234\u2192]|"
    r"\b(?:is|are|costs) (?:therefore|thus|hence)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^\W*(?:now,? let(?:'s| us| me) (?:check|verify|double[- ]check) (?:this|that|it\b|our|"
    r"the (?:answer|result|solution))|let me know|i hope|"
    r"hope (?:this|that)|feel free|please|if you|would you|do you|"
    r"is there|"
    r"thank|thanks|note\b|notes?:|remark|n\.?b\.?|confidence|certainty|happy to|glad to|"
    r"i can (?:also )?(?:explain|show)|"
    r"check\b|checking|verif\w+|sanity|double[- ]check|proof|to (?:check|verify|double)|"
    r"we can (?:check|verify)|"
    r"let(?:'s| us| me) (?:check|verify|double)|this (?:answer|result|value|price|solution|"
    r"makes|is consistent|"
    r"satisf|agrees|matches|checks|works|fits)|the (?:answer|result|value|"
    r"solution) (?:is consistent|satisf|agrees|"
    r"checks|makes|matches|fits)|it (?:satisf|checks|fits|agrees|is consistent)|indeed|"
    r"all (?:conditions|\d)|both conditions|"
    r"q\.?e\.?d|done\b|end\b|that's it|good luck|have a|enjoy|cheers|best regards|regards|"
    r"disclaimer|this problem|source|ps\b|p\.s|by the way|incidentally|"
    r"(?:you|one|we) can (?:also )?(?:easily )?(?:check|verify|confirm|see that this)|"
    r"substitut\w+ back|plugging|\u2713|\u2714|\u2705)|"
    r"\b(?:consistent with|checks out|is correct\b|for reference|"
    r"not needed|irrelevant|isn't needed|"
    r"is extra|unused|hope this helps|any questions|explain(?:ed)?\b.*\?)",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:some(?:one|body| people| solvers| students| readers| might| may| would)|"
    r"one (?:might|may|could|would)|you (?:might|may|could)|"
    r"friend|student'?s?|classmate|others?|people|textbook|(?:another|other|previous|"
    r"different) (?:model|solver|person|source|ai)|"
    r"colleague|teacher|chatgpt|many (?:would|might|people)|a (?:careless|quick|naive|hasty)|"
    r"tempting|tempted|naively?|hasty|hastily|careless(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?|"
    r"mistaken(?:ly)?|erroneous(?:ly)?|"
    r"first thought|initially|at first|i thought|originally|he says|she says|they say|claims?|"
    r"claimed|guess(?:ed)? was|rejected|"
    r"it (?:might|may|would) seem|would (?:wrongly|incorrectly))\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:if|suppose|supposing|assum\w+|were\b|imagine|hypothetical\w*|for example|"
    r"for instance|eg|say|"
    r"in case|were to|had|unless|would)\b|\u5982\u679c|\u5047\u8bbe|\u82e5",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\b(?:finish|end(?:ing)? (?:with|your|the)|format|instruct\w*|must|should|need to|have to|"
    r"required?|asked|asks|says|told|"
    r"respond|reply|output|write|put|state|conclude with|give|provide|in the form|of the form|task|"
    r"either|template|prompt|request(?:ed|s)?|expected|line|supposed|wants?|please|or)\b",
    re.IGNORECASE,
)


def has_cue(sentence: str) -> bool:
    """Whether a sentence announces a conclusion ("therefore", "hence", "so")."""
    return bool(_CUE.search(sentence))


def opens_with_cue(sentence: str) -> bool:
    """Whether a sentence starts by announcing a conclusion."""
    return bool(_OPENING_CUE.search(sentence[:60]))


def is_remark(sentence: str) -> bool:
    """Whether a sentence is a check, an offer, a note or a closing formula."""
    return bool(_REMARK.search(sentence))


def quotes_others(text: str) -> bool:
    """Whether a text reports what somebody else, or a rejected attempt, says."""
    return bool(_OTHERS.search(text))


def is_hypothetical(text: str) -> bool:
    """Whether a text makes what follows conditional."""
    return bool(_IF.search(text))


def is_instruction(text: str) -> bool:
    """Whether a text speaks about how an answer has to be written."""
    return bool(_INSTRUCTION.search(text))
