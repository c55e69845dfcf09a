"""What a task serves, the names of its rates, and the paper's defaults."""

from __future__ import annotations

from typing import Literal

from treecut_tasks.causes import KINDS

TaskKind = Literal["unanswerable", "answerable", "paired"]
"""What a task serves: problems of one kind, or both members of each pair."""

PAPER_DEPTHS = (2, 4, 6, 8)
"""Depths of Table 1."""

PAPER_NUM_PROBLEMS = 500
"""Problems for each set of generation parameters (section 4.1)."""

DEFAULT_SEED = 42
"""Seed of a task that is given none."""

UNANSWERABLE_RATES = (
    "hallucination_rate",
    "unknown_rate",
    "answered_rate",
    "no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates on unanswerable problems, the paper's first."""

ANSWERABLE_RATES = (
    "accuracy",
    "wrong_number_rate",
    "false_unknown_rate",
    "no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates on answerable problems, the paper's first."""

PAIRED_RATES = (
    "hallucination_rate",
    "accuracy",
    "false_unknown_rate",
    "pair_solved_rate",
    "pair_answered_both_rate",
    "pair_unknown_both_rate",
    "pair_other_rate",
    "unknown_rate",
    "answered_rate",
    "wrong_number_rate",
    "unanswerable_no_answer_rate",
    "answerable_no_answer_rate",
    "rule_disagreement",
)
"""Names of the rates over pairs. The four `pair_…` add up to one: right on both, a number (right or
wrong) to both, unknown to both, and the rest; all by the verdict of a careful reader."""

CAUSE_RATES = (
    *(f"cause_{kind}" for kind in KINDS),
    "cause_unexplained",
    "cause_same_price_by_chance",
    "cause_any_by_chance",
)
"""Names of the shares of responses whose wrong number has this kind of first explanation (see
`treecut_tasks.causes`). Up to `cause_unexplained` they add up to `answered_rate` on unanswerable
and to `wrong_number_rate` on answerable problems. The last two say what guesses from the theme's
price range would have given: same_price first, and any explanation at all."""

PAPER_RATES = ("hallucination_rate", "accuracy", "false_unknown_rate", "pair_solved_rate")
"""The rates that the paper's tables report, and the share of solved pairs. They are given with an
interval and for each depth; the others stand beside them for all responses together."""

_RATES: dict[TaskKind, tuple[str, ...]] = {
    "unanswerable": (*UNANSWERABLE_RATES, *CAUSE_RATES),
    "answerable": (*ANSWERABLE_RATES, *CAUSE_RATES),
    "paired": PAIRED_RATES,
}


def rate_names(kind: TaskKind) -> tuple[str, ...]:
    """Names of the rates of one kind of task, the headline first."""
    return _RATES[kind]
