"""What an audit gives, and what it says about shortcuts."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95
"""Level of all intervals."""

_ALPHA = 1 - CONFIDENCE

# From here on a shortcut would show in scores; below, only a large sample reveals it.
_PLAIN = 0.55


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval.

    Attributes:
        value: the estimate, from 0 to 1.
        ci_low: lower end of the interval.
        ci_high: upper end.
    """

    value: float
    ci_low: float
    ci_high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.ci_low:.3f} to {self.ci_high:.3f})"


@dataclass(frozen=True)
class Feature:
    """A feature that a classifier goes by.

    Attributes:
        name: what it counts.
        weight: how much the classifier goes by it: for boosting what its AUC on held-out problems
            loses when the feature is shuffled, for words the size of the coefficient times the
            standard deviation of the count. Comparable within one feature set only.
        mean_unanswerable: mean over the unanswerable problems.
        mean_answerable: mean over the answerable problems.
    """

    name: str
    weight: float
    mean_unanswerable: float
    mean_answerable: float

    def __str__(self) -> str:
        return (
            f"{self.name} (mean {self.mean_unanswerable:.4g} unanswerable, "
            f"{self.mean_answerable:.4g} answerable)"
        )


@dataclass(frozen=True)
class SetResult:
    """How well one feature set tells the classes apart, on problems it was not trained on.

    Attributes:
        name: the feature set, and the classifier where there are several.
        balanced_accuracy: mean of the shares of both classes that are classified rightly.
        auc: probability that an unanswerable problem gets a higher score than an answerable one.
        p_value: one-sided, that the AUC is so far above 0.5 by chance; not corrected.
        features: number of features.
        strongest: the features that the classifier goes by most, the strongest first.
    """

    name: str
    balanced_accuracy: Estimate
    auc: Estimate
    p_value: float
    features: int
    strongest: tuple[Feature, ...]


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Attributes:
        sets: one result for each feature set.
        unanswerable: number of unanswerable problems.
        answerable: number of answerable problems.
        joined: `pair_id` or `line` if pairs were kept together, and by what; `not` otherwise.
        theme: name of the theme.
        folds: number of parts of the cross-validation.
        seed: what the folds and classifiers were drawn with.
    """

    sets: tuple[SetResult, ...]
    unanswerable: int
    answerable: int
    joined: str
    theme: str
    folds: int
    seed: int

    @property
    def telling(self) -> tuple[SetResult, ...]:
        """The sets that tell the classes apart, at an error level of 5 % for all sets together."""
        # Bonferroni: the sets overlap too much for anything that presumes independence.
        return tuple(each for each in self.sets if each.p_value < _ALPHA / len(self.sets))

    @property
    def best(self) -> SetResult:
        """The set with the highest AUC, the first of several; a telling one if there is any."""
        return max(self.telling or self.sets, key=lambda each: each.auc.value)

    @property
    def verdict(self) -> str:
        """One line on whether there is a shortcut between the classes."""
        best, telling, of_all = self.best, len(self.telling), len(self.sets)
        if not telling:
            return (
                f"No shortcut found: none of {of_all} feature sets tells the classes apart; the "
                f"highest AUC is {best.auc}, by {best.name}."
            )
        degree = "" if best.auc.value >= _PLAIN else " a little better than by chance"
        return (
            f"Shortcut: the classes can be told apart{degree} without the algebra, with AUC "
            f"{best.auc} by {best.name} ({telling} of {of_all} feature sets tell them apart); "
            f"strongest feature: {best.strongest[0]}."
        )
