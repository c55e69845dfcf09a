"""The rows of a data set as JSON Lines, byte for byte what `json.dumps` makes of full records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from treecut_tasks.bulk.columns import content_ids, pair_ids
from treecut_tasks.bulk.draws import Draws, Ints, all_phrases
from treecut_tasks.bulk.pieces import Codes, Pieces, Written, escape
from treecut_tasks.bulk.texts import Member, Sentences, Words, beside, flat, members
from treecut_tasks.problems import ProblemConfig
from treecut_tasks.problems.formulas import MAX_COEFFICIENT
from treecut_tasks.problems.problem import sentence_role

_COEFFICIENTS = range(-MAX_COEFFICIENT, MAX_COEFFICIENT + 1)


class LineWriter:
    """Writes problems of one configuration."""

    def __init__(self, config: ProblemConfig, paired: bool, text_only: bool) -> None:
        """Prepare the pieces.

        Args:
            config: what the rows were drawn from.
            paired: whether both members of each pair are written, the unanswerable one first.
            text_only: whether just ids, problems, answers and solutions are written.
        """
        self._config, self._paired, self._text_only = config, paired, text_only
        self._pieces = Pieces()
        self._words = Words(config, self._pieces)
        # Whether problems look the same in JSON, so that they need not be written twice.
        self._same_in_json = all(escape(word) == word for word in _words_of(config))

    def write(self, draws: Draws) -> Written:
        """Write every row as one line, or as two if they are pairs."""
        sentences = self._words.sentences(draws)
        written = members(draws, self._paired)
        texts = [self._words.text(member, sentences) for member in written]
        plain = [self._pieces.write(text) for text in texts]
        ids = [
            content_ids(text, self._pieces.write(self._words.answer(member)).strings())
            for text, member in zip(plain, written, strict=True)
        ]
        # What is a piece in this batch only. The table of pieces grows while lines are composed, so
        # that the numbers of these, which follow it, are known only afterwards; until then they are
        # counted down from -1.
        further: list[pa.StringArray] = []

        def add(pieces: pa.StringArray) -> Ints:
            places = -1 - sum(map(len, further)) - np.arange(len(pieces))
            further.append(pieces)
            return places

        parts: list[Codes | Ints] = []
        pairs = add(pa.array(pair_ids(*ids))) if self._paired else None
        for member, text, as_written, own_ids in zip(written, texts, plain, ids, strict=True):
            problem = add(as_written.strings()) if self._same_in_json else text
            parts += self._line(member, sentences, add(pa.array(own_ids)), problem)
            if pairs is not None:
                parts += [self._syntax(', "pair_id": "'), pairs, self._syntax('"')]
            parts.append(self._syntax("}\n"))
        codes = beside(_as_columns(parts, len(draws)))
        codes = np.where(codes < 0, len(self._pieces) - 1 - codes, codes)
        return self._pieces.write(codes, escaped=True, further=further)

    def _syntax(self, text: str) -> Ints:
        return np.array([self._pieces.syntax(text, [text])])

    def _line(
        self, member: Member, sentences: Sentences, ids: Ints, problem: Codes | Ints
    ) -> Iterator[Codes | Ints]:
        """The pieces of one record, but for what follows its last key."""
        words = self._words
        yield self._syntax('{"id": "')
        yield ids
        yield self._syntax('", "problem": "')
        yield problem
        yield self._syntax('", "answer": "')
        yield words.answer(member)
        yield self._syntax('", "proof": "')
        yield words.solution(member, sentences)
        if self._text_only:
            yield self._syntax('"')
            return
        draws, config = member.draws, member.config
        yield self._syntax(f'", "config": {json.dumps(config.as_dict())}, "variables": [')
        yield self._listed("variables", self._variables, draws.phrases)
        yield self._syntax('], "values": [')
        yield self._values(draws.values)
        yield self._syntax('], "parents": [')
        yield self._numbers(draws.parents)
        yield self._syntax(f'], "asked": {config.ans_depth}, "sentences": [')
        yield self._sentences(member, sentences, member.order, separated=True)
        yield self._syntax("]")
        for key, lacking in (("cut", member.cut), ("spare", member.spare)):
            if lacking is None:
                yield self._syntax(f', "{key}": null')
                continue
            yield self._syntax(f', "{key}": ')
            children = lacking[:, None]
            # Its position follows inside the object.
            yield self._sentences(member, sentences, children, separated=False)[:, :-1]
            yield self._constants(member, children, ', "position": ')[:, 0]
            yield self._numbers(member.positions[:, None])
            yield self._syntax("}")

    @cached_property
    def _variables(self) -> list[str]:
        """All names as objects."""
        names = [name.variable for name in all_phrases(self._config)]
        return [
            json.dumps({"name": str(name), "entity": name.entity, "item": name.item})
            for name in names
        ]

    def _numbers(self, numbers: Ints) -> Codes:
        """Numbers of variables and of sentences."""
        return self._listed("numbers", range(self._config.vars + 1), numbers)

    def _values(self, values: Ints) -> Codes:
        theme = self._config.resolved_theme
        prices = range(theme.value_min, theme.value_max + 1, theme.value_step)
        return self._listed("values", prices, (values - theme.value_min) // theme.value_step)

    def _listed(self, key: str, elements: Sequence[object], numbers: Ints) -> Codes:
        """Elements of a list by their numbers, with commas between them."""
        first = self._pieces.syntax((key, "first"), map(str, elements))
        others = self._pieces.syntax((key, "others"), (f", {each}" for each in elements))
        codes = (numbers + others).astype(np.int32)
        codes[:, 0] += first - others
        return codes

    def _sentences(
        self, member: Member, sentences: Sentences, children: Ints, separated: bool
    ) -> Codes:
        """Sentences as objects; `children` is of shape [rows, k]."""
        draws = member.draws
        codes = np.empty((*children.shape, 8), dtype=np.int32)
        codes[..., 0] = self._syntax(', {"text": "')
        codes[:, 0, 0] = self._syntax('{"text": "')
        codes[..., 1:5] = self._words.sentence_texts(sentences, children, ".")
        parents, a, b = (
            np.take_along_axis(numbers, children - 1, axis=1)
            for numbers in (draws.parents, draws.a, draws.b)
        )
        codes[..., 5] = self._edges() + parents * (draws.config.vars + 1) + children
        least, choices = _COEFFICIENTS[0], len(_COEFFICIENTS)
        codes[..., 6] = self._coefficients() + (a - least) * choices + b - least
        codes[..., 7] = self._constants(member, children, "}" if separated else "")
        return flat(codes)

    def _edges(self) -> int:
        numbers, asked = range(self._config.vars + 1), self._config.ans_depth
        return self._pieces.syntax(
            "edges",
            (
                f'", "role": "{sentence_role(child, asked)}", "edge": [{parent}, {child}], '
                for parent in numbers
                for child in numbers
            ),
        )

    def _coefficients(self) -> int:
        return self._pieces.syntax(
            "coefficients",
            (
                f'"coefficients": [{a}, {b}], "constant": '
                for a in _COEFFICIENTS
                for b in _COEFFICIENTS
            ),
        )

    def _constants(self, member: Member, children: Ints, end: str) -> Codes:
        """Constants, which are multiples of the step and may be negative."""
        theme = self._config.resolved_theme
        largest = 2 * MAX_COEFFICIENT * theme.value_max // theme.value_step
        steps = range(-largest, largest + 1)
        first = self._pieces.syntax(
            ("constants", end), (f"{step * theme.value_step}{end}" for step in steps)
        )
        constants = np.take_along_axis(member.draws.constants, children - 1, axis=1)
        return (constants // theme.value_step + largest + first).astype(np.int32)


def _words_of(config: ProblemConfig) -> Iterator[str]:
    """All names and money words that can stand in a problem."""
    theme = config.resolved_theme
    yield from (theme.money_one, theme.money_many)
    for name in all_phrases(config):
        yield from (name.label, *name.quantity)


def _as_columns(parts: list[Codes | Ints], rows: int) -> list[NDArray[Any]]:
    """Give what is the same in all rows a line for each."""
    return [np.broadcast_to(part, rows) if part.shape == (1,) else part for part in parts]
