"""`treecut explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from treecut_tasks.causes import Analysis, Explanation


@click.command("explain")
@click.option(
    "--problem-file",
    required=True,
    metavar="FILE",
    help="Text file with one problem, or JSON Lines file with --line; '-' is standard input.",
)
@click.option("--line", type=int, help="Take the problem of this line, from 1, of JSON Lines.")
@click.option("--value", required=True, help="The number that was given: 11, -3, 43/3 or 10.5.")
@click.option(
    "--theme",
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML).  [default: food or outfit]",
)
def command(problem_file: str, line: int | None, value: str, theme: str | None) -> None:
    """Say which false step may have led to a wrong number.

    Prints what follows from the problem's text, then the false steps that lead to the value, the
    most plausible first, each with the sentences it concerns and with how many of the prices that a
    guess could be it would have explained as well.
    """
    from treecut_tasks.causes import analyse, explain
    from treecut_tasks.themes import load_theme

    problem = _problem(problem_file, line)
    themes = None if theme is None else [load_theme(theme)]
    analysis = analyse(problem, themes)
    right = analysis.is_right(value)
    explanations = explain(problem, value, themes)
    for part in _report(analysis, value, right, explanations):
        click.echo(part)


def _problem(name: str, line: int | None) -> str:
    """Read the problem's text out of a file."""
    import json

    from treecut_tasks.errors import TreecutError

    content = _content(name)
    if line is None:
        if content.lstrip().startswith("{"):
            raise TreecutError(
                f"{name!r} holds JSON Lines: say with --line which line's problem is meant."
            )
        return content
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 1 <= line <= len(lines):
        raise TreecutError(f"{name!r} has no line {line}: give --line from 1 to {len(lines)}.")
    try:
        record = json.loads(lines[line - 1])
    except (ValueError, RecursionError) as error:
        raise TreecutError(
            f"Line {line} of {name!r} is not JSON: give a JSON Lines file, or leave --line out for "
            "a text file."
        ) from error
    if not isinstance(record, dict) or not isinstance(record.get("problem"), str):
        raise TreecutError(
            f"Line {line} of {name!r} has no problem: it must be a JSON object whose 'problem' is a "
            "text."
        )
    text: str = record["problem"]
    return text


def _content(name: str) -> str:
    import sys
    from pathlib import Path

    from treecut_tasks.errors import TreecutError

    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise TreecutError(
            f"Problem file {name!r} cannot be read ({error.strerror}): give the path of a text file "
            "or of a JSON Lines file."
        ) from error
    except UnicodeDecodeError as error:
        raise TreecutError(
            f"Problem file {name!r} is not UTF-8 text (byte {error.start}): save it as UTF-8."
        ) from error


def _report(
    analysis: Analysis, value: str, right: bool, explanations: list[Explanation]
) -> list[str]:
    """Lay out what is known about a number; nothing but names of the theme and numbers is shown."""
    theme = analysis.system.read.theme
    lines = [f"Asked for: the price of {analysis.system.read.asked}.", _verdict(analysis), ""]
    given = f"{value.strip()} {theme.money_many}"
    if right:
        return [*lines, f"{given} is the right answer; there is nothing to explain."]
    if not explanations:
        return [*lines, f"No single false step that is tried leads to {given}."]
    count = len(explanations)
    lines.append(f"{count} false step{'s lead' if count > 1 else ' leads'} to {given}:")
    for number, explanation in enumerate(explanations, start=1):
        lines += ["", f"{number}. {explanation.kind}: {explanation.description}"]
        lines += [
            f"   {sentence.number}. “{sentence.text}”"
            for sentence in analysis.system.read.sentences
            if sentence.number in {*explanation.sentences, *explanation.derivation}
        ]
        lines.append(
            f"   By chance: steps of this kind, as simple as this one, lead to {explanation.chance} "
            f"of {explanation.candidates} prices."
        )
    any_kind = round(analysis.expected() * len(analysis.candidates))
    lines.append("")
    lines.append(
        f"Of the {len(analysis.candidates)} prices from {theme.value_min} to {theme.value_max} "
        f"{theme.money_many} that a blind guess could be, {any_kind} have an explanation."
    )
    return lines


def _verdict(analysis: Analysis) -> str:
    from treecut_tasks.reading import Determined, Inconsistent

    read, verdict = analysis.system.read, analysis.verdict
    if isinstance(verdict, Determined):
        return f"The text determines it: {verdict.value} {read.theme.money_many}."
    if isinstance(verdict, Inconsistent):
        used = [
            str(sentence.number)
            for sentence, times in zip(read.sentences, verdict.combination, strict=True)
            if times
        ]
        return f"The text contradicts itself (sentences {', '.join(used)})."
    first, second = verdict.first[read.asked], verdict.second[read.asked]
    return f"The text leaves it open: {first} or {second} {read.theme.money_many}, for example."
