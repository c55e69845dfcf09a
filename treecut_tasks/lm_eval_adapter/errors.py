"""Bad input as one sentence on lm-eval's command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treecut_tasks.errors import TreecutError


class UsageError(TreecutError, SystemExit):
    """A `TreecutError` that ends a program with its sentence alone, without a traceback.

    lm-eval shows any other exception with a page of its own calls before the sentence.
    """

    def __init__(self, message: str) -> None:
        TreecutError.__init__(self, message)
        self.code = message


@contextmanager
def shown_by_lm_eval() -> Iterator[None]:
    """Turn a `TreecutError` into one that is printed as one sentence."""
    try:
        yield
    except TreecutError as error:
        message = str(error)
    else:
        return
    raise UsageError(message)
