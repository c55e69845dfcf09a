"""The statistics of reports: published examples, other implementations, and known truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("statsmodels", reason="the extra [report] is not installed")

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency
from statsmodels.stats.contingency_tables import Table as ContingencyTable
from statsmodels.stats.multitest import multipletests

from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.report.build import build_report
from treecut_tasks.report.cells import Cell
from treecut_tasks.report.claims import CLAIMS, SMALLEST_EFFECT, Finding, examine_claims
from treecut_tasks.report.evidence import Evidence, ResponseRow, Run, responses_frame
from treecut_tasks.report.statistics import (
    ALPHA,
    Table2,
    contrast,
    holm,
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
    p_value = stratified_test([Table2((30, 18), (50, 60))])
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
    assert stratified_test([Table2((0, 0), (20, 20))]) == 1.0
    assert slope([same]).ci_high > 0


def test_slope_of_a_straight_line() -> None:
    line = [(depth, of_counts(10 * int(depth), 100)) for depth in (2.0, 4.0, 6.0)]
    assert slope([line]).value == pytest.approx(0.1)


def test_holm_is_that_of_statsmodels() -> None:
    assert holm([]) == []
    for p_values in ([0.01, 0.04, 0.03], [0.5, 0.9, 0.001, 0.001, 1.0]):
        assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


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


def simulated_run(name: str) -> Run:
    return Run(
        path=f"{name}.eval",
        framework="Inspect",
        framework_version="0",
        package_version="0",
        tasks=("structure",),
        task_version="1-A",
        task_id=name,
        model=f"treecut/simulated-{name}",
        kind="unanswerable",
        fewshot=0,
        created="2025-01-01T00:00:00+00:00",
        status="success",
        planned=None,
    )


def simulated_evidence(truth: Truth, models: int, problems: int, random: Random) -> Evidence:
    """Responses of several simulated models to `problems` problems of each configuration."""
    rows = []
    template = ResponseRow(
        run=0, problem_id="", pair_id=None, epoch=1, unanswerable=True, ans_depth=None,
        num_vars=None, cut_depth=None, composite_name=None, fewshot=0, order="random",
        theme="food", sampling="published", counterpart="full", seed=42, scored=True,
    )  # fmt: skip
    for model in range(models):
        for structure, probability in truth.items():
            depth, num_vars, cut, composite = structure
            for number, hallucinated in enumerate(random.random(problems) < probability):
                rows.append(
                    replace(
                        template,
                        run=model,
                        problem_id=f"{structure} {number}",
                        ans_depth=depth,
                        num_vars=num_vars,
                        cut_depth=cut,
                        composite_name=composite,
                        hallucination=float(hallucinated),
                        outcome="number" if hallucinated else "unknown",
                    )
                )
    return Evidence(
        runs=tuple(simulated_run(str(model)) for model in range(models)),
        responses=responses_frame(rows),
    )


def test_the_intervals_of_a_report_cover_the_truth_that_was_set() -> None:
    random = np.random.default_rng(1)
    truth: Truth = dict(zip([*STRUCTURES, *CUTS], random.uniform(0.02, 0.98, 33), strict=False))
    report = build_report(simulated_evidence(truth, models=20, problems=60, random=random))
    covered = []
    for cell in report.cells:
        assert cell.ans_depth and cell.num_vars and cell.cut_depth
        assert cell.composite_name is not None
        set_to = truth[cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name]
        measured = cell.rates["hallucination"]
        assert measured.n == 60
        covered.append(measured.ci_low <= set_to <= measured.ci_high)
    assert len(covered) == 20 * len(truth)
    assert 0.925 <= np.mean(covered) <= 0.975
    assert all("[simulated]" in label for label in report.labels)


def findings_of_many(
    truth: Truth,
    random: Random,
    models: int = 200,
    answerable: float = 0.5,
    six_shot: float = 0.5,
    recognised_with_pair: float = 0.5,
) -> list[Finding]:
    """Findings on many simulated models: cells, pairs and six-shot prompts, with a set truth."""
    findings: list[Finding] = []
    for model in range(models):
        name = f"model {model}"
        cells = [
            Cell(name, True, 0, *structure, {"hallucination": drawn(p, random)}, 100, 0, 0)
            for structure, p in truth.items()
        ]
        n = 100
        identifiers = [f"problem {number}" for number in range(n)]
        zero_shot = (random.random(n) >= recognised_with_pair).astype(float)
        with_examples = (random.random(n) < six_shot).astype(float)
        solved = (random.random(n) < answerable).astype(float)
        nothing = [math.nan] * n
        frame = pd.concat(
            [
                problems(name, True, 0, identifiers, zero_shot.tolist(), nothing),
                problems(name, True, 6, identifiers, with_examples.tolist(), nothing),
                problems(name, False, 0, [f"{i}'" for i in identifiers], nothing, solved.tolist()),
            ]
        )
        findings += examine_claims(cells, frame)
    return findings


def drawn(probability: float, random: Random) -> Rate:
    return of_counts(int(random.binomial(100, probability)), 100)


def problems(
    model: str,
    unanswerable: bool,
    fewshot: int,
    identifiers: list[str],
    hallucination: list[float],
    accuracy: list[float],
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": model,
            "unanswerable": unanswerable,
            "fewshot": fewshot,
            "problem_id": identifiers,
            "pair_id": [identifier.strip("'") for identifier in identifiers],
            "hallucination": hallucination,
            "accuracy": accuracy,
        }
    )


@pytest.mark.parametrize("probability", [0.05, 0.5, 0.9])
def test_claims_do_not_hold_where_there_is_no_effect(probability: float) -> None:
    random = np.random.default_rng(int(100 * probability))
    truth = dict.fromkeys([*STRUCTURES, *CUTS], probability)
    findings = findings_of_many(
        truth, random, answerable=probability, six_shot=1 - probability,
        recognised_with_pair=probability,
    )  # fmt: skip
    assert all(finding.p_value is not None for finding in findings)
    wrong = {finding.model for finding in findings if finding.verdict == "holds"}
    # The chance that any claim of a model is said to hold is at most ALPHA; 200 models, 3 sigma.
    assert len(wrong) / 200 <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / 200)
    for claim in CLAIMS:
        raw = [finding.p_value for finding in findings if finding.claim == claim]
        small = sum(p is not None and p < ALPHA for p in raw) / len(raw)
        assert small <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / 200), claim.name


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
        expected = "not enough data" if finding.claim.name == "cut_location" else "does not hold"
        assert finding.verdict == expected, finding
        assert finding.verdict == "not enough data" or finding.effect is not None


def test_a_cut_that_is_worst_at_an_end_is_not_worst_in_the_middle() -> None:
    truth = {
        (depth, num_vars, cut, composite): 0.2 + 0.6 * cut / depth
        for depth, num_vars, cut, composite in CUTS
    }
    findings = findings_of_many(truth, np.random.default_rng(5), models=20)
    cuts = [finding for finding in findings if finding.claim.name == "cut_location"]
    assert all(finding.verdict != "holds" for finding in cuts)
    assert all("against cuts near the root" in finding.basis for finding in cuts)


def test_no_data_is_not_enough_data() -> None:
    cells = [Cell("m", True, 0, 8, 10, 4, True, {"hallucination": of_counts(3, 5)}, 5, 0, 0)]
    frame = problems("m", True, 0, ["a"], [1.0], [math.nan])
    findings = examine_claims(cells, frame)
    assert [finding.verdict for finding in findings] == ["not enough data"] * len(CLAIMS)
    assert all(finding.basis.startswith("needs ") for finding in findings)


def test_a_precise_null_result_does_not_hold() -> None:
    cells = [
        Cell("m", True, 0, depth, depth + 2, depth // 2, True, {"hallucination": many}, 5000, 0, 0)
        for depth in (2, 4, 6, 8)
        for many in [of_counts(2500, 5000)]
    ]
    findings = examine_claims(cells, problems("m", True, 0, ["a"], [1.0], [math.nan]))
    (depth_finding,) = [finding for finding in findings if finding.claim.name == "depth"]
    assert depth_finding.verdict == "does not hold"
    assert depth_finding.effect is not None
    assert depth_finding.effect.ci_high * 6 < SMALLEST_EFFECT


def test_repetitions_do_not_count_as_more_problems() -> None:
    random = np.random.default_rng(6)
    evidence = simulated_evidence({(8, 10, 4, True): 0.5}, models=1, problems=50, random=random)
    again = evidence.responses.copy()
    again["epoch"] = 2
    twice = Evidence(evidence.runs, pd.concat([evidence.responses, again], ignore_index=True))
    (one,), (two,) = build_report(evidence).cells, build_report(twice).cells
    assert two.responses == 2 * one.responses
    assert two.rates["hallucination"] == one.rates["hallucination"]
