"""The paper's claims (section 4), each tested on the responses of each model: one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import pandas as pd

from treecut_tasks.evaluation.calibration import Estimate
from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.prompts import is_reasoning_model
from treecut_tasks.report.cells import CONFIGURATION, make_cells
from treecut_tasks.report.document import (
    MISSING,
    Row,
    Section,
    Table,
    cell,
    count,
    p_text,
    points,
)
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.paper import paper_results
from treecut_tasks.report.sections.paper_tables import PAPER_FEWSHOT
from treecut_tasks.report.statistics import (
    ALPHA,
    FEWEST,
    DoseRates,
    Paired,
    holm,
    paired_problems,
    slope,
    trend_test,
)

SMALLEST_EFFECT = 0.05
"""Differences below 5 percentage points are of no interest here: where the interval lies below it, a
claim does not hold. The slope with depth is judged over the whole range of depths."""

MIDDLE = (3 / 8, 6 / 8)
"""A cut is in the middle when cut_depth / ans_depth lies in this range: 3 to 6 at ans_depth 8."""

TOO_FEW = f"fewer than {FEWEST} problems of each configuration to compare"
"""Why nothing is tested where the right configurations were run."""


class Asked(NamedTuple):
    """What one model was asked: its name and label, its cells, and its problems with comparable ones."""

    model: str
    label: str
    cells: pd.DataFrame
    problems: pd.DataFrame

    @property
    def zero_shot(self) -> pd.DataFrame:
        """Cells of unanswerable problems of a known configuration without examples."""
        cells = self.cells[self.cells["model"] == self.label]
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

    def lines(cells: pd.DataFrame) -> list[DoseRates]:
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
    unanswerable, answerable = (
        problems[(problems["unanswerable"] == kind) & problems["pair_id"].notna()]
        for kind in (True, False)
    )
    found = paired_problems(unanswerable, answerable, "headline", on="pair_id")
    if found and found.n >= min(len(unanswerable), len(answerable)) / 2:
        return _paired(found, "pair", "recognised", "solved")
    cells = make_cells(problems)
    others = _within(cells, ~cells["unanswerable"], CONFIGURATION, "configuration")
    if isinstance(others, str):
        return others
    return replace(others, basis=f"other problems; {others.basis}")


def _six_shot(asked: Asked) -> Result:
    problems = asked.problems[asked.problems["unanswerable"]]
    zero, six = (problems[problems["fewshot"] == number] for number in (0, PAPER_FEWSHOT))
    found = paired_problems(six[six["model"] == asked.label], zero, "headline")
    if found is None:
        return f"fewer than {FEWEST} problems asked both ways" if len(zero) and len(six) else ""
    tested = _paired(found, "problem", "with examples", "without examples")
    if is_reasoning_model(asked.model):
        return tested
    return replace(tested, basis=f"{tested.basis}; not known as a reasoning model")


def _paired(found: Paired, noun: str, first: str, second: str) -> Tested:
    return Tested(
        found.effect,
        found.p_value,
        f"exact McNemar test on the same {noun}s",
        f"{count(found.n, noun)}: {found.up} only {second}, {found.down} only {first}",
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

_RULE = (
    "A claim holds where the p-value, corrected for the number of claims tested on the model (Holm), "
    "is below 0.05 and the effect has the claimed direction. It does not hold where the effect has "
    f"the other direction, or where its interval lies below {100 * SMALLEST_EFFECT:.0f} percentage "
    "points (over the whole range of depths, for the first). Otherwise there is not enough data."
)


def section(evidence: Evidence) -> Section:
    """Make the section; it is empty where no problem was answered."""
    problems = evidence.set_problems
    problems = problems[problems["instruction"] == STANDARD]
    rows = [
        row
        for label, variant in evidence.variants.items()
        if len(own := evidence.asked_alike(problems, label))
        for row in examine(label, variant.name, own)
    ]
    return Section("The paper's claims", tuple(_blocks(rows)))


def examine(label: str, model: str, problems: pd.DataFrame) -> list[Row]:
    """Test every claim on one model; the columns are those of docs/report.md.

    One claim of a model is wrongly said to hold with a probability of at most 5 % over all claims
    together.
    """
    asked = Asked(model, label, make_cells(problems), problems)
    results = {name: test(asked) for name, test in TESTS.items()}
    corrected = iter(holm([each.p_value for each in results.values() if isinstance(each, Tested)]))
    rows: list[Row] = []
    for name, found in results.items():
        claim = paper_results().claims[name]
        if isinstance(found, Tested):
            p_corrected = next(corrected)
            verdict, effect, basis = _verdict(found, p_corrected), found.effect, found.basis
            tested = {"p_value": found.p_value, "p_corrected": p_corrected, "test": found.test}
        else:
            verdict, effect, basis = (
                "not enough data",
                MISSING,
                found or f"{claim.needs} was not run",
            )
            tested = dict.fromkeys(("p_value", "p_corrected", "test"))
        row = {"model": label, "claim": name, "sentence": claim.sentence, "verdict": verdict}
        rows.append({**row, "effect": effect, **tested, "basis": basis})
    return rows


def _verdict(tested: Tested, p_corrected: float) -> str:
    certain = p_corrected < ALPHA
    if certain and tested.effect.value > 0:
        return "holds"
    if tested.effect.ci_high < tested.smallest or (certain and tested.effect.value < 0):
        return "does not hold"
    return "not enough data"


def _blocks(rows: Sequence[Row]) -> Iterator[str | Table]:
    rows = sorted(rows, key=lambda row: [*TESTS].index(row["claim"]))
    tested = [row for row in rows if row["test"]]
    if tested:
        yield _RULE
        for name, test in dict.fromkeys((row["claim"], row["test"]) for row in tested):
            claim = paper_results().claims[name]
            yield (
                f"{_words(name).capitalize()}: {claim.sentence} The paper: {claim.finding}. Effect in "
                f"{claim.unit}; {test}."
            )
        heads = {
            "claim": cell("claim", _words),
            "model": cell("model"),
            "verdict": cell("verdict"),
            "effect [95 %]": lambda row: points(row["effect"], 2 if row["claim"] == "depth" else 1),
            "p": cell("p_corrected", p_text),
            "basis": cell("basis"),
        }
        table = Table.of("claims", "The claims, tested", tested, heads, words=6)
        yield replace(table, data=Table.of("claims", "", rows, {}).data)
    untested = Counter((row["claim"], row["basis"]) for row in rows if not row["test"])
    models = len({row["model"] for row in rows})
    reasons: dict[str, list[str]] = {}
    for (name, basis), number in untested.items():
        some = "" if number == models else f" on {number} of {count(models, 'model')}"
        reasons.setdefault(basis, []).append(f"{_words(name)}{some}")
    if reasons:
        said = [f"{', '.join(names)} ({basis})" for basis, names in reasons.items()]
        yield f"Not tested: {'; '.join(said)}."


def _words(claim: str) -> str:
    return claim.replace("_", " ")
