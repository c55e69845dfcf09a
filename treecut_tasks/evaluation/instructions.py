"""What a prompt says around the problem: the rules, and the form of the final lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from treecut_tasks.errors import TreecutError, shown

STANDARD = "standard"
"""The instruction of the paper's comparison, and the default."""

_HINT = """\
If the conditions do not suffice to determine the price that is asked for, the answer is "unknown". \
Do not assume anything that the problem does not state."""

_FORMS = """\
Answer: <number>
Answer: unknown"""

_STANDARD = f"""\
{_HINT}

Finish your response with a final line in one of these two forms, and write nothing after it:
{_FORMS}"""

_BARE = """\
Finish your response with a final line in this form, and write nothing after it:
Answer: <number>"""

_CONFIDENCE = f"""\
{_HINT}

Finish your response with two final lines, and write nothing after them. The first has one of these
two forms, and the second says how likely it is that your answer is right, from 0 to 100 %:
{_FORMS}
Confidence: <number> %"""


def _target(target: Fraction) -> str:
    penalty = target / (1 - target)
    return f"""\
{_HINT}

Answer with a number only if you are more than {_decimal(100 * target)} % confident that it is right: a \
right answer scores 1 point, a wrong number costs {_decimal(penalty)} \
point{"" if penalty == 1 else "s"}, and "unknown" costs nothing.

Finish your response with a final line in one of these two forms, and write nothing after it:
{_FORMS}"""


def _decimal(number: Fraction) -> str:
    return f"{float(number):.4g}"


@dataclass(frozen=True)
class Instruction:
    """What a prompt says around the problem.

    Attributes:
        name: `standard`, `bare`, `confidence` or `target:T`.
        text: what follows the problem in the prompt.
        final_lines: the last lines of a worked example, from its answer.
    """

    name: str
    text: str
    final_lines: Callable[[str], str]


_TARGET = re.compile(r"target:(0?\.\d{1,4})", re.ASCII)


def _answer_line(answer: str) -> str:
    return f"Answer: {answer}"


def _answer_and_confidence(answer: str) -> str:
    # The solution that stands before it is a proof.
    return f"Answer: {answer}\nConfidence: 100 %"


_NAMED = {
    STANDARD: Instruction(STANDARD, _STANDARD, _answer_line),
    "bare": Instruction("bare", _BARE, _answer_line),
    "confidence": Instruction("confidence", _CONFIDENCE, _answer_and_confidence),
}


def find_instruction(name: object = STANDARD) -> Instruction:
    """The instruction of a name.

    `standard` says that the answer may be unknown; `bare` does not; `confidence` asks for a stated
    confidence as well; `target:T` announces that a wrong number costs T / (1 - T) points (Kalai et
    al., 2025), for T between 0 and 1.

    Raises:
        TreecutError: another name.
    """
    if isinstance(name, str):
        if name in _NAMED:
            return _NAMED[name]
        found = _TARGET.fullmatch(name)
        if found is not None and (target := Fraction(found[1])) > 0:
            return Instruction(name, _target(target), _answer_line)
    raise TreecutError(
        f"instruction is {shown(name)}: it must be standard, bare, confidence, or target:T with T "
        "between 0 and 1, such as target:0.75."
    )
