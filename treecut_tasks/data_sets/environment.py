"""Parameters become an environment of verifiers: pairs to train and evaluate on, and the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treecut_tasks.data_sets.hugging_face import to_dataset
from treecut_tasks.data_sets.rewards import Reward
from treecut_tasks.problems import ProblemConfig


def load_environment(
    *,
    n: int = 1000,
    num_eval: int = 100,
    seed: int = 42,
    system_message: bool = False,
    reward: Mapping[str, float] | None = None,
    ans_depth: int = 4,
    **config: Any,
) -> Any:
    """Make the environment that `verifiers.load_environment("treecut-tasks", …)` finds by its name.

    Args:
        n: number of pairs to train on, from the split `train`.
        num_eval: number of pairs to evaluate on, from the split `test`.
        seed: names the stream of problems.
        system_message: whether prompts begin with the tasks' chain-of-thought message.
        reward: weights of `Reward`; the others keep their defaults.
        ans_depth: see `ProblemConfig`.
        config: further parameters of `ProblemConfig`.

    Returns:
        A `verifiers.SingleTurnEnv`, which verifiers has up to version 0.3.
    """
    import verifiers

    problems = ProblemConfig(ans_depth=ans_depth, **config)
    train, test = (
        to_dataset(
            problems,
            seed,
            number,
            pairs="full",
            split=split,
            form="prompts",
            system_message=system_message,
        )
        for split, number in (("train", n), ("test", num_eval))
    )
    rubric = verifiers.Rubric(funcs=[Reward(**(reward or {})).for_verifiers_rubric()])
    return verifiers.SingleTurnEnv(dataset=train, eval_dataset=test, rubric=rubric)
