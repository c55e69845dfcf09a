"""How fast `explain` is, and what it explains of the reference models' answers beside chance.

    python benchmarks/attribution.py [PROBLEMS]

Answers of `same_price` must all be explained, as same price; those of `guesser`, which guesses
blindly, must be explained as often as chance would have it.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence

from treecut_tasks.causes import ExplainedShare, explain, share_explained
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


def share_of(policy: str, problems: Sequence[str]) -> ExplainedShare:
    """Explain the numbers that a reference model gives."""
    answers = [(text, respond(policy, text).rpartition(" ")[2]) for text in problems]
    return share_explained([pair for pair in answers if pair[1] != "unknown"])


def main(n: int) -> None:
    """Print one line for each depth, kind of problem and reference model."""
    for unanswerable in (True, False):
        for ans_depth in DEPTHS:
            problems = texts(n, ans_depth, unanswerable)
            took = milliseconds(problems)
            kind = "unanswerable" if unanswerable else "answerable"
            print(f"{kind}, depth {ans_depth}: {took:.2f} ms a number")
            for policy in ("same_price", "guesser") if unanswerable else ("guesser",):
                share = share_of(policy, problems)
                print(
                    f"  {policy}: {share.explained:.1%} of {share.n} explained "
                    f"({share.ci_low:.1%} to {share.ci_high:.1%}), by chance {share.expected:.1%}; "
                    f"same_price first for {share.kinds['same_price'].first:.1%}, "
                    f"by chance {share.kinds['same_price'].expected:.1%}"
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
