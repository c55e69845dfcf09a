"""The reference models as an Inspect model provider, `--model treecut/solver`."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from treecut_tasks.errors import TreecutError
from treecut_tasks.inspect_adapter.errors import shown_by_inspect
from treecut_tasks.policies import check_policy, respond
from treecut_tasks.themes import load_theme


class ReferenceModel(ModelAPI):
    """A policy of `treecut_tasks.policies` that answers the last user message.

    The model argument `theme` (`-M theme=path/to/own.yaml`) names the theme that problems are read
    with, where it is not one of the built-in ones.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        with shown_by_inspect():
            self.policy = check_policy(model_name)
            theme = model_args.pop("theme", None)
            if model_args:
                raise TreecutError(
                    f"Unknown model argument {sorted(model_args)[0]!r}: the reference models take only "
                    "theme."
                )
            self.themes = None if theme is None else [load_theme(theme)]

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last user message."""
        prompt = next(
            message.text for message in reversed(input) if isinstance(message, ChatMessageUser)
        )
        output = ModelOutput.from_content(
            f"treecut/{self.policy}", respond(self.policy, prompt, self.themes)
        )
        # Without a usage Inspect counts tokens with a table that it downloads. There are none here.
        output.usage = ModelUsage()
        return output


@modelapi(name="treecut")
def treecut() -> type[ModelAPI]:
    """Register the provider `treecut`."""
    return ReferenceModel
