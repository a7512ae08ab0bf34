"""Whole rows of values that are words, moved as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels.words import data_of, from_words, has_words, valid_of

__all__ = ["pays", "take_spans"]

_FEWEST_VALUES = 1 << 14
_SHORTEST = 4
"""Rows that are shorter on average cost less item by item."""


def pays(type: pa.DataType, n_rows: int, n_values: int, n_taken: int) -> bool:
    """Whether rows of such values are better taken as wholes than item by item."""
    return n_values >= max(_FEWEST_VALUES, _SHORTEST * n_rows) and n_taken * _SHORTEST >= n_rows and has_words(type)


def take_spans(
    values: pa.Array[Any], offsets: NDArray[np.int64], rows: NDArray[Any], present: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], pa.Array[Any]]:
    """Take whole rows, in any order and as often as asked.

    Parameters
    ----------
    values : (n_values,) Arrow array
        Of a type that has words.
    offsets : (n_rows + 1,) int64 array
    rows : (m,) integer array
        Row numbers, within range wherever present.
    present : (m,) boolean array, optional
        Where False the result has an empty row.

    Returns
    -------
    offsets : (m + 1,) int64 array
    values : Arrow array of the same type

    Notes
    -----
    O(m + items taken), new arrays. Arrow's take of binary strings copies each row with one memcpy and sums up lengths on the way,
    so the rows are lent to it as strings: 10M values that alternate between 1M rows take 14 ms instead of 36.
    """
    wanted = pa.array(rows, mask=None if present is None else ~present)
    new, data = _take_bytes(data_of(values), offsets, wanted)
    valid = valid_of(values)
    kept = None if valid is None else _take_bytes(valid, offsets, wanted)[1]
    return new, from_words(values.type, data, kept)


def _take_bytes(data: NDArray[Any], offsets: NDArray[np.int64], rows: pa.Array[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    width = data.dtype.itemsize
    lent = pa.Array.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets * width), pa.py_buffer(np.ascontiguousarray(data))]
    )
    taken = pc.take(lent, rows, boundscheck=False)
    _, cuts, content = taken.buffers()
    new: NDArray[np.int64] = np.frombuffer(cuts, np.int64, len(rows) + 1, taken.offset * 8) // width
    return new, np.frombuffer(content, data.dtype, int(new[-1])) if new[-1] else np.empty(0, data.dtype)
