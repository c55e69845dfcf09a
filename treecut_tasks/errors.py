"""The one exception type for input that a user can mend."""

from __future__ import annotations


class TreecutError(ValueError):
    """Bad input: a parameter, a file or a text that cannot be used.

    The message is one sentence that names the offending value, the allowed values and the remedy.
    Command lines print it alone, without a traceback; the framework adapters let it pass, so that
    it appears before any model is called.
    """
