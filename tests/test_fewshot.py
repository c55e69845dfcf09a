"""Worked examples: balanced, never of the evaluated set, and read by our scorer as their own labels."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import configs, seeds
from treecut_tasks import ProblemConfig, TreecutError, generate
from treecut_tasks.evaluation import PAIRED, ItemSet, TaskParameters, build_items, judge_response
from treecut_tasks.evaluation.fewshot import ShotSource, draw_shots
from treecut_tasks.evaluation.parameters import ShotChoice
from treecut_tasks.evaluation.prompts import (
    Shot,
    make_shot,
)
from treecut_tasks.problems import content_id
from treecut_tasks.reading import Determined, read_problem, solve
from treecut_tasks.reference_models.policies import find_problem
from treecut_tasks.themes import Theme

TINY = """\
name: tiny
entities: [Here, There]
items:
  - {name: pear, plural: pears}
  - {name: fig, plural: figs}
values: {min: 5, max: 5, step: 1}
money: {one: a dollar, many: dollars}
"""


def label(shot: Shot) -> str:
    """The answer in the last line of an example."""
    last = shot.response.rpartition("\n")[2]
    assert last.startswith("Answer: ")
    return last.removeprefix("Answer: ")


def items(**parameters: Any) -> ItemSet:
    return build_items(TaskParameters.parse({"num_problems": 3, **parameters}), PAIRED)


class TestSolutions:
    """Every solution reads through our own scorer as its own label, without exception."""

    @settings(max_examples=400)
    @given(configs(), seeds())
    def test_solution_with_its_final_line(self, config: ProblemConfig, seed: int) -> None:
        problem = generate(config, random.Random(seed))
        shot = make_shot(problem.text, problem.solution, problem.answer)
        judged = judge_response(problem.answer, shot.response)
        assert judged.judgement.reason == "answer_line"
        assert judged.says_unknown is judged.unanswerable
        assert judged.ending == ("unknown" if judged.unanswerable else "right")


class TestDraws:
    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(
        configs(unanswerable=True),
        seeds(),
        st.sampled_from([2, 4, 6, 10]),
        st.sampled_from(["per_problem", "shared"]),
    )
    def test_balanced_distinct_and_of_the_configuration(
        self, config: ProblemConfig, seed: int, fewshot: int, choice: ShotChoice
    ) -> None:
        source = ShotSource(config, "0123456789abcdef")
        parameters = TaskParameters(seed=seed, fewshot_examples=choice)
        try:
            shots = draw_shots(source, fewshot, parameters, ())
        except TreecutError as error:
            # The smallest configurations of the smallest themes have no ten problems.
            assert "examples that differ" in str(error)
            return
        assert shots == draw_shots(source, fewshot, parameters, ())
        labels = [label(shot) for shot in shots]
        assert labels.count("unknown") == fewshot / 2
        assert len({shot.prompt for shot in shots}) == fewshot
        assert isinstance(config.theme, Theme)
        for shot, answer in zip(shots, labels, strict=True):
            read = read_problem(find_problem(shot.prompt), [config.theme])
            assert len(read.sentences) == config.vars - (answer == "unknown")
            verdict = solve(read)
            found = str(verdict.value) if isinstance(verdict, Determined) else "unknown"
            assert found == answer

    def test_order_is_random(self) -> None:
        orders = {
            tuple(label(shot) == "unknown" for shot in item_set.shots(item, 6))
            for item_set in [items(ans_depth=2, num_problems=30)]
            for item, _ in item_set.pairs()
        }
        assert len(orders) > 10

    def test_per_problem_or_shared(self) -> None:
        for choice, different in (("per_problem", 6), ("shared", 2)):
            item_set = items(ans_depth=[2, 4], num_problems=3, fewshot_examples=choice)
            drawn = {item_set.shots(first, 6) for first, _ in item_set.pairs()}
            # Shared examples are shared by the problems of one configuration.
            assert len(drawn) == different

    def test_both_members_of_a_pair_get_the_same_examples(self) -> None:
        item_set = items(ans_depth=4)
        for first, second in item_set.pairs():
            assert item_set.shots(first, 6) == item_set.shots(second, 6)

    @given(st.integers(0, 30))
    def test_no_example_is_evaluated_or_the_counterpart_of_one(self, seed: int) -> None:
        """In a theme with so few problems that chance alone would draw the evaluated ones."""
        config = ProblemConfig(
            ans_depth=2, num_vars=2, composite_name=False, order="forward", theme="food"
        )
        source, shared = ShotSource(config, "key"), TaskParameters(seed=seed)
        free = draw_shots(source, 6, shared, ())
        ids = {content_id(find_problem(shot.prompt), label(shot)) for shot in free}
        taken = set(list(ids)[:3])
        others = draw_shots(source, 6, shared, taken)
        drawn = {content_id(find_problem(shot.prompt), label(shot)) for shot in others}
        assert drawn.isdisjoint(taken)
        assert len(drawn) == 6

    @pytest.mark.parametrize("choice", ["per_problem", "shared"])
    def test_all_evaluated_problems_are_reserved(self, choice: ShotChoice, tmp_path: Path) -> None:
        (tmp_path / "tiny.yaml").write_text(TINY, encoding="utf-8")
        # 27 unanswerable problems for each of two names; half of them are evaluated.
        item_set = items(
            theme=str(tmp_path / "tiny.yaml"), composite_name=False, ans_depth=2, num_vars=2,
            order="forward", num_problems=8, fewshot_examples=choice,
        )  # fmt: skip
        evaluated = {item.problem for item in item_set.items}
        for item in item_set.items:
            for shot in item_set.shots(item, 4):
                assert find_problem(shot.prompt) not in evaluated

    def test_seed_and_problem_name_the_examples(self) -> None:
        config = ProblemConfig(ans_depth=2)
        choices: tuple[tuple[ShotChoice, int], ...] = (("per_problem", 4), ("shared", 2))
        for choice, different in choices:
            drawn = {
                draw_shots(
                    ShotSource(config, key),
                    4,
                    TaskParameters(seed=seed, fewshot_examples=choice),
                    (),
                )
                for seed in (1, 2)
                for key in ("a", "b")
            }
            assert len(drawn) == different


class TestBadInput:
    @pytest.mark.parametrize("fewshot", [1, 3, -2, 2.0, True, "6"])
    def test_number(self, fewshot: Any) -> None:
        with pytest.raises(TreecutError, match="must be an even whole number from 0 to 200"):
            draw_shots(ShotSource(ProblemConfig(), "a"), fewshot, TaskParameters(), ())
