"""From written problems to the columns of a data set, as Arrow arrays.

A row of a Parquet file, a line of JSON Lines and `Problem.record()` say the same under the same names.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treecut_tasks.problems.blocks import Ints
from treecut_tasks.problems.members import Member
from treecut_tasks.problems.names import all_names

_NUMBERS = pa.list_(pa.int32())
# Prices are as large as a theme says.
_MONEY = pa.list_(pa.int64())
_CONFIG = pa.struct(
    [
        ("theme", pa.string()),
        ("composite_name", pa.bool_()),
        ("num_vars", pa.int32()),
        ("ans_depth", pa.int32()),
        ("order", pa.string()),
        ("unanswerable", pa.bool_()),
        ("cut_depth", pa.int32()),
        ("sampling", pa.string()),
    ]
)
_LACKS = pa.struct([("text", pa.string()), ("child", pa.int32()), ("position", pa.int32())])
_TEXT_FIELDS = [(name, pa.string()) for name in ("id", "problem", "answer", "proof")]
_FURTHER_FIELDS = [
    ("config", _CONFIG),
    ("variables", pa.list_(pa.string())),
    ("values", _MONEY),
    ("parents", _NUMBERS),
    ("parent_coefficients", _NUMBERS),
    ("child_coefficients", _NUMBERS),
    ("sentence_children", _NUMBERS),
    ("lacks", _LACKS),
]


def schema(text_only: bool = False, paired: bool = False) -> pa.Schema:
    """The columns of a data set, as docs/training-data.md explains them, with a `pair_id` if paired."""
    fields = [*_TEXT_FIELDS, *([] if text_only else _FURTHER_FIELDS)]
    return pa.schema([*fields, *([("pair_id", pa.string())] if paired else [])])


def columns(member: Member, text_only: bool = False) -> dict[str, pa.Array]:
    """The columns of one problem of each row, but for `pair_id`."""
    texts = {
        "id": member.ids,
        "problem": member.texts,
        "answer": member.answers,
        "proof": member.solutions,
    }
    if text_only:
        return texts
    block, config = member.whole, member.config
    names = pa.array(list(map(str, all_names(config))))
    return {
        **texts,
        "config": pa.repeat(pa.scalar(config.as_dict(), _CONFIG), len(block)),
        "variables": _lists(names.take(pa.array(block.names.reshape(-1))), block.names.shape),
        "values": _number_lists(block.values, _MONEY),
        "parents": _number_lists(block.parents),
        "parent_coefficients": _number_lists(block.a),
        "child_coefficients": _number_lists(block.b),
        "sentence_children": _number_lists(member.order),
        "lacks": _lacks(member),
    }


def _lacks(member: Member) -> pa.StructArray:
    if member.lacking is None:
        return pa.nulls(len(member.block), _LACKS)
    numbers = (pa.array(each, pa.int32()) for each in (member.lacking, member.positions))
    return pa.StructArray.from_arrays([member.lacking_texts, *numbers], fields=list(_LACKS))


def _number_lists(numbers: Ints, kind: pa.ListType = _NUMBERS) -> pa.ListArray:
    values = np.ascontiguousarray(numbers).reshape(-1)
    return _lists(pa.array(values, type=kind.value_type), numbers.shape)


def _lists(values: pa.Array, shape: tuple[int, ...]) -> pa.ListArray:
    """Lists of equal length."""
    rows, each = shape
    ends = np.arange(0, rows * each + 1, each, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), values)
