"""`treecut generate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath, ThemePath

if TYPE_CHECKING:
    from treecut_tasks.problems import Pair, Problem

_ONE_BY_ONE = ("full", "published")
_BULK = ("jsonl", "parquet")
_BULK_OPTIONS = (
    "--mixture",
    "--columns",
    "--shards",
    "--shard",
    "--workers",
    "--ray",
    "--overwrite",
)
_CONFIG_OPTIONS = (
    "--theme",
    "--composite-name",
    "--num-vars",
    "--ans-depth",
    "--unanswerable",
    "--cut-depth",
    "--order",
    "--sampling",
    "--pairs",
)


@click.command("generate", cls=Command)
@click.option(
    "--theme",
    type=ThemePath(),
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
@click.option(
    "-n", "n", type=int, default=500, show_default=True, help="Number of problems, or of pairs."
)
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
    help="full: all that is known of a problem; published: the authors' keys and bytes; "
    "jsonl, parquet: data sets of any size, see below.",
)
@click.option(
    "--pairs",
    metavar="KIND",
    help="Write pairs: each unanswerable problem and its counterpart, full or matched.",
)
@click.option(
    "-o",
    "output",
    type=OutputPath(),
    default="-",
    show_default=True,
    metavar="FILE",
    help="- is standard output; a folder for --pairs, --shards and --mixture.",
)
@click.option(
    "--mixture",
    type=InputPath(),
    metavar="FILE",
    help="Mix configurations as this YAML file says.",
)
@click.option("--columns", metavar="COLUMNS", help="all or text.  [default: all]")
@click.option("--shards", type=int, help="Write a folder with so many files.")
@click.option("--shard", type=int, help="Write only this file of it, from 0.")
@click.option("--workers", type=int, help="Number of processes.  [default: 1]")
@click.option(
    "--ray", metavar="ADDRESS", help="Write with a Ray cluster: its address, auto or local."
)
@click.option("--overwrite", is_flag=True, help="Replace the data set in the folder.")
@click.pass_context
def command(
    context: click.Context,
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
    pairs: str | None,
    output: str,
    mixture: str | None,
    columns: str | None,
    shards: int | None,
    shard: int | None,
    workers: int | None,
    ray: str | None,
    overwrite: bool,
) -> None:
    """Write problems as JSON Lines, or data sets of any size.

    Problem i of a configuration and a seed is always the same, whatever N is. With --one-stream it
    depends on the problems before it. A problem that repeats an earlier one is kept; the number of
    repeats is told on standard error.

    With --pairs full|matched -o DIR two aligned files are written, DIR/unanswerable.jsonl and
    DIR/answerable.jsonl: line i of both is one pair, the same problem with and without the cut.
    A matched counterpart lacks a sentence that its answer does not need, so that both have
    equally many.

    The formats jsonl and parquet are for data by the million: another stream, drawn many problems
    at a time and as reproducible as the others; the rows of a pair follow each other. With
    --shards S -o DIR the data set is a folder of S files, --workers N writes several at once, and
    the bytes do not depend on it. After an interruption the same command makes what is missing; a
    finished folder has a manifest, which `treecut verify DIR` checks. -n counts problems or pairs.
    """
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.problems import (
        ProblemConfig,
        check_count,
        check_counterpart,
        default_num_vars,
        pairs_stream,
        stream,
    )

    if record_format not in (*_ONE_BY_ONE, *_BULK):
        raise TreecutError(
            f"format is {record_format!r}: it must be {', '.join(_ONE_BY_ONE)}, {' or '.join(_BULK)}."
        )
    in_bulk = record_format in _BULK
    _check_together(context, in_bulk, mixture is not None)
    kind = None if pairs is None else check_counterpart(pairs)
    if kind is not None and num_vars is None:
        num_vars = default_num_vars(ans_depth, kind)
    if in_bulk:
        from treecut_tasks.cli.bulk import Output

        target = Output(record_format, columns, output, shards, shard, workers, ray, overwrite)
    if mixture is not None:
        from treecut_tasks.cli.bulk import write_mixture

        write_mixture(mixture, seed, n, target)
        return
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
    if in_bulk:
        from treecut_tasks.cli.bulk import write_problems

        write_problems(config, kind, seed, n, target)
        return
    full = record_format == "full"
    if kind is None:
        _write_problems(stream(config, seed, one_stream), n, full, output)
    else:
        _write_pairs(pairs_stream(config, seed, kind, one_stream), n, full, output)


def _check_together(context: click.Context, in_bulk: bool, mixed: bool) -> None:
    """Check that no option was given that would be ignored."""
    from treecut_tasks.errors import TreecutError

    given = {
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name is not None
        and context.get_parameter_source(parameter.name) is not click.core.ParameterSource.DEFAULT
    }
    if not in_bulk:
        for option in _BULK_OPTIONS:
            if option in given:
                raise TreecutError(f"{option} needs --format jsonl or --format parquet.")
    elif "--one-stream" in given:
        raise TreecutError(
            "--one-stream needs --format full or --format published: the formats jsonl and parquet have a "
            "stream of their own."
        )
    if mixed:
        for option in _CONFIG_OPTIONS:
            if option in given:
                raise TreecutError(
                    f"{option} cannot be given with --mixture: write it into the parts of the file."
                )


def _write_problems(problems: Iterator[Problem], n: int, full: bool, output: str) -> None:
    from treecut_tasks.cli.output import with_progress
    from treecut_tasks.files import whole_file

    # Hashes of the texts, not the texts: a run of millions must not fill the memory.
    seen: set[int] = set()
    with whole_file(output) as file:
        for problem in with_progress(islice(problems, n), n, "Generating"):
            record = problem.record() if full else problem.published_record()
            file.write(json.dumps(record) + "\n")
            seen.add(hash(record["problem"]))
    _tell_repeats(n - len(seen), n, "problems")


def _write_pairs(pairs: Iterator[Pair], n: int, full: bool, output: str) -> None:
    from treecut_tasks.cli.output import with_progress
    from treecut_tasks.errors import TreecutError
    from treecut_tasks.files import made_folder, whole_files

    if output == "-":
        raise TreecutError("--pairs writes two files: name a folder for them with -o DIR.")
    folder = made_folder(output)
    seen: set[int] = set()
    paths = (folder / "unanswerable.jsonl", folder / "answerable.jsonl")
    with whole_files(*paths) as files:
        for pair in with_progress(islice(pairs, n), n, "Generating"):
            members = (pair.unanswerable, pair.answerable)
            records = pair.records() if full else [member.published_record() for member in members]
            for file, record in zip(files, records, strict=True):
                file.write(json.dumps(record) + "\n")
            seen.add(hash((pair.unanswerable.text, pair.answerable.text)))
    _tell_repeats(n - len(seen), n, "pairs")


def _tell_repeats(repeats: int, n: int, what: str) -> None:
    if repeats:
        click.echo(f"{repeats} of the {n} {what} repeat an earlier one.", err=True)
