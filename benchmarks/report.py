"""Time and memory of a report on a run of real size: Figure 2's 20 configurations × 500, three models.

    python benchmarks/report.py
    python benchmarks/report.py --logs FOLDER        # make the logs there once, and use them again

The logs are Inspect's own. A small part of the problems is evaluated for each model, with a mock
responder that writes responses of about 4,000 characters; the rest of a log are copies of these samples
under identifiers of their own, because what is measured is reading. Fails above 20 seconds or 1 GB.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inspect_ai import eval
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from treecut_tasks import structure

CONFIGURATIONS = 20
MOST_SECONDS = 20.0
MOST_MEMORY = 1024**3
MODELS = {"weak": 0.8, "middling": 0.5, "strong": 0.2}
"""Names of the mock models, with the probability of a number for an answer."""


def respond(name: str, prompt: str) -> ModelOutput:
    """A response of usual length, with a random verdict."""
    draw = random.Random(name + prompt)
    working = "\n".join(
        f"Let x{line} be the price of item {line}; then 2 x{line} = x{line + 1} + {draw.randint(1, 9)}, "
        "so the next price follows from it."
        for line in range(50)
    )
    answer = str(draw.randint(5, 15)) if draw.random() < MODELS[name] else "unknown"
    output = ModelOutput.from_content(f"mockllm/{name}", f"{working}\n\nAnswer: {answer}")
    output.usage = ModelUsage(input_tokens=300, output_tokens=1500, total_tokens=1800)
    return output


def run(name: str, problems: int, folder: Path) -> EvalLog:
    """Evaluate some problems of each configuration."""

    def outputs(
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        return respond(name, input[-1].text)

    (log,) = eval(
        structure(num_problems=problems),
        model=get_model(f"mockllm/{name}", custom_outputs=outputs, memoize=False),
        log_dir=str(folder),
        display="none",
        log_realtime=False,
    )
    assert log.status == "success", log.error
    return log


def enlarged(log: EvalLog, copies: int) -> EvalLog:
    """The log with every sample several times, as if they were of different problems."""
    samples = [
        sample.model_copy(
            update={
                "id": f"{sample.id}-{copy:04d}",
                "uuid": f"{sample.uuid}{copy}",
                "metadata": {
                    **sample.metadata,
                    "problem_id": f"{sample.metadata['problem_id']}{copy}",
                },
                # A report reads the events of one sample; writing all of them takes many minutes.
                "events": [] if copy else sample.events,
            }
        )
        for copy in range(copies)
        for sample in log.samples or []
    ]
    identifiers = [sample.id for sample in samples]
    data_set = log.eval.dataset.model_copy(
        update={"samples": len(samples), "sample_ids": identifiers}
    )
    spec = log.eval.model_copy(update={"dataset": data_set})
    return log.model_copy(update={"samples": samples, "eval": spec})


def make_logs(folder: Path, problems: int, evaluated: int) -> None:
    """One log for each model, of so many problems a configuration."""
    for name in MODELS:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as small:
            # Inspect reads samples when they are asked for, so they are while the small log exists.
            log = enlarged(run(name, evaluated, Path(small)), problems // evaluated)
        target = folder / f"2025-01-01T00-00-00-00-00_structure_{name}.eval"
        write_eval_log(log, str(target))
        print(f"  {target.name}: {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=500, help="of each configuration")
    parser.add_argument("--evaluated", type=int, default=10, help="how many of them are evaluated")
    parser.add_argument("--logs", type=Path, help="folder that keeps the logs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.logs or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not list(folder.glob("*.eval")):
            print("making the logs", flush=True)
            make_logs(folder, arguments.problems, arguments.evaluated)
        start = time.perf_counter()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "treecut_tasks",
                "report",
                folder,
                "-o",
                Path(temporary) / "out",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Linux counts in kilobytes, macOS in bytes.
    memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    responses = len(MODELS) * CONFIGURATIONS * arguments.problems
    print(
        f"{responses} responses read and reported in all formats in {seconds:.1f} s "
        f"({usage.ru_utime + usage.ru_stime:.1f} s of processor time), {memory / 1e9:.2f} GB"
    )
    if seconds > MOST_SECONDS or memory > MOST_MEMORY:
        sys.exit("That is more than 20 seconds or 1 GB.")


if __name__ == "__main__":
    main()
