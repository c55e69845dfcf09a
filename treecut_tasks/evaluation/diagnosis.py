"""From a problem's text to what is missing in it, and from a response to whether it says so exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import ReadProblem, read_problem, settling, undetermined
from treecut_tasks.scoring.names import FinalLines, Named, NameReader
from treecut_tasks.themes import Theme, Variable, load_theme

AskKind = Literal["settles", "useless", "the_question", "foreign", "unclear", "nothing"]
"""What a request for a price is worth: it would settle the question; it is of this problem and would
not; it is the question itself; it names nothing of this problem; it names several items, or cannot be
found; there is none."""


@dataclass(frozen=True)
class Gap:
    """What a text leaves open, by exact algebra.

    Attributes:
        read: the text as a linear system.
        undetermined: the variables whose prices are open, in the order of first mention.
        settling: those any one of whose prices would settle the question, the asked one left out.
    """

    read: ReadProblem
    undetermined: tuple[Variable, ...]
    settling: tuple[Variable, ...]

    @classmethod
    def of(cls, read: ReadProblem) -> Gap:
        """The gap of a system."""
        return cls(read, undetermined(read), settling(read))

    @property
    def settles_by_chance(self) -> float:
        """Probability that a blind pick among the other variables would settle the question."""
        others = len(self.read.variables) - 1
        return len(self.settling) / others if others else 0.0

    def worth(self, named: Named | None) -> tuple[AskKind, Variable | None]:
        """What a request for a price is worth, and the variable that it is for."""
        if named is None:
            return "unclear", None
        match named.variables:
            case ():
                return ("foreign" if named.foreign else "nothing"), None
            case (variable,):
                if variable == self.read.asked:
                    return "the_question", variable
                return ("settles" if variable in self.settling else "useless"), variable
            case _:
                return "unclear", None

    def lines(self) -> dict[str, str]:
        """The right lines, for worked examples."""
        return {
            "undetermined": "; ".join(map(str, self.undetermined)) or "none",
            "ask": str(self.settling[0]) if self.settling else "nothing",
        }


@lru_cache(256)
def find_gap(problem: str, theme: Theme | None = None) -> Gap:
    """What a problem's text leaves open.

    Args:
        problem: its text.
        theme: the theme in whose words it is written; None for any built-in one.
    """
    return Gap.of(read_problem(problem, None if theme is None else [theme]))


@lru_cache(64)
def check_names(theme: Theme) -> None:
    """Check that answers can name everything of a theme, with and without places.

    No name may be read as another, as several, or as none.
    """
    names = [item.name for item in theme.items]
    composite = [Variable(entity, name) for entity in theme.entities for name in names]
    for variables in (composite, [Variable(None, name) for name in names]):
        reader = NameReader(theme, variables)
        for variable in variables:
            if reader.read(str(variable)) != Named((variable,)):
                raise TreecutError(
                    f"The theme {theme.name!r} has the name {str(variable)!r}, which cannot be told from "
                    "others, or from the words of a list, in a model's answer: rename it for this task."
                )


@dataclass(frozen=True)
class Diagnosis:
    """What a response says is missing, judged.

    Attributes:
        named: the items that it calls undetermined, as the problem writes them; None without a line.
        foreign: names in that line that are not of this problem.
        exact: whether the line names the undetermined items and nothing else.
        f1: F1 of its names against the undetermined items; 1 where both are empty.
        ask: what the requested price is worth.
        asks_for: the item whose price is requested, if it is one of this problem.
        right_ask: whether the request is right: it settles the question or, where no other price
            would, there is none.
        settles_by_chance: probability that a blind pick would settle the question.
        calls_question_open: whether the asked item is among the names.
    """

    named: Sequence[str] | None
    foreign: Sequence[str]
    exact: bool
    f1: float
    ask: AskKind
    asks_for: str | None
    right_ask: bool
    settles_by_chance: float
    calls_question_open: bool


def judge_diagnosis(lines: FinalLines, problem: str, theme: str | None = None) -> Diagnosis:
    """Judge the lines `Undetermined:` and `Ask:` of a response.

    Args:
        lines: see `treecut_tasks.scoring.names.find_final_lines`.
        problem: the problem's text.
        theme: name or path of its theme, if it is not a built-in one.
    """
    gap = find_gap(problem, None if theme is None else load_theme(theme))
    reader = NameReader(gap.read.theme, gap.read.variables)
    named = None if lines.undetermined is None else reader.read(lines.undetermined)
    kind, asks_for = gap.worth(None if lines.ask is None else reader.read(lines.ask))
    said = Named(()) if named is None else named
    size = len(said.variables) + len(said.foreign) + len(gap.undetermined)
    common = len({*said.variables} & {*gap.undetermined})
    return Diagnosis(
        named=None if named is None else [str(each) for each in named.variables],
        foreign=list(said.foreign),
        exact=named is not None and 2 * common == size,
        f1=0.0 if named is None else 2 * common / size if size else 1.0,
        ask=kind,
        asks_for=None if asks_for is None else str(asks_for),
        right_ask=kind == ("settles" if gap.settling else "nothing"),
        settles_by_chance=gap.settles_by_chance,
        calls_question_open=gap.read.asked in said.variables,
    )
