"""Labels proven from texts: what is altered is caught, what is not is accepted, and proofs hold."""

from __future__ import annotations

import copy
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import RunTreecut
from tests.signals import heed_signals
from tests.systems import THEMES, System, dense, rank, reduced_rows, systems, unit, write_problem
from treecut_tasks import prove
from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import ORDERS, SAMPLINGS, Problem, ProblemConfig, problem_at, stream
from treecut_tasks.reading import ReadProblem, Undetermined, read_problem
from treecut_tasks.themes import Theme, load_theme
from treecut_tasks.validity import (
    ASSUMPTIONS,
    Proof,
    certificate,
    certificate_holds,
    check_label,
    consequences,
)

FOOD = load_theme("food")
OUTFIT = load_theme("outfit")

EASY = (
    "A burger costs 14 dollars. 3 scrambled eggs cost 4 dollars less than 2 burgers. "
    "A BLT sandwich costs 13 dollars less than 3 scrambled eggs. "
    "Question: how much does a BLT sandwich cost?"
)
CUT = (
    "A pie costs 12 dollars. A BLT sandwich costs 13 dollars less than 3 scrambled eggs. "
    "Question: how much does a BLT sandwich cost?"
)
CONTRADICTION = (
    "A burger costs 3 dollars. 2 burgers cost 7 dollars. Question: how much does a burger cost?"
)

GARAGE = """
name: garage
entities: [Été & Fils, Ünal's, Parts 24-7]
items:
  - {name: axle, plural: axles}
  - {name: hub-cap, plural: hub-caps}
  - {name: œil-de-chat, plural: œils-de-chat}
  - {name: Ultra wiper, plural: Ultra wipers}
  - {name: spare wheel, plural: spare wheels}
values: {min: 3, max: 90, step: 3}
money: {one: one euro, many: euros}
"""


@pytest.fixture(scope="module")
def garage_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("theme") / "garage.yaml"
    path.write_text(GARAGE, encoding="utf-8")
    return path


def true_answer(read: ReadProblem) -> str | None:
    """The price, `unknown`, or None for a contradiction, by ranks."""
    left, full = dense(read)
    if rank(full) > rank(left):
        return None
    if rank([*left, unit(read, read.asked)]) > rank(left):
        return "unknown"
    # The asked column last but one: its row then reads 0 … 0 1 price.
    asked = read.variables.index(read.asked)
    order = [*(i for i in range(len(read.variables)) if i != asked), asked, len(read.variables)]
    return str(reduced_rows([[row[i] for i in order] for row in full])[-1][-1])


@given(systems(), st.integers(-2, 30))
def test_an_answer_agrees_exactly_if_the_text_proves_it(system: System, guess: int) -> None:
    equations, asked, theme = system
    proof = prove(write_problem(equations, asked, theme), THEMES)
    truth = true_answer(proof.read)
    assert proof.answer == truth
    assert [proof.agrees(stated) for stated in ("unknown", str(guess), f"{guess}.0")] == [
        truth == "unknown",
        truth == str(guess),
        truth == str(guess),
    ]
    assert len(set(proof.possible_prices)) == {None: 0, "unknown": 2}.get(truth, 1)
    for stated in ("unknown", str(guess)):
        written = json.loads(json.dumps(certificate(proof, stated, "x:1")))
        assert certificate_holds(written, THEMES)


def random_problems(themes: list[Theme], seed: int, count: int) -> Iterator[Problem]:
    rng = random.Random(seed)
    for _ in range(count):
        theme = rng.choice(themes)
        ans_depth = rng.randint(2, 8)
        unanswerable = rng.random() < 0.5
        composite_name = ans_depth > 4 or rng.random() < 0.7
        config = ProblemConfig(
            theme=theme,
            composite_name=composite_name,
            num_vars=min(ans_depth + rng.randint(0, 2), theme.capacity(composite_name)),
            ans_depth=ans_depth,
            order=rng.choice(ORDERS),
            unanswerable=unanswerable,
            cut_depth=rng.randint(1, ans_depth - 1) if unanswerable else None,
            sampling=rng.choice(SAMPLINGS),
        )
        yield problem_at(config, seed, rng.getrandbits(30))


def test_generated_labels_are_proven_and_lost_sentences_are_noticed(garage_file: Path) -> None:
    garage = load_theme(garage_file)
    rng = random.Random(1)
    agree: Counter[bool] = Counter()
    for problem in random_problems([FOOD, OUTFIT, garage], seed=1, count=400):
        themes = [problem.config.resolved_theme]
        check_label(problem.text, problem.answer, themes)
        lost = rng.choice(problem.sentences).text + " "
        if len(problem.sentences) == 1:
            continue
        altered = prove(problem.text.replace(lost, ""), themes)
        assert altered.answer == true_answer(altered.read)
        agree[altered.agrees(problem.answer)] += 1
    assert min(agree[True], agree[False]) > 50


# --- Findings in words, certificates, and their checker. ---


def words(proof: Proof, stated: str) -> list[str]:
    said: str = certificate(proof, stated, "data.jsonl:1")["words"]
    return said.split("\n")


def test_a_determined_price_is_explained_by_a_combination_of_sentences() -> None:
    second = "3 scrambled eggs cost 4 dollars less than 2 burgers."
    third = "A BLT sandwich costs 13 dollars less than 3 scrambled eggs."
    finding, *proof = words(prove(EASY), "unknown")
    assert finding == (
        "The stated answer is 'unknown', but the sentences fix the price of BLT sandwich: "
        "11 dollars."
    )
    assert proof == [
        "2 × sentence 1 + 1 × sentence 2 + 1 × sentence 3 gives BLT sandwich = 11, where",
        "  sentence 1: 1 × burger = 14 ('A burger costs 14 dollars.')",
        f"  sentence 2: 3 × scrambled egg − 2 × burger = −4 ({second!r})",
        f"  sentence 3: 1 × BLT sandwich − 3 × scrambled egg = −13 ({third!r})",
        "No sentence contradicts another, because every one holds for these prices:",
        "  BLT sandwich 11 (asked); burger 14; scrambled egg 8",
    ]


def test_an_undetermined_price_is_explained_by_two_price_lists() -> None:
    finding, head, first, second = words(prove(CUT), "11")
    assert finding == (
        "The stated answer is '11', but the sentences leave the price of BLT sandwich open, so that "
        "it is 'unknown'."
    )
    assert "both" in head and "asked price" in head
    lists = [
        {name: int(price) for name, price in (part.rsplit(" ", 1) for part in parts)}
        for parts in (line.strip().replace(" (asked)", "").split("; ") for line in (first, second))
    ]
    for prices in lists:
        assert prices["pie"] == 12
        assert prices["BLT sandwich"] == 3 * prices["scrambled egg"] - 13
    assert lists[0]["BLT sandwich"] != lists[1]["BLT sandwich"]


def test_a_contradiction_is_explained_by_what_gives_zero() -> None:
    finding, combination, *_ = words(prove(CONTRADICTION), "3")
    assert "contradict one another" in finding
    assert combination.startswith(("2 × sentence 1 − 1 × sentence 2", "−2 × sentence 1 + 1 ×"))
    assert " gives 0 = " in combination


def test_one_is_written_as_the_theme_writes_it() -> None:
    text = "A pie costs a dollar. Question: how much does a pie cost?"
    assert words(prove(text), "2")[0].endswith("fix the price of pie: a dollar.")


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a certificate holds numbers and verdicts that its proof depends on."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers_in(inner, (*path, i))
    elif path[0] not in ("source", "problem", "words"):
        yield path


@pytest.mark.parametrize(
    ("text", "answer"), [(EASY, "11"), (CUT, "unknown"), (CONTRADICTION, "3"), (EASY, "unknown")]
)
def test_the_checker_refuses_a_certificate_in_which_anything_was_altered(
    text: str, answer: str
) -> None:
    good = certificate(prove(text), answer, "data.jsonl:1")
    assert certificate_holds(good)
    paths = list(numbers_in(good))
    assert len(paths) > 5
    for path in paths:
        bad: Any = copy.deepcopy(good)
        inner = bad
        for key in path[:-1]:
            inner = inner[key]
        old = inner[path[-1]]
        replacements: list[Any] = ["1000", 1000, None, "x", "1/0", [], {}, not good["agrees"]]
        for new in replacements:
            inner[path[-1]] = new
            # One wrong answer disagrees as truly as another.
            same = new == old or (path == ("answer",) and not good["agrees"] and new == "1000")
            assert certificate_holds(bad) == same, (path, new)
        inner[path[-1]] = old
    for key in set(good) - {"source", "words"}:
        assert not certificate_holds({k: v for k, v in good.items() if k != key}), key
    assert not certificate_holds({**good, "problem": "A pie costs 3 dollars."})


def test_check_label() -> None:
    check_label(EASY, "11")
    check_label(CUT, "unknown", [FOOD])
    for text, stated, message in (
        (EASY, "unknown", "stated answer is 'unknown', but the text proves '11'"),
        (CUT, "9", "stated answer is '9', but the text proves 'unknown'"),
        (CONTRADICTION, "3", "but the text contradicts itself"),
        (EASY.replace("burger", "brger"), "11", "Sentence 1, .*has no item 'brger'"),
        (EASY, "9" * 41, "it must be 'unknown', or a number of at most 40 digits"),
    ):
        with pytest.raises(TreecutError, match=message):
            check_label(text, stated)


# --- Extra assumptions. ---


def outcomes(text: str, themes: list[Theme] | None = None) -> dict[str, str]:
    """What each assumption does, `forced` prices by their number."""
    proof = prove(text, themes)
    assert isinstance(proof.solution, Undetermined)
    return {
        assumption.key: found.outcome if found.price is None else str(found.price)
        for assumption, found in consequences(proof.read, proof.solution).items()
    }


def pair(sentences: str) -> str:
    return f"{sentences} Question: how much does a burger cost?"


NONE = "impossible"


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # Whole numbers above zero that add up to 2 are 1 and 1; the theme's prices begin at 5.
        ("A burger and a pie cost 2 dollars.", f"open open 1 {NONE} {NONE} {NONE}"),
        # The lowest price twice; the highest and the lowest.
        ("A burger and a pie cost 10 dollars.", "open open open 5 5 5"),
        ("A burger costs 10 dollars more than a pie.", "open open open 15 15 15"),
        # 2 burgers and 3 pies: (5, 7), (8, 5) and fractions between.
        ("2 burgers and 3 pies cost 31 dollars.", "open open open open open open"),
        ("2 burgers and 3 pies cost 27 dollars.", "open open open open 6 6"),
        ("A burger costs 40 dollars more than a pie.", f"open open open {NONE} {NONE} {NONE}"),
        # No whole numbers at all: an even number is not odd.
        ("2 burgers and 2 pies cost 31 dollars.", f"open {NONE} {NONE} open {NONE} {NONE}"),
        # The asked price stands in no sentence.
        ("A pie costs 7 dollars.", "open open open open open open"),
        # A sum that only zero and below could make.
        ("A burger and a pie cost 0 dollars.", f"{NONE} open {NONE} {NONE} {NONE} {NONE}"),
    ],
)
def test_what_assumptions_do_to_small_texts(sentences: str, expected: str) -> None:
    assert " ".join(outcomes(pair(sentences)).values()) == expected


def test_a_theme_with_steps_knows_more_than_whole_prices() -> None:
    text = (
        "An Oxford shirt and 2 polo shirts cost 165 dollars. "
        "Question: how much does a Oxford shirt cost?"
    )
    # 55 + 2 × 55, 65 + 2 × 50, and whole prices between them.
    assert set(outcomes(text).values()) == {"open"}
    assert outcomes(text.replace("165", "155"))["whole_range"] == "open"
    assert outcomes(text.replace("165", "155"))["theme_prices"] == "55"


def by_intervals(read: ReadProblem) -> dict[str, str]:
    """The same by exact intervals, for one free price: all are linear in the asked one."""
    _, full = dense(read)
    asked = read.variables.index(read.asked)
    order = [*(i for i in range(len(read.variables)) if i != asked), asked, len(read.variables)]
    rows = reduced_rows([[row[i] for i in order] for row in full])
    assert len(rows) == len(read.variables) - 1
    lines = [(row[-1], -row[-2]) for row in rows] + [(Fraction(0), Fraction(1))]
    theme = read.theme

    def price_range(low: Fraction | None, high: Fraction | None) -> tuple[Any, Any]:
        lows, highs = [], []
        for a, b in lines:
            if b:
                ends = [None if end is None else (end - a) / b for end in (low, high)]
                lows.append(ends[b < 0])
                highs.append(ends[b > 0])
        return (
            max((end for end in lows if end is not None), default=None),
            min((end for end in highs if end is not None), default=None),
        )

    def multiples(low: Any, high: Any, step: int, above: bool) -> str:
        if low is None or high is None:
            return "open"
        found = [
            price
            for price in range(int(low) - 1, int(high) + 2)
            if (low < price < high if above else low <= price <= high)
            and all(((a + b * price) / step).denominator == 1 for a, b in lines)
        ]
        assert found
        return str(found[0]) if len(found) == 1 else "open"

    above_zero = price_range(Fraction(0), None)
    in_range = price_range(Fraction(theme.value_min), Fraction(theme.value_max))
    return {
        "positive": "open",
        "whole": "open",
        "positive_whole": multiples(*above_zero, 1, above=True),
        "range": str(in_range[0]) if in_range[0] == in_range[1] else "open",
        "whole_range": multiples(*in_range, 1, above=False),
        "theme_prices": multiples(*in_range, theme.value_step, above=False),
    }


@pytest.mark.parametrize("theme", ["food", "outfit"])
@pytest.mark.parametrize("ans_depth", [4, 8])
def test_the_solver_finds_what_exact_intervals_find(theme: str, ans_depth: int) -> None:
    forced: Counter[str] = Counter()
    config = ProblemConfig(theme, ans_depth=ans_depth, cut_depth=ans_depth - 1)
    for problem in islice(stream(config, 4), 60):
        found = outcomes(problem.text)
        assert found == by_intervals(read_problem(problem.text)), problem.text
        forced.update(key for key, outcome in found.items() if outcome != "open")
    assert min(forced["range"], forced["theme_prices"]) > 0


def test_the_assumptions_allow_what_they_say() -> None:
    allowed = {
        assumption.key: [
            str(price)
            for price in map(Fraction, ("-3", "0", "7/2", "3", "50", "52", "105/2", "100", "105"))
            if assumption.allows(price, OUTFIT)
        ]
        for assumption in ASSUMPTIONS
    }
    assert allowed == {
        "positive": ["7/2", "3", "50", "52", "105/2", "100", "105"],
        "whole": ["-3", "0", "3", "50", "52", "100", "105"],
        "positive_whole": ["3", "50", "52", "100", "105"],
        "range": ["50", "52", "105/2", "100"],
        "whole_range": ["50", "52", "100"],
        "theme_prices": ["50", "100"],
    }


def test_a_missing_solver_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = prove(pair("A burger and a pie cost 10 dollars."))
    assert isinstance(proof.solution, Undetermined)
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(TreecutError, match=r"pip install 'treecut-tasks\[verify\]'"):
        consequences(proof.read, proof.solution)


# --- The command. ---


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(lines, encoding="utf-8")
    return path


def line(problem: str, answer: str) -> dict[str, str]:
    return {"problem": problem, "answer": answer}


def test_verifies_the_authors_files(run_treecut: RunTreecut, shared_dir: Path) -> None:
    files = sorted((shared_dir / "reference" / "published").glob("*.jsonl"))
    assert len(files) == 4
    result = run_treecut("verify", *files)
    assert (result.returncode, result.stderr) == (0, "")
    told = result.stdout.splitlines()
    assert len(told) == 4
    for path, message in zip(files, told, strict=True):
        counts = (
            "500 unanswerable, 0 answerable"
            if "True_cut" in path.name
            else "0 unanswerable, 500 answerable"
        )
        assert message == f"{path}: 500 problems ({counts}), all proven"


def test_verifies_a_theme_of_ones_own(
    run_treecut: RunTreecut, tmp_path: Path, garage_file: Path
) -> None:
    data, proofs = tmp_path / "daten.jsonl", tmp_path / "proofs.jsonl"
    arguments = ["--theme", str(garage_file), "--ans-depth", "4", "--answerable", "-n", "30"]
    assert run_treecut("generate", *arguments, "-o", data).returncode == 0
    result = run_treecut("verify", "--theme", garage_file, data, "--certificates", proofs)
    assert result.returncode == 0, result.stdout
    assert "30 problems (0 unanswerable, 30 answerable), all proven" in result.stdout
    theme = load_theme(garage_file)
    lines = proofs.read_text(encoding="utf-8").splitlines()
    certificates = [json.loads(text) for text in lines]
    assert [each["source"] for each in certificates] == [f"{data}:{i}" for i in range(1, 31)]
    assert all(certificate_holds(each, [theme]) for each in certificates)
    without = run_treecut("verify", data)
    assert without.returncode == 1
    assert "unreadable 30" in without.stdout
    assert "--theme" in without.stdout


def test_a_report_names_line_problem_and_proof(run_treecut: RunTreecut, tmp_path: Path) -> None:
    unreadable = "2 pizaz cost 3 dollars. " + EASY
    # Tasks serve numbers of 40 digits, too.
    lines = [(unreadable, "11"), (EASY, "11"), (EASY, "12"), (CUT, "3"), (EASY, "9" * 40)]
    data = write_lines(tmp_path / "d.jsonl", [line(*each) for each in lines])
    result = run_treecut("verify", data, "--certificates", tmp_path / "proofs.jsonl")
    assert (result.returncode, result.stderr) == (1, "")
    for said in (
        f"{data}:1: Sentence 1, '2 pizaz cost 3 dollars.', cannot be read",
        f"{data}:3: The stated answer is '12', but the sentences fix",
        f"  Problem: {EASY}\n  Proof: 2 × sentence 1 + 1 × sentence 2 + 1 ×",
        f"{data}:4: The stated answer is '3', but the sentences leave the price",
        f"{data}: 5 problems: proven 0 unanswerable, 1 answerable; wrong 3; unreadable 1\n",
    ):
        assert said in result.stdout
    proofs = (tmp_path / "proofs.jsonl").read_text(encoding="utf-8").splitlines()
    first, *others = map(json.loads, proofs)
    assert first["verdict"] == "unreadable"
    assert [each["agrees"] for each in others] == [True, False, False, False]
    assert [*map(certificate_holds, (first, *others))] == [False, True, True, True, True]


GOOD_LINE = json.dumps(line(EASY, "11"))
OUTFIT_LINE = json.dumps(
    line("A polo shirt costs 55 dollars. Question: how much does a polo shirt cost?", "55")
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{GOOD_LINE}\nnonsense\n".encode(), "{path}:2 is not JSON"),
        (f"{GOOD_LINE}\n{OUTFIT_LINE}\n".encode(), "{path}:2 is of theme 'outfit', but {path}:1"),
    ],
)
def test_bad_input_is_one_error_and_no_certificates(
    run_treecut: RunTreecut, tmp_path: Path, content: bytes, message: str
) -> None:
    data, proofs = tmp_path / "data.jsonl", tmp_path / "proofs.jsonl"
    data.write_bytes(content)
    proofs.write_text("as before", encoding="utf-8")
    result = run_treecut("verify", data, "--certificates", proofs)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert message.replace("{path}", str(data)) in result.stderr
    assert str(data) in result.stderr
    assert proofs.read_text(encoding="utf-8") == "as before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.jsonl", "proofs.jsonl"]


def test_files_of_different_themes_are_verified_together(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    first = write_lines(tmp_path / "food.jsonl", [line(EASY, "11")])
    second = tmp_path / "outfit.jsonl"
    second.write_text(OUTFIT_LINE, encoding="utf-8")
    result = run_treecut("verify", first, second)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("1 problem (0 unanswerable, 1 answerable), all proven") == 2


def test_certificates_on_standard_output_stand_alone(
    run_treecut: RunTreecut, tmp_path: Path
) -> None:
    data = write_lines(tmp_path / "d.jsonl", [line(EASY, "12")])
    result = run_treecut("verify", data, "--certificates", "-")
    assert (result.returncode, json.loads(result.stdout)["answer"]) == (1, "12")
    assert "wrong 1" in result.stderr


def test_assumptions_are_counted_and_certified(run_treecut: RunTreecut, tmp_path: Path) -> None:
    texts = [
        pair("A burger and a pie cost 2 dollars."),
        pair("A burger and a pie cost 10 dollars."),
        pair("2 burgers and 3 pies cost 27 dollars."),
    ]
    data = write_lines(
        tmp_path / "d.jsonl", [*(line(text, "unknown") for text in texts), line(EASY, "11")]
    )
    proofs = tmp_path / "proofs.jsonl"
    result = run_treecut("verify", data, "--assumptions", "--certificates", proofs)
    assert result.returncode == 0, result.stderr
    table = [text.split("   ") for text in result.stdout.splitlines()[2:]]
    told = {row[0].strip() or row[1].strip(): row[-1].strip() for row in table}
    assert told == {
        "every price is above zero": "0 (0.0%)",
        "every price is a whole number": "0 (0.0%)",
        "every price is a whole number above zero": "1 (33.3%)",
        "every price lies within the theme's range": "1 (33.3%); 1 allow no prices",
        "every price is a whole number within the theme's range": "2 (66.7%); 1 allow no prices",
        "every price is one that the theme draws": "2 (66.7%); 1 allow no prices",
    }
    certificates = [json.loads(text) for text in proofs.read_text(encoding="utf-8").splitlines()]
    *open_ones, determined = certificates
    assert "assumptions" not in determined
    assert open_ones[2]["assumptions"] == {
        "positive": {"outcome": "open"},
        "whole": {"outcome": "open"},
        "positive_whole": {"outcome": "open"},
        "range": {"outcome": "open"},
        "whole_range": {"outcome": "forced", "price": "6"},
        "theme_prices": {"outcome": "forced", "price": "6"},
    }


@pytest.mark.skipif(sys.platform == "win32", reason="signals of terminals")
def test_an_interrupt_while_processes_start_is_told(
    run_treecut: RunTreecut, treecut_environment: dict[str, str], tmp_path: Path
) -> None:
    made = run_treecut("generate", "-n", "4000", "--shards", "2", "-o", tmp_path / "set")
    assert made.returncode == 0, made.stderr
    process = subprocess.Popen(
        [sys.executable, "-m", "treecut_tasks", "verify", tmp_path / "set", "--workers", "2"],
        env=treecut_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    assert process.stdout is not None
    # Said before the processes are started; the terminal sends its interrupt to all of them.
    assert "as the manifest says" in process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors.strip()) == (130, "Interrupted.")
