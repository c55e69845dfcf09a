"""Signals that reach the commands under test, wherever the tests are started."""

from __future__ import annotations

import signal

SIGNALS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]


def heed_signals() -> None:
    """Undo what whoever started the tests has set: shells let background jobs ignore SIGINT."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
