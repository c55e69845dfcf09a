"""Hallucination rate by depth and model of a folder of Inspect logs, drawn with Inspect Viz.

    pip install inspect-viz pandas
    python docs/viz_depths.py logs depths.html

It prints the table, which needs data frames alone, and writes a page with the curves.
"""

import json
import sys

from inspect_ai.analysis import EvalModel, SampleSummary, samples_df
from inspect_viz import Data
from inspect_viz.mark import line_y
from inspect_viz.plot import plot, write_html

logs, page = sys.argv[1:]
samples = samples_df(logs, [*EvalModel, *SampleSummary], quiet=True)
scores = samples["score_treecut_tasks/treecut_scorer"].map(json.loads)
samples["hallucination_rate"] = [score["hallucination_rate"] for score in scores]
rates = samples.groupby(["model", "metadata_ans_depth"], as_index=False)[
    "hallucination_rate"
].mean()
print(rates.to_string(index=False))

curves = line_y(
    Data.from_dataframe(rates),
    x="metadata_ans_depth",
    y="hallucination_rate",
    stroke="model",
    marker="circle",
)
write_html(page, plot(curves, legend="color", x_label="depth", y_label="hallucination rate"))
