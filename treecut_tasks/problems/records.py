"""From data files to records: JSON Lines or Parquet with the keys of the authors' files."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from treecut_tasks.answers import UNKNOWN, answer_text
from treecut_tasks.errors import TreecutError, validated
from treecut_tasks.problems.members import content_id

# The authors' file names say the configuration; our own full records carry it themselves.
_PUBLISHED_NAME = re.compile(
    r"qa_theme-(?P<theme>\w{1,60})_compositeName_(?P<composite_name>True|False)"
    r"_numVars-(?P<num_vars>\d{1,3})_ansDepth-(?P<ans_depth>\d{1,3})_order-(?P<order>[a-z]{1,20})"
    r"_hallu-(?P<unanswerable>True|False)(?:_cutDepth-(?P<cut_depth>\d{1,3}))?_"
)


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("must be a text")
    return text


class _Line(BaseModel):
    """What is read of a line or a row; other keys are left alone."""

    model_config = ConfigDict(strict=True)

    problem: Annotated[str, AfterValidator(_text)]
    answer: Annotated[str, BeforeValidator(answer_text)]
    proof: str | None = None
    config: dict[str, Any] | None = None
    pair_id: str | int | None = None


@dataclass(frozen=True)
class Record:
    """One line of a data file.

    Attributes:
        id: identifier made from the content.
        problem: the problem's text.
        answer: digits, or `unknown`.
        proof: the worked solution; None if the file has none.
        config: parameters as far as the file tells them (its own `config`, or its name).
        pair_id: what joins the two members of a pair, if the file says.
        source: name of the file and number of the line, `data.jsonl:12`.
    """

    id: str
    problem: str
    answer: str
    proof: str | None
    config: dict[str, Any]
    pair_id: str | None
    source: str

    @property
    def unanswerable(self) -> bool:
        """Whether the stated answer is `unknown`."""
        return self.answer == UNKNOWN


def read_data_files(paths: Sequence[str | Path], unanswerable: bool) -> list[Record]:
    """Read data files for a task, as they are and in their order.

    Args:
        paths: JSON Lines files, one or more.
        unanswerable: which kind of problems the task takes.

    Raises:
        TreecutError: a file that is missing, empty, not JSON Lines, lacks a key, repeats a problem
            or holds problems of the other kind; the message names file and line.
    """
    records: list[Record] = []
    by_text: dict[str, Record] = {}
    for path in paths:
        for record in iter_data_file(path):
            if record.unanswerable != unanswerable:
                task = "answerable" if unanswerable else "unanswerable"
                raise TreecutError(
                    f"{record.source} has the answer {record.answer!r}, but this task takes only "
                    f"{'unanswerable' if unanswerable else 'answerable'} problems: give such lines "
                    f"to the task {task!r}, in a file of their own."
                )
            earlier = by_text.setdefault(record.problem, record)
            if earlier is not record:
                raise TreecutError(
                    f"{record.source} repeats the problem of {earlier.source}: remove one of the "
                    "two lines."
                )
            records.append(record)
    return records


def iter_data_file(path: str | Path) -> Iterator[Record]:
    """Read one data file row by row, as it is: repeats and both kinds of problems are allowed.

    Raises:
        TreecutError: a file that is missing, empty, neither JSON Lines nor Parquet (by its ending),
            or lacks a key; the message names file and line.
    """
    path, source = Path(path), ""
    config = _config_of_name(path.name)
    try:
        for number, data in _rows(path) if path.suffix == ".parquet" else _lines(path):
            source = f"{path}:{number}"
            line = validated(_Line, data, source)
            yield Record(
                id=content_id(line.problem, line.answer),
                problem=line.problem,
                answer=line.answer,
                proof=line.proof,
                config=config if line.config is None else line.config,
                pair_id=None if line.pair_id is None else str(line.pair_id),
                source=source,
            )
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise TreecutError(
            f"Data file {str(path)!r} cannot be read ({reason}): give the path of a JSON Lines or "
            "Parquet file."
        ) from error
    if not source:
        raise TreecutError(
            f"Data file {str(path)!r} is empty: it needs at least one line with the keys problem and "
            "answer."
        )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    # Lines end at newlines only: JSON text may hold other characters that end lines of text.
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            # Some editors put a byte order mark in front of the first line.
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                yield number, text


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    file, number = pq.ParquetFile(path), 0
    keys = [key for key in _Line.model_fields if key in file.schema_arrow.names]
    for batch in file.iter_batches(columns=keys):
        for row in batch.to_pylist():
            number += 1
            yield number, row


def _config_of_name(name: str) -> dict[str, Any]:
    match = _PUBLISHED_NAME.match(name)
    if match is None:
        return {}
    # Words, numbers and truth values, each in Python's writing.
    found = {key: _value(text) for key, text in match.groupdict().items()}
    return {**found, "sampling": "published"}


def _value(text: str | None) -> str | int | bool | None:
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text is not None and text.isdecimal() else text
