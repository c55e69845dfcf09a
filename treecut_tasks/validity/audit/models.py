"""Takes both classes, gives how well classifiers over surface features tell them apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.validity.audit.data import AuditedProblem, Classes
from treecut_tasks.validity.audit.features import FEATURE_SETS, surface_features
from treecut_tasks.validity.audit.result import (
    CONFIDENCE,
    AuditResult,
    Estimate,
    Feature,
    SetResult,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

MAX_SEED = 2**32 - 1
"""Largest seed that the classifiers take."""

_WORD_SETS = (
    "words, naive Bayes",
    "words, logistic",
    "word pairs, naive Bayes",
    "word pairs, logistic",
)
_ALL = "all of these, boosting"

SET_NAMES = (*FEATURE_SETS, *_WORD_SETS, _ALL)
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
    matrix: Any
    features: Sequence[str]
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

    Raises:
        TreecutError: a seed or a number of folds that cannot be used.
    """
    import numpy as np

    # Only what is loaded already can be limited below.
    import sklearn.ensemble  # noqa: F401
    from threadpoolctl import threadpool_limits

    _check(classes, folds, seed)
    samples = (*classes.unanswerable, *classes.answerable)
    labels = np.repeat([1, 0], [len(classes.unanswerable), len(classes.answerable)])
    paired = classes.joined != "not"
    problem = _Problem(labels, _split(labels, folds, seed, paired), paired, seed)
    sets = []
    # Boosting is as fast with one thread at these sizes, and slower by far with several where
    # other programs want the cores, because its threads wait for one another busily.
    with threadpool_limits(limits=1):
        for each in _feature_sets(samples, seed):
            sets.append(_result(each, problem))
            advance(1)
    return AuditResult(
        sets=tuple(sets),
        unanswerable=len(classes.unanswerable),
        answerable=len(classes.answerable),
        joined=classes.joined,
        theme=classes.theme.name,
        folds=folds,
        seed=seed,
    )


def _check(classes: Classes, folds: int, seed: int) -> None:
    if type(seed) is not int or not 0 <= seed <= MAX_SEED:
        raise TreecutError(f"seed is {seed!r}: it must be a whole number from 0 to {MAX_SEED}.")
    if type(folds) is not int or folds < 2:
        raise TreecutError(f"folds is {folds!r}: it must be a whole number of 2 or more.")
    for problems in (classes.unanswerable, classes.answerable):
        if len(problems) < folds:
            raise TreecutError(
                f"{problems[-1].source} is the last of {len(problems)} problems, too few for "
                f"folds={folds}: give at least one problem a fold, or fewer folds."
            )


def _split(labels: Ints, folds: int, seed: int, paired: bool) -> list[tuple[Ints, Ints]]:
    import numpy as np
    from sklearn.model_selection import GroupKFold, StratifiedKFold

    if paired:
        groups = np.tile(np.arange(len(labels) // 2), 2)
        splitter = GroupKFold(
            folds, shuffle=True, random_state=seed
        )  # inspect-evals-lint: ignore[shuffle_seeded] -- seeded
        return list(splitter.split(labels, labels, groups))
    strata = StratifiedKFold(
        folds, shuffle=True, random_state=seed
    )  # inspect-evals-lint: ignore[shuffle_seeded] -- seeded
    return list(strata.split(labels, labels))


def _feature_sets(samples: Sequence[AuditedProblem], seed: int) -> list[_Set]:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    def boosting() -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        # Shallow and slow: what is looked for is faint, and large trees learn the noise instead.
        return HistGradientBoostingClassifier(
            learning_rate=0.05, max_leaf_nodes=8, early_stopping=False, random_state=seed
        )

    def logistic() -> Any:
        return LogisticRegression(C=0.3, solver="liblinear", random_state=seed)

    surface = [surface_features(sample) for sample in samples]
    sets = []
    for name in FEATURE_SETS:
        columns = list(surface[0][name])
        matrix = np.array([list(of[name].values()) for of in surface], dtype=float)
        sets.append(_Set(name, matrix, columns, boosting))

    # Vocabulary and counts know nothing of the classes, so they may be made outside the folds.
    texts = [sample.text for sample in samples]
    for size, lengths in ((1, (1, 1)), (2, (2, 2))):
        vectorizer = CountVectorizer(token_pattern=_WORD, ngram_range=lengths)
        counts = vectorizer.fit_transform(texts)
        columns = [_quoted(word) for word in vectorizer.get_feature_names_out()]
        of_words = _WORD_SETS[2 * size - 2 : 2 * size]
        for name, make in zip(of_words, (MultinomialNB, logistic), strict=True):
            sets.append(_Set(name, counts, columns, make))
    vectorizer = CountVectorizer(
        token_pattern=_WORD, ngram_range=(1, 2), max_features=_BOOSTED_WORDS
    )
    counts = vectorizer.fit_transform(texts)
    columns = [name for each in sets[: len(FEATURE_SETS)] for name in each.features]
    columns += [_quoted(word) for word in vectorizer.get_feature_names_out()]
    everything = [each.matrix for each in sets[: len(FEATURE_SETS)]] + [counts.toarray()]
    sets.append(_Set(_ALL, np.hstack(everything), columns, boosting))
    return sets


def _quoted(words: str) -> str:
    return f"{'words' if ' ' in words else 'word'} “{words}”"


def _result(each: _Set, problem: _Problem) -> SetResult:
    import numpy as np
    from scipy.stats import norm, rankdata

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
    accuracy, _ = _estimate(_balanced(right, labels), right / 2, problem)
    placements = _placements(scores, labels)
    auc, error = _estimate(float(placements[labels == 1].mean()), placements, problem)
    # One-sided, because a classifier with an AUC below 0.5 has learnt noise.
    p_value = float(norm.sf((auc.value - 0.5) / error)) if error else float(auc.value <= 0.5)
    strongest = _strongest(each, model, test, problem)
    return SetResult(each.name, accuracy, auc, p_value, len(each.features), strongest)


def _balanced(values: Floats, labels: Ints) -> float:
    """The mean of both classes' means."""
    return float(values[labels == 1].mean() + values[labels == 0].mean()) / 2


def _placements(scores: Floats, labels: Ints) -> Floats:
    """For each problem the share of the other class that is ranked right with it, ties by half.

    The mean over either class is the AUC (DeLong, DeLong and Clarke-Pearson, 1988).
    """
    import numpy as np
    from scipy.stats import rankdata

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
    from scipy.stats import norm, sem

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


def _strongest(each: _Set, model: Any, test: Ints, problem: _Problem) -> tuple[Feature, ...]:
    """The features that a trained classifier goes by most; see `Feature.weight`."""
    import numpy as np

    weights = _weights(each, model, test, problem)
    order = np.argsort(-weights, kind="stable")[:_STRONGEST]
    columns = each.matrix[:, order]
    means = [np.asarray(columns[problem.labels == label].mean(axis=0)).ravel() for label in (1, 0)]
    return tuple(
        Feature(each.features[index], float(weights[index]), float(first), float(second))
        for index, first, second in zip(order, *means, strict=True)
    )


def _weights(each: _Set, model: Any, test: Ints, problem: _Problem) -> Floats:
    import numpy as np
    from sklearn.inspection import permutation_importance
    from sklearn.preprocessing import StandardScaler

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
