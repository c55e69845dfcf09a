"""Takes a proof, gives it as JSON that a program can check, and checks such JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import (
    Determined,
    Inconsistent,
    ReadProblem,
    Solution,
    Undetermined,
    check_certificate,
    read_problem,
)
from treecut_tasks.themes import Theme, Variable
from treecut_tasks.validity.proofs import Proof

_WRITTEN_NUMBER = re.compile("-?[0-9]+(?:/[0-9]+)?")


def finding(proof: Proof, stated: str) -> str:
    """Say in one sentence what the text proves, and that the stated answer differs if it does."""
    if proof.agrees(stated):
        return f"The stated answer {stated!r} is right: {proof.truth}."
    return f"The stated answer is {stated!r}, but {proof.truth}."


def certificate(proof: Proof, stated: str, source: str) -> dict[str, Any]:
    """Write a proof down, ready for JSON.

    Numbers that need not be whole are strings, such as `"7/2"`. A combination has one multiplier
    for each sentence that it uses, by sentence number.

    Args:
        proof: of the text.
        stated: the answer that was claimed.
        source: where it stands, `data.jsonl:12`.

    Returns:
        The keys source, problem, answer (as stated), agrees, verdict, true_answer (null if the
        sentences contradict one another), asked, theme, equations, and the proof: `combination` and
        `prices` for a determined price, two `price_lists` for an undetermined one, `combination`
        for a contradiction; `words` says it in English.
    """
    return {
        "source": source,
        "problem": proof.text,
        "answer": stated,
        "agrees": proof.agrees(stated),
        "verdict": type(proof.solution).__name__.lower(),
        "true_answer": proof.answer,
        "asked": str(proof.read.asked),
        "theme": proof.read.theme.name,
        "equations": _equations(proof.read),
        **_numbers(proof.solution),
        "words": "\n".join((finding(proof, stated), *proof.words)),
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
        proof = Proof(certificate["problem"], read, _written_solution(certificate, read))
        return (
            certificate["theme"] == read.theme.name
            and certificate["asked"] == str(read.asked)
            and certificate["equations"] == _equations(read)
            and check_certificate(read, proof.solution)
            and certificate["true_answer"] == proof.answer
            and certificate["agrees"] is proof.agrees(certificate["answer"])
        )
    except (TreecutError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Whatever is malformed proves nothing.
        return False


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


def _numbers(solution: Solution) -> dict[str, Any]:
    """The numbers that prove a solution."""

    def written(prices: Mapping[Variable, Fraction]) -> dict[str, str]:
        return {str(variable): str(price) for variable, price in prices.items()}

    if isinstance(solution, Undetermined):
        return {"price_lists": [written(solution.first), written(solution.second)]}
    numbered = enumerate(solution.combination, start=1)
    combination = {str(number): str(multiplier) for number, multiplier in numbered if multiplier}
    if isinstance(solution, Inconsistent):
        return {"combination": combination}
    return {"combination": combination, "prices": written(solution.prices)}


def _written_solution(certificate: Mapping[str, Any], read: ReadProblem) -> Solution:
    """The solution that a certificate writes down; anything malformed raises."""
    variables = {str(variable): variable for variable in read.variables}

    def prices(written: Mapping[str, str]) -> dict[Variable, Fraction]:
        return {variables[name]: _parsed(price) for name, price in written.items()}

    def combination() -> tuple[Fraction, ...]:
        written = certificate["combination"]
        numbers = [str(sentence.number) for sentence in read.sentences]
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
