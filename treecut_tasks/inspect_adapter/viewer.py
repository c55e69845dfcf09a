"""What Inspect View shows of a run: a row for each problem that says how its response ends."""

from __future__ import annotations

from inspect_ai.viewer import TaskSamplesColumn, TaskSamplesSort, TaskSamplesView, ViewerConfig

SCORERS = ("treecut_tasks/treecut_scorer", "treecut_scorer")
"""The name in logs of a task, and that of `inspect score`."""

LABELS = {"verdict": "Verdict", "depth": "Depth", "cut": "Cut", "cause": "Cause", "rule": "Rule"}
"""The values of a score that are columns, with their headings."""

VIEWER = ViewerConfig(
    task_samples_view=TaskSamplesView(
        name="TreeCut",
        columns=[
            TaskSamplesColumn(id="sampleStatus"),
            TaskSamplesColumn(id="sampleId"),
            TaskSamplesColumn(id="epoch", visible=False),
            # The input last: in a narrow window it is what may be cut off.
            *(TaskSamplesColumn.score(scorer, name) for scorer in SCORERS for name in LABELS),
            TaskSamplesColumn(id="target"),
            TaskSamplesColumn(id="answer"),
            TaskSamplesColumn(id="input"),
        ],
        sort=[TaskSamplesSort(column="sampleId")],
        multiline=False,
        score_labels=LABELS,
        score_color_scales={
            "verdict": {
                "right": "good",
                "unknown": "good",
                "wrong_number": "bad",
                "hallucination": "bad",
                "false_unknown": "warn",
                "no_answer": "warn",
            },
            "rule": {"unknown": "info", "answered": "muted"},
        },
        color_scales_enabled=True,
    ),
)
"""Columns and colours of the list of samples."""
