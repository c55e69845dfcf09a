"""A scanner for Inspect Scout: where a model says that something is missing, and what it answers then.

    pip install inspect-scout
    scout scan docs/scout_notices.py -T logs

It needs no model. `scout view` shows the statements in their transcripts.
"""

from inspect_ai.model import ContentReasoning
from inspect_scout import Reference, Result, Scanner, Transcript, scanner

from treecut_tasks.scoring import classify_outcome, find_notice


@scanner(messages="all")
def notices() -> Scanner[Transcript]:
    """The first statement, in the reasoning or in the text of the last message."""

    async def scan(transcript: Transcript) -> Result:
        message = transcript.messages[-1]
        parts = [] if isinstance(message.content, str) else message.content
        reasoning = "\n".join(
            part.reasoning for part in parts if isinstance(part, ContentReasoning)
        )
        notice = find_notice(message.text, reasoning=reasoning)
        if notice is None:
            return Result(value=False)
        return Result(
            value=True,
            answer=classify_outcome(message.text).verdict,
            explanation=f"“{notice.quote}” [M1]",
            metadata={"upheld": notice.upheld, "position": notice.position},
            references=[Reference(type="message", cite="[M1]", id=message.id or "")],
        )

    return scan
