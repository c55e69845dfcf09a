"""Takes a problem, gives what can be seen of it without doing the algebra, as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from treecut_tasks.reading import ReadProblem, ReadSentence
from treecut_tasks.validity.audit.data import AuditedProblem

Features = dict[str, float]
"""Numbers by the name of what they count."""

# The place of something that never occurs.
_NOWHERE = -1.0


def _length(sample: AuditedProblem) -> Features:
    words = [len(sentence.text.split()) for sentence in sample.read.sentences]
    return {
        "characters": len(sample.text),
        "words": len(sample.text.split()),
        "words in the shortest sentence": min(words),
        "words in the longest sentence": max(words),
    }


def _sentence_count(sample: AuditedProblem) -> Features:
    return {"sentences": len(sample.read.sentences)}


def _facts(sample: AuditedProblem) -> Features:
    return {"facts": sum(sentence.kind == "fact" for sentence in sample.read.sentences)}


def _asked(sample: AuditedProblem) -> Features:
    """How often and where the asked variable, its item and its place are named."""
    read = sample.read
    asked = read.asked
    places: dict[str, Callable[[ReadSentence], int]] = {
        "asked variable": lambda s: asked in s.equation.coefficients,
        "asked item": lambda s: sum(v.item == asked.item for v in s.equation.coefficients),
        "asked place": lambda s: sum(
            v.entity is not None and v.entity == asked.entity for v in s.equation.coefficients
        ),
    }
    features: Features = {}
    for name, times in places.items():
        counts = [times(sentence) for sentence in read.sentences]
        features[f"{name}: times named"] = sum(counts)
        features |= {f"{name}: {key}": value for key, value in _places(counts).items()}
    return features


def _places(counts: Sequence[int]) -> Features:
    """Where, from 0 (first sentence) to 1 (last), something is named first, last and on average."""
    last = max(len(counts) - 1, 1)
    at = [index / last for index, count in enumerate(counts) if count] or [_NOWHERE]
    return {"first place": at[0], "last place": at[-1], "mean place": fmean(at)}


def _names(sample: AuditedProblem) -> Features:
    """How often names occur, whatever they are, without looking which share a sentence."""
    variables: Counter[object] = Counter()
    items: Counter[object] = Counter()
    entities: Counter[object] = Counter()
    facts: set[object] = set()
    for sentence in sample.read.sentences:
        # A list, because a Counter would add up the coefficients of a mapping.
        named = list(sentence.equation.coefficients)
        variables.update(named)
        items.update(variable.item for variable in named)
        entities.update(variable.entity for variable in named)
        if sentence.kind == "fact":
            facts.update(named)
    priced = [variables[variable] for variable in facts]
    return {
        **_profile("variable", variables),
        **_profile("item", items),
        "mentions of the most named place": max(entities.values()),
        "priced variables named once": priced.count(1),
        "mentions of priced variables": sum(priced),
    }


def _profile(what: str, counts: Mapping[object, int]) -> Features:
    times = list(counts.values())
    return {
        f"different {what}s": len(times),
        f"{what}s named once": times.count(1),
        f"{what}s named twice": times.count(2),
        f"mentions of the most named {what}": max(times),
        f"squared mentions of {what}s": sum(n * n for n in times),
    }


def _numbers(sample: AuditedProblem) -> Features:
    sentences = sample.read.sentences
    amounts = [abs(sentence.equation.constant) for sentence in sentences]
    facts = [s.equation.constant for s in sentences if s.kind == "fact"]
    quantities = Counter(_quantities(sample.read))
    return {
        "sum of the amounts": sum(amounts),
        "mean amount": fmean(amounts),
        "largest amount": max(amounts),
        "smallest amount": min(amounts),
        "mean stated price": fmean(facts) if facts else _NOWHERE,
        "different amounts": len(set(amounts)),
        "quantities of one": quantities[1],
        "quantities of two": quantities[2],
        "quantities of three": quantities[3],
        "sum of the quantities": sum(n * times for n, times in quantities.items()),
    }


def _quantities(read: ReadProblem) -> Iterable[int]:
    for sentence in read.sentences:
        yield from map(abs, sentence.equation.coefficients.values())


def _kinds(sample: AuditedProblem) -> Features:
    kinds: Counter[str] = Counter()
    for sentence in sample.read.sentences:
        kind: str = sentence.kind
        if kind == "difference":
            kind = "more than" if sentence.equation.constant > 0 else "less than"
        kinds[kind] += 1
    return {
        "sentences that state a fact": kinds["fact"],
        "sentences that state a sum": kinds["sum"],
        "sentences that say more than": kinds["more than"],
        "sentences that say less than": kinds["less than"],
        "sentences that state equal prices": kinds["equal"],
    }


FEATURE_SETS: dict[str, Callable[[AuditedProblem], Features]] = {
    "length": _length,
    "sentence count": _sentence_count,
    "stated facts": _facts,
    "asked item and place": _asked,
    "names": _names,
    "numbers": _numbers,
    "sentence kinds": _kinds,
}
"""The surface features by set, each a function of one problem; words are counted beside them."""


def surface_features(sample: AuditedProblem) -> dict[str, Features]:
    """All surface features of a problem, by set."""
    return {name: of(sample) for name, of in FEATURE_SETS.items()}
