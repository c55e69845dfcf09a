"""Instructions, scores under penalties, and calibration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecut_tasks import ProblemConfig, TreecutError, pair_at, problem_prompt
from treecut_tasks.evaluation.calibration import Stated, calibrate, reliability, risk_coverage
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.penalties import TARGETS, estimate, measure
from treecut_tasks.evaluation.prompts import make_shot
from treecut_tasks.evaluation.rates import rate

PAIRS = 20
WRONG = "999"


def responses(unanswerable: str, answerable: str) -> list[JudgedResponse]:
    """Pairs to which a model answers alike."""
    return [
        judge_response(answer, f"Answer: {response}")
        for _ in range(PAIRS)
        for answer, response in (("unknown", unanswerable), ("11", answerable))
    ]


CLUSTERS = [number // 2 for number in range(2 * PAIRS)]


class TestInstructions:
    def test_each_is_another_prompt_about_the_same_problem(self) -> None:
        problem = pair_at(ProblemConfig(ans_depth=2), seed=1, index=0).unanswerable
        names = ("standard", "bare", "confidence", "target:0.5", "target:0.75")
        prompts = {problem_prompt(problem, "none", name)[0].content for name in names}
        assert len(prompts) == len(names)
        assert all(f"\n{problem.text}\n" in prompt for prompt in prompts)

    def test_bare_does_not_say_that_the_answer_may_be_unknown(self) -> None:
        assert "unknown" not in problem_prompt("P", "none", "bare")[0].content

    @pytest.mark.parametrize(("target", "points"), [("0.5", "1"), ("0.75", "3"), ("0.9", "9")])
    def test_the_penalty_is_written_out(self, target: str, points: str) -> None:
        prompt = problem_prompt("P", "none", f"target:{target}")[0].content
        assert f"a wrong number costs {points} point" in prompt

    def test_examples_end_as_the_prompt_asks(self) -> None:
        shot = make_shot("P", "It costs 7.", "7", "confidence")
        assert shot.response == "It costs 7.\n\nAnswer: 7\nConfidence: 100 %"
        judged = judge_response("7", shot.response)
        assert (judged.judgement.tier, judged.ending, judged.confidence) == ("contract", "right", 1)

    @pytest.mark.parametrize("name", ["target:1", "target:x", "target:0", "target:-0.5", "bare "])
    def test_others_are_refused(self, name: str) -> None:
        with pytest.raises(TreecutError, match=r"instruction is '.*': it must be standard, bare"):
            problem_prompt("P", "none", name)


class TestMeasures:
    """Closed forms for models that answer alike everywhere."""

    @pytest.mark.parametrize(
        ("unanswerable", "answerable", "right", "wrong", "precision", "recall", "f1", "attempted"),
        [
            ("unknown", "11", 1, 0, 1, 1, 1, 1),
            ("5", "11", 1 / 2, 1 / 2, math.nan, 0, 0, 1 / 2),
            ("5", WRONG, 0, 1, math.nan, 0, 0, 0),
            ("unknown", "unknown", 1 / 2, 0, 1 / 2, 1, 2 / 3, math.nan),
        ],
        ids=["solver", "always answers", "guesser", "always abstains"],
    )
    def test_closed_forms(
        self,
        unanswerable: str,
        answerable: str,
        right: float,
        wrong: float,
        precision: float,
        recall: float,
        f1: float,
        attempted: float,
    ) -> None:
        judged = responses(unanswerable, answerable)
        found = estimate(judged, CLUSTERS, np.random.default_rng(0))
        expected = {
            **{f"score_at_{t}": right - t / (100 - t) * wrong for t in TARGETS},
            "right_minus_wrong_index": 100 * (right - wrong),
            "abstention_precision": precision,
            "abstention_recall": recall,
            "abstention_f1": f1,
            "accuracy_given_attempted": attempted,
        }
        assert {name: found[name].value for name in expected} == pytest.approx(
            expected, nan_ok=True
        )
        measured = measure(judged)
        assert {name: measured[name] for name in expected} == pytest.approx(expected, nan_ok=True)
        # Every pair is alike, and yet the next one need not be.
        for each in found.values():
            assert math.isnan(each.value) or each.ci_low <= each.value <= each.ci_high
            assert each.ci_low != each.ci_high
        wilson = rate([recall] * (len(judged) // 2))
        assert found["abstention_recall"] == pytest.approx(
            (wilson.value, wilson.ci_low, wilson.ci_high)
        )

    def test_noticing_is_told_from_the_verdict(self) -> None:
        missing = "The price of a pie is not given."
        judged = [
            judge_response("unknown", f"{missing} Answer: unknown"),
            judge_response("unknown", f"{missing} I assume it is 5 dollars. Answer: 12"),
            judge_response("unknown", "Answer: 12", reasoning=f"Hmm. {missing} But let's go on."),
            judge_response("unknown", "Answer: 12"),
            judge_response("11", f"{missing} Answer: unknown"),
            judge_response("11", "Nothing is missing. Answer: 11"),
        ]
        found = measure(judged)
        assert found["noticed_rate"] == 3 / 4
        assert found["answered_after_noticing_rate"] == 2 / 4
        assert found["assumed_rate"] == 1 / 4
        assert found["false_alarm_rate"] == 1 / 2
        assert [each.noticed.upheld for each in judged[:3] if each.noticed] == [True, True, False]
        for each in judged:
            assert JudgedResponse.from_record(each.record()) == each

    @pytest.mark.parametrize("target", [50, 75, 90])
    def test_answering_above_the_target_is_the_best_policy(self, target: int) -> None:
        rng = np.random.default_rng(3)
        chance = rng.random(4000)
        right = rng.random(4000) < chance

        def score(threshold: float) -> float:
            judged = [
                judge_response("11", "Answer: unknown")
                if p <= threshold
                else judge_response("11", f"Answer: {'11' if hit else WRONG}")
                for p, hit in zip(chance, right, strict=True)
            ]
            return measure(judged)[f"score_at_{target}"]

        own = score(target / 100)
        assert all(own > score(other) for other in (0.2, 0.99))


def stated(confidence: list[float], right: list[bool]) -> list[Stated]:
    return [Stated(c, r, i // 2) for i, (c, r) in enumerate(zip(confidence, right, strict=True))]


class TestCalibration:
    def test_perfect_and_worst(self) -> None:
        rng = np.random.default_rng(0)
        perfect = calibrate(stated([1.0, 0.0] * 20, [True, False] * 20), rng)
        assert (perfect.brier.value, perfect.auroc.value) == (0, 1)
        assert perfect.calibration_error.value == 0
        worst = calibrate(stated([1.0, 0.0] * 20, [False, True] * 20), rng)
        assert (worst.brier.value, worst.auroc.value) == (1, 0)
        assert worst.calibration_error.value == pytest.approx(1)

    def test_one_confidence_for_all_tells_nothing_apart(self) -> None:
        found = calibrate(stated([0.9] * 40, [True, False] * 20), np.random.default_rng(0))
        assert found.auroc.value == 0.5
        assert found.calibration_error.value == pytest.approx(0.4)
        assert found.risk_coverage_area.value == pytest.approx(0.5)

    def test_all_right_leaves_auroc_undefined(self) -> None:
        found = calibrate(stated([0.9, 0.8] * 5, [True] * 10), np.random.default_rng(0))
        assert math.isnan(found.auroc.value)
        assert found.risk_coverage_area.value == 0

    @given(
        st.lists(
            st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]), st.booleans()),
            min_size=1,
            max_size=40,
        )
    )
    def test_any_responses(self, drawn: list[tuple[float, bool]]) -> None:
        rows = stated([c for c, _ in drawn], [r for _, r in drawn])
        found = calibrate(rows, np.random.default_rng(0))
        for name in ("brier", "calibration_error", "auroc", "risk_coverage_area"):
            value, low, high = getattr(found, name)
            assert math.isnan(value) or -1e-9 <= value <= 1 + 1e-9
            assert math.isnan(value) or low <= high
        assert found.brier.value == pytest.approx(np.mean([(c - r) ** 2 for c, r in drawn]))
        assert sum(n for _, _, n in reliability(rows)) == len(rows)
        coverage, risk = risk_coverage(rows)[-1]
        assert coverage == 1
        assert risk == pytest.approx(np.mean([not r for _, r in drawn]))
