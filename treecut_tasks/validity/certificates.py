"""Proofs in words that can be checked by hand, and as JSON that can be checked by a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import (
    Determined,
    Equation,
    Inconsistent,
    ReadProblem,
    Undetermined,
    Variable,
    Verdict,
    check_certificate,
    read_problem,
)
from treecut_tasks.themes import Theme
from treecut_tasks.validity.proofs import UNKNOWN, Verified, agrees, true_answer

_WRITTEN_NUMBER = re.compile("-?[0-9]+(?:/[0-9]+)?")


def finding(verified: Verified) -> str:
    """Say in one sentence what the text proves, and that the stated answer differs if it does."""
    truth = _truth(verified.read, verified.verdict)
    if verified.agrees:
        return f"The stated answer {verified.stated!r} is right: {truth}."
    return f"The stated answer is {verified.stated!r}, but {truth}."


def explanation(verified: Verified) -> tuple[str, ...]:
    """The proof in words, line by line; it needs nothing but the text and pencil and paper."""
    read, verdict = verified.read, verified.verdict
    if isinstance(verdict, Undetermined):
        return (
            "Every sentence holds for both of these price lists, which differ in the asked price:",
            f"  {_prices(read, verdict.first)}",
            f"  {_prices(read, verdict.second)}",
        )
    used = [
        f"  sentence {sentence.number}: {_equation(sentence.equation)} ({sentence.text!r})"
        for sentence, multiplier in zip(read.sentences, verdict.combination, strict=True)
        if multiplier
    ]
    combination = _sum_of_sentences(verdict.combination)
    if isinstance(verdict, Inconsistent):
        constant = sum(
            multiplier * sentence.equation.constant
            for multiplier, sentence in zip(verdict.combination, read.sentences, strict=True)
        )
        return (f"{combination} gives 0 = {_number(constant)}, where", *used)
    return (
        f"{combination} gives {read.asked} = {_number(verdict.value)}, where",
        *used,
        "No sentence contradicts another, because every one holds for these prices:",
        f"  {_prices(read, verdict.prices)}",
    )


def certificate(verified: Verified, source: str) -> dict[str, Any]:
    """Write a proof down, ready for JSON.

    Numbers that need not be whole are strings, such as `"7/2"`. A combination has one multiplier
    for each sentence that it uses, by sentence number.

    Args:
        verified: a decided problem.
        source: where it stands, `data.jsonl:12`.

    Returns:
        The keys source, problem, answer (as stated), agrees, verdict, true_answer (null if the
        sentences contradict one another), asked, theme, equations, and the proof: `combination` and
        `prices` for a determined price, two `price_lists` for an undetermined one, `combination`
        for a contradiction; `words` says it in English.
    """
    read, verdict = verified.read, verified.verdict
    return {
        "source": source,
        "problem": verified.text,
        "answer": verified.stated,
        "agrees": verified.agrees,
        "verdict": _kind(verdict),
        "true_answer": verified.true_answer,
        "asked": str(read.asked),
        "theme": read.theme.name,
        "equations": _equations(read),
        **_proof(verdict),
        "words": "\n".join((finding(verified), *explanation(verified))),
    }


def unreadable_certificate(text: str, answer: str, source: str, reason: str) -> dict[str, Any]:
    """The line that stands in a file of certificates for a text that cannot be read."""
    return {
        "source": source,
        "problem": text,
        "answer": answer,
        "agrees": False,
        "verdict": "unreadable",
        "words": reason,
    }


def certificate_holds(
    certificate: Mapping[str, Any], themes: Sequence[Theme] | None = None
) -> bool:
    """Check a written certificate against the text that it holds, by substitution alone.

    Args:
        certificate: what `certificate` returned, perhaps by way of a file; or anything else.
        themes: vocabularies in which the text may be written; None for the built-in ones.

    Returns:
        True where the certificate's own numbers prove what it says about the problem.
    """
    try:
        read = read_problem(certificate["problem"], themes)
        verdict = _written_verdict(certificate, read)
        return (
            certificate["theme"] == read.theme.name
            and certificate["asked"] == str(read.asked)
            and certificate["equations"] == _equations(read)
            and check_certificate(read, verdict)
            and certificate["true_answer"] == true_answer(verdict)
            and certificate["agrees"] is agrees(certificate["answer"], verdict)
        )
    except (TreecutError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Whatever is malformed proves nothing.
        return False


def _kind(verdict: Verdict) -> str:
    return type(verdict).__name__.lower()


def _truth(read: ReadProblem, verdict: Verdict) -> str:
    if isinstance(verdict, Determined):
        return f"the sentences fix the price of {read.asked}: {_money(read.theme, verdict.value)}"
    if isinstance(verdict, Undetermined):
        return f"the sentences leave the price of {read.asked} open, so that it is {UNKNOWN!r}"
    return "the sentences contradict one another, so that no answer is right"


def _money(theme: Theme, amount: Fraction) -> str:
    return theme.money_one if amount == 1 else f"{_number(amount)} {theme.money_many}"


def _number(number: Fraction | int) -> str:
    """Write a number as the combinations are written, with a minus sign and not a hyphen."""
    return str(number).replace("-", "−")


def _prices(read: ReadProblem, prices: Mapping[Variable, Fraction]) -> str:
    asked = f"{read.asked} {_number(prices[read.asked])} (asked)"
    others = (f"{name} {_number(prices[name])}" for name in read.variables if name != read.asked)
    return "; ".join((asked, *others))


def _equation(equation: Equation) -> str:
    terms = ((number, str(variable)) for variable, number in equation.coefficients.items())
    return f"{_signed_sum(terms)} = {_number(equation.constant)}"


def _sum_of_sentences(combination: tuple[Fraction, ...]) -> str:
    return _signed_sum(
        (multiplier, f"sentence {number}")
        for number, multiplier in enumerate(combination, start=1)
        if multiplier
    )


def _signed_sum(terms: Iterable[tuple[Fraction | int, str]]) -> str:
    """Write `2 × burger − 1/2 × pie`."""
    words = ""
    for number, of in terms:
        if words:
            words += " − " if number < 0 else " + "
        elif number < 0:
            words = "−"
        words += f"{abs(number)} × {of}"
    return words


def _equations(read: ReadProblem) -> list[dict[str, Any]]:
    return [
        {
            "sentence": sentence.number,
            "coefficients": {
                str(variable): number for variable, number in sentence.equation.coefficients.items()
            },
            "constant": sentence.equation.constant,
        }
        for sentence in read.sentences
    ]


def _proof(verdict: Verdict) -> dict[str, Any]:
    if isinstance(verdict, Undetermined):
        return {"price_lists": [_written(verdict.first), _written(verdict.second)]}
    combination = {
        str(number): str(multiplier)
        for number, multiplier in enumerate(verdict.combination, start=1)
        if multiplier
    }
    if isinstance(verdict, Inconsistent):
        return {"combination": combination}
    return {"combination": combination, "prices": _written(verdict.prices)}


def _written(prices: Mapping[Variable, Fraction]) -> dict[str, str]:
    return {str(variable): str(price) for variable, price in prices.items()}


def _written_verdict(certificate: Mapping[str, Any], read: ReadProblem) -> Verdict:
    """The verdict that a certificate writes down; anything malformed raises."""
    variables = {str(variable): variable for variable in read.variables}

    def prices(written: Mapping[str, str]) -> dict[Variable, Fraction]:
        return {variables[name]: _parsed(price) for name, price in written.items()}

    def combination() -> tuple[Fraction, ...]:
        written = certificate["combination"]
        numbers = [str(number) for number in range(1, len(read.sentences) + 1)]
        if not set(written) <= set(numbers):
            raise ValueError("a multiplier for a sentence that the text does not have")
        return tuple(_parsed(written.get(number, "0")) for number in numbers)

    match certificate["verdict"]:
        case "determined":
            value = _parsed(certificate["true_answer"])
            return Determined(value, combination(), prices(certificate["prices"]))
        case "undetermined":
            first, second = certificate["price_lists"]
            return Undetermined(prices(first), prices(second))
        case "inconsistent":
            return Inconsistent(combination())
    raise ValueError("no verdict of this kind")


def _parsed(number: str) -> Fraction:
    """Read a number as certificates write it; nothing else, `1e999999999` above all."""
    if not _WRITTEN_NUMBER.fullmatch(number):
        raise ValueError("not a number of a certificate")
    return Fraction(number)
