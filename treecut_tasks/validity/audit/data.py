"""Takes the two files of an audit, gives their problems read back, checked, and joined to pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.records import iter_data_file
from treecut_tasks.reading import ReadProblem, read_problem
from treecut_tasks.themes import Theme

Key = TypeVar("Key", str, int)

Joined = Literal["pair_id", "line", "not"]
"""How the problems of the two files are joined to pairs: by their `pair_id`, line by line, or not."""


@dataclass(frozen=True)
class AuditedProblem:
    """One problem of an audit.

    Attributes:
        text: the problem's text.
        read: the text as the independent reader understands it.
        source: name of the file and number of the line, `data.jsonl:12`.
        pair_id: what joins it to its partner, if the file says.
    """

    text: str
    read: ReadProblem
    source: str
    pair_id: str | None = None


@dataclass(frozen=True)
class Classes:
    """The problems of both classes.

    Attributes:
        unanswerable: the problems without an answer.
        answerable: the problems with one; in pairs, the counterparts in the same order.
        joined: how the two are joined.
    """

    unanswerable: tuple[AuditedProblem, ...]
    answerable: tuple[AuditedProblem, ...]
    joined: Joined

    @property
    def theme(self) -> Theme:
        """The theme of all problems."""
        return self.unanswerable[0].read.theme


def read_classes(
    unanswerable: str | Path, answerable: str | Path, themes: Sequence[Theme] | None = None
) -> Classes:
    """Read the two files and find out which of their problems are pairs.

    Problems are pairs if they carry a `pair_id`, or if line by line the two files ask the same and
    state a common sentence (pairs in the published format). Otherwise the files are independent
    draws.

    Args:
        unanswerable: JSON Lines file of unanswerable problems, published or full format.
        answerable: the same for answerable ones.
        themes: vocabularies in which the texts may be written; None for the built-in ones.

    Raises:
        TreecutError: a file that is missing, empty or not JSON Lines, a problem of the other class
            or of another theme, a text that cannot be read, or a pair of which one member is
            missing; the message names file and line.
    """
    first = _read(unanswerable, "unanswerable", themes)
    second = _read(answerable, "answerable", themes)
    for each in (*first, *second):
        if each.read.theme != first[0].read.theme:
            raise TreecutError(
                f"{each.source} is of theme {each.read.theme.name!r}, but {first[0].source} is of theme "
                f"{first[0].read.theme.name!r}: audit each theme by itself."
            )
    if any(each.pair_id is not None for each in (*first, *second)):
        return _joined(_by_pair_id(first), _by_pair_id(second), "pair_id")
    if any(map(_are_pair, first, second)):
        for one, two in zip(first, second, strict=False):
            if not _are_pair(one, two):
                raise TreecutError(
                    f"{one.source} and {two.source} are no pair, but other lines are: line i of both "
                    "files must be one pair, or none may be."
                )
        return _joined(dict(enumerate(first, 1)), dict(enumerate(second, 1)), "line")
    return Classes(first, second, "not")


def _read(
    path: str | Path,
    kind: Literal["unanswerable", "answerable"],
    themes: Sequence[Theme] | None,
) -> tuple[AuditedProblem, ...]:
    problems = []
    for record in iter_data_file(path):
        if record.unanswerable != (kind == "unanswerable"):
            raise TreecutError(
                f"{record.source} has the answer {record.answer!r}, but this file must hold {kind} "
                "problems only: give the file of unanswerable problems first and that of answerable "
                "ones second."
            )
        try:
            read = read_problem(record.problem, themes)
        except TreecutError as error:
            raise TreecutError(f"{record.source}: {error}") from error
        problems.append(AuditedProblem(record.problem, read, record.source, record.pair_id))
    return tuple(problems)


def _by_pair_id(problems: Sequence[AuditedProblem]) -> dict[str, AuditedProblem]:
    by_id: dict[str, AuditedProblem] = {}
    for each in problems:
        if each.pair_id is None:
            raise TreecutError(
                f"{each.source} has no pair_id, but other lines have: give two files of pairs, or none."
            )
        earlier = by_id.setdefault(each.pair_id, each)
        if earlier is not each:
            raise TreecutError(
                f"{each.source} repeats the pair_id {each.pair_id!r} of {earlier.source}: remove one "
                "of the two lines."
            )
    return by_id


def _joined(
    first: Mapping[Key, AuditedProblem],
    second: Mapping[Key, AuditedProblem],
    joined: Joined,
) -> Classes:
    for mine, other in ((first, second), (second, first)):
        for key, each in mine.items():
            if key not in other:
                raise TreecutError(
                    f"{each.source} has no partner in the other file ({joined} {key!r}; {len(first)} "
                    f"unanswerable and {len(second)} answerable problems): give both members of every "
                    "pair."
                )
    return Classes(tuple(first.values()), tuple(second[key] for key in first), joined)


def _are_pair(first: AuditedProblem, second: AuditedProblem) -> bool:
    """Whether two problems ask the same and state a common sentence."""
    texts = {sentence.text for sentence in first.read.sentences}
    return first.read.asked == second.read.asked and any(
        sentence.text in texts for sentence in second.read.sentences
    )
