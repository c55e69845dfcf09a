"""What a prompt says around the problem: the rules, and the form of the final lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from treecut_tasks.errors import TreecutError, shown

STANDARD = "standard"
"""The instruction of the paper's comparison, and the default."""

DIAGNOSIS = "diagnosis"
"""The instruction of the task `diagnosis`."""

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

_DIAGNOSIS = f"""\
{_HINT}

Finish your response with three final lines, and write nothing after them. The first lists the items \
whose prices the conditions leave open, separated by semicolons, or says none. The second names one \
item, other than the one that is asked for, whose price would settle the question, or says nothing if \
no price is needed. The third has one of these two forms:
Undetermined: <items, or none>
Ask: <item, or nothing>
{_FORMS}"""


def _clarification(max_questions: int) -> str:
    return f"""\
The conditions may not suffice to determine the price that is asked for. Do not assume anything that \
you are not told.

You may ask for prices before you answer, one at a time and {max_questions} at most. To ask for one, \
finish your message with this final line, and you will be told the price if it is known:
Ask: <an item, other than the one that the problem asks for>

When you can answer, or if the answer cannot be found, finish your message with a final line in one of \
these two forms instead:
{_FORMS}"""


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
        text: what follows the problem in the prompt.
        final_lines: the last lines of a worked example, with `{answer}` and, for a diagnosis,
            `{undetermined}` and `{ask}` in braces.
    """

    text: str
    final_lines: str = "Answer: {answer}"


_TARGET = re.compile(r"target:(0?\.\d{1,4})", re.ASCII)
_CLARIFICATION = re.compile(r"clarification:([1-9]\d?)", re.ASCII)

_NAMED = {
    STANDARD: Instruction(_STANDARD),
    "bare": Instruction(_BARE),
    # The solution that stands before it is a proof.
    "confidence": Instruction(_CONFIDENCE, "Answer: {answer}\nConfidence: 100 %"),
    DIAGNOSIS: Instruction(
        _DIAGNOSIS, "Undetermined: {undetermined}\nAsk: {ask}\nAnswer: {answer}"
    ),
}


def find_instruction(name: object = STANDARD) -> Instruction:
    """The instruction of a name.

    `standard` says that the answer may be unknown; `bare` does not; `confidence` asks for a stated
    confidence as well; `target:T` announces that a wrong number costs T / (1 - T) points (Kalai et
    al., 2025), for T between 0 and 1. `diagnosis` asks for what is missing as well, and
    `clarification:N` lets the model ask N times: they belong to the tasks of these names.
    """
    if isinstance(name, str):
        if name in _NAMED:
            return _NAMED[name]
        found = _TARGET.fullmatch(name)
        if found is not None and (target := Fraction(found[1])) > 0:
            return Instruction(_target(target))
        if (found := _CLARIFICATION.fullmatch(name)) is not None:
            return Instruction(_clarification(int(found[1])))
    raise TreecutError(
        f"instruction is {shown(name)}: it must be standard, bare, confidence, or target:T with T "
        "between 0 and 1, such as target:0.75."
    )


def choose_instruction(name: object) -> str:
    """The name of an instruction that a task may be given as its parameter."""
    find_instruction(name)
    chosen = str(name)
    task = chosen.partition(":")[0]
    if task in (DIAGNOSIS, "clarification"):
        raise TreecutError(
            f"instruction is {shown(name)}, which belongs to a task of its own: use the task {task} "
            f"({task} in Inspect{', treecut_diagnosis in lm-eval' if task == DIAGNOSIS else ''})."
        )
    return chosen
