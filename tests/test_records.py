"""Data files: the authors' and users' own, and one clear error for each thing that can be wrong."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from treecut_tasks.errors import TreecutError
from treecut_tasks.problems import (
    ProblemConfig,
    content_id,
    published_files,
    read_data_files,
    stream,
)

UNKNOWN = {
    "problem": "A pie costs 3 dollars. Question: how much does a burger cost?",
    "answer": "unknown",
}
THREE = {"problem": "A pie costs 3 dollars. Question: how much does a pie cost?", "answer": "3"}


def write(path: Path, *lines: Any) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_minimal_file(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", UNKNOWN, {**UNKNOWN, "problem": "Another one?"})
    first, second = read_data_files([path], unanswerable=True)
    assert first.problem == UNKNOWN["problem"]
    assert first.answer == "unknown"
    assert first.unanswerable
    assert first.proof is None
    assert first.config == {}
    assert first.pair_id is None
    assert (first.source, second.source) == (f"{path}:1", f"{path}:2")
    assert first.id == content_id(first.problem, "unknown") != second.id


@pytest.mark.parametrize("answer", ["3", "0", "-3", "12.5", "43/3", "1" * 40])
def test_answers_may_be_any_number(tmp_path: Path, answer: str) -> None:
    path = write(tmp_path / "own.jsonl", {**THREE, "answer": answer})
    (record,) = read_data_files([str(path)], unanswerable=False)
    assert record.answer == answer
    assert not record.unanswerable


def test_full_records_keep_their_config(tmp_path: Path) -> None:
    config = ProblemConfig("outfit", ans_depth=4, unanswerable=False)
    problems = list(islice(stream(config, 1), 3))
    path = write(tmp_path / "own.jsonl", *(problem.record() for problem in problems))
    records = read_data_files([path], unanswerable=False)
    assert [record.id for record in records] == [problem.id for problem in problems]
    assert [record.proof for record in records] == [problem.solution for problem in problems]
    assert all(record.config == config.as_dict() for record in records)


def test_published_file_tells_its_config_by_its_name(tmp_path: Path) -> None:
    name, problems = next(published_files())
    lines = [line.rstrip() for line in islice(problems.published_lines(), 4)]
    path = write(tmp_path / name, *lines)
    records = read_data_files([path], unanswerable=True)
    assert all(record.config == problems.config.as_dict() for record in records)
    elsewhere = write(tmp_path / "renamed.jsonl", lines[0])
    assert read_data_files([elsewhere], unanswerable=True)[0].config == {}


def test_the_authors_own_files_are_read_as_they_are(shared_dir: Path) -> None:
    paths = sorted((shared_dir / "reference" / "published").glob("*.jsonl"))
    cut = [path for path in paths if "hallu-True" in path.name]
    records = read_data_files(cut, unanswerable=True)
    assert len(records) == len({record.id for record in records}) == 1000
    assert sorted({record.config["ans_depth"] for record in records}) == [2, 4]
    whole = [path for path in paths if "hallu-False" in path.name]
    assert len(read_data_files(whole, unanswerable=False)) == 1000


def test_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", UNKNOWN)
    b = write(tmp_path / "b.jsonl", {**UNKNOWN, "problem": "Another one?"})
    for paths in ([a, b], [b, a]):
        found = [record.source for record in read_data_files(paths, unanswerable=True)]
        assert found == [f"{path}:1" for path in paths]


def test_blank_lines_and_windows_line_ends_and_odd_characters(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    separator = {**UNKNOWN, "problem": "One\u2028two\x85three?"}
    lines = [json.dumps(UNKNOWN), "", json.dumps(separator, ensure_ascii=False), "  "]
    path.write_bytes("\r\n".join(lines).encode())
    records = read_data_files([path], unanswerable=True)
    assert [record.source for record in records] == [f"{path}:1", f"{path}:3"]
    assert records[1].problem == separator["problem"]


@pytest.mark.parametrize(
    ("written", "read"), [(11, "11"), (11.0, "11"), (3.5, "3.5"), ("11.0", "11.0")]
)
def test_a_number_is_an_answer_as_well_as_its_text(
    written: object, read: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "own.jsonl", {**THREE, "answer": written})
    assert [record.answer for record in read_data_files([path], unanswerable=False)] == [read]


BAD_LINES = {
    "not JSON": ("{'problem': 1}", " is not JSON (key must be a string"),
    "cut off": ('{"problem": "A pie", "answ', " is not JSON"),
    "deep": ("[" * 100_000, " is not JSON"),
    "byte order mark": ("\ufeff" + json.dumps(UNKNOWN), " is not JSON"),
    "half a character": (UNKNOWN | {"problem": "\ud800"}, " is not JSON"),
    "list": (["a"], " is ['a']: it must be a mapping"),
    "null": ("null", " is None: it must be a mapping"),
    "no problem": ({"answer": "3"}, ": problem is missing"),
    "no answer": ({"problem": "A pie?"}, ": answer is missing"),
    "empty problem": (UNKNOWN | {"problem": " "}, ": problem is ' ': it must be a text"),
    "problem no text": (UNKNOWN | {"problem": 3}, ": problem is 3: it must be a text"),
    "proof no text": (UNKNOWN | {"proof": 3}, ": proof is 3: it must be a text"),
    "config no object": (UNKNOWN | {"config": "x"}, ": config is 'x': it must be a mapping"),
}
BAD_ANSWERS: list[Any] = [True, None]
BAD_ANSWERS += ["three", "Unknown", " 3", "3\n", "", "1/0", "1e999999999", "1_000", "٣", "1" * 99]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *BAD_LINES.values(),
        *(({"problem": "A pie?", "answer": bad}, ": answer is ") for bad in BAD_ANSWERS),
    ],
    ids=[*BAD_LINES, *map(repr, BAD_ANSWERS)],
)
def test_bad_line_is_refused_with_its_place(tmp_path: Path, line: Any, message: str) -> None:
    path = write(tmp_path / "own.jsonl", {**UNKNOWN, "problem": "A good one?"}, line)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable=True)
    text = str(caught.value)
    assert text.startswith(f"{path}:2{message}")
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < len(str(path)) + 300


@pytest.mark.parametrize("content", [b"", b"\n\n  \n"])
def test_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(content)
    with pytest.raises(TreecutError, match="is empty: it needs at least one line with the keys"):
        read_data_files([path], unanswerable=True)


def test_missing_file_folder_and_other_encoding_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"problem": "Caf\xe9"}')
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    for name, reason in (
        ("none.jsonl", r"none\.jsonl' cannot be read \(No such file"),
        (".", "cannot be read"),
        ("damaged.parquet", "cannot be read"),
        ("latin.jsonl", r"jsonl:1 is not JSON \(invalid unicode code point"),
    ):
        with pytest.raises(TreecutError, match=reason):
            read_data_files([tmp_path / name], unanswerable=True)


def test_parquet_is_read_like_json_lines(tmp_path: Path) -> None:
    problems = list(islice(stream(ProblemConfig(ans_depth=4), 1), 5))
    rows = [problem.record() for problem in problems]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    for found, problem in zip(
        read_data_files([tmp_path / "rows.parquet"], unanswerable=True), problems, strict=True
    ):
        assert (found.id, found.problem, found.proof) == (
            problem.id,
            problem.text,
            problem.solution,
        )
        assert found.config == problem.config.as_dict()
    bad = [{"problem": "A pie?", "answer": "3"}, {"problem": None, "answer": "3"}]
    pq.write_table(pa.Table.from_pylist(bad), tmp_path / "bad.parquet")
    with pytest.raises(TreecutError, match=r"bad\.parquet:2: problem is None"):
        read_data_files([tmp_path / "bad.parquet"], unanswerable=False)


ONLY = "but this task takes only"


@pytest.mark.parametrize(
    ("lines", "unanswerable", "message"),
    [
        ([UNKNOWN, THREE], True, f":2 has the answer '3', {ONLY} unanswerable problems: give"),
        ([THREE, UNKNOWN], False, f":2 has the answer 'unknown', {ONLY} answerable problems: give"),
        ([THREE, {**THREE, "problem": "?"}, THREE], False, ":3 repeats the problem of {path}:1"),
    ],
)
def test_lines_that_do_not_belong_there_are_refused(
    tmp_path: Path, lines: list[Any], unanswerable: bool, message: str
) -> None:
    path = write(tmp_path / "own.jsonl", *lines)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable)
    assert str(caught.value).startswith(f"{path}{message.format(path=path)}")


def test_repeat_across_files_names_both(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", THREE)
    b = write(tmp_path / "b.jsonl", {**THREE, "answer": "4"})
    for second in (b, a):
        with pytest.raises(TreecutError) as caught:
            read_data_files([a, second], unanswerable=False)
        assert f"{second}:1 repeats the problem of {a}:1" in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"problem": "A pie?", "answer": "unknown"}\n', encoding="utf-8-sig")
    assert [record.problem for record in read_data_files([path], unanswerable=True)] == ["A pie?"]
