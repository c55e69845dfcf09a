"""How often the intervals of calibration, penalties and noticing cover the truth: simulated models.

    python benchmarks/calibration.py --runs 500 --pairs 200

Each response is right with a known probability p, which differs by problem; what it states is a
function of p, and so is whether it abstains and whether it notices. The truth is computed from
50,000 pairs of the same model.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.evaluation.calibration import Estimate, Stated, calibrate
from treecut_tasks.evaluation.judging import JudgedResponse, judge_response
from treecut_tasks.evaluation.penalties import estimate

MODELS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "calibrated": lambda p: np.round(p, 2),
    "over-confident": lambda p: np.round(0.5 + p / 2, 2),
    "two words only": lambda p: np.where(p > 0.6, 0.95, 0.7),
    "always 90 %": lambda p: np.full_like(p, 0.9),
}
MEASURES = ("brier", "calibration_error", "auroc", "risk_coverage_area")


def simulate(model: str, pairs: int, rng: np.random.Generator) -> list[Stated]:
    """Responses to pairs, whose members are alike in difficulty."""
    of_pair = rng.beta(2, 1.3, pairs)
    p = np.clip(np.repeat(of_pair, 2) + rng.normal(0, 0.05, 2 * pairs), 0.01, 0.99)
    stated = MODELS[model](p)
    right = rng.random(2 * pairs) < p
    return [
        Stated(float(c), bool(r), i // 2)
        for i, (c, r) in enumerate(zip(stated, right, strict=True))
    ]


def measured(rows: list[Stated], rng: np.random.Generator) -> dict[str, Estimate]:
    """The measures of calibration by name."""
    found = vars(calibrate(rows, rng))
    return {name: found[name] for name in MEASURES}


NOTICE = "The price of a pie is not given."
SAID = {
    (unanswerable, noticed, end): judge_response(
        "unknown" if unanswerable else "12", f"{NOTICE * noticed} Answer: {end}"
    )
    for unanswerable in (True, False)
    for noticed in (True, False)
    for end in ("unknown", "12", "13")
}


def respond(threshold: float, pairs: int, rng: np.random.Generator) -> list[JudgedResponse]:
    """Responses to pairs of a model that answers where its p is above a threshold, and notices
    six of ten unanswerable problems and one of ten others."""
    of_pair = rng.beta(2, 1.3, pairs)
    judged = []
    for p in of_pair:
        for unanswerable in (True, False):
            noticed = bool(rng.random() < (0.6 if unanswerable else 0.1))
            answers = rng.random() < (1 - p if unanswerable else 0.95)
            number = "12" if rng.random() < p else "13"
            end = number if answers and p > threshold else "unknown"
            judged.append(SAID[unanswerable, noticed, end])
    return judged


def coverage(
    name: str,
    simulated: Callable[[int], Mapping[str, Estimate]],
    options: argparse.Namespace,
) -> None:
    """Print for each measure of a simulated model how often its interval covers the truth."""
    truth = {measure: found.value for measure, found in simulated(50_000).items()}
    covered, sums = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0.0)
    for _ in range(options.runs):
        for measure, found in simulated(options.pairs).items():
            covered[measure] += found.ci_low <= truth[measure] <= found.ci_high
            sums[measure] += found.value
    for measure, true in truth.items():
        print(
            f"{name:16} {measure:28} true {true:8.4f}  mean {sums[measure] / options.runs:8.4f}  "
            f"covered {100 * covered[measure] / options.runs:.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=200)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"covered in 100, {options.runs} runs of {options.pairs} pairs; mean of the estimates")
    for model in MODELS:
        coverage(
            model,
            lambda pairs, model=model: measured(simulate(model, pairs, rng), rng),  # type: ignore[misc]
            options,
        )
    for threshold in (0.0, 0.5):
        coverage(
            f"answers above {threshold}",
            lambda pairs, threshold=threshold: estimate(  # type: ignore[misc]
                respond(threshold, pairs, rng), [i // 2 for i in range(2 * pairs)], rng
            ),
            options,
        )


if __name__ == "__main__":
    main()
