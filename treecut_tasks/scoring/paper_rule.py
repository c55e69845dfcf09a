"""The literal scoring rule of the TreeCut paper."""

from __future__ import annotations

TRIGGER = "answer"
VERDICT = "unknown"


def says_unknown(response: str) -> bool:
    """Apply the rule of Appendix B.2 to a response to an unanswerable problem.

    The paper lower-cases the response and counts it as correct if "unknown" is mentioned after
    the last occurrence of the trigger word "answer". Both are searched as substrings of the raw
    text: nothing is normalised, and thinking or markup is not removed. A response without
    "answer" cannot meet the stated condition.

    Args:
        response: The model's text as it came.

    Returns:
        True if the paper counts the response as an abstention.
    """
    lowered = response.lower()
    _, trigger, tail = lowered.rpartition(TRIGGER)
    return bool(trigger) and VERDICT in tail
