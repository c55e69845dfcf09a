"""The two files of an audit: read back, checked, and joined to pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.records import Record, iter_data_file
from treecut_tasks.reading import ReadProblem, read_problem
from treecut_tasks.themes import Theme

Joined = Literal["pair_id", "line", "not"]
"""How the problems of the two files are joined to pairs: by their `pair_id`, line by line, or not."""


@dataclass(frozen=True)
class AuditedProblem:
    """One problem of an audit.

    Attributes:
        text: the problem's text.
        read: the text as the independent reader understands it.
        source: name of the file and number of the line, `data.jsonl:12`.
    """

    text: str
    read: ReadProblem
    source: str


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
    def paired(self) -> bool:
        """Whether problem i of both classes is a pair."""
        return self.joined != "not"

    @property
    def theme(self) -> Theme:
        """The theme of all problems."""
        return self.unanswerable[0].read.theme


def read_classes(
    unanswerable: str | Path,
    answerable: str | Path,
    themes: Sequence[Theme] | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Classes:
    """Read the two files and find out which of their problems are pairs.

    Problems are pairs if they carry a `pair_id`, or if line by line the two files ask the same and
    state a common sentence (pairs in the published format). Otherwise the files are independent
    draws.

    Args:
        unanswerable: JSON Lines file of unanswerable problems, published or full format.
        answerable: the same for answerable ones.
        themes: vocabularies in which the texts may be written; None for the built-in ones.
        advance: called after each problem that was read.

    Raises:
        TreecutError: a file that is missing, empty or not JSON Lines, a problem of the other class
            or of another theme, a text that cannot be read, or a pair of which one member is
            missing; the message names file and line.
    """
    records = (_records(unanswerable, True), _records(answerable, False))
    first, second = (
        tuple(_sample(record, themes, advance) for record in of_class) for of_class in records
    )
    _check_one_theme((*first, *second))
    if any(record.pair_id is not None for of_class in records for record in of_class):
        by_id = [
            _by_pair_id(of_class, samples)
            for of_class, samples in zip(records, (first, second), strict=True)
        ]
        _check_partners(*by_id)
        return Classes(first, tuple(by_id[1][key] for key in by_id[0]), "pair_id")
    if any(map(_are_pair, first, second)):
        _check_aligned(first, second)
        return Classes(first, second, "line")
    return Classes(first, second, "not")


def _records(path: str | Path, unanswerable: bool) -> list[Record]:
    records = list(iter_data_file(path))
    for record in records:
        if record.unanswerable != unanswerable:
            wanted = "unanswerable" if unanswerable else "answerable"
            raise TreecutError(
                f"{record.source} has the answer {record.answer!r}, but this file must hold "
                f"{wanted} problems only: give the file of unanswerable problems first and that of "
                "answerable ones second."
            )
    return records


def _sample(
    record: Record, themes: Sequence[Theme] | None, advance: Callable[[], None]
) -> AuditedProblem:
    try:
        read = read_problem(record.problem, themes)
    except TreecutError as error:
        raise TreecutError(f"{record.source}: {error}") from error
    advance()
    return AuditedProblem(record.problem, read, record.source)


def _check_one_theme(samples: Sequence[AuditedProblem]) -> None:
    first = samples[0]
    for sample in samples:
        if sample.read.theme != first.read.theme:
            raise TreecutError(
                f"{sample.source} is of theme {sample.read.theme.name!r}, but {first.source} is of "
                f"theme {first.read.theme.name!r}: audit each theme by itself."
            )


def _by_pair_id(
    records: Sequence[Record], samples: Sequence[AuditedProblem]
) -> dict[str, AuditedProblem]:
    by_id: dict[str, AuditedProblem] = {}
    for record, sample in zip(records, samples, strict=True):
        if record.pair_id is None:
            raise TreecutError(
                f"{record.source} has no pair_id, but other lines have: give two files of pairs, "
                "or none."
            )
        earlier = by_id.setdefault(record.pair_id, sample)
        if earlier is not sample:
            raise TreecutError(
                f"{record.source} repeats the pair_id {record.pair_id!r} of {earlier.source}: "
                "remove one of the two lines."
            )
    return by_id


def _check_partners(first: dict[str, AuditedProblem], second: dict[str, AuditedProblem]) -> None:
    for mine, other in ((first, second), (second, first)):
        for pair_id, sample in mine.items():
            if pair_id not in other:
                raise TreecutError(
                    f"{sample.source} has the pair_id {pair_id!r}, which the other file lacks "
                    f"({len(first)} unanswerable and {len(second)} answerable problems): give both "
                    "members of every pair."
                )


def _are_pair(first: AuditedProblem, second: AuditedProblem) -> bool:
    """Whether two problems ask the same and state a common sentence."""
    texts = {sentence.text for sentence in first.read.sentences}
    return first.read.asked == second.read.asked and any(
        sentence.text in texts for sentence in second.read.sentences
    )


def _check_aligned(first: Sequence[AuditedProblem], second: Sequence[AuditedProblem]) -> None:
    for one, two in zip(first, second, strict=False):
        if not _are_pair(one, two):
            raise TreecutError(
                f"{one.source} and {two.source} are no pair, but other lines are: line i of both "
                "files must be one pair, or none may be."
            )
    if len(first) != len(second):
        longer = max(first, second, key=len)
        raise TreecutError(
            f"{longer[min(len(first), len(second))].source} has no partner in the other file "
            f"({len(first)} unanswerable and {len(second)} answerable problems): line i of both "
            "files must be one pair."
        )
