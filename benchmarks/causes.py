"""How fast `explain` is, and what it explains of the reference models' answers beside chance.

    python benchmarks/causes.py [PROBLEMS]

Answers of `same_price` must all be explained, as same price; those of `guesser`, which guesses
blindly, must be explained as often as chance would have it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from statistics import fmean

from treecut_tasks.causes import analyse, explain
from treecut_tasks.problems import ProblemConfig, generate
from treecut_tasks.reference_models.policies import respond

DEPTHS = (2, 4, 6, 8)


def texts(n: int, ans_depth: int, unanswerable: bool) -> list[str]:
    """Draw problems at the paper's settings."""
    rng = random.Random(ans_depth)
    config = ProblemConfig(ans_depth=ans_depth, unanswerable=unanswerable)
    return [generate(config, rng).text for _ in range(n)]


def milliseconds(problems: Sequence[str]) -> float:
    """CPU time to explain one number for each problem, the first number for it, on average."""
    start = time.process_time()
    for problem in problems:
        explain(problem, 11)
    return (time.process_time() - start) / len(problems) * 1000


def shares(policy: str, problems: Sequence[str]) -> str:
    """What is explained of the wrong numbers that a reference model gives."""
    answers = [(text, respond(policy, text).rpartition(" ")[2]) for text in problems]
    wrong = [
        (text, value)
        for text, value in answers
        if value != "unknown" and not analyse(text).is_right(value)
    ]
    kinds = [[each.kind for each in explain(text, value)] for text, value in wrong]
    first = fmean(found[:1] == ["same_price"] for found in kinds)
    by_chance, same_price_by_chance = (
        fmean(analyse(text).expected(kind) for text, _ in wrong) for kind in (None, "same_price")
    )
    return (
        f"{fmean(map(bool, kinds)):.1%} of {len(wrong)} explained, by chance {by_chance:.1%}; "
        f"same_price first for {first:.1%}, by chance {same_price_by_chance:.1%}"
    )


def main(n: int) -> None:
    """Print one line for each depth, kind of problem and reference model."""
    for unanswerable in (True, False):
        for ans_depth in DEPTHS:
            problems = texts(n, ans_depth, unanswerable)
            took = milliseconds(problems)
            kind = "unanswerable" if unanswerable else "answerable"
            print(f"{kind}, depth {ans_depth}: {took:.2f} ms a number")
            for policy in ("same_price", "guesser") if unanswerable else ("guesser",):
                print(f"  {policy}: {shares(policy, problems)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
