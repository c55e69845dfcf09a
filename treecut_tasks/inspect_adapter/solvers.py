"""The chain-of-thought system message, which depends on the model."""

from __future__ import annotations

from inspect_ai.model import ChatMessageSystem, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from treecut_tasks.evaluation.prompts import check_system_message, system_prompt


@solver
def cot_system_message(system_message: str = "auto") -> Solver:
    """Put the chain-of-thought system message in front, unless the model reasons by itself.

    Whether it was sent is logged as `system_message_sent` in the metadata of each sample.

    Args:
        system_message: `auto` leaves it out for reasoning models (paper, section 4.1), recognised
            by their names or by a reasoning effort or budget among the generation settings; `cot`
            always sends it, `none` never does.
    """
    choice = check_system_message(system_message)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        config = model.config
        text = system_prompt(
            choice,
            model=model.name,
            reasoning_configured=(
                config.reasoning_effort not in (None, "none") or bool(config.reasoning_tokens)
            ),
        )
        if text is not None:
            state.messages.insert(0, ChatMessageSystem(content=text))
        state.metadata["system_message_sent"] = "none" if text is None else "cot"
        return state

    return solve
