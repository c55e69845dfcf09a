"""Takes both classes, gives how well classifiers over surface features tell them apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm, rankdata, sem
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from treecut_tasks.errors import TreecutError, shown
from treecut_tasks.validity.audit.data import AuditedProblem, Classes
from treecut_tasks.validity.audit.features import FEATURE_SETS, surface_features
from treecut_tasks.validity.audit.result import (
    CONFIDENCE,
    AuditResult,
    Estimate,
    Feature,
    SetResult,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_SEED = 2**32 - 1
"""Largest seed that the classifiers take."""

# Words and word pairs, and how many of them follow one another.
_WORDS = {"words": 1, "word pairs": 2}
_ALL = "all of these, boosting"

SET_NAMES = (
    *FEATURE_SETS,
    *(f"{words}, {by}" for words in _WORDS for by in ("naive Bayes", "logistic")),
    _ALL,
)
"""The feature sets in the order of the report. Those without words are classified by boosting."""

_STRONGEST = 10
# How often a feature is shuffled to see how much a classifier goes by it.
_SHUFFLES = 2
# Decimal places of estimates that are more than rounding errors.
_DIGITS = 12
# Words and word pairs, the most frequent ones, that boosting gets beside the other features.
_BOOSTED_WORDS = 200
# A word is a run of anything but spaces and the marks that end sentences.
_WORD = r"[^\s.?:]+"


@dataclass(frozen=True)
class _Set:
    """A feature set in numbers, and the classifier for it."""

    name: str
    features: Sequence[str]
    matrix: Any
    make: Callable[[], Any]


@dataclass(frozen=True)
class _Problem:
    """The samples of both classes as classifiers see them: unanswerable first, label 1."""

    labels: Ints
    folds: Sequence[tuple[Ints, Ints]]
    paired: bool
    seed: int


def audit(
    classes: Classes,
    folds: int = 5,
    seed: int = 0,
    advance: Callable[[int], None] = lambda sets: None,
) -> AuditResult:
    """Measure how well surface features tell the classes apart.

    Each feature set is cross-validated. Pairs are kept together, in the folds and in the intervals;
    independent draws get folds with a fixed share of each class.

    Args:
        classes: the problems.
        folds: number of parts of the cross-validation.
        seed: 0 to `MAX_SEED`; the same gives the same result.
        advance: told of each of `SET_NAMES` that is done.
    """
    sizes = len(classes.unanswerable), len(classes.answerable)
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise TreecutError(
            f"seed is {shown(seed)}: it must be a whole number from 0 to {MAX_SEED}."
        )
    if type(folds) is not int or not 2 <= folds <= min(sizes):
        raise TreecutError(
            f"folds is {shown(folds)}: it must be a whole number of 2 or more, and each class must have "
            f"as many problems (it has {sizes[0]} unanswerable and {sizes[1]} answerable ones)."
        )
    samples = (*classes.unanswerable, *classes.answerable)
    labels = np.repeat([1, 0], sizes)
    paired = classes.joined != "not"
    kind = GroupKFold if paired else StratifiedKFold
    splitter = kind(
        folds, shuffle=True, random_state=seed
    )  # inspect-evals-lint: ignore[shuffle_seeded] -- seeded
    groups = np.tile(np.arange(sizes[0]), 2) if paired else None
    problem = _Problem(labels, list(splitter.split(labels, labels, groups)), paired, seed)
    sets = []
    # Boosting is as fast with one thread at these sizes, and slower by far with several where
    # other programs want the cores, because its threads wait for one another busily.
    with threadpool_limits(limits=1):
        for each in _feature_sets(samples, seed):
            sets.append(_result(each, problem))
            advance(1)
    theme = classes.theme.name
    return AuditResult(tuple(sets), *sizes, classes.joined, theme, folds, seed)


def _feature_sets(samples: Sequence[AuditedProblem], seed: int) -> Iterator[_Set]:
    def boosting() -> Any:
        # Shallow and slow: what is looked for is faint, and large trees learn the noise instead.
        return HistGradientBoostingClassifier(
            learning_rate=0.05, max_leaf_nodes=8, early_stopping=False, random_state=seed
        )

    def logistic() -> Any:
        return LogisticRegression(C=0.3, solver="liblinear", random_state=seed)

    def counted(lengths: tuple[int, int], most: int | None = None) -> tuple[list[str], Any]:
        # Vocabulary and counts know nothing of the classes, so they may be made outside the folds.
        words = CountVectorizer(token_pattern=_WORD, ngram_range=lengths, max_features=most)
        counts = words.fit_transform([sample.text for sample in samples])
        names = words.get_feature_names_out()
        return [f"{'words' if ' ' in name else 'word'} “{name}”" for name in names], counts

    surface = [surface_features(sample) for sample in samples]
    everything: list[tuple[list[str], Any]] = []
    for name in FEATURE_SETS:
        matrix = np.array([list(of[name].values()) for of in surface], dtype=float)
        everything.append((list(surface[0][name]), matrix))
        yield _Set(name, *everything[-1], boosting)
    for name, length in _WORDS.items():
        columns, counts = counted((length, length))
        yield _Set(f"{name}, naive Bayes", columns, counts, MultinomialNB)
        yield _Set(f"{name}, logistic", columns, counts, logistic)
    columns, counts = counted((1, 2), _BOOSTED_WORDS)
    everything.append((columns, counts.toarray()))
    names, matrices = zip(*everything, strict=True)
    yield _Set(_ALL, [each for columns in names for each in columns], np.hstack(matrices), boosting)


def _result(each: _Set, problem: _Problem) -> SetResult:
    labels = problem.labels
    scores = np.zeros(len(labels))
    right = np.zeros(len(labels))
    for train, test in problem.folds:
        model = each.make().fit(each.matrix[train], labels[train])
        predicted = model.predict_proba(each.matrix[test])[:, 1]
        # Ranks, because the scores of differently trained classifiers are not comparable.
        scores[test] = rankdata(predicted) / (len(test) + 1)
        right[test] = (predicted > 0.5) == labels[test]
        # A score on the fence is half right, whatever its class.
        right[test[predicted == 0.5]] = 0.5
    balanced = float(right[labels == 1].mean() + right[labels == 0].mean()) / 2
    accuracy, _ = _estimate(balanced, right / 2, problem)
    placements = _placements(scores, labels)
    auc, error = _estimate(float(placements[labels == 1].mean()), placements, problem)
    # One-sided, because a classifier with an AUC below 0.5 has learnt noise.
    p_value = float(norm.sf((auc.value - 0.5) / error)) if error else float(auc.value <= 0.5)
    weights = _weights(each, model, test, problem)
    strongest = np.argsort(-weights, kind="stable")[:_STRONGEST]
    columns = each.matrix[:, strongest]
    means = [np.asarray(columns[labels == label].mean(axis=0)).ravel() for label in (1, 0)]
    features = tuple(
        Feature(each.features[index], float(weights[index]), float(first), float(second))
        for index, first, second in zip(strongest, *means, strict=True)
    )
    return SetResult(each.name, accuracy, auc, p_value, len(each.features), features)


def _placements(scores: Floats, labels: Ints) -> Floats:
    """For each problem the share of the other class that is ranked right with it, ties by half.

    The mean over either class is the AUC (DeLong, DeLong and Clarke-Pearson, 1988).
    """
    ranks = rankdata(scores)
    placements = np.zeros(len(labels))
    for label in (0, 1):
        own = labels == label
        below = (ranks[own] - rankdata(scores[own])) / np.count_nonzero(~own)
        placements[own] = below if label == 1 else 1 - below
    return placements


def _estimate(value: float, parts: Floats, problem: _Problem) -> tuple[Estimate, float]:
    """A value that varies as the sum of both classes' means of its parts: interval, standard error.

    Pairs are the units where there are pairs (for the AUC that is Obuchowski, 1997). The training
    sets of the folds overlap, so that their errors are not independent: the standard error is
    widened as Nadeau and Bengio (2003) do it, by the square root of 1 + folds * test / training.
    Measured without any signal, AUCs spread 1.2 to 1.5 times as far as the narrow error says.
    """
    unanswerable, answerable = parts[problem.labels == 1], parts[problem.labels == 0]
    if problem.paired:
        narrow = float(sem(unanswerable + answerable))
    else:
        narrow = math.hypot(float(sem(unanswerable)), float(sem(answerable)))
    # What is the same in both members of every pair has no spread but for rounding.
    value, narrow = round(value, _DIGITS), round(narrow, _DIGITS)
    folds = len(problem.folds)
    error = narrow * math.sqrt(1 + folds / (folds - 1))
    reach = float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return Estimate(value, max(0.0, value - reach), min(1.0, value + reach)), error


def _weights(each: _Set, model: Any, test: Ints, problem: _Problem) -> Floats:
    """How much a trained classifier goes by each feature; see `Feature.weight`."""
    if hasattr(model, "coef_"):
        coefficients = model.coef_[0]
    elif hasattr(model, "feature_log_prob_"):
        coefficients = model.feature_log_prob_[1] - model.feature_log_prob_[0]
    else:
        shuffled = permutation_importance(
            model,
            each.matrix[test],
            problem.labels[test],
            scoring="roc_auc",
            n_repeats=_SHUFFLES,
            random_state=problem.seed,
        )
        return np.asarray(shuffled.importances_mean)
    spread = StandardScaler(with_mean=False).fit(each.matrix).var_ ** 0.5
    return np.asarray(np.abs(coefficients) * spread)
