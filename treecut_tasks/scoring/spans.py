"""From a span (behind a marker, in a box, a sentence) to what it commits to. One function reads."""

from __future__ import annotations

from typing import Literal, NamedTuple

import re2

from treecut_tasks.scoring.abstention import abstains
from treecut_tasks.scoring.lexicon import compiled, one_of, words
from treecut_tasks.scoring.numbers import Number, canonical, find_numbers
from treecut_tasks.scoring.question import Question, content_words, singular

Kind = Literal["number", "unknown", "expression", "range", "empty", "unreadable", "text"]

EDGE = "\"'*_:;,.!?= \u2022\u2013\u21d2\u2248~|#>()[]{}$\u27e6\u27e7<"
LEAD = compiled(
    r"^(?:[\s\"'*_:;,=\x{2022}\x{2013}\x{21d2}\x{2248}~|#\x{27e6}({\[\x{20ac}\x{a3}\x{a5}]|"
    + one_of("about")
    + r")+"
)
UNKNOWN = compiled("^" + one_of("unknown"))
BOUND = compiled(r"^(?:[<>\x{2264}\x{2265}]|" + one_of("bound") + ")")
JOINED = compiled(
    r"^[^\w.;(]{0,4}(?:[a-z]+ )?(?:or|to|and|\x{2013}|-|/|,|\x{b1})(?: also| even)? ?\$?(?P<rest>.*)"
)
OPERATOR = re2.compile(r"^[ $)]*(?:[+*/^\x{221a}]|- ?[\d(a-z]|\x{2013} ?\d|x \d|\(|- ?$)")
VARIABLE = re2.compile(r"(?:^|[^a-z'])[\d.]*[b-hj-z](?:_\w+)?(?:$|[^a-z'])")
LETTER = compiled(r"^ ?[b-hj-z](?:[^a-z'.]|$)")
CLAUSE_VERB = compiled(r"^[^.,;(]*?" + one_of("state") + r"\b")
SUBORDINATE = re2.compile(
    r"\b(?:since|because|as|so|if|when|for|using|with|which|where|that|from|by|but|per)\b"
)
RELATION = re2.compile(r"=|\x{2248}|\x{21d2}")
DIFFERENCE = compiled(r"^ ?[a-z]* ?" + one_of("difference") + r"\b")
MONEY = compiled(r"^ ?(?:" + one_of("money") + ")")
NEXT_WORDS = re2.compile(
    r"^[ )]*(?:of |more |fewer |total |additional |whole )*([a-z'-]+)(?: ([a-z'-]+))?(?: ([a-z'-]+))?"
)
BECAUSE = compiled("^(?:" + one_of("cue") + ",? )?" + one_of("because"))
LONGEST = 1000
"""So many characters of a span are read."""
CODE = re2.compile(r"\bdef |print\(|^import |return ")


class Reading(NamedTuple):
    """What a span commits to.

    Attributes:
        kind: a number, an abstention, or why it is neither.
        value: the number.
        direct: whether the span says it at once, not in a sentence.
        weak: for an abstention: whether it only needs or asks for something.
    """

    kind: Kind
    value: str | None = None
    direct: bool = True
    weak: bool = False

    @property
    def commits(self) -> bool:
        """Whether it is a number or an abstention."""
        return self.kind in ("number", "unknown")


def read_span(span: str, question: Question) -> Reading:
    """Read the folded text behind a marker: its head, else what it states."""
    span = span[:LONGEST]
    lead = LEAD.match(span)
    head = span[lead.end() if lead else 0 :]
    if not span.strip(EDGE):
        return Reading("unknown" if "?" in span and "<" not in span else "empty")
    if span.strip(EDGE + " ").startswith("number>") or "<number>" in span[:20]:
        return Reading("empty")
    if UNKNOWN.match(head) or UNKNOWN.match(span.lstrip(EDGE)):
        return _or_number(head)
    if BOUND.match(span.lstrip("\"'*_:;, =")) or BOUND.match(head):
        return Reading(
            "range" if find_numbers(head) and not abstains(span) else _unknown_or_text(span)
        )
    numbers = find_numbers(head)
    if (
        numbers
        and not head[: numbers[0].start].strip("$-+ rs.")
        and not _only_word(numbers[0], head)
    ):
        return _from_number(head, numbers[0], question)
    return read_statement(span, question)


def read_statement(sentence: str, question: Question) -> Reading:
    """Read a folded sentence: an abstention, the right-hand side of an equation, a number."""
    sentence = sentence[-LONGEST:]
    strength = abstains(sentence)
    if strength == "strong":
        return Reading("unknown", direct=False)
    relations = list(RELATION.finditer(sentence))
    if relations:
        right = sentence[relations[-1].end() :]
        left = sentence[: relations[-1].start()]
        numbers = find_numbers(right)
        lead = LEAD.match(right)
        start = lead.end() if lead else 0
        if numbers and not right[start : numbers[0].start].strip("$-+ "):
            return _from_number(
                right[min(start, numbers[0].start) :],
                find_numbers(right[min(start, numbers[0].start) :])[0],
                question,
            )._replace(direct=False)
        if VARIABLE.search(right) or VARIABLE.search(left):
            return Reading("expression", direct=False)
    if strength:
        return Reading("unknown", direct=False, weak=True)
    if sentence.endswith(":"):
        return Reading("text", direct=False)
    chosen = _stated(sentence, question)
    if chosen is None:
        return Reading(
            "expression" if any(n.factor for n in find_numbers(sentence)) else "text", direct=False
        )
    if chosen.factor:
        return Reading("expression", direct=False)
    return _number(chosen)._replace(direct=False)


def _unknown_or_text(span: str) -> Kind:
    return "unknown" if abstains(span) else "text"


def _or_number(head: str) -> Reading:
    """`unknown`, unless a number is offered beside it."""
    rest = UNKNOWN.sub("", head, 1)[:12]
    return Reading(
        "range" if rest.lstrip(" ,/").startswith(("or ", "/")) and find_numbers(rest) else "unknown"
    )


def _only_word(number: Number, head: str) -> bool:
    """Whether a number word only starts a sentence: "one of the prices ..."."""
    return (
        number.in_words
        and bool(head[number.end :].strip(EDGE))
        and not MONEY.match(head[number.end :])
        and len(head) > 40
    )


def _number(number: Number) -> Reading:
    if number.value is None:
        return Reading("unreadable")
    return Reading("number", canonical(number.value))


def _from_number(head: str, number: Number, question: Question) -> Reading:
    """Read a span that a number opens: the number, unless more makes it a term or one of several."""
    rest = head[number.end :]
    clause = rest.partition("\n")[0]
    if OPERATOR.match(clause) and not clause.startswith((" (", "(")):
        relation = RELATION.search(clause)
        if relation and relation.start() < 60:
            return (
                read_statement(clause, question)
                if find_numbers(clause[relation.end() :])
                else Reading("expression")
            )
        return Reading("expression")
    if number.factor or LETTER.match(clause):
        return Reading("expression")
    verb = CLAUSE_VERB.match(clause)
    if (
        verb
        and not SUBORDINATE.search(verb.group())
        and len(find_numbers(clause[verb.end() :]))
        and not MONEY.match(clause)
    ):
        return read_statement(head, question)
    relation = RELATION.match(clause.lstrip())
    if relation:
        return read_statement(head, question)
    joined = JOINED.match(clause)
    if joined:
        rest = joined["rest"]
        if UNKNOWN.match(rest):
            return Reading("range")
        others = find_numbers(rest)
        if (
            others
            and not rest[: others[0].start].strip("$ ")
            and not clause.lstrip().startswith(",")
            and not _same(number, others[0], rest)
        ):
            return Reading("range")
    if (
        DIFFERENCE.match(rest)
        and " than" in rest[:40]
        and not question.difference
        and not question.noun
    ):
        return Reading("text")
    return _number(number)


def _same(number: Number, other: Number, rest: str) -> bool:
    """Whether a second number only rounds or explains the first."""
    if number.value is None or other.value is None:
        return False
    return abs(number.value - other.value) <= abs(number.value) / 100 or bool(
        DIFFERENCE.match(rest[other.end :])
    )


def _stated(sentence: str, question: Question) -> Number | None:
    """The number that a sentence states about what is asked for."""
    best: Number | None = None
    best_rank = 0.0
    verb = words("state").search(sentence)
    comma = sentence.find(",") if BECAUSE.match(sentence) else sentence.rfind(":") + 1
    for number in find_numbers(sentence):
        after = sentence[number.end :]
        if number.in_words and not MONEY.match(after) and not _counts(after, question):
            continue
        if not number.bare and not _counts(after[1:], question):
            continue
        if DIFFERENCE.match(after) and " than" in after[:60]:
            if not question.difference and not question.noun:
                return best
            rank = 2.5 if question.difference else 0.0
        else:
            rank = 1.0
        if (
            not verb
            and not MONEY.match(after)
            and not number.money
            and not _counts(after, question)
        ):
            continue
        rank += 2 * (question.money and (number.money or bool(MONEY.match(after))))
        rank += 2 * _counts(after, question)
        rank += 1.5 * (number.value not in question.numbers)
        rank += 0.5 * bool(verb and verb.start() < number.start)
        rank += 0.5 * bool(comma) * (number.start > comma)
        rank -= 2.0 * (sentence.rfind("(", 0, number.start) > sentence.rfind(")", 0, number.start))
        if rank > best_rank or (rank == best_rank and question.item):
            best, best_rank = number, rank
    return best


def _counts(after: str, question: Question) -> bool:
    """Whether the counted noun of the question follows."""
    match = NEXT_WORDS.match(after)
    return bool(question.noun and match) and question.noun in [
        singular(w) for w in match.groups() if w
    ]


def about_asked(sentence: str, question: Question) -> bool:
    """Whether a statement can be about the asked item: it names it, or no other item."""
    if not question.item:
        return True
    named = content_words(sentence)
    if question.item <= named:
        return True
    return not (named & (question.others - question.item))
