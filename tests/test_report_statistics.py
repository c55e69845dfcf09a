"""The statistics of reports: published examples, other implementations, and known truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("statsmodels", reason="the extra [report] is not installed")

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency
from statsmodels.stats.contingency_tables import Table as ContingencyTable

from treecut_tasks.evaluation.judging import judge_response
from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.logs import Batch, ProblemFacts, Response, Run
from treecut_tasks.report.cells import make_cells
from treecut_tasks.report.evidence import Evidence, gather
from treecut_tasks.report.sections.claims import CLAIMS, SMALLEST_EFFECT, Finding, examine
from treecut_tasks.report.statistics import (
    ALPHA,
    contrast,
    paired_difference,
    paired_test,
    slope,
    stratified_test,
    trend_test,
)

Random = np.random.Generator


def of_counts(successes: int, n: int) -> Rate:
    return rate([1.0] * successes + [0.0] * (n - successes))


def outcomes(both: int, first: int, second: int, neither: int) -> tuple[list[float], list[float]]:
    one = [1.0] * (both + first) + [0.0] * (second + neither)
    two = [1.0] * both + [0.0] * first + [1.0] * second + [0.0] * neither
    return one, two


def test_paired_interval_is_newcombes_method_10() -> None:
    # Newcombe (1998, Statistics in Medicine 17, 2635), Table II: 36, 12, 2, 0 and 29, 9, 3, 9.
    one, two = outcomes(36, 2, 12, 0)
    effect = paired_difference(one, two)
    assert effect.value == pytest.approx(0.2)
    assert (effect.ci_low, effect.ci_high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


def test_difference_of_two_rates_is_newcombes_method_10() -> None:
    # Newcombe (1998, Statistics in Medicine 17, 873), 56/70 and 48/80.
    effect = contrast([of_counts(56, 70), of_counts(48, 80)], [1, -1])
    assert (effect.ci_low, effect.ci_high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_mcnemar_is_the_exact_binomial_test() -> None:
    one, two = outcomes(5, 2, 12, 3)
    up, down, p_value = paired_test(one, two)
    assert (up, down) == (12, 2)
    assert p_value == pytest.approx(2 * sum(math.comb(14, k) for k in range(3)) / 2**14)


def test_nothing_discordant_is_no_evidence() -> None:
    assert paired_test([1.0, 0.0], [1.0, 0.0]) == (0, 0, 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_paired_interval_holds_its_estimate(pairs: list[tuple[bool, bool]]) -> None:
    one, two = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    effect = paired_difference(one, two)
    assert -1 - 1e-9 <= effect.ci_low <= effect.value + 1e-9
    assert effect.value - 1e-9 <= effect.ci_high <= 1 + 1e-9


def test_one_stratum_is_the_chi_squared_test_but_for_n_minus_1() -> None:
    p_value = stratified_test([([of_counts(30, 50)], [of_counts(18, 60)])])
    statistic = chi2_contingency([[30, 20], [18, 42]], correction=False).statistic * 109 / 110
    assert p_value == pytest.approx(math.erfc(math.sqrt(statistic / 2)))


def test_trend_in_one_stratum_is_that_of_statsmodels() -> None:
    cells = [(2.0, of_counts(9, 50)), (4.0, of_counts(14, 50)), (8.0, of_counts(22, 40))]
    table = ContingencyTable(np.array([[41, 9], [36, 14], [18, 22]]))
    other = table.test_ordinal_association(row_scores=np.array([2, 4, 8]))
    assert trend_test([cells]) == pytest.approx(other.pvalue, rel=0.02)


def test_where_nothing_varies_nothing_is_found() -> None:
    same = [(2.0, of_counts(0, 20)), (4.0, of_counts(0, 20))]
    assert trend_test([same]) == 1.0
    assert stratified_test([([of_counts(0, 20)], [of_counts(0, 20)])]) == 1.0
    assert slope([same]).ci_high > 0


def test_slope_of_a_straight_line() -> None:
    line = [(depth, of_counts(10 * int(depth), 100)) for depth in (2.0, 4.0, 6.0)]
    assert slope([line]).value == pytest.approx(0.1)


def coverage(intervals: Sequence[tuple[float, float]], truth: float) -> float:
    return sum(low <= truth <= high for low, high in intervals) / len(intervals)


def test_intervals_of_effects_cover_the_truth() -> None:
    random = np.random.default_rng(20250101)
    for truths in ((0.1, 0.2, 0.4), (0.5, 0.5, 0.5), (0.98, 0.9, 0.95)):
        slopes, contrasts = [], []
        for _ in range(1500):
            rates = [of_counts(int(random.binomial(100, p)), 100) for p in truths]
            slopes.append(slope([list(zip((2.0, 4.0, 8.0), rates, strict=True))]))
            contrasts.append(contrast(rates, [1, -0.5, -0.5]))
        doses = np.array([2.0, 4.0, 8.0]) - 14 / 3
        true_slope = float(doses @ np.array(truths) / (doses @ doses))
        true_contrast = truths[0] - (truths[1] + truths[2]) / 2
        for effects, truth in ((slopes, true_slope), (contrasts, true_contrast)):
            share = coverage([(each.ci_low, each.ci_high) for each in effects], truth)
            assert 0.93 <= share <= 0.985


def test_paired_intervals_cover_the_truth() -> None:
    random = np.random.default_rng(7)
    for first, up, down in ((0.5, 0.3, 0.2), (0.9, 0.5, 0.05), (0.2, 0.02, 0.1)):
        intervals = []
        truth = (1 - first) * up - first * down
        for _ in range(1500):
            one = random.random(120) < first
            two = np.where(one, random.random(120) >= down, random.random(120) < up)
            effect = paired_difference(one.astype(float).tolist(), two.astype(float).tolist())
            intervals.append((effect.ci_low, effect.ci_high))
        # Newcombe's correction makes it cautious where few problems are discordant.
        assert 0.93 <= coverage(intervals, truth) <= 0.995


STRUCTURES = [
    (depth, depth + extra, depth // 2, composite)
    for depth in (4, 5, 6, 7, 8)
    for extra in (0, 2)
    for composite in (True, False)
]
CUTS = [(depth, depth + 2, cut, True) for depth in (7, 8) for cut in range(1, depth)]
Truth = dict[tuple[int, int, int, bool], float]


def evidence_of(
    truth: Truth, models: int, problems: int, random: Random, epochs: int = 1
) -> Evidence:
    """Responses of several models to `problems` problems of each configuration."""
    judged = [judge_response("unknown", text) for text in ("Answer: unknown", "Answer: 7")]
    batches = []
    for model in range(models):
        responses = []
        for structure, probability in truth.items():
            names = ("ans_depth", "num_vars", "cut_depth", "composite_name")
            problem = ProblemFacts(**dict(zip(names, structure, strict=True)))  # type: ignore[arg-type]
            for number, hallucinated in enumerate(random.random(problems) < probability):
                name = f"{structure} {number}"
                responses += [
                    Response(
                        f"{model} {name} {epoch}", name, "structure", name, epoch, problem,
                        judged[int(hallucinated)], unanswerable=True,
                    )
                    for epoch in range(1, epochs + 1)
                ]  # fmt: skip
        run = Run(
            path=f"{model}", framework="Inspect", tasks=("structure",), model=f"model-{model}"
        )
        batches.append(Batch(run, responses))
    return gather(batches)


def test_the_intervals_of_a_report_cover_the_truth_that_was_set() -> None:
    random = np.random.default_rng(1)
    truth: Truth = dict(zip([*STRUCTURES, *CUTS], random.uniform(0.02, 0.98, 33), strict=False))
    evidence = evidence_of(truth, models=20, problems=60, random=random)
    covered = []
    for cell in make_cells(evidence.problems):
        assert cell.ans_depth and cell.num_vars and cell.cut_depth
        assert cell.composite_name is not None
        set_to = truth[cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name]
        assert cell.rate.n == 60
        covered.append(cell.rate.ci_low <= set_to <= cell.rate.ci_high)
    assert len(covered) == 20 * len(truth)
    assert 0.925 <= np.mean(covered) <= 0.975


def test_repetitions_do_not_count_as_more_problems() -> None:
    truth = {(8, 10, 4, True): 0.5}
    once, twice = (evidence_of(truth, 1, 50, np.random.default_rng(6), epochs) for epochs in (1, 2))
    assert len(twice.responses) == 2 * len(once.responses)
    assert make_cells(twice.problems) == make_cells(once.problems)


def problems_of(
    kind: tuple[bool, int],
    structure: Sequence[object],
    names: Sequence[str],
    headline: Sequence[float],
) -> pd.DataFrame:
    """Problems of one configuration, as `Evidence.problems` has them."""
    depth, num_vars, cut, composite = structure
    return pd.DataFrame(
        {
            "model": "m", "unanswerable": kind[0], "fewshot": kind[1], "ans_depth": depth,
            "num_vars": num_vars, "cut_depth": cut, "composite_name": composite, "problem_id": names,
            "pair_id": [name.strip("'") for name in names], "headline": headline,
            "false_unknown_rate": 0.0,
        }
    )  # fmt: skip


def findings_of_many(
    truth: Truth,
    random: Random,
    models: int,
    answerable: float = 0.5,
    six_shot: float = 0.5,
    recognised_with_pair: float = 0.5,
) -> list[Finding]:
    """Findings on many simulated models: configurations, pairs and six-shot prompts, with a set truth."""
    findings: list[Finding] = []
    names = [f"problem {number}" for number in range(100)]

    def drawn(probability: float) -> list[float]:
        return [float(x < probability) for x in random.random(100)]

    # Pairs and six-shot prompts are of a configuration that no other claim is tested on.
    other = (None, None, None, None)
    for model in range(models):
        frames = [
            problems_of((True, 0), structure, [f"{structure} {name}" for name in names], drawn(p))
            for structure, p in truth.items()
        ]
        for frame in frames:
            frame["pair_id"] = None
        frames += [
            problems_of((True, 0), other, names, drawn(1 - recognised_with_pair)),
            problems_of((True, 6), other, names, drawn(six_shot)),
            problems_of((False, 0), other, [f"{name}'" for name in names], drawn(answerable)),
        ]
        findings += examine(f"model {model}", "m", pd.concat(frames, ignore_index=True))
    return findings


@pytest.mark.parametrize("probability", [0.05, 0.5, 0.9])
def test_claims_do_not_hold_where_there_is_no_effect(probability: float) -> None:
    models = 150
    truth = dict.fromkeys([*STRUCTURES, *CUTS], probability)
    findings = findings_of_many(
        truth, np.random.default_rng(int(100 * probability)), models, answerable=probability,
        six_shot=probability, recognised_with_pair=probability,
    )  # fmt: skip
    if probability != 0.5:
        # What is recognised is drawn with the complement, which six examples do not change.
        findings = [finding for finding in findings if finding.claim.name != "six_shot"]
    assert all(finding.tested for finding in findings)
    wrong = {finding.model for finding in findings if finding.verdict == "holds"}
    # The chance that any claim of a model is said to hold is at most ALPHA; 3 sigma.
    most = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / models)
    assert len(wrong) / models <= most
    for claim in CLAIMS:
        raw = [
            finding.tested.p_value
            for finding in findings
            if finding.claim == claim and finding.tested
        ]
        assert sum(p < ALPHA for p in raw) <= most * models, claim.name


def test_claims_hold_where_the_effects_are_those_of_the_paper() -> None:
    truth: Truth = {}
    for depth, num_vars, cut, composite in STRUCTURES:
        truth[depth, num_vars, cut, composite] = (
            0.1 + 0.08 * (depth - 4) + 0.12 * (num_vars > depth) + 0.12 * composite
        )
    for depth, num_vars, cut, composite in CUTS:
        truth[depth, num_vars, cut, composite] = 0.65 if 3 / 8 <= cut / depth <= 6 / 8 else 0.4
    findings = findings_of_many(
        truth, np.random.default_rng(3), models=40, answerable=0.85, six_shot=0.1,
        recognised_with_pair=0.4,
    )  # fmt: skip
    for claim in CLAIMS:
        verdicts = [finding.verdict for finding in findings if finding.claim == claim]
        assert verdicts.count("holds") / len(verdicts) > 0.8, claim.name
        assert "does not hold" not in verdicts


def test_claims_do_not_hold_where_the_effects_are_reversed() -> None:
    truth = {
        (depth, num_vars, cut, composite): (
            0.9 - 0.1 * (depth - 4) - 0.15 * (num_vars > depth) - 0.15 * composite
        )
        for depth, num_vars, cut, composite in STRUCTURES
    }
    findings = findings_of_many(
        truth, np.random.default_rng(4), models=10, answerable=0.2, six_shot=0.9,
        recognised_with_pair=0.8,
    )  # fmt: skip
    for finding in findings:
        if finding.claim.name == "cut_location":
            assert finding.verdict == "not enough data" and finding.basis.endswith("was not run")
        else:
            assert finding.verdict == "does not hold", finding


def test_a_cut_that_is_worst_at_an_end_is_not_worst_in_the_middle() -> None:
    truth = {
        (depth, num_vars, cut, composite): 0.2 + 0.6 * cut / depth
        for depth, num_vars, cut, composite in CUTS
    }
    findings = findings_of_many(truth, np.random.default_rng(5), models=20)
    cuts = [finding for finding in findings if finding.claim.name == "cut_location"]
    assert all(finding.verdict != "holds" for finding in cuts)
    assert all("against cuts near the root" in finding.basis for finding in cuts)


def test_a_precise_null_result_does_not_hold() -> None:
    half = [0.0, 1.0] * 2500
    frames = [
        problems_of(
            (True, 0), (depth, depth + 2, depth // 2, True), list(map(str, range(5000))), half
        )
        for depth in (2, 4, 6, 8)
    ]
    depth_finding = examine("m", "m", pd.concat(frames))[0]
    assert depth_finding.verdict == "does not hold"
    assert depth_finding.tested is not None
    assert depth_finding.tested.effect.ci_high * 6 < SMALLEST_EFFECT


def test_what_cannot_be_tested_has_its_true_reason() -> None:
    few = [
        problems_of(
            (True, 0),
            (depth, depth + 2, depth // 2, True),
            [f"{depth} {i}" for i in range(5)],
            [1.0] * 5,
        )
        for depth in (2, 4)
    ]
    findings = examine("m", "m", pd.concat(few))
    assert {finding.verdict for finding in findings} == {"not enough data"}
    depth, complexity, *_ = findings
    assert "fewer than 10 problems" in depth.basis
    assert complexity.basis == "structure was not run"
