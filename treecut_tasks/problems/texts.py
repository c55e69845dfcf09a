"""From rows of a block to problems and worked solutions.

The sentences are those of the authors' data (paper, Appendix A), the worked solutions those of the
paper's Figure 1. All texts of a configuration are made of some thousand pieces: a name in its forms,
an amount of money, ` costs … more than `. A batch of texts is a table of piece numbers, a line for
each text, and one call of Arrow's `take` writes them all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treecut_tasks.problems.blocks import MAX_COEFFICIENT, Block, Ints, per_tree
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.names import names_of
from treecut_tasks.problems.tree import subtree
from treecut_tasks.themes import Item, Theme

Codes = NDArray[np.int32]
"""Piece numbers; the last axis is the order in which the pieces are written."""

# The piece without characters; it fills up texts of unequal numbers of pieces.
_EMPTY = 0

# A subject is written in so many ways: with each number of pieces, alone and after `The price of`.
_SUBJECT_FORMS = 2 * MAX_COEFFICIENT
# Middles that hold no amount, then five for each amount.
_SUM, _EQUAL, _FIRST_AMOUNT, _AMOUNT_FORMS = 0, 1, 2, 5
_STATED = 4


@dataclass(frozen=True)
class Sentences:
    """The sentences of all edges, each as four pieces, without the first number of their groups.

    The shape of all is [rows, variables]; column i - 1 is the edge into x_i.

    Attributes:
        subject: what the sentence begins with.
        middle: from there to the second operand.
        other: the second operand; 0 where there is none.
        tail: what follows it: 0 for nothing, else 1 and the number of the amount.
    """

    subject: Codes
    middle: Codes
    other: Codes
    tail: Codes


def words_of(config: ProblemConfig) -> Words:
    """The words of a configuration; all that share its theme and kind of names share them."""
    return _words_of(config.resolved_theme, config.composite_name)


@lru_cache(maxsize=32)
def _words_of(theme: Theme, composite_name: bool) -> Words:
    return Words(theme, composite_name)


class Words:
    """The pieces of a theme, and how problems are composed of them.

    Pieces are added in groups, which are numbered from their first piece, when they are first asked for.
    """

    def __init__(self, theme: Theme, composite_name: bool) -> None:
        """Prepare the pieces."""
        self._pieces = [""]
        self._firsts: dict[Hashable, int] = {}
        self._table: pa.StringArray | None = None
        self._names, self._step = names_of(theme, composite_name), theme.value_step
        # Amounts are multiples of the step; none is 0.
        highest = 2 * MAX_COEFFICIENT * theme.value_max
        self._money = ["", *map(theme.money, range(self._step, highest + 1, self._step))]
        # `a burger at …`, `2 burgers at …`, `3 burgers at …` of every name.
        quantities = [
            quantity
            for entity in (theme.entities if composite_name else (None,))
            for item in theme.items
            for quantity in _quantities(item, "" if entity is None else f" at {entity}")
        ]
        self._starts = self._group(
            "starts", _subjects(map(_capitalised, quantities), quantities, "T")
        )
        self._clauses = self._group("clauses", _subjects(quantities, quantities, "t"))
        self._others = self._group("others", quantities)
        self._middles = self._group("middles", self._middle_texts())
        # It says `a` even before a vowel, as the authors' data does.
        self._questions = self._labels("Question: how much does a ", " cost?")

    def _group(self, key: Hashable, texts: Iterable[str]) -> int:
        """The number of the first piece of a group, which is added if no group has this key yet."""
        if key not in self._firsts:
            self._firsts[key] = len(self._pieces)
            self._pieces += texts
            self._table = None
        return self._firsts[key]

    def _piece(self, text: str) -> int:
        return self._group(("piece", text), [text])

    def write(self, codes: Codes) -> pa.StringArray:
        """The texts that a table of piece numbers stands for, a line for each."""
        if self._table is None:
            self._table = pa.array(self._pieces, pa.string())
        texts, pieces = codes.shape
        written = self._table.take(pa.array(np.ascontiguousarray(codes).reshape(-1)))
        _, offsets, data = written.buffers()
        ends = np.frombuffer(offsets, dtype=np.int32)[: texts * pieces + 1 : pieces]
        return pa.StringArray.from_buffers(texts, pa.py_buffer(np.ascontiguousarray(ends)), data)

    def _middle_texts(self) -> Iterable[str]:
        yield " and "
        yield " is the same as that of "
        for money in self._money:
            yield f" costs {money} more than "
            yield f" cost {money} more than "
            yield f" costs {money} less than "
            yield f" cost {money} less than "
            yield f" costs {money}"

    def _tails(self, end: str) -> int:
        """The group of tails that close with some text."""
        return self._group(("tails", end), [end, *(f" cost {money}{end}" for money in self._money)])

    def _labels(self, before: str, after: str) -> int:
        return self._group(
            ("labels", before, after), [f"{before}{name}{after}" for name in self._names]
        )

    def _prices(self, before: str, after: str) -> int:
        return self._group(
            ("prices", before, after), [f"{before}{money}{after}" for money in self._money]
        )

    def sentences(self, block: Block) -> Sentences:
        """Word the formulas of all edges."""
        parents, a, b, names = block.parents, block.a, block.b, block.names
        at_root = parents == 0
        # The root has no name; whatever is taken for it is not used.
        parent_names = np.take_along_axis(names, np.maximum(parents - 1, 0), axis=1)
        constant = block.constants
        amount = np.abs(constant) // self._step
        is_sum = a * b > 0
        is_equal = ~is_sum & (constant == 0)
        # The subject of a difference is the operand with the positive coefficient.
        parent_first = is_sum | (a > 0)
        subject = np.where(parent_first, parent_names, names)
        other = np.where(parent_first, names, parent_names)
        size_a, size_b = np.abs(a), np.abs(b)
        times = np.where(parent_first, size_a, size_b)
        other_times = np.where(parent_first, size_b, size_a)
        form = np.where(at_root, _STATED, 2 * (constant < 0) + (times > 1))
        middle = _FIRST_AMOUNT + _AMOUNT_FORMS * amount + form
        middle = np.where(is_sum, _SUM, np.where(is_equal, _EQUAL, middle))
        return Sentences(
            subject=_codes(subject * _SUBJECT_FORMS + MAX_COEFFICIENT * is_equal + times - 1),
            middle=_codes(middle + self._middles),
            other=_codes(
                np.where(at_root, _EMPTY, other * MAX_COEFFICIENT + other_times - 1 + self._others)
            ),
            tail=_codes(np.where(is_sum, amount + 1, 0)),
        )

    def sentence_texts(self, sentences: Sentences, children: Ints, end: str) -> Codes:
        """The sentences of some edges (by their children) in a text, each four pieces."""
        return self._worded(sentences, children, self._starts, self._tails(end))

    def _worded(self, sentences: Sentences, children: Ints, subjects: int, tails: int) -> Codes:
        at = children - 1 + np.arange(len(children))[:, None] * sentences.subject.shape[1]
        codes = np.empty((*children.shape, 4), dtype=np.int32)
        np.add(sentences.subject.reshape(-1)[at], subjects, out=codes[..., 0])
        codes[..., 1] = sentences.middle.reshape(-1)[at]
        codes[..., 2] = sentences.other.reshape(-1)[at]
        np.add(sentences.tail.reshape(-1)[at], tails, out=codes[..., 3])
        return codes

    def text(self, block: Block, sentences: Sentences, order: Ints) -> Codes:
        """The problems as they are put to a model: sentences in their order and the question."""
        conditions = self.sentence_texts(sentences, order, ". ")
        return _beside(conditions, self._asked(block) + self._questions)

    def _asked(self, block: Block) -> Ints:
        return block.names[:, block.config.ans_depth - 1]

    def answers(self, block: Block) -> Codes:
        """The prices that are asked for, in digits."""
        theme = block.config.resolved_theme
        values = block.values[:, block.config.ans_depth - 1]
        first = self._group("answers", map(str, theme.prices))
        return _beside((values - theme.value_min) // theme.value_step + first)

    def solved_paths(self, block: Block, sentences: Sentences) -> Codes:
        """The solutions of answerable problems: a step for each edge of the path, x_1 … x_ans_depth."""
        depth, piece = block.config.ans_depth, self._piece
        codes = np.empty((len(block), depth, 7), dtype=np.int32)
        codes[:, 0, 0] = piece("It is given as a fact that ")
        codes[:, 1:, 0] = piece(" Combine with the fact that ")
        codes[..., 1] = sentences.subject[:, :depth] + self._clauses
        codes[..., 2] = sentences.middle[:, :depth]
        codes[..., 3] = sentences.other[:, :depth]
        codes[:, 0, 4] = piece(".")
        codes[:, 1:, 4] = sentences.tail[:, 1:depth] + self._tails(", we get ")
        codes[:, 0, 5:] = _EMPTY
        codes[:, 1:, 5] = block.names[:, 1:depth] * MAX_COEFFICIENT + self._others
        codes[:, 1:, 6] = block.values[:, 1:depth] // self._step + self._prices(" costs ", ".")
        return _beside(codes)

    def explained_cuts(self, block: Block, sentences: Sentences) -> Codes:
        """Why unanswerable problems have no answer: the detached subtree has too few formulas.

        Rows with smaller subtrees are filled up with nothing.
        """
        rows, piece = len(block), self._piece
        cut_into = block.config.cut_into or 0
        detached = per_tree(block.config, block.parents, partial(subtree, top=cut_into))
        size = np.count_nonzero(detached, axis=1)
        at = np.maximum(detached - 1, 0)
        names = np.take_along_axis(block.names, at, axis=1)
        labels = np.where(detached > 0, names + self._labels(", ", ""), _EMPTY)
        labels[:, 0] = names[:, 0] + self._labels("", "")
        facts = self._worded(sentences, at[:, 1:] + 1, self._clauses, self._tails(", "))
        # Nothing follows the last one.
        facts[np.arange(rows), size - 2, 3] += self._tails("") - self._tails(", ")
        facts[detached[:, 1:] == 0] = _EMPTY
        most = block.config.vars
        counts = self._group(("counts", most), map(_counted, range(most + 1)))
        return _beside(
            np.full(rows, piece("All we know about the prices of ")),
            labels,
            np.full(rows, piece(" are: ")),
            facts,
            size + counts,
            self._asked(block) + self._labels("", "."),
        )


def _quantities(item: Item, place: str) -> Iterator[str]:
    article = "an" if item.name[0].lower() in "aeiou" else "a"
    yield f"{article} {item.name}{place}"
    yield from (f"{n} {item.plural}{place}" for n in range(2, MAX_COEFFICIENT + 1))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _subjects(alone: Iterable[str], quantities: Sequence[str], the: str) -> Iterator[str]:
    """All numbers of pieces of each name alone, then after `The price of`; name by name."""
    alone = list(alone)
    for first in range(0, len(quantities), MAX_COEFFICIENT):
        of_name = slice(first, first + MAX_COEFFICIENT)
        yield from alone[of_name]
        yield from (f"{the}he price of {quantity}" for quantity in quantities[of_name])


def _counted(num_variables: int) -> str:
    num_formulas = num_variables - 1
    only = "1 linear formula" if num_formulas == 1 else f"{num_formulas} linear formulas"
    return f".\nThere are {num_variables} variables but only {only}, so we cannot calculate the price of "


def _beside(*parts: NDArray[Any]) -> Codes:
    """Put tables of piece numbers side by side, each with a line of its own for each row."""
    lines = [part.reshape(len(part), -1) for part in parts]
    return np.concatenate(lines, axis=1, dtype=np.int32, casting="same_kind")


def _codes(numbers: Ints) -> Codes:
    return numbers.astype(np.int32)
