"""True pairs: what the two members share, and what each of them lacks."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.exchange import by_sentence, exchanged, number_of_words, parts_of_the_asked
from tests.strategies import THEMES, configs, seeds
from treecut_tasks import Pair, Problem, ProblemConfig, TreecutError, generate_pair, pair_at
from treecut_tasks.problems import (
    COUNTERPARTS,
    ORDERS,
    SAMPLINGS,
    default_num_vars,
    generate,
    problem_at,
)
from treecut_tasks.problems.pairs import differences, free_ends, spare_edges
from treecut_tasks.reading import (
    Determined,
    ReadProblem,
    Undetermined,
    read_problem,
    solve,
)
from treecut_tasks.tasks import paired
from treecut_tasks.themes import Theme, Variable, load_theme


def themes_of(config: ProblemConfig) -> list[Theme]:
    assert isinstance(config.theme, Theme)
    return [config.theme]


def check_verdicts(pair: Pair) -> None:
    """The independent reader agrees with both labels."""
    themes = themes_of(pair.unanswerable.config)
    assert isinstance(solve(read_problem(pair.unanswerable.text, themes)), Undetermined)
    verdict = solve(read_problem(pair.answerable.text, themes))
    assert isinstance(verdict, Determined)
    assert str(verdict.value) == pair.answerable.answer
    assert pair.unanswerable.answer == "unknown"


def sentences(problem: Problem) -> list[str]:
    return [sentence.text for sentence in problem.sentences]


def shared_parts(problem: Problem) -> tuple[Any, ...]:
    return problem.phrases, problem.values, problem.parents, problem.asked


class TestFull:
    @given(configs(unanswerable=True), seeds())
    def test_they_differ_by_the_cut_sentence_alone(self, config: ProblemConfig, seed: int) -> None:
        pair = generate_pair(config, random.Random(seed))
        cut, whole = pair.unanswerable, pair.answerable
        assert shared_parts(cut) == shared_parts(whole)
        removed = cut.lacks
        assert removed is not None
        assert whole.lacks is None
        expected = sentences(cut)
        expected.insert(removed.position, removed.sentence.text)
        assert sentences(whole) == expected
        assert removed.edge == (config.cut_into - 1, config.cut_into)  # type: ignore[operator]
        check_verdicts(pair)

    @given(configs(unanswerable=True), seeds())
    def test_the_unanswerable_member_is_the_ordinary_problem(
        self, config: ProblemConfig, seed: int
    ) -> None:
        pair = generate_pair(config, random.Random(seed))
        assert pair.unanswerable == generate(config, random.Random(seed))
        assert pair_at(config, seed, 3).unanswerable == problem_at(config, seed, 3)

    def test_the_cut_sentence_stands_anywhere(self) -> None:
        """In random order its place is uniform; otherwise it is where the order wants it."""
        config = ProblemConfig(ans_depth=4)
        places = Counter(
            removed.position
            for i in range(600)
            if (removed := pair_at(config, 1, i).unanswerable.lacks) is not None
        )
        assert sorted(places) == list(range(6))
        assert min(places.values()) > 50
        for order in ("forward", "backward"):
            whole = pair_at(ProblemConfig(ans_depth=4, order=order), 1, 0).answerable
            edges = [sentence.edge for sentence in whole.sentences]
            tree = list(whole.tree)
            assert edges == (tree if order == "forward" else tree[::-1])


@st.composite
def matched_configs(draw: st.DrawFn) -> ProblemConfig:
    """Configurations in which a matched counterpart turns up soon."""
    theme = draw(st.sampled_from(THEMES))
    composite = draw(st.booleans())
    ans_depth = draw(st.integers(2, 8))
    num_vars = default_num_vars(ans_depth, "matched") + draw(st.integers(0, 2))
    assume(num_vars <= theme.capacity(composite))
    return ProblemConfig(
        theme=theme,
        composite_name=composite,
        num_vars=num_vars,
        ans_depth=ans_depth,
        order=draw(st.sampled_from(ORDERS)),
        cut_depth=draw(st.integers(1, ans_depth - 1)),
        sampling=draw(st.sampled_from(SAMPLINGS)),
    )


def namings_of(problem: ReadProblem) -> dict[Variable, tuple[int, int]]:
    """For each variable how many sentences name it, and how many of them state its price."""
    return {
        variable: (len(naming), sum(sentence.kind == "fact" for sentence in naming))
        for variable in problem.variables
        for naming in [[s for s in problem.sentences if variable in s.equation.coefficients]]
    }


def places_of_the_asked(problem: ReadProblem) -> list[int]:
    """Where in the text the sentences stand that name the questioned variable."""
    return [s.number for s in problem.sentences if problem.asked in s.equation.coefficients]


class TestMatched:
    # Drawing until a spare edge fits takes its time.
    @settings(max_examples=150, suppress_health_check=list(HealthCheck))
    @given(matched_configs(), seeds())
    def test_nothing_on_the_surface_tells_them_apart(
        self, config: ProblemConfig, seed: int
    ) -> None:
        pair = generate_pair(config, random.Random(seed), "matched")
        cut, whole = pair.unanswerable, pair.answerable
        assert shared_parts(cut) == shared_parts(whole)
        assert len(cut.sentences) == len(whole.sentences) == config.num_vars - 1  # type: ignore[operator]
        themes = themes_of(config)
        read = [read_problem(member.text, themes) for member in (cut, whole)]
        assert set(read[0].variables) == set(read[1].variables)
        assert len(read[0].variables) == config.num_vars
        namings = [sorted(namings_of(problem).values()) for problem in read]
        assert namings[0] == namings[1]
        if config.order != "random":
            places = [places_of_the_asked(problem) for problem in read]
            assert places[0] == places[1]
            marked = [by_sentence(each, parts_of_the_asked(each)) for each in (cut, whole)]
            assert marked[0] == marked[1]
        # Which is as likely as the counterpart itself.
        alike = exchanged(pair)
        for respect in (number_of_words, parts_of_the_asked(cut)):
            assert sorted(by_sentence(alike, respect)) == sorted(by_sentence(cut, respect))
        check_verdicts(pair)

    @pytest.mark.parametrize("cut_depth", range(1, 6))
    def test_items_and_places_that_share_a_sentence_do_not_tell_them_apart(
        self, cut_depth: int
    ) -> None:
        """Where there are four items or more; with three there are not always such names."""
        config = ProblemConfig(theme="outfit", ans_depth=6, cut_depth=cut_depth)
        for i in range(20):
            pair = pair_at(config, 1, i, counterpart="matched")
            alike = exchanged(pair)
            for part in ("item", "entity"):
                of_cut, of_alike = (
                    sorted(by_sentence(member, attrgetter(part)))
                    for member in (pair.unanswerable, alike)
                )
                assert of_cut == of_alike

    def test_where_no_names_fit_others_are_taken(self) -> None:
        """Three items of two, three and four words cannot hide lengths and mentions at this cut."""
        outfit = load_theme("outfit")
        names = {"polo shirt", "pair of jeans", "pair of chino pants"}
        items = tuple(item for item in outfit.items if item.name in names)
        theme = replace(outfit, name="three", items=items)
        config = ProblemConfig(theme=theme, ans_depth=4, cut_depth=2)
        for i in range(3):
            pair = pair_at(config, 0, i, counterpart="matched")
            check_verdicts(pair)
            tables = [
                [
                    sorted(by_sentence(member, respect))
                    for member in (pair.unanswerable, exchanged(pair))
                ]
                for respect in (number_of_words, parts_of_the_asked(pair.unanswerable))
            ]
            assert [one == two for one, two in tables] in ([True, False], [False, True])

    @settings(max_examples=15, suppress_health_check=list(HealthCheck))
    @given(seeds(), st.sampled_from(ORDERS))
    def test_each_member_names_what_it_lacks(self, seed: int, order: Any) -> None:
        pair = generate_pair(
            ProblemConfig(ans_depth=4, order=order), random.Random(seed), "matched"
        )
        lost, spared = pair.unanswerable.lacks, pair.answerable.lacks
        assert lost is not None
        assert spared is not None
        assert lost.sentence != spared.sentence
        # Both come from the same full problem: putting each sentence back gives the same texts.
        full = pair.unanswerable.counterpart()
        restored = sentences(pair.answerable)
        restored.insert(spared.position, spared.sentence.text)
        assert restored == sentences(full)
        assert spared.sentence.text in sentences(pair.unanswerable)
        assert lost.sentence.text in sentences(pair.answerable)
        # What is spared leads away from the path, below a variable that is named elsewhere.
        assert spared.edge[1] > pair.unanswerable.asked
        assert spared.edge[1] in pair.unanswerable.parents

    @pytest.mark.parametrize("ans_depth", [2, 4, 6, 8])
    def test_the_defaults_have_pairs(self, ans_depth: int) -> None:
        config = ProblemConfig(ans_depth=ans_depth, num_vars=default_num_vars(ans_depth, "matched"))
        check_verdicts(pair_at(config, 42, 0, counterpart="matched"))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"ans_depth": 4, "num_vars": 4}, "num_vars=4, ans_depth=4"),
            ({"ans_depth": 4, "num_vars": 5}, "use num_vars 6 or more"),
            ({"ans_depth": 2, "num_vars": 4}, "two-by-two grid"),
            ({"ans_depth": 2, "num_vars": 3}, "use num_vars 6 or more"),
        ],
        ids=str,
    )
    def test_impossible_configurations(self, parameters: dict[str, Any], message: str) -> None:
        with pytest.raises(TreecutError, match="has no matched counterpart") as error:
            generate_pair(ProblemConfig(**parameters), random.Random(0), "matched")
        assert message in str(error.value)
        assert "counterpart full" in str(error.value)

    def test_four_simple_names_do_have_pairs(self) -> None:
        config = ProblemConfig(ans_depth=2, num_vars=4, composite_name=False)
        check_verdicts(generate_pair(config, random.Random(0), "matched"))


class TestParts:
    """What `generate_pair` is made of, on the path 1-2-3-4 with 5 below 2 and 6 below 5."""

    PARENTS = (0, 1, 2, 3, 2, 5)
    ENDS = free_ends(PARENTS, (2, 3), (2, 5))

    def test_spare_edges(self) -> None:
        assert spare_edges(self.PARENTS, 4, 3, "random") == ((2, 5),)
        assert spare_edges(self.PARENTS, 4, 3, "forward") == ((2, 5),)
        # The spare edge would have 1 and 5 as free ends; only the one is joined to the root.
        assert spare_edges(self.PARENTS, 4, 2, "random") == ()
        # 5 is a leaf; its sentence is the only one to name it.
        assert spare_edges((0, 1, 2, 3, 2), 4, 3, "random") == ()
        # The spare edge touches the questioned variable.
        assert spare_edges((0, 1, 2, 3, 4, 5), 4, 3, "random") == ()

    def test_free_ends(self) -> None:
        assert self.ENDS == (3, 5, (4,), (6,))
        assert free_ends(self.PARENTS, (1, 2), (2, 5)) == (1, 5, (0,), (6,))

    @pytest.mark.parametrize(
        ("names", "expected"),
        [
            # x_3 and x_5 are alike in everything but the item, their neighbours in the item.
            ("pie@A tart@A pizza@A burger@A lasagna@A burger@B", (0, 0)),
            ("pie@A tart@A pizza@A burger@A lasagna@A tart@B", (0, 1)),
            # The places differ, and which of them the questioned one shares tells.
            ("pie@A tart@A pizza@A burger@A lasagna@B burger@B", (1, 1)),
            # Two words beside x_3, one word beside x_5.
            ("pie tart pizza Cobb_salad fruit_tart burger", (1, 0)),
            ("pie tart pizza Cobb_salad lasagna burger", (0, 0)),
        ],
    )
    def test_differences(self, names: str, expected: tuple[int, int]) -> None:
        variables = []
        for name in names.split():
            item, _, entity = name.replace("_", " ").partition("@")
            variables.append(Variable(entity or None, item))
        assert differences(variables, 4, self.ENDS) == expected


class TestBadInput:
    def test_answerable_configuration(self) -> None:
        with pytest.raises(TreecutError, match="answerable configuration"):
            generate_pair(ProblemConfig(unanswerable=False), random.Random(0))

    def test_unknown_kind(self) -> None:
        with pytest.raises(TreecutError, match="counterpart is 'half': it must be full or matched"):
            generate_pair(ProblemConfig(), random.Random(0), "half")  # type: ignore[arg-type]


class TestIds:
    def test_ids_come_from_both_members(self) -> None:
        config = ProblemConfig(ans_depth=4)
        pairs = [
            pair_at(config, 1, i, counterpart=kind) for i in range(20) for kind in COUNTERPARTS
        ]
        assert len({pair.id for pair in pairs}) == 40
        assert pair_at(config, 1, 5).id == pairs[10].id


class TestFiles:
    @pytest.mark.parametrize("kind", COUNTERPARTS)
    def test_generate_writes_two_aligned_files(
        self, kind: str, run_treecut: Any, tmp_path: Path
    ) -> None:
        made = run_treecut(
            "generate",
            "--pairs",
            kind,
            "--ans-depth",
            "4",
            "-n",
            "6",
            "--seed",
            "3",
            "-o",
            tmp_path,
        )
        assert made.returncode == 0, made.stderr
        cut, whole = (
            [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for path in (tmp_path / "unanswerable.jsonl", tmp_path / "answerable.jsonl")
        )
        assert len(cut) == len(whole) == 6
        config = ProblemConfig(ans_depth=4)
        for i, (first, second) in enumerate(zip(cut, whole, strict=True)):
            pair = pair_at(config, 3, i, counterpart=kind)  # type: ignore[arg-type]
            assert first["pair_id"] == second["pair_id"] == pair.id
            assert (first["id"], second["id"]) == (pair.unanswerable.id, pair.answerable.id)
            assert (first["answer"], second["answer"]) == ("unknown", pair.answerable.answer)
            assert first["cut"]["text"] not in first["problem"]
            assert first["cut"]["text"] in second["problem"]
            if kind == "matched":
                assert second["spare"]["text"] not in second["problem"]
                assert second["spare"]["text"] in first["problem"]
            else:
                assert second["spare"] is None
        task = paired(
            data_file=[str(tmp_path / f"{n}.jsonl") for n in ("unanswerable", "answerable")]
        )
        assert [s.id for s in task.dataset][::2] == [record["id"] for record in cut]

    def test_the_published_format_is_aligned_by_line(
        self, run_treecut: Any, tmp_path: Path
    ) -> None:
        made = run_treecut(
            "generate", "--pairs", "full", "--format", "published", "--ans-depth", "3", "-n", "3",
            "-o", tmp_path,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        files = [tmp_path / f"{name}.jsonl" for name in ("unanswerable", "answerable")]
        keys = {tuple(json.loads(f.read_text(encoding="utf-8").splitlines()[0])) for f in files}
        assert keys == {("problem", "answer", "proof")}
        samples = list(paired(data_file=[str(file) for file in files]).dataset)
        ids = [(sample.metadata or {})["pair_id"] for sample in samples]
        assert ids[::2] == ids[1::2]
        assert len(set(ids)) == 3
