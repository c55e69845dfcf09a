"""Labels proven from the text: is a stated answer what the sentences say, and why.

`prove` reads a problem's text back, decides it by exact linear algebra and checks the proof by
substitution; `certificate` writes the proof down so that a person or a program can check it;
`consequences` tells whether an assumption that the text does not make, such as positive prices,
would fix a price that the sentences leave open. Nothing here knows how a problem was generated.
"""

from __future__ import annotations

from treecut_tasks.answers import UNKNOWN
from treecut_tasks.validity.assumptions import ASSUMPTIONS, consequences
from treecut_tasks.validity.certificates import certificate, certificate_holds
from treecut_tasks.validity.proofs import Proof, check_label, prove

__all__ = [
    "ASSUMPTIONS",
    "UNKNOWN",
    "Proof",
    "certificate",
    "certificate_holds",
    "check_label",
    "consequences",
    "prove",
]
