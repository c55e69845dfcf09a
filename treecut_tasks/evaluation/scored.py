"""From an item and a response to scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treecut_tasks.causes import Explanation, analyse, explain
from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.kinds import ANSWERABLE_RATES, CAUSE_RATES, UNANSWERABLE_RATES
from treecut_tasks.problems import UNKNOWN
from treecut_tasks.scoring import Judgement, classify_outcome, says_unknown, values_equal
from treecut_tasks.themes import load_theme


@dataclass(frozen=True)
class ScoredResponse:
    """A response judged.

    Attributes:
        rates: for each name of `rate_names`, 1.0 if the response counts towards it, else 0.0 (what
            chance would give is in between).
        says_unknown: the paper's rule (Appendix B.2) on the raw visible text.
        outcome: what a careful reader says the model committed to.
        cause: the first explanation of a wrong number; None for other responses, for a number that
            nothing explains, and where the problem's text is not at hand.
    """

    rates: dict[str, float]
    says_unknown: bool
    outcome: Judgement
    cause: Explanation | None


def score_response(
    answer: str,
    response: str | None,
    truncated: bool = False,
    problem: str | None = None,
    theme: str | None = None,
) -> ScoredResponse:
    """Judge a response.

    On unanswerable problems a hallucination is, as in the paper, everything that the paper's rule
    does not count as saying unknown; the verdict of a careful reader stands beside it. On
    answerable problems the answer is the number that the response commits to.

    Args:
        answer: the price in digits, or `unknown` for an unanswerable problem.
        response: the visible text of the response; None counts as empty.
        truncated: whether the framework knows that the response was cut off.
        problem: the problem's text, from which a wrong number is explained; without it, or where
            it is not a TreeCut text, a wrong number counts as unexplained.
        theme: name or path of the theme of the problem, if it is not a built-in one.
    """
    text = response or ""
    unknown_by_rule = says_unknown(text)
    outcome = classify_outcome(text, truncated=truncated)
    is_unknown, is_number = outcome.verdict == "unknown", outcome.verdict == "number"
    no_answer = not is_unknown and not is_number
    disagree = unknown_by_rule != is_unknown
    if answer == UNKNOWN:
        right = False
        flags = (not unknown_by_rule, is_unknown, is_number, no_answer, disagree)
        names = UNANSWERABLE_RATES
    else:
        right = is_number and outcome.value is not None and values_equal(outcome.value, answer)
        flags = (right, is_number and not right, is_unknown, no_answer, disagree)
        names = ANSWERABLE_RATES
    rates = {name: float(flag) for name, flag in zip(names, flags, strict=True)}
    rates |= dict.fromkeys(CAUSE_RATES, 0.0)
    cause = None
    if is_number and not right:
        if problem is not None and outcome.value is not None:
            cause, by_chance = _explain(problem, outcome.value, theme)
            rates |= by_chance
        rates[f"cause_{cause.kind}" if cause else "cause_unexplained"] = 1.0
    return ScoredResponse(rates, unknown_by_rule, outcome, cause)


def _explain(
    problem: str, value: str, theme: str | None
) -> tuple[Explanation | None, dict[str, float]]:
    """The first explanation of a wrong number, and what guesses would have given."""
    themes = None if theme is None else [load_theme(theme)]
    try:
        analysis = analyse(problem, themes)
    except TreecutError:
        # Not a text of ours, in a data file of the user's for example.
        return None, {}
    explanations = explain(problem, value, themes)
    by_chance = {
        "cause_same_price_by_chance": analysis.expected("same_price"),
        "cause_any_by_chance": analysis.expected(),
    }
    return (explanations[0] if explanations else None), by_chance


def score_pair(
    unanswerable: Mapping[str, float], answerable: Mapping[str, float]
) -> dict[str, float]:
    """The rates of a pair from those of its members' responses (see `PAIRED_RATES`)."""
    solved = unanswerable["unknown_rate"] * answerable["accuracy"]
    answered = unanswerable["answered_rate"] * (
        answerable["accuracy"] + answerable["wrong_number_rate"]
    )
    unknown = unanswerable["unknown_rate"] * answerable["false_unknown_rate"]
    return {
        "hallucination_rate": unanswerable["hallucination_rate"],
        "accuracy": answerable["accuracy"],
        "false_unknown_rate": answerable["false_unknown_rate"],
        "pair_solved_rate": solved,
        "pair_answered_both_rate": answered,
        "pair_unknown_both_rate": unknown,
        "pair_other_rate": 1.0 - solved - answered - unknown,
        "unknown_rate": unanswerable["unknown_rate"],
        "answered_rate": unanswerable["answered_rate"],
        "wrong_number_rate": answerable["wrong_number_rate"],
        "unanswerable_no_answer_rate": unanswerable["no_answer_rate"],
        "answerable_no_answer_rate": answerable["no_answer_rate"],
        "rule_disagreement": (unanswerable["rule_disagreement"] + answerable["rule_disagreement"])
        / 2,
    }
