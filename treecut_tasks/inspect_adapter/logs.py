"""An Inspect log, scored or not, becomes the responses that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treecut_tasks.errors import TreecutError


def recorded_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The responses of a log, with the keys of `RecordedResponse`; samples that failed are left out.

    Raises:
        TreecutError: the file cannot be read as a log, or is one of another task.
    """
    from inspect_ai.log import read_eval_log

    try:
        log = read_eval_log(str(path), resolve_attachments=True)
    except Exception as error:  # Whatever Inspect stumbles over, the file is at fault.
        raise TreecutError(
            f"{str(path)!r} cannot be read as an Inspect log: give a .eval or .json log."
        ) from error
    for sample in log.samples or []:
        if "problem" not in sample.metadata:
            raise TreecutError(
                f"{str(path)!r} is a log of {log.eval.task!r}, not of a TreeCut task."
            )
        if sample.error is None:
            yield {
                "id": str(sample.id),
                "problem": sample.metadata["problem"],
                "answer": str(sample.target),
                "response": sample.output.completion,
                "finish_reason": sample.output.stop_reason,
                "theme": sample.metadata.get("theme_file"),
                "pair_id": sample.metadata.get("pair_id"),
            }
