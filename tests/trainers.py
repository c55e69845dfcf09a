"""A model that trainers can take a step with in a second, and their settings for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

TO_INSTALL = "pip install 'treecut-tasks[trainers]'"


def tiny_model(said: Sequence[str] = ()) -> tuple[Any, Any]:
    """A random language model of some hundred thousand weights, and its tokeniser.

    Args:
        said: texts that are single tokens; all others are read byte by byte.
    """
    torch = pytest.importorskip("torch", reason=f"needs {TO_INSTALL}")
    transformers = pytest.importorskip("transformers", reason=f"needs {TO_INSTALL}")
    tokenizers = pytest.importorskip("tokenizers", reason=f"needs {TO_INSTALL}")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate(["<pad>", "<eos>", *alphabet])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>"
    )
    fast.add_tokens(list(said))
    fast.chat_template = (
        "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}"
        "{{ eos_token }}{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
    )
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=len(fast),
            n_positions=4096,
            n_embd=16,
            n_layer=2,
            n_head=2,
            bos_token_id=1,
            eos_token_id=1,
            pad_token_id=0,
        )
    )
    return model, fast


def training_arguments(folder: Path) -> dict[str, Any]:
    """Settings of any trainer for one step on a processor."""
    return {
        "output_dir": str(folder),
        "max_steps": 1,
        "report_to": [],
        "use_cpu": True,
        "bf16": False,
        "save_strategy": "no",
        "logging_steps": 1,
        "disable_tqdm": True,
        "seed": 0,
        "learning_rate": 0.1,
    }
