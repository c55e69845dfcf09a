"""What every reader of logs gives: runs, and their responses with what is known of each problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from treecut_tasks.evaluation.instructions import STANDARD
from treecut_tasks.evaluation.judging import JudgedResponse
from treecut_tasks.evaluation.recorded import RecordedResponse

Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Count = Annotated[int, Field(ge=0, le=10**12)]
Size = Annotated[int, Field(ge=0, le=10**6)]
Seconds = Annotated[float, Field(ge=0, le=10**10)]
# A data file that does not tell leaves `unspecified`.
_KnownSize = Annotated[
    Size | None, BeforeValidator(lambda value: None if value == "unspecified" else value)
]


def _if_whole(value: object) -> object:
    # What is long is taken out of the summaries of samples, and a text stands in its place.
    return None if isinstance(value, str) else value


class Logged(BaseModel):
    """Types as they are, no conversions, no infinities; further keys are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, frozen=True)


class ProblemFacts(Logged):
    """Where a problem comes from and how it was made, as every item of ours tells in its metadata."""

    pair_id: Name | None = None
    ans_depth: _KnownSize = None
    num_vars: _KnownSize = None
    cut_depth: _KnownSize = None
    composite_name: bool | None = None
    order: Name | None = None
    theme: Name | None = None
    sampling: Name | None = None
    counterpart: Name | None = None
    split: Name | None = None
    seed: int | None = None
    source: str | None = None
    theme_file: str | None = None
    problem_id: Name | None = None
    problem: str = ""
    lacks: str | None = None
    system_message_sent: Name | None = None
    instruction: Name = STANDARD
    dialogue: Annotated[dict[str, Any] | None, BeforeValidator(_if_whole)] = None
    treecut_tasks_version: str = ""


class Run(Logged):
    """One run of a model with one set of settings: an Inspect log, or lm-eval tasks of one call.

    Attributes:
        path: file that it was read from.
        framework: `Inspect`, `lm-eval` or `recorded`.
        framework_version: its version.
        package_version: version of treecut-tasks that made the problems.
        tasks: names of the tasks.
        task_id: identifier that a resumed run shares with the interrupted one; empty if there is none.
        model: name of the model as the framework knows it.
        provider: what stands before the model's short name, or serves it.
        fewshot: number of worked examples in each prompt.
        last_asked: when its last response was asked for, in ISO 8601.
        status: success, error, cancelled or started.
        planned: how many responses it was to give; None if the log does not tell.
        settings: everything else that can change a rate of the whole run, by name.
        facts: what is worth knowing and changes no rate.
    """

    path: str
    framework: Literal["Inspect", "lm-eval", "recorded"]
    framework_version: str = ""
    package_version: str = ""
    tasks: tuple[str, ...]
    task_id: str = ""
    model: Name
    provider: str = ""
    fewshot: Size = 0
    last_asked: str = ""
    status: str = "success"
    planned: Count | None = None
    settings: dict[str, str] = Field(default_factory=dict)
    facts: dict[str, str] = Field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the model draws its verdicts at random, with probabilities that somebody set."""
        return self.model.startswith("treecut/simulated")

    @property
    def reference(self) -> bool:
        """Whether the model is one of ours or a mock: it says nothing about language models."""
        return self.model.startswith(("treecut/", "mockllm/"))


class Words(NamedTuple):
    """What a reader wants to see of one response.

    Attributes:
        problem: the problem's text.
        lacks: the sentence that was cut out of it; empty for answerable problems.
        prompt: all messages that the model was sent.
        response: what it answered; in a dialogue its questions, the replies and the answer.
    """

    problem: str = ""
    lacks: str = ""
    prompt: str = ""
    response: str = ""


@dataclass(frozen=True)
class Response:
    """One response, judged.

    Attributes:
        identifier: the same for copies of the response, whatever file they are in.
        problem_id: identifier of the problem, made from its content.
        task: name of the task.
        sample: the framework's own identifier of the sample.
        epoch: number of the repetition, from 1.
        problem: what is known of the problem.
        judged: the response judged; None if there is none (an error).
        unanswerable: whether the problem is unanswerable.
        recorded: what was asked and answered; None where it was left in the log (see `inspect_words`).
        prompt: all messages that the model was sent, as far as they are at hand.
        error: failure of the model or the framework, in its own words.
        input_tokens: tokens of the prompt; None if the log does not tell.
        output_tokens: tokens of the response, those of its reasoning included.
        reasoning_tokens: tokens of the reasoning alone.
        seconds: time that the response took.
    """

    identifier: str
    problem_id: str
    task: str
    sample: int | str
    epoch: int
    problem: ProblemFacts
    judged: JudgedResponse | None
    unanswerable: bool
    recorded: RecordedResponse | None = None
    prompt: str = ""
    error: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float | None = None

    @property
    def characters(self) -> int | None:
        """Length of all that the model wrote, reasoning included, where it is at hand."""
        if self.recorded is None:
            return None
        return len(self.recorded.response or "") + len(self.recorded.reasoning or "")

    @property
    def words(self) -> Words | None:
        """Problem, prompt and response, where they are at hand; of a dialogue they stay in the log."""
        if self.recorded is None or (self.judged is not None and self.judged.dialogue is not None):
            return None
        lacks = (self.problem.lacks or "") if self.unanswerable else ""
        return Words(self.recorded.problem, lacks, self.prompt, self.recorded.response or "")


class Batch(NamedTuple):
    """A run and its responses, as a reader gives them."""

    run: Run
    responses: list[Response]
