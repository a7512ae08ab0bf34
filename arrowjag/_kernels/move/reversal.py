"""Reverse rows by compiled loops: fixed-width items as words, texts by their bytes.

Each function returns None if there is no loop for the type, or if it is not ready.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.texts import text_bytes, text_from
from arrowjag._kernels.base.words import is_variable_size, with_bits
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.move.rows import moved, moved_bits, word_of

__all__ = ["can_reverse", "reverse_rows"]

_BYTE = np.dtype(np.uint8)


def can_reverse(type: pa.DataType, n_values: int) -> bool:
    """Return True if a compiled loop can reverse the rows of an array of `n_values` items of the type."""
    if is_variable_size(type):
        return find_loop("reversed_bytes", _BYTE, False, n_values, often=True) is not None
    word = word_of(type)
    return word is not None and find_loop("reversed_items", word, False, n_values, often=True) is not None


def reverse_rows(values: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any] | None:
    """Return the items of each row from its last to its first; O(n_values), a new array, on all cores."""
    return _reversed_texts(values, offsets) if is_variable_size(values.type) else moved("reversed", values, offsets)


def _reversed_texts(values: pa.Array[Any], offsets: NDArray[np.int64]) -> pa.Array[Any] | None:
    n = len(values)
    loop = find_loop("reversed_bytes", _BYTE, False, n, often=True)
    bits = moved_bits("reversed", values, offsets) if values.null_count and loop is not None else None
    if loop is None or (values.null_count and bits is None):
        return None
    data, cuts = text_bytes(values)
    out, starts = empty(int(cuts[-1] - cuts[0]), np.uint8), empty(n + 1, np.int64)
    starts[-1] = len(out)
    map_rows(lambda first, last: loop(data, len(data), cuts, offsets, first, last, starts, out), offsets)
    return with_bits(text_from(values.type, starts, out), bits)
