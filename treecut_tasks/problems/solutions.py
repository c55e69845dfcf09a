"""Worked solutions (generator.md, "Worked solutions"; paper, Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treecut_tasks.problems.wording import Phrases, money_words
from treecut_tasks.themes import Theme


def solve_path(
    ans_depth: int,
    clauses: Mapping[int, str],
    values: Sequence[int],
    phrases: Sequence[Phrases],
    theme: Theme,
) -> str:
    """The solution of an answerable problem: one step for each edge of the path, from the root.

    Args:
        ans_depth: the path is x_1 … x_ans_depth.
        clauses: each edge's formula as a clause, by child.
        values: prices of x_1, x_2, … in money units.
        phrases: how x_1, x_2, … are written.
        theme: supplies the money words.
    """
    money = money_words(theme)
    steps = [f"It is given as a fact that {clauses[1]}."]
    for i in range(2, ans_depth + 1):
        steps.append(
            f"Combine with the fact that {clauses[i]}, we get {phrases[i - 1].quantity[1]} "
            f"costs {money[values[i - 1]]}."
        )
    return " ".join(steps)


def explain_cut(
    detached: Sequence[int],
    asked: Phrases,
    clauses: Mapping[int, str],
    phrases: Sequence[Phrases],
) -> str:
    """Why an unanswerable problem has no answer: the detached subtree has too few formulas.

    Args:
        detached: numbers of the variables of the detached subtree, breadth first.
        asked: phrases of the questioned variable.
        clauses: the formulas as clauses, by child.
        phrases: those of x_1, x_2, …
    """
    # Breadth first, so that an edge's parent has always been named before.
    labels = ", ".join([phrases[i - 1].label for i in detached])
    facts = ", ".join([clauses[i] for i in detached[1:]])
    num_formulas = len(detached) - 1
    only = "1 linear formula" if num_formulas == 1 else f"{num_formulas} linear formulas"
    return (
        f"All we know about the prices of {labels} are: {facts}.\n"
        f"There are {len(detached)} variables but only {only}, so we cannot calculate the price of "
        f"{asked.label}."
    )
