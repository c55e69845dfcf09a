"""From rows of a block to written problems: texts, answers, solutions and ids of one member of each row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring_ascii as quoted

import numpy as np
import pyarrow as pa

from treecut_tasks.answers import UNKNOWN
from treecut_tasks.problems.authors import with_cuts
from treecut_tasks.problems.blocks import Block, Ints
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.texts import Sentences, Words, words_of

# Rows that are written at once: few enough for a processor's cache, enough for NumPy.
_CHUNK = 1024
# Variables in all of them, which bounds the memory for large problems.
_CHUNK_VARIABLES = 16 * _CHUNK

_ID_DIGITS = 16


def chunk_size(config: ProblemConfig) -> int:
    """How many rows of a configuration are written at once."""
    return min(_CHUNK, max(1, _CHUNK_VARIABLES // config.vars))


@dataclass(frozen=True, eq=False)
class Member:
    """One problem of every row: the one that was drawn, or its answerable counterpart.

    Everything is written for all rows at once when it is first asked for.

    Attributes:
        block: the rows.
        config: the configuration of these problems.
        lacking: child of the edge whose sentence each row lacks; None if they lack none.
    """

    block: Block
    config: ProblemConfig
    lacking: Ints | None

    @classmethod
    def of(cls, block: Block) -> Member:
        """The problems that were drawn."""
        cut_into = block.config.cut_into
        lacking = None if cut_into is None else np.full(len(block), cut_into)
        return cls(block, block.config, lacking)

    def counterpart(self, matched: bool = False) -> Member:
        """The answerable counterparts of unanswerable problems; matched ones lack the spare sentence."""
        block = self.whole
        return Member(block, self.config.answerable(), block.spare if matched else None)

    def rows(self, start: int, stop: int) -> Member:
        """Some of the rows."""
        lacking = None if self.lacking is None else self.lacking[start:stop]
        return Member(self.block.rows(start, stop), self.config, lacking)

    @cached_property
    def whole(self) -> Block:
        """The rows with the formula and place of the cut sentence."""
        return with_cuts(self.block)

    @cached_property
    def order(self) -> Ints:
        """Children of the edges of the sentences, in the order of the text."""
        order = self.block.order
        if self.lacking is None:
            return order
        rest: Ints = order[order != self.lacking[:, None]]
        return rest.reshape(len(order), -1)

    @cached_property
    def positions(self) -> Ints:
        """Where the sentence that is lacking stands in the full problem."""
        assert self.lacking is not None
        positions: Ints = np.argmax(self.whole.order == self.lacking[:, None], axis=1)
        return positions

    @cached_property
    def _words(self) -> Words:
        return words_of(self.config)

    @cached_property
    def _sentences(self) -> Sentences:
        return self._words.sentences(self.block)

    @cached_property
    def texts(self) -> pa.StringArray:
        """The problems as they are put to a model."""
        return self._words.write(self._words.text(self.block, self._sentences, self.order))

    @cached_property
    def answers(self) -> pa.StringArray:
        """The prices in digits, or `unknown`."""
        if self.config.unanswerable:
            return pa.repeat(UNKNOWN, len(self.block))
        return self._words.write(self._words.answers(self.block))

    @cached_property
    def solutions(self) -> pa.StringArray:
        """The worked solutions, `proof` in the authors' data."""
        words = self._words
        write = words.explained_cuts if self.config.unanswerable else words.solved_paths
        return words.write(write(self.block, self._sentences))

    @cached_property
    def ids(self) -> pa.StringArray:
        """What `content_id` gives for each problem."""
        rows = zip(self.texts.to_pylist(), self.answers.to_pylist(), strict=True)
        return pa.array([content_id(text, answer) for text, answer in rows])

    def published_lines(self) -> Iterator[str]:
        """The rows as lines of the authors' files."""
        texts = (each.to_pylist() for each in (self.texts, self.answers, self.solutions))
        return published_lines(*texts)

    @cached_property
    def sentence_texts(self) -> pa.StringArray:
        """The sentences of all rows, one row after the other."""
        return self._sentence_texts(self.block, self.order)

    @cached_property
    def lacking_texts(self) -> pa.StringArray | None:
        """The sentence that each row lacks; None if they lack none."""
        return (
            None
            if self.lacking is None
            else self._sentence_texts(self.whole, self.lacking[:, None])
        )

    def _sentence_texts(self, block: Block, children: Ints) -> pa.StringArray:
        words = self._words
        sentences = self._sentences if block is self.block else words.sentences(block)
        return words.write(words.sentence_texts(sentences, children, ".").reshape(-1, 4))


def pair_ids(unanswerable: Member, answerable: Member) -> pa.StringArray:
    """What `Pair.id` is for each row."""
    ids = zip(unanswerable.ids.to_pylist(), answerable.ids.to_pylist(), strict=True)
    return pa.array([short_hash(f"{one}\n{two}") for one, two in ids])


def published_lines(
    problems: Iterable[str], answers: Iterable[str], solutions: Iterable[str]
) -> Iterator[str]:
    """Problems as lines of the authors' files: what `json.dumps` makes of them, and a newline."""
    for problem, answer, solution in zip(problems, answers, solutions, strict=True):
        # Written out, because `json.dumps` takes twice the time for a dictionary.
        yield f'{{"problem": {quoted(problem)}, "answer": "{answer}", "proof": {quoted(solution)}}}\n'


def content_id(text: str, answer: str) -> str:
    """Identifier of a problem from what distinguishes it, never from its position in a file.

    Args:
        text: the whole problem text.
        answer: digits or `unknown`.

    Returns:
        The first 16 hexadecimal digits of a SHA-256.
    """
    return short_hash(f"{text}\n{answer}")


def short_hash(text: str) -> str:
    """The first 16 hexadecimal digits of a SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
