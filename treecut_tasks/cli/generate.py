"""`treecut generate`."""

from __future__ import annotations

import click


@click.command("generate")
@click.option(
    "--theme",
    default="food",
    show_default=True,
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML).",
)
@click.option(
    "--composite-name/--simple-name",
    default=True,
    show_default=True,
    help="Name variables 'a burger at Bistro Nice' or just 'a burger'.",
)
@click.option("--num-vars", type=int, help="Number of variables.  [default: ans-depth + 2]")
@click.option(
    "--ans-depth",
    type=int,
    default=8,
    show_default=True,
    help="Distance from the root to the questioned variable, 2 or more.",
)
@click.option(
    "--unanswerable/--answerable",
    default=True,
    show_default=True,
    help="Cut a necessary edge, or not.",
)
@click.option(
    "--cut-depth",
    type=int,
    help="Distance from the questioned variable to the cut.  [default: ans-depth // 2]",
)
@click.option(
    "--order",
    default="random",
    show_default=True,
    metavar="ORDER",
    help="Order of the sentences: forward, backward or random.",
)
@click.option(
    "--sampling",
    default="published",
    show_default=True,
    metavar="KIND",
    help="published: as the authors' data; paper: as Algorithm 1.",
)
@click.option("-n", "n", type=int, default=500, show_default=True, help="Number of problems.")
@click.option(
    "--seed", type=int, default=42, show_default=True, help="Names the stream, 0 or more."
)
@click.option(
    "--one-stream",
    is_flag=True,
    help="Draw all problems from one generator, as the authors did.",
)
@click.option(
    "--format",
    "record_format",
    default="full",
    show_default=True,
    metavar="FORMAT",
    help="full: all that is known of a problem; published: the authors' keys and bytes.",
)
@click.option(
    "-o", "output", default="-", show_default=True, metavar="FILE", help="- is standard output."
)
def command(
    theme: str,
    composite_name: bool,
    num_vars: int | None,
    ans_depth: int,
    unanswerable: bool,
    cut_depth: int | None,
    order: str,
    sampling: str,
    n: int,
    seed: int,
    one_stream: bool,
    record_format: str,
    output: str,
) -> None:
    """Write problems as JSON Lines.

    Problem i of a configuration and a seed is always the same, whatever N is. With --one-stream it
    depends on the problems before it. A problem that repeats an earlier one is kept; the number of
    repeats is told on standard error.
    """
    import json
    from itertools import islice

    from treecut_tasks.cli.output import whole_file, with_progress
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.problems import ProblemConfig, check_count, stream

    if record_format not in ("full", "published"):
        raise TreecutError(f"format is {record_format!r}: it must be full or published.")
    config = ProblemConfig(
        theme=theme,
        composite_name=composite_name,
        num_vars=num_vars,
        ans_depth=ans_depth,
        order=order,  # type: ignore[arg-type]  # checked by ProblemConfig
        unanswerable=unanswerable,
        cut_depth=cut_depth,
        sampling=sampling,  # type: ignore[arg-type]  # checked by ProblemConfig
    )
    check_count(config, n)
    problems = islice(stream(config, seed, one_stream=one_stream), n)
    full = record_format == "full"
    # Hashes of the texts, not the texts: a run of millions must not fill the memory.
    seen: set[int] = set()
    with whole_file(output) as file:
        for problem in with_progress(problems, n, "Generating"):
            record = problem.record() if full else problem.published_record()
            file.write(json.dumps(record) + "\n")
            seen.add(hash(record["problem"]))
    repeats = n - len(seen)
    if repeats:
        click.echo(f"{repeats} of the {n} problems repeat an earlier one.", err=True)
