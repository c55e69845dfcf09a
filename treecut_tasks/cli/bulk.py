"""The data sets of `treecut generate`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treecut_tasks.errors import TreecutError

if TYPE_CHECKING:
    from treecut_tasks.bulk.plan import Plan
    from treecut_tasks.bulk.recipe import Recipe
    from treecut_tasks.problems import CounterpartKind, ProblemConfig

# Fewer problems are written before a bar could be read.
_WORTH_A_BAR = 200_000


@dataclass(frozen=True)
class Output:
    """Where and how a data set is written; see the options of `treecut generate`."""

    format: str
    columns: str | None
    path: str
    shards: int | None
    shard: int | None
    workers: int | None
    ray: str | None
    overwrite: bool


def write_problems(
    config: ProblemConfig, kind: CounterpartKind | None, seed: int, n: int, output: Output
) -> None:
    """Write a data set of one configuration."""
    _require_libraries()
    from treecut_tasks.bulk.recipe import Part, Recipe

    _write(Recipe((Part(config, kind or "none"),), seed), n, output)


def write_mixture(path: str, seed: int, n: int, output: Output) -> None:
    """Write a data set as a mixture file says."""
    _require_libraries()
    from treecut_tasks.bulk.mixtures import read_mixture

    _write(read_mixture(path, seed), n, output)


def _require_libraries() -> None:
    for name in ("numpy", "pyarrow"):
        if find_spec(name) is None:
            raise TreecutError(
                f"The formats jsonl and parquet need {name}: pip install 'treecut-tasks[bulk]'."
            )


def _write(recipe: Recipe, n: int, output: Output) -> None:
    from treecut_tasks.bulk.plan import Plan

    workers = 1 if output.workers is None else output.workers
    if workers < 1:
        raise TreecutError(f"workers is {workers}: it must be 1 or more.")
    if output.shards is None and len(recipe.splits) == 1:
        for option, value in (
            ("--shard", output.shard),
            ("--workers", output.workers),
            ("--ray", output.ray),
            ("--overwrite", output.overwrite or None),
        ):
            if value is not None:
                raise TreecutError(
                    f"{option} needs --shards S and -o DIR: it is for folders of files."
                )
        plan = Plan(recipe, n, 1, output.format, output.columns or "all")  # type: ignore[arg-type]  # checked by Plan
        _write_file(plan, output.path)
        return
    shards = len(recipe.splits) if output.shards is None else output.shards
    plan = Plan(recipe, n, shards, output.format, output.columns or "all")  # type: ignore[arg-type]  # checked by Plan
    if output.path == "-":
        raise TreecutError("A data set of several files needs a folder: name it with -o DIR.")
    if output.shard is not None and not 0 <= output.shard < shards:
        raise TreecutError(f"shard is {output.shard}: it must be from 0 to {shards - 1}.")
    if output.shard is not None and output.overwrite:
        raise TreecutError(
            "--overwrite would remove the other shards: leave out --shard or --overwrite."
        )
    if output.ray is not None and output.workers is not None:
        raise TreecutError("--ray and --workers exclude each other: leave out one of the two.")
    _write_folder(plan, output, workers)


def _write_file(plan: Plan, path: str) -> None:
    """Write a data set of one file."""
    from treecut_tasks.bulk.rows import Rows
    from treecut_tasks.bulk.shards import write_rows, write_shard
    from treecut_tasks.files import check_stdout

    (shard,) = plan.shards
    with _progress(plan.num_entries) as advance:
        if path != "-":
            write_shard(plan, shard, Path(path), advance)
            return
        check_stdout()
        rows = Rows(plan.recipe, shard.split, plan.columns == "text")
        write_rows(plan, rows, shard, sys.stdout.buffer, advance)
        sys.stdout.buffer.flush()


def _write_folder(plan: Plan, output: Output, workers: int) -> None:
    from treecut_tasks.bulk.folder import Folder
    from treecut_tasks.bulk.rows import check_drawable

    check_drawable(plan.recipe)
    if output.ray is not None:
        from treecut_tasks.bulk.cluster import import_ray

        import_ray(output.ray)
    folder = Folder.open(output.path, plan, output.overwrite)
    missing = folder.missing()
    chosen = [shard for shard in missing if output.shard in (None, shard.number)]
    there = len(plan.shards) - len(missing)
    if there and output.shard is None:
        click.echo(f"{there} of {len(plan.shards)} files are there already.", err=True)
    with _progress(sum(shard.stop - shard.start for shard in chosen)) as advance:
        if output.ray is not None:
            from treecut_tasks.bulk.cluster import write_missing_with_ray

            written = write_missing_with_ray(folder, chosen, output.ray, advance)
        else:
            from treecut_tasks.bulk.local import write_missing

            written = write_missing(folder, chosen, workers, advance)
    finished = folder.finish(written)
    if not finished:
        left = len(folder.missing())
        click.echo(f"{left} of {len(plan.shards)} files are still missing.", err=True)


@contextmanager
def _progress(length: int) -> Iterator[Callable[[int], None]]:
    """A function to call after some entries: on a terminal, long work shows rate and remaining time."""
    if length < _WORTH_A_BAR or not sys.stderr.isatty():
        yield lambda _: None
        return
    from tqdm import tqdm

    with tqdm(total=length, unit="", unit_scale=True, desc="Generating", file=sys.stderr) as bar:
        yield lambda entries: bar.update(entries) and None
