"""From a span (behind a marker, in a box, a sentence) to what it commits to. One function reads."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple

import re2

from treecut_tasks.scoring.lexicon import compiled, one_of, patterns, words
from treecut_tasks.scoring.numbers import Number, canonical, find_numbers
from treecut_tasks.scoring.question import Question, content_words, singular

Kind = Literal["number", "unknown", "expression", "range", "empty", "unreadable", "text"]

Strength = Literal["strong", "weak", ""]
"""Of an abstention. `strong`: it cannot be found, something is missing or open; `weak`: it needs or asks
for more."""

LONGEST = 1000
"""So many characters of a span are read."""

EDGE = "\"'*_:;,.!?= \u2022\u2013\u21d2\u2248~|#>()[]{}$\u27e6\u27e7<"
LEAD = compiled(
    r"^(?:[\s\"'*_:;,=\x{2022}\x{2013}\x{21d2}\x{2248}~|#\x{27e6}({\[\x{20ac}\x{a3}\x{a5}]|"
    + one_of("about")
    + ")+"
)
UNKNOWN = compiled("^" + one_of("unknown"))
OFFERED = re2.compile(r"^[ ,]*(?:or|/) ?\$?-?\d[^a-z]*$")
BOUND = compiled(r"^(?:[<>\x{2264}\x{2265}]|" + one_of("bound") + r"\b)")
BOUNDED = compiled("(?:" + one_of("bound") + r"|[<>\x{2264}\x{2265}]) ?\$?$")
JOINED = compiled(
    r"^[^\w.;(]{0,4}(?:[a-z]+ )?(?P<by>or|to|and|\x{2013}|-|/|,|\x{b1})"
    r"(?: also| even| rather)? ?\$?(?P<rest>.*)"
)
OPERATOR = re2.compile(r"^[ $)]*(?:[+*/^\x{221a}]|- ?[\d(a-z]|\x{2013} ?\d|x \d|\(|- ?$)")
FACTOR = re2.compile(r"(?:^|[^a-z'])[b-hj-z](?:_\w+)? ?[-+*/^\x{2013}] ?\$?$")
VARIABLE = re2.compile(r"(?:^|[^a-z'])[\d.]*[b-hj-z](?:_\w+)?(?:$|[^a-z'])")
SYMBOL = re2.compile(
    r"(?:^|[^\w)+*/-] ?|\x{21d2} ?)([a-z]{1,3}(?:_\w{1,6})?(?: ?\([a-z_ ]{1,8}\))?) ?$"
)
RELATION = re2.compile(r"=|\x{2248}|\x{21d2}")
TERM = re2.compile(r"[^=,:;]*$")
RELATION_NEAR = re2.compile(r"^[^.,;:]{0,100}[=\x{2248}\x{21d2}]")
CLAUSE_VERB = compiled("^[^.,;(]*?" + one_of("state"))
SUBORDINATE = words("relative")
DIFFERENCE = compiled("^ ?[a-z]* ?" + one_of("difference"))
MONEY = compiled("^ ?" + one_of("money"))
NEXT_WORDS = re2.compile(
    r"^[ )]*(?:of |more |fewer |total |additional |whole )*([a-z'-]+)(?: ([a-z'-]+))?(?: ([a-z'-]+))?"
)
CLAUSE = compiled(
    r"(?:[,:;] |\x{21d2}|\b(?:since|because|if|as)\b| and |" + one_of("cue", "inside") + r",? )"
)
TOGETHER = words("together")
SEVERAL = re2.compile(
    r"(?:^|\bof |\bfor )\W{0,3}(?:the )?(?:[2-9]|\d\d+|two|three|four|five|six) ([a-z]+)"
)
OR = re2.compile(r"(?:\d[^,.;]{0,12} (?:or|to)|between .{1,20} and) \$?$")


VALUES = ("number", "expression", "range", "unreadable")


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
    if not span.strip(EDGE):
        return Reading("unknown" if "?" in span and "<" not in span else "empty")
    lead = LEAD.match(span)
    head = span[lead.end() if lead else 0 :]
    for start in (head, span.lstrip(EDGE)):
        unknown = UNKNOWN.match(start)
        if unknown:
            # Whoever offers a number beside it has not decided.
            offered = OFFERED.match(start[unknown.end() :])
            return Reading("range" if offered else "unknown")
    if any(BOUND.match(start) for start in (head, span.lstrip("\"'*_:;, ="))):
        return Reading("range" if find_numbers(head) else "text")
    numbers = find_numbers(head)
    opens = numbers and not head[: numbers[0].start].strip("$-+ rs.")
    if opens and not (numbers[0].in_words and head[numbers[0].end :].strip(EDGE)):
        return _from_number(head, numbers[0], question)
    return read_statement(span, question)


def abstains(sentence: str) -> Strength:
    """How plainly a folded sentence abstains; empty if it does not."""
    prompt = sentence.startswith(("if ", "when ")) and "answer" in sentence
    if prompt or patterns("exempt").search(sentence):
        return ""
    if patterns("strong").search(sentence):
        return "strong"
    return "weak" if patterns("weak").search(sentence) else ""


def read_statement(sentence: str, question: Question) -> Reading:
    """Read a folded sentence: an abstention, the right-hand side of an equation, a number."""
    sentence = sentence[-LONGEST:]
    strength = abstains(sentence)
    if strength == "strong":
        return Reading("unknown", direct=False)
    right = _right_hand_side(sentence, question)
    if right is not None:
        return right._replace(direct=False)
    if strength:
        return Reading("unknown", direct=False, weak=True)
    chosen = _stated(sentence, question)
    if chosen is None:
        return Reading("text", direct=False)
    before = sentence[max(0, chosen.start - 32) : chosen.start]
    if FACTOR.search(before):
        return Reading("expression", direct=False)
    if BOUNDED.search(before) or OR.search(before):
        return Reading("range", direct=False)
    return _from_number(sentence[chosen.start :], chosen, question, stated=True)._replace(
        direct=False
    )


def _right_hand_side(sentence: str, question: Question) -> Reading | None:
    """What stands behind the last equals sign; an equation that is not solved is an expression."""
    relations = list(RELATION.finditer(sentence))
    if not relations:
        return None
    left, right = sentence[: relations[-1].start()], sentence[relations[-1].end() :]
    lead = LEAD.match(right)
    right = right[lead.end() if lead else 0 :]
    numbers = find_numbers(right)
    if numbers and not right[: numbers[0].start].strip("$-+ "):
        term = TERM.search(left).group()
        solved = SYMBOL.search(term) or not VARIABLE.search(term)
        return _from_number(right, numbers[0], question) if solved else Reading("expression")
    return Reading("expression")


def _from_number(head: str, number: Number, question: Question, *, stated: bool = False) -> Reading:
    """Read what a number opens: the number, unless more makes it a term or one of several."""
    rest = head[number.end - number.start if stated else number.end :].partition("\n")[0]
    if number.factor:
        return Reading("expression")
    if OPERATOR.match(rest) and not rest.startswith((" (", "(")):
        return read_statement(rest, question) if RELATION.search(rest) else Reading("expression")
    if not stated:
        verb, relation = CLAUSE_VERB.match(rest), RELATION_NEAR.match(rest)
        for told in (verb, relation):
            if told and not SUBORDINATE.search(told.group()) and find_numbers(rest[told.end() :]):
                return read_statement(head, question)
    joined = JOINED.match(rest)
    if joined and joined["by"] != "," and not (stated and joined["by"] in ("and", "/")):
        others = find_numbers(joined["rest"])
        beside = others and not joined["rest"][: others[0].start].strip("$ ")
        if UNKNOWN.match(joined["rest"]) or (beside and not _same(number, others[0])):
            return Reading("range")
    if number.value is None:
        return Reading("unreadable")
    return Reading("number", canonical(number.value))


def _same(number: Number, other: Number) -> bool:
    """Whether a second number only rounds the first."""
    if number.value is None or other.value is None:
        return False
    return abs(number.value - other.value) <= abs(number.value) / 100


def _stated(sentence: str, question: Question) -> Number | None:
    """The number that a sentence states about what is asked for, by a handful of signs."""
    best: Number | None = None
    best_rank = 0.0
    verb = words("state").search(sentence)
    for number in find_numbers(sentence):
        inside = sentence.rfind("(", 0, number.start) > sentence.rfind(")", 0, number.start)
        after = sentence[number.end :]
        counted = _counts(after[0 if number.bare else 1 :], question)
        money = number.money or bool(MONEY.match(after))
        if not (counted or money or (verb and number.bare and not number.in_words)):
            continue
        rank = 1.0 + 2 * counted + 2 * (money and question.money) - 2 * inside
        if DIFFERENCE.match(after) and " than" in after[:60]:
            if not question.difference and not question.nouns:
                return best
            rank += 2.5 if question.difference else -rank
        rank += 1.5 * (number.value not in question.numbers)
        rank += 0.5 * bool(verb and verb.start() < number.start)
        if rank > best_rank or (rank == best_rank and question.item):
            best, best_rank = number, rank
    return best


def _counts(after: str, question: Question) -> bool:
    """Whether the counted noun of the question follows."""
    match = NEXT_WORDS.match(after)
    following = [singular(word) for word in match.groups() if word] if match else []
    return bool(question.nouns.intersection(following))


def read_about_asked(sentence: str, question: Question) -> Reading:
    """Read what a folded sentence states about what is asked for.

    For the price of one item, the last clause counts that is about it, not about others, several, or
    sums.
    """
    whole = read_statement(sentence, question)
    if not question.item or whole.kind == "unknown":
        return whole
    for clause in reversed(_clauses(sentence)):
        reading = read_span(clause, question)._replace(direct=False)
        if reading.kind in VALUES and _is_about(clause, question):
            return reading
    return Reading("text", direct=False)


def _clauses(sentence: str) -> list[str]:
    """Cut a sentence at commas and conjunctions."""
    cuts = {0, len(sentence), *(match.end() for match in CLAUSE.finditer(sentence))}
    return [sentence[a:b] for a, b in pairwise(sorted(cuts))]


def _is_about(clause: str, question: Question) -> bool:
    """Whether a clause that states a number can be about the asked item."""
    several = SEVERAL.search(clause)
    of_several = several and singular(several[1]) in question.item | question.others
    if of_several or TOGETHER.search(clause):
        return False
    return content_words(clause).isdisjoint(question.others - question.item)
