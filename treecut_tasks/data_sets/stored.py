"""From Parquet files back to problems and answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.records import REQUIRED_KEYS, is_answer


class StoredProblem(NamedTuple):
    """What must be known of a problem to prove its answer.

    Attributes:
        problem: the text.
        answer: digits or `unknown`.
        source: name of the file and number of the row, `data.parquet:12`.
    """

    problem: str
    answer: str
    source: str


def iter_problems(path: Path) -> Iterator[StoredProblem]:
    """Read one Parquet file row by row.

    Raises:
        TreecutError: a file that is missing, empty, damaged or lacks a column.
    """
    number = 0
    try:
        file = pq.ParquetFile(path)
        for key in REQUIRED_KEYS:
            if key not in file.schema_arrow.names:
                raise TreecutError(
                    f"{str(path)!r} lacks the column {key!r}: it needs {' and '.join(REQUIRED_KEYS)}."
                )
        for batch in file.iter_batches(columns=list(REQUIRED_KEYS)):
            problems, answers = (batch.column(key).to_pylist() for key in REQUIRED_KEYS)
            for problem, answer in zip(problems, answers, strict=True):
                number += 1
                source = f"{path}:{number}"
                if not isinstance(problem, str) or not is_answer(answer):
                    raise TreecutError(
                        f"{source} has the problem {problem!r:.60} and the answer {answer!r:.60}: a row "
                        "needs a text, and 'unknown' or a number in quotes."
                    )
                yield StoredProblem(problem, answer, source)
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise TreecutError(
            f"{str(path)!r} cannot be read as Parquet ({reason}): give a whole file."
        ) from error
    if not number:
        raise TreecutError(f"{str(path)!r} has no rows: it needs at least one.")
