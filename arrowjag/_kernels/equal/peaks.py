"""Items that are greater than their neighbours in their row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import filter_rows
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.equal.repeats import equal_runs

__all__ = ["local_maxima"]


def local_maxima(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item is greater than its neighbours in its row; of equal neighbours the middle one, of two the first.

    Parameters
    ----------
    data : (n_values,) integer or float array
        NaN is not greater than anything, and nothing is greater than NaN.
    valid : (n_values,) bool array, optional
        Nulls are left out, as if their neighbours stood next to each other.
    offsets : (n_rows + 1,) int64 array

    Notes
    -----
    O(n_rows + n_values): two comparisons where neighbours differ; runs of equal items need twenty times as long, and the compiled
    loop twice.
    """
    loop = strategy.loop_of("peaks", find_loop("peaks", data.dtype, valid is not None, len(data), often=True))
    found = _inner_peaks(data, offsets) if valid is None else None
    if found is not None:
        return found
    flags = zeros(len(data), np.bool_)
    if loop is not None:
        values = np.ascontiguousarray(data)
        map_rows(lambda first, last: loop(values, valid, offsets, first, last, flags), offsets)
    elif valid is None:
        _flag_middles(data, offsets, flags)
    else:
        flags[valid] = local_maxima(data[valid], None, filter_rows(valid, offsets))
    return flags


def _inner_peaks(data: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Whether each item is greater than its neighbours, without nulls; None if neighbours are equal or a NaN is among them."""
    found = empty(len(data), np.bool_)

    def work(first: int, last: int) -> bool:
        items, cut = slice(int(offsets[first]), int(offsets[last])), offsets[first : last + 1]
        own = data[items]
        rises, drops = own[1:] > own[:-1], own[1:] < own[:-1]
        if np.count_nonzero(rises) + np.count_nonzero(drops) < len(own) - 1:
            return False
        np.logical_and(rises[:-1], drops[1:], out=found[items][1:-1])
        _clear_ends(found, cut)
        return True

    return found if all(map_rows(work, offsets, block_values=strategy.sizes.CACHE_VALUES)) else None


def _flag_middles(data: NDArray[Any], offsets: NDArray[np.int64], flags: NDArray[np.bool_]) -> None:
    """Flag the middle item of each run of equal items that is greater than the runs around it."""
    cut, starts, sizes = equal_runs((data, None), offsets)
    level = data[starts]
    is_peak = zeros(len(starts), np.bool_)
    if len(starts) > 2:
        is_peak[1:-1] = (level[1:-1] > level[:-2]) & (level[1:-1] > level[2:])
        _clear_ends(is_peak, cut)
    flags[(starts + (sizes - 1) // 2)[is_peak]] = True


def _clear_ends(flags: NDArray[np.bool_], offsets: NDArray[np.int64]) -> None:
    """Clear the flags of the first and the last item of each row."""
    full = offsets[1:] > offsets[:-1]
    flags[offsets[:-1][full]] = False
    flags[offsets[1:][full] - 1] = False
