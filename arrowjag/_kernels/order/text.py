"""Extremes and equal items of rows of text or binary values by compiled loops, which compare the bytes in place.

Without them text is replaced by the codes of a sorted dictionary first, which costs several times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.loops import find_loop, table_for
from arrowjag._kernels.base.memory import empty, unpack_bits
from arrowjag._kernels.base.offsets import row_sizes

__all__ = ["text_extreme", "text_leaders"]

_BYTES = np.dtype(np.uint8)


def text_extreme(
    values: pa.Array[Any], offsets: NDArray[np.int64], largest: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None] | None:
    """The slot of the first largest or smallest item of each row, compared byte by byte; None if no compiled loop is ready.

    Returns
    -------
    slots : (n_rows,) int64 array
    present : (n_rows,) bool array or None
        False for a row without items that are not null.
    """
    loop = _loop("text_argmax" if largest else "text_argmin", values)
    if loop is None:
        return None
    data, cuts, valid = _parts(values)
    slots, present = empty(len(offsets) - 1, np.int64), empty(len(offsets) - 1, np.bool_)

    def work(first: int, last: int) -> None:
        loop(data, cuts, valid, offsets, first, last, slots, present)

    blocks.map_rows(work, offsets, block_values=strategy.sizes.LARGE_VALUES)
    return slots, None if present.all() else present


def text_leaders(values: pa.Array[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The first equal item of each item, -1 for a null, and the number of distinct items of each row; None without a loop."""
    loop = _loop("text_leaders", values)
    if loop is None:
        return None
    data, cuts, valid = _parts(values)
    hashes, leaders, counts = empty(len(values), np.uint64), empty(len(values), np.int64), empty(len(offsets) - 1, np.int64)
    sizes = row_sizes(offsets)

    def work(first: int, last: int) -> None:
        table = table_for(int(sizes[first:last].max(initial=0)))
        loop(data, cuts, valid, offsets, first, last, table, len(table) - 1, hashes, leaders, counts)

    blocks.map_rows(work, offsets, block_values=strategy.sizes.LARGE_VALUES)
    return leaders, counts


def _loop(name: str, values: pa.Array[Any]) -> compiled.Compiled | None:
    type = values.type
    if not (pt.is_string(type) or pt.is_large_string(type) or pt.is_binary(type) or pt.is_large_binary(type)):
        return None
    loop = find_loop(name, _BYTES, values.null_count > 0, len(values))
    return loop if strategy.choose("text", loop is not None) == "compiled" else None


def _parts(values: pa.Array[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_] | None]:
    """The bytes of all items, where each begins, and which are not null."""
    validity, cuts, data = values.buffers()
    n, start = len(values), values.offset
    wide = pt.is_large_string(values.type) or pt.is_large_binary(values.type)
    dtype = np.dtype(np.int64 if wide else np.int32)
    ends = np.frombuffer(cuts, dtype, n + 1, start * dtype.itemsize).astype(np.int64, copy=False)
    found = np.zeros(1, np.uint8) if data is None or not data.size else np.frombuffer(data, np.uint8)
    return found, ends, unpack_bits(validity, start, n) if values.null_count else None
