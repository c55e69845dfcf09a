"""The breaking-depth task: judged responses so far become the items that are served next."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    model_validator,
)

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.designs import Design
from treecut_tasks.evaluation.items import Item, ItemSet, build_items
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.parameters import Configuration, TaskParameters
from treecut_tasks.evaluation.rates import RATES, TaskKind, counts
from treecut_tasks.problems.pairs import check_pair
from treecut_tasks.psychometrics import next_batch

FailureMetric = Literal[
    "hallucination_rate", "paper_hallucination_rate", "unknown_rate", "pair_solved_rate"
]
Structure = Literal["paper", "drawn"]


class Answer(NamedTuple):
    """A response that has come in: to a problem of which depth and pair; None if it was an error."""

    ans_depth: int
    pair_id: str
    judged: JudgedResponse | None


class Search(BaseModel):
    """What a search for the breaking depth looks for, and how long.

    Attributes:
        rate: the rate of failures that marks the breaking depth.
        metric: the rate whose bad side is a failure: a hallucination, no `unknown`, or, with pairs, a
            pair that is not solved; None for a hallucination or such a pair.
        pairs: ask both members of each pair.
        min_depth: lowest ans_depth.
        max_depth: highest ans_depth.
        max_calls: most calls, members of pairs counted one by one.
        precision: depths by which the 95 % interval may lie to each side of its centre.
        batch: calls that are made at once.
        structure: `paper` takes num_vars and cut_depth from the task's parameters; `drawn` draws
            from ans_depth to ans_depth + 2 variables, and the cut at any place of the path.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate: Annotated[float, Field(ge=0.1, le=0.9)] = 0.5
    metric: FailureMetric | None = None
    pairs: StrictBool = False
    min_depth: Annotated[StrictInt, Field(ge=2)] = 2
    max_depth: Annotated[StrictInt, Field(le=100)] = 20
    max_calls: Annotated[StrictInt, Field(ge=2)] = 150
    precision: Annotated[float, Field(gt=0)] = 1.0
    batch: Annotated[StrictInt, Field(ge=2)] = 5
    structure: Structure = "paper"

    @model_validator(mode="after")
    def _check(self) -> Search:
        if self.min_depth >= self.max_depth:
            raise TreecutError(
                f"min_depth is {self.min_depth} and max_depth {self.max_depth}: max_depth must be the "
                "greater one."
            )
        if self.metric is not None and self.pairs != (self.metric == "pair_solved_rate"):
            raise TreecutError(
                f"metric is {self.metric!r} with pairs={str(self.pairs).lower()}: pair_solved_rate goes "
                "with pairs=true, the others go with pairs=false."
            )
        return self

    @property
    def kind(self) -> TaskKind:
        """What is asked."""
        return "paired" if self.pairs else "unanswerable"

    def counts(self, answers: Iterable[Answer]) -> dict[int, tuple[int, int]]:
        """Of each depth, how many problems or pairs were answered and how many of them failed.

        A problem counts once, with its last answer: further epochs of it are no further evidence.
        """
        metric = self.metric or ("pair_solved_rate" if self.pairs else "hallucination_rate")
        bad = 0.0 if RATES[self.kind][metric].higher_is_better else 1.0
        groups: dict[tuple[int, str], dict[bool, JudgedResponse]] = defaultdict(dict)
        for depth, pair_id, judged in answers:
            if judged is not None:
                groups[depth, pair_id][judged.unanswerable] = judged
        table = dict.fromkeys(range(self.min_depth, self.max_depth + 1), (0, 0))
        for (depth, _), members in groups.items():
            both = [members[kind] for kind in (True, False) if kind in members]
            if len(both) == 1 + self.pairs:
                asked, failed = table[depth]
                table[depth] = (asked + 1, failed + (counts(*both)[metric] == bad))
        return table


@dataclass(frozen=True)
class SearchPlan:
    """Which items a search serves: of each depth the first that a stream has, one after the other.

    Attributes:
        search: what is looked for.
        parameters: of the problems; ans_depth and num_problems do not count.
    """

    search: Search
    parameters: TaskParameters
    _pools: dict[int, ItemSet] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for depth in range(self.search.min_depth, self.search.max_depth + 1):
            for configuration in self._configurations(depth):
                check_pair(configuration.config, self.parameters.counterpart)

    def next_items(self, answers: Iterable[Answer]) -> ItemSet:
        """The items of the next batch, none at the end of the search.

        Args:
            answers: to all items of the batches before.
        """
        answers = list(answers)
        members = 2 if self.search.pairs else 1
        table = self.search.counts(answers)
        served = Counter(answer.ans_depth for answer in answers)
        errors = served.total() // members - sum(asked for asked, _ in table.values())
        batch = next_batch(
            table,
            self.search.rate,
            max_asked=self.search.max_calls // members - errors,
            precision=self.search.precision,
            size=self.search.batch // members,
        )
        items: list[Item] = []
        for depth in batch:
            items += self._pool(depth).items[served[depth] : served[depth] + members]
            served[depth] += members
        reserved = frozenset[str]().union(*(self._pool(depth).reserved for depth in set(batch)))
        return ItemSet(self.search.kind, self.parameters, tuple(items), reserved)

    def _pool(self, depth: int) -> ItemSet:
        """The items of a depth, as many as can be needed."""
        if depth not in self._pools:
            configurations = self._configurations(depth)
            needed = -(-self.search.max_calls // len(configurations))
            parameters = self.parameters.model_copy(update={"num_problems": needed})
            design = Design(self.search.kind, lambda _: configurations)
            self._pools[depth] = build_items(parameters, design)
        return self._pools[depth]

    def _configurations(self, depth: int) -> list[Configuration]:
        at_depth = self.parameters.model_copy(update={"ans_depth": (depth,)})
        if self.search.structure == "paper":
            configurations = at_depth.configurations()
        else:
            sizes = {"num_vars": (depth, depth + 1, depth + 2), "cut_depth": tuple(range(1, depth))}
            configurations = at_depth.configurations(lambda _: sizes)
        # The first few problems must not all have the same cut.
        random.Random(f"{self.parameters.seed} {depth}").shuffle(configurations)
        return configurations
