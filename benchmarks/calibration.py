"""How often the intervals of calibration cover the truth: simulated models with known confidence.

    python benchmarks/calibration.py --runs 500 --pairs 200

Each response is right with a known probability p, which differs by problem; what it states is a
function of p. The truth is computed from 200,000 pairs of the same model.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treecut_tasks.evaluation.calibration import Stated, calibrate

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=200)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"covered in 100, {options.runs} runs of {options.pairs} pairs; mean of the estimates")
    for model in MODELS:
        truth = calibrate(simulate(model, 20_000, rng), rng)
        covered = dict.fromkeys(MEASURES, 0)
        sums = dict.fromkeys(MEASURES, 0.0)
        for _ in range(options.runs):
            found = calibrate(simulate(model, options.pairs, rng), rng)
            for name in MEASURES:
                estimate, true = getattr(found, name), getattr(truth, name).value
                covered[name] += estimate.ci_low <= true <= estimate.ci_high
                sums[name] += estimate.value
        for name in MEASURES:
            print(
                f"{model:16} {name:20} true {getattr(truth, name).value:.4f}  "
                f"mean {sums[name] / options.runs:.4f}  covered {100 * covered[name] / options.runs:.1f}"
            )


if __name__ == "__main__":
    main()
