"""`treecut explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treecut_tasks.cli.parameters import Command, InputPath, theme_option

if TYPE_CHECKING:
    from treecut_tasks.causes import Analysis, Explanation


@click.command("explain", cls=Command)
@click.option(
    "--problem-file",
    required=True,
    type=InputPath(),
    metavar="FILE",
    help="Text file with one problem; '-' is standard input.",
)
@click.option("--value", required=True, help="The number that was given: 11, -3, 43/3 or 10.5.")
@theme_option()
def command(problem_file: str, value: str, themes: str | None) -> None:
    """Say which false step may have led to a wrong number.

    Prints what follows from the problem's text, then the false steps that lead to the value, the
    most plausible first, each with the sentences it concerns and with how many of the prices that a
    guess could be it would have explained as well.
    """
    from treecut_tasks.causes import analyse
    from treecut_tasks.files import read_text
    from treecut_tasks.themes import load_theme

    problem = read_text(problem_file, "problem file")
    vocabularies = None if themes is None else [load_theme(themes)]
    analysis = analyse(problem, vocabularies)
    for part in _report(analysis, value, analysis.explanations(value)):
        click.echo(part)


def _report(analysis: Analysis, value: str, explanations: list[Explanation]) -> list[str]:
    """Lay out what is known about a number; nothing but names of the theme and numbers is shown."""
    read = analysis.system.read
    theme = read.theme
    lines = [f"Asked for: the price of {read.asked}.", _what_follows(analysis), ""]
    given = f"{value.strip()} {theme.money_many}"
    if analysis.is_right(value):
        return [*lines, f"{given} is the right answer; there is nothing to explain."]
    if not explanations:
        return [*lines, f"No single false step that is tried leads to {given}."]
    count = len(explanations)
    lines.append(f"{count} false step{'s lead' if count > 1 else ' leads'} to {given}:")
    for number, explanation in enumerate(explanations, start=1):
        lines += ["", f"{number}. {explanation.kind}: {explanation.description}"]
        lines += [
            f"   {sentence.number}. “{sentence.text}”"
            for sentence in read.sentences
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


def _what_follows(analysis: Analysis) -> str:
    from treecut_tasks.reading import Determined, Inconsistent

    read, solution = analysis.system.read, analysis.system.solution
    if isinstance(solution, Determined):
        return f"The text determines it: {read.theme.money(solution.value)}."
    if isinstance(solution, Inconsistent):
        pairs = zip(read.sentences, solution.combination, strict=True)
        used = ", ".join(str(sentence.number) for sentence, times in pairs if times)
        return f"The text contradicts itself (sentences {used})."
    first, second = solution.first[read.asked], solution.second[read.asked]
    return f"The text leaves it open: {first} or {second} {read.theme.money_many}, for example."
