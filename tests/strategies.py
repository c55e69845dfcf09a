"""Hypothesis strategies for problems."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.reference_generator import Parameters
from treecut_tasks.problems import ORDERS, SAMPLINGS, ProblemConfig
from treecut_tasks.themes import Item, Theme, load_theme

# Vowels of all kinds, names without cases, a price of one, and money words that are not dollars.
EURO_THEME = Theme(
    name="euro",
    entities=("L'Été", "Ünal's", "café 24"),
    items=(
        Item("apple", "apples"),
        Item("Éclair", "Éclairs"),
        Item("sheep", "sheep"),
        Item("œuf", "œufs"),
        Item("Onion ring", "Onion rings"),
        Item("uncut loaf", "uncut loaves"),
    ),
    value_min=1,
    value_max=3,
    value_step=1,
    money_one="one euro",
    money_many="euros",
)

# `random.Random.sample` draws in another way from populations that are large for their sample.
LARGE_THEME = Theme(
    name="large",
    entities=tuple(f"shop-{i}" for i in range(30)),
    items=tuple(Item(f"widget-{i}", f"widgets-{i}") for i in range(100)),
    value_min=200,
    value_max=2000,
    value_step=100,
    money_one="one yen",
    money_many="yen",
)

THEMES = (load_theme("food"), load_theme("outfit"), EURO_THEME, LARGE_THEME)


@st.composite
def configs(draw: st.DrawFn, unanswerable: bool | None = None) -> ProblemConfig:
    """Any configuration, of problems that are not too large to look at."""
    theme = draw(st.sampled_from(THEMES))
    composite_name = draw(st.booleans())
    largest = min(theme.capacity(composite_name), 14)
    num_vars = draw(st.integers(2, largest))
    ans_depth = draw(st.integers(2, num_vars))
    cut = draw(st.booleans()) if unanswerable is None else unanswerable
    return ProblemConfig(
        theme=theme,
        composite_name=composite_name,
        num_vars=num_vars,
        ans_depth=ans_depth,
        order=draw(st.sampled_from(ORDERS)),
        unanswerable=cut,
        cut_depth=draw(st.integers(1, ans_depth - 1)) if cut else None,
        sampling=draw(st.sampled_from(SAMPLINGS)),
    )


def seeds() -> st.SearchStrategy[int]:
    return st.integers(0, 2**40)


def as_parameters(config: ProblemConfig) -> Parameters:
    """A configuration as the reference generator takes it."""
    assert config.num_vars is not None
    assert isinstance(config.theme, Theme)
    return Parameters(
        theme=config.theme,
        composite_name=config.composite_name,
        num_vars=config.num_vars,
        ans_depth=config.ans_depth,
        order=config.order,
        cut_depth=config.cut_depth,
        sampling=config.sampling,
    )
