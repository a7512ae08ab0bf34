"""Runs of equal neighbours inside rows; NaN equals NaN and a null equals a null."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.offsets import run_sizes
from arrowjag._kernels.equal.groups import marked
from arrowjag._kernels.order.sort import Key

__all__ = ["equal_runs"]


def equal_runs(key: Key, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Runs of neighbours that are equal, within rows.

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
        Cuts the runs into rows.
    starts : int64 array
        The first item of each run.
    sizes : int64 array
        The number of items of each run.

    Notes
    -----
    O(n_rows + n_values), on all cores.
    """
    n = len(key[0])
    if n <= strategy.sizes.CALL_VALUES:  # each `fill` takes 6 us
        _changes(key, slice(0, n), begins := np.empty(n, np.bool_))
    else:
        begins = fill(lambda items, out: _changes(key, items, out), n, np.bool_)
    heads = offsets[:-1]  # including the first row
    begins[heads[heads < offsets[1:]]] = True
    cut, starts = marked(begins, offsets)
    return cut, starts, run_sizes(starts, n) if n <= strategy.sizes.CALL_VALUES else _sizes(starts, n)


def _changes(key: Key, items: slice, out: NDArray[np.bool_]) -> None:
    """Write which items of a slice differ from the item before them; the entry of the very first item stays unset."""
    data, valid = key
    first = max(items.start, 1)
    now, before = slice(first, items.stop), slice(first - 1, items.stop - 1)
    change = out[first - items.start :]
    np.not_equal(data[now], data[before], out=change)
    if holds_nan(data[now]):
        change &= ~(np.isnan(data[now]) & np.isnan(data[before]))
    if valid is not None:
        change &= valid[now] | valid[before]
        change |= valid[now] != valid[before]


def _sizes(starts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The lengths of runs that begin at `starts`, computed on all cores; the last one ends at n."""

    def work(items: slice, out: NDArray[np.int64]) -> None:
        ends = starts[items.start + 1 : items.stop + 1]
        out[len(ends) :] = n
        out[: len(ends)] = ends
        out -= starts[items]

    return fill(work, len(starts), np.int64)
