"""Boundaries of row groups by number of rows, leaf values and bytes of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._integers import integer
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.words import is_variable_size
from arrowjag._pyarrow_versions import nbytes
from arrowjag.typing import IntArray

__all__ = ["cut_rows"]

# Readers return a row group as one array, and 32-bit offsets limit text arrays to 2 GiB.
_MOST_BYTES = 2**30

_NO_LIMIT = 2**62
"""More than any table has; sums with it fit 64 bits."""


def cut_rows(table: pa.Table, most_rows: int, most_values: int) -> Iterator[tuple[int, int]]:
    """Split a table into slices within the limits of rows, leaf values and bytes of text.

    Parameters
    ----------
    table : pa.Table
        Any table.
    most_rows : int
        Maximum number of rows per slice.
    most_values : int
        Maximum number of leaf values of one column per slice; a row with more values forms a slice by itself.

    Yields
    ------
    int
        First row of a slice.
    int
        The row after its last one.

    Raises
    ------
    JagTypeError, JagValueError
        If a limit is not an int, or below 1.

    Examples
    --------
    >>> table = pa.table({"v": [[1, 2], [3], [4, 5, 6], []]})
    >>> list(cut_rows(table, most_rows=100, most_values=3))
    [(0, 2), (2, 4)]
    """
    limits: dict[str, Any] = {"row_group_size": most_rows, "row_group_values": most_values}
    for name, limit in limits.items():
        integer(limit, name, 1)
    most_rows, most_values = min(most_rows, _NO_LIMIT), min(most_values, _NO_LIMIT)
    counts = [found for column in table.columns for found in _column_counts(column, most_values)]
    start = 0
    while start < table.num_rows:
        stop = min(start + most_rows, table.num_rows)
        for offsets, limit in counts:
            stop = min(stop, int(np.searchsorted(offsets, offsets[start] + limit, side="right")) - 1)
        stop = max(stop, start + 1)
        yield start, stop
        start = stop


def _column_counts(column: pa.ChunkedArray, most_values: int) -> list[tuple[IntArray, int]]:
    """Return, per leaf inside lists and per text leaf, the cumulated values or bytes before each row, and the limit."""
    with_text = nbytes(column) > _MOST_BYTES
    chunks = [list(_leaf_counts(chunk, None, with_text)) for chunk in column.chunks]
    limits = {True: _MOST_BYTES, False: most_values}
    return [(_joined([one[0] for one in leaf]), limits[leaf[0][1]]) for leaf in zip(*chunks, strict=True)]


def _joined(parts: list[IntArray]) -> IntArray:
    """Concatenate offsets of chunks."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part) for part in parts]))])


def _leaf_counts(array: pa.Array, outer: IntArray | None, with_text: bool) -> Iterator[tuple[IntArray, bool]]:
    """Yield offsets of the rows into each leaf, and whether they count bytes; `outer` holds offsets of the rows into `array`."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    array = _arrow.decode(array)
    type = array.type
    if _arrow.is_list_type(type) or pt.is_map(type):
        (level,), child = _arrow.peel(array, ndim=2)
        yield from _leaf_counts(child, level.offsets if outer is None else level.offsets[outer], with_text)
    elif pt.is_struct(type):
        for place in range(type.num_fields):
            yield from _leaf_counts(array.field(place), outer, with_text)
    else:
        if outer is not None:
            yield outer, False
        if with_text and _is_text(type):
            bytes_before = _text_offsets(array)
            yield (bytes_before if outer is None else bytes_before[outer]), True


def _is_text(type: pa.DataType) -> bool:
    return is_variable_size(type) or bool(pt.is_string_view(type) or pt.is_binary_view(type))


def _text_offsets(array: pa.Array) -> IntArray:
    if pt.is_string_view(array.type) or pt.is_binary_view(array.type):
        array = array.cast(pa.large_binary())
    sizes = pc.binary_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    return from_counts(sizes)
