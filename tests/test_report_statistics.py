"""The statistics of reports: published examples, other implementations, and known truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("statsmodels", reason="the extra [report] is not installed")

import numpy as np
import pandas as pd
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.contingency_tables import Table as ContingencyTable
from statsmodels.stats.multitest import multipletests

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.judging import judge_response
from treecut_tasks.evaluation.rates import Rate, rate
from treecut_tasks.logs import Batch, ProblemFacts, Response, Run
from treecut_tasks.report.cells import CONFIGURATION, make_cells
from treecut_tasks.report.document import Table
from treecut_tasks.report.evidence import Evidence, gather
from treecut_tasks.report.sections.claims import SMALLEST_EFFECT, TESTS, examine
from treecut_tasks.report.statistics import ALPHA, contrast, holm, paired, slope, trend_test

Random = np.random.Generator


@cache
def of_counts(successes: int, n: int) -> Rate:
    return rate([1.0] * successes + [0.0] * (n - successes))


def outcomes(both: int, first: int, second: int, neither: int) -> tuple[list[float], list[float]]:
    one = [1.0] * (both + first) + [0.0] * (second + neither)
    two = [1.0] * both + [0.0] * first + [1.0] * second + [0.0] * neither
    return one, two


def test_paired_interval_is_newcombes_method_10() -> None:
    # Newcombe (1998, Statistics in Medicine 17, 2635), Table II: 36, 12, 2, 0 and 29, 9, 3, 9.
    found = paired(*outcomes(36, 2, 12, 0))
    assert found.effect == pytest.approx((0.2, 0.0569, 0.3404), abs=5e-5)


def test_difference_of_two_rates_is_newcombes_method_10() -> None:
    # Newcombe (1998, Statistics in Medicine 17, 873), 56/70 and 48/80.
    effect = contrast([of_counts(56, 70), of_counts(48, 80)], [1, -1])
    assert (effect.ci_low, effect.ci_high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_mcnemar_is_the_exact_binomial_test() -> None:
    found = paired(*outcomes(5, 2, 12, 3))
    assert (found.up, found.down) == (12, 2)
    assert found.p_value == pytest.approx(2 * sum(math.comb(14, k) for k in range(3)) / 2**14)
    assert paired([1.0, 0.0], [1.0, 0.0]).p_value == 1


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_paired_interval_holds_its_estimate(pairs: list[tuple[bool, bool]]) -> None:
    value, low, high = paired(*([float(pair[side]) for pair in pairs] for side in (0, 1))).effect
    assert -1 - 1e-9 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1 + 1e-9


def test_two_groups_are_compared_as_mantel_and_haenszel_do() -> None:
    counts = [((30, 50), (18, 60)), ((5, 20), (9, 70))]
    strata = [[(1.0, of_counts(*one)), (0.0, of_counts(*two))] for one, two in counts]
    tables = [np.array([[x, n - x] for x, n in groups]) for groups in counts]
    other = StratifiedTable(tables).test_null_odds(correction=False)
    assert trend_test(strata) == pytest.approx(other.pvalue)


def test_trend_in_one_stratum_is_that_of_statsmodels() -> None:
    cells = [(2.0, of_counts(9, 50)), (4.0, of_counts(14, 50)), (8.0, of_counts(22, 40))]
    table = ContingencyTable(np.array([[41, 9], [36, 14], [18, 22]]))
    other = table.test_ordinal_association(row_scores=np.array([2, 4, 8]))
    assert trend_test([cells]) == pytest.approx(other.pvalue, rel=0.02)


def test_p_values_are_corrected_as_statsmodels_does() -> None:
    p_values = [0.03, 0.001, 0.4, 0.02, 0.9, 0.02]
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())
    assert holm([]) == []


def test_where_nothing_varies_nothing_is_found() -> None:
    same = [(2.0, of_counts(0, 20)), (4.0, of_counts(0, 20))]
    assert trend_test([same]) == 1.0
    assert slope([same]).ci_high > 0


def test_slope_of_a_straight_line() -> None:
    line = [(depth, of_counts(10 * int(depth), 100)) for depth in (2.0, 4.0, 6.0)]
    assert slope([line]).value == pytest.approx(0.1)


def coverage(effects: Sequence[Estimate], truth: float) -> float:
    return sum(each.ci_low <= truth <= each.ci_high for each in effects) / len(effects)


def test_intervals_of_effects_cover_the_truth() -> None:
    random = np.random.default_rng(20250101)
    for truths in ((0.1, 0.2, 0.4), (0.5, 0.5, 0.5), (0.98, 0.9, 0.95)):
        slopes, contrasts = [], []
        for _ in range(1500):
            rates = [of_counts(int(random.binomial(100, p)), 100) for p in truths]
            slopes.append(slope([list(zip((2.0, 4.0, 8.0), rates, strict=True))]))
            contrasts.append(contrast(rates, [1, -0.5, -0.5]))
        doses = np.array([2.0, 4.0, 8.0]) - 14 / 3
        assert 0.93 <= coverage(slopes, float(doses @ np.array(truths) / (doses @ doses))) <= 0.985
        assert 0.93 <= coverage(contrasts, truths[0] - (truths[1] + truths[2]) / 2) <= 0.985


def test_paired_intervals_cover_the_truth() -> None:
    random = np.random.default_rng(7)
    for first, up, down in ((0.5, 0.3, 0.2), (0.9, 0.5, 0.05), (0.2, 0.02, 0.1)):
        effects = []
        for _ in range(400):
            one = random.random(120) < first
            two = np.where(one, random.random(120) >= down, random.random(120) < up)
            effects.append(paired(one.astype(float).tolist(), two.astype(float).tolist()).effect)
        # Newcombe's correction makes it cautious where few problems are discordant.
        assert 0.93 <= coverage(effects, (1 - first) * up - first * down) <= 0.995


STRUCTURES = [
    (depth, depth + extra, depth // 2, composite)
    for depth in (4, 6, 8)
    for extra in (0, 2)
    for composite in (True, False)
]
CUTS = [(8, 10, cut, True) for cut in range(1, 8)]
Truth = dict[tuple[int, int, int, bool], float]


def evidence_of(truth: Truth, problems: int, random: Random, epochs: int = 1) -> Evidence:
    """Responses of a model to `problems` problems of each configuration."""
    judged = [judge_response("unknown", text) for text in ("Answer: unknown", "Answer: 7")]
    responses = []
    for structure, probability in truth.items():
        facts = ProblemFacts.model_validate(dict(zip(CONFIGURATION, structure, strict=True)))
        for number, hallucinated in enumerate(random.random(problems) < probability):
            name = f"{structure} {number}"
            responses += [
                Response(
                    f"{name} {epoch}", name, "structure", name, epoch, facts,
                    judged[int(hallucinated)], unanswerable=True,
                )
                for epoch in range(1, epochs + 1)
            ]  # fmt: skip
    run = Run(path="log", framework="Inspect", tasks=("structure",), model="model")
    return gather([Batch(run, responses)])


def test_the_intervals_of_a_report_cover_the_truth_that_was_set() -> None:
    random = np.random.default_rng(1)
    structures = [*STRUCTURES, *CUTS] * 5
    covered = []
    for part in np.array_split(np.arange(len(structures)), 5):
        chosen = [structures[index] for index in part]
        truth: Truth = dict(zip(chosen, random.uniform(0.02, 0.98, len(chosen)), strict=True))
        cells = make_cells(evidence_of(truth, 60, random).problems)
        for row in cells.itertuples():
            set_to = truth[row.ans_depth, row.num_vars, row.cut_depth, bool(row.composite_name)]
            assert row.problems == 60
            covered.append(row.ci_low <= set_to <= row.ci_high)
    assert 0.91 <= np.mean(covered) <= 0.985


def test_repetitions_do_not_count_as_more_problems() -> None:
    truth = {(8, 10, 4, True): 0.5}
    once, twice = (evidence_of(truth, 50, np.random.default_rng(6), epochs) for epochs in (1, 2))
    assert len(twice.responses) == 2 * len(once.responses)
    pd.testing.assert_frame_equal(make_cells(twice.problems), make_cells(once.problems))


def problems_of(
    kind: tuple[bool, int],
    structure: Sequence[object],
    names: Sequence[str],
    headline: Sequence[float],
) -> pd.DataFrame:
    """Problems of one configuration, as `Evidence.problems` has them."""
    return pd.DataFrame(
        {
            "model": "m", "unanswerable": kind[0], "fewshot": kind[1],
            **dict(zip(CONFIGURATION, structure, strict=True)), "problem_id": names,
            "pair_id": [name.strip("'") for name in names], "headline": headline,
            "false_unknown_rate": 0.0, "instruction": "standard",
        }
    )  # fmt: skip


def findings(label: str, problems: pd.DataFrame) -> pd.DataFrame:
    """What the tests of all claims find."""
    return Table.of("claims", "", examine(label, "m", problems), {}).data


def findings_of(
    truth: Truth,
    random: Random,
    models: int,
    answerable: float = 0.5,
    six_shot: float = 0.5,
    recognised_with_pair: float = 0.5,
) -> pd.DataFrame:
    """Findings on many simulated models: configurations, pairs and six-shot prompts, with a set truth."""
    names = [f"problem {number}" for number in range(100)]

    def drawn(probability: float) -> list[float]:
        return [float(x < probability) for x in random.random(100)]

    # Pairs and six-shot prompts are of a configuration that no other claim is tested on.
    other = (None, None, None, None)
    found = []
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
        asked = pd.concat(frames, ignore_index=True).assign(model=f"model {model}")
        found.append(findings(f"model {model}", asked))
    return pd.concat(found, ignore_index=True)


def test_claims_do_not_hold_where_there_is_no_effect() -> None:
    truth = [*STRUCTURES, *CUTS]
    parts = []
    for probability in (0.05, 0.5, 0.9):
        found = findings_of(
            dict.fromkeys(truth, probability), np.random.default_rng(int(100 * probability)), 20,
            answerable=probability, six_shot=1 - probability, recognised_with_pair=probability,
        )  # fmt: skip
        parts.append(found.assign(model=found["model"] + f" at {probability}"))
    found = pd.concat(parts)
    assert found["test"].notna().all()
    models = found["model"].nunique()
    # The chance that any claim of a model is said to hold is at most ALPHA; 3 sigma.
    most = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / models)
    assert found.loc[found["verdict"] == "holds", "model"].nunique() / models <= most
    for claim, own in found.groupby("claim"):
        assert (own["p_value"] < ALPHA).sum() <= most * models, claim


def test_claims_hold_where_the_effects_are_those_of_the_paper() -> None:
    truth: Truth = {}
    for depth, num_vars, cut, composite in STRUCTURES:
        truth[depth, num_vars, cut, composite] = (
            0.1 + 0.08 * (depth - 4) + 0.12 * (num_vars > depth) + 0.12 * composite
        )
    for depth, num_vars, cut, composite in CUTS:
        truth[depth, num_vars, cut, composite] = 0.65 if 3 / 8 <= cut / depth <= 6 / 8 else 0.4
    found = findings_of(
        truth, np.random.default_rng(3), 10, answerable=0.85, six_shot=0.1,
        recognised_with_pair=0.4,
    )  # fmt: skip
    for claim in TESTS:
        verdicts = found.loc[found["claim"] == claim, "verdict"]
        assert (verdicts == "holds").mean() > 0.8, claim
        assert "does not hold" not in set(verdicts)


def test_claims_do_not_hold_where_the_effects_are_reversed() -> None:
    truth = {
        (depth, num_vars, cut, composite): (
            0.9 - 0.1 * (depth - 4) - 0.15 * (num_vars > depth) - 0.15 * composite
        )
        for depth, num_vars, cut, composite in STRUCTURES
    }
    found = findings_of(
        truth, np.random.default_rng(4), 5, answerable=0.2, six_shot=0.9,
        recognised_with_pair=0.8,
    )  # fmt: skip
    cuts = found["claim"] == "cut_location"
    assert set(found.loc[cuts, "verdict"]) == {"not enough data"}
    assert found.loc[cuts, "basis"].str.endswith("was not run").all()
    assert set(found.loc[~cuts, "verdict"]) == {"does not hold"}


def test_a_cut_that_is_worst_at_an_end_is_not_worst_in_the_middle() -> None:
    truth = {
        (depth, num_vars, cut, composite): 0.2 + 0.6 * cut / depth
        for depth, num_vars, cut, composite in CUTS
    }
    found = findings_of(truth, np.random.default_rng(5), 5)
    cuts = found[found["claim"] == "cut_location"]
    assert "holds" not in set(cuts["verdict"])
    assert cuts["basis"].str.contains("against cuts near the root").all()


def test_a_precise_null_result_does_not_hold() -> None:
    half = [0.0, 1.0] * 2500
    frames = [
        problems_of(
            (True, 0), (depth, depth + 2, depth // 2, True), list(map(str, range(5000))), half
        )
        for depth in (2, 4, 6, 8)
    ]
    found = findings("m", pd.concat(frames)).iloc[0]
    assert (found["claim"], found["verdict"]) == ("depth", "does not hold")
    assert found["effect_ci_high"] * 6 < SMALLEST_EFFECT


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
    found = findings("m", pd.concat(few))
    assert set(found["verdict"]) == {"not enough data"}
    assert "fewer than 10 problems" in found["basis"][0]
    assert found["basis"][1] == "structure was not run"
