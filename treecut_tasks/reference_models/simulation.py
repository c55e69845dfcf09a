"""Simulated models: a hallucination probability that is set, so that a report's truth is known.

A simulated response says so in its first words, and the model's name begins with `simulated`, so
that no output can be taken for a model's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from treecut_tasks.errors import TreecutError
from treecut_tasks.reading import Determined, read_problem, solve
from treecut_tasks.reference_models.policies import find_problem, respond
from treecut_tasks.themes import Theme

SIMULATED = "simulated"
"""What the name of every simulated model begins with."""

MARK = "This response is simulated."
"""The first words of every simulated response."""


@dataclass(frozen=True)
class Simulation:
    """A simulated model.

    Attributes:
        name: name of the model, `simulated` or `simulated-…`; part of the seed.
        hallucination: probability of a number for an unanswerable problem.
        by_configuration: the same for single configurations, by their labels
            (`depth8_cut3`); the others have `hallucination`.
        accuracy: probability of the right number for an answerable problem; otherwise it guesses.
        seed: names the draws.
    """

    name: str = SIMULATED
    hallucination: float = 0.5
    accuracy: float = 1.0
    seed: int = 0
    by_configuration: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        probabilities = {
            "hallucination": self.hallucination,
            "accuracy": self.accuracy,
            **self.by_configuration,
        }
        for name, value in probabilities.items():
            if type(value) not in (int, float) or not 0 <= value <= 1:
                raise TreecutError(f"{name} is {value!r}: it must be a probability from 0 to 1.")
        if type(self.seed) is not int:
            raise TreecutError(f"seed is {self.seed!r}: it must be a whole number.")

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
            probability = self.by_configuration.get(configuration or "", self.hallucination)
            policy = "guesser" if self._draw(text) < probability else "solver"
        answer = respond(policy, prompt, themes).rsplit("\n", 1)[-1]
        return f"{MARK}\n{answer}"

    def _draw(self, text: str) -> float:
        """A number from 0 to 1 that is a function of model, seed and problem."""
        digest = hashlib.sha256(f"{self.name}\n{self.seed}\n{text}".encode()).digest()
        return int.from_bytes(digest[:7], "big") / 2**56


def load_probabilities(path: str) -> dict[str, float]:
    """Read the probabilities of single configurations from a YAML file that maps labels to them.

    Raises:
        TreecutError: the file cannot be read, or is no such mapping.
    """
    try:
        data: Any = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise TreecutError(f"{path!r} cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TreecutError(f"{path!r} is not valid YAML.") from error
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise TreecutError(
            f"{path!r} must map labels of configurations, such as depth8, to probabilities."
        )
    return data
