"""Takes the two files of an audit, gives their problems read back, checked, and joined to pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.records import iter_data_file
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
        pair_id: what joins it to its partner, if the file says.
    """

    text: str
    read: ReadProblem
    source: str
    pair_id: str | None = None


@dataclass(frozen=True)
class Classes:
    """The problems of both classes; in pairs, the counterparts are in the order of the problems."""

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
        unanswerable: data file of unanswerable problems.
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
        return _joined(first, second, "pair_id")
    return _joined(first, second, "line" if any(map(_are_pair, first, second)) else "not")


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


def _joined(
    first: tuple[AuditedProblem, ...], second: tuple[AuditedProblem, ...], joined: Joined
) -> Classes:
    """The pairs, each problem of which must have one partner, and a partner nothing else."""
    if joined == "not":
        return Classes(first, second, joined)
    one, two = (
        [each.pair_id if joined == "pair_id" else str(line) for line, each in enumerate(file, 1)]
        for file in (first, second)
    )
    partners, counts = dict(zip(two, second, strict=True)), (Counter(one), Counter(two))
    for key, each in (*zip(one, first, strict=True), *zip(two, second, strict=True)):
        paired = key is not None and all(count[key] == 1 for count in counts)
        if not paired or (joined == "line" and not _are_pair(each, partners[key])):
            raise TreecutError(
                f"{each.source} has not one partner in the other file ({joined} {key}; {len(first)} "
                f"unanswerable and {len(second)} answerable problems): give both members of every "
                "pair, once."
            )
    return Classes(first, tuple(partners[key] for key in one), joined)


def _are_pair(first: AuditedProblem, second: AuditedProblem) -> bool:
    """Whether two problems ask the same and state a common sentence."""
    texts = {sentence.text for sentence in first.read.sentences}
    return first.read.asked == second.read.asked and any(
        sentence.text in texts for sentence in second.read.sentences
    )
