"""Problems and worked solutions as piece numbers (generator.md, "English", "Worked solutions").

The plain way to word one problem is `treecut_tasks.problems.wording` and `solutions`; here the same
is done for many problems at once, and tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.bulk.draws import Draws, Ints, all_phrases
from treecut_tasks.bulk.pieces import EMPTY, Codes, Pieces
from treecut_tasks.problems import UNKNOWN, ProblemConfig
from treecut_tasks.problems.formulas import MAX_COEFFICIENT
from treecut_tasks.problems.wording import money_words, question

_TIMES = range(1, MAX_COEFFICIENT + 1)
_SAME = "he price of "
# A subject is written in so many ways: with each number of pieces, alone and after `The price of`.
_SUBJECT_FORMS = 2 * MAX_COEFFICIENT
# Middles that hold no amount, then five for each amount.
_SUM, _EQUAL, _FIRST_AMOUNT, _AMOUNT_FORMS = 0, 1, 2, 5
_STATED = 4


@dataclass(frozen=True)
class Member:
    """One problem of every row: the unanswerable one, or the answerable one.

    Attributes:
        draws: the rows.
        config: the configuration of these problems.
        cut: child of the edge that is cut, for each row; None if none is.
        spare: child of the edge whose sentence a matched counterpart lacks; None in all others.
    """

    draws: Draws
    config: ProblemConfig
    cut: Ints | None
    spare: Ints | None

    @property
    def lacking(self) -> Ints | None:
        """Child of the edge whose sentence each row lacks; None if they lack none."""
        return self.spare if self.cut is None else self.cut

    @cached_property
    def order(self) -> Ints:
        """Children of the edges of the sentences, in the order of the text."""
        order = self.draws.order
        if self.lacking is None:
            return order
        rest: Ints = order[order != self.lacking[:, None]]
        return rest.reshape(len(order), -1)

    @property
    def positions(self) -> Ints:
        """Where the sentence that is lacking stands in the full problem."""
        assert self.lacking is not None
        positions: Ints = np.argmax(self.draws.order == self.lacking[:, None], axis=1)
        return positions


def members(draws: Draws, paired: bool) -> list[Member]:
    """The problems of each row: of a pair both, the unanswerable one first.

    Args:
        draws: the rows.
        paired: whether each row gives both members, or the one that its configuration says.
    """
    config, cut_into = draws.config, draws.config.cut_into
    if cut_into is None:
        return [Member(draws, config, None, None)]
    unanswerable = Member(draws, config, np.full(len(draws), cut_into), None)
    if not paired:
        return [unanswerable]
    return [unanswerable, Member(draws, config.answerable(), None, draws.spare)]


@dataclass(frozen=True)
class Sentences:
    """The sentences of all edges, each as four pieces, without the first number of their groups.

    The shape of all is [rows, variables]; column i - 1 is the edge into x_i.

    Attributes:
        subject: what the sentence begins with.
        middle: from there to the second operand.
        other: the second operand; EMPTY where there is none.
        tail: what follows it: 0 for nothing, else 1 and the number of the amount.
    """

    subject: Codes
    middle: Codes
    other: Codes
    tail: Codes


class Words:
    """The pieces of one configuration, and how problems are composed of them.

    Attributes:
        pieces: the table that holds them.
    """

    def __init__(self, config: ProblemConfig, pieces: Pieces) -> None:
        """Prepare the pieces.

        Args:
            config: a configuration; all that share its theme and kind of names share its pieces.
            pieces: the table that gets them.
        """
        theme = config.resolved_theme
        self.pieces = pieces
        self._names = all_phrases(config)
        self._step = theme.value_step
        # Amounts are multiples of the step; none is 0.
        self._money = ["", *money_words(theme).amount.values()]
        self._starts = pieces.group("starts", self._subjects(capital=True))
        self._clauses = pieces.group("clauses", self._subjects(capital=False))
        self._others = pieces.group(
            "others", [name.quantity[times] for name in self._names for times in _TIMES]
        )
        self._middles = pieces.group("middles", self._middle_texts())
        self._questions = pieces.group("questions", map(question, self._names))

    def _subjects(self, capital: bool) -> Iterable[str]:
        for name in self._names:
            yield from (name.start if capital else name.quantity)[1:]
            same = ("T" if capital else "t") + _SAME
            yield from (same + quantity for quantity in name.quantity[1:])

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
        return self.pieces.group(
            ("tails", end), [end, *(f" cost {money}{end}" for money in self._money)]
        )

    def _labels(self, before: str, after: str) -> int:
        return self.pieces.group(
            ("labels", before, after), [f"{before}{name.label}{after}" for name in self._names]
        )

    def _prices(self, before: str, after: str) -> int:
        return self.pieces.group(
            ("prices", before, after), [f"{before}{money}{after}" for money in self._money]
        )

    def sentences(self, draws: Draws) -> Sentences:
        """Word the formulas of all edges; see `wording.word_formulas`."""
        parents, a, b = draws.parents, draws.a, draws.b
        names = draws.phrases
        at_root = parents == 0
        # The root has no name; whatever is taken for it is not used.
        parent_names = np.take_along_axis(names, np.maximum(parents - 1, 0), axis=1)
        constant = draws.constants
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
                np.where(at_root, EMPTY, other * MAX_COEFFICIENT + other_times - 1 + self._others)
            ),
            tail=_codes(np.where(is_sum, amount + 1, 0)),
        )

    def sentence_texts(self, sentences: Sentences, children: Ints, end: str) -> Codes:
        """Sentences as they stand in a text.

        Args:
            sentences: those of all edges.
            children: which of them, by the child of the edge; of shape [rows, k].
            end: what follows each.

        Returns:
            Piece numbers, of shape [rows, k, 4].
        """
        return self._worded(sentences, children, self._starts, self._tails(end))

    def _worded(self, sentences: Sentences, children: Ints, subjects: int, tails: int) -> Codes:
        at = children - 1 + np.arange(len(children))[:, None] * sentences.subject.shape[1]
        codes = np.empty((*children.shape, 4), dtype=np.int32)
        np.add(sentences.subject.reshape(-1)[at], subjects, out=codes[..., 0])
        codes[..., 1] = sentences.middle.reshape(-1)[at]
        codes[..., 2] = sentences.other.reshape(-1)[at]
        np.add(sentences.tail.reshape(-1)[at], tails, out=codes[..., 3])
        return codes

    def text(self, member: Member, sentences: Sentences) -> Codes:
        """The problems as they are put to a model: sentences in their order and the question."""
        conditions = self.sentence_texts(sentences, member.order, ". ")
        asked = member.draws.phrases[:, member.draws.config.ans_depth - 1]
        return beside([flat(conditions), asked + self._questions])

    def answer(self, member: Member) -> Codes:
        """The answers: digits or `unknown`."""
        values = member.draws.values[:, member.draws.config.ans_depth - 1]
        if member.config.unanswerable:
            return np.full((len(values), 1), self.pieces.piece(UNKNOWN), dtype=np.int32)
        theme = member.draws.config.resolved_theme
        prices = range(theme.value_min, theme.value_max + 1, theme.value_step)
        first = self.pieces.group("answers", map(str, prices))
        return beside([(values - theme.value_min) // theme.value_step + first])

    def solution(self, member: Member, sentences: Sentences) -> Codes:
        """The worked solutions."""
        if member.config.unanswerable:
            return self._explained_cuts(member.draws, sentences)
        return self._solved_paths(member.draws, sentences)

    def _solved_paths(self, draws: Draws, sentences: Sentences) -> Codes:
        """See `solutions.solve_path`: the path is x_1 … x_ans_depth, the first columns."""
        depth, piece = draws.config.ans_depth, self.pieces.piece
        codes = np.empty((len(draws), depth, 7), dtype=np.int32)
        codes[:, 0, 0] = piece("It is given as a fact that ")
        codes[:, 1:, 0] = piece(" Combine with the fact that ")
        codes[..., 1] = sentences.subject[:, :depth] + self._clauses
        codes[..., 2] = sentences.middle[:, :depth]
        codes[..., 3] = sentences.other[:, :depth]
        codes[:, 0, 4] = piece(".")
        codes[:, 1:, 4] = sentences.tail[:, 1:depth] + self._tails(", we get ")
        codes[:, 0, 5:] = EMPTY
        codes[:, 1:, 5] = draws.phrases[:, 1:depth] * MAX_COEFFICIENT + self._others
        codes[:, 1:, 6] = draws.values[:, 1:depth] // self._step + self._prices(" costs ", ".")
        return flat(codes)

    def _explained_cuts(self, draws: Draws, sentences: Sentences) -> Codes:
        """See `solutions.explain_cut`; rows with smaller subtrees are filled up with nothing."""
        rows, piece = len(draws), self.pieces.piece
        detached = draws.shapes.detached[draws.trees]
        size = np.count_nonzero(detached, axis=1)
        at = np.maximum(detached - 1, 0)
        names = np.take_along_axis(draws.phrases, at, axis=1)
        labels = np.where(detached > 0, names + self._labels(", ", ""), EMPTY)
        labels[:, 0] = names[:, 0] + self._labels("", "")
        facts = self._worded(sentences, at[:, 1:] + 1, self._clauses, self._tails(", "))
        # Nothing follows the last one.
        facts[np.arange(rows), size - 2, 3] += self._tails("") - self._tails(", ")
        facts[detached[:, 1:] == 0] = EMPTY
        counts = self.pieces.group("counts", map(_counted, range(draws.config.vars + 1)))
        asked = draws.phrases[:, draws.config.ans_depth - 1]
        return beside(
            [
                np.full(rows, piece("All we know about the prices of ")),
                labels,
                np.full(rows, piece(" are: ")),
                flat(facts),
                size + counts,
                asked + self._labels("", "."),
            ]
        )


def _counted(num_variables: int) -> str:
    num_formulas = num_variables - 1
    only = "1 linear formula" if num_formulas == 1 else f"{num_formulas} linear formulas"
    return f".\nThere are {num_variables} variables but only {only}, so we cannot calculate the price of "


def beside(parts: Sequence[NDArray[Any]]) -> Codes:
    """Put tables of piece numbers side by side; one of a single axis is a column."""
    columns = [part[:, None] if part.ndim == 1 else part for part in parts]
    codes = np.empty((len(columns[0]), sum(part.shape[1] for part in columns)), dtype=np.int32)
    start = 0
    for part in columns:
        codes[:, start : start + part.shape[1]] = part
        start += part.shape[1]
    return codes


def flat(codes: Codes) -> Codes:
    """Join the last two axes."""
    return codes.reshape(len(codes), -1)


def _codes(numbers: Ints) -> Codes:
    return numbers.astype(np.int32)
