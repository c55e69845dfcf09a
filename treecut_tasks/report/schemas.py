"""What the reports need of the logs of both frameworks, as types that logs are checked against."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Count = Annotated[int, Field(ge=0, le=10**12)]
Size = Annotated[int, Field(ge=0, le=10**6)]
# A data file that does not tell leaves `unspecified`.
OptionalSize = Annotated[
    Size | None, BeforeValidator(lambda value: None if value == "unspecified" else value)
]
Seconds = Annotated[float, Field(ge=0, le=10**10)]


class Logged(BaseModel):
    """Types as they are, no conversions, no infinities; further keys are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, frozen=True)


class LoggedProblem(Logged):
    """Where a problem comes from and how it was made, as every item of ours tells in its metadata."""

    unanswerable: bool | None = None
    pair_id: Name | None = None
    ans_depth: OptionalSize = None
    num_vars: OptionalSize = None
    cut_depth: OptionalSize = None
    composite_name: bool | None = None
    order: Name | None = None
    theme: Name | None = None
    sampling: Name | None = None
    counterpart: Name | None = None
    split: Name | None = None
    seed: int | None = None
    source: str | None = None
    theme_file: Name | None = None
    problem_id: Name | None = None
    problem: str = ""
    lacks: str | None = None
    system_message_sent: Name | None = None
    treecut_tasks_version: str = ""


class LoggedQuote(Logged):
    """The words that a verdict stands on."""

    text: str
    start: int
    end: int


class LoggedCause(Logged):
    """What explains a wrong number."""

    kind: Name
    description: str | None = None
    sentences: list[int] = []
    by_chance: dict[str, Annotated[float, Field(ge=0, le=1)]] = {}


class LoggedNotice(Logged):
    """`Noticed` in a log."""

    quote: Annotated[str, StringConstraints(max_length=1000)]
    position: Annotated[float, Field(ge=0, le=1)]
    upheld: bool


class LoggedJudgement(Logged):
    """A judged response, as `JudgedResponse.record` writes it."""

    answer: Name
    verdict: Literal["number", "unknown", "none"]
    value: Annotated[str, StringConstraints(max_length=10_000)] | None
    tier: Literal["contract", "marked", "stated"] | None
    reason: Name
    quote: LoggedQuote | None
    says_unknown: bool
    truncated: bool
    cause: LoggedCause | None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    noticed: LoggedNotice | None = None
    assumed: bool = False


class LoggedRun(Logged):
    """What an Inspect log says about all of its samples, in the metadata of the task."""

    treecut_tasks_version: str
    parameters: dict[str, Any] = {}
    prompt_sha256: str = ""
    data_set_sha256: str = ""


class LoggedUsage(Logged):
    """Tokens of one model."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_tokens: Count | None = None


class LoggedScore(Logged):
    """A score; ours has a `LoggedJudgement` for its metadata."""

    metadata: dict[str, Any] | None = None


class LoggedSample(Logged):
    """A sample of an Inspect log, as its summary has it."""

    id: Name | int
    epoch: Size
    uuid: Name | None = None
    target: Name
    metadata: LoggedProblem
    scores: dict[str, LoggedScore] | None = None
    model_usage: dict[str, LoggedUsage] = {}
    error: str | None = None
    started_at: Name | None = None
    working_time: Seconds | None = None

    @property
    def record(self) -> dict[str, Any] | None:
        """The judgement that our scorer put into the last score that has one whole."""
        for score in reversed((self.scores or {}).values()):
            record = score.metadata or {}
            # What is long is taken out of summaries, and a text stands in its place.
            if "verdict" in record and not isinstance(record.get("quote"), str):
                return None if isinstance(record.get("cause"), str) else record
        return None


class LmEvalConfig(Logged):
    """How lm-eval was called."""

    model: Name
    model_args: str | dict[str, Any] | None = None
    gen_kwargs: str | dict[str, Any] | None = None


class LmEvalCounts(Logged):
    """How many documents of a task lm-eval was to ask."""

    effective: Count


class LmEvalResults(Logged):
    """A results file of lm-eval."""

    configs: dict[str, Any]
    config: LmEvalConfig
    date: Seconds
    lm_eval_version: str = ""
    versions: dict[str, int | float | str | None] = {}
    shots: dict[str, Size] = Field({}, alias="n-shot")
    samples: dict[str, LmEvalCounts] = Field({}, alias="n-samples")
    system_instruction: str | None = None
    chat_template: str | dict[str, Any] | list[Any] | None = None
    chat_template_sha: str | None = None
    fewshot_as_multiturn: bool | None = None


class LmEvalDoc(Logged):
    """A row of our data set: one problem, or a pair whose second member has the prefix."""

    id: Name
    problem: str
    prompt: str
    answer: Name
    metadata: str
    system: str = ""
    theme_file: str = ""
    counterpart_id: Name | None = None
    counterpart_problem: str = ""
    counterpart_prompt: str = ""
    counterpart_answer: Name | None = None


class LmEvalArguments(Logged):
    """One request: the prompt, and the settings that the model was asked with."""

    arg_0: str | list[str]
    arg_1: dict[str, Any] = {}


class LmEvalSample(Logged):
    """A line of a samples file; of `resps` one list for each request, with a text a repetition."""

    doc: LmEvalDoc
    arguments: dict[str, LmEvalArguments]
    resps: list[list[str | None]]
