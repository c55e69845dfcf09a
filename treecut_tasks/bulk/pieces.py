"""Texts as sequences of prepared pieces.

All texts of a configuration are made of some thousand pieces: a name in its forms, an amount of
money, ` costs … more than `. A batch of texts is a table of piece numbers, a line for each text,
and one call of Arrow's `take` writes them all. This is what makes bulk generation fast.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int32]
"""Piece numbers; the last axis is the order in which the pieces are written."""

EMPTY = 0
"""The piece without characters; it fills up texts of unequal numbers of pieces."""


@dataclass(frozen=True)
class Written:
    """Texts that were written from a table of piece numbers.

    Attributes:
        ends: `ends[i, j]` and `ends[i, j + 1]` are where piece j of text i begins and ends in `data`,
            in bytes.
        data: UTF-8, all texts without anything between them.
    """

    ends: NDArray[np.int32]
    data: pa.Buffer

    def strings(self) -> pa.StringArray:
        """The texts, or those pieces of them that `ends` still tells of."""
        starts = np.append(self.ends[:, 0], self.ends[-1:, -1])
        return pa.StringArray.from_buffers(len(self.ends), pa.py_buffer(starts), self.data)

    def bytes(self) -> memoryview:
        """All texts, one after the other."""
        return memoryview(self.data)[int(self.ends[0, 0]) : int(self.ends[-1, -1])]


class Pieces:
    """A growing table of pieces; each group has a first number, from which the others follow."""

    def __init__(self) -> None:
        """Start with the empty piece only."""
        self._texts: list[str] = [""]
        self._escaped: list[str] = [""]
        self._firsts: dict[Hashable, int] = {}
        self._tables: dict[bool, pa.StringArray] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def group(self, key: Hashable, texts: Iterable[str]) -> int:
        """The number of the first piece of a group, which is added if it is new.

        Args:
            key: names the group.
            texts: its pieces; looked at only when the group is new.
        """
        return self._first(key, texts, escape)

    def piece(self, text: str) -> int:
        """The number of one piece."""
        return self.group(("piece", text), [text])

    def syntax(self, key: Hashable, texts: Iterable[str]) -> int:
        """The number of the first piece of a group of JSON syntax, which is never escaped."""
        return self._first(("syntax", key), texts, str)

    def _first(self, key: Hashable, texts: Iterable[str], escaped: Callable[[str], str]) -> int:
        first = self._firsts.get(key)
        if first is None:
            first = self._firsts[key] = len(self._texts)
            self._texts += texts
            self._escaped += map(escaped, self._texts[first:])
            self._tables.clear()
        return first

    def write(
        self, codes: Codes, escaped: bool = False, further: Sequence[pa.StringArray] = ()
    ) -> Written:
        """Write texts.

        Args:
            codes: piece numbers, a line for each text, of shape [texts, pieces].
            escaped: whether pieces are written as inside JSON strings.
            further: pieces for this time only; numbered from the length of the table.
        """
        if escaped not in self._tables:
            self._tables[escaped] = pa.array(self._escaped if escaped else self._texts, pa.string())
        table = self._tables[escaped]
        if further:
            table = pa.concat_arrays([table, *further])
        texts, pieces = codes.shape
        written = table.take(pa.array(np.ascontiguousarray(codes).reshape(-1)))
        _, offsets, data = written.buffers()
        ends = np.frombuffer(offsets, dtype=np.int32)[: texts * pieces + 1]
        # Line i ends where line i + 1 begins, so that the lines of this view overlap by one.
        lines = np.lib.stride_tricks.sliding_window_view(ends, pieces + 1)[::pieces]
        return Written(lines, data)


def escape(text: str) -> str:
    """A text as it stands inside a JSON string."""
    return json.dumps(text)[1:-1]
