"""What serving an evaluation costs: items and prompts, scoring, and our share of a framework's run.

    python benchmarks/serving.py [--problems 2000] [--responses 3000] [--rounds 3] [--runs]

Everything runs in one process on one core; times are processor time, the best of the rounds, because
others may use the machine, too. Three parts:

- items: the data set of a task (Table 1's four depths, every label proven) and its prompts, without
  and with six worked examples; what is spent on drawing, proving and prompts, and what importing
  takes in a fresh interpreter.
- scoring: responses a second, for worked solutions with an answer line
  and parted by how they end. `causes` is everything, with the explanation of wrong numbers.
- with `--runs`, a run of the unanswerable task in each framework with an instant reference model.
  Our entry points (making the task, answering, the solver, scoring, the metric; in lm-eval the data
  set, prompts, scores) are wrapped with a clock of processor time, nested calls counted once; an
  entry point that awaits is only charged until it awaits, so that nothing of the framework is
  counted. The share is that of the processor time of the whole run. The wrappers themselves are
  counted as ours.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from treecut_tasks.evaluation import (
    PAPER_DEPTHS,
    UNANSWERABLE,
    TaskParameters,
    build_items,
    judge_response,
)
from treecut_tasks.evaluation.prompts import user_messages, user_prompt
from treecut_tasks.problems import ProblemConfig, draw_data_set, stream
from treecut_tasks.scoring import classify_outcome, says_unknown
from treecut_tasks.validity import check_label

# The tests lie beside this folder and are not installed.
sys.path.append(str(Path(__file__).resolve().parents[1]))

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
            user_messages(item_set.shots(item, fewshot, "per_problem"), item.prompt, "turns")

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


class Clock:
    """Processor time spent inside our entry points, by name."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._inside = False

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        if self._inside:
            yield
            return
        self._inside, start = True, time.process_time()
        try:
            yield
        finally:
            self._inside = False
            self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - start

    def wrap(self, holder: Any, name: str, shown: str | None = None) -> None:
        """Replace an attribute by the same, timed; a coroutine is timed until it awaits."""
        function, label = getattr(holder, name), shown or name

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.running(label):
                return function(*args, **kwargs)

        @functools.wraps(function)
        async def timed_until_await(*args: Any, **kwargs: Any) -> Any:
            with self.running(label):
                coroutine = function(*args, **kwargs)
                try:
                    coroutine.send(None)
                except StopIteration as stop:
                    return stop.value
            raise AssertionError(f"{label} awaits: time its parts instead")

        setattr(holder, name, timed_until_await if asyncio.iscoroutinefunction(function) else timed)

    def report(self, framework: str, number: int, wall: float, processor: float) -> None:
        ours = sum(self.spent.values())
        print(
            f"\n{framework}, {number} samples: {wall:.1f} s of wall time, {processor:.1f} s of processor "
            f"time, {ours:.2f} s of it ours ({ours / processor:.1%})"
        )
        for name, seconds in sorted(self.spent.items(), key=lambda pair: -pair[1]):
            print(f"  {name:36} {seconds:.3f} s")


def inspect_run(problems: int) -> None:
    from inspect_ai import eval

    from treecut_tasks.inspect_adapter import dataset, models, scorers, solvers
    from treecut_tasks.tasks import unanswerable

    clock = Clock()
    clock.wrap(models.TreecutModel, "generate", "the reference model")
    clock.wrap(scorers, "_score", "scoring")
    clock.wrap(scorers, "summarise", "metrics")
    clock.wrap(solvers, "system_prompt", "system message")
    clock.wrap(dataset, "user_messages", "making the task")
    start, processor = time.perf_counter(), time.process_time()
    with clock.running("making the task"):
        task = unanswerable(num_problems=problems // len(PAPER_DEPTHS))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            task,
            model="treecut/guesser",
            log_dir=folder,
            display="none",
            log_realtime=False,
        )
    wall, processor = time.perf_counter() - start, time.process_time() - processor
    assert log.status == "success" and log.results is not None
    clock.report("Inspect", log.results.completed_samples, wall, processor)


def lm_eval_run(problems: int) -> None:
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    from treecut_tasks.lm_eval_adapter import dataset, models, results
    from treecut_tasks.lm_eval_adapter.discovery import task_configs_path

    clock = Clock()
    clock.wrap(dataset, "_data_set", "making the data set")
    clock.wrap(results, "_score", "scoring")
    clock.wrap(results, "rate", "intervals")
    clock.wrap(models, "respond", "the reference model")
    start, processor = time.perf_counter(), time.process_time()
    found = simple_evaluate(
        model="treecut",
        model_args={"policy": "guesser"},
        tasks=["treecut_depth8"],
        # lm-eval's own thousands of tasks would take seconds to scan.
        task_manager=TaskManager(
            include_path=str(task_configs_path()),
            include_defaults=False,
            metadata={"policy": "guesser", "num_problems": problems},
        ),
        log_samples=False,
        bootstrap_iters=0,
        verbosity="ERROR",
    )
    wall, processor = time.perf_counter() - start, time.process_time() - processor
    assert found is not None
    clock.report(
        "lm-eval", sum(n["effective"] for n in found["n-samples"].values()), wall, processor
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--responses", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", action="store_true", help="run both frameworks, too")
    options = parser.parse_args()
    items(options.problems, options.rounds)
    scoring(options.responses, options.rounds)
    if options.runs:
        inspect_run(options.problems)
        lm_eval_run(options.problems)


if __name__ == "__main__":
    main()
