"""From recipes to data sets of the library `datasets`: in memory, or made while they stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import pyarrow as pa

from treecut_tasks.data_sets.plan import Plan
from treecut_tasks.data_sets.recipe import Part, Recipe
from treecut_tasks.data_sets.rows import Rows
from treecut_tasks.errors import TreecutError, checked_choice, shown
from treecut_tasks.evaluation.prompts import COT_SYSTEM_MESSAGE, make_shot
from treecut_tasks.problems import WHOLE, ProblemConfig, Split, named_split
from treecut_tasks.problems.blocks import BLOCK, PairKind
from treecut_tasks.problems.columns import schema

if TYPE_CHECKING:
    import datasets

Form = Literal["all", "text", "messages", "prompts"]

FORMS: tuple[Form, ...] = get_args(Form)
"""What the rows are:

- `all`: everything that is known of a problem, see docs/training-data.md
- `text`: `id`, `problem`, `answer`, `proof`
- `messages`: `id` and `messages`, the prompt of the tasks and the response that is wanted, for
  fine-tuning
- `prompts`: `id`, `prompt` (messages), `problem`, `answer`, for reinforcement learning with `Reward`

With pairs there is a `pair_id` too."""

_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
# A list of so many shards is quick to send to workers and to shuffle.
_MOST_SHARDS = 16_384
# What a worked example is made of.
_TEXTS = ("problem", "proof", "answer")


def to_dataset(
    config: ProblemConfig | Recipe,
    seed: int,
    n: int,
    *,
    pairs: PairKind = "none",
    split: str | None = None,
    form: Form = "all",
    solutions: bool = True,
    system_message: bool = False,
) -> datasets.Dataset:
    """Make a data set in memory: some 2 kB for each problem as text, 5 kB with everything.

    The rows are those of `treecut generate --format parquet` with the same parameters.

    Args:
        config: what to draw: a configuration, or a recipe (see `read_mixture`).
        seed: a whole number of 0 or more; it takes the place of a recipe's own.
        n: number of problems, or of pairs, each of which makes two rows; of a recipe, over all splits.
        pairs: `full` or `matched` makes pairs of an unanswerable configuration.
        split: one of `problems.SPLIT_NAMES` of a configuration, all problems if None; of a recipe that
            has several, one of them.
        form: what the rows are, see `FORMS`.
        solutions: whether `messages` end with the response that is wanted: the worked solution and
            the answer line.
        system_message: whether `messages` or `prompts` begin with the tasks' chain-of-thought message.

    Raises:
        TreecutError: a value that is not allowed, pairs of an answerable configuration, or a split that a
            recipe does not have.
    """
    import datasets

    source = _source(config, seed, n, pairs, split, form, solutions, system_message)
    table = pa.concat_tables(source.tables(0, source.num_entries))
    return datasets.Dataset(table, split=datasets.NamedSplit(source.split.name))


def to_iterable_dataset(
    config: ProblemConfig | Recipe,
    seed: int,
    n: int,
    *,
    pairs: PairKind = "none",
    split: str | None = None,
    form: Form = "all",
    solutions: bool = True,
    system_message: bool = False,
    shards: int | None = None,
) -> datasets.IterableDataset:
    """Make a data set that is drawn while it is read, in memory that does not depend on n.

    It is divided among the workers of a `DataLoader`, and among nodes by
    `datasets.distributed.split_dataset_by_node`, shard by shard; `state_dict` and `load_state_dict`
    resume it. The rows are those of `to_dataset` with the same arguments, in the same order for a
    single reader. The number of `shards` is best a multiple of workers times nodes; by default it is one
    for each 4096 entries, and 16,384 at most. To resume, the begun shard is drawn again from its beginning.

    Raises:
        TreecutError: as `to_dataset`, or more shards than entries.
    """
    import datasets

    source = _source(config, seed, n, pairs, split, form, solutions, system_message)
    size = source.num_entries
    count = min(-(-size // BLOCK), _MOST_SHARDS) if shards is None else shards
    if type(count) is not int or not 1 <= count <= size:
        raise TreecutError(f"shards is {shards!r}: it must be a whole number from 1 to {size}.")
    ranges = [(size * i // count, size * (i + 1) // count) for i in range(count)]
    return datasets.IterableDataset.from_generator(
        _examples,
        features=datasets.Features.from_arrow_schema(source.schema),
        gen_kwargs={"source": source, "ranges": ranges},
        split=datasets.NamedSplit(source.split.name),
    )


def _examples(source: _Source, ranges: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    for start, stop in ranges:
        for table in source.tables(start, stop):
            yield from table.to_pylist()


@dataclass(frozen=True)
class _Source:
    """What the rows of a data set are made from; small enough to send to every worker."""

    recipe: Recipe
    split: Split
    num_entries: int
    form: Form
    solutions: bool
    system_message: bool

    def __post_init__(self) -> None:
        checked_choice("form", self.form, FORMS)
        needed = ("messages",) if not self.solutions else ("messages", "prompts")
        if (self.system_message or not self.solutions) and self.form not in needed:
            raise TreecutError(
                "solutions=False needs the form messages, and system_message messages or prompts, but "
                f"form is {self.form!r}: choose another form, or leave them out."
            )

    @cached_property
    def schema(self) -> pa.Schema:
        rows = schema(self.form != "all", self.recipe.paired)
        return self._formed(rows.empty_table()).schema

    def tables(self, start: int, stop: int) -> Iterator[pa.Table]:
        rows = _rows_of(self.recipe, self.split, self.form != "all")
        return map(self._formed, rows.tables(start, stop))

    def _formed(self, table: pa.Table) -> pa.Table:
        if self.form in ("all", "text"):
            return table
        columns = {"id": table["id"]}
        if self.form == "messages":
            columns["messages"] = self._messages(table, self.solutions)
        else:
            columns["prompt"] = self._messages(table, with_response=False)
            columns["problem"], columns["answer"] = table["problem"], table["answer"]
        if "pair_id" in table.column_names:
            columns["pair_id"] = table["pair_id"]
        return pa.table(columns)

    def _messages(self, table: pa.Table, with_response: bool) -> pa.ListArray:
        """The messages that the tasks send, and the response that their examples give."""
        before = [{"role": "system", "content": COT_SYSTEM_MESSAGE}] if self.system_message else []
        rows = []
        for texts in zip(*(table[name].to_pylist() for name in _TEXTS), strict=True):
            shot = make_shot(*texts)
            row = [*before, {"role": "user", "content": shot.prompt}]
            if with_response:
                row.append({"role": "assistant", "content": shot.response})
            rows.append(row)
        return pa.array(rows, _MESSAGES)


# Kept, because shards that are smaller than a block share its draws; not by the source itself, which is
# sent to other processes.
_rows_of = lru_cache(maxsize=4)(Rows)


def _source(
    config: ProblemConfig | Recipe,
    seed: int,
    n: int,
    pairs: PairKind,
    split: str | None,
    *shape: Any,
) -> _Source:
    """What is drawn of which split, how many entries, and the shape of the rows."""
    if isinstance(config, ProblemConfig):
        of = WHOLE if split is None else named_split(split)
        recipe, split = Recipe((Part(config, pairs),), seed, (of,)), of.name
    elif not isinstance(config, Recipe):
        raise TreecutError(
            f"config is {shown(config)}: it must be a ProblemConfig, or a recipe as read_mixture gives it."
        )
    elif pairs != "none":
        raise TreecutError(
            f"pairs is {shown(pairs)}, but a recipe says for each of its parts whether it has pairs: leave "
            "pairs out."
        )
    else:
        recipe = replace(config, seed=seed)
    names = [each.name for each in recipe.splits]
    chosen = names[0] if len(names) == 1 and split is None else split
    if chosen not in names:
        raise TreecutError(f"split is {shown(split)}: it must be {' or '.join(names)}.")
    # One file for each split, of which only the size is of interest.
    (shard,) = (each for each in Plan(recipe, n, len(names)).shards if each.split.name == chosen)
    return _Source(recipe, shard.split, shard.stop, *shape)
