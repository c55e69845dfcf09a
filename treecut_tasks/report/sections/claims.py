"""The paper's claims (section 4), each tested on the responses of each model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import pandas as pd

from treecut_tasks.evaluation.prompts import is_reasoning_model
from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.report.cells import Cell, make_cells
from treecut_tasks.report.document import Figure, Section, Table, count, listed, p_text, points
from treecut_tasks.report.evidence import Evidence
from treecut_tasks.report.paper import paper_results
from treecut_tasks.report.sections.paper_tables import PAPER_FEWSHOT
from treecut_tasks.report.statistics import (
    ALPHA,
    Effect,
    holm,
    mean_difference,
    paired_difference,
    paired_test,
    slope,
    stratified_test,
    trend_test,
)

Verdict = Literal["holds", "does not hold", "not enough data"]

SMALLEST_EFFECT = 0.05
"""Differences below 5 percentage points are of no interest here: where the interval lies below it, a
claim does not hold. The slope with depth is judged over the whole range of depths."""

MIDDLE = (3 / 8, 6 / 8)
"""A cut is in the middle when cut_depth / ans_depth lies in this range: 3 to 6 at ans_depth 8."""

FEWEST = 10
"""Configurations with fewer problems are not tested."""

TOO_FEW = f"fewer than {FEWEST} problems of each configuration to compare"
"""Why nothing is tested where the right configurations were run."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes:
        name: short name.
        sentence: what is claimed.
        unit: what the effect is measured in.
        needs: what has to be run to test it.
    """

    name: str
    sentence: str
    unit: str
    needs: str


CLAIMS = (
    Claim(
        "depth",
        "The hallucination rate rises with ans_depth.",
        "points per unit of ans_depth",
        "unanswerable or structure with two depths or more",
    ),
    Claim(
        "complexity",
        "Complex trees (num_vars = ans_depth + 2) are hallucinated on more than single paths.",
        "points, tree minus path",
        "structure",
    ),
    Claim(
        "names",
        "Composite names are hallucinated on more than simple names.",
        "points, composite minus simple",
        "structure",
    ),
    Claim(
        "cut_location",
        "Cuts in the middle of the path are hallucinated on more than cuts near either end.",
        "points, middle minus the nearer end",
        "cut_location",
    ),
    Claim(
        "gap",
        "Answerable problems are solved more often than unanswerable ones are recognised.",
        "points, solved minus recognised",
        "paired (or unanswerable and answerable)",
    ),
    Claim(
        "six_shot",
        "Six worked examples lower the hallucination rate of reasoning models.",
        "points, zero-shot minus six-shot",
        "unanswerable with fewshot 0 and 6",
    ),
)
"""The claims."""


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

    effect: Effect
    p_value: float
    test: str
    basis: str
    smallest: float = SMALLEST_EFFECT


@dataclass(frozen=True)
class Finding:
    """What the responses of a model say about a claim.

    Attributes:
        model: label of the model.
        claim: the claim.
        tested: the result of its test; None if there was none.
        basis: what was compared, or why nothing could be.
        p_corrected: corrected (Holm) for the number of claims that were tested on the model.
    """

    model: str
    claim: Claim
    tested: Tested | None
    basis: str
    p_corrected: float | None = None

    @property
    def verdict(self) -> Verdict:
        """In words."""
        if self.tested is None or self.p_corrected is None:
            return "not enough data"
        effect, certain = self.tested.effect, self.p_corrected < ALPHA
        if certain and effect.value > 0:
            return "holds"
        if effect.ci_high < self.tested.smallest or (certain and effect.value < 0):
            return "does not hold"
        return "not enough data"


def section(evidence: Evidence) -> Section:
    """Make the section."""
    findings = examine_claims(evidence)
    return Section("The paper's claims", tuple(_blocks(findings)))


def examine_claims(evidence: Evidence) -> list[Finding]:
    """Test every claim on every model."""
    return [
        finding
        for label, variant in evidence.variants.items()
        for finding in examine(label, variant.name, evidence.asked_alike(evidence.problems, label))
    ]


def examine(label: str, model: str, problems: pd.DataFrame) -> list[Finding]:
    """Test every claim on one model.

    A claim holds where the corrected p-value is below 5 % and the effect has the claimed direction.
    It does not hold where the interval excludes every effect of interest (`SMALLEST_EFFECT`).
    Otherwise there is not enough data. One claim of a model is wrongly said to hold with a
    probability of at most 5 % over all claims together.

    Args:
        label: label of the model.
        model: its name, by which reasoning models are known.
        problems: one row for each problem (`Evidence.problems`).
    """
    cells = make_cells(problems)
    findings = []
    for claim in CLAIMS:
        found = _TESTS[claim.name](model, cells, problems)
        if isinstance(found, Tested):
            findings.append(Finding(label, claim, found, found.basis))
        else:
            findings.append(Finding(label, claim, None, found or f"{claim.needs} was not run"))
    corrected = iter(holm([each.tested.p_value for each in findings if each.tested]))
    return [
        replace(each, p_corrected=next(corrected)) if each.tested else each for each in findings
    ]


def _zero_shot(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.unanswerable and not cell.fewshot and cell.known]


def _enough(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.rate.n >= FEWEST]


_Lines = list[list[tuple[float, Rate]]]


def _depth(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    def lines(cells: Sequence[Cell]) -> _Lines:
        found: dict[tuple[int, bool | None], list[tuple[float, Rate]]] = {}
        for cell in cells:
            line = found.setdefault((cell.extra_vars, cell.composite_name), [])
            line.append((float(cell.ans_depth or 0), cell.rate))
        return [line for line in found.values() if len(line) > 1]

    usual = [cell for cell in _zero_shot(cells) if cell.usual_cut]
    strata = lines(_enough(usual))
    if not strata:
        return TOO_FEW if lines(usual) else ""
    rising = sum(slope([line]).value > 0 for line in strata)
    depths = sorted({int(depth) for line in strata for depth, _ in line})
    return Tested(
        slope(strata),
        trend_test(strata),
        test="trend test (Cochran, Armitage, Mantel), stratified by line",
        basis=f"ansDepth {listed(depths)}; {rising} of {count(len(strata), 'line')} rise",
        smallest=SMALLEST_EFFECT / (depths[-1] - depths[0]),
    )


def _complexity(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    return _two_groups(
        [cell for cell in _zero_shot(cells) if cell.usual_cut and cell.extra_vars in (0, 2)],
        group=lambda cell: cell.extra_vars == 2,
        stratum=lambda cell: (cell.ans_depth, cell.composite_name),
        strata_name="depth and names",
    )


def _names(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    return _two_groups(
        _zero_shot(cells),
        group=lambda cell: bool(cell.composite_name),
        stratum=lambda cell: (cell.ans_depth, cell.num_vars, cell.cut_depth),
        strata_name="depth, number of variables and cut",
    )


def _two_groups(
    cells: Sequence[Cell],
    group: Callable[[Cell], bool],
    stratum: Callable[[Cell], object],
    strata_name: str,
) -> Tested | str:
    """Compare two groups of cells within strata that hold one or more cells of each."""
    strata = _strata(_enough(cells), group, stratum)
    if not strata:
        return TOO_FEW if _strata(cells, group, stratum) else ""
    return Tested(
        mean_difference(strata),
        stratified_test(strata),
        test=f"Mantel-Haenszel test, stratified by {strata_name}",
        basis=count(len(strata), "comparison"),
    )


def _strata(
    cells: Sequence[Cell], group: Callable[[Cell], bool], stratum: Callable[[Cell], object]
) -> list[tuple[list[Rate], list[Rate]]]:
    found: dict[object, tuple[list[Rate], list[Rate]]] = {}
    for cell in cells:
        found.setdefault(stratum(cell), ([], []))[0 if group(cell) else 1].append(cell.rate)
    return [(more, less) for more, less in found.values() if more and less]


def _place(cell: Cell) -> str:
    """Where the cut is: near the questioned variable, in the middle, or near the root."""
    share = (cell.cut_depth or 0) / (cell.ans_depth or 1)
    if share < MIDDLE[0]:
        return "the questioned variable"
    return "middle" if share <= MIDDLE[1] else "the root"


def _cut_location(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    """The middle has to be above both ends, so the weaker of the two comparisons counts."""
    results = []
    for end in ("the questioned variable", "the root"):
        found = _two_groups(
            [cell for cell in _zero_shot(cells) if _place(cell) in ("middle", end)],
            group=lambda cell: _place(cell) == "middle",
            stratum=lambda cell: (cell.ans_depth, cell.num_vars, cell.composite_name),
            strata_name="depth",
        )
        if isinstance(found, str):
            return found
        results.append(replace(found, basis=f"the weaker: against cuts near {end}"))
    weaker = min(results, key=lambda result: result.effect.value)
    p_value = weaker.p_value
    if all(result.effect.value > 0 for result in results):
        p_value = max(result.p_value for result in results)
    test = "Mantel-Haenszel tests against both ends, stratified by depth; the weaker counts"
    return replace(weaker, p_value=p_value, test=test)


def _gap(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    """Paired by problem and counterpart where most have one, otherwise stratified by configuration."""
    zero_shot = problems[(problems["fewshot"] == 0) & problems["pair_id"].notna()]
    unanswerable, answerable = (
        zero_shot[zero_shot["unanswerable"] == kind] for kind in (True, False)
    )
    pairs = unanswerable.merge(answerable, on="pair_id", suffixes=("_u", "_a"))
    if len(pairs) >= max(FEWEST, min(len(unanswerable), len(answerable)) / 2):
        recognised = (1 - pairs["headline_u"]).tolist()
        solved = pairs["headline_a"].tolist()
        up, down, p_value = paired_test(recognised, solved)
        return Tested(
            paired_difference(recognised, solved),
            p_value,
            test="exact McNemar test on pairs",
            basis=f"{count(len(pairs), 'pair')}: {up} only solved, {down} only recognised",
        )
    # What is recognised is compared with what is solved.
    recognised_cells = [
        replace(cell, rate=_complement(cell.rate)) if cell.unanswerable else cell
        for cell in cells
        if not cell.fewshot
    ]
    found = _two_groups(
        recognised_cells,
        group=lambda cell: not cell.unanswerable,
        stratum=lambda cell: (cell.ans_depth, cell.num_vars, cell.cut_depth, cell.composite_name),
        strata_name="configuration",
    )
    if isinstance(found, str):
        return found
    return replace(found, basis=f"different problems; {found.basis}")


def _complement(rate: Rate) -> Rate:
    return Rate(1 - rate.value, rate.stderr, 1 - rate.ci_high, 1 - rate.ci_low, rate.n)


def _six_shot(model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Tested | str:
    zero, six = (
        problems[problems["unanswerable"] & (problems["fewshot"] == number)]
        for number in (0, PAPER_FEWSHOT)
    )
    both = zero.merge(six, on="problem_id", suffixes=("_0", "_6"))
    if len(both) < FEWEST:
        few = f"only {count(len(both), 'problem')} asked both ways, and {FEWEST} are needed"
        return few if len(zero) and len(six) else ""
    with_six, without = both["headline_6"].tolist(), both["headline_0"].tolist()
    up, down, p_value = paired_test(with_six, without)
    basis = f"{count(len(both), 'problem')}: {up} only without, {down} only with examples"
    if not is_reasoning_model(model):
        basis += "; not known as a reasoning model, for which the paper claims no change"
    return Tested(
        paired_difference(with_six, without),
        p_value,
        test="exact McNemar test on the same problems",
        basis=basis,
    )


_TESTS: dict[str, Callable[[str, Sequence[Cell], pd.DataFrame], Tested | str]] = {
    "depth": _depth,
    "complexity": _complexity,
    "names": _names,
    "cut_location": _cut_location,
    "gap": _gap,
    "six_shot": _six_shot,
}


def _blocks(findings: Sequence[Finding]) -> Iterator[str | Table | Figure]:
    yield (
        "A claim holds where the p-value, corrected for the number of claims tested on the model (Holm), "
        "is below 0.05 and the effect has the claimed direction. It does not hold where the effect has "
        f"the other direction, or where its interval lies below {100 * SMALLEST_EFFECT:.0f} percentage "
        "points (over the whole range of depths, for the first). Otherwise there is not enough data."
    )
    data = pd.DataFrame([_columns(finding) for finding in findings])
    for number, claim in enumerate(CLAIMS, start=1):
        own = [finding for finding in findings if finding.claim == claim]
        notes = [
            f"Not tested on {each.model}: {each.basis}." for each in own if each.tested is None
        ]
        if len(notes) == len(own) and len({each.basis for each in own}) == 1:
            notes = [f"Not tested: {own[0].basis}."]
        decimals = 2 if claim.name == "depth" else 1
        rows = [
            (
                each.model,
                each.verdict,
                points(each.tested.effect, decimals),
                p_text(each.p_corrected),
                each.basis,
            )
            for each in own
            if each.tested
        ]
        if not rows:
            yield " ".join([f"Claim {number}. {claim.sentence}", *notes])
            continue
        tests = sorted({f"Test: {each.tested.test}." for each in own if each.tested})
        paper = f"The paper: {paper_results().findings[claim.name]}."
        yield Table(
            "claims",
            f"Claim {number}. {claim.sentence}",
            data,
            pd.DataFrame(rows, columns=["model", "verdict", "effect [95 %]", "p", "basis"]),
            (" ".join([paper, *notes, *tests, f"Effect: {claim.unit}."]),),
            words=5,
        )


def _columns(finding: Finding) -> dict[str, object]:
    tested = finding.tested
    effect = asdict(tested.effect) if tested else {}
    return {
        "model": finding.model,
        "claim": finding.claim.name,
        "sentence": finding.claim.sentence,
        "verdict": finding.verdict,
        "effect": effect.get("value"),
        "effect_ci_low": effect.get("ci_low"),
        "effect_ci_high": effect.get("ci_high"),
        "p_value": tested and tested.p_value,
        "p_corrected": finding.p_corrected,
        "test": tested and tested.test,
        "basis": finding.basis,
    }
