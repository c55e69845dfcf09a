"""Labels proven from the text: is a stated answer what the sentences say, and why.

`verify` reads a problem's text back, decides it by exact linear algebra and checks the verdict's
proof by substitution; `certificate` writes the proof down so that a person or a program can check
it; `consequences` tells whether an assumption that the text does not make, such as positive prices,
would fix a price that the sentences leave open. Nothing here knows how a problem was generated.
"""

from __future__ import annotations

from treecut_tasks.validity.assumptions import (
    ASSUMPTIONS,
    Assumption,
    Consequence,
    consequences,
    require_solver,
)
from treecut_tasks.validity.certificates import (
    certificate,
    certificate_holds,
    explanation,
    finding,
    unreadable_certificate,
)
from treecut_tasks.validity.file_check import FileReport
from treecut_tasks.validity.proofs import UNKNOWN, Verified, check_label, verify

__all__ = [
    "ASSUMPTIONS",
    "UNKNOWN",
    "Assumption",
    "Consequence",
    "FileReport",
    "Verified",
    "certificate",
    "certificate_holds",
    "check_label",
    "consequences",
    "explanation",
    "finding",
    "require_solver",
    "unreadable_certificate",
    "verify",
]
