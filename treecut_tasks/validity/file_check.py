"""What `treecut verify` says about a data file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import Undetermined
from treecut_tasks.themes import Theme
from treecut_tasks.validity.assumptions import ASSUMPTIONS, consequences
from treecut_tasks.validity.certificates import (
    certificate,
    certificate_holds,
    explanation,
    finding,
    unreadable_certificate,
)
from treecut_tasks.validity.proofs import UNKNOWN, Verified, verify


class FileReport:
    """Verifies the lines of one data file as they come, and counts what it finds.

    Every fault is told at once; only counts are kept.
    """

    def __init__(
        self,
        path: str,
        say: Callable[[str], None],
        themes: Sequence[Theme] | None = None,
        assumptions: bool = False,
        mixed: bool = False,
    ) -> None:
        """Begin a report.

        Args:
            path: the file's name, for messages.
            say: takes one message, of one or more lines.
            themes: vocabularies in which texts may be written; None for the built-in ones.
            assumptions: whether to weigh `ASSUMPTIONS` for every undetermined problem.
            mixed: whether problems of different themes may stand in the file.
        """
        self._mixed = mixed
        self._path = path
        self._say = say
        self._themes = themes
        self._assumptions = assumptions
        self._proven: Counter[bool] = Counter()
        self._wrong = 0
        self._unreadable = 0
        self._weighed = 0
        self._outcomes: Counter[tuple[str, str]] = Counter()
        self._first: tuple[str, Theme] | None = None

    @property
    def all_proven(self) -> bool:
        """Whether every answer so far is the one that its text proves."""
        return not self._wrong and not self._unreadable

    @property
    def unreadable(self) -> int:
        """How many texts could not be read so far."""
        return self._unreadable

    def add(self, problem: str, answer: str, source: str) -> dict[str, Any]:
        """Verify one line.

        Args:
            problem: the problem's text.
            answer: its stated answer.
            source: where it stands, `data.jsonl:12`.

        Returns:
            The certificate, ready for JSON and checked as it would be by its reader.

        Raises:
            TreecutError: the problem is of another theme than the lines before it.
        """
        try:
            verified = verify(problem, answer, self._themes)
        except TreecutError as error:
            self._unreadable += 1
            self._say(f"{source}: {error}\n  Problem: {problem}")
            return unreadable_certificate(problem, answer, source, reason=str(error))
        if not self._mixed:
            self._check_one_theme(source, verified.read.theme)
        if verified.agrees:
            self._proven[answer == UNKNOWN] += 1
        else:
            self._wrong += 1
            proof = "\n  ".join(explanation(verified))
            self._say(f"{source}: {finding(verified)}\n  Problem: {problem}\n  Proof: {proof}")
        written = certificate(verified, source)
        if not certificate_holds(written, self._themes):
            raise RuntimeError(f"{source}: the written certificate does not hold.")
        return written | self._weigh(verified)

    def summarise(self) -> None:
        """Tell the counts."""
        proven = f"{self._proven[True]} unanswerable, {self._proven[False]} answerable"
        count = self._proven.total() + self._wrong + self._unreadable
        problems = f"{self._path}: {count} problem{'' if count == 1 else 's'}"
        if self.all_proven:
            self._say(f"{problems} ({proven}), all proven")
        else:
            self._say(
                f"{problems}: proven {proven}; wrong {self._wrong}; unreadable {self._unreadable}"
            )
        if self._weighed:
            self._summarise_assumptions()

    def _check_one_theme(self, source: str, theme: Theme) -> None:
        if self._first is None:
            self._first = source, theme
        first_source, first_theme = self._first
        if theme != first_theme:
            raise TreecutError(
                f"{source} is of theme {theme.name!r}, but {first_source} is of theme "
                f"{first_theme.name!r}: put the problems of each theme into a file of their own."
            )

    def _weigh(self, verified: Verified) -> dict[str, Any]:
        """What extra assumptions would do to an undetermined price, as part of its certificate."""
        if not self._assumptions or not isinstance(verified.verdict, Undetermined):
            return {}
        self._weighed += 1
        found = {}
        for assumption, consequence in consequences(verified.read, verified.verdict).items():
            self._outcomes[assumption.key, consequence.outcome] += 1
            price = {} if consequence.price is None else {"price": str(consequence.price)}
            found[assumption.key] = {"outcome": consequence.outcome, **price}
        return {"assumptions": found}

    def _summarise_assumptions(self) -> None:
        weighed = self._weighed
        self._say(
            f"  Asked prices that an extra assumption would fix, of {weighed} that the sentences "
            "leave open:"
        )
        width = max(len(assumption.words) for assumption in ASSUMPTIONS)
        for assumption in ASSUMPTIONS:
            forced = self._outcomes[assumption.key, "forced"]
            impossible = self._outcomes[assumption.key, "impossible"]
            line = f"    {assumption.words:{width}} {forced:>7} ({forced / weighed:.1%})"
            self._say(line + (f"; {impossible} allow no prices" if impossible else ""))
