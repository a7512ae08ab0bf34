"""Short rows moved as wholes: as many items as the longest row has are copied from where a row starts, then the rest goes.

What lies behind the end of a row is wiped by a mask, or dropped by a filter; masks are looked up by the size of the row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks
from arrowjag._kernels.memory import empty

__all__ = ["WIDEST", "copy_windows", "filter_cells", "has_polars", "is_word", "map_cells", "opaque", "words"]

WIDEST = 64
"""Cells of the widest window; what it reads beyond the end of short rows costs more than it saves from there on."""

_BLOCK_CELLS = 1 << 18

_FEW_CELLS = 1 << 12
"""Below this many cells a Series for polars costs more than it saves."""


def is_word(data: NDArray[Any]) -> bool:
    """Whether an item is as wide as an integer, so that its bits can be masked."""
    return data.dtype.kind != "O" and data.dtype.itemsize in (1, 2, 4, 8) and int(np.prod(data.shape[1:])) == 1


def words(data: NDArray[Any]) -> NDArray[Any]:
    """The bits of all items as unsigned integers, one after the other; shares the memory of contiguous data."""
    return np.ascontiguousarray(data).reshape(-1).view(f"u{data.dtype.itemsize}")


def opaque(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row of a 2-D array as one item that is copied whole."""
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).reshape(-1)


def has_polars() -> bool:
    """Whether polars is there to filter."""
    try:
        import polars as pl  # noqa: F401
    except ImportError:
        return False
    return True


def map_cells(work: Callable[[int, int], None], n_rows: int, width: int) -> None:
    """Call work(first_row, end_row) on blocks of about as many cells, on all cores."""
    step = max(1, _BLOCK_CELLS // width)
    blocks.map_tasks(lambda first: work(first, min(first + step, n_rows)), range(0, n_rows, step))


def looked_up(table: NDArray[Any], sizes: NDArray[np.int64], out: NDArray[Any]) -> NDArray[Any]:
    """The row of a table for each size."""
    np.take(opaque(table), sizes, out=opaque(out), mode="clip")
    return out


def inside(width: int) -> NDArray[np.bool_]:
    """For each size from 0 to `width` which cells a row of that size has."""
    cells: NDArray[np.bool_] = np.arange(width) < np.arange(width + 1)[:, None]
    return cells


def copy_windows(data: NDArray[Any], starts: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Copy as many items as `out` is wide from each start; what lies behind the end of the data is arbitrary."""
    width = out.shape[1]
    last = len(data) - width
    if len(starts) and int(starts.max()) > last:
        low = int(starts.min())
        data = np.concatenate([data[low:], np.zeros(width, data.dtype)])
        starts, last = starts - low, len(data) - width
    windows = np.ndarray((last + 1,), np.dtype((np.void, width * data.itemsize)), data, strides=(data.itemsize,))
    opaque(out)[:] = windows[starts]  # not np.take: it would write all windows out first


def filter_cells(cells: NDArray[Any], sizes: NDArray[np.int64], out: NDArray[Any]) -> None:
    """The cells of a block that belong to rows, one after the other: polars filters 20M in 10 ms, numpy in 40."""
    if cells.size < _FEW_CELLS:
        out[:] = cells[np.arange(cells.shape[1]) < sizes[:, None]]
        return
    import polars as pl

    mask = looked_up(inside(cells.shape[1]), sizes, empty(cells.size, np.bool_).reshape(cells.shape))
    out[:] = pl.Series(cells.reshape(-1)).filter(pl.Series(mask.reshape(-1))).to_numpy()
