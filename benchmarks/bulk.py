"""How fast data sets are made, what limits it, and how much memory it takes.

    python benchmarks/bulk.py [--entries 32768] [--rounds 5] [--scaling] [--memory] [--compression]

- formats: problems a second on one core for the depths of Table 1: problem, answer and worked
  solution in memory, as the authors' code makes 19,000 a second; and written to the null device in
  both formats, as text (with ids) and with everything that is known. Times are processor time, the
  best of the rounds, because others may use the machine.
- shares: how that time is divided, at depth 8: random draws; wording (piece numbers and texts); ids;
  columns; the format (JSON syntax, or Parquet's encoding and compression).
- pairs: pairs a second of both kinds.
- back: reading the files back, and proving the answers.
- `--scaling`: one and two processes, by the clock, start-up included.
- `--memory`: peak memory of a process that writes 10**5 and 10**7 problems.
- `--compression`: time and size of Parquet's ways to compress.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from treecut_tasks.bulk.columns import content_ids
from treecut_tasks.bulk.pieces import Pieces
from treecut_tasks.bulk.plan import Columns, Format, Plan
from treecut_tasks.bulk.recipe import Part, Recipe
from treecut_tasks.bulk.rows import CHUNK, Rows
from treecut_tasks.bulk.shards import write_rows
from treecut_tasks.bulk.splits import PairKind
from treecut_tasks.bulk.stored import iter_problems
from treecut_tasks.bulk.stream import BLOCK, draw_block
from treecut_tasks.bulk.texts import Words, members
from treecut_tasks.problems import ProblemConfig, default_num_vars
from treecut_tasks.validity import check_label

SEED = 42
DEPTHS = (2, 4, 6, 8)
AUTHORS = 19_000


def best(rounds: int, work: Callable[[], object]) -> float:
    """Processor time of the quickest of several rounds, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def plan_of(
    ans_depth: int, entries: int, form: Format, columns: Columns, pairs: PairKind = "none"
) -> Plan:
    num_vars = None if pairs == "none" else default_num_vars(ans_depth, pairs)
    config = ProblemConfig(ans_depth=ans_depth, num_vars=num_vars)
    return Plan(Recipe((Part(config, pairs),), SEED), entries, 1, form, columns)


def write(plan: Plan, path: str = os.devnull) -> None:
    rows = Rows(plan.recipe, plan.shards[0].split, plan.columns == "text")
    with Path(path).open("wb") as file:
        write_rows(plan, rows, plan.shards[0], file, lambda _: None)


def formats(entries: int, rounds: int) -> None:
    print(f"problems a second, and times the authors' {AUTHORS:,}")
    print(f"{'depth':>5}" + "".join(f"{name:>24}" for name in ("in memory", *_WAYS)))
    for depth in DEPTHS:
        cells = []
        rate = entries / best(rounds, lambda depth=depth: in_memory(depth, entries))  # type: ignore[misc]
        cells.append(f"{f'{rate:,.0f} ({rate / AUTHORS:.1f})':>24}")
        for form, columns in _WAYS.values():
            plan = plan_of(depth, entries, form, columns)
            rate = entries / best(rounds, lambda plan=plan: write(plan))  # type: ignore[misc]
            cells.append(f"{f'{rate:,.0f} ({rate / AUTHORS:.1f})':>24}")
        print(f"{depth:>5}" + "".join(cells))


def in_memory(ans_depth: int, entries: int) -> None:
    """Problems, answers and worked solutions as Arrow arrays: what a record of the authors' holds."""
    config = ProblemConfig(ans_depth=ans_depth)
    pieces = Pieces()
    words = Words(config, pieces)
    for block in range(entries // BLOCK):
        draws = draw_block(config, SEED, block)
        for start in range(0, BLOCK, CHUNK):
            rows = draws.rows(start, start + CHUNK)
            sentences = words.sentences(rows)
            (member,) = members(rows, paired=False)
            for codes in (
                words.text(member, sentences),
                words.answer(member),
                words.solution(member, sentences),
            ):
                pieces.write(codes).strings()


_WAYS: dict[str, tuple[Format, Columns]] = {
    "jsonl, text": ("jsonl", "text"),
    "jsonl, all": ("jsonl", "all"),
    "parquet, text": ("parquet", "text"),
    "parquet, all": ("parquet", "all"),
}


def shares(entries: int, rounds: int) -> None:
    """Times of the steps one by one; what is left of the whole is the format's."""
    config = ProblemConfig()
    blocks = range(entries // BLOCK)
    draws = [
        block.rows(start, start + CHUNK)
        for block in (draw_block(config, SEED, number) for number in blocks)
        for start in range(0, BLOCK, CHUNK)
    ]
    pieces = Pieces()
    words = Words(config, pieces)

    def word() -> list[Any]:
        texts = []
        for rows in draws:
            sentences = words.sentences(rows)
            (member,) = members(rows, paired=False)
            texts.append((pieces.write(words.text(member, sentences)), words.answer(member)))
            pieces.write(words.solution(member, sentences))
        return texts

    texts = [(text, pieces.write(answer).strings()) for text, answer in word()]
    seconds = {
        "random draws": best(rounds, lambda: [draw_block(config, SEED, i) for i in blocks]),
        "wording": best(rounds, word),
        "ids (SHA-256)": best(rounds, lambda: [content_ids(*each) for each in texts]),
    }
    print("\nmicroseconds for a problem at depth 8")
    for name, (form, columns) in _WAYS.items():
        whole = best(rounds, lambda form=form, columns=columns: write(plan_of(8, entries, form, columns)))  # type: ignore[misc]  # fmt: skip
        parts = {**seconds, "columns and format": whole - sum(seconds.values())}
        told = ", ".join(
            f"{part} {spent / entries * 1e6:.2f} ({spent / whole:.0%})"
            for part, spent in parts.items()
        )
        print(f"  {name:14}{whole / entries * 1e6:6.2f}: {told}")


def pairs(entries: int, rounds: int) -> None:
    print("\npairs a second, parquet, text")
    print(f"{'depth':>5}{'full':>12}{'matched':>12}")
    for depth in DEPTHS:
        rates = []
        for kind in ("full", "matched"):
            plan = plan_of(depth, entries, "parquet", "text", kind)
            rates.append(entries / best(min(rounds, 2), lambda plan=plan: write(plan)))  # type: ignore[misc]
        print(f"{depth:>5}" + "".join(f"{rate:>12,.0f}" for rate in rates))


def back(entries: int, rounds: int) -> None:
    print("\nback, at depth 8, problems a second")
    with tempfile.TemporaryDirectory() as folder:
        for name, (form, columns) in _WAYS.items():
            path = Path(folder) / f"{columns}.{form}"
            write(plan_of(8, entries, form, columns), str(path))
            if form == "parquet":
                rate = entries / best(rounds, lambda path=path: pq.read_table(path))  # type: ignore[misc]
                print(f"  reading {name}: {rate:,.0f}")
        problems = [each for _, each in zip(range(2000), iter_problems(path), strict=False)]

        def prove() -> None:
            for each in problems:
                check_label(each.problem, each.answer)

        proving = best(rounds, prove)
        print(f"  proving: {len(problems) / proving:,.0f}")


def generate(arguments: list[str]) -> tuple[float, int]:
    """Run `treecut generate`: seconds by the clock, and peak memory in bytes."""
    command = [sys.executable, "-m", "treecut_tasks", "generate", *arguments]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def scaling() -> None:
    print(
        "\none process and two, 500,000 problems in 8 shards, parquet, text, seconds by the clock"
    )
    taken = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            options = ["--shards", "8", "--workers", str(workers), "-o", folder]
            seconds, _ = generate(
                ["-n", "500_000", "--format", "parquet", "--columns", "text", *options]
            )
        taken.append(seconds)
        print(f"  {workers}: {seconds:.1f} ({taken[0] / seconds:.2f} times as fast)")


def memory() -> None:
    print("\npeak memory, parquet, text")
    peaks = []
    for entries in (100_000, 10_000_000):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "data.parquet")
            options = ["--format", "parquet", "--columns", "text", "-o", path]
            seconds, peak = generate(["-n", str(entries), *options])
            size = Path(path).stat().st_size
        peaks.append(peak)
        print(
            f"  {entries:>10,} problems: {peak / 1e6:,.0f} MB ({peak / peaks[0]:.2f} times), "
            f"{seconds:,.0f} s, file of {size / 1e6:,.0f} MB"
        )


def compression(entries: int, rounds: int) -> None:
    print("\nparquet with everything: microseconds and bytes for a problem, by compression")
    plan = plan_of(8, entries, "parquet", "all")
    table = pa.concat_tables(Rows(plan.recipe, plan.shards[0].split).tables(0, entries))
    for codec, level in (
        ("none", None),
        ("snappy", None),
        ("lz4", None),
        *(("zstd", n) for n in (1, 3, 6)),
    ):
        for dictionaries in (True, False):
            file = io.BytesIO()

            def compress(
                file: io.BytesIO = file,
                codec: str = codec,
                level: int | None = level,
                dictionaries: bool = dictionaries,
            ) -> None:
                file.seek(0)
                file.truncate()
                pq.write_table(
                    table,
                    file,
                    compression=codec,
                    compression_level=level,
                    use_dictionary=dictionaries,
                )

            spent = best(rounds, compress)
            kind = f"{codec} {'' if level is None else level}"
            print(
                f"  {kind:8} dictionaries {'yes' if dictionaries else 'no':4}"
                f"{spent / entries * 1e6:8.2f}{len(file.getvalue()) / entries:8.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=8 * BLOCK, help="problems of each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scaling", action="store_true", help="also one and two processes")
    parser.add_argument("--memory", action="store_true", help="also peak memory (minutes)")
    parser.add_argument("--compression", action="store_true", help="also ways to compress")
    options = parser.parse_args()
    entries = max(BLOCK, options.entries // BLOCK * BLOCK)
    formats(entries, options.rounds)
    shares(entries, options.rounds)
    pairs(min(entries, 2 * BLOCK), options.rounds)
    back(entries, options.rounds)
    if options.scaling:
        scaling()
    if options.memory:
        memory()
    if options.compression:
        compression(entries, options.rounds)


if __name__ == "__main__":
    main()
