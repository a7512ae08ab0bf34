"""Rows that a compiled loop notes while it reads them: those of the smallest number, of the largest, and of the first zero.

The loop goes through its rows in chunks. It looks at the numbers of a chunk right before it calls the function for its rows, and at
their results right after, so that numbers are read from memory once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from arrowjag._kernels.compiled import find
from arrowjag._kernels.strategy import sizes
from arrowjag.typing import IntArray

__all__ = ["Noted", "can_note", "chunk_rows", "look_at_winners", "noting_function", "turn_of"]

_INFINITY = 0x7FF0_0000_0000_0000
"""The bits of infinity. Floats have the order of their bits as integers once the bits of negative ones are flipped."""


def can_note(dtype: np.dtype[Any]) -> bool:
    """Return whether loops note the numbers of a type: floats, integers and times of 64 bits."""
    return dtype.kind in "fimM" and dtype.itemsize == 8


def chunk_rows(n_rows: int, n_items: int) -> int:
    """Return how many rows a chunk has."""
    return max(1, sizes.NOTED_VALUES * n_rows // max(n_items, n_rows, 1))


class Noted(NamedTuple):
    """The notes of a loop over some rows, for one array."""

    notes: IntArray
    """The smallest number, its row, the largest number, its row, and the row of a zero; -1 for no row.

    Two more numbers are where the function that notes writes its result and its exception.
    """
    last: int
    """The end of the rows."""
    step: int
    """The largest number of rows of a chunk."""
    is_float: bool
    look: Callable[[int, int], None] | None = None
    """Looks at the rows from the first to before the last."""

    @classmethod
    def nothing(cls, dtype: np.dtype[Any], last: int, step: int) -> Noted:
        """Return notes without a row, for numbers of a type."""
        return cls(np.array([0, -1, 0, -1, -1, 0, 0]), last, step, dtype.kind == "f")

    @property
    def is_finite(self) -> bool:
        """Whether all numbers are finite."""
        low, row, high = self.notes[:3].tolist()
        return not self.is_float or row < 0 or (low > ~_INFINITY and high < _INFINITY)

    def look_at(self, place: int) -> None:
        """Look at as many rows as a chunk has, from the one that is noted at a place."""
        row = int(self.notes[place])
        if self.look is not None:
            self.look(row, min(row + self.step, self.last))


def look_at_winners(parts: Sequence[Noted]) -> None:
    """Look at the chunks with the smallest number of all parts, with the largest one, and with the first zero."""
    seen = [part for part in parts if part.notes[1] >= 0]
    if seen:
        min(seen, key=lambda part: (part.notes[0], part.notes[1])).look_at(1)
        min(seen, key=lambda part: (-int(part.notes[2]), part.notes[3])).look_at(3)
    zeros = [part for part in seen if part.notes[4] >= 0]
    if zeros:
        min(zeros, key=lambda part: part.notes[4]).look_at(4)


def noting_function(name: str, nulls: bool) -> Any:
    """Return one of the loops that note rows, for compiled code to call; None if it is not ready."""
    loop = find(name, np.dtype(np.int64), nulls, sizes.COMPILING_VALUES)
    return None if loop is None else loop.function


def turn_of(dtype: np.dtype[Any]) -> int:
    """Return the bits that are flipped in negative numbers of a type, so that all numbers have the order of integers."""
    return 2**63 - 1 if dtype.kind == "f" else 0
