"""What lm-eval's task files cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lm_eval.api.instance import Instance
from lm_eval.api.samplers import ContextSampler

try:
    from lm_eval.api.task import GenerateTask
except ImportError:  # before 0.5
    from lm_eval.api.task import ConfigurableTask as GenerateTask

from treecut_tasks.errors import raised_as
from treecut_tasks.evaluation import ItemSet
from treecut_tasks.evaluation.parameters import check_fewshot
from treecut_tasks.lm_eval_adapter.errors import UsageError


class TreecutSampler(ContextSampler):  # type: ignore[misc]  # lm-eval is untyped
    """Hands the worked examples of `treecut_tasks.evaluation.fewshot` to lm-eval's few-shot mechanism."""

    def __init__(self, item_set: ItemSet) -> None:
        super().__init__()
        self._item_set = item_set
        self._items = {item.id: item for item in item_set.items}

    def sample(
        self, n: int, eval_doc: dict[str, Any] | None = None, df: Any = None, **kwargs: Any
    ) -> Sequence[dict[str, Any]]:
        """The n examples for a document, as rows with `prompt` and `answer`."""
        assert eval_doc is not None, "the task file must name its test split as its few-shot split"
        with raised_as(UsageError):
            shots = self._item_set.shots(self._items[eval_doc["id"]], n)
        return [{"prompt": shot.prompt, "answer": shot.response} for shot in shots]


class TreecutTask(GenerateTask):  # type: ignore[misc]
    """A TreeCut task: examples from `TreecutSampler`, and a system message set apart from the prompt.

    lm-eval glues description and prompt together without anything between them for a model that
    is given plain text. With a chat template the messages are exactly those of the Inspect tasks.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        # lm-eval hands the key that names this class on to it and then refuses it.
        super().__init__(config={key: value for key, value in config.items() if key != "class"})
        self.sampler = TreecutSampler(self.dataset.item_set)

    def fewshot_context(
        self, doc: dict[str, Any], num_fewshot: int, *args: Any, **kwargs: Any
    ) -> str | list[str]:
        """Build the prompt of one document; the arguments are lm-eval's."""
        with raised_as(UsageError):
            check_fewshot(num_fewshot)
        if doc["system"] and not kwargs.get("apply_chat_template"):
            doc = {**doc, "system": f"{doc['system']}\n\n"}
        context: str | list[str] = super().fewshot_context(doc, num_fewshot, *args, **kwargs)
        return context


class PairedTask(TreecutTask):
    """A task whose documents are pairs: each makes two requests, the unanswerable problem first."""

    def fewshot_context(
        self, doc: dict[str, Any], num_fewshot: int, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Build the prompts of both members of a pair."""
        counterpart = {**doc, "prompt": doc["counterpart_prompt"]}
        build = super().fewshot_context
        return [build(member, num_fewshot, *args, **kwargs) for member in (doc, counterpart)]

    def construct_requests(
        self, doc: dict[str, Any], ctx: list[Any], **kwargs: Any
    ) -> list[Instance]:
        """Make a request of each prompt."""
        requests = []
        for idx, context in enumerate(ctx):
            made = super().construct_requests(doc, context, **kwargs)
            # From 0.5 on it is a list of one.
            request: Instance = made[0] if isinstance(made, list) else made
            request.idx = idx
            requests.append(request)
        return requests
