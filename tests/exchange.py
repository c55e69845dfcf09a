"""Matched pairs as `generate_pair` explains them: an exchange of two names makes them alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from treecut_tasks.problems import Pair, Problem, Variable


def exchanged(pair: Pair) -> Problem:
    """The matched counterpart with the names of the free ends exchanged."""
    lost, spared = pair.unanswerable.lacks, pair.answerable.lacks
    assert lost is not None
    assert spared is not None
    one, two = {*lost.edge} ^ {*spared.edge}
    phrases = list(pair.answerable.phrases)
    phrases[one - 1], phrases[two - 1] = phrases[two - 1], phrases[one - 1]
    return replace(pair.answerable, phrases=tuple(phrases))


def by_sentence(problem: Problem, respect: Callable[[Variable], Any]) -> list[list[Any]]:
    """A respect of the variables that each sentence names, in any order within the sentence."""
    return [
        sorted(respect(problem.variables[i - 1]) for i in sentence.edge if i)
        for sentence in problem.sentences
    ]


def parts_of_the_asked(problem: Problem) -> Callable[[Variable], tuple[bool, bool]]:
    """A respect: whether a variable has the questioned item, and whether it has its place."""
    asked = problem.asked_variable
    return lambda variable: (variable.item == asked.item, variable.entity == asked.entity)


def number_of_words(variable: Variable) -> int:
    return len(str(variable).split())
