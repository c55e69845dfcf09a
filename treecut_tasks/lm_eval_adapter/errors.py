"""Bad input as one sentence on lm-eval's command line."""

from __future__ import annotations

from treecut_tasks.errors import TreecutError


class UsageError(TreecutError, SystemExit):
    """A `TreecutError` that ends a program with its sentence alone, without a traceback.

    lm-eval shows any other exception with a page of its own calls before the sentence.
    """

    def __init__(self, message: str) -> None:
        TreecutError.__init__(self, message)
        self.code = message
