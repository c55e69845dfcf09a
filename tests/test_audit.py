"""Audits of shortcuts: what is there is found and named, what is not is not, and bad input is told."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.exchange import exchanged
from tests.strategies import seeds
from treecut_tasks import ProblemConfig, TreecutError, generate_pair
from treecut_tasks.problems import COUNTERPARTS, ORDERS, CounterpartKind, Problem, pair_at, stream
from treecut_tasks.reading import read_problem
from treecut_tasks.validity.audit import (
    SET_NAMES,
    AuditedProblem,
    AuditResult,
    audit,
    read_classes,
    surface_features,
)

TEXT = (
    "A burger at Bistro Nice costs 14 dollars. 3 pies at Bistro Nice cost 4 dollars less than "
    "2 burgers at Bistro Nice. A pie at Texas BBQ and 2 pies at Bistro Nice cost 30 dollars. "
    "Question: how much does a pie at Texas BBQ cost?"
)
OUTFIT = "A polo shirt costs 75 dollars. Question: how much does a polo shirt cost?"
SALAD = "A Greek salad costs 7 dollars. Question: how much does a Greek salad cost?"
PIE = "A pie costs 7 dollars. Question: how much does a burger cost?"

Record = dict[str, Any]


def write(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def audit_of(folder: Path, files: tuple[list[Record], list[Record]], **options: Any) -> AuditResult:
    paths = [
        write(folder / f"{name}.jsonl", records)
        for name, records in zip(("unanswerable", "answerable"), files, strict=True)
    ]
    return audit(read_classes(paths[0], paths[1]), **options)


@cache
def pairs(n: int, kind: CounterpartKind, depth: int = 8) -> tuple[list[Record], list[Record]]:
    drawn = (pair_at(ProblemConfig(ans_depth=depth), 42, index, kind) for index in range(n))
    first, second = zip(*(pair.records() for pair in drawn), strict=True)
    return list(first), list(second)


@cache
def draws(n: int) -> tuple[list[Record], list[Record]]:
    both = (ProblemConfig(ans_depth=6), ProblemConfig(ans_depth=6, unanswerable=False))
    first, second = (
        [problem.published_record() for problem in islice(stream(config, 42), n)] for config in both
    )
    return first, second


def published(records: list[Record]) -> list[Record]:
    return [{key: record[key] for key in ("problem", "answer", "proof")} for record in records]


@pytest.fixture(scope="module")
def draws_result(tmp_path_factory: pytest.TempPathFactory) -> AuditResult:
    unanswerable, answerable = draws(200)
    return audit_of(tmp_path_factory.mktemp("draws"), (unanswerable[:160], answerable))


# --- What is found. ---


def test_independent_draws_are_told_apart_by_the_sentence_count(draws_result: AuditResult) -> None:
    """They may be of unequal length."""
    found = draws_result.joined, draws_result.unanswerable, draws_result.answerable
    assert found == ("not", 160, 200)
    assert [each.name for each in draws_result.sets] == list(SET_NAMES)
    count = next(each for each in draws_result.sets if each.name == "sentence count")
    for estimate in (count.auc, count.balanced_accuracy):
        assert (estimate.value, estimate.ci_low, estimate.ci_high) == (1, 1, 1)
    (feature,) = count.strongest
    assert (feature.mean_unanswerable, feature.mean_answerable) == (7, 8)
    assert draws_result.best == count
    assert draws_result.verdict.startswith("Shortcut: the classes can be told apart without")
    assert "AUC 1.000 (1.000 to 1.000) by sentence count" in draws_result.verdict
    assert "sentences (mean 7 unanswerable, 8 answerable)" in draws_result.verdict


def test_matched_pairs_are_not_told_apart(tmp_path: Path) -> None:
    result = audit_of(tmp_path, pairs(400, "matched"))
    assert result.joined == "pair_id"
    assert result.telling == ()
    assert result.verdict.startswith("No shortcut found: none of 12 feature sets")
    # What is the same in both members of every pair.
    for name in ("sentence count", "stated facts"):
        constant = next(each for each in result.sets if each.name == name)
        assert constant.auc.value == constant.balanced_accuracy.value == 0.5
    for each in result.sets:
        assert each.auc.ci_low <= 0.5, each.name


def dear_fact(record: Record, rng: random.Random) -> Record:
    """The first stated price becomes one dollar more than the theme's highest."""
    if rng.random() >= 0.1:
        return record
    words = record["problem"].split(" ")
    facts = [
        i for i, word in enumerate(words) if word == "costs" and words[i + 2].endswith("dollars.")
    ]
    words[facts[0] + 1] = "16"
    return {**record, "problem": " ".join(words)}


def asked_first(record: Record, rng: random.Random) -> Record:
    """The sentence that names the asked variable comes first."""
    if rng.random() >= 0.1:
        return record
    read = read_problem(record["problem"])
    order = sorted(read.sentences, key=lambda s: read.asked not in s.equation.coefficients)
    question = record["problem"][record["problem"].index("Question:") :]
    return {**record, "problem": " ".join([*(s.text for s in order), question])}


def more_for_less(record: Record, rng: random.Random) -> Record:
    """Sentences say more where they said less."""
    if rng.random() >= 0.1:
        return record
    text = record["problem"].replace("dollars less than", "dollars more than")
    return {**record, "problem": text}


@pytest.mark.parametrize(
    ("plant", "n", "found_by", "feature"),
    [
        (dear_fact, 1500, "numbers", "mean stated price"),
        (asked_first, 1500, "asked item and place", "asked variable: "),
        (more_for_less, 1000, "sentence kinds", "sentences that say "),
    ],
)
def test_a_faint_signal_in_a_tenth_of_one_class_is_found(
    tmp_path: Path,
    plant: Callable[[Record, random.Random], Record],
    n: int,
    found_by: str,
    feature: str,
) -> None:
    unanswerable, answerable = pairs(n, "matched")
    rng = random.Random(5)
    result = audit_of(tmp_path, ([plant(record, rng) for record in unanswerable], answerable))
    found = {each.name: each for each in result.telling}
    assert found_by in found, result.verdict
    assert found[found_by].strongest[0].name.startswith(feature)
    assert 0.51 < found[found_by].auc.value < 0.6
    assert result.verdict.startswith("Shortcut: ")


def test_swapped_classes_keep_their_direction(tmp_path: Path, draws_result: AuditResult) -> None:
    """The strongest feature's means belong to the classes that they are said to belong to."""
    unanswerable, answerable = draws(200)
    unanswerable = unanswerable[:160]
    swapped = audit_of(
        tmp_path,
        (
            [{**record, "answer": "unknown"} for record in answerable],
            [{**record, "answer": "1"} for record in unanswerable],
        ),
    )
    feature = swapped.best.strongest[0]
    original = draws_result.best.strongest[0]
    assert feature.mean_unanswerable == original.mean_answerable
    assert feature.mean_answerable == original.mean_unanswerable


def test_the_same_seed_gives_the_same_result(tmp_path: Path) -> None:
    files = pairs(60, "matched", 4)
    first, again = (audit_of(tmp_path, files, folds=3, seed=7) for _ in range(2))
    assert first == again
    other = audit_of(tmp_path, files, folds=3, seed=8)
    assert [each.auc for each in other.sets] != [each.auc for each in first.sets]


# --- How the files are joined. ---


@pytest.mark.parametrize("kind", COUNTERPARTS)
def test_pairs_are_recognised_by_their_lines_or_ids(tmp_path: Path, kind: CounterpartKind) -> None:
    first, second = pairs(20, kind, 4)
    u, a = tmp_path / "u.jsonl", tmp_path / "a.jsonl"
    assert read_classes(write(u, published(first)), write(a, published(second))).joined == "line"
    # By ids in any order.
    classes = read_classes(write(u, first), write(a, second[::-1]))
    assert classes.joined == "pair_id"
    assert [sample.text for sample in classes.answerable] == [each["problem"] for each in second]


# --- What is counted. ---


def test_features_of_a_text() -> None:
    features = surface_features(AuditedProblem(TEXT, read_problem(TEXT), "here:1"))
    assert features["length"]["words"] == len(TEXT.split())
    assert features["length"]["words in the shortest sentence"] == 8
    assert features["sentence count"] == {"sentences": 3}
    assert features["stated facts"] == {"facts": 1}
    asked = features["asked item and place"]
    assert [
        asked[f"asked {what}: {number}"]
        for what in ("variable", "item", "place")
        for number in ("times named", "first place", "last place", "mean place")
    ] == [1, 1, 1, 1, 3, 0.5, 1, 0.75, 1, 1, 1, 1]
    names = features["names"]
    assert names["different variables"] == 3
    assert names["variables named once"] == 1
    assert names["variables named twice"] == 2
    assert names["mentions of the most named item"] == 3
    assert names["mentions of the most named place"] == 4
    assert names["priced variables named once"] == 0
    assert names["mentions of priced variables"] == 2
    numbers = features["numbers"]
    assert (numbers["sum of the amounts"], numbers["largest amount"]) == (48, 30)
    assert numbers["mean stated price"] == 14
    assert [numbers[f"quantities of {n}"] for n in ("one", "two", "three")] == [2, 2, 1]
    assert list(features["sentence kinds"].values()) == [1, 1, 0, 1, 0]
    # What is asked for stands in no sentence.
    unnamed = surface_features(AuditedProblem(PIE, read_problem(PIE), "here:1"))
    assert set(unnamed["asked item and place"].values()) == {0, -1}


# --- Matched pairs. ---


def mentions(problem: Problem) -> Counter[tuple[int, int]]:
    """How many variables are named so often, and so often as a fact."""
    named = Counter(i for sentence in problem.sentences for i in sentence.edge if i)
    facts = Counter(s.edge[1] for s in problem.sentences if s.edge[0] == 0)
    return Counter((times, facts[variable]) for variable, times in named.items())


@settings(max_examples=60)
@given(st.data(), seeds())
def test_members_of_a_matched_pair_name_variables_equally_often(
    data: st.DataObject, seed: int
) -> None:
    composite_name = data.draw(st.booleans())
    ans_depth = data.draw(st.integers(2, 8 if composite_name else 7))
    config = ProblemConfig(
        theme=data.draw(st.sampled_from(("food", "outfit"))),
        composite_name=composite_name,
        num_vars=6 if ans_depth == 2 else ans_depth + 2,
        ans_depth=ans_depth,
        cut_depth=data.draw(st.integers(1, ans_depth - 1)),
        order=data.draw(st.sampled_from(ORDERS)),
    )
    pair = generate_pair(config, random.Random(seed), "matched")
    assert mentions(pair.unanswerable) == mentions(pair.answerable)
    # The counterpart with two names exchanged, which is as likely, also names items as often.
    first, second = (
        surface_features(AuditedProblem(text, read_problem(text), "here:1"))
        for text in (pair.unanswerable.text, exchanged(pair).text)
    )
    assert first["names"] == second["names"]
    for what in ("variable", "item", "place"):
        feature = f"asked {what}: times named"
        assert first["asked item and place"][feature] == second["asked item and place"][feature]


def test_what_is_equal_in_both_members_tells_nothing(tmp_path: Path) -> None:
    """Simple names are named equally often in both members, so that only rounding could differ."""
    config = ProblemConfig(ans_depth=4, num_vars=8, composite_name=False)
    drawn = (pair_at(config, 42, index, "matched") for index in range(70))
    first, second = zip(*(pair.records() for pair in drawn), strict=True)
    result = audit_of(tmp_path, (list(first), list(second)), folds=3)
    names = next(each for each in result.sets if each.name == "names")
    assert (names.auc.value, names.auc.ci_low, names.auc.ci_high) == (0.5, 0.5, 0.5)
    assert names not in result.telling


# --- What is written. ---


def test_the_command(run_treecut: RunTreecut, tmp_path: Path) -> None:
    first, second = pairs(30, "full", 4)
    files = write(tmp_path / "u.jsonl", first), write(tmp_path / "a.jsonl", second)
    report, figure = tmp_path / "report.json", tmp_path / "aucs.png"
    done = run_treecut(
        "audit", *files, "--report", report, "--figure", figure, "--folds", "3", "--seed", "1"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "30 unanswerable and 30 answerable problems, theme food, pairs by pair_id, kept together; "
        "3 folds, seed 1."
    ) in done.stdout
    data = json.loads(report.read_text(encoding="utf-8"))
    assert data["verdict"] in done.stdout
    assert done.stdout.count("\n| ") == len(SET_NAMES) + 1
    assert data["shortcut"] is True
    assert "sentence count" in data["telling"]
    assert (data["folds"], data["seed"], data["joined"]) == (3, 1, "pair_id")
    assert [each["name"] for each in data["sets"]] == list(SET_NAMES)
    assert data["sets"][1]["auc"]["value"] == 1
    assert figure.read_bytes().startswith(b"\x89PNG\r\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.jsonl", "aucs.png", "report.json", "u.jsonl",
    ]  # fmt: skip


# --- Bad input. ---


def unanswerable(*texts: str) -> list[Record]:
    return [{"problem": text, "answer": "unknown"} for text in texts]


def answerable(*texts: str) -> list[Record]:
    return [{"problem": text, "answer": "7"} for text in texts]


def with_ids(records: list[Record], *ids: str) -> list[Record]:
    return [{**record, "pair_id": id} for record, id in zip(records, ids, strict=True)]


BAD_FILES: dict[str, tuple[list[Record], list[Record], str]] = {
    "unreadable": (
        unanswerable(PIE, PIE.replace("costs", "is")),
        answerable(SALAD),
        "u.jsonl:2: Sentence 1, 'A pie is 7 dollars.', cannot be read",
    ),
    "mixed themes in one file": (
        unanswerable(PIE),
        answerable(SALAD, OUTFIT),
        "a.jsonl:2 is of theme 'outfit', but {u}:1 is of theme 'food'",
    ),
    "both unanswerable": (
        unanswerable(PIE),
        unanswerable(PIE),
        "a.jsonl:1 has the answer 'unknown', but this file must hold answerable problems only",
    ),
    "too few": (
        unanswerable(PIE, PIE),
        answerable(SALAD, SALAD, SALAD, SALAD, SALAD),
        "folds is 5: it must be a whole number of 2 or more, and each class must have as many problems",
    ),
    "partner is missing": (
        with_ids(unanswerable(PIE, PIE), "1", "2"),
        with_ids(answerable(SALAD), "1"),
        "u.jsonl:2 has not one partner in the other file (pair_id 2; 2 unanswerable and 1",
    ),
    "id is missing": (
        with_ids(unanswerable(PIE, PIE), "1", "2"),
        [*with_ids(answerable(SALAD), "1"), *answerable(SALAD)],
        "u.jsonl:2 has not one partner in the other file (pair_id 2;",
    ),
    "id repeats": (
        with_ids(unanswerable(PIE, PIE), "1", "1"),
        with_ids(answerable(SALAD, SALAD), "1", "2"),
        "u.jsonl:1 has not one partner in the other file (pair_id 1;",
    ),
    "aligned, first too long": (
        unanswerable(PIE, PIE),
        answerable(PIE),
        "u.jsonl:2 has not one partner in the other file (line 2; 2 unanswerable and 1 answerable problems)",
    ),
    "aligned, line out of step": (
        unanswerable(PIE, PIE, PIE),
        answerable(PIE, SALAD),
        "u.jsonl:2 has not one partner in the other file (line 2;",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(case: str, tmp_path: Path) -> None:
    first, second, message = BAD_FILES[case]
    u, a = write(tmp_path / "u.jsonl", first), write(tmp_path / "a.jsonl", second)
    with pytest.raises(TreecutError) as error:
        audit(read_classes(u, a))
    assert message.format(u=u, a=a) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "-1"), "seed is -1: it must be a whole number from 0 to 4294967295."),
        (("--report", "r.txt"), "report is 'r.txt': it must end in .json or .md."),
        (("--figure", "f.pdf"), "figure is 'f.pdf': it must end in .png."),
    ],
)
def test_bad_options(
    run_treecut: RunTreecut, tmp_path: Path, arguments: tuple[str, str], message: str
) -> None:
    u = write(tmp_path / "u.jsonl", unanswerable(PIE))
    a = write(tmp_path / "a.jsonl", answerable(SALAD))
    done = run_treecut("audit", u, a, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
