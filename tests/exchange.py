"""Matched pairs as `problems.matched` explains them: an exchange of two names makes them alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from treecut_tasks.problems import Pair, Problem, Variable


def free_ends(pair: Pair) -> tuple[int, int]:
    """The ends that the cut edge and the spare edge of a matched pair do not share."""
    lost, spared = pair.unanswerable.lacks, pair.answerable.lacks
    assert lost is not None
    assert spared is not None
    (one,), (two,) = {*lost.edge} - {*spared.edge}, {*spared.edge} - {*lost.edge}
    return one, two


def exchanged(pair: Pair) -> Problem:
    """The matched counterpart with the names of the free ends exchanged."""
    member, row = pair.answerable.member, pair.answerable.row
    columns = [end - 1 for end in free_ends(pair)]
    names = member.block.names.copy()
    names[row, columns] = names[row, columns[::-1]]
    return Problem(replace(member, block=replace(member.block, names=names)), row)


def by_sentence(problem: Problem, respect: Callable[[Variable], Any]) -> list[list[Any]]:
    """A respect of the variables that each sentence names, in any order within the sentence."""
    variables = problem.variables
    return [
        sorted(respect(variables[i - 1]) for i in sentence.edge if i)
        for sentence in problem.sentences
    ]


def parts_of_the_asked(problem: Problem) -> Callable[[Variable], tuple[bool, bool]]:
    """A respect: whether a variable has the questioned item, and whether it has its place."""
    asked = problem.asked_variable
    return lambda variable: (variable.item == asked.item, variable.entity == asked.entity)


def number_of_words(variable: Variable) -> int:
    return len(str(variable).split())
