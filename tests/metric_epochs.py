"""Metrics as Inspect runs them: scores of each epoch, the real reducer, then the metric."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from tests.framework_runs import inspect_values
from treecut_tasks.evaluation import JudgedResponse, counts


def metric_values(
    metric: Metric,
    epochs: Sequence[Sequence[JudgedResponse]],
    metadata: Sequence[Mapping[str, Any]],
    reducer: str = "mean",
) -> dict[str, float]:
    """The values of a metric after an evaluation of `mockllm/model` with prepared judgements.

    Args:
        metric: the metric.
        epochs: for each sample the judged responses, one for each epoch.
        metadata: for each sample its metadata.
        reducer: name of Inspect's epoch reducer.
    """
    prepared = {f"sample-{i}": list(judged) for i, judged in enumerate(epochs)}

    @scorer(metrics=[metric], name="prepared_scores")
    def prepared_scores() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            judged = prepared[str(state.sample_id)][state.epoch - 1]
            return Score(value=dict(counts(judged)), metadata=judged.record())

        return score

    samples = [
        Sample(id=name, input="-", metadata=dict(each))
        for name, each in zip(prepared, metadata, strict=True)
    ]
    task = Task(
        dataset=samples,
        solver=[],
        scorer=prepared_scores(),
        epochs=Epochs(len(epochs[0]), reducer),
    )
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(task, model="mockllm/model", display="none", log_dir=folder)
    return inspect_values(log)
