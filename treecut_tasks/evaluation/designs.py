"""What the tasks serve: a kind of problems, and the configurations that parameters make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from treecut_tasks.evaluation.clarification import DialogueSettings
from treecut_tasks.evaluation.instructions import DIAGNOSIS
from treecut_tasks.evaluation.parameters import Configuration, TaskParameters
from treecut_tasks.evaluation.rates import TaskKind


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
        return self.kind not in ("unanswerable", "answerable")

    def complete(self, parameters: TaskParameters) -> TaskParameters:
        """The parameters with what the design itself decides."""
        instruction = self.instruction if self.dialogue is None else self.dialogue.instruction
        if instruction is None:
            return parameters
        return parameters.model_copy(update={"instruction": instruction})


def structure_configurations(parameters: TaskParameters) -> list[Configuration]:
    """Figure 2 (section 4.3): a single path or a more complex tree, composite or simple names.

    At each depth num_vars is ans_depth or ans_depth + 2, and cut_depth ans_depth // 2.
    """
    configurations = []
    for ans_depth in parameters.ans_depth:
        varied = {"num_vars": (ans_depth, ans_depth + 2), "composite_name": (True, False)}
        at_depth = parameters.model_copy(update={"ans_depth": (ans_depth,), **varied})
        configurations += at_depth.configurations()
    return configurations


def cut_location_configurations(parameters: TaskParameters) -> list[Configuration]:
    """Figure 3 (section 4.3): every location of the cut, 1 to ans_depth - 1, at each depth."""
    configurations = []
    for ans_depth in parameters.ans_depth:
        varied = {"ans_depth": (ans_depth,), "cut_depth": tuple(range(1, ans_depth))}
        configurations += parameters.model_copy(update=varied).configurations()
    return configurations


UNANSWERABLE, ANSWERABLE, PAIRED = Design("unanswerable"), Design("answerable"), Design("paired")
STRUCTURE = Design("unanswerable", structure_configurations)
CUT_LOCATION = Design("unanswerable", cut_location_configurations)
DIAGNOSED = Design("diagnosis", instruction=DIAGNOSIS)
