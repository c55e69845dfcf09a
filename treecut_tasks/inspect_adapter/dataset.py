"""Items become Inspect samples."""

from __future__ import annotations

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser
from pydantic import BaseModel, ConfigDict

from treecut_tasks.evaluation import ItemSet, TaskParameters


class ProblemMetadata(BaseModel):
    """Metadata of a sample; read it with `sample.metadata_as(ProblemMetadata)`.

    `seed`, `index` and `counterpart` make the pair again (`treecut_tasks.pair_at`); the
    other parameters are those of its unanswerable member. `served` is the kind of task. `lacks` is the
    sentence that the problem lacks beside the full one. A problem from a data file has a `source` instead.
    """

    model_config = ConfigDict(frozen=True)

    problem_id: str
    problem: str
    unanswerable: bool
    ans_depth: int | str
    configuration: str
    num_vars: int | None = None
    cut_depth: int | None = None
    composite_name: bool | None = None
    order: str | None = None
    theme: str | None = None
    theme_file: str | None = None
    sampling: str | None = None
    seed: int | None = None
    split: str | None = None
    index: int | None = None
    counterpart: str | None = None
    pair_id: str | None = None
    lacks: str | None = None
    source: str | None = None
    instruction: str | None = None
    served: str | None = None
    prices: dict[str, int] | None = None


def to_dataset(name: str, item_set: ItemSet, parameters: TaskParameters) -> MemoryDataset:
    """The items as a data set, in their order, with ids made from their content.

    The input is the bare problem, after its worked examples; `treecut_prompt` makes prompts of it.

    Args:
        name: name of the data set.
        item_set: the items.
        parameters: says how many worked examples each prompt has.
    """
    samples = []
    for item in item_set.items:
        examples: list[ChatMessage] = []
        for shot in item_set.shots(item, parameters.fewshot, parameters.fewshot_examples):
            examples += [
                ChatMessageUser(content=shot.prompt),
                ChatMessageAssistant(content=shot.response),
            ]
        samples.append(
            Sample(
                id=item.id,
                input=[*examples, ChatMessageUser(content=item.problem)]
                if examples
                else item.problem,
                target=item.answer,
                metadata=item.metadata,
            )
        )
    return MemoryDataset(samples, name=name)
