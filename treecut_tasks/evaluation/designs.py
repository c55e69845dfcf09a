"""What the tasks serve: a kind of problems, and the configurations that parameters make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from treecut_tasks.evaluation.clarification import DialogueSettings
from treecut_tasks.evaluation.instructions import DIAGNOSIS
from treecut_tasks.evaluation.parameters import Configuration, TaskParameters
from treecut_tasks.evaluation.rates import PAIR_KINDS, TaskKind


@dataclass(frozen=True)
class Design:
    """What a task serves.

    Attributes:
        kind: its problems.
        configurations: what is drawn with given parameters.
        instruction: what its prompts say around the problem, where that is not a parameter.
        dialogue: how the model may ask before it answers; None if it may not.
    """

    kind: TaskKind
    configurations: Callable[[TaskParameters], list[Configuration]] = TaskParameters.configurations
    instruction: str | None = None
    dialogue: DialogueSettings | None = None

    @property
    def pairs(self) -> bool:
        """Whether it serves both members of each pair."""
        return self.kind in PAIR_KINDS

    def complete(self, parameters: TaskParameters) -> TaskParameters:
        """The parameters with what the design itself decides."""
        instruction = self.instruction if self.dialogue is None else self.dialogue.instruction
        if instruction is None:
            return parameters
        return parameters.model_copy(update={"instruction": instruction})


UNANSWERABLE, ANSWERABLE, PAIRED = Design("unanswerable"), Design("answerable"), Design("paired")
DIAGNOSED = Design("diagnosis", instruction=DIAGNOSIS)

# Figure 2 (section 4.3): a single path or a more complex tree, composite or simple names.
STRUCTURE = Design(
    "unanswerable",
    lambda parameters: parameters.configurations(
        lambda depth: {"num_vars": (depth, depth + 2), "composite_name": (True, False)}
    ),
)
# Figure 3 (section 4.3): every location of the cut at each depth.
CUT_LOCATION = Design(
    "unanswerable",
    lambda parameters: parameters.configurations(
        lambda depth: {"cut_depth": tuple(range(1, depth))}
    ),
)
