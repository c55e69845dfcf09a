"""The parameters of a problem (paper, section 3 and Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from treecut_tasks.errors import TreecutError, checked_choice
from treecut_tasks.themes import Theme, load_theme

Order = Literal["forward", "backward", "random"]
Sampling = Literal["published", "paper"]

ORDERS: tuple[Order, ...] = get_args(Order)
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)

_KINDS = (
    *((name, bool, "true or false") for name in ("composite_name", "unanswerable")),
    *((name, int, "a whole number") for name in ("ans_depth", "num_vars", "cut_depth")),
)
_FILLED_IN = ("num_vars", "cut_depth")


@dataclass(frozen=True)
class ProblemConfig:
    """Everything that determines the distribution of a problem.

    The names are the paper's in snake_case (section 3). Values are checked, and the defaults that
    depend on other fields are filled in, when the object is made.

    Attributes:
        theme: `food`, `outfit`, the path of a theme file, or a `Theme`; a `Theme` afterwards.
        composite_name: whether variables are named `a burger at Bistro Nice` or just `a burger`.
        num_vars: number of variables; `ans_depth + 2` if None.
        ans_depth: number of edges from the root to the questioned variable, at least 2.
        order: order of the sentences: breadth first (`forward`), its reverse, or `random`.
        unanswerable: whether one necessary edge is cut.
        cut_depth: number of edges from the questioned variable to the cut, from 1 to
            `ans_depth - 1`; `ans_depth // 2` if None. Always None for an answerable problem.
        sampling: `published` draws formulas as the authors' data was drawn (docs/training-data.md),
            `paper` draws both coefficients from ±1, ±2, ±3 (Algorithm 1, line 28).

    Raises:
        TreecutError: a value that is not allowed; the message names it, what is, and the remedy.
    """

    theme: Theme | str | Path = "food"
    composite_name: bool = True
    num_vars: int | None = None
    ans_depth: int = 8
    order: Order = "random"
    unanswerable: bool = True
    cut_depth: int | None = None
    sampling: Sampling = "published"

    def __post_init__(self) -> None:
        def fill(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        theme = self.theme if isinstance(self.theme, Theme) else load_theme(self.theme)
        fill("theme", theme)
        for name, kind, must in _KINDS:
            value = getattr(self, name)
            if type(value) is not kind and not (value is None and name in _FILLED_IN):
                raise TreecutError(f"{name} is {value!r}: it must be {must}.")
        for name, allowed in (("order", ORDERS), ("sampling", SAMPLINGS)):
            checked_choice(name, getattr(self, name), allowed)
        if self.ans_depth < 2:
            raise TreecutError(
                f"ans_depth is {self.ans_depth}: it must be 2 or more, because the path to the "
                "questioned variable needs an edge that can be cut."
            )
        if self.num_vars is None:
            fill("num_vars", self.ans_depth + 2)
        if self.vars < self.ans_depth:
            raise TreecutError(
                f"num_vars is {self.vars}: it must be at least ans_depth, which is "
                f"{self.ans_depth}, because every step of the path is a variable."
            )
        if not self.unanswerable and self.cut_depth is not None:
            raise TreecutError(
                f"cut_depth is {self.cut_depth} for an answerable problem, which has no cut: "
                "leave cut_depth out, or ask for unanswerable problems."
            )
        if self.unanswerable and self.cut_depth is None:
            fill("cut_depth", self.ans_depth // 2)
        if self.cut_depth is not None and not 1 <= self.cut_depth < self.ans_depth:
            raise TreecutError(
                f"cut_depth is {self.cut_depth}: it must be from 1 to {self.ans_depth - 1} "
                f"(ans_depth - 1) where ans_depth is {self.ans_depth}."
            )
        capacity = theme.capacity(self.composite_name)
        if self.vars > capacity:
            style = "composite" if self.composite_name else "simple"
            raise TreecutError(
                f"num_vars is {self.vars}, but the theme {theme.name!r} can name only {capacity} "
                f"variables with {style} names: use fewer variables"
                + ("" if self.composite_name else ", composite names")
                + " or a theme with more items."
            )

    @property
    def resolved_theme(self) -> Theme:
        """The theme as a `Theme`, however it was given."""
        return cast(Theme, self.theme)

    @property
    def vars(self) -> int:
        """`num_vars` as a number, its default filled in."""
        return cast(int, self.num_vars)

    @property
    def cut_into(self) -> int | None:
        """Index of the variable that the cut edge leads into (paper, Algorithm 1), or None."""
        return None if self.cut_depth is None else self.ans_depth - self.cut_depth

    def answerable(self) -> ProblemConfig:
        """The same configuration for answerable problems."""
        return replace(self, unanswerable=False, cut_depth=None)

    def as_dict(self) -> dict[str, Any]:
        """The parameters under their names, the theme by its name; ready for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"theme": self.resolved_theme.name}

    @property
    def identity(self) -> dict[str, Any]:
        """The parameters, the theme by its content: equal for equal problems, wherever its file is."""
        return self.as_dict() | {"theme": self.resolved_theme.digest}
