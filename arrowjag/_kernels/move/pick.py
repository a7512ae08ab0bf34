"""Find the numbers of the items at positions of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.compiled.library import find_loop

__all__ = ["items_at"]


def items_at(
    offsets: NDArray[np.int64], rows: NDArray[np.int64] | None, position: NDArray[Any] | int
) -> tuple[NDArray[np.int64], int | None]:
    """Return the number of the item at a position of each row.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    rows : (n,) int64 array, optional
        Row numbers, within range. By default position i is one of row i, and a single row takes all positions.
    position : (n,) integer array of up to 63 bits, or int
        Negative counts from the end of the row.

    Returns
    -------
    items : (n,) int64 array
    outside : int or None
        The first position that its row lacks, if there is one. The entry of `items` there must not be used.

    Notes
    -----
    O(n), a new array, on all cores, in blocks that stay in cache: 5M positions in 500k rows take 16 ms of CPU time, where whole
    arrays of starts and sizes take 66; with a compiled loop 5.
    """
    n = len(position) if isinstance(position, np.ndarray) else len(offsets) - 1 if rows is None else len(rows)
    items, step = empty(n, np.int64), strategy.sizes.WORD_VALUES
    one_for_all = rows is None and len(offsets) - 1 != n
    as_array = isinstance(position, np.ndarray) and not one_for_all
    loop = strategy.loop_of("picked", find_loop("picked", np.dtype(np.int64), rows is None, n) if as_array else None)

    def work(start: int) -> int | None:
        end = min(start + step, n)
        if loop is not None and isinstance(position, np.ndarray):
            whole = np.ascontiguousarray(position[start:end], np.int64)
            own = None if rows is None else rows[start:end]
            wrong = loop(whole, offsets if own is not None else offsets[start:], own, 0, end - start, items[start:end])
            return start + wrong - 1 if wrong else None
        starts, ends = _bounds(offsets, rows, start, end)
        slots = position[start:end] if isinstance(position, np.ndarray) else position
        found = np.add(starts, slots, out=items[start:end])
        if one_for_all and found.min() >= starts and found.max() < ends:
            return None
        below = np.less(slots, 0)
        if below.any():
            np.add(found, np.subtract(ends, starts), out=found, where=below)
        # A sum that wraps becomes negative, and so smaller than any start.
        outside = (found < starts) | (found >= ends)
        return start + int(outside.argmax()) if outside.any() else None

    wrong = [one for one in map_tasks(work, range(0, n, step)) if one is not None]
    return items, min(wrong, default=None)


def _bounds(offsets: NDArray[np.int64], rows: NDArray[np.int64] | None, start: int, end: int) -> tuple[Any, Any]:
    """Return where rows begin and end; one number each if there is one row."""
    if len(offsets) == 2:
        return offsets[0], offsets[1]
    if rows is None:
        return offsets[start:end], offsets[start + 1 : end + 1]
    return offsets.take(rows[start:end], mode="clip"), offsets[1:].take(rows[start:end], mode="clip")
