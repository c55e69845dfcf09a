"""`treecut score`: responses that exist already become rates, judgements and a sheet to review."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath
from treecut_tasks.errors import TreecutError

if TYPE_CHECKING:
    from treecut_tasks.evaluation.calibration import Estimate
    from treecut_tasks.evaluation.judging import JudgedResponse
    from treecut_tasks.evaluation.rates import Rate, TaskKind
    from treecut_tasks.evaluation.recorded import RecordedResponse
    from treecut_tasks.evaluation.review import Agreement
    from treecut_tasks.scoring import Tier


@click.command("score", cls=Command)
@click.argument("files", nargs=-1, required=True, type=InputPath(), metavar="FILE…")
@click.option(
    "-o",
    "output",
    type=OutputPath(),
    metavar="FILE",
    help="Also write each line with its judgement as JSON Lines; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rates as JSON.")
@click.option(
    "--review",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write a sheet (CSV) of N responses for a person to mark, the least certain first.",
)
@click.option(
    "--sheet",
    type=OutputPath(),
    metavar="FILE",
    help="Where --review writes, review.csv if not given; - is standard output.",
)
@click.option(
    "--labels",
    type=InputPath(),
    metavar="FILE",
    help="Compare the verdicts with the marks of a sheet, and print the agreement.",
)
def command(
    files: tuple[str, ...],
    output: str | None,
    as_json: bool,
    review: int | None,
    sheet: str | None,
    labels: str | None,
) -> None:
    """Score responses that you already have, without any framework.

    FILE is JSON Lines (- is standard input), each line with the keys problem, answer (a number, or
    unknown) and response; truncated or finish_reason, theme and pair_id may be added, and other
    keys are kept. lm-eval's samples_….jsonl or results_….json and Inspect logs (.eval, .json) are read as
    they are. Prints the rates of each kind of problems, and of pairs, with their 95 % intervals. Several
    files count together, several responses of a model to a problem with their mean; treecut report
    compares models.
    """
    import random

    from treecut_tasks.evaluation import review as reviewing
    from treecut_tasks.evaluation.recorded import summarise_responses
    from treecut_tasks.files import read_text, whole_file

    found = [each for file in files for each in _responses(file)]
    responses, judged = [each.recorded for each in found], [each.judged for each in found]
    sheet = sheet or "review.csv"
    to_standard_output = "-" in (output, sheet if review else None)
    if output is not None:
        with whole_file(output) as lines:
            for response, each in zip(responses, judged, strict=True):
                row = {**response.model_dump(exclude_unset=True), **each.record()}
                lines.write(json.dumps(row) + "\n")
    if review is not None:
        # Unlike pathlib it takes a name that is too long for no file; writing says what is wrong.
        if sheet != "-" and os.path.isfile(sheet):  # noqa: PTH113
            raise TreecutError(
                f"{sheet!r} exists, perhaps with marks: name another file with --sheet, or remove it."
            )
        places = reviewing.choose(judged, review, random.Random(0))
        with whole_file(sheet) as lines:
            lines.write(reviewing.sheet(responses, judged, places))
        empty = sum(each.judgement.reason == "empty" for each in judged)
        left_out = f" ({empty} are empty and left out)" if empty else ""
        click.echo(
            f"{sheet}: {len(places)} responses to mark{left_out}; fill the column mark with "
            f"{reviewing.MARKS}. "
            f"Then: treecut score {' '.join(files)} --labels {sheet}",
            err=True,
        )
    if labels is not None:
        click.echo(_agreement(reviewing.agreement(responses, judged, read_text(labels, "sheet"))))
        return
    rates = summarise_responses(
        judged, [each.pair for each in found], [each.problem for each in found]
    )
    if as_json:
        table = {
            kind: {name: asdict(rate) for name, rate in each.items()}
            for kind, each in rates.items()
        }
        click.echo(json.dumps(table, indent=2), err=to_standard_output)
    else:
        click.echo("\n".join(_lines(rates, found)), err=to_standard_output)


class _Scored(NamedTuple):
    """A response, judged, and what counts as one.

    Attributes:
        recorded: the response.
        judged: it, judged.
        problem: the same for all responses of a model to a problem.
        cluster: the same for all of a model to a pair; files have pairs of their own.
        pair: the same for two that are a pair; None if there is none.
    """

    recorded: RecordedResponse
    judged: JudgedResponse
    problem: Hashable
    cluster: Hashable
    pair: Hashable


def _responses(file: str) -> Iterator[_Scored]:
    from treecut_tasks.files import read_text
    from treecut_tasks.logs import read_log
    from treecut_tasks.logs.recorded import recorded_responses

    if file.endswith((".eval", ".json")):

        def refuse(message: str) -> None:
            raise TreecutError(message)

        batches = read_log(Path(file), refuse, whole=True)
        named = [(run.model, each) for run, own in batches for each in own]
    else:
        named = [*recorded_responses(read_text(file, "file of responses").split("\n"), file)]
    nothing = True
    for model, each in named:
        if each.recorded is not None and each.judged is not None:
            nothing = False
            problem, pair = (model, each.recorded.problem), each.recorded.pair_id
            cluster = problem if pair is None else (file, model, pair)
            one = None if pair is None else (cluster, each.epoch)
            yield _Scored(each.recorded, each.judged, problem, cluster, one)
    if nothing:
        raise TreecutError(f"{file!r} holds no responses: all samples failed.")


def _lines(rates: Mapping[TaskKind, Mapping[str, Rate]], found: Sequence[_Scored]) -> Iterator[str]:
    """Each rate and measure with its interval and in words."""
    from treecut_tasks.evaluation.rates import CAUSE_RATES, RATES

    for kind, by_name in rates.items():
        n = next(iter(by_name.values())).n
        single = kind in ("unanswerable", "answerable")
        what = f"{kind} problem" if single else "pair" if kind == "paired" else f"{kind} pair"
        yield f"{n} {what}{'' if n == 1 else 's'}: share of responses that …, with a 95 % interval"
        meanings = {**RATES[kind], **CAUSE_RATES}
        for name, rate in by_name.items():
            if rate.value or not name.startswith("cause_"):
                yield f"  {_row(name, rate)}  {meanings[name].meaning}"
    # What a dialogue ends with is no answer to a problem as it stands.
    answered = [each for each in found if each.judged.dialogue is None]
    if answered:
        yield f"All {len(answered)} responses: means with a 95 % interval"
        for name, (value, low, high), meaning in _measures(answered):
            if not math.isnan(value):
                yield f"  {name:28}{value:8.3f}    {f'({low:.3f} to {high:.3f})':24}{meaning}"
    tiers = Counter(each.judged.judgement.tier for each in found)
    shares = ", ".join(
        f"{words} {100 * tiers[tier] / len(found):.1f} %" for tier, words in _TIERS.items()
    )
    yield f"Verdicts stand on: {shares}."


_TIERS: dict[Tier | None, str] = {
    "contract": "the line that the prompt asks for",
    "marked": "another marker",
    "stated": "a concluding sentence",
    None: "nothing (no answer)",
}
_CALIBRATION = {
    "brier": "mean squared error of stated confidences",
    "calibration_error": "distance of confidence and share of right responses",
    "auroc": "probability that a right response states more confidence than a wrong one",
    "risk_coverage_area": "mean share of wrong responses among the most confident ones",
}


def _measures(found: Sequence[_Scored]) -> Iterator[tuple[str, Estimate, str]]:
    """Name, value and meaning of each measure of responses that are no dialogues."""
    import numpy as np

    from treecut_tasks.evaluation.calibration import calibrate, stated
    from treecut_tasks.evaluation.penalties import MEASURES, estimate

    judged = [each.judged for each in found]
    clusters = [each.cluster for each in found]
    for name, value in estimate(judged, clusters, np.random.default_rng(0)).items():
        yield name, value, MEASURES[name].meaning
    rows = stated(judged, clusters)
    if rows:
        calibration = calibrate(rows, np.random.default_rng(0))
        for name, meaning in _CALIBRATION.items():
            yield name, getattr(calibration, name), f"{meaning} ({len(rows)} state one)"


def _row(name: str, rate: Rate) -> str:
    interval = f"({100 * rate.ci_low:.1f} to {100 * rate.ci_high:.1f})"
    return f"{name:28}{100 * rate.value:6.1f} %  {interval:17}"


def _agreement(found: Agreement) -> str:
    lines = [f"{_row('agreement', found.agreed).strip()} of {found.agreed.n} marked"]
    kappa = "not defined (all verdicts are alike)" if found.kappa is None else f"{found.kappa:.3f}"
    lines.append(f"Cohen's kappa of the verdicts: {kappa}")
    lines += [
        f"  line {line}: verdict {verdict}, marked {mark}"
        for line, verdict, mark in found.disagreements
    ]
    return "\n".join(lines)
