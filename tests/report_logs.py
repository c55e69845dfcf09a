"""Logs for the tests of reports, made by both frameworks with models of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from tests.framework_runs import inspect_run, save_lm_eval_run
from treecut_tasks import cut_location, paired, structure, unanswerable

EVIL = (
    "<script>alert('x')</script> [red]markup[/red] \x1b[31m | `code` \u202e\n"
    "The price of <i>x</i> is missing, so it cannot be determined.\nAnswer: 7"
)
"""A response that tries to leave its place in terminals, Markdown and HTML, and notices something."""

Answer = Callable[[str], ModelOutput]


def scripted_model(answer: Answer, name: str = "model") -> Model:
    """A model whose response to each prompt is a function of it."""

    def outputs(
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        output = answer(input[-1].text)
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=outputs, memoize=False)


def saying(text: str) -> Answer:
    """Always the same response."""
    return lambda prompt: ModelOutput.from_content("mockllm/model", text)


def cut_off(prompt: str) -> ModelOutput:
    """A response that a token limit stopped."""
    return ModelOutput.from_content("mockllm/model", "Let x be the price.", "max_tokens")


def simulated(name: str, **arguments: Any) -> Model:
    """A simulated model of ours."""
    return get_model(f"treecut/simulated-{name}", memoize=False, **arguments)


@modelapi(name="flaky")
class FlakyModel(ModelAPI):
    """Answers 7, but fails once, at the fifth call."""

    calls = 0

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        FlakyModel.calls += 1
        if FlakyModel.calls == 5:
            raise RuntimeError("interrupted")
        output = ModelOutput.from_content("flaky/model", "Answer: 7")
        output.usage = ModelUsage()
        return output


def make_inspect_logs(folder: Path, *names: str) -> dict[str, EvalLog]:
    """Small runs of every task, or some of them, by name."""
    one = simulated("one", hallucination=0.6)
    evil = scripted_model(saying(EVIL), "<b>[red]evil|$x$")
    runs = {
        "structure": (structure(num_problems=3), one),
        "cut_location": (cut_location(num_problems=3), one),
        "paired": (paired(num_problems=15), one),
        "six-shot": (unanswerable(num_problems=15, fewshot=6), one),
        "evil": (unanswerable(num_problems=3, ans_depth=[2, 4]), evil),
    }
    return {name: inspect_run(*runs[name], folder) for name in names or runs}


def make_lm_eval_results(folder: Path, predict_only: bool = False) -> Path:
    """A results file of a few tasks with a reference model; its folder holds the samples."""
    tasks = ["treecut_depth2", "treecut_answerable_depth4", "treecut_paired_depth2"]
    save_lm_eval_run(
        folder,
        [*tasks, "treecut_depth2_fewshot"],
        "same_price",
        limit=12,
        predict_only=predict_only,
    )
    (path,) = folder.rglob("results_*.json")
    return path
