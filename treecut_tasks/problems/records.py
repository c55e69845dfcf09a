"""From data files to records: JSON Lines with the keys of the authors' files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems.members import content_id
from treecut_tasks.problems.texts import UNKNOWN

REQUIRED_KEYS = ("problem", "answer")
"""Keys that every line of a data file must have."""

# The authors' file names say the configuration; our own full records carry it themselves.
_PUBLISHED_NAME = re.compile(
    r"qa_theme-(?P<theme>\w{1,60})_compositeName_(?P<composite_name>True|False)"
    r"_numVars-(?P<num_vars>\d{1,3})_ansDepth-(?P<ans_depth>\d{1,3})_order-(?P<order>[a-z]{1,20})"
    r"_hallu-(?P<unanswerable>True|False)(?:_cutDepth-(?P<cut_depth>\d{1,3}))?_"
)
_ANSWER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40}|/[0-9]{0,39}[1-9][0-9]{0,39})?")


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
    """Read one data file line by line, as it is: repeats and both kinds of problems are allowed.

    Raises:
        TreecutError: a file that is missing, empty, not JSON Lines or lacks a key; the message names
            file and line.
    """
    path, number = Path(path), 0
    empty = True
    try:
        # Lines end at newlines only, as in binary files: JSON text may hold other characters that
        # end lines of text.
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                # Some editors put a byte order mark in front of the first line.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    empty = False
                    yield _parse_line(text, path, number)
    except OSError as error:
        raise TreecutError(
            f"Data file {str(path)!r} cannot be read ({error.strerror}): give the path of a JSON "
            "Lines file."
        ) from error
    except UnicodeDecodeError as error:
        raise TreecutError(
            f"{path}:{number} is not UTF-8 text (byte {error.start}): save the file as UTF-8."
        ) from error
    if empty:
        raise TreecutError(
            f"Data file {str(path)!r} is empty: it needs at least one line with the keys "
            f"{' and '.join(REQUIRED_KEYS)}."
        )


def _parse_line(line: str, path: Path, number: int) -> Record:
    source = f"{path}:{number}"
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TreecutError(
            f"{source} is not JSON ({error}): each line must be one JSON object."
        ) from error
    if not isinstance(data, dict):
        raise TreecutError(
            f"{source} is {_shown(data)}: each line must be a JSON object with the keys "
            f"{' and '.join(REQUIRED_KEYS)}."
        )
    for key in REQUIRED_KEYS:
        if key not in data:
            raise TreecutError(
                f"{source} lacks the key {key!r}: each line needs the keys "
                f"{' and '.join(REQUIRED_KEYS)}."
            )
    problem, answer, proof = data["problem"], data["answer"], data.get("proof")
    if not isinstance(problem, str) or not problem.strip():
        raise TreecutError(f"{source} has the problem {_shown(problem)}: it must be a text.")
    if any("\ud800" <= character <= "\udfff" for character in problem):
        raise TreecutError(
            f"{source} has the problem {_shown(problem)}: half of a character (\\ud800 to \\udfff) "
            "stands in it; mend the text."
        )
    if not is_answer(answer):
        raise TreecutError(
            f"{source} has the answer {_shown(answer)}: it must be 'unknown', or a number in quotes "
            "such as '11'."
        )
    if proof is not None and not isinstance(proof, str):
        raise TreecutError(f"{source} has the proof {_shown(proof)}: it must be a text.")
    pair_id = data.get("pair_id")
    return Record(
        id=content_id(problem, answer),
        problem=problem,
        answer=answer,
        proof=proof,
        config=_config(data, path, source),
        pair_id=None if pair_id is None else str(pair_id),
        source=source,
    )


def is_answer(answer: object) -> bool:
    """Whether a value is an answer as data files write it: `unknown`, or a number in digits."""
    if not isinstance(answer, str):
        return False
    return answer == UNKNOWN or _ANSWER.fullmatch(answer) is not None


def _config(data: dict[str, Any], path: Path, source: str) -> dict[str, Any]:
    config = data.get("config")
    if config is not None:
        if not isinstance(config, dict):
            raise TreecutError(f"{source} has the config {_shown(config)}: it must be an object.")
        return config
    match = _PUBLISHED_NAME.match(path.name)
    if match is None:
        return {}
    found = match.groupdict()
    cut_depth = found["cut_depth"]
    return {
        "theme": found["theme"],
        "composite_name": found["composite_name"] == "True",
        "num_vars": int(found["num_vars"]),
        "ans_depth": int(found["ans_depth"]),
        "order": found["order"],
        "unanswerable": found["unanswerable"] == "True",
        "cut_depth": None if cut_depth is None else int(cut_depth),
        "sampling": "published",
    }


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
