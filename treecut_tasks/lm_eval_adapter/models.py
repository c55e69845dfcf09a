"""The reference models of `treecut_tasks.reference_models.policies` as an lm-eval model.

    lm_eval --model treecut --model_args policy=solver --tasks treecut_depth8

lm-eval learns the name `treecut` from `treecut_tasks.lm_eval_adapter.discovery`.
`simple_evaluate(model=TreecutLM(policy="guesser"), ...)` works without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from lm_eval.api.model import LM

from treecut_tasks.errors import TreecutError, checked_choice, raised_as
from treecut_tasks.lm_eval_adapter.errors import UsageError
from treecut_tasks.reference_models.policies import POLICIES, respond
from treecut_tasks.themes import load_theme

if TYPE_CHECKING:
    from lm_eval.api.instance import Instance

MODEL_ARGS = ("policy", "theme")

_FROM_THE_COMMAND_LINE = frozenset({"batch_size", "max_batch_size", "device", "trust_remote_code"})
"""What lm-eval passes to every model by itself; it means nothing here."""


class TreecutLM(LM):  # type: ignore[misc]
    """A model that reads the last problem of each prompt and answers it by a fixed policy.

    It sees what any model sees: the text, with or without a chat template, with or without
    examples before the problem. It stops at the task's stop sequences; it has no tokens, so a
    token limit changes nothing.

    Args:
        policy: one of `POLICIES`; see `treecut_tasks.reference_models.policies.respond`.
        theme: built-in name or path of a theme file, in whose words the problems are written;
            without it, all built-in themes are understood.
        others: batch size, device and the like, which lm-eval passes to every model, are ignored.
    """

    def __init__(self, policy: str = "solver", theme: str | None = None, **others: object) -> None:
        unknown = sorted(set(others) - _FROM_THE_COMMAND_LINE)
        if unknown:
            raise UsageError(
                f"Unknown model argument {unknown[0]!r}: --model_args of the model treecut may be "
                f"{' and '.join(MODEL_ARGS)}."
            )
        super().__init__()
        with raised_as(UsageError):
            self.policy = checked_choice("policy", policy, POLICIES)
            self._themes = None if theme is None else (load_theme(theme),)

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Answer each request; `disable_tqdm` is accepted for lm-eval's sake, no bar is shown."""
        return [self._generate(*request.args) for request in requests]

    def _generate(self, prompt: str, generation: dict[str, Any]) -> str:
        stops = generation.get("until") or []
        return _before_any(
            respond(self.policy, prompt, self._themes), [stops] if isinstance(stops, str) else stops
        )

    def loglikelihood(self, requests: list[Instance]) -> NoReturn:
        """Refuse: there are no probabilities here."""
        _refuse("loglikelihood")

    def loglikelihood_rolling(self, requests: list[Instance]) -> NoReturn:
        """Refuse: there are no probabilities here."""
        _refuse("loglikelihood_rolling")

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        """Write the messages one after another, a blank line between them."""
        return "\n\n".join(message["content"] for message in chat_history)

    @property
    def tokenizer_name(self) -> str:
        """Name of the chat template, by which lm-eval tells cached prompts apart."""
        return "treecut"


def _before_any(text: str, stops: list[str]) -> str:
    found = (text.find(stop) for stop in stops if stop)
    return text[: min((at for at in found if at >= 0), default=None)]


def _refuse(request_type: str) -> NoReturn:
    raise TreecutError(
        f"The model treecut cannot serve {request_type} requests, because it only writes answers: "
        "use it with the TreeCut tasks (output_type generate_until)."
    )
