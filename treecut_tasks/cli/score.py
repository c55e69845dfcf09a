"""`treecut score`: responses that exist already become rates, judgements and a sheet to review."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath

if TYPE_CHECKING:
    from treecut_tasks.evaluation.judging import JudgedResponse
    from treecut_tasks.evaluation.rates import Rate
    from treecut_tasks.evaluation.recorded import RecordedResponse
    from treecut_tasks.evaluation.review import Agreement


@click.command("score", cls=Command)
@click.argument("file", type=InputPath(), metavar="FILE")
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
    file: str,
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
    they are. Prints the rates of each kind of problems, and of pairs, with their 95 % intervals.
    """
    import random

    from treecut_tasks.errors import TreecutError
    from treecut_tasks.evaluation import review as reviewing
    from treecut_tasks.evaluation.recorded import summarise_responses
    from treecut_tasks.files import read_text, whole_file

    found = _responses(file)
    responses, judged = [each for each, _ in found], [each for _, each in found]
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
        click.echo(
            f"{sheet}: {len(places)} responses to mark; fill the column mark with {reviewing.MARKS}. "
            f"Then: treecut score {file} --labels {sheet}",
            err=True,
        )
    if labels is not None:
        click.echo(_agreement(reviewing.agreement(judged, read_text(labels, "sheet"))))
        return
    rates = summarise_responses(judged, [response.pair_id for response in responses])
    if as_json:
        table = {
            kind: {name: asdict(rate) for name, rate in each.items()}
            for kind, each in rates.items()
        }
        click.echo(json.dumps(table, indent=2), err=to_standard_output)
        return
    for kind, by_name in rates.items():
        n = next(iter(by_name.values())).n
        single = kind in ("unanswerable", "answerable")
        what = f"{kind} problems" if single else f"pairs{'' if kind == 'paired' else f' ({kind})'}"
        click.echo(f"{n} {what}", err=to_standard_output)
        for name, rate in by_name.items():
            if rate.value or not name.startswith("cause_"):
                click.echo(f"  {_row(name, rate)}", err=to_standard_output)
    _print_measures(responses, judged, to_standard_output)
    tiers = [each.judgement.tier or "none" for each in judged]
    shares = ", ".join(
        f"{name} {100 * tiers.count(name) / len(tiers):.1f} %"
        for name in ("contract", "marked", "stated", "none")
    )
    click.echo(f"decided by: {shares}", err=to_standard_output)


def _print_measures(
    responses: Sequence[RecordedResponse], judged: Sequence[JudgedResponse], err: bool
) -> None:
    import numpy as np

    from treecut_tasks.evaluation.calibration import Stated, calibrate
    from treecut_tasks.evaluation.penalties import estimate, is_right

    # What a dialogue ends with is no answer to a problem as it stands.
    answered = [(r, j) for r, j in zip(responses, judged, strict=True) if j.dialogue is None]
    if not answered:
        return
    responses, judged = zip(*answered, strict=True)
    clusters = [response.pair_id or response.problem for response in responses]
    found = estimate(judged, clusters, np.random.default_rng(0))
    click.echo(f"all {len(judged)} responses", err=err)
    stated = [
        Stated(each.confidence, is_right(each), cluster)
        for each, cluster in zip(judged, clusters, strict=True)
        if each.confidence is not None
    ]
    if stated:
        calibration = calibrate(stated, np.random.default_rng(0))
        click.echo(f"  a confidence is stated in {len(stated)} of {len(judged)}", err=err)
        for name in ("brier", "calibration_error", "auroc", "risk_coverage_area"):
            found[name] = getattr(calibration, name)
    for name, (value, low, high) in found.items():
        click.echo(f"  {name:28}{value:8.3f}    ({low:.3f} to {high:.3f})", err=err)


def _row(name: str, rate: Rate) -> str:
    interval = f"({100 * rate.ci_low:.1f} to {100 * rate.ci_high:.1f})"
    return f"{name:28}{100 * rate.value:6.1f} %  {interval}"


def _agreement(found: Agreement) -> str:
    lines = [_row("agreement", found.agreed) + f" of {found.agreed.n} marked"]
    kappa = "not defined (all verdicts are alike)" if found.kappa is None else f"{found.kappa:.3f}"
    lines.append(f"Cohen's kappa of the verdicts: {kappa}")
    lines += [
        f"  line {line}: verdict {verdict}, marked {mark}"
        for line, verdict, mark in found.disagreements
    ]
    return "\n".join(lines)


def _responses(file: str) -> list[tuple[RecordedResponse, JudgedResponse]]:
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.files import read_text
    from treecut_tasks.logs import read_log
    from treecut_tasks.logs.recorded import recorded_responses

    if file.endswith((".eval", ".json")):

        def refuse(message: str) -> None:
            raise TreecutError(message)

        responses = [each for _, own in read_log(Path(file), refuse, whole=True) for each in own]
    else:
        text = read_text(file, "file of responses")
        responses = [each for _, each in recorded_responses(text.split("\n"), file)]
    found = [(each.recorded, each.judged) for each in responses if each.recorded and each.judged]
    if not found:
        raise TreecutError(f"{file!r} holds no responses: all samples failed.")
    return found
