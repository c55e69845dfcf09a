"""The words that models are sent, and who gets the chain-of-thought message."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.prompts import (
    COT_SYSTEM_MESSAGE,
    is_reasoning_model,
    make_shot,
    problem_prompt,
    system_prompt,
    user_prompt,
)
from treecut_tasks.problems import ProblemConfig, problem_at

PROBLEM = problem_at(ProblemConfig(ans_depth=2), 0, 0)


# --- The user's message. ---


@pytest.mark.parametrize("text", [PROBLEM.text, "{problem}", "100% {0} {", "\\1 \\g<0>", "%s"])
def test_problem_stands_unchanged_on_a_line_of_its_own(text: str) -> None:
    assert user_prompt(text).split("\n").count(text) == 1


def test_prompt_says_when_the_answer_is_unknown_and_how_to_end() -> None:
    lines = user_prompt(PROBLEM.text).split("\n")
    assert lines[-2:] == ["Answer: <number>", "Answer: unknown"]
    instruction = next(line for line in lines if '"unknown"' in line)
    assert "do not suffice" in instruction
    assert any("final line" in line for line in lines)


def test_prompt_is_the_same_for_all_problems_but_for_the_problem() -> None:
    """An unanswerable problem and its counterpart must not be told apart by their prompts."""
    twin = PROBLEM.counterpart()
    assert user_prompt(twin.text) == user_prompt(PROBLEM.text).replace(PROBLEM.text, twin.text)


@pytest.mark.parametrize("wrong", [{"system_message": "loud"}, {"instruction": "loud"}])
def test_what_there_is_not_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TreecutError, match="is 'loud': it must be"):
        problem_prompt(PROBLEM, **wrong)


def test_example_ends_as_the_prompt_asks() -> None:
    shot = make_shot(PROBLEM.text, PROBLEM.solution, PROBLEM.answer)
    assert shot.prompt == user_prompt(PROBLEM.text)
    assert shot.response.startswith(PROBLEM.solution)
    assert shot.response.split("\n")[-1] == "Answer: unknown"


# --- The system message. ---


def test_system_message_asks_for_steps() -> None:
    assert "step by step" in COT_SYSTEM_MESSAGE


@pytest.mark.parametrize("model", [None, "openai/o3-mini", "openai/gpt-4o"])
@pytest.mark.parametrize("reasoning_configured", [False, True])
def test_forced_choices_ignore_the_model(model: str | None, reasoning_configured: bool) -> None:
    assert system_prompt("cot", model, reasoning_configured) == COT_SYSTEM_MESSAGE
    assert system_prompt("none", model, reasoning_configured) is None


def test_auto_leaves_it_out_for_reasoning() -> None:
    assert system_prompt("auto") == COT_SYSTEM_MESSAGE
    assert system_prompt("auto", "") == COT_SYSTEM_MESSAGE
    assert system_prompt("auto", "openai/gpt-4o") == COT_SYSTEM_MESSAGE
    assert system_prompt("auto", "openai/o3-mini") is None
    assert system_prompt("auto", "anthropic/claude-sonnet-4-5", reasoning_configured=True) is None
    assert system_prompt("auto", "anthropic/claude-sonnet-4-5") == COT_SYSTEM_MESSAGE
    assert system_prompt("auto", None, reasoning_configured=True) is None


REASONING = [
    "o1", "o1-mini", "o1-preview", "o1-2024-12-17", "openai/o1", "openai/o1-pro", "openai/o3",
    "openai/o3-mini", "o3-mini-2025-01-31", "openai/azure/o3-mini", "o4-mini", "openai/gpt-5",
    "gpt-5-mini", "gpt-5.1", "openai/gpt-oss-20b", "openrouter/openai/gpt-oss-120b",
    "deepseek-reasoner", "deepseek-ai/DeepSeek-R1", "hf/deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B/", "deepseek/deepseek-r1:free",
    "ollama/deepseek-r1:8b", "Qwen/QwQ-32B", "qwq:32b", "Qwen/Qwen3-8B", "Qwen/Qwen3-235B-A22B",
    "Qwen/Qwen3-4B-Thinking-2507", "moonshotai/Kimi-K2-Thinking", "microsoft/Phi-4-reasoning",
    "microsoft/Phi-4-mini-reasoning", "mistral/magistral-medium-latest", "grok/grok-4",
    "grok/grok-4-fast-reasoning", "grok-3-mini", "google/gemini-2.5-pro",
    "google/gemini-3-pro-preview", "zai-org/GLM-4.5", "MiniMaxAI/MiniMax-M2",
]  # fmt: skip

NOT_REASONING = [
    "openai/gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-mini", "gpt-4.1", "gpt-4-turbo",
    "gpt-3.5-turbo", "openai/gpt-5-chat-latest", "chatgpt-4o-latest",
    "meta-llama/Llama-3.1-8B-Instruct", "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "Qwen/Qwen2.5-72B-Instruct", "qwen2.5:7b", "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder-plus", "deepseek-chat",
    "deepseek-ai/DeepSeek-V3", "anthropic/claude-3-5-sonnet-latest", "anthropic/claude-opus-4-1",
    "google/gemini-2.0-flash", "google/gemini-1.5-pro", "google/gemma-3-27b-it",
    "mistralai/Mistral-7B-Instruct-v0.3", "microsoft/phi-4", "grok-3",
    "grok/grok-4-fast-non-reasoning", "HuggingFaceTB/SmolLM2-135M-Instruct",
    "allenai/OLMo-2-1124-7B-Instruct", "o2", "openai/o1000", "octocoder", "treecut/solver",
    "mockllm/model", "o3/llama-2-7b", "",
]  # fmt: skip


@pytest.mark.parametrize("model", REASONING)
def test_reasoning_models_are_recognised(model: str) -> None:
    assert is_reasoning_model(model)
    assert is_reasoning_model(model.upper())


@pytest.mark.parametrize("model", NOT_REASONING)
def test_other_models_are_not(model: str) -> None:
    assert not is_reasoning_model(model)
    assert not is_reasoning_model(model.upper())


@given(st.text(max_size=300))
def test_any_name_can_be_asked_about(model: str) -> None:
    assert isinstance(is_reasoning_model(model), bool)
