"""The environment of verifiers that has the package's name."""

from __future__ import annotations

import pytest

from tests.servers.openai_rules import OpenAIRulesServer
from tests.trainers import TO_INSTALL
from treecut_tasks.reference_models.policies import respond


@pytest.mark.parametrize(("policy", "rewards"), [("solver", [1, 0.5]), ("guesser", [-1, -1])])
def test_it_is_found_by_name_and_rewards_a_model(
    policy: str, rewards: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    verifiers = pytest.importorskip("verifiers", reason=f"needs {TO_INSTALL}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    environment = verifiers.load_environment(
        "treecut-tasks", n=3, num_eval=2, ans_depth=2, order="forward", reward={"right": 0.5}
    )
    assert len(environment.get_dataset()) == 6
    with OpenAIRulesServer(lambda messages: respond(policy, messages[-1]["content"])) as server:
        outputs = environment.evaluate_sync(
            verifiers.types.ClientConfig(
                api_base_url=server.base_url, api_key_var="OPENAI_API_KEY"
            ),
            "gpt-4o",
        )
    assert [output["reward"] for output in outputs["outputs"]] == rewards * 2
