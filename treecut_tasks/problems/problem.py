"""A problem that knows everything about itself."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.draws import below
from treecut_tasks.problems.formulas import DRAW_FORMULAS, Formula, edge_choices
from treecut_tasks.problems.solutions import explain_cut, solve_path
from treecut_tasks.problems.tree import Edge, breadth_first, subtree
from treecut_tasks.problems.wording import (
    MoneyWords,
    Phrases,
    money_words,
    question,
    word_formulas,
)
from treecut_tasks.themes import Variable

UNKNOWN = "unknown"
"""The answer of an unanswerable problem."""


Role = Literal["path", "off_path"]


class Sentence(NamedTuple):
    """One stated condition.

    Attributes:
        text: the sentence with its full stop.
        edge: (parent, child) in the tree; 0 is the root, i stands for x_i.
        formula: the linear formula that it states.
        constant: the formula's right-hand side, in money units.
        role: `path` if the edge lies between the root and the questioned variable, else `off_path`.
            The answer to a full problem needs all path sentences and no other.
    """

    text: str
    edge: Edge
    formula: Formula
    constant: int
    role: Role


@dataclass(frozen=True)
class Removed:
    """A sentence that a problem lacks beside the full one with the same tree.

    Attributes:
        edge: (parent, child) in the tree; 0 is the root.
        sentence: the sentence that would state the edge.
        position: index among the full problem's sentences at which it stands.
    """

    edge: Edge
    sentence: Sentence
    position: int


@dataclass(frozen=True, init=False)
class Problem:
    """An immutable, complete problem: who has it never needs its config or seed again.

    The fields are the compact draw; everything else is computed from them on demand. Variables are
    numbered from 1 as in the paper (x_1 hangs on the root, x_ans_depth is asked for), so
    `values[i - 1]`, `variables[i - 1]` and `parents[i - 1]` belong to x_i.

    Attributes:
        config: the configuration that it was drawn from.
        phrases: how each variable is written.
        values: the price of each variable, in money units.
        parents: the parent of each variable in the tree, 0 for the root.
        formulas: the formulas of the remaining edges, breadth first (generator.md, steps 5 to 7).
        sentence_order: the place in `formulas` of each sentence of the text (step 8).
        spare: the sentence, not needed for the answer, that a matched counterpart lacks; else None.
        drawn_cut: the formula of the cut edge and the place of its sentence, if they were drawn with
            the problem; None in the authors' stream, see `cut`.
    """

    config: ProblemConfig
    phrases: tuple[Phrases, ...]
    values: tuple[int, ...]
    parents: tuple[int, ...]
    formulas: tuple[Formula, ...]
    sentence_order: tuple[int, ...]
    spare: Removed | None = None
    drawn_cut: tuple[Formula, int] | None = None

    def __init__(
        self,
        config: ProblemConfig,
        phrases: tuple[Phrases, ...],
        values: tuple[int, ...],
        parents: tuple[int, ...],
        formulas: tuple[Formula, ...],
        sentence_order: tuple[int, ...],
        spare: Removed | None = None,
        drawn_cut: tuple[Formula, int] | None = None,
    ) -> None:
        # The method that dataclasses make for frozen classes takes three times as long.
        self.__dict__.update(
            {
                "config": config,
                "phrases": phrases,
                "values": values,
                "parents": parents,
                "formulas": formulas,
                "sentence_order": sentence_order,
                "spare": spare,
                "drawn_cut": drawn_cut,
            }
        )

    @property
    def _money(self) -> MoneyWords:
        return money_words(self.config.resolved_theme)

    def _wording(self, money: MoneyWords) -> tuple[list[str], list[str]]:
        return word_formulas(self.formulas, self.sentence_order, self.values, self.phrases, money)

    @cached_property
    def text(self) -> str:
        """The problem as it is put to a model: the sentences and the question."""
        sentences, _ = self._wording(self._money)
        return self._text(sentences)

    def _text(self, sentences: list[str]) -> str:
        return ". ".join([*sentences, question(self._asked_phrases)])

    @property
    def _asked_phrases(self) -> Phrases:
        return self.phrases[self.config.ans_depth - 1]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Entity and item of each variable."""
        return tuple(phrases.variable for phrases in self.phrases)

    @property
    def asked(self) -> int:
        """Number of the questioned variable, which is `ans_depth`."""
        return self.config.ans_depth

    @property
    def asked_variable(self) -> Variable:
        """The questioned variable: `str()` of it reads `burger at Bistro Nice`."""
        return self._asked_phrases.variable

    @property
    def tree(self) -> tuple[tuple[int, int], ...]:
        """All edges (parent, child) of the tree, breadth first, the cut one included."""
        return breadth_first(self.parents)

    @property
    def path(self) -> tuple[int, ...]:
        """Numbers of the variables from the root to the questioned one."""
        return tuple(range(1, self.asked + 1))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The conditions in the order of the text, each with the edge and formula behind it."""
        texts, _ = self._wording(self._money)
        return tuple(
            self._sentence(self.formulas[i], text)
            for i, text in zip(self.sentence_order, texts, strict=True)
        )

    def _sentence(self, formula: Formula, text: str) -> Sentence:
        return Sentence(
            f"{text}.",
            (formula.parent, formula.child),
            formula,
            formula.constant(self.values),
            sentence_role(formula.child, self.asked),
        )

    def _sentence_of(self, formula: Formula) -> Sentence:
        (text,), _ = word_formulas([formula], [0], self.values, self.phrases, self._money)
        return self._sentence(formula, text)

    @property
    def answer(self) -> str:
        """The price in digits, or `unknown`."""
        return UNKNOWN if self.config.unanswerable else str(self.values[self.asked - 1])

    @cached_property
    def solution(self) -> str:
        """The worked solution, `proof` in the published data."""
        money = self._money
        _, clauses = self._wording(money)
        return self._solution(clauses, money)

    def _solution(self, clauses: list[str], money: MoneyWords) -> str:
        config, phrases = self.config, self.phrases
        if config.cut_into is not None:
            detached = subtree(self.parents, config.cut_into)
            return explain_cut(detached, self._asked_phrases, clauses, phrases)
        return solve_path(config.ans_depth, clauses, self.values, phrases, money)

    @cached_property
    def id(self) -> str:
        """Identifier made from the content; see `content_id`."""
        return content_id(self.text, self.answer)

    @cached_property
    def cut(self) -> Removed | None:
        """What was cut from an unanswerable problem; None for an answerable one.

        The authors' stream draws no formula for the cut edge. Ours is drawn from a generator that
        is seeded with the problem's own text, so that the cut sentence, and with it the answerable
        counterpart, is a function of the problem, and the stream stays the authors' byte for byte.
        """
        child = self.config.cut_into
        if child is None:
            return None
        edge = (self.parents[child - 1], child)
        if self.drawn_cut is not None:
            formula, position = self.drawn_cut
            return Removed(edge, self._sentence_of(formula), position)
        digest = hashlib.sha256(self.text.encode("utf-8")).digest()
        rng = random.Random(int.from_bytes(digest, "big"))
        sampling = self.config.sampling
        (formula,) = DRAW_FORMULAS[sampling](edge_choices([edge], sampling), rng.getrandbits)
        place = self.tree.index(edge)
        match self.config.order:
            case "forward":
                position = place
            case "backward":
                position = len(self.formulas) - place
            case "random":
                position = below(rng.getrandbits, len(self.formulas) + 1)
        return Removed(edge, self._sentence_of(formula), position)

    @property
    def lacks(self) -> Removed | None:
        """The sentence that this member of a pair lacks: the cut one, the spare one, or None."""
        return self.cut or self.spare

    def counterpart(self) -> Problem:
        """The answerable counterpart of an unanswerable problem, which keeps the cut sentence.

        Names, values, formulas, wording and the order of all other sentences are the same.

        Raises:
            TreecutError: the problem is answerable already.
        """
        cut = self.cut
        if cut is None:
            raise TreecutError(
                f"Problem {self.id} is answerable: only an unanswerable problem has a counterpart."
            )
        place = self.tree.index(cut.edge)
        order = [i + (i >= place) for i in self.sentence_order]
        order.insert(cut.position, place)
        return replace(
            self,
            config=self.config.answerable(),
            formulas=(*self.formulas[:place], cut.sentence.formula, *self.formulas[place:]),
            sentence_order=tuple(order),
            drawn_cut=None,
        )

    def with_cut(self, config: ProblemConfig) -> Problem:
        """The unanswerable problem that is left of this answerable one without the cut sentence.

        Its `cut` is that sentence, and its `counterpart` this problem.

        Args:
            config: an unanswerable configuration that is the same but for its cut.

        Raises:
            TreecutError: it is not, or this problem lacks a sentence already.
        """
        child = config.cut_into
        if child is None or config.answerable() != self.config or self.lacks is not None:
            raise TreecutError(
                f"Problem {self.id} cannot be cut: only a full answerable problem can, by an "
                "unanswerable configuration that is otherwise its own."
            )
        place = self.tree.index((self.parents[child - 1], child))
        order = self.sentence_order
        return replace(
            self,
            config=config,
            formulas=(*self.formulas[:place], *self.formulas[place + 1 :]),
            sentence_order=tuple([i - (i > place) for i in order if i != place]),
            drawn_cut=(self.formulas[place], order.index(place)),
        )

    def without(self, edge: Edge) -> Problem:
        """The same answerable problem without the sentence of an edge off the path (its `spare`).

        Args:
            edge: (parent, child); the child is not on the path to the questioned variable.

        Raises:
            TreecutError: the answer needs the edge, or there is none such.
        """
        place = next((i for i, f in enumerate(self.formulas) if (f.parent, f.child) == edge), None)
        if place is None or self.config.unanswerable or edge[1] <= self.asked:
            raise TreecutError(
                f"Edge {edge} of problem {self.id} cannot be spared: it must be one that the answer of "
                "an answerable problem does not need."
            )
        position = self.sentence_order.index(place)
        return replace(
            self,
            formulas=(*self.formulas[:place], *self.formulas[place + 1 :]),
            sentence_order=tuple([i - (i > place) for i in self.sentence_order if i != place]),
            spare=Removed(edge, self._sentence_of(self.formulas[place]), position),
        )

    def published_record(self) -> dict[str, str]:
        """The keys of the authors' files: problem, answer, proof."""
        # Worded once for both, and not kept: this is the fast path of bulk generation.
        money = self._money
        sentences, clauses = self._wording(money)
        return {
            "problem": self._text(sentences),
            "answer": self.answer,
            "proof": self._solution(clauses, money),
        }

    def record(self) -> dict[str, Any]:
        """Everything about the problem, ready for JSON; `published_record` with further keys."""
        return {
            "id": self.id,
            **self.published_record(),
            "config": self.config.as_dict(),
            "variables": [
                {"name": str(variable), "entity": variable.entity, "item": variable.item}
                for variable in self.variables
            ],
            "values": list(self.values),
            "parents": list(self.parents),
            "asked": self.asked,
            "sentences": [_sentence_record(sentence) for sentence in self.sentences],
            "cut": _removed_record(self.cut),
            "spare": _removed_record(self.spare),
        }


def _sentence_record(sentence: Sentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "role": sentence.role,
        "edge": list(sentence.edge),
        "coefficients": [sentence.formula.a, sentence.formula.b],
        "constant": sentence.constant,
    }


def _removed_record(removed: Removed | None) -> dict[str, Any] | None:
    if removed is None:
        return None
    return {**_sentence_record(removed.sentence), "position": removed.position}


def sentence_role(child: int, asked: int) -> Role:
    """The role of the sentence of an edge.

    Args:
        child: number of the variable that the edge leads into.
        asked: number of the questioned variable; the path is x_1 … x_asked.
    """
    return "path" if child <= asked else "off_path"


def content_id(text: str, answer: str) -> str:
    """Identifier of a problem from what distinguishes it, never from its position in a file.

    Args:
        text: the whole problem text.
        answer: digits or `unknown`.

    Returns:
        The first 16 hexadecimal digits of a SHA-256.
    """
    return hashlib.sha256(f"{text}\n{answer}".encode()).hexdigest()[:16]
