"""From a row of a block to a problem that knows everything about itself, and to pairs of problems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.blocks import Block, Ints
from treecut_tasks.problems.columns import columns
from treecut_tasks.problems.config import ProblemConfig
from treecut_tasks.problems.members import Member, short_hash
from treecut_tasks.problems.names import all_names
from treecut_tasks.problems.tree import Edge, breadth_first
from treecut_tasks.themes import Variable

Role = Literal["path", "off_path"]

# Records are asked for one after the other, and columns are made for many rows at once.
_columns = lru_cache(maxsize=8)(columns)


class Formula(NamedTuple):
    """One linear formula, `a * x_parent + b * x_child = constant`; the edge is (parent, child).

    Variables are numbered from 1 as in the paper, 0 is the root. A root edge has `a = 0`, `b = 1`
    and states the child's price. The constant is in money units.
    """

    parent: int
    child: int
    a: int
    b: int
    constant: int


class Sentence(NamedTuple):
    """One stated condition.

    Attributes:
        text: the sentence with its full stop.
        formula: the linear formula that it states.
        role: `path` if the edge lies between the root and the questioned variable, else `off_path`.
            The answer to a full problem needs all path sentences and no other.
    """

    text: str
    formula: Formula
    role: Role

    @property
    def edge(self) -> Edge:
        """(parent, child) in the tree; 0 is the root, i stands for x_i."""
        return self.formula.parent, self.formula.child

    @property
    def constant(self) -> int:
        """The formula's right-hand side, in money units."""
        return self.formula.constant


class Removed(NamedTuple):
    """A sentence that a problem lacks beside the full one with the same tree.

    Attributes:
        sentence: the sentence that would state the edge.
        position: index among the full problem's sentences at which it stands.
    """

    sentence: Sentence
    position: int

    @property
    def edge(self) -> Edge:
        """(parent, child) in the tree; 0 is the root."""
        return self.sentence.edge


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """An immutable, complete problem: who has it never needs its config or seed again.

    It is a row of a block; all attributes are computed from the row on demand. Variables are numbered
    from 1 as in the paper (x_1 hangs on the root, x_ans_depth is asked for), so `values[i - 1]`,
    `variables[i - 1]` and `parents[i - 1]` belong to x_i.

    Attributes:
        member: the rows, one member of each.
        row: which of them.
    """

    member: Member
    row: int

    def __repr__(self) -> str:
        kind = "unanswerable" if self.config.unanswerable else "answerable"
        return f"<Problem {self.id}, {kind}, ans_depth {self.config.ans_depth}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self.config == other.config and self.record() == other.record()

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the other rows, and without what was computed.
        return Problem, (self.member.rows(self.row, self.row + 1), 0)

    @property
    def config(self) -> ProblemConfig:
        """The configuration that it was drawn from; of a counterpart, the answerable one."""
        return self.member.config

    @property
    def text(self) -> str:
        """The problem as it is put to a model: the sentences and the question."""
        return str(self.member.texts[self.row])

    @property
    def answer(self) -> str:
        """The price in digits, or `unknown`."""
        return str(self.member.answers[self.row])

    @property
    def solution(self) -> str:
        """The worked solution, `proof` in the authors' data."""
        return str(self.member.solutions[self.row])

    @property
    def id(self) -> str:
        """Identifier made from the content; see `content_id`."""
        return str(self.member.ids[self.row])

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Entity and item of each variable."""
        names = all_names(self.config)
        return tuple(names[i] for i in self._numbers(self.member.block.names))

    @property
    def values(self) -> tuple[int, ...]:
        """The price of each variable, in money units."""
        return self._numbers(self.member.block.values)

    @property
    def parents(self) -> tuple[int, ...]:
        """The parent of each variable in the tree, 0 for the root."""
        return self._numbers(self.member.block.parents)

    def _numbers(self, rows: Ints) -> tuple[int, ...]:
        return tuple(rows[self.row].tolist())

    @property
    def asked(self) -> int:
        """Number of the questioned variable, which is `ans_depth`."""
        return self.config.ans_depth

    @property
    def asked_variable(self) -> Variable:
        """The questioned variable: `str()` of it reads `burger at Bistro Nice`."""
        return self.variables[self.asked - 1]

    @property
    def tree(self) -> tuple[Edge, ...]:
        """All edges (parent, child) of the tree, breadth first, the cut one included."""
        return breadth_first(self.parents)

    @property
    def path(self) -> tuple[int, ...]:
        """Numbers of the variables from the root to the questioned one."""
        return tuple(range(1, self.asked + 1))

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The conditions in the order of the text, each with the edge and formula behind it."""
        member = self.member
        children = self._numbers(member.order)
        first = self.row * len(children)
        texts = member.sentence_texts.slice(first, len(children)).to_pylist()
        return tuple(
            self._sentence(member.block, child, text)
            for child, text in zip(children, texts, strict=True)
        )

    def _sentence(self, block: Block, child: int, text: str) -> Sentence:
        numbers = (block.parents, block.a, block.b, block.constants)
        parent, a, b, constant = (int(each[self.row, child - 1]) for each in numbers)
        role: Role = "path" if child <= self.asked else "off_path"
        return Sentence(text, Formula(parent, child, a, b, constant), role)

    @property
    def lacks(self) -> Removed | None:
        """The sentence that this member of a pair lacks: the cut one, the spare one, or None."""
        member = self.member
        if member.lacking is None or member.lacking_texts is None:
            return None
        child, text = int(member.lacking[self.row]), str(member.lacking_texts[self.row])
        return Removed(self._sentence(member.whole, child, text), int(member.positions[self.row]))

    @property
    def cut(self) -> Removed | None:
        """What was cut from an unanswerable problem; None for an answerable one.

        It was drawn with the problem, or, in the authors' stream, it is a function of the text.
        """
        return self.lacks if self.config.unanswerable else None

    def counterpart(self) -> Problem:
        """The answerable counterpart of an unanswerable problem, which keeps the cut sentence.

        Names, values, formulas, wording and the order of all other sentences are the same.
        """
        if not self.config.unanswerable:
            raise TreecutError(
                f"Problem {self.id} is answerable: only an unanswerable problem has a counterpart."
            )
        return Problem(self.member.counterpart(), self.row)

    def published_record(self) -> dict[str, str]:
        """The keys of the authors' files: problem, answer, proof."""
        return {"problem": self.text, "answer": self.answer, "proof": self.solution}

    def record(self) -> dict[str, Any]:
        """Everything about the problem, ready for JSON: a row of a data set, see `columns`."""
        return {name: column[self.row].as_py() for name, column in _columns(self.member).items()}


@dataclass(frozen=True)
class Pair:
    """An unanswerable problem and its answerable counterpart.

    Both have the same tree, names, values, formulas, wording and sentence order. Beside the full
    problem the unanswerable one lacks the cut sentence (`unanswerable.lacks`). A full counterpart
    lacks nothing; a matched one lacks a sentence that its answer does not need
    (`answerable.lacks`), so that sentence counts tell nothing.

    Attributes:
        unanswerable: the problem with the cut.
        answerable: its counterpart.
    """

    unanswerable: Problem
    answerable: Problem

    @cached_property
    def id(self) -> str:
        """Identifier made from the content of both members."""
        return short_hash(f"{self.unanswerable.id}\n{self.answerable.id}")

    def records(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The records of both members, unanswerable first, with the pair's id."""
        return (
            {**self.unanswerable.record(), "pair_id": self.id},
            {**self.answerable.record(), "pair_id": self.id},
        )
