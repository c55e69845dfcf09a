"""The paper's claims (section 4), each tested on the responses of each model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from treecut_tasks.evaluation.prompts import is_reasoning_model
from treecut_tasks.evaluation.rates import Rate
from treecut_tasks.report.cells import Cell, zero_shot
from treecut_tasks.report.statistics import (
    ALPHA,
    Effect,
    Table2,
    contrast,
    holm,
    paired_difference,
    paired_test,
    slope,
    stratified_test,
    trend_test,
)
from treecut_tasks.report.tables import PAPER_FEWSHOT

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["holds", "does not hold", "not enough data"]

SMALLEST_EFFECT = 0.05
"""Differences below 5 percentage points are of no interest here: where the interval lies below it, a
claim does not hold. The slope with depth is judged over the whole range of depths."""

MIDDLE = (3 / 8, 6 / 8)
"""A cut is in the middle when cut_depth / ans_depth lies in this range: 3 to 6 at ans_depth 8."""

_FEWEST = 10
"""Below this number of problems in a group nothing is tested."""


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
        "unanswerable or structure, with at least two depths",
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
        "paired, or unanswerable and answerable",
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
class Finding:
    """What the responses of a model say about a claim.

    Attributes:
        model: label of the model.
        claim: the claim.
        verdict: in words.
        effect: the effect, positive in the claimed direction; None if it was not tested.
        p_value: two-sided; None if it was not tested.
        p_corrected: corrected (Holm) for the number of claims that were tested on the model.
        test: name of the test.
        basis: what was compared.
        smallest: the smallest effect that would be of interest, in the unit of the effect.
    """

    model: str
    claim: Claim
    verdict: Verdict
    effect: Effect | None = None
    p_value: float | None = None
    p_corrected: float | None = None
    test: str = ""
    basis: str = ""
    smallest: float = SMALLEST_EFFECT


def examine_claims(cells: Sequence[Cell], problems: pd.DataFrame) -> tuple[Finding, ...]:
    """Test every claim on every model.

    A claim holds where the corrected p-value is below 5 % and the effect has the claimed direction.
    It does not hold where the interval excludes every effect of interest (`SMALLEST_EFFECT`).
    Otherwise there is not enough data. One claim of a model is wrongly said to hold with a
    probability of at most 5 % over all claims together.

    Args:
        cells: the cells of all models.
        problems: the table of problems (`cells.problems_frame`).
    """
    findings: list[Finding] = []
    for model in dict.fromkeys(cell.model for cell in cells):
        own = [cell for cell in cells if cell.model == model]
        of_model = problems[problems["model"] == model]
        tested = [_TESTS[claim.name](claim, model, own, of_model) for claim in CLAIMS]
        findings += _with_verdicts(tested)
    return tuple(findings)


def _with_verdicts(findings: list[Finding]) -> Iterable[Finding]:
    p_values = [each.p_value for each in findings if each.p_value is not None]
    corrected = iter(holm(p_values))
    for finding in findings:
        if finding.p_value is None or finding.effect is None:
            yield finding
            continue
        p_corrected = next(corrected)
        verdict: Verdict = "not enough data"
        if p_corrected < ALPHA and finding.effect.value > 0:
            verdict = "holds"
        elif finding.effect.ci_high < finding.smallest or (
            p_corrected < ALPHA and finding.effect.value < 0
        ):
            verdict = "does not hold"
        yield replace(finding, p_corrected=p_corrected, verdict=verdict)


def _untested(claim: Claim, model: str) -> Finding:
    return Finding(model, claim, "not enough data", basis=f"needs {claim.needs}")


def _zero_shot(cells: Sequence[Cell]) -> list[tuple[Cell, Rate]]:
    """The zero-shot cells that have enough responses to be tested."""
    return [(cell, rate) for cell, rate in zero_shot(cells) if rate.n >= _FEWEST]


def _usual_cut(cell: Cell) -> bool:
    return cell.ans_depth is not None and cell.cut_depth == cell.ans_depth // 2


def _extra_vars(cell: Cell) -> int:
    assert cell.num_vars is not None and cell.ans_depth is not None
    return cell.num_vars - cell.ans_depth


def _depth(claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Finding:
    lines: dict[tuple[int, bool | None], list[tuple[float, Rate]]] = {}
    for cell, rate in _zero_shot(cells):
        if _usual_cut(cell) and cell.ans_depth is not None:
            lines.setdefault((_extra_vars(cell), cell.composite_name), []).append(
                (float(cell.ans_depth), rate)
            )
    strata = [line for line in lines.values() if len(line) > 1]
    if not strata:
        return _untested(claim, model)
    effect = slope(strata)
    rising = sum(slope([line]).value > 0 for line in strata)
    depths = sorted({int(depth) for line in strata for depth, _ in line})
    return Finding(
        model,
        claim,
        "not enough data",
        effect,
        trend_test(strata),
        test="trend test (Cochran, Armitage, Mantel), stratified by line",
        basis=f"ans_depth {_listed(depths)}; {rising} of {_count(len(strata), 'line')} rise",
        smallest=SMALLEST_EFFECT / (depths[-1] - depths[0]),
    )


def _complexity(claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Finding:
    usual = [
        (cell, rate)
        for cell, rate in _zero_shot(cells)
        if _usual_cut(cell) and _extra_vars(cell) in (0, 2)
    ]
    return _two_groups(
        claim,
        model,
        usual,
        group=lambda cell: _extra_vars(cell) == 2,
        stratum=lambda cell: (cell.ans_depth, cell.composite_name),
        strata_name="depth and names",
    )


def _names(claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Finding:
    return _two_groups(
        claim,
        model,
        _zero_shot(cells),
        group=lambda cell: bool(cell.composite_name),
        stratum=lambda cell: (cell.ans_depth, cell.num_vars, cell.cut_depth),
        strata_name="depth, number of variables and cut",
    )


def _two_groups(
    claim: Claim,
    model: str,
    cells: Sequence[tuple[Cell, Rate]],
    group: Callable[[Cell], bool],
    stratum: Callable[[Cell], object],
    strata_name: str,
) -> Finding:
    """Compare two groups of cells within strata that hold one or more cells of each."""
    strata = _strata(cells, group, stratum)
    if not strata:
        return _untested(claim, model)
    return Finding(
        model,
        claim,
        "not enough data",
        _mean_difference(strata),
        stratified_test([_table(more, less) for more, less in strata]),
        test=f"Mantel-Haenszel test, stratified by {strata_name}",
        basis=_count(len(strata), "comparison"),
    )


_Stratum = tuple[list[Rate], list[Rate]]


def _strata(
    cells: Sequence[tuple[Cell, Rate]],
    group: Callable[[Cell], bool],
    stratum: Callable[[Cell], object],
) -> list[_Stratum]:
    found: dict[object, _Stratum] = {}
    for cell, rate in cells:
        found.setdefault(stratum(cell), ([], []))[0 if group(cell) else 1].append(rate)
    return [(more, less) for more, less in found.values() if more and less]


def _mean_difference(strata: Sequence[_Stratum]) -> Effect:
    """Mean over strata of the difference between the mean rates of the groups."""
    rates: list[Rate] = []
    weights: list[float] = []
    for more, less in strata:
        rates += [*more, *less]
        weights += [1 / len(more) / len(strata)] * len(more)
        weights += [-1 / len(less) / len(strata)] * len(less)
    return contrast(rates, weights)


def _table(more: Sequence[Rate], less: Sequence[Rate]) -> Table2:
    def successes(rates: Sequence[Rate]) -> float:
        return sum(rate.value * rate.n for rate in rates)

    def total(rates: Sequence[Rate]) -> int:
        return sum(rate.n for rate in rates)

    return Table2((successes(more), successes(less)), (total(more), total(less)))


def _place(cell: Cell) -> str:
    """Where the cut is: near the questioned variable, in the middle, or near the root."""
    assert cell.cut_depth is not None and cell.ans_depth is not None
    share = cell.cut_depth / cell.ans_depth
    if share < MIDDLE[0]:
        return "question"
    return "middle" if share <= MIDDLE[1] else "root"


def _cut_location(
    claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame
) -> Finding:
    """The middle has to be above both ends, so the weaker of the two comparisons counts."""
    zero_shot = _zero_shot(cells)
    results: list[tuple[float, Effect, str]] = []
    for end in ("question", "root"):
        strata = _strata(
            [(cell, rate) for cell, rate in zero_shot if _place(cell) in ("middle", end)],
            group=lambda cell: _place(cell) == "middle",
            stratum=lambda cell: (cell.ans_depth, cell.num_vars, cell.composite_name),
        )
        if not strata:
            return _untested(claim, model)
        p_value = stratified_test([_table(more, less) for more, less in strata])
        name = "the questioned variable" if end == "question" else "the root"
        results.append((p_value, _mean_difference(strata), name))
    p_value, effect, name = min(results, key=lambda result: result[1].value)
    if all(effect.value > 0 for _, effect, _ in results):
        p_value = max(p for p, _, _ in results)
    return Finding(
        model,
        claim,
        "not enough data",
        effect,
        p_value,
        test="Mantel-Haenszel tests against both ends, stratified by depth; the weaker counts",
        basis=f"the weaker: against cuts near {name}",
    )


def _gap(claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Finding:
    """Paired by problem and counterpart where most have one, otherwise stratified by depth."""
    zero_shot = problems[problems["fewshot"] == 0]
    unanswerable = zero_shot[zero_shot["unanswerable"]].dropna(subset=["pair_id"])
    answerable = zero_shot[~zero_shot["unanswerable"]].dropna(subset=["pair_id"])
    pairs = unanswerable.merge(answerable, on="pair_id", suffixes=("_u", "_a"))
    if len(pairs) >= max(_FEWEST, min(len(unanswerable), len(answerable)) / 2):
        recognised = (1 - pairs["hallucination_u"]).tolist()
        solved = pairs["accuracy_a"].tolist()
        up, down, p_value = paired_test(recognised, solved)
        return Finding(
            model,
            claim,
            "not enough data",
            paired_difference(recognised, solved),
            p_value,
            test="exact McNemar test on pairs",
            basis=f"{len(pairs)} pairs: {up} only solved, {down} only recognised",
        )
    strata = []
    for cell in cells:
        if cell.fewshot or cell.unanswerable or cell.headline is None:
            continue
        for other in cells:
            same = (other.ans_depth, other.num_vars, other.composite_name, other.cut_depth) == (
                cell.ans_depth,
                cell.num_vars,
                cell.composite_name,
                cell.cut_depth,
            )
            if same and other.unanswerable and not other.fewshot and other.headline is not None:
                strata.append(([cell.headline], [_complement(other.headline)]))
    if sum(rates[0].n for stratum in strata for rates in stratum) < 2 * _FEWEST:
        return _untested(claim, model)
    return Finding(
        model,
        claim,
        "not enough data",
        _mean_difference(strata),
        stratified_test([_table(more, less) for more, less in strata]),
        test="Mantel-Haenszel test, stratified by configuration",
        basis=f"different problems; {_count(len(strata), 'configuration')}",
    )


def _complement(rate: Rate) -> Rate:
    return Rate(1 - rate.value, rate.stderr, 1 - rate.ci_high, 1 - rate.ci_low, rate.n)


def _six_shot(claim: Claim, model: str, cells: Sequence[Cell], problems: pd.DataFrame) -> Finding:
    unanswerable = problems[problems["unanswerable"]]
    zero = unanswerable[unanswerable["fewshot"] == 0]
    six = unanswerable[unanswerable["fewshot"] == PAPER_FEWSHOT]
    both = zero.merge(six, on="problem_id", suffixes=("_0", "_6"))
    if len(both) < _FEWEST:
        return _untested(claim, model)
    with_six, without = both["hallucination_6"].tolist(), both["hallucination_0"].tolist()
    up, down, p_value = paired_test(with_six, without)
    basis = f"{len(both)} problems: {up} only without, {down} only with examples"
    if not is_reasoning_model(model.split(" (", 1)[0]):
        basis += "; not known as a reasoning model, for which the paper claims no change"
    return Finding(
        model,
        claim,
        "not enough data",
        paired_difference(with_six, without),
        p_value,
        test="exact McNemar test on the same problems",
        basis=basis,
    )


_TESTS: dict[str, Callable[[Claim, str, Sequence[Cell], pd.DataFrame], Finding]] = {
    "depth": _depth,
    "complexity": _complexity,
    "names": _names,
    "cut_location": _cut_location,
    "gap": _gap,
    "six_shot": _six_shot,
}


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
