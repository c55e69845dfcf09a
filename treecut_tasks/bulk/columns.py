"""The columns of a data set, as Arrow tables.

The keys are those of a full record (`Problem.record`), so that a row of a Parquet file, a line of
JSON Lines and a record say the same under the same names.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa

from treecut_tasks.bulk.draws import Ints, all_phrases
from treecut_tasks.bulk.pieces import Written
from treecut_tasks.bulk.texts import Member, Sentences, Words
from treecut_tasks.problems.problem import sentence_role

_NUMBERS = pa.list_(pa.int32())
# Prices, and what formulas make of them, are as large as a theme says.
_MONEY = pa.int64()
_SENTENCE = [
    ("text", pa.string()),
    ("role", pa.string()),
    ("edge", _NUMBERS),
    ("coefficients", _NUMBERS),
    ("constant", _MONEY),
]
_REMOVED = pa.struct([*_SENTENCE, ("position", pa.int32())])
_CONFIG = [
    ("theme", pa.string()),
    ("composite_name", pa.bool_()),
    ("num_vars", pa.int32()),
    ("ans_depth", pa.int32()),
    ("order", pa.string()),
    ("unanswerable", pa.bool_()),
    ("cut_depth", pa.int32()),
    ("sampling", pa.string()),
]
_VARIABLE = [("name", pa.string()), ("entity", pa.string()), ("item", pa.string())]

_TEXT_FIELDS = [
    ("id", pa.string()),
    ("problem", pa.string()),
    ("answer", pa.string()),
    ("proof", pa.string()),
]
_FURTHER_FIELDS = [
    ("config", pa.struct(_CONFIG)),
    ("variables", pa.list_(pa.struct(_VARIABLE))),
    ("values", pa.list_(_MONEY)),
    ("parents", _NUMBERS),
    ("asked", pa.int32()),
    ("sentences", pa.list_(pa.struct(_SENTENCE))),
    ("cut", _REMOVED),
    ("spare", _REMOVED),
]
_PAIR_FIELDS = [("pair_id", pa.string())]


def schema(text_only: bool = False, paired: bool = False) -> pa.Schema:
    """The columns of a data set.

    - `id`: the first 16 hexadecimal digits of a SHA-256 of problem and answer
    - `problem`, `answer`, `proof`: the text put to a model; digits or `unknown`; the worked solution
    - `config`: the parameters under the paper's names; `cut_depth` is null for answerable problems
    - `variables`: what x_1, x_2, … are called; `entity` is null for simple names
    - `values`: their prices in money units
    - `parents`: their parents in the tree, 0 for the root
    - `asked`: number of the questioned variable, from 1
    - `sentences`: in the order of the text, each with its `role` (`path` or `off_path`), `edge`
      (parent, child), `coefficients` (a, b) and `constant` of a * x_parent + b * x_child = constant
    - `cut`, `spare`: the sentence that an unanswerable problem, or a matched counterpart, lacks
      beside the full problem, with its `position` there; else null
    - `pair_id`: the same for both members of a pair

    Args:
        text_only: whether there are just ids, texts, answers and solutions.
        paired: whether there is a `pair_id`.
    """
    fields = [*_TEXT_FIELDS, *([] if text_only else _FURTHER_FIELDS)]
    return pa.schema([*fields, *(_PAIR_FIELDS if paired else [])])


def text_columns(member: Member, words: Words, sentences: Sentences) -> dict[str, pa.Array]:
    """Ids, problems, answers and worked solutions of one problem of each row."""
    texts = words.pieces.write(words.text(member, sentences))
    answers = words.pieces.write(words.answer(member)).strings()
    return {
        "id": pa.array(content_ids(texts, answers)),
        "problem": texts.strings(),
        "answer": answers,
        "proof": words.pieces.write(words.solution(member, sentences)).strings(),
    }


def content_ids(texts: Written, answers: pa.StringArray) -> list[str]:
    """What `problems.content_id` gives for each text and answer."""
    ends = [b"\n" + answer.encode() for answer in answers.to_pylist()]
    data, sha256 = memoryview(texts.data), hashlib.sha256
    starts, stops = texts.ends[:, 0].tolist(), texts.ends[:, -1].tolist()
    ids = []
    for start, stop, end in zip(starts, stops, ends, strict=True):
        digest = sha256(data[start:stop])
        digest.update(end)
        ids.append(digest.hexdigest()[:16])
    return ids


def pair_ids(unanswerable: list[str], answerable: list[str]) -> list[str]:
    """What `Pair.id` gives for the ids of the two members of each pair."""
    sha256 = hashlib.sha256
    return [
        sha256(f"{one}\n{two}".encode()).hexdigest()[:16]
        for one, two in zip(unanswerable, answerable, strict=True)
    ]


def further_columns(member: Member, words: Words, sentences: Sentences) -> dict[str, pa.Array]:
    """Everything else that is known of one problem of each row."""
    draws, rows = member.draws, len(member.draws)
    config = member.config
    variables = pa.array(
        [
            {"name": str(name), "entity": name.entity, "item": name.item}
            for name in (phrases.variable for phrases in all_phrases(config))
        ],
        type=pa.struct(_VARIABLE),
    )
    return {
        "config": _repeated(config.as_dict(), pa.struct(_CONFIG), rows),
        "variables": _lists(variables.take(pa.array(draws.phrases.reshape(-1))), rows),
        "values": _lists(pa.array(draws.values.reshape(-1), type=_MONEY), rows),
        "parents": _number_lists(draws.parents),
        "asked": pa.array(np.full(rows, config.ans_depth), type=pa.int32()),
        "sentences": _lists(
            _struct(_SENTENCE, _sentence_fields(member, member.order, words, sentences)),
            rows,
        ),
        "cut": _removed(member, member.cut, words, sentences),
        "spare": _removed(member, member.spare, words, sentences),
    }


def _sentence_fields(
    member: Member, children: Ints, words: Words, sentences: Sentences
) -> list[pa.Array]:
    """The fields of the sentences of some edges, row by row; `children` is of shape [rows, k]."""
    draws = member.draws
    texts = words.sentence_texts(sentences, children, ".").reshape(-1, 4)
    parents, a, b = (
        np.take_along_axis(numbers, children - 1, axis=1).reshape(-1)
        for numbers in (draws.parents, draws.a, draws.b)
    )
    constants = np.take_along_axis(draws.constants, children - 1, axis=1).reshape(-1)
    child = children.reshape(-1)
    asked = draws.config.ans_depth
    roles = pa.array([sentence_role(i, asked) for i in range(draws.config.vars + 1)])
    return [
        words.pieces.write(texts).strings(),
        roles.take(pa.array(child)),
        _number_lists(np.stack([parents, child], axis=1)),
        _number_lists(np.stack([a, b], axis=1)),
        pa.array(constants, type=_MONEY),
    ]


def _removed(
    member: Member, children: Ints | None, words: Words, sentences: Sentences
) -> pa.StructArray:
    if children is None:
        return pa.nulls(len(member.draws), _REMOVED)
    fields = _sentence_fields(member, children[:, None], words, sentences)
    return _struct(list(_REMOVED), [*fields, pa.array(member.positions, type=pa.int32())])


def _struct(fields: Any, arrays: list[pa.Array]) -> pa.StructArray:
    return pa.StructArray.from_arrays(arrays, fields=[_field(field) for field in fields])


def _field(field: Any) -> pa.Field:
    return field if isinstance(field, pa.Field) else pa.field(*field)


def _repeated(value: dict[str, Any], struct: pa.StructType, rows: int) -> pa.StructArray:
    arrays = [
        pa.nulls(rows, field.type)
        if value[field.name] is None
        else pa.repeat(pa.scalar(value[field.name], type=field.type), rows)
        for field in struct
    ]
    return _struct(list(struct), arrays)


def _number_lists(numbers: Ints) -> pa.ListArray:
    return _lists(pa.array(numbers.reshape(-1), type=pa.int32()), len(numbers))


def _lists(values: pa.Array, rows: int) -> pa.ListArray:
    """Lists of equal length."""
    each = len(values) // rows
    ends = np.arange(0, len(values) + 1, each, dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), values)
