"""The authors' generator a second time: slow, plain, and sharing no code with ours.

It follows the description of the published data (docs/training-data.md) step by step with the methods of
`random.Random` itself, so that ours, which spells out how those methods use the Mersenne Twister,
has something to be compared with.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from treecut_tasks.themes import Item, Theme

Name = tuple[str | None, Item]
"""The place that sells the item (None for simple names), and the item."""


@dataclass(frozen=True)
class Parameters:
    """The generator's parameters; `cut_depth` is None for an answerable problem."""

    theme: Theme
    composite_name: bool
    num_vars: int
    ans_depth: int
    order: str
    cut_depth: int | None
    sampling: str = "published"


def reference_record(parameters: Parameters, rng: random.Random) -> dict[str, str]:
    """Draw the next problem and write it as the published files do."""
    theme = parameters.theme

    # 1. and 2. Names.
    candidates: list[Name]
    if parameters.composite_name:
        entities = rng.sample(list(theme.entities), 2)
        items = rng.sample(list(theme.items), math.ceil(parameters.num_vars / 2))
        candidates = [(entity, item) for entity in entities for item in items]
    else:
        candidates = [(None, item) for item in rng.sample(list(theme.items), parameters.num_vars)]
    names = dict(enumerate(rng.sample(candidates, parameters.num_vars), start=1))

    # 3. Values.
    step = theme.value_step
    values = {
        i: rng.randint(theme.value_min // step, theme.value_max // step) * step for i in names
    }

    # 4. The tree. The root is 0.
    children: dict[int, list[int]] = {i: [] for i in [0, *names]}
    for i in names:
        parent = i - 1 if i <= parameters.ans_depth else rng.choice(range(i))
        children[parent].append(i)

    # 5. Edges breadth first, level by level.
    edges: list[tuple[int, int]] = []
    level = [0]
    while level:
        edges += [(parent, child) for parent in level for child in children[parent]]
        level = [child for parent in level for child in children[parent]]

    # 6. The cut.
    cut_into = None
    if parameters.cut_depth is not None:
        cut_into = parameters.ans_depth - parameters.cut_depth
        edges = [(parent, child) for parent, child in edges if child != cut_into]

    # 7. A formula for each edge.
    coefficients = {
        child: draw_coefficients(parameters.sampling, rng) if parent else (0, 1)
        for parent, child in edges
    }

    # 8. The order of their sentences.
    order = [child for _, child in edges]
    if parameters.order == "backward":
        order.reverse()
    elif parameters.order == "random":
        rng.shuffle(order)
    return written(theme, parameters.ans_depth, cut_into, names, values, edges, coefficients, order)


def written(
    theme: Theme,
    asked: int,
    cut_into: int | None,
    names: Mapping[int, Name],
    values: Mapping[int, int],
    edges: Sequence[tuple[int, int]],
    coefficients: Mapping[int, tuple[int, int]],
    order: Sequence[int],
) -> dict[str, str]:
    """A problem as the published files have it.

    `edges` are those that are not cut, breadth first; `order` is that of their children in the text.
    """
    said: dict[int, str] = {}
    for parent, child in edges:
        if parent == 0:
            said[child] = f"{pieces(1, names[child])} costs {money(values[child], theme)}."
        else:
            a, b = coefficients[child]
            said[child] = relation(
                (a, names[parent], values[parent]), (b, names[child], values[child]), theme
            )
    sentences = [capital(said[child]) for child in order]
    question = f"Question: how much does a {label(names[asked])} cost?"
    if cut_into is None:
        answer = str(values[asked])
        proof = f"It is given as a fact that {said[1]}"
        for i in range(2, asked + 1):
            proof += f" Combine with the fact that {said[i][:-1]}, we get {pieces(1, names[i])}"
            proof += f" costs {money(values[i], theme)}."
    else:
        answer = "unknown"
        proof = explanation(cut_into, asked, edges, said, names)
    return {"problem": " ".join([*sentences, question]), "answer": answer, "proof": proof}


def draw_coefficients(sampling: str, rng: random.Random) -> tuple[int, int]:
    """Signed coefficients of parent and child."""
    if sampling == "paper":  # Algorithm 1, line 28
        signed = [-3, -2, -1, 1, 2, 3]
        return rng.choice(signed), rng.choice(signed)
    a, b = rng.choice([1, 2, 3]), rng.choice([1, 2, 3])
    return [(a, b), (a, -b), (-a, b)][rng.choice([0, 1, 2])]


Term = tuple[int, Name, int]
"""Coefficient, name and value of a variable."""


def relation(parent: Term, child: Term, theme: Theme) -> str:
    """The sentence of an edge between two variables."""
    a, b = parent[0], child[0]
    left, right = abs(a) * parent[2], abs(b) * child[2]
    if a * b > 0:
        u, v = pieces(abs(a), parent[1]), pieces(abs(b), child[1])
        return f"{u} and {v} cost {money(left + right, theme)}."
    if a > 0:
        p, q, more = parent, child, left - right
    else:
        p, q, more = child, parent, right - left
    p_words, q_words = pieces(abs(p[0]), p[1]), pieces(abs(q[0]), q[1])
    if more == 0:
        return f"the price of {p_words} is the same as that of {q_words}."
    verb = "costs" if abs(p[0]) == 1 else "cost"
    compared = "more" if more > 0 else "less"
    return f"{p_words} {verb} {money(abs(more), theme)} {compared} than {q_words}."


def explanation(
    cut_into: int,
    asked: int,
    edges: Sequence[tuple[int, int]],
    said: Mapping[int, str],
    names: Mapping[int, Name],
) -> str:
    """Why the problem has no answer."""
    detached = {cut_into}
    inner = []
    for parent, child in edges:
        if parent in detached:
            detached.add(child)
            inner.append((parent, child))
    mentioned: list[int] = []
    for edge in inner:
        mentioned += [i for i in edge if i not in mentioned]
    variables = ", ".join(label(names[i]) for i in mentioned)
    clauses = ", ".join(said[child][:-1] for _, child in inner)
    count = len(inner)
    only = "1 linear formula" if count == 1 else f"{count} linear formulas"
    return (
        f"All we know about the prices of {variables} are: {clauses}.\n"
        f"There are {len(mentioned)} variables but only {only}, so we cannot calculate the price of "
        f"{label(names[asked])}."
    )


def label(name: Name) -> str:
    entity, item = name
    return item.name if entity is None else f"{item.name} at {entity}"


def pieces(number: int, name: Name) -> str:
    entity, item = name
    if number == 1:
        article = "an" if item.name[0] in "aeiouAEIOU" else "a"
        words = f"{article} {item.name}"
    else:
        words = f"{number} {item.plural}"
    return words if entity is None else f"{words} at {entity}"


def money(amount: int, theme: Theme) -> str:
    return theme.money_one if amount == 1 else f"{amount} {theme.money_many}"


def capital(sentence: str) -> str:
    return sentence if sentence[0].isdigit() else sentence[0].upper() + sentence[1:]
