"""`treecut score`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from treecut_tasks.evaluation import Rate


@click.command("score")
@click.argument("file", metavar="FILE")
@click.option(
    "-o",
    "output",
    metavar="FILE",
    help="Also write each response's judgement as JSON Lines; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rates as JSON.")
def command(file: str, output: str | None, as_json: bool) -> None:
    """Score responses that you already have, without any framework.

    FILE is JSON Lines (- is standard input), each line with the keys problem, answer (a number in
    digits, or unknown) and response; truncated (true where it was cut off) and theme may be added.
    Prints the rates of both kinds of problems with their 95 % intervals.
    """
    from treecut_tasks.evaluation import score_responses, summarise_responses
    from treecut_tasks.files import whole_file

    rows = _read(file)
    judged = score_responses(rows)
    if output is not None:
        with whole_file(output) as lines:
            for row, each in zip(rows, judged, strict=True):
                lines.write(json.dumps({"problem": row["problem"], **each.record()}) + "\n")
    rates = summarise_responses(judged)
    if as_json:
        table = {
            kind: {name: asdict(rate) for name, rate in each.items()}
            for kind, each in rates.items()
        }
        click.echo(json.dumps(table, indent=2), err=output == "-")
        return
    for kind, by_name in rates.items():
        click.echo(f"{kind} ({next(iter(by_name.values())).n} responses)", err=output == "-")
        for name, rate in by_name.items():
            click.echo(f"  {_row(name, rate)}", err=output == "-")


def _row(name: str, rate: Rate) -> str:
    interval = f"({100 * rate.ci_low:.1f} to {100 * rate.ci_high:.1f})"
    return f"{name:28}{100 * rate.value:6.1f} %  {interval}"


def _read(file: str) -> list[dict[str, Any]]:
    from treecut_tasks.errors import TreecutError

    try:
        with click.open_file(file, encoding="utf-8") as lines:
            text = lines.read()
    except OSError as error:
        raise TreecutError(
            f"{file!r} cannot be read ({error.strerror}): give the path of a JSON Lines file."
        ) from error
    except UnicodeDecodeError as error:
        raise TreecutError(f"{file!r} is not UTF-8 text: save it as UTF-8.") from error
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TreecutError(f"{file}:{number} is not JSON ({error}).") from error
        if not isinstance(row, dict):
            raise TreecutError(f"{file}:{number} is not a JSON object.")
        rows.append(row)
    if not rows:
        raise TreecutError(f"{file!r} is empty: it needs at least one response.")
    return rows
