"""What holds for every command: streams of all kinds, paths of all kinds, no output onto an input.

A command that is new is covered by being there: without a line in `WORK` the first test fails.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from tests.framework_runs import inspect_run
from treecut_tasks import cli, unanswerable
from treecut_tasks.cli.parameters import InputPath, OutputFolder, OutputPath

WORK: dict[str, list[str]] = {
    "audit": ["unanswerable.jsonl", "answerable.jsonl", "--folds", "2"],
    "explain": ["--problem-file", "problem.txt", "--value", "11"],
    "generate": ["-n", "2", "--theme", "theme.yaml", "--ans-depth", "2"],
    "lm-eval-path": [],
    "published-data": ["made"],
    "report": ["logs"],
    "run-config": [],
    "score": ["responses.jsonl"],
    "verify": ["answerable.jsonl"],
}
"""A quick call of each command that ends well, in the folder of `material`."""

TOGETHER = {
    "--figure": [".png"],
    "--report": [".md"],
    "--sheet": ["", "--review", "1"],
    "--mixture": ["", "--format", "jsonl"],
}
"""What an option needs: the ending of its file, and other options."""

PROBLEM = (
    "A burger at Mike's Place costs 6 dollars. A pie at Mike's Place and {} burgers at Mike's Place "
    "cost 48 dollars. Question: how much does a pie at Mike's Place cost?"
)
THEME = """\
name: Märkte
entities: [L'Été, 市場]
items: [{name: Éclair, plural: Éclairs}, {name: œuf, plural: œufs}, {name: ham, plural: hams}]
values: {min: 5, max: 9, step: 1}
money: {one: one złoty, many: złotych}
"""
COMMANDS: dict[str, click.Command] = {}
for name in cli.group.list_commands(click.Context(cli.group)):
    found = cli.group.get_command(click.Context(cli.group), name)
    assert found is not None
    COMMANDS[name] = found


class Done(NamedTuple):
    """How a command ended: exit status, and what it wrote."""

    code: int
    out: bytes
    err: str


Run = Callable[..., Done]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    files = {
        "problem.txt": PROBLEM.format(2),
        "theme.yaml": THEME,
        "mixture.yaml": "parts: [{ans_depth: 2}]\n",
        "answerable.jsonl": lines(
            {"problem": PROBLEM.format(n), "answer": str(48 - 6 * n)} for n in (2, 3, 4)
        ),
        "unanswerable.jsonl": lines(
            {"problem": PROBLEM.format(n)[len("A burger at Mike's Place costs 6 dollars. ") :],
             "answer": "unknown"}
            for n in (2, 3, 4)
        ),
        "responses.jsonl": lines(
            [{"problem": PROBLEM.format(2), "answer": "36", "response": "Réponse − Answer: 11"}]
        ),
    }  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    inspect_run(unanswerable(num_problems=4, ans_depth=2), "treecut/same_price", folder / "logs")
    return folder


def lines(records: Iterator[dict[str, str]] | list[dict[str, str]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def material(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(sources, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Calls `treecut` in this process; an exception that it lets through is a traceback."""

    def call(*arguments: str | Path, encoding: str = "utf-8", closed: tuple[str, ...] = ()) -> Done:
        streams = {
            name: io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
            for name in ("stdin", "stdout", "stderr")
        }
        with monkeypatch.context() as patch:
            for name, stream in streams.items():
                patch.setattr(sys, name, None if name in closed else stream)
                patch.setattr(sys, f"__{name}__", None if name in closed else stream)
            patch.setattr(sys, "argv", ["treecut", *map(str, arguments)])
            try:
                cli.main()
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
        assert isinstance(code, int)
        out, err = (streams[name].buffer.getvalue() for name in ("stdout", "stderr"))
        return Done(code, out, err.decode(encoding))

    return call


def parameters(*kinds: type[click.ParamType]) -> list[tuple[str, click.Parameter]]:  # type: ignore[type-arg,unused-ignore]
    return [
        (name, parameter)
        for name, command in COMMANDS.items()
        for parameter in command.params
        if type(parameter.type) in kinds
    ]


def with_path(name: str, parameter: click.Parameter, path: str | Path) -> list[str]:
    """The work of a command with another path in the place of a parameter."""
    option = parameter.opts[0]
    arguments = list(WORK[name])
    if isinstance(parameter, click.Argument):
        places = [p for p in COMMANDS[name].params if isinstance(p, click.Argument)]
        arguments[places.index(parameter)] = str(path)
        return [name, *arguments]
    if option in arguments:
        arguments[arguments.index(option) + 1] = str(path)
        return [name, *arguments]
    ending, *more = TOGETHER.get(option, [""])
    if "--mixture" in option:
        arguments = ["-n", "2"]
    return [name, *arguments, option, f"{path}{ending}" if path else "", *more]


def refused(done: Done, *says: str) -> None:
    """In one sentence, with the usual status, and without having done anything."""
    assert (done.code, done.out) == (2, b""), done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("Error: ")
    for text in says:
        assert text in done.err


def ids(pairs: list[tuple[str, click.Parameter]]) -> list[str]:
    return [f"{name} {parameter.opts[0]}" for name, parameter in pairs]


INPUTS = parameters(InputPath)
OUTPUTS = parameters(OutputPath)
ALL_PATHS = [*INPUTS, *OUTPUTS, *parameters(OutputFolder)]


def test_all_commands_are_here() -> None:
    assert set(WORK) == set(COMMANDS)
    assert len(OUTPUTS) >= 6


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "cp1252", "utf-8"])
@pytest.mark.parametrize("name", COMMANDS)
def test_any_encoding_of_the_terminal_will_do(
    run: Run, material: Path, name: str, encoding: str
) -> None:
    done = run(name, *WORK[name], encoding=encoding)
    assert done.code == 0, done
    assert done.out or name == "published-data"
    assert run(name, "--help", encoding=encoding).out


@pytest.mark.parametrize("closed", ["stdin", "stdout", "stderr"])
@pytest.mark.parametrize("name", COMMANDS)
def test_closed_streams(run: Run, material: Path, name: str, closed: str) -> None:
    done = run(name, *WORK[name], closed=(closed,))
    if name == "generate" and closed == "stdout":
        refused(done, "Standard output is closed")
    else:
        assert done.code == 0, done


@pytest.mark.parametrize(("name", "parameter"), ALL_PATHS, ids=ids(ALL_PATHS))
def test_an_empty_path_is_refused(
    run: Run, material: Path, name: str, parameter: click.Parameter
) -> None:
    refused(run(*with_path(name, parameter, "")), "is empty: give a path")


@pytest.mark.parametrize(("name", "parameter"), OUTPUTS, ids=ids(OUTPUTS))
@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_no_output_is_an_input(
    run: Run,
    material: Path,
    name: str,
    parameter: click.Parameter,
    link: Callable[[Path, Path], None] | None,
) -> None:
    ending = TOGETHER.get(parameter.opts[0], [""])[0]
    for source in [p for p in COMMANDS[name].params if type(p.type) is InputPath]:
        work = [name, *WORK[name]]
        if source.opts[0] in work or isinstance(source, click.Argument):
            places = [p for p in COMMANDS[name].params if isinstance(p, click.Argument)]
            at = places.index(source) + 1 if source in places else work.index(source.opts[0]) + 1
        elif source.opts[0] == "--theme":
            work += ["--theme", "theme.yaml"]
            at = len(work) - 1
        else:
            continue
        file = material / f"in{ending}"
        shutil.copy(work[at], file)
        work[at] = str(file)
        before = file.read_bytes()
        output = file
        if link is not None:
            output = material / f"out{ending}"
            link(file, output)
        option = parameter.opts[0]
        done = run(*work, option, str(output), *TOGETHER.get(option, [""])[1:])
        refused(done, "which is read")
        assert file.read_bytes() == before
        for path in {file, output}:
            path.unlink()


@pytest.mark.parametrize(("name", "parameter"), OUTPUTS, ids=ids(OUTPUTS))
def test_outputs_that_cannot_be_written(
    run: Run, material: Path, name: str, parameter: click.Parameter
) -> None:
    ending = TOGETHER.get(parameter.opts[0], [""])[0]
    Path(f"self{ending}").symlink_to(f"self{ending}")
    Path(f"folder{ending}").mkdir()
    for path, says in {
        "self": "no link to itself",
        "folder": "Is a directory",
        "none/x": "in a folder that exists",
        "problem.txt/x": "in a folder that exists",
        "x" * 260: "give a shorter name",
    }.items():
        before = sorted(material.iterdir())
        done = run(*with_path(name, parameter, path))
        assert done.code == 2, done
        assert says in done.err
        assert done.err.count("Error: ") == 1
        assert sorted(material.iterdir()) == before
    long = "x" * 240
    assert run(*with_path(name, parameter, long)).code == 0
    assert Path(f"{long}{ending}").is_file()


@pytest.mark.parametrize(("name", "parameter"), INPUTS, ids=ids(INPUTS))
def test_inputs_that_cannot_be_read(
    run: Run, material: Path, name: str, parameter: click.Parameter
) -> None:
    Path("self.yaml").symlink_to("self.yaml")
    Path("surrogate.yaml").write_text('{"problem": "\\ud800", "answer": "3"}', encoding="utf-8")
    Path("nul.yaml").write_bytes(b'{"problem": "\0", "answer": "3"}\n')
    Path("binary.yaml").write_bytes(b"\xff\xfe\x00")
    for path in [
        "none.yaml",
        "self.yaml",
        "\udcff.yaml",
        "binary.yaml",
        "surrogate.yaml",
        "nul.yaml",
    ]:
        done = run(*with_path(name, parameter, path))
        assert done.code in (1, 2), (path, done)
        assert done.err.count("Error: ") <= 1
        if done.code == 2:
            assert done.err.splitlines()[-1].startswith("Error: "), done
        if os.geteuid() and path == "none.yaml":
            Path("closed.yaml").touch(0o000)
            assert "Permission denied" in run(*with_path(name, parameter, "closed.yaml")).err


@pytest.mark.parametrize(("name", "parameter"), INPUTS, ids=ids(INPUTS))
def test_a_byte_order_mark_is_no_part_of_a_file(
    run: Run, material: Path, name: str, parameter: click.Parameter
) -> None:
    plain = with_path(name, parameter, "plain.yaml")
    used = {"--mixture": "mixture.yaml", "--theme": "theme.yaml", "--labels": "logs"}
    default = [name, *WORK[name], "logs"][min(plain.index("plain.yaml"), len(WORK[name]) + 1)]
    source = Path(used.get(parameter.opts[0], default))
    if not source.is_file():
        pytest.skip("reads a folder, or the sheet that another run wrote")
    for path, mark in {"plain.yaml": b"", "marked.yaml": b"\xef\xbb\xbf"}.items():
        Path(path).write_bytes(mark + source.read_bytes())
    first, second = (
        run(*with_path(name, parameter, path)) for path in ("plain.yaml", "marked.yaml")
    )
    assert (first.code, first.err) == (second.code, second.err.replace("marked.yaml", "plain.yaml"))
    assert first.out == second.out.replace(b"marked.yaml", b"plain.yaml")


def test_numbers_of_any_size(run: Run, material: Path) -> None:
    huge = "9" * 20
    for work in (
        ["generate", "--seed", huge, "--ans-depth", huge],
        ["generate", "-n", "3", "--format", "jsonl", "--shards", huge, "-o", "d"],
        ["audit", "unanswerable.jsonl", "answerable.jsonl", "--folds", huge],
        ["audit", "unanswerable.jsonl", "answerable.jsonl", "--seed", huge],
        ["explain", "--problem-file", "problem.txt", "--value", "9" * 5000],
    ):
        refused(run(*work))
    assert run("verify", "answerable.jsonl", "--workers", huge).code == 0
    assert run("explain", "--problem-file", "problem.txt", "--value", huge).code == 0


def test_a_folder_that_is_read_gets_no_file(run: Run, material: Path) -> None:
    made = ["generate", "-n", "9", "--format", "jsonl", "--shards", "2", "-o", "set"]
    assert run(*made, "--ans-depth", "2").code == 0
    before = {path: path.read_bytes() for path in Path("set").iterdir()}
    for file in ("set/manifest.json", "set/new.jsonl", sorted(before)[0]):
        refused(run("verify", "set", "--certificates", file), "lies in, 'set', which is read")
    assert {path: path.read_bytes() for path in Path("set").iterdir()} == before


@pytest.mark.parametrize("name", ["matplotlib", "sklearn", "z3"])
def test_a_missing_extra_is_named(
    run: Run, material: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    work = {
        "matplotlib": ["audit", *WORK["audit"], "--figure", "a.png"],
        "sklearn": ["audit", *WORK["audit"]],
        "z3": ["verify", "answerable.jsonl", "--assumptions"],
    }
    refused(run(*work[name]), name, "pip install 'treecut-tasks[")


def test_several_files_appear_all_or_none(
    run: Run, material: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = ["generate", "--pairs", "full", "-n", "2", "-o", "pairs"]
    assert run(*pairs).code == 0
    before = {path: path.read_bytes() for path in Path("pairs").iterdir()}
    replace, calls = Path.replace, []

    def fail_second(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(13, "Permission denied")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_second)
    refused(run(*pairs, "--seed", "7"), "Permission denied")
    assert {path: path.read_bytes() for path in Path("pairs").iterdir()} == before
