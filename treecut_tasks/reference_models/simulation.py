"""Simulated models: a hallucination probability that is set, so that a report's truth is known.

A simulated response says so in its first words, and the model's name begins with `simulated`, so
that no output can be taken for a model's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt

from treecut_tasks.files import read_yaml
from treecut_tasks.reading import Determined, read_problem, solve
from treecut_tasks.reference_models.policies import find_problem, respond
from treecut_tasks.themes import Theme

SIMULATED = "simulated"
"""What the name of every simulated model begins with."""

MARK = "This response is simulated."
"""The first words of every simulated response."""


def _read(probabilities: object) -> object:
    if isinstance(probabilities, str):
        return read_yaml(probabilities, "file of probabilities")
    return probabilities


Probability = Annotated[float, Field(ge=0, le=1)]


class Simulation(BaseModel):
    """A simulated model; its fields but the first are the model's arguments.

    Attributes:
        name: name of the model, `simulated` or `simulated-…`; part of the seed.
        hallucination: probability of a number for an unanswerable problem.
        accuracy: probability of the right number for an answerable problem; otherwise it guesses.
        seed: names the draws.
        probabilities: hallucination of single configurations, by their labels (`depth8_cut3`), or the
            path of a YAML file with them; the others have `hallucination`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = SIMULATED
    hallucination: Probability = 0.5
    accuracy: Probability = 1.0
    seed: StrictInt = 0
    probabilities: Annotated[dict[str, Probability], BeforeValidator(_read)] = {}

    def respond(
        self, prompt: str, configuration: str | None, themes: Sequence[Theme] | None = None
    ) -> str:
        """Answer the last problem of a prompt; the same prompt always gets the same answer.

        Args:
            prompt: the last user message.
            configuration: label of the problem's configuration; None if it is not known.
            themes: the vocabularies in which the problem may be written; None for the built-in ones.
        """
        text = find_problem(prompt)
        if isinstance(solve(read_problem(text, themes)), Determined):
            policy = "solver" if self._draw(text) < self.accuracy else "guesser"
        else:
            probability = self.probabilities.get(configuration or "", self.hallucination)
            policy = "guesser" if self._draw(text) < probability else "solver"
        answer = respond(policy, prompt, themes).rsplit("\n", 1)[-1]
        return f"{MARK}\n{answer}"

    def _draw(self, text: str) -> float:
        """A number from 0 to 1 that is a function of model, seed and problem."""
        digest = hashlib.sha256(f"{self.name}\n{self.seed}\n{text}".encode()).digest()
        return int.from_bytes(digest[:7], "big") / 2**56
