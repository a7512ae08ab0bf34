"""Short rows moved as wholes: as many items as the longest row has are copied from where a row starts, then the rest goes.

What lies behind the end of a row is wiped by a mask that is looked up by the size of the row, or covered by the next row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks

__all__ = ["WIDEST", "is_word", "map_cells", "opaque", "put_windows", "take_windows", "words"]

WIDEST = 64
"""Cells of the widest window; what it reads beyond the end of short rows costs more than it saves from there on."""

_BLOCK_BYTES = 1 << 21


def is_word(data: NDArray[Any]) -> bool:
    """Whether an item is as wide as an integer, so that its bits can be masked."""
    return data.dtype.kind != "O" and data.dtype.itemsize in (1, 2, 4, 8) and math.prod(data.shape[1:]) == 1


def words(data: NDArray[Any]) -> NDArray[Any]:
    """The bits of all items as unsigned integers, one after the other; shares the memory of contiguous data."""
    return np.ascontiguousarray(data).reshape(-1).view(f"u{data.dtype.itemsize}")


def opaque(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row of a 2-D array as one item that is copied whole."""
    return rows.view(f"V{rows.shape[1] * rows.itemsize}").reshape(-1)


def map_cells(work: Callable[[int, int], None], n_rows: int, row_bytes: int) -> None:
    """Call work(first_row, end_row) on blocks of about as many bytes, on all cores."""
    step = max(1, _BLOCK_BYTES // row_bytes)
    blocks.map_tasks(lambda first: work(first, min(first + step, n_rows)), range(0, n_rows, step))


def looked_up(table: NDArray[Any], sizes: NDArray[np.int64], out: NDArray[Any]) -> NDArray[Any]:
    """The row of a table for each size."""
    opaque(table).take(sizes, out=opaque(out), mode="clip")
    return out


def inside(width: int) -> NDArray[np.bool_]:
    """For each size from 0 to `width` which cells a row of that size has."""
    cells: NDArray[np.bool_] = np.arange(width) < np.arange(width + 1)[:, None]
    return cells


def take_windows(data: NDArray[Any], starts: NDArray[np.int64], width: int) -> NDArray[Any]:
    """So many items from each start, a row each, not to be written to; what lies behind the end of the data is arbitrary."""
    last = len(data) - width
    if len(starts) and int(starts.max()) > last:
        low = int(starts.min())
        data = np.concatenate([data[low:], np.zeros(width, data.dtype)])
        starts = starts - low
    return blocks.rows_2d(data, starts, width)


def put_windows(cells: NDArray[Any], starts: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Copy each row of `cells` whole to where it starts in `out`; the next row covers what lies behind its end.

    Parameters
    ----------
    cells : (n_rows, width) contiguous array
    starts : (n_rows,) int64 array
        Never decreasing, all in `out`. A row that ends before the next one starts leaves what is between them as it is.
    out : (n_items,) array of the same type

    Notes
    -----
    O(cells): numpy assigns to an index in order, so that of windows that overlap the last one stays. It holds no lock: 20M float32
    in 1M rows take 7 ms of CPU time; polars filters them by a mask in 10, and to make the mask takes 4.
    """
    width = cells.shape[1]
    inside = int(starts.searchsorted(len(out) - width, "right"))
    if inside:
        blocks.put_rows(out, starts[:inside], cells[:inside])
    if inside < len(starts):
        low = int(starts[inside])
        last = np.empty(len(out) - low + width, out.dtype)
        last[:-width] = out[low:]
        blocks.put_rows(last, starts[inside:] - low, cells[inside:])
        out[low:] = last[:-width]
