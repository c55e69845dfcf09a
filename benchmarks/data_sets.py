"""How fast problems are made and written on one core.

    python benchmarks/data_sets.py [--entries 32768] [--rounds 5] [--memory]

- problems a second at the depths of Table 1: problem, answer and worked solution in memory; and written
  to the null device in each format, as text (with ids) and with everything that is known
- pairs a second as texts in Parquet, full and matched
- records a second of the authors' stream, as JSON, and how many times as fast as the plain generator
  of the tests, which draws with the methods of `random.Random` as the authors' code does
- the data sets of the tasks: processor seconds for 2,000 problems, and for 2,000 matched pairs, with
  every label proven

Times are processor time, the best of the rounds, because others may use the machine. `--memory` tells
the peak memory of processes that write 10**5 and 10**7 problems.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from treecut_tasks.data_sets.plan import Plan
from treecut_tasks.data_sets.recipe import Part, Recipe
from treecut_tasks.data_sets.rows import Rows
from treecut_tasks.data_sets.writing import write_tables
from treecut_tasks.problems import ProblemConfig, default_num_vars, draw_data_set
from treecut_tasks.problems.members import Member, chunk_size
from treecut_tasks.problems.streams import Stream, authors_stream
from treecut_tasks.validity import check_label

SEED = 42
DEPTHS = (2, 4, 6, 8)
WAYS = [("jsonl", "text"), ("jsonl", "all"), ("parquet", "text"), ("parquet", "all")]


def best(rounds: int, work: Callable[[], object]) -> float:
    """Processor time of the quickest of several rounds, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def in_memory(ans_depth: int, entries: int) -> None:
    config = ProblemConfig(ans_depth=ans_depth)
    size = chunk_size(config)
    for number in range(entries // 4096):
        block = Stream(config, SEED).block(number)
        for start in range(0, len(block), size):
            member = Member.of(block.rows(start, start + size))
            _ = member.texts, member.answers, member.solutions


def write(ans_depth: int, entries: int, form: Any, columns: Any, pairs: Any = "none") -> None:
    num_vars = None if pairs == "none" else default_num_vars(ans_depth, pairs)
    config = ProblemConfig(ans_depth=ans_depth, num_vars=num_vars)
    plan = Plan(Recipe((Part(config, pairs),), SEED), entries, 1, form, columns)
    (shard,) = plan.shards
    rows = Rows(plan.recipe, shard.split, columns == "text")
    with Path(os.devnull).open("wb") as file:
        write_tables(rows.tables(0, entries), plan, file)


def authors(records: int, unanswerable: bool, rounds: int) -> tuple[float, float]:
    """Records a second of the authors' stream and of the plain generator, both as JSON."""
    # The tests lie beside this folder and are not installed.
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from tests.reference_generator import reference_record
    from tests.strategies import as_parameters

    config = ProblemConfig(unanswerable=unanswerable)

    def ours() -> None:
        left = records
        for member in authors_stream(config, SEED):
            left -= sum(1 for _ in islice(member.published_lines(), left))
            if not left:
                return

    def theirs() -> None:
        parameters, rng = as_parameters(config), random.Random(SEED)
        for _ in range(records):
            json.dumps(reference_record(parameters, rng))

    # By turns, so that both share the machine's moods.
    spent = [(best(1, ours), best(1, theirs)) for _ in range(rounds)]
    return records / min(each for each, _ in spent), records / min(each for _, each in spent)


def task(counterpart: Any) -> None:
    from treecut_tasks.problems import streams

    # As in a new process.
    streams._kept_block.cache_clear()
    streams._members.cache_clear()
    configs = [
        ProblemConfig(ans_depth=depth, num_vars=default_num_vars(depth, counterpart))
        for depth in DEPTHS
    ]
    for drawn in draw_data_set(configs, 500, SEED, counterpart):
        problem = drawn.pair.unanswerable
        check_label(problem.text, problem.answer, [problem.config.resolved_theme])
        if counterpart == "matched":
            _ = drawn.pair.answerable.text, drawn.pair.id


def memory() -> None:
    print("\npeak memory, Parquet, texts")
    for entries in (100_000, 10_000_000):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "treecut_tasks", "generate", "-n", str(entries)]
            command += ["--format", "parquet", "--columns", "text", "-o", f"{folder}/rows.parquet"]
            start = time.perf_counter()
            process = subprocess.Popen(command)
            _, _, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            size = Path(folder, "rows.parquet").stat().st_size
        print(
            f"  {entries:>10,}: {usage.ru_maxrss / 1024:,.0f} MiB, {seconds:,.0f} s, {size:,} bytes"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=32_768, help="problems of each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="also peak memory (minutes)")
    options = parser.parse_args()
    entries, rounds = max(4096, options.entries), options.rounds
    names = [f"{form}, {columns}" for form, columns in WAYS]
    print("problems a second\ndepth" + "".join(f"{name:>16}" for name in ("in memory", *names)))
    for depth in DEPTHS:
        works: list[Callable[[], None]] = [lambda depth=depth: in_memory(depth, entries)]  # type: ignore[misc]
        works += [lambda depth=depth, way=way: write(depth, entries, *way) for way in WAYS]  # type: ignore[misc]
        rates = [entries / best(rounds, work) for work in works]
        print(f"{depth:>5}" + "".join(f"{rate:>16,.0f}" for rate in rates))
    print("pairs a second, Parquet, texts: depth, full, matched")
    for depth in DEPTHS:
        found = [
            8192
            / best(2, lambda depth=depth, kind=kind: write(depth, 8192, "parquet", "text", kind))  # type: ignore[misc]
            for kind in ("full", "matched")
        ]
        print(f"{depth:>5}" + "".join(f"{rate:>16,.0f}" for rate in found))
    for unanswerable in (True, False):
        ours, theirs = authors(4096, unanswerable, rounds)
        kind = "unanswerable" if unanswerable else "answerable"
        print(f"the authors' stream, {kind}: {ours:,.0f} a second, {ours / theirs:.1f} times")
    for counterpart in ("full", "matched"):
        print(f"a task's 2,000 problems, {counterpart}: {best(rounds, lambda c=counterpart: task(c)):.2f} s")  # type: ignore[misc]  # fmt: skip
    if options.memory:
        memory()


if __name__ == "__main__":
    main()
