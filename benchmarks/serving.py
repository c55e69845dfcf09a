"""What serving an evaluation costs: items and prompts, scoring, and our share of a framework's run.

    python benchmarks/serving.py [--problems 2000] [--responses 3000] [--rounds 3]

Everything runs in one process on one core; times are processor time, the best of the rounds, because
others may use the machine, too. Two parts:

- items: the data set of a task (Table 1's four depths, every label proven) and its prompts, without
  and with six worked examples; what is spent on drawing, proving and prompts, and what importing
  takes in a fresh interpreter.
- scoring: responses a second, for worked solutions with an answer line
  and parted by how they end. `causes` is everything, with the explanation of wrong numbers.
"""

from __future__ import annotations

import argparse
import functools
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice

from treecut_tasks.evaluation import (
    PAPER_DEPTHS,
    UNANSWERABLE,
    TaskParameters,
    build_items,
    judge_response,
)
from treecut_tasks.evaluation.prompts import user_prompt
from treecut_tasks.problems import ProblemConfig, draw_data_set, stream
from treecut_tasks.scoring import classify_outcome, says_unknown
from treecut_tasks.validity import check_label

SEED = 42
CORE_ENOUGH = (
    "treecut_tasks.evaluation",
    "treecut_tasks.tasks",
    "treecut_tasks.lm_eval_adapter.dataset",
)


def best(rounds: int, work: Callable[[], object]) -> float:
    """Processor time of the quickest of several rounds, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def import_seconds(module: str) -> float:
    """Processor time of an import in a fresh interpreter, the start of the interpreter left out."""
    code = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    return min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(3)
    )


def items(problems: int, rounds: int) -> None:
    parameters = TaskParameters(num_problems=problems // len(PAPER_DEPTHS), seed=SEED)
    configs = [configuration.config for configuration in parameters.configurations()]
    drawn = [
        each.pair.unanswerable
        for each in draw_data_set(configs, parameters.num_problems, SEED, parameters.counterpart)
    ]
    labels = [(problem.text, problem.answer) for problem in drawn]
    themes = [drawn[0].config.resolved_theme]

    def draw() -> None:
        for each in draw_data_set(configs, parameters.num_problems, SEED, parameters.counterpart):
            each.pair.unanswerable.text  # noqa: B018  (worked out on demand)

    def prove() -> None:
        for text, answer in labels:
            check_label(text, answer, themes)

    def prompts(fewshot: int) -> None:
        item_set = build_items(parameters, UNANSWERABLE)
        for item in item_set.items:
            item_set.shots(item, fewshot)

    print(f"{len(labels)} problems of depths {', '.join(map(str, PAPER_DEPTHS))}, in seconds:")
    print(f"  drawing pairs and writing texts   {best(rounds, draw):.2f}")
    print(f"  proving the labels                {best(rounds, prove):.2f}")
    print(f"  zero-shot prompts                 {best(rounds, lambda: zero_shot(labels)):.2f}")
    print(f"  items and prompts, zero-shot      {best(rounds, lambda: prompts(0)):.2f}")
    print(f"  items and prompts, six-shot       {best(rounds, lambda: prompts(6)):.2f}")
    for module in CORE_ENOUGH:
        print(f"  import {module:<42} {import_seconds(module):.2f}")


def zero_shot(labels: Sequence[tuple[str, str]]) -> None:
    for text, _ in labels:
        user_prompt(text)


def scoring(responses: int, rounds: int) -> None:
    rng = random.Random(SEED)
    rows = []
    for ans_depth in PAPER_DEPTHS:
        for unanswerable in (True, False):
            config = ProblemConfig(ans_depth=ans_depth, unanswerable=unanswerable)
            share = responses // (2 * len(PAPER_DEPTHS))
            rows += [
                (problem.text, problem.answer, f"{problem.solution}\n\nAnswer: {problem.answer}")
                for problem in islice(stream(config, SEED), share)
            ]
    rng.shuffle(rows)
    words = sorted(len(response.split()) for _, _, response in rows)
    reasons = [classify_outcome(response).reason for _, _, response in rows]
    groups = {
        "all": rows,
        "answer line": [row for row, reason in zip(rows, reasons, strict=True) if reason == LINE],
        "other": [row for row, reason in zip(rows, reasons, strict=True) if reason != LINE],
    }
    print(f"\n{len(rows)} ordinary responses of {words[len(words) // 2]} words (median), a second:")
    print(f"  {'':14}{'number':>8}{'rule':>12}{'outcome':>12}{'scores':>12}{'causes':>12}")
    for name, group in groups.items():
        cells = [
            len(group) / best(rounds, functools.partial(score, group))
            for score in (paper_rule, outcomes, scores, causes)
        ]
        print(f"  {name:14}{len(group):>8}" + "".join(f"{cell:>12,.0f}" for cell in cells))


LINE = "answer_line"

Row = tuple[str, str, str]


def paper_rule(rows: Sequence[Row]) -> None:
    for _, _, response in rows:
        says_unknown(response)


def outcomes(rows: Sequence[Row]) -> None:
    for _, _, response in rows:
        classify_outcome(response)


def scores(rows: Sequence[Row]) -> None:
    for _, answer, response in rows:
        judge_response(answer, response)


def causes(rows: Sequence[Row]) -> None:
    for problem, answer, response in rows:
        judge_response(answer, response, problem=problem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--responses", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    items(options.problems, options.rounds)
    scoring(options.responses, options.rounds)


if __name__ == "__main__":
    main()
