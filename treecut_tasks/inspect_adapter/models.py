"""Reference and simulated models as an Inspect model provider, `--model treecut/solver`."""

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

from treecut_tasks.errors import TreecutError, checked_choice, raised_as, validated
from treecut_tasks.inspect_adapter.errors import UsageError
from treecut_tasks.reference_models.policies import POLICIES, respond
from treecut_tasks.reference_models.simulation import SIMULATED, Simulation
from treecut_tasks.themes import load_theme


class TreecutModel(ModelAPI):
    """A model that answers the last problem by itself.

    `treecut/solver`, `treecut/guesser` and so on are the policies of
    `treecut_tasks.reference_models.policies`. `treecut/simulated` and `treecut/simulated-NAME` are
    simulated models, whose arguments `treecut_tasks.reference_models.simulation` tells. The model
    argument `theme` (`-M theme=path/to/own.yaml`) names the theme that problems are read with, where
    it is not a built-in one.
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
        with raised_as(UsageError):
            theme = model_args.pop("theme", None)
            self._themes = None if theme is None else [load_theme(theme)]
            self._simulation: Simulation | None = None
            if model_name.startswith(SIMULATED):
                self._simulation = validated(Simulation, {**model_args, "name": model_name})
            else:
                checked_choice("model", model_name, POLICIES)
                if model_args:
                    name = next(iter(model_args))
                    raise TreecutError(
                        f"Unknown model argument {name!r}: this model takes theme alone."
                    )

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last problem, with what was said since."""
        messages = [each for each in input if isinstance(each, ChatMessageUser)]
        # Our data sets say in the message which configuration its problem has.
        known = [each.metadata["configuration"] for each in messages if each.metadata]
        said = "\n\n".join(each.text for each in messages)
        if self._simulation is None:
            answer = respond(self.model_name, said, self._themes)
        else:
            answer = self._simulation.respond(said, known[-1] if known else None, self._themes)
        output = ModelOutput.from_content(f"treecut/{self.model_name}", answer)
        # Without a usage Inspect counts tokens with a table that it downloads. There are none here.
        output.usage = ModelUsage()
        return output


@modelapi(name="treecut")
def treecut() -> type[ModelAPI]:
    """Register the provider `treecut`."""
    return TreecutModel
