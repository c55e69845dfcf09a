"""How often would an assumption that the text does not make fix an unanswerable problem's price?

    python benchmarks/extra_assumptions.py --problems 4000 --processes 2 > table.md

For every configuration of the table, problems are drawn, read back from their texts, decided, and
weighed by `treecut_tasks.validity.consequences` (a solver library). Each result is checked
against `expected` below, which uses no solver: in these problems the sentences that touch the asked
price form a tree of equations in two variables, so that every price in them is a linear function of
the asked one, and intervals and a walk over whole prices decide every assumption exactly.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import ceil, floor, lcm
from multiprocessing import Pool

from treecut_tasks.evaluation.rates import rate
from treecut_tasks.problems import ProblemConfig, stream
from treecut_tasks.reading import ReadProblem, Undetermined, read_problem, solve
from treecut_tasks.themes import BUILTIN_THEMES, load_theme
from treecut_tasks.validity import ASSUMPTIONS, consequences

DEPTHS = (2, 4, 6, 8)
SEED = 1


def configurations() -> Iterator[ProblemConfig]:
    """The rows of the table: depths and sizes, every cut depth at depth 8, and Algorithm 1."""
    for theme in map(load_theme, BUILTIN_THEMES):
        for composite_name in (True, False):
            for ans_depth in DEPTHS:
                for num_vars in (ans_depth + 2, ans_depth):
                    if num_vars > theme.capacity(composite_name):
                        continue
                    yield ProblemConfig(theme, composite_name, num_vars, ans_depth)
        for cut_depth in range(1, 8):
            if cut_depth != 4:
                yield ProblemConfig(theme, ans_depth=8, cut_depth=cut_depth)
        for ans_depth in DEPTHS:
            yield ProblemConfig(theme, ans_depth=ans_depth, sampling="paper")


def expected(read: ReadProblem, truth: dict[str, int]) -> dict[str, Fraction | None]:
    """The forced price under each assumption, or None, found without a solver.

    Args:
        read: an undetermined problem whose sentences hold one or two variables each.
        truth: the prices from which the problem was made; prices outside the asked one's tree are
            determined, so that they are these and satisfy every assumption.
    """
    lines = _lines(read)
    theme, asked = read.theme, Fraction(truth[str(read.asked)])
    assert all(a + b * asked == truth[name] for name, (a, b) in lines.items())

    def interval(lowest: int, highest: int | None) -> tuple[Fraction, Fraction | None]:
        """Where all prices of the tree lie within bounds."""
        low, high = Fraction(lowest), None if highest is None else Fraction(highest)
        for a, b in lines.values():
            ends = [(lowest - a) / b] if b > 0 else []
            ends += [(highest - a) / b] if b < 0 and highest is not None else []
            low = max([low, *ends])
            ends = [(lowest - a) / b] if b < 0 else []
            ends += [(highest - a) / b] if b > 0 and highest is not None else []
            high = min(([] if high is None else [high]) + ends, default=None)
        return low, high

    def multiples(
        low: Fraction, high: Fraction | None, step: int, positive: bool = False
    ) -> list[Fraction]:
        """Asked prices in the interval for which every price of the tree is a multiple of a step.

        They recur with a period, so that two periods beside the true price tell of an endless
        interval that there are several.
        """
        if high is None:
            high = low + 2 * lcm(*(b.denominator for _, b in lines.values())) * step + step
            high = max(high, asked + (high - low))
        return [
            price
            for n in range(ceil(low / step), floor(high / step) + 1)
            for price in [Fraction(n * step)]
            if all(((a + b * price) / step).denominator == 1 for a, b in lines.values())
            and not (positive and any(a + b * price <= 0 for a, b in lines.values()))
        ]

    above_zero, in_range = interval(0, None), interval(theme.value_min, theme.value_max)
    low, high = in_range
    return {
        # The true prices lie inside the interval, whose ends do not belong to it.
        "positive": None,
        # The period is finite and the true price whole.
        "whole": None,
        "positive_whole": _single(multiples(*above_zero, 1, positive=True)),
        "range": low if low == high else None,
        "whole_range": _single(multiples(low, high, 1)),
        "theme_prices": _single(multiples(low, high, theme.value_step)),
    }


def _lines(read: ReadProblem) -> dict[str, tuple[Fraction, Fraction]]:
    """Every price in the asked one's tree as a + b × asked price."""
    lines = {read.asked: (Fraction(0), Fraction(1))}
    todo = [read.asked]
    while todo:
        known = todo.pop()
        for sentence in read.sentences:
            coefficients = sentence.equation.coefficients
            if known not in coefficients:
                continue
            (other,) = set(coefficients) - {known}
            if other not in lines:
                a, b = lines[known]
                own, its = coefficients[known], coefficients[other]
                lines[other] = (
                    (sentence.equation.constant - own * a) / Fraction(its),
                    -own * b / Fraction(its),
                )
                todo.append(other)
    return {str(variable): line for variable, line in lines.items()}


def _single(prices: list[Fraction]) -> Fraction | None:
    assert prices, "the true price is missing"
    return prices[0] if len(prices) == 1 else None


def weigh(task: tuple[ProblemConfig, int]) -> Counter[str]:
    """Count the forced prices among problems of one configuration."""
    config, problems = task
    forced: Counter[str] = Counter()
    for problem in islice(stream(config, SEED), problems):
        read = read_problem(problem.text)
        verdict = solve(read)
        assert isinstance(verdict, Undetermined), problem.text
        names = map(str, problem.variables)
        truth = dict(zip(names, problem.values, strict=True))
        should = expected(read, truth)
        for assumption, found in consequences(read, verdict).items():
            assert found.outcome != "impossible", problem.text
            assert found.price == should[assumption.key], (assumption.key, found, problem.text)
            if found.price is not None:
                assert found.price == truth[str(read.asked)], problem.text
                forced[assumption.key] += 1
    return forced


def percent(count: int, n: int) -> str:
    """A rate with its 95 % Wilson interval, in percent."""
    share = rate([1.0] * count + [0.0] * (n - count))
    if count == 0:
        return f"0 (≤ {100 * share.ci_high:.2f})"
    return f"{100 * share.value:.1f} ({100 * share.ci_low:.1f}–{100 * share.ci_high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=4000, help="per configuration")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    configs = list(configurations())
    start = time.perf_counter()
    keys = [assumption.key for assumption in ASSUMPTIONS]
    print("| theme | names | sampling | ans_depth | num_vars | cut_depth |", " | ".join(keys), "|")
    print("|---" * (6 + len(keys)) + "|")
    total: Counter[str] = Counter()
    with Pool(arguments.processes) as pool:
        tasks = [(config, arguments.problems) for config in configs]
        for done, (config, forced) in enumerate(
            zip(configs, pool.imap(weigh, tasks), strict=True), start=1
        ):
            total += forced
            cells = [
                config.resolved_theme.name,
                "composite" if config.composite_name else "simple",
                config.sampling,
                config.ans_depth,
                config.num_vars,
                config.cut_depth,
                *(percent(forced[key], arguments.problems) for key in keys),
            ]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
            print(f"{done} of {len(configs)} configurations", file=sys.stderr)
    n = arguments.problems * len(configs)
    print(
        f"\nPercent of unanswerable problems whose price the assumption fixes, with 95 % Wilson "
        f"intervals; {arguments.problems} problems a row (seed {SEED}), {n} in all, every one "
        "decided by the solver library and by exact intervals, without a difference.\n"
    )
    for assumption in ASSUMPTIONS:
        print(f"- `{assumption.key}`: {assumption.words}; {total[assumption.key]} of {n}")
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
