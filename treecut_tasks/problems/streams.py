"""Where the randomness of a run comes from: streams of problems that are named by config and seed."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.generator import generate, generate_endlessly
from treecut_tasks.problems.pairs import CounterpartKind, Pair, generate_pair
from treecut_tasks.problems.problem import Problem

# Part of every derived seed. A change of what a stream holds gets a new name, never a silent change.
_STREAM_VERSION = "treecut-stream-1"
_SHOTS_VERSION = "treecut-shots-1"

# Problems drawn ahead of the first that is taken: enough to gain most, few enough to start at once.
_BATCH = 64


def check_seed(seed: int) -> int:
    """Return the seed if it is usable.

    Raises:
        TreecutError: not a whole number of 0 or more (Python's generator maps -s and s to one
            stream, so negative seeds are refused).
    """
    if type(seed) is not int or seed < 0:
        raise TreecutError(f"seed is {seed!r}: it must be a whole number of 0 or more.")
    return seed


def problem_rng(config: ProblemConfig, seed: int, index: int, attempt: int = 0) -> random.Random:
    """The generator of problem `index` of (config, seed), independent of all others.

    Its seed is a SHA-256 over everything that names the problem, so that neighbouring seeds,
    indices or configurations have unrelated streams. A theme counts by its content, not its path.

    Args:
        config: the configuration.
        seed: a whole number of 0 or more.
        index: position in the stream, from 0.
        attempt: 0, or how often a repeated text was replaced at this index.
    """
    return random.Random(_problem_seed(config, seed, index, attempt))


def shots_rng(config: ProblemConfig, seed: int, key: str) -> random.Random:
    """The generator of the few-shot examples for one problem, unrelated to that of any problem.

    Args:
        config: the configuration of the examples.
        seed: a whole number of 0 or more.
        key: id of the problem that they are for; the same for all problems that share examples.
    """
    return random.Random(_derived_seed(_SHOTS_VERSION, config, seed, json.dumps(key)))


def _problem_seed(config: ProblemConfig, seed: int, index: int, attempt: int = 0) -> int:
    return _derived_seed(_STREAM_VERSION, config, seed, f"{index},{attempt}")


def _derived_seed(version: str, config: ProblemConfig, seed: int, rest: str) -> int:
    """SHA-256 of a JSON list: version, config, seed, and `rest`, which is JSON already."""
    name = f"[{_stream_name(version, config, check_seed(seed))},{rest}]"
    return int.from_bytes(hashlib.sha256(name.encode("ascii")).digest(), "big")


@lru_cache(maxsize=256)
def _stream_name(version: str, config: ProblemConfig, seed: int) -> str:
    """The part of the JSON list that is the same for all problems of a stream."""
    parameters = config.as_dict() | {"theme": config.resolved_theme.digest}
    named = json.dumps([version, parameters, seed], sort_keys=True, separators=(",", ":"))
    return named[1:-1]


def problem_at(config: ProblemConfig, seed: int, index: int, attempt: int = 0) -> Problem:
    """Problem `index` of the stream of (config, seed), made without any of the others."""
    return generate(config, problem_rng(config, seed, index, attempt))


def pair_at(
    config: ProblemConfig,
    seed: int,
    index: int,
    attempt: int = 0,
    counterpart: CounterpartKind = "full",
) -> Pair:
    """Pair `index` of the stream of (config, seed), made without any of the others.

    The unanswerable member of a full pair is `problem_at` with the same arguments.
    """
    return generate_pair(config, problem_rng(config, seed, index, attempt), counterpart)


def stream(config: ProblemConfig, seed: int, one_stream: bool = False) -> Iterator[Problem]:
    """The endless stream of problems of (config, seed).

    Args:
        config: the configuration.
        seed: a whole number of 0 or more.
        one_stream: draw all problems from a single `random.Random(seed)`, as the authors did,
            instead of giving each problem a generator of its own.
    """
    if one_stream:
        return _ahead(generate_endlessly(config, random.Random(check_seed(seed))))
    return _ahead(_own_streams(config, seed))


def _own_streams(config: ProblemConfig, seed: int) -> Iterator[Problem]:
    """`problem_at` of every index; one generator is seeded anew, which is faster than a new one."""
    rng = random.Random(0)
    problems = generate_endlessly(config, rng)
    for index in count():
        rng.seed(_problem_seed(config, seed, index))
        yield next(problems)


def _ahead(problems: Iterator[Problem]) -> Iterator[Problem]:
    """The same problems, drawn some time before they are asked for.

    Who takes a problem mostly writes it out at once, and a processor that turns from drawing to
    writing and back for every problem predicts branches badly: it needs a fifth more time.
    """
    while batch := list(islice(problems, _BATCH)):
        yield from batch


def pairs_stream(
    config: ProblemConfig, seed: int, counterpart: CounterpartKind, one_stream: bool = False
) -> Iterator[Pair]:
    """The endless stream of pairs of (config, seed); see `stream`."""
    if one_stream:
        rng = random.Random(check_seed(seed))
        return (generate_pair(config, rng, counterpart) for _ in count())
    return (pair_at(config, seed, index, counterpart=counterpart) for index in count())
