"""The paper's claims (section 4), each tested on the responses of each model: one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.prompts import is_reasoning_model
from treecut_tasks.report.cells import make_cells
from treecut_tasks.report.document import (
    Section,
    Table,
    count,
    p_text,
    points,
    show,
    spread,
)
from treecut_tasks.report.evidence import CONFIGURATION, Evidence
from treecut_tasks.report.paper import paper_results
from treecut_tasks.report.sections.paper_tables import PAPER_FEWSHOT
from treecut_tasks.report.statistics import ALPHA, Line, holm, paired, slope, trend_test

SMALLEST_EFFECT = 0.05
"""Differences below 5 percentage points are of no interest here: where the interval lies below it, a
claim does not hold. The slope with depth is judged over the whole range of depths."""

MIDDLE = (3 / 8, 6 / 8)
"""A cut is in the middle when cut_depth / ans_depth lies in this range: 3 to 6 at ans_depth 8."""

FEWEST = 10
"""Configurations with fewer problems are not tested."""

TOO_FEW = f"fewer than {FEWEST} problems of each configuration to compare"
"""Why nothing is tested where the right configurations were run."""


class Asked(NamedTuple):
    """What one model was asked: its name, its cells and its problems."""

    model: str
    cells: pd.DataFrame
    problems: pd.DataFrame

    @property
    def zero_shot(self) -> pd.DataFrame:
        """Cells of unanswerable problems of a known configuration without examples."""
        cells = self.cells
        return cells[cells["unanswerable"] & (cells["fewshot"] == 0) & cells["known"]]


@dataclass(frozen=True)
class Tested:
    """What a test gives.

    Attributes:
        effect: the effect, positive in the claimed direction.
        p_value: two-sided.
        test: name of the test.
        basis: what was compared.
        smallest: the smallest effect that would be of interest, in the unit of the effect.
    """

    effect: Estimate
    p_value: float
    test: str
    basis: str
    smallest: float = SMALLEST_EFFECT


Result = Tested | str
"""The result of a test, or why there is none; empty where what it needs was not run."""


def _within(cells: pd.DataFrame, dose: pd.Series, strata: Sequence[str], what: str) -> Result:
    """Test whether rates rise with a dose within strata of cells."""
    cells = cells.assign(dose=dose.astype(float))

    def lines(cells: pd.DataFrame) -> list[Line]:
        found = [
            list(zip(rows["dose"], rows["found"], strict=True))
            for _, rows in cells.groupby([*strata], dropna=False)
        ]
        return [line for line in found if len({each for each, _ in line}) > 1]

    usable = lines(cells[cells["problems"] >= FEWEST])
    if not usable:
        return TOO_FEW if lines(cells) else ""
    doses = [each for line in usable for each, _ in line]
    as_claimed = sum(slope([line]).value > 0 for line in usable)
    return Tested(
        slope(usable),
        trend_test(usable),
        f"trend test (Cochran, Armitage, Mantel, Haenszel), stratified by {what}",
        f"as claimed in {as_claimed} of {count(len(usable), 'comparison')}",
        SMALLEST_EFFECT / (max(doses) - min(doses)),
    )


def _depth(asked: Asked) -> Result:
    cells = asked.zero_shot[asked.zero_shot["usual_cut"]]
    return _within(cells, cells["ans_depth"], ["extra_vars", "composite_name"], "line of Figure 2")


def _complexity(asked: Asked) -> Result:
    cells = asked.zero_shot[
        asked.zero_shot["usual_cut"] & asked.zero_shot["extra_vars"].isin((0, 2))
    ]
    return _within(
        cells, cells["extra_vars"] == 2, ["ans_depth", "composite_name"], "depth and names"
    )


def _names(asked: Asked) -> Result:
    cells = asked.zero_shot
    strata = ["ans_depth", "num_vars", "cut_depth"]
    return _within(cells, cells["composite_name"], strata, "depth, number of variables and cut")


def _cut_location(asked: Asked) -> Result:
    """The middle has to be above both ends, so the weaker of the two comparisons counts."""
    cells = asked.zero_shot
    place = cells["cut_depth"] / cells["ans_depth"]
    middle = place.between(*MIDDLE)
    results: list[Tested] = []
    for end, at_end in {
        "the questioned variable": place < MIDDLE[0],
        "the root": place > MIDDLE[1],
    }.items():
        chosen = middle | at_end
        strata = ["ans_depth", "num_vars", "composite_name"]
        found = _within(cells[chosen], middle[chosen], strata, "depth; the weaker of both ends")
        if isinstance(found, str):
            return found
        results.append(replace(found, basis=f"against cuts near {end}: {found.basis}"))
    weaker = min(results, key=lambda result: result.effect.value)
    if all(result.effect.value > 0 for result in results):
        return replace(weaker, p_value=max(result.p_value for result in results))
    return weaker


def _gap(asked: Asked) -> Result:
    """Paired by problem and counterpart where most have one, otherwise stratified by configuration."""
    problems = asked.problems[asked.problems["fewshot"] == 0]
    # What is recognised is compared with what is solved.
    problems = problems.assign(
        headline=(1 - problems["headline"]).where(problems["unanswerable"], problems["headline"])
    )
    members = [
        problems[(problems["unanswerable"] == kind) & problems["pair_id"].notna()]
        for kind in (True, False)
    ]
    pairs = members[0].merge(members[1], on="pair_id", suffixes=("_u", "_a"))
    if len(pairs) >= max(FEWEST, min(map(len, members)) / 2):
        return _paired(pairs["headline_u"], pairs["headline_a"], "pair", "recognised", "solved")
    cells = make_cells(problems)
    found = _within(cells, ~cells["unanswerable"], CONFIGURATION, "configuration")
    return (
        found if isinstance(found, str) else replace(found, basis=f"other problems; {found.basis}")
    )


def _six_shot(asked: Asked) -> Result:
    zero, six = (
        asked.problems[asked.problems["unanswerable"] & (asked.problems["fewshot"] == number)]
        for number in (0, PAPER_FEWSHOT)
    )
    both = six.merge(zero, on="problem_id", suffixes=("_6", "_0"))
    if len(both) < FEWEST:
        few = f"only {count(len(both), 'problem')} asked both ways, and {FEWEST} are needed"
        return few if len(zero) and len(six) else ""
    found = _paired(
        both["headline_6"], both["headline_0"], "problem", "with examples", "without examples"
    )
    if is_reasoning_model(asked.model):
        return found
    return replace(found, basis=f"{found.basis}; not known as a reasoning model")


def _paired(one: pd.Series, two: pd.Series, noun: str, first: str, second: str) -> Tested:
    found = paired(one.tolist(), two.tolist())
    return Tested(
        found.effect,
        found.p_value,
        f"exact McNemar test on the same {noun}s",
        f"{count(len(one), noun)}: {found.up} only {second}, {found.down} only {first}",
    )


TESTS: dict[str, Callable[[Asked], Result]] = {
    "depth": _depth,
    "complexity": _complexity,
    "names": _names,
    "cut_location": _cut_location,
    "gap": _gap,
    "six_shot": _six_shot,
}
"""The test of each claim, in the paper's order; `paper_results` says what it claims."""

_NUMBERS = {name: number for number, name in enumerate(TESTS, start=1)}

_RULE = (
    "A claim holds where the p-value, corrected for the number of claims tested on the model (Holm), "
    "is below 0.05 and the effect has the claimed direction. It does not hold where the effect has "
    f"the other direction, or where its interval lies below {100 * SMALLEST_EFFECT:.0f} percentage "
    "points (over the whole range of depths, for the first). Otherwise there is not enough data."
)


def section(evidence: Evidence) -> Section:
    """Make the section."""
    return Section("The paper's claims", tuple(_blocks(examine_claims(evidence))))


def examine_claims(evidence: Evidence) -> pd.DataFrame:
    """Test every claim on every model, one row for each."""
    return pd.concat(
        [
            examine(label, variant.name, evidence.asked_alike(evidence.problems, label))
            for label, variant in evidence.variants.items()
        ],
        ignore_index=True,
    )


def examine(label: str, model: str, problems: pd.DataFrame) -> pd.DataFrame:
    """Test every claim on one model; the columns are those of docs/report.md.

    One claim of a model is wrongly said to hold with a probability of at most 5 % over all claims
    together.
    """
    asked = Asked(model, make_cells(problems), problems)
    results = {name: test(asked) for name, test in TESTS.items()}
    p_values = [found.p_value for found in results.values() if isinstance(found, Tested)]
    corrected = iter(holm(p_values))
    rows = []
    for name, found in results.items():
        claim = paper_results().claims[name]
        row: dict[str, Any] = {"model": label, "claim": name, "sentence": claim.sentence}
        if isinstance(found, Tested):
            p_corrected = next(corrected)
            row |= {"verdict": _verdict(found, p_corrected), **spread("effect", found.effect)}
            row |= {"p_value": found.p_value, "p_corrected": p_corrected, "test": found.test}
            row["basis"] = found.basis
        else:
            row |= {"verdict": "not enough data", **spread("effect", None)}
            row |= dict.fromkeys(("p_value", "p_corrected", "test"))
            row["basis"] = found or f"{claim.needs} was not run"
        rows.append(row)
    return pd.DataFrame(rows)


def _verdict(tested: Tested, p_corrected: float) -> str:
    certain = p_corrected < ALPHA
    if certain and tested.effect.value > 0:
        return "holds"
    if tested.effect.ci_high < tested.smallest or (certain and tested.effect.value < 0):
        return "does not hold"
    return "not enough data"


def _blocks(data: pd.DataFrame) -> Iterator[str | Table]:
    data = data.sort_values("claim", key=lambda names: names.map(_NUMBERS), kind="stable")
    yield _RULE
    for name, number in _NUMBERS.items():
        claim = paper_results().claims[name]
        yield f"Claim {number}. {claim.sentence} The paper: {claim.finding}. Effect: {claim.unit}."
    tested, untested = data[data["test"].notna()], data[data["test"].isna()]
    if len(tested):
        tests = tested.groupby("claim", sort=False)["test"].unique()
        heads = {
            "claim": lambda row: str(_NUMBERS[row.claim]),
            "model": lambda row: row.model,
            "verdict": lambda row: row.verdict,
            "effect [95 %]": _effect,
            "p": lambda row: p_text(row.p_corrected),
            "basis": lambda row: row.basis,
        }
        yield Table(
            "claims",
            "The claims, tested",
            data,
            show(tested, heads),
            tuple(f"Claim {_NUMBERS[name]}: {'; '.join(own)}." for name, own in tests.items()),
            words=6,
        )
    reasons: dict[tuple[str, str], list[str]] = {}
    for (name, basis), rows in untested.groupby(["claim", "basis"], sort=False):
        everybody = len(rows) == data["model"].nunique()
        models = "" if everybody else f" on {', '.join(rows['model'])}"
        reasons.setdefault((models, basis), []).append(f"{_NUMBERS[name]}")
    if reasons:
        said = [
            f"{'claim' if len(names) == 1 else 'claims'} {', '.join(names)}{models} ({basis})"
            for (models, basis), names in reasons.items()
        ]
        yield f"Not tested: {'; '.join(said)}."


def _effect(row: Any) -> str:
    decimals = 2 if row.claim == "depth" else 1
    return points((row.effect, row.effect_ci_low, row.effect_ci_high), decimals)
