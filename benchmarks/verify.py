"""Verify generated problems over random configurations: themes, samplings, orders, depths, cuts.

    python benchmarks/verify.py --problems 200000 --processes 2

A problem whose stated answer is not the one that its text proves, or whose text cannot be read,
stops the run with an error. With `--cost`, only the cost of one task's data set is measured.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import Pool

from treecut_tasks.problems import ORDERS, SAMPLINGS, ProblemConfig, stream
from treecut_tasks.themes import Item, Theme, load_theme
from treecut_tasks.validity import UNKNOWN, check_label, prove

CUSTOM = Theme(
    name="garage",
    entities=("Été & Fils", "Ünal's", "24-7 Parts", "Jack-o'-Wheels"),
    items=(
        Item("axle", "axles"),
        Item("hub-cap", "hub-caps"),
        Item("pair of snow tyres", "pairs of snow tyres"),
        Item("œil-de-chat", "œils-de-chat"),
        Item("Ultra wiper", "Ultra wipers"),
        Item("set of brakes", "sets of brakes"),
        Item("spare wheel", "spare wheels"),
    ),
    value_min=3,
    value_max=90,
    value_step=3,
    money_one="one euro",
    money_many="euros",
)
THEMES = (load_theme("food"), load_theme("outfit"), CUSTOM)
PROBLEMS_PER_CONFIG = 20


@dataclass
class Tally:
    """What a run has seen."""

    problems: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    configs: set[str] = field(default_factory=set)

    def add(self, other: Tally) -> None:
        self.problems += other.problems
        self.seen += other.seen
        self.configs |= other.configs


def random_config(rng: random.Random) -> ProblemConfig:
    theme = rng.choice(THEMES)
    composite_name = rng.random() < 0.5
    ans_depth = rng.randint(2, min(12, theme.capacity(composite_name)))
    unanswerable = rng.random() < 0.5
    return ProblemConfig(
        theme=theme,
        composite_name=composite_name,
        num_vars=rng.randint(ans_depth, min(2 * ans_depth, theme.capacity(composite_name))),
        ans_depth=ans_depth,
        order=rng.choice(ORDERS),
        unanswerable=unanswerable,
        cut_depth=rng.randint(1, ans_depth - 1) if unanswerable else None,
        sampling=rng.choice(SAMPLINGS),
    )


def run(task: tuple[int, int]) -> Tally:
    """Verify at least so many problems."""
    seed, problems = task
    rng = random.Random(seed)
    tally = Tally()
    while tally.problems < problems:
        config = random_config(rng)
        tally.configs.add(str(config.as_dict()))
        for problem in islice(stream(config, rng.getrandbits(40)), PROBLEMS_PER_CONFIG):
            # The reader must find the theme out where it is a built-in one.
            themes = (CUSTOM,) if config.theme == CUSTOM else None
            proof = prove(problem.text, themes)
            assert proof.agrees(problem.answer), problem.record()
            assert proof.read.theme == config.theme
            tally.problems += 1
            kind = "unanswerable" if problem.answer == UNKNOWN else "answerable"
            tally.seen.update([kind, config.resolved_theme.name, config.order, config.sampling])
    return tally


def cost() -> None:
    """What verifying a task's data set of 2,000 problems costs, in processor time, beside generating it."""
    for ans_depth in (2, 4, 6, 8):
        drawn = islice(stream(ProblemConfig(ans_depth=ans_depth), 42), 2000)
        start = time.process_time()
        problems = [(problem.text, problem.answer) for problem in drawn]
        generated = time.process_time()
        for text, answer in problems:
            check_label(text, answer)
        verified = time.process_time()
        print(
            f"ans_depth {ans_depth}, 2000 problems: generated in {generated - start:.2f} s, "
            f"verified in {verified - generated:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=200_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cost", action="store_true")
    arguments = parser.parse_args()
    if arguments.cost:
        cost()
        return
    chunk = 2000
    tasks = [
        (1_000_000 * arguments.seed + i, min(chunk, arguments.problems - start))
        for i, start in enumerate(range(0, arguments.problems, chunk))
    ]
    total = Tally()
    start = time.perf_counter()
    with Pool(arguments.processes) as pool:
        for tally in pool.imap_unordered(run, tasks):
            total.add(tally)
    seconds = time.perf_counter() - start
    print(
        f"{total.problems} problems of {len(total.configs)} configurations verified in "
        f"{seconds:.0f} s ({total.problems / seconds:.0f} a second, {arguments.processes} "
        "processes, generation included), no failure"
    )
    for name, count in sorted(total.seen.items()):
        print(f"  {name}: {count}")


if __name__ == "__main__":
    main()
