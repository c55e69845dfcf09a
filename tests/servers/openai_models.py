"""The model families the rules distinguish, with the limits OpenAI publishes for them."""

from __future__ import annotations

from dataclasses import dataclass

_LOW_TO_HIGH = ("low", "medium", "high")


@dataclass(frozen=True)
class ModelRules:
    """What one model accepts.

    Attributes:
        name: the alias users write.
        snapshots: the dated names; the first is the one the alias stands for and that replies name.
        max_output: the largest accepted limit on output tokens.
        reasoning: whether it reasons, and therefore refuses sampling parameters.
        efforts: the reasoning efforts it knows; none means it refuses the parameter.
        instructions: whether it takes system and developer messages.
    """

    name: str
    snapshots: tuple[str, ...]
    max_output: int
    reasoning: bool = False
    efforts: tuple[str, ...] = ()
    instructions: bool = True


MODELS = (
    ModelRules("o1", ("o1-2024-12-17",), 100_000, True, _LOW_TO_HIGH),
    ModelRules("o1-mini", ("o1-mini-2024-09-12",), 65_536, True, instructions=False),
    ModelRules("o3", ("o3-2025-04-16",), 100_000, True, _LOW_TO_HIGH),
    ModelRules("o3-mini", ("o3-mini-2025-01-31",), 100_000, True, _LOW_TO_HIGH),
    ModelRules("o4-mini", ("o4-mini-2025-04-16",), 100_000, True, _LOW_TO_HIGH),
    ModelRules("gpt-5", ("gpt-5-2025-08-07",), 128_000, True, ("minimal", *_LOW_TO_HIGH)),
    ModelRules("gpt-5-mini", ("gpt-5-mini-2025-08-07",), 128_000, True, ("minimal", *_LOW_TO_HIGH)),
    ModelRules("gpt-4o", ("gpt-4o-2024-08-06", "gpt-4o-2024-05-13", "gpt-4o-2024-11-20"), 16_384),
    ModelRules("gpt-4o-mini", ("gpt-4o-mini-2024-07-18",), 16_384),
    ModelRules("gpt-4.1", ("gpt-4.1-2025-04-14",), 32_768),
)

_BY_NAME = {name: model for model in MODELS for name in (model.name, *model.snapshots)}


def model_names() -> tuple[str, ...]:
    return tuple(_BY_NAME)


def find_model(name: str) -> ModelRules | None:
    """The rules of the model with that alias or snapshot name, or None."""
    return _BY_NAME.get(name)
