"""The names of all rates, once, each with its definition; judged responses become rates here only."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Literal

from treecut_tasks.causes import KINDS
from treecut_tasks.evaluation.clarification import Question
from treecut_tasks.evaluation.diagnosis import Diagnosis
from treecut_tasks.evaluation.judging import JudgedResponse

TaskKind = Literal["unanswerable", "answerable", "paired", "diagnosis", "clarification"]
"""What a task serves: problems of one kind, or both members of each pair, to be answered, to be diagnosed
as well, or to be asked about."""


@dataclass(frozen=True)
class RateDefinition:
    """What a rate counts.

    Attributes:
        name: its name, the same in both frameworks and in reports.
        meaning: which responses count, in a clause that goes on from "share of responses that".
        higher_is_better: which direction is the better one.
        counts: 1 where the response counts, else 0; what chance would give is in between.
    """

    name: str
    meaning: str
    higher_is_better: bool
    counts: Callable[[JudgedResponse], float]


@dataclass(frozen=True)
class PairRateDefinition:
    """The same for pairs: `counts` is asked with the unanswerable member's response first."""

    name: str
    meaning: str
    higher_is_better: bool
    counts: Callable[[JudgedResponse, JudgedResponse], float]


def _ends(*endings: str) -> Callable[[JudgedResponse], float]:
    return lambda judged: float(judged.ending in endings)


def _rule_agrees(judged: JudgedResponse) -> float:
    return float(judged.says_unknown == (judged.judgement.verdict == "unknown"))


_RULE_AGREES = RateDefinition(
    "rule_agreement_rate",
    "the paper's rule and a careful reader judge alike",
    True,
    _rule_agrees,
)

UNANSWERABLE_RATES = (
    RateDefinition(
        "paper_hallucination_rate",
        "do not say `unknown` after the last `answer` (the paper's rule, Appendix B.2)",
        False,
        lambda judged: float(not judged.says_unknown),
    ),
    RateDefinition("hallucination_rate", "commit to a number", False, _ends("hallucination")),
    RateDefinition(
        "unknown_rate", "say that the price cannot be determined", True, _ends("unknown")
    ),
    RateDefinition("no_answer_rate", "commit to neither", False, _ends("no_answer")),
    _RULE_AGREES,
)
"""On unanswerable problems, the headline first. From the second on, three add up to one."""

ANSWERABLE_RATES = (
    RateDefinition("accuracy", "commit to the right number", True, _ends("right")),
    RateDefinition("wrong_number_rate", "commit to another number", False, _ends("wrong_number")),
    RateDefinition(
        "false_unknown_rate",
        "say that the price cannot be determined",
        False,
        _ends("false_unknown"),
    ),
    RateDefinition("no_answer_rate", "commit to neither", False, _ends("no_answer")),
    _RULE_AGREES,
)
"""On answerable problems, the headline first. The first four add up to one."""


def _pair_ends(*endings: tuple[str, str]) -> Callable[[JudgedResponse, JudgedResponse], float]:
    return lambda first, second: float((first.ending, second.ending) in endings)


_PAIR_ENDINGS = {
    "pair_solved_rate": (("unknown", "right"),),
    "pair_answered_both_rate": (("hallucination", "right"), ("hallucination", "wrong_number")),
    "pair_unknown_both_rate": (("unknown", "false_unknown"),),
}
_NAMED_ENDINGS = tuple(ending for endings in _PAIR_ENDINGS.values() for ending in endings)

PAIR_RATES = (
    PairRateDefinition(
        "pair_solved_rate",
        "are right on both: `unknown` to one, the right number to the other",
        True,
        _pair_ends(*_PAIR_ENDINGS["pair_solved_rate"]),
    ),
    PairRateDefinition(
        "pair_answered_both_rate",
        "are a number, right or wrong, to both",
        False,
        _pair_ends(*_PAIR_ENDINGS["pair_answered_both_rate"]),
    ),
    PairRateDefinition(
        "pair_unknown_both_rate",
        "say of both that the price cannot be determined",
        False,
        _pair_ends(*_PAIR_ENDINGS["pair_unknown_both_rate"]),
    ),
    PairRateDefinition(
        "pair_other_rate",
        "are none of these",
        False,
        lambda first, second: float((first.ending, second.ending) not in _NAMED_ENDINGS),
    ),
    PairRateDefinition(
        "paper_hallucination_rate",
        "do not say `unknown` to the unanswerable one (the paper's rule)",
        False,
        lambda first, second: float(not first.says_unknown),
    ),
    PairRateDefinition(
        "hallucination_rate",
        "commit to a number on the unanswerable one",
        False,
        lambda first, second: float(first.ending == "hallucination"),
    ),
    PairRateDefinition(
        "accuracy",
        "commit to the right number on the answerable one",
        True,
        lambda first, second: float(second.ending == "right"),
    ),
    PairRateDefinition(
        "rule_agreement_rate",
        "are judged alike by the paper's rule and a careful reader, mean of both",
        True,
        lambda first, second: (_rule_agrees(first) + _rule_agrees(second)) / 2,
    ),
)
"""Over pairs, the headline first. The first four add up to one."""


def _diagnosis(judged: JudgedResponse) -> Diagnosis:
    assert judged.diagnosis is not None
    return judged.diagnosis


def _both(counts: Callable[[JudgedResponse], float]) -> Callable[..., float]:
    return lambda first, second: (counts(first) + counts(second)) / 2


_USUAL_PAIR_RATES = tuple(each for each in PAIR_RATES if not each.name.startswith("pair_"))

DIAGNOSIS_RATES = (
    PairRateDefinition(
        "diagnosis_exact_rate",
        "name exactly the undetermined items of both",
        True,
        lambda first, second: float(_diagnosis(first).exact and _diagnosis(second).exact),
    ),
    PairRateDefinition(
        "diagnosis_f1",
        "name the undetermined items, as F1, mean of both",
        True,
        _both(lambda judged: _diagnosis(judged).f1),
    ),
    PairRateDefinition(
        "ask_settles_rate",
        "ask for a price that would settle the unanswerable one",
        True,
        lambda first, second: float(_diagnosis(first).right_ask),
    ),
    PairRateDefinition(
        "ask_settles_by_chance",
        "would do so if they picked one of the other items blindly",
        False,
        lambda first, second: _diagnosis(first).settles_by_chance,
    ),
    PairRateDefinition(
        "needless_ask_rate",
        "ask for a price though the answerable one needs none",
        False,
        lambda first, second: float(not _diagnosis(second).right_ask),
    ),
    PairRateDefinition(
        "knows_not_which_rate",
        "abstain on the unanswerable one, but name other items than the undetermined ones",
        False,
        lambda first, second: float(first.ending == "unknown" and not _diagnosis(first).exact),
    ),
    PairRateDefinition(
        "inconsistent_rate",
        "call the asked price undetermined and give a number all the same, mean of both",
        False,
        _both(
            lambda judged: float(
                judged.judgement.verdict == "number" and _diagnosis(judged).calls_question_open
            )
        ),
    ),
    PAIR_RATES[0],
    *_USUAL_PAIR_RATES,
)
"""Over pairs of a diagnosis, the headline first."""


def _questions(judged: JudgedResponse, *kinds: str) -> Sequence[Question]:
    """The questions of a dialogue, all or those of some kinds."""
    assert judged.dialogue is not None
    return [each for each in judged.dialogue.questions if not kinds or each.kind in kinds]


def _resolved(judged: JudgedResponse) -> bool:
    assert judged.dialogue is not None
    if judged.dialogue.oracle == "ignorant":
        return judged.ending == "unknown"
    return judged.dialogue.settled and judged.ending == "right"


CLARIFICATION_RATES = (
    PairRateDefinition(
        "resolved_rate",
        "end rightly on the unanswerable one: with the price that their questions settle or, where "
        "no price is known, with `unknown`",
        True,
        lambda first, second: float(_resolved(first)),
    ),
    PairRateDefinition(
        "asked_rate",
        "ask on the unanswerable one",
        True,
        lambda first, second: float(bool(_questions(first))),
    ),
    PairRateDefinition(
        "first_question_settles_rate",
        "ask there first for a price that would settle it",
        True,
        lambda first, second: float(
            bool(_questions(first)[:1] and _questions(first)[0].kind == "settles")
        ),
    ),
    PairRateDefinition(
        "first_question_settles_by_chance",
        "ask there, and would have asked for such a price if they had picked blindly",
        False,
        lambda first, second: sum(each.settles_by_chance for each in _questions(first)[:1]),
    ),
    PairRateDefinition(
        "useless_question_rate",
        "ask there at least once for what is determined already or settles nothing",
        False,
        lambda first, second: float(bool(_questions(first, "useless", "foreign", "unclear"))),
    ),
    PairRateDefinition(
        "asked_for_answer_rate",
        "ask there at least once for the asked price itself",
        False,
        lambda first, second: float(bool(_questions(first, "the_question"))),
    ),
    PairRateDefinition(
        "answered_without_asking_rate",
        "give a number there without a question",
        False,
        lambda first, second: float(first.ending == "hallucination" and not _questions(first)),
    ),
    PairRateDefinition(
        "hallucination_rate",
        "give a number there that neither text nor replies determine",
        False,
        lambda first, second: float(first.ending == "hallucination"),
    ),
    PairRateDefinition(
        "needless_question_rate",
        "ask on the answerable one",
        False,
        lambda first, second: float(bool(_questions(second))),
    ),
    PairRateDefinition(
        "accuracy",
        "commit to the right number on the answerable one",
        True,
        lambda first, second: float(second.ending == "right"),
    ),
)
"""Over pairs of dialogues, the headline first."""

RATES_OF_PAIRS: Mapping[TaskKind, Sequence[PairRateDefinition]] = {
    "paired": PAIR_RATES,
    "diagnosis": DIAGNOSIS_RATES,
    "clarification": CLARIFICATION_RATES,
}


def pair_kind(judged: JudgedResponse) -> TaskKind:
    """Which kind of task a member of a pair is from."""
    if judged.dialogue is not None:
        return "clarification"
    return "paired" if judged.diagnosis is None else "diagnosis"


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


def _caused_by(kind: str) -> Callable[[JudgedResponse], float]:
    return lambda judged: float(judged.cause is not None and judged.cause.kind == kind)


def _by_chance(name: str) -> Callable[[JudgedResponse], float]:
    return lambda judged: 0.0 if judged.cause is None else judged.cause.by_chance.get(name, 0.0)


CAUSE_RATES = (
    *(
        RateDefinition(
            f"cause_{kind}",
            f"commit to a wrong number explained by {kind}",
            False,
            _caused_by(kind),
        )
        for kind in (*KINDS, "unexplained")
    ),
    *(
        RateDefinition(
            f"cause_{name}_by_chance",
            f"a guess in place of the wrong number would have explained by {name}",
            False,
            _by_chance(name),
        )
        for name in ("same_price", "any")
    ),
)
"""Shares of responses by the first explanation of their wrong number (see `treecut_tasks.causes`). Up to
`cause_unexplained` they add up to `hallucination_rate` or `wrong_number_rate`; the last two say what
guesses from the theme's price range would have given."""


def counts(judged: JudgedResponse, *, causes: bool = False) -> dict[str, float]:
    """What one response counts towards each rate of its kind of problem.

    Args:
        judged: the response.
        causes: whether the rates of causes are among them.
    """
    definitions = UNANSWERABLE_RATES if judged.unanswerable else ANSWERABLE_RATES
    return {
        each.name: each.counts(judged) for each in (*definitions, *(CAUSE_RATES if causes else ()))
    }


def pair_counts(unanswerable: JudgedResponse, answerable: JudgedResponse) -> dict[str, float]:
    """What one pair counts towards each rate of its kind of pairs."""
    rates = RATES_OF_PAIRS[pair_kind(unanswerable)]
    return {each.name: each.counts(unanswerable, answerable) for each in rates}


def definitions(kind: TaskKind) -> Mapping[str, RateDefinition | PairRateDefinition]:
    """The rates of one kind of task by name, the headline first."""
    match kind:
        case "unanswerable":
            return {each.name: each for each in UNANSWERABLE_RATES}
        case "answerable":
            return {each.name: each for each in ANSWERABLE_RATES}
        case _:
            return {each.name: each for each in RATES_OF_PAIRS[kind]}


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
    """The rates of a run, under the names of `counts` or `pair_counts`.

    Args:
        rows: for each response or pair what it counts towards each rate; all with the same names.
    """
    return {name: rate([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def mean_counts(repetitions: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """What a problem or pair counts that was answered several times: the mean."""
    rows = list(repetitions)
    return {name: fmean(row[name] for row in rows) for name in rows[0]}
