"""Items as Inspect samples."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.dataset import MemoryDataset, Sample
from pydantic import BaseModel, ConfigDict

from treecut_tasks.evaluation import Item


class ProblemMetadata(BaseModel):
    """Metadata of a sample; read it with `sample.metadata_as(ProblemMetadata)`.

    `seed`, `index` and `attempt` make the problem again (`treecut_tasks.problem_at`, with the
    configuration of the unanswerable problem). A problem from a data file has a `source` instead.
    """

    model_config = ConfigDict(frozen=True)

    unanswerable: bool
    ans_depth: int | str
    num_vars: int | None = None
    cut_depth: int | None = None
    composite_name: bool | None = None
    order: str | None = None
    theme: str | None = None
    sampling: str | None = None
    seed: int | None = None
    index: int | None = None
    attempt: int | None = None
    counterpart_of: str | None = None
    source: str | None = None


def to_dataset(name: str, items: Sequence[Item]) -> MemoryDataset:
    """The items as a data set, in their order, with ids made from their content."""
    samples = [
        Sample(id=item.id, input=item.prompt, target=item.answer, metadata=item.metadata)
        for item in items
    ]
    return MemoryDataset(samples, name=name)
