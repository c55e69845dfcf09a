"""`treecut generate`: from a configuration or a mixture to files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from treecut_tasks.cli.parameters import Command, InputPath, OutputPath
from treecut_tasks.errors import TreecutError

if TYPE_CHECKING:
    import pyarrow as pa

    from treecut_tasks.data_sets.folder import Write
    from treecut_tasks.data_sets.recipe import Recipe

_FOLDER_OPTIONS = ("workers", "ray", "overwrite")
# The two files of pairs.
_MEMBERS = ("unanswerable.jsonl", "answerable.jsonl")
# Problems of which repeats are counted; of more it would take too much memory.
_REPEATS_COUNTED = 1_000_000
# What `-o` ends with where the members of pairs go into one file.
_FILE_ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet")


@click.command("generate", cls=Command, context_settings={"show_default": True})
@click.option(
    "--theme",
    type=InputPath(),
    default="food",
    metavar="NAME|FILE",
    help="food, outfit, or the path of a theme file (YAML).",
)
@click.option(
    "--composite-name/--simple-name",
    default=True,
    help="Name variables 'a burger at Bistro Nice' or just 'a burger'.",
)
@click.option("--num-vars", type=int, help="Number of variables.  [default: ans-depth + 2]")
@click.option(
    "--ans-depth", default=8, help="Distance from the root to the questioned variable, 2 or more."
)
@click.option("--unanswerable/--answerable", default=True, help="Cut a necessary edge, or not.")
@click.option(
    "--cut-depth",
    type=int,
    help="Distance from the questioned variable to the cut.  [default: ans-depth // 2]",
)
@click.option(
    "--order",
    default="random",
    metavar="ORDER",
    help="Order of the sentences: forward, backward or random.",
)
@click.option(
    "--sampling",
    default="published",
    metavar="KIND",
    help="published: as the authors' data; paper: as Algorithm 1.",
)
@click.option("-n", "n", default=500, help="Number of problems, or of pairs.")
@click.option("--seed", default=42, help="Names the stream, 0 or more.")
@click.option(
    "--one-stream",
    is_flag=True,
    help="Draw all problems from one generator, as the authors did.",
)
@click.option(
    "--split",
    default="all",
    metavar="SPLIT",
    help="all; train, validation or test, which share no problem and no pair; or train_items, "
    "validation_items or test_items, which share no item name either.",
)
@click.option(
    "--pairs",
    default="none",
    metavar="KIND",
    help="full or matched: write pairs, each unanswerable problem and its counterpart of this kind.",
)
@click.option(
    "--mixture",
    type=InputPath(),
    metavar="FILE",
    help="Mix configurations as this YAML file says.",
)
@click.option(
    "--format",
    "file_format",
    default="jsonl",
    metavar="FORMAT",
    help="jsonl: JSON Lines; parquet; published: the authors' keys and bytes.",
)
@click.option(
    "--columns", metavar="COLUMNS", help="all that is known, or text (with ids).  [default: all]"
)
@click.option(
    "-o",
    "output",
    type=OutputPath(),
    default="-",
    metavar="PATH",
    help="A file, - for standard output, or the folder of --shards, --mixture with splits, or pairs.",
)
@click.option("--shards", type=int, help="Write a folder with so many files.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Number of processes that write it.  [default: 1]",
)
@click.option(
    "--ray", metavar="ADDRESS", help="Write it with a Ray cluster: its address, auto or local."
)
@click.option("--overwrite", is_flag=True, help="Replace the data set in the folder.")
@click.pass_context
def command(
    context: click.Context,
    /,
    n: int,
    seed: int,
    one_stream: bool,
    mixture: str | None,
    file_format: Any,
    columns: Any,
    output: str,
    shards: int | None,
    workers: int | None,
    ray: str | None,
    overwrite: bool,
    **parameters: Any,
) -> None:
    """Write problems as JSON Lines or Parquet: a file, or a folder of many.

    Problem i of a configuration and a seed is always the same, whatever N is, however it is written,
    and in the tasks too. With --one-stream it depends on the problems before it.

    With --pairs full|matched the members of each pair follow each other in the file that -o names,
    the unanswerable one first. Where -o names a folder, two aligned files are written, both or none,
    DIR/unanswerable.jsonl and DIR/answerable.jsonl: line i of both is one pair. A matched
    counterpart lacks a sentence that its answer does not need, so that both have equally many.

    With --shards S -o DIR, and for a --mixture with splits, the data set is a folder of files with a
    manifest; the bytes do not depend on --workers. After an interruption the same command makes what
    is missing or damaged. `treecut verify DIR` checks files and labels.
    """
    from treecut_tasks.cli.output import counting
    from treecut_tasks.data_sets.folder import write_folder
    from treecut_tasks.data_sets.mixtures import read_mixture
    from treecut_tasks.data_sets.plan import Plan
    from treecut_tasks.data_sets.rows import Rows, one_stream_tables
    from treecut_tasks.data_sets.writing import write_aligned, write_tables
    from treecut_tasks.files import made_folder, whole_file, whole_files

    if mixture is not None:
        if option := _given(context, *parameters, "one_stream"):
            raise TreecutError(f"{option} cannot be given with --mixture: write it into the file.")
        recipe = read_mixture(mixture, seed)
    else:
        recipe = _recipe(seed, **parameters)
    if columns is not None and file_format == "published":
        raise TreecutError(
            "--columns needs --format jsonl or parquet: published has the authors' keys."
        )
    num_shards = len(recipe.splits) if shards is None else shards
    plan = Plan(recipe, n, num_shards, file_format, "all" if columns is None else columns)
    in_folder = shards is not None or len(recipe.splits) > 1
    if in_folder and one_stream:
        raise TreecutError("--one-stream is one file: leave out --shards, or --one-stream.")
    if in_folder and output == "-":
        raise TreecutError("A data set of several files needs a folder: name it with -o DIR.")
    if not in_folder and (option := _given(context, *_FOLDER_OPTIONS)):
        raise TreecutError(f"{option} needs --shards S and -o DIR: it is for folders of files.")
    aligned = recipe.paired and output != "-" and not output.endswith(_FILE_ENDINGS)
    if aligned and not in_folder and plan.format == "parquet":
        raise TreecutError(f"-o is {output!r}: give the name of a file that ends in .parquet.")
    ids: set[int] = set()
    counted = plan.num_rows <= _REPEATS_COUNTED
    with counting(plan.num_rows, "Generating") as advance:
        if in_folder:
            write = _writer(workers, ray)
            written, there = write_folder(plan, output, overwrite, write, advance)
        else:
            tables = (
                one_stream_tables(plan)
                if one_stream
                else Rows(recipe, recipe.splits[0], plan.columns == "text").tables(0, n)
            )
            if aligned:
                folder = made_folder(output)
                with whole_files(*(folder / name for name in _MEMBERS)) as files:
                    write_aligned(tables, plan, [file.buffer for file in files], advance)
            else:
                if counted:
                    tables = _watched(tables, ids)
                with whole_file(output) as file:
                    write_tables(tables, plan, file.buffer, advance)
    where = "standard output" if output == "-" else output
    if in_folder:
        before = f" ({there} were there already)" if there else ""
        said = f"{written} of {written + there} files{before} to {where}"
    elif aligned:
        said = f"{n} pairs to {folder / _MEMBERS[0]} and {_MEMBERS[1]}"
    else:
        repeats = plan.num_rows - len(ids) if counted else 0
        repeated = f"; {repeats} repeat an earlier one" if repeats else ""
        said = f"{plan.num_rows} problems to {where}{repeated}"
    click.echo(f"Wrote {said}.", err=True)


def _given(context: click.Context, *names: str) -> str | None:
    """The first of these options that is on the command line."""
    for parameter in context.command.params:
        if parameter.name in names and (
            context.get_parameter_source(parameter.name) is not click.core.ParameterSource.DEFAULT
        ):
            return parameter.opts[0]
    return None


def _recipe(seed: int, pairs: Any, split: str, **parameters: Any) -> Recipe:
    from treecut_tasks.data_sets.recipe import Part, Recipe
    from treecut_tasks.problems import ProblemConfig, default_num_vars, named_split

    if parameters["num_vars"] is None:
        parameters["num_vars"] = default_num_vars(parameters["ans_depth"], pairs)
    return Recipe((Part(ProblemConfig(**parameters), pairs),), seed, (named_split(split),))


def _writer(workers: int | None, ray: str | None) -> Write:
    from treecut_tasks.data_sets.folder import write_here
    from treecut_tasks.data_sets.ray import write_with_ray

    if ray is None:
        return write_here(workers or 1)
    if workers is not None:
        raise TreecutError("--ray and --workers exclude each other: leave out one of the two.")
    return write_with_ray(ray)


def _watched(tables: Iterator[pa.Table], ids: set[int]) -> Iterator[pa.Table]:
    """The same tables; hashes of their ids are noted."""
    for table in tables:
        ids.update(map(hash, table["id"].to_pylist()))
        yield table
