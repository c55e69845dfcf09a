"""The assumption that one item costs the same everywhere, as an operation on systems."""

from __future__ import annotations

from dataclasses import replace

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading.solutions import Equation, ReadProblem, Variable


def same_price_merge(read: ReadProblem, item: str | None = None) -> ReadProblem:
    """Return the system in which an item costs the same at every place.

    This is the assumption that the paper (Appendix C.2) finds in o3-mini's hallucinated answers. It
    does not follow from the text, and the merged system may contradict itself.

    Args:
        read: a problem; one with simple names comes back unchanged.
        item: singular name of the item whose places are merged, or None to merge every item.

    Returns:
        The same sentences over fewer variables: a merged one has no entity. A merged sentence may
        hold one variable, or none at all where both sides cancel.

    Raises:
        TreecutError: the problem has no such item.
    """
    items = tuple(dict.fromkeys(variable.item for variable in read.variables))
    if item is not None and item not in items:
        raise TreecutError(
            f"The problem has no item {item!r} to merge: give one of {', '.join(items)}."
        )

    def merged(variable: Variable) -> Variable:
        return Variable(variable.item) if item in (None, variable.item) else variable

    def merged_equation(equation: Equation) -> Equation:
        totals: dict[Variable, int] = {}
        for variable, coefficient in equation.coefficients.items():
            key = merged(variable)
            totals[key] = totals.get(key, 0) + coefficient
        return Equation({key: total for key, total in totals.items() if total}, equation.constant)

    return replace(
        read,
        sentences=tuple(
            replace(sentence, equation=merged_equation(sentence.equation))
            for sentence in read.sentences
        ),
        variables=tuple(dict.fromkeys(map(merged, read.variables))),
        asked=merged(read.asked),
    )
