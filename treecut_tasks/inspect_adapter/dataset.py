"""Items become Inspect samples."""

from __future__ import annotations

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser

from treecut_tasks.evaluation import ItemSet


def to_dataset(name: str, item_set: ItemSet) -> MemoryDataset:
    """The items as a data set, in their order, with ids made from their content.

    The input is the bare problem, after its worked examples; `treecut_prompt` makes prompts of it.

    Args:
        name: name of the data set.
        item_set: the items.
    """
    samples = []
    for item in item_set.items:
        examples: list[ChatMessage] = []
        for prompt, response in item_set.shots(item, item_set.parameters.fewshot):
            examples += [ChatMessageUser(content=prompt), ChatMessageAssistant(content=response)]
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
