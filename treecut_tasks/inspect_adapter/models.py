"""Reference and simulated models as an Inspect model provider, `--model treecut/solver`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from treecut_tasks.reference_models.policies import check_policy, respond
from treecut_tasks.reference_models.simulation import SIMULATED, Simulation, load_probabilities
from treecut_tasks.themes import Theme, load_theme

Answer = Callable[[str, str | None], str]
"""How a model answers what users said, about a problem of the configuration, if that is known."""


class TreecutModel(ModelAPI):
    """A model that answers the last problem by itself.

    `treecut/solver`, `treecut/guesser` and so on are the policies of
    `treecut_tasks.reference_models.policies`. `treecut/simulated` and `treecut/simulated-NAME` are
    simulated models of `treecut_tasks.reference_models.simulation`, with the model arguments
    `hallucination` and `accuracy` (probabilities), `seed`, and `probabilities`, a YAML file
    with the hallucination probability of single
    configurations. The model argument `theme` (`-M theme=path/to/own.yaml`) names the theme that
    problems are read with, where it is not a built-in one.
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
            theme = model_args.pop("theme", None)
            themes = None if theme is None else [load_theme(theme)]
            if model_name.startswith(SIMULATED):
                self._answer = _simulated(model_name, themes, model_args)
            else:
                self._answer = _reference(model_name, themes, model_args)

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
        answer = self._answer(said, known[-1] if known else None)
        output = ModelOutput.from_content(f"treecut/{self.model_name}", answer)
        # Without a usage Inspect counts tokens with a table that it downloads. There are none here.
        output.usage = ModelUsage()
        return output


def _reference(name: str, themes: Sequence[Theme] | None, arguments: dict[str, Any]) -> Answer:
    policy = check_policy(name)
    _check_arguments(arguments, ())
    return lambda said, _: respond(policy, said, themes)


def _simulated(name: str, themes: Sequence[Theme] | None, arguments: dict[str, Any]) -> Answer:
    _check_arguments(arguments, ("hallucination", "accuracy", "seed", "probabilities"))
    path = arguments.pop("probabilities", None)
    simulation = Simulation(
        name=name, by_configuration={} if path is None else load_probabilities(path), **arguments
    )
    return lambda said, configuration: simulation.respond(said, configuration, themes)


def _check_arguments(arguments: dict[str, Any], allowed: Sequence[str]) -> None:
    for name in arguments:
        if name not in allowed:
            raise TreecutError(
                f"Unknown model argument {name!r}: this model takes {', '.join([*allowed, 'theme'])}."
            )


@modelapi(name="treecut")
def treecut() -> type[ModelAPI]:
    """Register the provider `treecut`."""
    return TreecutModel
