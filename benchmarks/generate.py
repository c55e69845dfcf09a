"""How many complete records a second the generator makes on one core.

    python benchmarks/generate.py [--records 2000] [--rounds 15]

A record is a problem with its answer and worked solution, at depth 8 with 10 variables and composite
names. `reference` is the plain generator of the tests, which draws with the methods of
`random.Random` and builds strings step by step; it makes the same bytes. The authors' own code makes
about 19,000 records a second on a machine on which this one should make 57,000 or more in one
stream, which is three times as many.

Each round runs every way once, so that they share the machine's moods; the table gives medians of
processor time, and how many times as fast as `reference` each is.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from itertools import count, islice
from pathlib import Path

from treecut_tasks.problems import ProblemConfig, stream

SEED = 1

Way = Callable[[ProblemConfig], Iterable[object]]
"""Makes records without end."""


def reference(config: ProblemConfig) -> Iterable[object]:
    # The tests lie beside this folder and are not installed.
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from tests.reference_generator import reference_record
    from tests.strategies import as_parameters

    parameters, rng = as_parameters(config), random.Random(SEED)
    return (reference_record(parameters, rng) for _ in count())


def one_stream(config: ProblemConfig) -> Iterable[object]:
    return (problem.published_record() for problem in stream(config, SEED, one_stream=True))


def one_stream_json(config: ProblemConfig) -> Iterable[object]:
    return (json.dumps(record) for record in one_stream(config))


def own_streams(config: ProblemConfig) -> Iterable[object]:
    return (problem.published_record() for problem in stream(config, SEED))


def own_streams_json(config: ProblemConfig) -> Iterable[object]:
    return (json.dumps(record) for record in own_streams(config))


def own_streams_full_json(config: ProblemConfig) -> Iterable[object]:
    return (json.dumps(problem.record()) for problem in stream(config, SEED))


WAYS: dict[str, Way] = {
    "reference, one stream": reference,
    "one stream": one_stream,
    "one stream, as JSON": one_stream_json,
    "a stream for each problem": own_streams,
    "a stream for each problem, as JSON": own_streams_json,
    "the same, full records, as JSON": own_streams_full_json,
}


def seconds(way: Way, config: ProblemConfig, records: int) -> float:
    next(iter(way(config)))  # fills the caches
    made = iter(way(config))
    # From the very first record, because streams draw some problems ahead.
    start = time.process_time()
    for _ in islice(made, records):
        pass
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=2000, help="records of each way and round")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    configs = [ProblemConfig(unanswerable=unanswerable) for unanswerable in (True, False)]
    assert all((config.ans_depth, config.num_vars) == (8, 10) for config in configs)

    taken: dict[tuple[str, bool], list[float]] = {}
    for _ in range(options.rounds):
        for name, way in WAYS.items():
            for config in configs:
                spent = seconds(way, config, options.records)
                taken.setdefault((name, config.unanswerable), []).append(spent)
    speed = {key: options.records / statistics.median(spent) for key, spent in taken.items()}

    print(f"Python {sys.version.split()[0]}: records a second (times the reference)")
    print(f"{'':36}{'unanswerable':>18}{'answerable':>18}")
    for name in WAYS:
        cells = []
        for unanswerable in (True, False):
            found = speed[name, unanswerable]
            ratio = found / speed["reference, one stream", unanswerable]
            cells.append(f"{found:>10,.0f} ({ratio:4.1f})")
        print(f"{name:36}{cells[0]:>18}{cells[1]:>18}")


if __name__ == "__main__":
    main()
