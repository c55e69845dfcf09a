"""Training on the problems: rewards for reinforcement learning."""

from __future__ import annotations

from treecut_tasks.training.rewards import Reward, Verdict, verdict

__all__ = ["Reward", "Verdict", "verdict"]
