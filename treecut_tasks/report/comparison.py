"""Two logs of the same model side by side, on the problems that both of them asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from treecut_tasks.report.evidence import Evidence, Run
from treecut_tasks.report.statistics import Effect, paired_difference, paired_test

if TYPE_CHECKING:
    import pandas as pd

MOST_COMPARISONS = 50
"""No more pairs of logs are compared; with many logs of one model the first ones are."""


@dataclass(frozen=True)
class Comparison:
    """Two runs of one model on common problems.

    Attributes:
        model: name of the model.
        what: what is compared: the kind of problems and of prompts.
        first: number of the older run, as in the list of runs.
        second: number of the newer run.
        common: number of problems that both asked.
        only_first: number of problems that only the older run asked.
        only_second: number of problems that only the newer run asked.
        rates: the two rates on the common problems; None without any.
        difference: second minus first; None without common problems.
        up: common problems on which the second is higher.
        down: common problems on which the first is higher.
        p_value: of McNemar's exact test; None without common problems.
        warnings: what differs between the runs beside chance.
    """

    model: str
    what: str
    first: int
    second: int
    common: int
    only_first: int
    only_second: int
    rates: tuple[float, float] | None
    difference: Effect | None
    up: int
    down: int
    p_value: float | None
    warnings: tuple[str, ...]


def compare_runs(evidence: Evidence) -> tuple[Comparison, ...]:
    """Compare every two runs of the same model with prompts and problems of the same kind."""
    return tuple(
        comparison
        for _, comparison in zip(range(MOST_COMPARISONS), _comparisons(evidence), strict=False)
    )


def _comparisons(evidence: Evidence) -> Iterator[Comparison]:
    scored = evidence.responses[evidence.responses["scored"]]
    groups: dict[tuple[str, bool, int], dict[int, pd.Series]] = {}
    for (run, unanswerable, fewshot), rows in scored.groupby(
        ["run", "unanswerable", "fewshot"], sort=True
    ):
        rate = "hallucination" if unanswerable else "accuracy"
        means = rows.groupby("problem_id")[rate].mean()
        key = (_model_name(evidence.runs[run]), bool(unanswerable), int(fewshot))
        groups.setdefault(key, {})[int(run)] = means
    for (model, unanswerable, fewshot), by_run in groups.items():
        what = ("hallucination rate" if unanswerable else "accuracy") + (
            f", {fewshot} examples" if fewshot else ", zero-shot"
        )
        for first, second in combinations(by_run, 2):
            one, two = evidence.runs[first], evidence.runs[second]
            if one.path == two.path or not _alike(one, two):
                continue
            yield _compare(model, what, evidence, first, second, by_run[first], by_run[second])


def _model_name(run: Run) -> str:
    """The name without provider or organisation, which frameworks write differently."""
    if run.reference:
        return run.model
    return run.model.rsplit("/", 1)[-1]


def _alike(one: Run, two: Run) -> bool:
    """Whether two runs are of the same task; other tasks ask other problems on purpose."""
    if one.framework == two.framework == "Inspect":
        return one.tasks == two.tasks
    return True


def _compare(
    model: str,
    what: str,
    evidence: Evidence,
    first: int,
    second: int,
    one: pd.Series,
    two: pd.Series,
) -> Comparison:
    common = one.index.intersection(two.index)
    older, newer = one.loc[common].tolist(), two.loc[common].tolist()
    up, down, p_value = paired_test(older, newer)
    return Comparison(
        model=model,
        what=what,
        first=first,
        second=second,
        common=len(common),
        only_first=len(one) - len(common),
        only_second=len(two) - len(common),
        rates=(sum(older) / len(older), sum(newer) / len(newer)) if older else None,
        difference=paired_difference(older, newer) if older else None,
        up=up,
        down=down,
        p_value=p_value if older else None,
        warnings=_warnings(evidence.runs[first], evidence.runs[second], len(common)),
    )


def _warnings(one: Run, two: Run, common: int) -> tuple[str, ...]:
    """What makes a difference between two runs something else than chance and the model."""
    features: Sequence[tuple[str, object, object]] = (
        ("package version", one.package_version, two.package_version),
        ("task version", one.task_version, two.task_version),
        *(
            (name, one.parameters.get(name), two.parameters.get(name))
            for name in ("sampling", "seed", "theme", "order", "counterpart")
        ),
        ("prompt", one.prompt.split(" ", 1)[0], two.prompt.split(" ", 1)[0]),
        ("system message", one.system_message, two.system_message),
        ("framework", one.framework, two.framework),
    )
    if one.framework == two.framework:
        names = sorted({*one.settings, *two.settings} - {"base_url"})
        features = (
            *features,
            *((name, one.settings.get(name), two.settings.get(name)) for name in names),
        )
        if one.framework == "Inspect":
            features = (*features, ("data set", one.data_set, two.data_set))
    warnings = [
        f"{name}: {_shown(old)} and {_shown(new)}" for name, old, new in features if old != new
    ]
    if not common:
        warnings.append("no common problems: nothing can be compared")
    return tuple(warnings)


def _shown(value: object) -> str:
    return "not given" if value in (None, "") else str(value)
