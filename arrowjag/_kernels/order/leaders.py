"""The first equal item of each item's row, by a compiled loop: what distinct items and their number are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import compiled
from arrowjag._kernels.base.codes import same_bits
from arrowjag._kernels.base.loops import find_loop, table_for
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes

__all__ = ["find_leaders", "leaders"]


def find_leaders(data: NDArray[Any], valid: NDArray[np.bool_] | None) -> compiled.Compiled | None:
    """The compiled loop for the bits of items, if it is ready."""
    if data.dtype.kind not in "buif" or data.dtype.itemsize > 8:
        return None
    return find_loop("leaders", np.dtype(f"u{data.dtype.itemsize}"), valid is not None, len(data))


def leaders(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The first equal item of each item, -1 for a null, and the number of distinct items of each row; None without a loop.

    NaN equals NaN, and -0.0 equals 0.0. O(n_values): 5M float64 in 500k rows take 28 ms of one core, in rows of 1,000 as well.
    """
    loop = find_leaders(data, valid)
    if loop is None:
        return None
    table = table_for(int(row_sizes(offsets).max(initial=0)))
    found, counts = empty(len(data), np.int64), empty(len(offsets) - 1, np.int64)
    loop(same_bits(data), valid, offsets, 0, len(counts), table, len(table) - 1, found, counts)
    return found, counts
