"""From a configuration and a seed to problems and pairs, each named by its index in the stream."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from treecut_tasks.errors import TreecutError, checked_choice, shown
from treecut_tasks.problems.authors import draw_as_authors
from treecut_tasks.problems.blocks import (
    BLOCK,
    Block,
    PairKind,
    RandomWords,
    draw_names,
    draw_rest,
)
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.matched import draw_matched
from treecut_tasks.problems.members import Member, chunk_size
from treecut_tasks.problems.pairs import COUNTERPARTS, CounterpartKind, check_pair
from treecut_tasks.problems.problem import Pair, Problem
from treecut_tasks.problems.splits import WHOLE, Split

# Part of every key. A change of what the stream holds gets a new name, never a silent change.
_VERSION = "treecut-stream-2"
# Part of the seed of the choice of examples, and the name of the stream that they are taken from.
_SHOTS_VERSION = "treecut-shots-2"
_EXAMPLES = "examples"
# How often a repeated text is passed over before the configuration counts as exhausted. Problems that
# people evaluate practically never repeat; only tiny themes get here.
_MAX_REPEATS = 1000
# Problems that are drawn at once from the authors' stream.
_AHEAD = 1024


def check_seed(seed: int) -> int:
    """Return the seed if it is usable.

    Raises:
        TreecutError: not a whole number of 0 or more (Python's generator maps -s and s to one
            stream, so negative seeds are refused).
    """
    return _whole_number("seed", seed)


def _whole_number(name: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise TreecutError(f"{name} is {shown(value)}: it must be a whole number of 0 or more.")
    return value


@dataclass(frozen=True)
class Stream:
    """An endless series of problems, or of pairs, and everything that decides what is in it.

    Attributes:
        config: what is drawn; a theme counts by its content, not by its path.
        seed: a whole number of 0 or more.
        pairs: `none`, `full` or `matched`. The unanswerable members of full pairs are the problems
            that come with `none`; matched pairs have a stream of their own.
        split: which names may stand together; every split has a stream of its own.
        repeat: names streams that would otherwise be the same.
    """

    config: ProblemConfig
    seed: int
    pairs: PairKind = "none"
    split: Split = WHOLE
    repeat: int | str = 0

    def __post_init__(self) -> None:
        _check_config(self.config)
        check_seed(self.seed)
        if self.pairs != "none":
            check_pair(self.config, self.pairs)

    def words(self, block: int) -> RandomWords:
        """The random words of one block."""
        config, split = self.config, self.split
        bounds = None if split.is_whole else [split.hashes, [str(bound) for bound in split.items]]
        matched = self.pairs == "matched"
        return RandomWords(
            [_VERSION, config.identity, self.seed, matched, bounds, self.repeat], block
        )

    def block(self, number: int) -> Block:
        """Draw one block, `BLOCK` problems or pairs."""
        config, words = self.config, self.words(number)
        if self.pairs == "matched":
            return draw_matched(config, words, BLOCK, self.split)
        return draw_rest(config, words, draw_names(config, words, BLOCK, self.split))

    def at(self, index: int) -> Pair:
        """What has this index: the problem that is drawn, and its counterpart."""
        block, row = divmod(_whole_number("index", index), BLOCK)
        part, row = divmod(row, chunk_size(self.config))
        return Pair(*(Problem(member, row) for member in _members(self, block, part)))


# A block of matched pairs takes up to a tenth of a second.
_kept_block = lru_cache(maxsize=8)(Stream.block)


@lru_cache(maxsize=64)
def _members(stream: Stream, block: int, part: int) -> tuple[Member, Member]:
    """Rows of a stream that are written at once, one of the parts of a block, and their counterparts."""
    size = chunk_size(stream.config)
    drawn = Member.of(_kept_block(stream, block).rows(part * size, (part + 1) * size))
    return drawn, drawn.counterpart(matched=stream.pairs == "matched")


def problem_at(config: ProblemConfig, seed: int, index: int, split: Split = WHOLE) -> Problem:
    """Problem `index` of the stream of (config, seed), made without those of other blocks.

    Args:
        config: the configuration.
        seed: a whole number of 0 or more.
        index: position in the stream, from 0.
        split: which part of all problems the stream is of.

    Raises:
        TreecutError: a seed or an index below 0, or a theme with too few names for the split.
    """
    return Stream(config, seed, split=split).at(index).unanswerable


def pair_at(
    config: ProblemConfig,
    seed: int,
    index: int,
    counterpart: CounterpartKind = "full",
    split: Split = WHOLE,
) -> Pair:
    """Pair `index` of the stream of (config, seed); see `problem_at` for the arguments.

    The unanswerable member of a full pair is `problem_at` with the same arguments. Matched pairs
    have a stream of their own.

    Raises:
        TreecutError: a value that is not allowed, or a configuration without such pairs.
    """
    checked_choice("counterpart", counterpart, COUNTERPARTS)
    return Stream(config, seed, counterpart, split).at(index)


def stream(config: ProblemConfig, seed: int, one_stream: bool = False) -> Iterator[Problem]:
    """The endless stream of problems of (config, seed).

    Args:
        config: the configuration.
        seed: a whole number of 0 or more.
        one_stream: draw as the authors did, from a single `random.Random(seed)`.

    Raises:
        TreecutError: a seed below 0.
    """
    if one_stream:
        members = authors_stream(config, seed)
        return (Problem(member, row) for member in members for row in range(len(member.block)))
    named = Stream(config, seed)
    return (named.at(index).unanswerable for index in count())


def authors_stream(config: ProblemConfig, seed: int) -> Iterator[Member]:
    """The problems of `stream` with `one_stream`, some at a time."""
    _check_config(config)
    rng, size = random.Random(check_seed(seed)), min(_AHEAD, chunk_size(config))
    return (Member.of(draw_as_authors(config, rng, size)) for _ in count())


def generate(config: ProblemConfig, rng: random.Random) -> Problem:
    """Draw one problem as the authors' code does.

    One `rng` passed to a sequence of calls gives the authors' stream, `stream` with `one_stream`.

    Args:
        config: what to draw.
        rng: the only source of randomness; it is advanced.

    Raises:
        TreecutError: something else than a configuration and a `random.Random`.
    """
    _check_config(config)
    return Problem(Member.of(draw_as_authors(config, _checked_rng(rng), 1)), 0)


def generate_pair(
    config: ProblemConfig, rng: random.Random, counterpart: CounterpartKind = "full"
) -> Pair:
    """Draw an unanswerable problem and its answerable counterpart.

    With `full` the unanswerable problem is the one that `generate` draws, and its counterpart keeps
    the cut sentence. With `matched` both have equally many sentences; see
    `treecut_tasks.problems.matched` for what keeps them from being told apart.

    Args:
        config: what to draw; an unanswerable configuration.
        rng: the only source of randomness; it is advanced.
        counterpart: `full` or `matched`.

    Raises:
        TreecutError: as `generate`; an answerable configuration, an unknown kind of counterpart, or
            a configuration that has no matched counterpart.
    """
    _check_config(config)
    check_pair(config, counterpart)
    if counterpart == "full":
        problem = generate(config, rng)
        return Pair(problem, problem.counterpart())
    words = Stream(config, _checked_rng(rng).getrandbits(128), counterpart, repeat="one").words(0)
    drawn = Member.of(draw_matched(config, words, 1, WHOLE))
    return Pair(Problem(drawn, 0), Problem(drawn.counterpart(matched=True), 0))


def _check_config(config: object) -> None:
    if not isinstance(config, ProblemConfig):
        raise TreecutError(
            f"config is {shown(config)}: it must be a ProblemConfig, such as ProblemConfig(ans_depth=4)."
        )


def _checked_rng(rng: object) -> random.Random:
    if not isinstance(rng, random.Random):
        raise TreecutError(
            f"rng is {shown(rng)}: it must be a random.Random, such as random.Random(7); a problem that "
            "a seed names comes from problem_at(config, seed, index)."
        )
    return rng


def shots_rng(config: ProblemConfig, seed: int, key: str) -> random.Random:
    """The generator that chooses the few-shot examples for the problem, or the problems, of a key."""
    name = json.dumps([_SHOTS_VERSION, config.identity, check_seed(seed), key], sort_keys=True)
    return random.Random(int.from_bytes(hashlib.sha256(name.encode("ascii")).digest(), "big"))


def example_pairs(
    config: ProblemConfig,
    seed: int,
    counterpart: CounterpartKind,
    rng: random.Random,
    split: Split = WHOLE,
) -> Iterator[Pair]:
    """Pairs to take few-shot examples from, without end, each one of `BLOCK` of a stream of their own."""
    examples = Stream(config, seed, counterpart, split, _EXAMPLES)
    while True:
        yield examples.at(rng.getrandbits(BLOCK.bit_length() - 1))


@dataclass(frozen=True)
class Drawn:
    """A pair and where it comes from: `pair_at(config, seed, index, …)` makes it again."""

    pair: Pair
    index: int


def draw_data_set(
    configs: Sequence[ProblemConfig],
    num_problems: int,
    seed: int,
    counterpart: CounterpartKind = "full",
    split: Split = WHOLE,
) -> Iterator[Drawn]:
    """Draw `num_problems` pairs of each configuration, no two problems with the same text.

    The first pair of each configuration comes first, then the second of each, and so on, so that every
    prefix is balanced. They are the pairs of the streams; one with a repeated text is passed over.

    Args:
        configs: unanswerable configurations.
        num_problems: pairs of each configuration, 1 or more.
        seed: a whole number of 0 or more.
        counterpart: kind of the answerable counterparts.
        split: which part of all problems they are of; see `named_split`.

    Raises:
        TreecutError: num_problems below 1, a configuration that cannot give so many different
            pairs, or one that has no such counterparts.
    """
    if type(num_problems) is not int or num_problems < 1:
        raise TreecutError(
            f"The number of problems is {shown(num_problems)}: it must be a whole number of 1 or more."
        )
    checked_choice("counterpart", counterpart, COUNTERPARTS)
    return _different(
        [Stream(config, seed, counterpart, split) for config in configs], num_problems
    )


def _different(streams: Sequence[Stream], num_problems: int) -> Iterator[Drawn]:
    seen: set[str] = set()
    next_index = [0] * len(streams)
    for number in range(num_problems):
        for place, named in enumerate(streams):
            first = next_index[place]
            for index in range(first, first + _MAX_REPEATS):
                pair = named.at(index)
                texts = {pair.unanswerable.text, pair.answerable.text}
                if texts.isdisjoint(seen):
                    break
            else:
                parameters = named.config.as_dict().items()
                raise TreecutError(
                    f"{num_problems} different problems were asked for, but the configuration "
                    f"{', '.join(f'{key}={value}' for key, value in parameters)} gave only {number} "
                    f"({_MAX_REPEATS} repeats in a row): ask for fewer problems, more variables or a "
                    "larger theme."
                )
            seen |= texts
            next_index[place] = index + 1
            yield Drawn(pair, index)
