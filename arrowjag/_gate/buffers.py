"""Read the buffers of one level: validity, offsets, and the starts and sizes of views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._gate.types import WIDE
from arrowjag._kernels.base.words import pack_bits, unpack_bits
from arrowjag.errors import OffsetsError, are, plural
from arrowjag.typing import BoolArray, IntArray

__all__ = ["ITEM_BYTES", "check_null_count", "check_unbacked", "read_offsets", "read_validity", "read_views", "validity_bits"]

ITEM_BYTES = 8
"""Bytes of the position of an item."""

_MOST_UNBACKED = 2**27
"""Maximal number of items of types that take no memory, which no buffer limits: the positions of as many items take 1 GB."""


def read_offsets(array: pa.Array, where: str, *, check: bool) -> IntArray:
    """Return the offsets of a list array as int64; int64 buffers are viewed, not copied.

    Parameters
    ----------
    array : pa.Array
        A list or a map with at least one row.
    where : str
        The name of the data in error messages.
    check : bool
        Whether to check that they are in range and never decrease.

    Returns
    -------
    numpy.ndarray
        One more than the number of rows.

    Raises
    ------
    OffsetsError
        If the buffer is too short, or the offsets are invalid.
    """
    dtype: Any = np.int64 if array.type.id in WIDE else np.int32
    width = np.dtype(dtype).itemsize
    buffer = array.buffers()[1]
    need = (array.offset + len(array) + 1) * width
    if buffer is None or buffer.size < need:
        raise OffsetsError(f"the offsets buffer of {where} has {buffer.size if buffer else 0} bytes, expected at least {need}")
    offsets = np.frombuffer(buffer, dtype, len(array) + 1, array.offset * width)
    if not check:
        return offsets.astype(np.int64, copy=False)
    if offsets[0] < 0:
        raise OffsetsError(f"offsets of {where} start at {offsets[0]}, expected at least 0")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        slot = int(falls.argmax()) + 1
        raise OffsetsError(f"offsets of {where} decrease at slot {slot}: {offsets[slot]} < {offsets[slot - 1]}")
    return offsets.astype(np.int64, copy=False)


def read_views(array: pa.Array, where: str) -> tuple[IntArray, IntArray]:
    """Return the starts and sizes of the rows of a list view, 0 under nulls; raise if a row views items that don't exist."""
    starts, sizes = (_read_int(array, place, where) for place in (1, 2))
    if array.null_count:
        valid = read_validity(array)
        starts, sizes = np.where(valid, starts, 0), np.where(valid, sizes, 0)
    below = len(array.values)
    # Not the sum of start and size: that may wrap.
    wrong = (starts < 0) | (sizes < 0) | (sizes > below) | (starts > below - sizes)
    if wrong.any():
        row = int(wrong.argmax())
        views = f"{plural(sizes[row], 'value')} from position {starts[row]}"
        raise OffsetsError(f"row {row} of {where} refers to {views}, but there {are(below)} {plural(below, 'value')}")
    return starts, sizes


def _read_int(array: pa.Array, place: int, where: str) -> IntArray:
    dtype = np.dtype(np.int64 if array.type.id in WIDE else np.int32)
    buffer = array.buffers()[place]
    need = (array.offset + len(array)) * dtype.itemsize
    if buffer is None or buffer.size < need:
        got = buffer.size if buffer else 0
        raise OffsetsError(f"the offsets or sizes buffer of {where} has {got} bytes, expected at least {need}")
    return np.frombuffer(buffer, dtype, len(array), array.offset * dtype.itemsize).astype(np.int64, copy=False)


def check_null_count(array: pa.Array, where: str) -> None:
    """Raise if the null count differs from the validity bitmap: Arrow's kernels would write past the end of their results."""
    if isinstance(array.type, pa.BaseExtensionType):
        return
    bits = array.buffers()[0]  # none of unions
    if bits is None or bits.size * 8 < array.offset + len(array):
        return
    n = len(array)
    valid = pa.Array.from_buffers(pa.bool_(), n, [None, bits], 0, array.offset).true_count
    if array.null_count != n - valid:
        raise OffsetsError(f"{where} has a null count of {array.null_count}, but its validity bitmap has {n - valid} nulls")


def check_unbacked(n: int, where: str) -> None:
    """Raise if there are too many items of a type that takes no memory."""
    if n > _MOST_UNBACKED:
        raise OffsetsError(
            f"{where} has {plural(n, 'item')} of a type that takes no memory, at most {_MOST_UNBACKED} are supported"
        )


def read_validity(array: pa.Array) -> BoolArray:
    """Return which items are valid, of an array that has nulls."""
    return unpack_bits(array.buffers()[0], array.offset, len(array))


def validity_bits(array: pa.Array) -> pa.Buffer | None:
    """Return the bits of the valid items, from the first item of the array on; None if all are valid."""
    return pack_bits(read_validity(array)) if array.null_count else None
