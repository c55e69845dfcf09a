"""A search for the breaking depth becomes a source of Inspect samples; its answers become metrics."""

from __future__ import annotations

import math
from typing import Any

from inspect_ai import SampleSource
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from treecut_tasks.errors import validated
from treecut_tasks.evaluation import JudgedResponse
from treecut_tasks.evaluation.adaptive import Answer, Search, SearchPlan
from treecut_tasks.inspect_adapter.dataset import to_dataset
from treecut_tasks.psychometrics import estimate


class BreakingDepthSource(SampleSource):
    """Serves batches of problems until the breaking depth is known well enough.

    Which problems come next follows from the answers alone. Inspect tells a retried run the answers
    that it has before it asks for more, so it goes the same way up to where it ended.
    """

    def __init__(self, plan: SearchPlan) -> None:
        self._plan = plan
        self._first = self._samples({})
        self._answers: dict[str, Answer] = {}
        self._arrived: dict[str, Answer] = {}

    def initial_samples(self) -> list[Sample]:
        """The first batch."""
        return self._first

    async def sample_complete(self, sample: EvalSample) -> None:
        """Note the answer."""
        score = next(iter((sample.scores or {}).values()), None)
        self._arrived[str(sample.id)] = _answer(sample.metadata, score)

    async def next_samples(self) -> list[Sample] | None:
        """The next batch; None if the answers are enough, or if none has come."""
        arrived, self._arrived = self._arrived, {}
        first = {str(sample.id) for sample in self._first}
        if first <= arrived.keys():
            # A first attempt, or another of this process: what an earlier one left counts no more.
            self._answers = {id: arrived[id] for id in first}
        else:
            self._answers |= arrived
        return (self._samples(self._answers) or None) if arrived else None

    def _samples(self, answers: dict[str, Answer]) -> list[Sample]:
        items = self._plan.next_items(answers.values())
        return list(to_dataset("treecut_breaking_depth", items))


def _answer(metadata: dict[str, Any] | None, score: Score | None) -> Answer:
    about = metadata or {}
    record = None if score is None else score.metadata
    judged = None if record is None else JudgedResponse.from_record(record)
    return Answer(int(about["ans_depth"]), str(about["pair_id"]), judged)


@metric(scores="unreduced")
def breaking_depth_estimate(**search: Any) -> Metric:
    """The breaking depth with its 95 % interval or, as `outcome_…`, why there is none.

    What is not known (an end of the interval beyond the range of depths) is NaN. Then come the
    number of calls, the rate of failures over all depths with its interval, the evidence for a rise
    (20 shows one), and the rate at each depth that was asked for.

    Args:
        search: what was looked for, by the names of `Search`.
    """
    looked_for = validated(Search, search)

    def compute(scores: list[SampleScore]) -> Value:
        counts = looked_for.counts(_answer(each.sample_metadata, each.score) for each in scores)
        found = estimate(counts, looked_for.rate)
        ends = {"": found.depth, "_low": found.low, "_high": found.high}
        return {
            **{f"breaking_depth{end}": math.nan if v is None else v for end, v in ends.items()},
            f"outcome_{found.outcome.replace(' ', '_')}": 1,
            "calls": len(scores),
            "failure_rate": found.level.value,
            "failure_rate_low": found.level.low,
            "failure_rate_high": found.level.high,
            "evidence": found.evidence,
            **{
                f"failure_rate_depth{depth}": failed / asked
                for depth, (asked, failed) in counts.items()
                if asked
            },
        }

    return compute
