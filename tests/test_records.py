"""Data files: the authors' and users' own, and one clear error for each thing that can be wrong."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

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
    file = next(published_files())
    lines = [line.rstrip() for line in islice(file.problems.published_lines(), 4)]
    path = write(tmp_path / file.name, *lines)
    records = read_data_files([path], unanswerable=True)
    assert all(record.config == file.config.as_dict() for record in records)
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


BAD_LINES = {
    "not JSON": ("{'problem': 1}", "is not JSON (Expecting property name"),
    "cut off": ('{"problem": "A pie", "answ', "is not JSON"),
    "deep": ("[" * 100_000, "is not JSON"),
    "byte order mark": ("\ufeff" + json.dumps(UNKNOWN), "is not JSON"),
    "list": (["a"], 'is ["a"]: each line must be a JSON object with the keys problem and answer'),
    "text": ('"abc"', "each line must be a JSON object"),
    "null": ("null", "is null: each line must be a JSON object"),
    "no problem": ({"answer": "3"}, "lacks the key 'problem'"),
    "no answer": ({"problem": "A pie?"}, "lacks the key 'answer'"),
    "empty problem": (
        {"problem": " ", "answer": "unknown"},
        'has the problem " ": it must be a text',
    ),
    "problem no text": (
        {"problem": 3, "answer": "unknown"},
        "has the problem 3: it must be a text",
    ),
    "answer no text": (
        {"problem": "A pie?", "answer": 3},
        "has the answer 3: it must be 'unknown'",
    ),
    "answer null": ({"problem": "A pie?", "answer": None}, "has the answer null"),
    "answer no number": ({"problem": "A pie?", "answer": "three"}, 'has the answer "three"'),
    "answer other case": ({"problem": "A pie?", "answer": "Unknown"}, 'has the answer "Unknown"'),
    "answer with space": ({"problem": "A pie?", "answer": " 3"}, 'has the answer " 3"'),
    "answer with line end": ({"problem": "A pie?", "answer": "3\n"}, 'has the answer "3\\n"'),
    "answer empty": ({"problem": "A pie?", "answer": ""}, 'has the answer ""'),
    "answer over zero": ({"problem": "A pie?", "answer": "1/0"}, 'has the answer "1/0"'),
    "answer astronomical": ({"problem": "A pie?", "answer": "1e999999999"}, "has the answer"),
    "answer with underscore": ({"problem": "A pie?", "answer": "1_000"}, "has the answer"),
    "answer with foreign digits": ({"problem": "A pie?", "answer": "٣"}, "has the answer"),
    "answer endless": ({"problem": "A pie?", "answer": "1" * 5000}, "has the answer"),
    "proof no text": ({**UNKNOWN, "proof": 3}, "has the proof 3: it must be a text"),
    "config no object": ({**UNKNOWN, "config": "x"}, 'has the config "x": it must be an object'),
}


@pytest.mark.parametrize(("line", "message"), BAD_LINES.values(), ids=list(BAD_LINES))
def test_bad_line_is_refused_with_its_place(tmp_path: Path, line: Any, message: str) -> None:
    path = write(tmp_path / "own.jsonl", {**UNKNOWN, "problem": "A good one?"}, line)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable=True)
    text = str(caught.value)
    assert message in text
    assert f"{path}:2 " in text
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
    with pytest.raises(TreecutError, match=r"none\.jsonl' cannot be read \(No such file"):
        read_data_files([tmp_path / "none.jsonl"], unanswerable=True)
    with pytest.raises(TreecutError, match="cannot be read"):
        read_data_files([tmp_path], unanswerable=True)
    path = tmp_path / "own.jsonl"
    path.write_bytes(b'{"problem": "Caf\xe9"}')
    with pytest.raises(
        TreecutError, match=r"jsonl:1 is not UTF-8 text \(byte 16\): save the file as"
    ):
        read_data_files([path], unanswerable=True)


def test_mixed_kinds_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", UNKNOWN, THREE)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable=True)
    assert f"{path}:2 has the answer '3', but this task takes only unanswerable problems" in str(
        caught.value
    )
    assert "to the task 'answerable'" in str(caught.value)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable=False)
    assert f"{path}:1 has the answer 'unknown', but this task takes only answerable" in str(
        caught.value
    )


def test_repeat_names_both_lines(tmp_path: Path) -> None:
    other = {**UNKNOWN, "problem": "Another one?"}
    path = write(tmp_path / "own.jsonl", UNKNOWN, other, UNKNOWN)
    with pytest.raises(TreecutError) as caught:
        read_data_files([path], unanswerable=True)
    assert str(caught.value).startswith(f"{path}:3 repeats the problem of {path}:1: remove one")


def test_repeat_across_files_names_both(tmp_path: Path) -> None:
    a = write(tmp_path / "a.jsonl", THREE)
    b = write(tmp_path / "b.jsonl", {**THREE, "answer": "4"})
    with pytest.raises(TreecutError) as caught:
        read_data_files([a, b], unanswerable=False)
    assert f"{b}:1 repeats the problem of {a}:1" in str(caught.value)
    with pytest.raises(TreecutError, match="repeats the problem of"):
        read_data_files([a, a], unanswerable=False)


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"problem": "A pie?", "answer": "unknown"}\n', encoding="utf-8-sig")
    assert [record.problem for record in read_data_files([path], unanswerable=True)] == ["A pie?"]
