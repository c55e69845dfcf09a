"""From tables of piece numbers to texts.

All texts of a configuration are made of some thousand pieces: a name in its forms, an amount of
money, ` costs … more than `. A batch of texts is a table of piece numbers, a line for each text,
and one call of Arrow's `take` writes them all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Codes = NDArray[np.int32]
"""Piece numbers; the last axis is the order in which the pieces are written."""

EMPTY = 0
"""The piece without characters; it fills up texts of unequal numbers of pieces."""


class Pieces:
    """A table of pieces, which grows as groups of them are asked for."""

    def __init__(self) -> None:
        """Start with the empty piece only."""
        self._texts: list[str] = [""]
        self._firsts: dict[Hashable, int] = {}
        self._table: pa.StringArray | None = None

    def group(self, key: Hashable, texts: Iterable[str]) -> int:
        """The number of the first piece of a group, which is added if it is new.

        Args:
            key: names the group.
            texts: its pieces; looked at only when the group is new.
        """
        first = self._firsts.get(key)
        if first is None:
            first = self._firsts[key] = len(self._texts)
            self._texts += texts
            self._table = None
        return first

    def piece(self, text: str) -> int:
        """The number of one piece."""
        return self.group(("piece", text), [text])

    def write(self, codes: Codes) -> pa.StringArray:
        """Write texts: a line of `codes` for each, of shape [texts, pieces]."""
        if self._table is None:
            self._table = pa.array(self._texts, pa.string())
        texts, pieces = codes.shape
        written = self._table.take(pa.array(np.ascontiguousarray(codes).reshape(-1)))
        _, offsets, data = written.buffers()
        ends = np.frombuffer(offsets, dtype=np.int32)[: texts * pieces + 1 : pieces]
        return pa.StringArray.from_buffers(texts, pa.py_buffer(np.ascontiguousarray(ends)), data)
