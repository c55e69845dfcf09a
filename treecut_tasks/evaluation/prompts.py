"""The words that a model is sent, for both frameworks.

The paper's own template (Appendix B.1) is lost, so the wording is ours: a zero-shot prompt that
explicitly tells the model to answer `unknown` when the conditions do not suffice (section 4.1), and
a chain-of-thought system message for all models but reasoning models (section 4.1, Appendix B.1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from treecut_tasks.errors import checked_choice
from treecut_tasks.evaluation.instructions import STANDARD, find_instruction
from treecut_tasks.problems import Problem

SystemMessage = Literal["auto", "cot", "none"]
"""Decide by the model, always send, never send."""

PROMPT_VERSION = 1
"""Changes whenever a word of the prompt changes, because scores may change with it."""

COT_SYSTEM_MESSAGE = (
    "You are a careful assistant who solves maths word problems. Think step by step: write down what "
    "each condition says, reason from the conditions only, and check your reasoning before you give "
    "the final answer."
)
"""The chain-of-thought system message."""

_TEMPLATE = "Solve the following maths word problem.\n\n{problem}\n\n{instruction}"

ShotFormat = Literal["single", "turns"]
"""How worked examples are sent: in one user message, or as turns of user and assistant."""

SHOT_SEPARATOR = "\n\n---\n\n"
"""In a single message, behind each example."""


class Message(NamedTuple):
    """One message of a conversation: its role (`system`, `user` or `assistant`) and its text."""

    role: str
    content: str


def user_prompt(problem: str, instruction: str = STANDARD) -> str:
    """The zero-shot prompt for a problem; the problem stands on a line of its own.

    Args:
        problem: the problem's text, sentences and question.
        instruction: name of what is said around it, see `instructions.find_instruction`.
    """
    return _TEMPLATE.format(problem=problem, instruction=find_instruction(instruction).text)


def problem_prompt(
    problem: Problem | str, system_message: SystemMessage = "cot", instruction: str = STANDARD
) -> list[Message]:
    """The messages of a zero-shot prompt for a problem, as both frameworks send them.

    Args:
        problem: the problem, or its text.
        system_message: `cot`, `none`, or `auto`, which takes the model for one that does not reason.
        instruction: `standard`, `bare`, `confidence` or `target:T`.

    Raises:
        TreecutError: another system message or instruction.
    """
    text = problem if isinstance(problem, str) else problem.text
    system = system_prompt(system_message)
    before = [] if system is None else [Message("system", system)]
    return [*before, Message("user", user_prompt(text, instruction))]


class Shot(NamedTuple):
    """A worked example: the prompt for its problem, and the response that is wanted."""

    prompt: str
    response: str


def make_shot(
    problem: str,
    solution: str,
    answer: str,
    instruction: str = STANDARD,
    lines: Mapping[str, str] | None = None,
) -> Shot:
    """A worked example, its last lines in the very form that the prompt asks for.

    Args:
        problem: the problem's text.
        solution: its worked solution.
        answer: the price in digits, or `unknown`.
        instruction: name of what the prompt says around the problem.
        lines: what an instruction asks for beside the answer; see `diagnosis.Gap.lines`.
    """
    blanks = {"undetermined": "", "ask": "", **(lines or {}), "answer": answer}
    final_lines = find_instruction(instruction).final_lines.format_map(blanks)
    return Shot(user_prompt(problem, instruction), f"{solution}\n\n{final_lines}")


def system_prompt(
    choice: SystemMessage, model: str | None = None, reasoning_configured: bool = False
) -> str | None:
    """The system message to send, or None to send none.

    Args:
        choice: `cot` sends the chain-of-thought message, `none` sends nothing, `auto` sends it
            unless the model is a reasoning model (paper, section 4.1).
        model: name of the model, for `auto`; a provider prefix does not matter.
        reasoning_configured: whether the framework was told to make the model reason (an effort or
            a budget for reasoning tokens), for `auto`.
    """
    if checked_choice("system_message", choice, get_args(SystemMessage)) == "none":
        return None
    if choice == "auto" and (reasoning_configured or (model and is_reasoning_model(model))):
        return None
    return COT_SYSTEM_MESSAGE


REASONING_FAMILIES: tuple[str, ...] = (
    r"o[134](?![a-z0-9])",  # OpenAI o1, o3, o4 with their -mini and -pro
    r"gpt-5(?!-chat)",
    r"gpt-oss",
    r"deepseek-r\d",
    r"deepseek-reasoner",
    r"qwq",
    r"qwen3(?!.*(?:instruct|coder))",
    r"magistral",
    r"grok-4(?!.*non-reasoning)",
    r"grok-3-mini",
    r"gemini-(2\.5|3)",
    r"glm-4\.[5-9]",
    r"minimax-m\d",
    r".*(?:thinking|(?<!non-)reasoning)",
)
"""Reasoning models by how their names begin, in lower case and without provider or organisation.

Models that reason only when asked to (Claude, for example) are recognised by the framework's
settings instead.
"""

_REASONING = re.compile("|".join(f"(?:{family})" for family in REASONING_FAMILIES))


def is_reasoning_model(model: str) -> bool:
    """Whether a model's name belongs to one of `REASONING_FAMILIES`.

    Args:
        model: `openai/o3-mini`, `deepseek-ai/DeepSeek-R1`, `o3-mini-2025-01-31`, …
    """
    name = model.lower().rstrip("/").rsplit("/", 1)[-1]
    return _REASONING.match(name[:200]) is not None
