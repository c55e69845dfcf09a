"""Worked solutions (generator.md, "Worked solutions"; paper, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence

from treecut_tasks.problems.wording import MoneyWords, Phrases


def solve_path(
    ans_depth: int,
    clauses: Sequence[str],
    values: Sequence[int],
    phrases: Sequence[Phrases],
    money: MoneyWords,
) -> str:
    """The solution of an answerable problem: one step for each edge of the path, from the root.

    Args:
        ans_depth: the path is x_1 … x_ans_depth.
        clauses: each edge's formula as a clause, indexed by child.
        values: prices of x_1, x_2, … in money units.
        phrases: how x_1, x_2, … are written.
        money: the money words of their theme.
    """
    amount = money.amount
    facts = [clauses[1]]
    for i in range(1, ans_depth):
        facts.append(f"{clauses[i + 1]}, we get {phrases[i].costs[1]}{amount[values[i]]}")
    return f"It is given as a fact that {'. Combine with the fact that '.join(facts)}."


def explain_cut(
    detached: Sequence[int],
    asked: Phrases,
    clauses: Sequence[str],
    phrases: Sequence[Phrases],
) -> str:
    """Why an unanswerable problem has no answer: the detached subtree has too few formulas.

    Args:
        detached: numbers of the variables of the detached subtree, breadth first.
        asked: phrases of the questioned variable.
        clauses: the formulas as clauses, indexed by child.
        phrases: those of x_1, x_2, …
    """
    # Breadth first, so that an edge's parent has always been named before.
    labels, facts = [], []
    for i in detached:
        labels.append(phrases[i - 1].label)
        facts.append(clauses[i])
    # The first one is cut off from what it hung on.
    del facts[0]
    num_formulas = len(detached) - 1
    only = "1 linear formula" if num_formulas == 1 else f"{num_formulas} linear formulas"
    return (
        f"All we know about the prices of {', '.join(labels)} are: {', '.join(facts)}.\n"
        f"There are {len(detached)} variables but only {only}, so we cannot calculate the price of "
        f"{asked.label}."
    )
