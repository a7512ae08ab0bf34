"""Gathering: spread one item a row over its row, take rows, take items, filter. Values are Arrow arrays of any type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import offsets as _offsets

__all__ = ["filter_rows", "filter_values", "ranges", "spread", "take", "take_rows"]

_POLARS_VALUES = 500_000
_POLARS_TYPES = frozenset(
    {pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()}
    | {pa.float32(), pa.float64()}
)


def spread(values: pa.Array[Any], parents: NDArray[Any]) -> pa.Array[Any]:
    """Repeat each item over the rows it owns: result[j] = values[parents[j]].

    Parameters
    ----------
    values : (n_rows,) Arrow array of any type
    parents : (n_values,) int32 or int64 array
        Row numbers within range; they are trusted.

    Returns
    -------
    (n_values,) Arrow array of the same type

    Notes
    -----
    O(n_values), a new array. With int32 indices and no bounds check pyarrow's take runs at the speed of memcpy.
    """
    return pc.take(values, pa.array(parents), boundscheck=False)


def take(values: pa.Array[Any], index: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array[Any]:
    """Take items by position; null where `valid` is False.

    Parameters
    ----------
    values : (n,) Arrow array of any type
    index : (m,) integer array
        Within range wherever valid; it is trusted.
    valid : (m,) boolean array, optional

    Returns
    -------
    (m,) Arrow array of the same type

    Notes
    -----
    O(m), a new array.
    """
    mask = None if valid is None else ~valid
    return pc.take(values, pa.array(index, mask=mask), boundscheck=False)


def ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers starts[i], starts[i] + 1, .., starts[i] + lengths[i] - 1 of each i, one after the other.

    Returns
    -------
    (sum of lengths,) int64 array

    Notes
    -----
    O(rows + items), a new array.
    """
    return _offsets.runs(starts, _offsets.from_sizes(lengths))


def take_rows(offsets: NDArray[np.int64], rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Take whole rows, in any order and as often as asked.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    rows : (m,) integer array
        Row numbers, within range.

    Returns
    -------
    offsets : (m + 1,) int64 array
        Of the rows taken.
    items : int64 array
        Where each item of the result lies in the values.

    Notes
    -----
    O(m + items taken), new arrays.
    """
    starts = offsets[rows]
    new_offsets = _offsets.from_sizes(offsets[np.asarray(rows) + 1] - starts)
    return new_offsets, _offsets.runs(starts, new_offsets)


def filter_rows(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of what is left when the items where `mask` is False are dropped.

    Returns
    -------
    (n_rows + 1,) int64 array

    Notes
    -----
    O(n_rows + n_values); `filter_values` drops the values themselves.
    """
    return _offsets.from_sizes(_offsets.count_true(mask, offsets))


def filter_values(values: pa.Array[Any], mask: NDArray[np.bool_]) -> pa.Array[Any]:
    """The items where `mask` is True.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(n), a new array.
    """
    # polars filters numbers five times as fast as pyarrow (2.4 ms instead of 12.7 for half of 5M float64) and shares the
    # buffers. It is asked only for types it stores as they are, and where loading it pays.
    if len(values) >= _POLARS_VALUES and values.type in _POLARS_TYPES and (pl := _polars()) is not None:
        return pl.from_arrow(values).filter(pl.Series(mask)).to_arrow()
    return pc.filter(values, pa.array(mask))


def _polars() -> Any:
    try:
        import polars as pl
    except ImportError:
        return None
    return pl
