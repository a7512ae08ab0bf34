"""Scattering: items written to places that are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels.memory import empty, unpack_bits, zeros

__all__ = ["are_distinct", "has_words", "put"]

_SPARSE = 32
"""One place of so many: then sorting the few is cheaper than a mark for each place there is."""


def are_distinct(places: NDArray[np.int64], n: int) -> bool:
    """Whether no place, from 0 to n - 1, is named twice.

    Notes
    -----
    O(n + len(places)), or a sort of places that are few. Places that rise are seen in one pass, others leave a mark each and the
    marks are counted: 2 and 15 ms for 5M, where sorting takes 300.
    """
    if (places[1:] > places[:-1]).all():
        return True
    if len(places) > n:
        return False
    if len(places) * _SPARSE < n:
        ordered = np.sort(places)
        return bool((ordered[1:] > ordered[:-1]).all())
    marks = zeros(n, np.bool_)
    marks[places] = True
    return int(np.count_nonzero(marks)) == len(places)


def has_words(type: pa.DataType) -> bool:
    """Whether values of the type lie side by side in words of one width, beside their validity."""
    return bool(pt.is_primitive(type) or pt.is_decimal(type))


def put(values: pa.Array[Any], places: NDArray[np.int64], items: pa.Array[Any]) -> pa.Array[Any]:
    """A copy of values that are words in which each item stands at its place.

    Parameters
    ----------
    values : (n,) Arrow array
        Of a type that `has_words`.
    places : (m,) int64 array
        Distinct, within range; they are trusted.
    items : (m,) Arrow array of the same type

    Returns
    -------
    (n,) Arrow array of the same type

    Notes
    -----
    O(n + m), a new array, copied and written over: 10 ms for 5M float64, where taking from values and items end to end needs 31.
    """
    if len(places) == 0:
        return values
    data = _written(_words(values), places, _words(items))
    if pt.is_boolean(values.type):
        data = np.packbits(data, bitorder="little")
    mask = None
    if values.null_count or items.null_count:
        mask = pa.py_buffer(np.packbits(_written(_valid(values), places, _valid(items)), bitorder="little"))
    return pa.Array.from_buffers(values.type, len(values), [mask, pa.py_buffer(data)])


def _written(data: NDArray[Any], places: NDArray[np.int64], items: NDArray[Any]) -> NDArray[Any]:
    result = empty(len(data), data.dtype)
    result[:] = data
    result[places] = items
    return result


def _words(values: Any) -> NDArray[Any]:
    """The data as unsigned integers of their width, or as opaque items; booleans as bytes."""
    if pt.is_boolean(values.type):
        return unpack_bits(values.buffers()[1], values.offset, len(values))
    size = values.type.bit_width // 8
    dtype = np.dtype(f"u{size}") if size <= 8 else np.dtype((np.void, size))
    return np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * size)


def _valid(values: Any) -> NDArray[np.bool_]:
    if values.null_count == 0:
        return np.ones(len(values), np.bool_)
    return unpack_bits(values.buffers()[0], values.offset, len(values))
