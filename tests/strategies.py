"""Hypothesis strategies for problems."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.reference_generator import Parameters
from treecut_tasks.problems import ORDERS, SAMPLINGS, ProblemConfig
from treecut_tasks.themes import Item, Theme, load_theme

# Vowels of all kinds, names without cases or with hyphens and words of the sentences, a price of one,
# and money words that are not dollars.
EURO_THEME = Theme(
    name="euro",
    entities=("L'Été", "Jack-in-the-Box", "Ünal's", "café 24", "Costless & Co"),
    items=(
        Item("apple", "apples"),
        Item("Éclair", "Éclairs"),
        Item("sheep", "sheep"),
        Item("œuf", "œufs"),
        Item("mac-n-cheese", "macs-n-cheese"),
        Item("cost-cutter's hat", "cost-cutter's hats"),
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

# Everything that JSON escapes, in names that no theme file may have; texts of it cannot be read back.
ESCAPED_THEME = Theme(
    name='say "\\"',
    entities=('The "Shop"', "back\\slash", "tab\tbed", "\U0001f355 place", "line\u2028end"),
    items=(
        Item('"nut"', '"nuts"'),
        Item("b\\olt", "b\\olts"),
        Item("\x7fscrew", "\x7fscrews"),
        Item("ß", "ßs"),
    ),
    value_min=2,
    value_max=6,
    value_step=2,
    money_one='"one"',
    money_many="\\many",
)

# The least that a theme can have.
TINY_THEME = Theme(
    name="tiny",
    entities=("Shop One", "Shop Two"),
    items=(Item("nut", "nuts"), Item("bolt", "bolts")),
    value_min=1,
    value_max=1,
    value_step=1,
    money_one="a dollar",
    money_many="dollars",
)

# Sums of prices that need more than 32 bits.
DEAR_THEME = Theme(
    name="dear",
    entities=("Here", "There"),
    items=tuple(Item(f"plot-{i}", f"plots-{i}") for i in range(5)),
    value_min=10**15,
    value_max=10**18,
    value_step=10**15,
    money_one="one mark",
    money_many="marks",
)

THEMES = (load_theme("food"), load_theme("outfit"), EURO_THEME, LARGE_THEME)


@st.composite
def configs(
    draw: st.DrawFn, unanswerable: bool | None = None, themes: Sequence[Theme] = THEMES
) -> ProblemConfig:
    """Any configuration, of problems that are not too large to look at."""
    theme = draw(st.sampled_from(themes))
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
