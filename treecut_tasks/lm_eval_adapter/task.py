"""The one thing that lm-eval's task files cannot say."""

from __future__ import annotations

from typing import Any

from lm_eval.api.task import ConfigurableTask


class TreecutTask(ConfigurableTask):  # type: ignore[misc]  # lm-eval is untyped
    """A task whose system message is set apart from the prompt where no chat template does it.

    lm-eval glues description and prompt together without anything between them for a model that
    is given plain text. With a chat template the messages are exactly those of the Inspect tasks.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        # lm-eval hands the key that names this class on to it and then refuses it.
        super().__init__(config={key: value for key, value in config.items() if key != "class"})

    def fewshot_context(
        self, doc: dict[str, Any], num_fewshot: int, *args: Any, **kwargs: Any
    ) -> str | list[str]:
        """Build the prompt of one document; the arguments are lm-eval's."""
        if doc["system"] and not kwargs.get("apply_chat_template"):
            doc = {**doc, "system": f"{doc['system']}\n\n"}
        context: str | list[str] = super().fewshot_context(doc, num_fewshot, *args, **kwargs)
        return context
