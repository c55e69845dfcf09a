"""Logs become what a report is made from: runs, one table of their responses, and what was left out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from treecut_tasks.errors import TreecutError
from treecut_tasks.evaluation.rates import RATES as DEFINITIONS
from treecut_tasks.evaluation.rates import TaskKind, counts
from treecut_tasks.logs import Batch, Response, Run, Words, find_sources, read_log
from treecut_tasks.logs.untrusted import one_line
from treecut_tasks.report.cells import CONFIGURATION, KEYS, make_cells
from treecut_tasks.report.labels import Variant, label_models, short_name

Progress = Callable[[str], None]
"""Told what is done next."""

RATES = tuple({**DEFINITIONS["unanswerable"], **DEFINITIONS["answerable"]})
"""Rates of single problems."""

_OF_RESPONSE = (
    "identifier", "problem_id", "task", "sample", "epoch", "unanswerable", "error", "judged", "words"
)  # fmt: skip
_OF_PROBLEM = ("pair_id", "order", "theme", "sampling", "split", "seed", "instruction")
_TEXTS = ("value", "tier", "reason", "quote", "cause", "cause_explained", "notice_quote", "seed")
_NUMBERS = ("characters", "input_tokens", "output_tokens", "reasoning_tokens", "seconds")
_TYPES = {
    **dict.fromkeys(_TEXTS, "object"),
    **dict.fromkeys((*RATES, "same_price_by_chance", "any_by_chance", *_NUMBERS), "float"),
    **dict.fromkeys(("ans_depth", "num_vars", "cut_depth"), "Int64"),
    **dict.fromkeys(("composite_name", "says_unknown", "noticed"), "boolean"),
}
"""Columns that may be empty in all rows, with their types."""


ENDINGS = {
    "unknown": "unknown",
    "right": "right number",
    "hallucination": "a number",
    "wrong_number": "wrong number",
    "false_unknown": "unknown, wrongly",
    "no_answer": "no answer",
    "cut_off": "cut off",
    "no_verdict": "no verdict",
}
"""How a response can end, in words; one that was cut off has no answer, one without a verdict failed."""


class LeftOut(NamedTuple):
    """Something that could not be used, and why, in one sentence that tells the remedy."""

    path: str
    message: str


@dataclass(frozen=True)
class Evidence:
    """All that was read.

    Attributes:
        runs: the runs, the oldest first.
        responses: one row for each response, with the number of its `run` from 0, its `fewshot`, and the
            label of its `model`; docs/report.md has the other columns.
        variants: the models, by label (see `labels`).
        left_out: what could not be used.
        superseded: number of responses left out because they are copies, or because a resumed run
            holds them again.
    """

    runs: tuple[Run, ...]
    responses: pd.DataFrame
    variants: Mapping[str, Variant]
    left_out: tuple[LeftOut, ...] = ()
    superseded: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """Labels of the models, in the order in which every table has them."""
        return tuple(self.variants)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """The responses to a single prompt: no dialogues."""
        return self.responses[~self.responses["dialogue"]]

    @cached_property
    def scored(self) -> pd.DataFrame:
        """Those with a verdict."""
        return self.answers[self.answers["scored"]]

    @cached_property
    def problems(self) -> pd.DataFrame:
        """One row for each problem that a model answered: the mean of its responses with a verdict.

        Repetitions, and runs of the same problems, do not count as more problems.
        """
        return _problems(self.scored)

    @cached_property
    def set_problems(self) -> pd.DataFrame:
        """The same without the responses of the task breaking_depth.

        Answers decide what it asks for, so these do not belong beside those to a set of problems.
        """
        return _problems(self.scored[~_is_search(self.scored)])

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row for each model and configuration of `set_problems` (see `cells`)."""
        return make_cells(self.set_problems)

    @cached_property
    def counted_cells(self) -> pd.DataFrame:
        """The rates of the cells with the number of their responses, those without a verdict included."""
        answers = self.answers[~_is_search(self.answers)]
        answers = answers.assign(no_verdict=~answers["scored"])
        groups = answers.groupby(KEYS, dropna=False)
        counted = groups[["no_verdict", "truncated"]].sum().assign(responses=groups.size())
        told = ["problems", "rate", "value", "ci_low", "ci_high", "false_unknown_rate"]
        cells = self.cells[[*KEYS, *told]]
        counted = counted.reset_index()
        return counted.merge(cells.astype(counted[KEYS].dtypes), on=KEYS, how="left")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair of which a model answered both members."""
        return self.pairs_of("paired", self.scored)

    def pairs_of(self, kind: TaskKind, scored: pd.DataFrame) -> pd.DataFrame:
        """The rates of each pair of which both members are among some responses, means of repetitions."""
        scored = scored[scored["pair_id"].notna()]
        keys = ["fewshot", "pair_id", "epoch"]
        found = []
        for model in self.models:
            own = self.asked_alike(scored, model)
            one, two = (
                own.loc[own["unanswerable"] == kind, [*keys, "model", "judged"]]
                for kind in (True, False)
            )
            joint = one.merge(two, on=keys)
            joint = joint[(joint["model_x"] == model) | (joint["model_y"] == model)]
            rates = [*map(counts, joint["judged_x"], joint["judged_y"])]
            frame = pd.DataFrame(rates, index=joint.index, columns=[*DEFINITIONS[kind]])
            frame[["fewshot", "pair_id"]] = joint[["fewshot", "pair_id"]]
            means = frame.groupby(["fewshot", "pair_id"]).mean().reset_index()
            found.append(means.assign(model=model))
        return pd.concat(found, ignore_index=True)

    def asked_alike(
        self, frame: pd.DataFrame, model: str, fewshot: int | None = None
    ) -> pd.DataFrame:
        """The rows of a model, and those to which the settings that set it apart do not apply.

        Args:
            frame: rows of `responses` or `problems`.
            model: the label.
            fewshot: the number of their worked examples; None for any.
        """
        chosen = frame["alike"].map(lambda labels: model in labels).astype(bool)
        return frame[chosen if fewshot is None else chosen & (frame["fewshot"] == fewshot)]

    def words(self, chosen: pd.DataFrame) -> list[Words]:
        """The words of some rows of `responses`, in their order; Inspect logs are read again for them."""
        from treecut_tasks.logs.inspect_logs import inspect_words

        words = chosen["words"].copy()
        for number, rows in chosen[words.isna()].groupby("run"):
            keys = [*rows[["sample", "epoch"]].itertuples(index=False, name=None)]
            found = inspect_words(Path(self.runs[int(number)].path), set(keys))
            for index, key in zip(rows.index, keys, strict=True):
                words[index] = found.get(key, Words())
        return list(words)


def read_evidence(
    paths: Sequence[str],
    names: Mapping[str, str] | None = None,
    progress: Progress = lambda _: None,
) -> Evidence:
    """Read all logs behind some paths.

    What cannot be used is listed in the result with a sentence for each; the rest is read.

    Raises:
        TreecutError: nothing at all can be used, or no model has a name that is to be replaced.
    """
    left_out: list[LeftOut] = []
    sources: dict[Path, Path] = {}
    for name in paths:
        try:
            for path in find_sources(name):
                sources.setdefault(path.resolve(), path)
        except TreecutError as error:
            left_out.append(LeftOut(name, str(error)))
    batches: list[Batch] = []
    for index, path in enumerate(sources.values(), start=1):
        progress(f"reading {path.name} ({index} of {len(sources)})")

        def complain(message: object, path: Path = path) -> None:
            left_out.append(LeftOut(str(path), str(message)))

        try:
            batches += read_log(path, complain)
        except TreecutError as error:
            complain(error)
    if not batches:
        raise TreecutError("\n".join(each.message for each in left_out) or "Give paths of logs.")
    return gather(batches, left_out, names)


def gather(
    batches: Iterable[Batch],
    left_out: Sequence[LeftOut] = (),
    names: Mapping[str, str] | None = None,
) -> Evidence:
    """Join what readers gave; of copies, and of what a resumed run holds again, the newest counts."""
    ordered = sorted(batches, key=lambda batch: (batch.run.last_asked, _content(batch)))
    runs = [batch.run for batch in ordered]
    frame = pd.DataFrame(
        {"run": number, "fewshot": batch.run.fewshot, **_row(response)}
        for number, batch in enumerate(ordered)
        for response in batch.responses
    )
    frame = frame.reindex(columns=list(dict.fromkeys([*frame.columns, *_TYPES]))).astype(_TYPES)
    total = len(frame)
    frame["headline"] = frame["paper_hallucination_rate"].where(
        frame["unanswerable"], frame["accuracy"]
    )
    frame["task_id"] = [runs[run].task_id or f"run {run}" for run in frame["run"]]
    frame = frame.sort_values(["scored", "run"], kind="stable")
    frame = frame.drop_duplicates("identifier", keep="last")
    frame = frame.drop_duplicates(["task_id", "task", "sample", "epoch"], keep="last")
    frame = frame.sort_index().drop(columns=["identifier", "task_id"]).reset_index(drop=True)
    called = {name for run in runs for name in (run.model, short_name(run.model, {}))}
    for old in (name for name in names or {} if name not in called):
        there = ", ".join(sorted({one_line(run.model) for run in runs}))
        raise TreecutError(
            f"No model is called {old!r}, so it cannot be renamed: there are {there}."
        )
    kept = sorted(frame["run"].unique())
    frame["run"] = frame["run"].map({old: new for new, old in enumerate(kept)})
    runs = [runs[number] for number in kept]
    labelled, variants = label_models(runs, frame, names or {})
    frame = pd.concat([labelled, frame], axis=1)
    return Evidence(tuple(runs), frame, variants, tuple(left_out), total - len(frame))


def in_words(frame: pd.DataFrame) -> pd.Series:
    """How each response ends, one of `ENDINGS`."""
    cut_off = (frame["ending"] == "no_answer") & frame["truncated"]
    return frame["ending"].mask(cut_off, "cut_off").map(ENDINGS)


def _is_search(responses: pd.DataFrame) -> pd.Series:
    """Whether responses are of the task breaking_depth of Inspect, or that of lm-eval."""
    return responses["task"].str.endswith("breaking_depth")


def _problems(scored: pd.DataFrame) -> pd.DataFrame:
    groups = scored.groupby([*KEYS, "problem_id"], dropna=False)
    means = groups[[*RATES, "headline"]].mean()
    kept = ["pair_id", "alike", "instruction"]
    means[kept] = groups[kept].first()
    return means.reset_index()


def _row(response: Response) -> dict[str, Any]:
    """The response as a row of the table of responses; rates have the names that they have everywhere."""
    problem, judged = response.problem, response.judged
    row = {
        **{name: getattr(response, name) for name in (*_OF_RESPONSE, *_NUMBERS)},
        **{name: getattr(problem, name) for name in (*CONFIGURATION, *_OF_PROBLEM)},
        # Unanswerable problems are the same whatever their counterparts are.
        "counterpart": None if response.unanswerable else problem.counterpart,
        "problems": "generated" if problem.source is None else _file_name(problem.source),
        "system_message": problem.system_message_sent,
        "scored": judged is not None,
        "dialogue": judged is not None and judged.dialogue is not None,
        "ending": "no_verdict",
        "truncated": False,
    }
    if judged is not None:
        judgement, cause = judged.judgement, judged.cause
        row |= {
            "ending": judged.ending,
            "truncated": judged.truncated or "truncated" in judgement.reason,
            **{name: getattr(judgement, name) for name in ("value", "tier", "reason")},
            "quote": judgement.quote.text if judgement.quote else None,
            "says_unknown": judged.says_unknown,
            "noticed": judged.noticed is not None,
            "notice_quote": judged.noticed and judged.noticed.quote,
            **counts(judged),
        }
        if cause is not None:
            row |= {"cause": cause.kind, "cause_explained": cause.description}
            row |= {f"{name}_by_chance": share for name, share in cause.by_chance.items()}
    return row


def _file_name(source: str) -> str:
    """The name of a data file; a problem's source is its path and the number of its line."""
    return source.rsplit(":", 1)[0].replace("\\", "/").rsplit("/", 1)[-1]


def _content(batch: Batch) -> str:
    """What a run holds, for an order that depends on neither the clock nor random names."""
    held = sorted(
        (each.problem_id, each.epoch, str(each.judged and each.judged.judgement))
        for each in batch.responses
    )
    settings = sorted(batch.run.settings.items())
    return hashlib.sha256(repr((batch.run.model, settings, held)).encode()).hexdigest()
