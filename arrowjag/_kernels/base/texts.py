"""Text as its bytes, side by side, and where each text begins: Arrow's layout of strings and binary values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels.base.memory import check_memory, is_counted
from arrowjag._kernels.base.words import pack_bits, valid_of

__all__ = ["bytes_between", "bytes_of", "check_taken_texts", "fits", "text_bytes", "text_cuts", "text_from", "text_parts"]


def text_parts(values: pa.Array[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.bool_] | None]:
    """The bytes of all items, where each begins, and which are not null."""
    return *text_bytes(values), valid_of(values)


def text_bytes(values: pa.Array[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of all items, and where each begins."""
    return bytes_of(values), text_cuts(values).astype(np.int64, copy=False)


def bytes_of(values: pa.Array[Any]) -> NDArray[np.uint8]:
    """The bytes of the buffer of text; a zero where there are none."""
    data = values.buffers()[2]
    return np.zeros(1, np.uint8) if data is None or not data.size else np.frombuffer(data, np.uint8)


def bytes_between(values: pa.Array[Any]) -> memoryview:
    """The bytes of one or more texts in order, without those of the buffer before and behind them; shared."""
    cuts = text_cuts(values)
    return bytes_of(values).data[int(cuts[0]) : int(cuts[-1])]


def text_cuts(values: pa.Array[Any]) -> NDArray[Any]:
    """Return where each of one or more texts begins and the last one ends, as 32 or 64 bits; the buffer is shared."""
    wide = pt.is_large_string(values.type) or pt.is_large_binary(values.type)
    dtype = np.dtype(np.int64 if wide else np.int32)
    return np.frombuffer(values.buffers()[1], dtype, len(values) + 1, values.offset * dtype.itemsize)


def fits(type: pa.DataType, n_bytes: int) -> bool:
    """Whether the offsets of a type of text reach so far."""
    return bool(pt.is_large_string(type) or pt.is_large_binary(type)) or n_bytes < 2**31


def text_from(
    type: pa.DataType, cuts: NDArray[np.int64], data: NDArray[np.uint8], valid: NDArray[Any] | None = None
) -> pa.Array[Any]:
    """Text or binary values from their bytes, which are shared, and from where each begins; the bytes must fit the type."""
    wide = pt.is_large_string(type) or pt.is_large_binary(type)
    parts = [None if valid is None else pack_bits(valid), pa.py_buffer(cuts if wide else cuts.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(type, len(cuts) - 1, parts)


def check_taken_texts(values: pa.Array[Any], index: NDArray[Any], valid: NDArray[np.bool_] | None) -> None:
    """Raise before Arrow takes texts that need more memory than there is. O(m) for m texts of many, else O(n)."""
    data = values.buffers()[2]
    if data is None or not len(values) or not is_counted(data.size * len(index)):
        return
    cuts = text_cuts(values)
    if len(index) >= len(values) and not is_counted(int(np.maximum.reduce(cuts[1:] - cuts[:-1])) * len(index)):
        return
    rows = index if valid is None else index[valid]
    taken = cuts.take(rows + 1, mode="clip") - cuts.take(rows, mode="clip")
    check_memory(int(taken.sum(dtype=np.int64)), 1)
