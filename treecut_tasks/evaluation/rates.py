"""The names of all rates, once, each with its definition; judged responses become rates here only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Literal, NamedTuple

from treecut_tasks.causes import KINDS
from treecut_tasks.evaluation.clarification import Question
from treecut_tasks.evaluation.diagnosis import Diagnosis
from treecut_tasks.evaluation.judging import Ending, JudgedResponse

TaskKind = Literal["unanswerable", "answerable", "paired", "diagnosis", "clarification"]
"""What a task serves: problems of one kind, or both members of each pair, to be answered, to be diagnosed
as well, or to be asked about."""

PAIR_KINDS: tuple[TaskKind, ...] = ("paired", "diagnosis", "clarification")


class RateDefinition(NamedTuple):
    """What a rate counts.

    Attributes:
        meaning: which responses (or pairs) count, in a clause that goes on from "share of those that".
        higher_is_better: which direction is the better one.
        counts: 1 where a response counts, else 0; what chance would give is in between. Of pairs it is
            asked with both members' responses, the unanswerable one's first.
    """

    meaning: str
    higher_is_better: bool
    counts: Callable[..., float]


def _ends(*endings: Ending) -> Callable[..., bool]:
    """Whether a response, of a pair that to the unanswerable member, ends in one of these ways."""
    return lambda judged, *_: judged.ending in endings


def _pair_ends(*endings: tuple[str, str]) -> Callable[..., bool]:
    return lambda first, second: (first.ending, second.ending) in endings


def _both(counts: Callable[[JudgedResponse], float]) -> Callable[..., float]:
    return lambda first, second: (counts(first) + counts(second)) / 2


def _accurate(_: JudgedResponse, second: JudgedResponse) -> bool:
    return second.ending == "right"


def _says_no_unknown(judged: JudgedResponse, *_: JudgedResponse) -> bool:
    return not judged.says_unknown


def _rule_agrees(judged: JudgedResponse) -> float:
    return judged.says_unknown == (judged.judgement.verdict == "unknown")


def _diagnosis(judged: JudgedResponse) -> Diagnosis:
    assert judged.diagnosis is not None
    return judged.diagnosis


def _questions(judged: JudgedResponse, *kinds: str) -> Sequence[Question]:
    """The questions of a dialogue, all or those of some kinds."""
    assert judged.dialogue is not None
    return [each for each in judged.dialogue.questions if not kinds or each.kind in kinds]


def _resolved(judged: JudgedResponse, *_: JudgedResponse) -> bool:
    assert judged.dialogue is not None
    if judged.dialogue.oracle == "ignorant":
        return judged.ending == "unknown"
    return judged.dialogue.settled and judged.ending == "right"


_RULE_AGREEMENT = RateDefinition(
    "the paper's rule and a careful reader judge alike", True, _rule_agrees
)
_NO_ANSWER = RateDefinition("commit to neither", False, _ends("no_answer"))
_SOLVED = RateDefinition(
    "are right on both: `unknown` to one, the right number to the other",
    True,
    _pair_ends(("unknown", "right")),
)
_ANSWERED_BOTH = (("hallucination", "right"), ("hallucination", "wrong_number"))
_UNKNOWN_BOTH = ("unknown", "false_unknown")
_ACCURACY = RateDefinition("commit to the right number on the answerable one", True, _accurate)
_MEMBERS = {
    "paper_hallucination_rate": RateDefinition(
        "do not say `unknown` to the unanswerable one (the paper's rule)", False, _says_no_unknown
    ),
    "hallucination_rate": RateDefinition(
        "commit to a number on the unanswerable one", False, _ends("hallucination")
    ),
    "accuracy": _ACCURACY,
    "rule_agreement_rate": RateDefinition(
        "are judged alike by the paper's rule and a careful reader, mean of both",
        True,
        _both(_rule_agrees),
    ),
}

RATES: Mapping[TaskKind, Mapping[str, RateDefinition]] = {
    # From the second on, three add up to one.
    "unanswerable": {
        "paper_hallucination_rate": RateDefinition(
            "do not say `unknown` after the last `answer` (the paper's rule, Appendix B.2)",
            False,
            _says_no_unknown,
        ),
        "hallucination_rate": RateDefinition("commit to a number", False, _ends("hallucination")),
        "unknown_rate": RateDefinition(
            "say that the price cannot be determined", True, _ends("unknown")
        ),
        "no_answer_rate": _NO_ANSWER,
        "rule_agreement_rate": _RULE_AGREEMENT,
    },
    # The first four add up to one.
    "answerable": {
        "accuracy": RateDefinition("commit to the right number", True, _ends("right")),
        "wrong_number_rate": RateDefinition(
            "commit to another number", False, _ends("wrong_number")
        ),
        "false_unknown_rate": RateDefinition(
            "say that the price cannot be determined", False, _ends("false_unknown")
        ),
        "no_answer_rate": _NO_ANSWER,
        "rule_agreement_rate": _RULE_AGREEMENT,
    },
    # The first four add up to one.
    "paired": {
        "pair_solved_rate": _SOLVED,
        "pair_answered_both_rate": RateDefinition(
            "are a number, right or wrong, to both", False, _pair_ends(*_ANSWERED_BOTH)
        ),
        "pair_unknown_both_rate": RateDefinition(
            "say of both that the price cannot be determined", False, _pair_ends(_UNKNOWN_BOTH)
        ),
        "pair_other_rate": RateDefinition(
            "are none of these",
            False,
            lambda first, second: (
                (first.ending, second.ending)
                not in (("unknown", "right"), *_ANSWERED_BOTH, _UNKNOWN_BOTH)
            ),
        ),
        **_MEMBERS,
    },
    "diagnosis": {
        "diagnosis_exact_rate": RateDefinition(
            "name exactly the undetermined items of both",
            True,
            lambda first, second: _diagnosis(first).exact and _diagnosis(second).exact,
        ),
        "diagnosis_f1": RateDefinition(
            "name the undetermined items, as F1, mean of both",
            True,
            _both(lambda judged: _diagnosis(judged).f1),
        ),
        "ask_settles_rate": RateDefinition(
            "ask for a price that would settle the unanswerable one",
            True,
            lambda first, _: _diagnosis(first).right_ask,
        ),
        "ask_settles_by_chance": RateDefinition(
            "would do so if they picked one of the other items blindly",
            False,
            lambda first, _: _diagnosis(first).settles_by_chance,
        ),
        "needless_ask_rate": RateDefinition(
            "ask for a price though the answerable one needs none",
            False,
            lambda _, second: not _diagnosis(second).right_ask,
        ),
        "knows_not_which_rate": RateDefinition(
            "abstain on the unanswerable one, but name other items than the undetermined ones",
            False,
            lambda first, _: first.ending == "unknown" and not _diagnosis(first).exact,
        ),
        "inconsistent_rate": RateDefinition(
            "call the asked price undetermined and give a number all the same, mean of both",
            False,
            _both(
                lambda judged: (
                    judged.judgement.verdict == "number" and _diagnosis(judged).calls_question_open
                )
            ),
        ),
        "pair_solved_rate": _SOLVED,
        **_MEMBERS,
    },
    "clarification": {
        "resolved_rate": RateDefinition(
            "end rightly on the unanswerable one: with the price that their questions settle or, where "
            "no price is known, with `unknown`",
            True,
            _resolved,
        ),
        "asked_rate": RateDefinition(
            "ask on the unanswerable one", True, lambda first, _: bool(_questions(first))
        ),
        "first_question_settles_rate": RateDefinition(
            "ask there first for a price that would settle it",
            True,
            lambda first, _: any(each.kind == "settles" for each in _questions(first)[:1]),
        ),
        "first_question_settles_by_chance": RateDefinition(
            "ask there, and would have asked for such a price if they had picked blindly",
            False,
            lambda first, _: sum(each.settles_by_chance for each in _questions(first)[:1]),
        ),
        "useless_question_rate": RateDefinition(
            "ask there at least once for what is determined already or settles nothing",
            False,
            lambda first, _: bool(_questions(first, "useless", "foreign", "unclear")),
        ),
        "asked_for_answer_rate": RateDefinition(
            "ask there at least once for the asked price itself",
            False,
            lambda first, _: bool(_questions(first, "the_question")),
        ),
        "answered_without_asking_rate": RateDefinition(
            "give a number there without a question",
            False,
            lambda first, _: first.ending == "hallucination" and not _questions(first),
        ),
        "hallucination_rate": RateDefinition(
            "give a number there that neither text nor replies determine",
            False,
            _ends("hallucination"),
        ),
        "needless_question_rate": RateDefinition(
            "ask on the answerable one", False, lambda _, second: bool(_questions(second))
        ),
        "accuracy": _ACCURACY,
    },
}
"""The rates of each kind of task by name, the headline first."""


def _cause_rate(kind: str) -> RateDefinition:
    return RateDefinition(
        f"commit to a wrong number explained by {kind}",
        False,
        lambda judged: judged.cause is not None and judged.cause.kind == kind,
    )


def _chance_rate(name: str) -> RateDefinition:
    return RateDefinition(
        f"a guess in place of the wrong number would have explained by {name}",
        False,
        lambda judged: 0.0 if judged.cause is None else judged.cause.by_chance.get(name, 0.0),
    )


CAUSE_RATES = {
    **{f"cause_{kind}": _cause_rate(kind) for kind in (*KINDS, "unexplained")},
    **{f"cause_{name}_by_chance": _chance_rate(name) for name in ("same_price", "any")},
}
"""Shares of responses by the first explanation of their wrong number (see `treecut_tasks.causes`). Up to
`cause_unexplained` they add up to `hallucination_rate` or `wrong_number_rate`; the last two say what
guesses from the theme's price range would have given."""


def kind_of(*judged: JudgedResponse) -> TaskKind:
    """Which kind of task a response is from, or the responses to both members of a pair."""
    first = judged[0]
    if len(judged) == 1:
        return "unanswerable" if first.unanswerable else "answerable"
    if first.dialogue is not None:
        return "clarification"
    return "paired" if first.diagnosis is None else "diagnosis"


def counts(*judged: JudgedResponse, causes: bool = False) -> dict[str, float]:
    """What one response counts towards each rate of its kind, or one pair.

    Args:
        judged: the response, or that to the unanswerable member and that to the answerable one.
        causes: whether the rates of causes are among them.
    """
    definitions = {**RATES[kind_of(*judged)], **(CAUSE_RATES if causes else {})}
    return {name: float(each.counts(*judged)) for name, each in definitions.items()}


def corrected_for_chance(right: Iterable[float], by_chance: Iterable[float]) -> float:
    """The share of what chance leaves over: 0 at chance, 1 where all are right; NaN if nothing is left.

    Args:
        right: 1 for each right answer, 0 for each other.
        by_chance: the probability that a guess would have been right, for each; at least one.
    """
    expected = fmean(by_chance)
    return math.nan if expected == 1 else (fmean(right) - expected) / (1 - expected)


def ratios(kind: TaskKind, judged: Iterable[JudgedResponse]) -> dict[str, float]:
    """What is no mean over all pairs; a name is left out where there is nothing to count.

    Args:
        kind: the kind of task.
        judged: its responses.

    Returns:
        Of a diagnosis `ask_settles_corrected`, on unanswerable problems; of a clarification
        `first_question_settles_corrected`, where the model asks there, and the number of
        `questions_to_resolution`, where it ends rightly.
    """
    asked = [each for each in judged if each.unanswerable]
    right: list[float] = []
    by_chance: list[float] = []
    table: dict[str, float] = {}
    if kind == "diagnosis":
        name = "ask_settles_corrected"
        right = [float(_diagnosis(each).right_ask) for each in asked]
        by_chance = [_diagnosis(each).settles_by_chance for each in asked]
    elif kind == "clarification":
        name = "first_question_settles_corrected"
        first = [question for each in asked for question in _questions(each)[:1]]
        right = [float(question.kind == "settles") for question in first]
        by_chance = [question.settles_by_chance for question in first]
        resolved = [len(_questions(each)) for each in asked if _resolved(each)]
        if resolved:
            table["questions_to_resolution"] = fmean(resolved)
    if right:
        table[name] = corrected_for_chance(right, by_chance)
    return table


CONFIDENCE = 0.95
"""Level of all intervals."""


@dataclass(frozen=True)
class Rate:
    """A share of responses.

    Attributes:
        value: the share, from 0 to 1.
        stderr: its standard error (sample standard deviation over √n); None below two responses.
        ci_low: lower end of the 95 % Wilson interval.
        ci_high: upper end.
        n: number of responses.
    """

    value: float
    stderr: float | None
    ci_low: float
    ci_high: float
    n: int


def rate(values: Sequence[float]) -> Rate:
    """The share of responses that have a property, with a Wilson score interval (Wilson, 1927).

    The formula stands here because statsmodels, which has it, takes seconds to import.

    Args:
        values: one number from 0 to 1 for each response; 0 or 1, or a mean over repetitions.

    Raises:
        ValueError: no values.
    """
    n = len(values)
    if n == 0:
        raise ValueError("A rate needs at least one response.")
    value = fmean(values)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    spread = z * math.sqrt((value * (1 - value) + z**2 / (4 * n)) / n)
    low, high = ((value + z**2 / (2 * n) + sign * spread) / (1 + z**2 / n) for sign in (-1, 1))
    stderr = stdev(values) / math.sqrt(n) if n > 1 else None
    # At 0 and 1 the interval ends there exactly; rounding must not push it beyond.
    return Rate(value, stderr, min(max(0.0, low), value), max(min(1.0, high), value), n)


def summarise(rows: Sequence[Mapping[str, float]]) -> dict[str, Rate]:
    """The rates of a run, under the names of `counts`.

    Args:
        rows: for each response or pair what it counts towards each rate; all with the same names.
    """
    return {name: rate([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def mean_counts(repetitions: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """What a problem or pair counts that was answered several times: the mean."""
    rows = list(repetitions)
    return {name: fmean(row[name] for row in rows) for name in rows[0]}
