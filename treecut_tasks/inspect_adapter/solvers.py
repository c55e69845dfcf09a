"""The bare problem of a sample becomes the messages that a model is sent."""

from __future__ import annotations

from dataclasses import asdict

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from treecut_tasks.errors import validated
from treecut_tasks.evaluation import TaskParameters
from treecut_tasks.evaluation.clarification import Dialogue, DialogueSettings
from treecut_tasks.evaluation.instructions import STANDARD, find_instruction
from treecut_tasks.evaluation.prompts import SHOT_SEPARATOR, system_prompt, user_prompt


@solver
def treecut_prompt(
    system_message: str = "auto", fewshot_format: str = "turns", instruction: str = STANDARD
) -> Solver:
    """Ask for the answer to the problem, after the sample's worked examples.

    The chain-of-thought system message comes first, unless the model reasons by itself. Whether it
    was sent is logged as `system_message_sent` in the metadata of each sample.

    Args:
        system_message: `auto` leaves it out for reasoning models (paper, section 4.1), recognised
            by their names or by a reasoning effort or budget among the generation settings; `cot`
            always sends it, `none` never does.
        fewshot_format: `turns` (user and assistant turns) or `single` (one user message).
        instruction: what is said around the problem; see `instructions.find_instruction`.

    Raises:
        TreecutError: another value of one of these.
    """
    find_instruction(instruction)
    asked = TaskParameters.parse(
        {"system_message": system_message, "fewshot_format": fewshot_format}
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        *examples, problem = state.messages
        prompt = user_prompt(problem.text, instruction)
        if asked.fewshot_format == "single":
            shots = zip(examples[::2], examples[1::2], strict=True)
            shown = [f"{asked.text}\n\n{told.text}{SHOT_SEPARATOR}" for asked, told in shots]
            examples, prompt = [], "".join([*shown, prompt])
        # For simulated models. Metadata of a message is logged but never sent to a provider.
        about = {"configuration": state.metadata.get("configuration")}
        messages = [*examples, ChatMessageUser(content=prompt, metadata=about)]
        model = get_model()
        reasoning = model.config.reasoning_effort not in (None, "none")
        text = system_prompt(
            asked.system_message,
            model=model.name,
            reasoning_configured=reasoning or bool(model.config.reasoning_tokens),
        )
        if text is not None:
            messages.insert(0, ChatMessageSystem(content=text))
        state.messages = messages
        state.metadata["system_message_sent"] = "none" if text is None else "cot"
        return state

    return solve


@solver
def treecut_dialogue(max_questions: int = 3, oracle: str = "truthful") -> Solver:
    """Let the model ask for prices before it answers; code replies, not a model.

    The questions are logged as `dialogue` in the metadata of each sample.

    Args:
        max_questions: how often it may ask, 1 to 20.
        oracle: `truthful` tells the price that is asked for, `ignorant` knows none.
    """
    settings = validated(DialogueSettings, {"max_questions": max_questions, "oracle": oracle})

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        about = state.metadata
        dialogue = Dialogue(about["problem"], about["prices"], settings, about.get("theme_file"))
        try:
            state = await generate(state)
            while (
                not state.completed
                and (told := dialogue.reply(state.output.completion)) is not None
            ):
                state.messages.append(ChatMessageUser(content=told))
                state = await generate(state)
        finally:
            # A limit may end it at any message.
            state.metadata["dialogue"] = asdict(dialogue.record())
        return state

    return solve
