"""Compute quantiles of windows, which are sorted, or kept sorted while they slide, or searched by the ranks of their items."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.extremes import holds_nan, largest_magnitude
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts, longest_of
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.move.scatter import inverse
from arrowjag._kernels.reduce.quantiles import check_interpolation, mixed, of_table, slots_of
from arrowjag._kernels.reduce.segments import result_type, without_signed_zeros
from arrowjag._kernels.scan.windows import Windows

__all__ = ["quantiles"]


def quantiles(data: NDArray[Any], windows: Windows, q: float, interpolation: str = "linear") -> NDArray[Any]:
    """The q-quantile of each window; a NaN gives NaN; 0 for a window without items.

    Parameters
    ----------
    data : (n_values,) array of numbers
        Without nulls.
    windows : Windows
        Positions among the data.
    q : float
        From 0 to 1.
    interpolation : str
        As in `reduce.quantile`.

    Returns
    -------
    array of the data's float type, float64 for others
        One item per window.

    Notes
    -----
    Short windows are sorted one by one, O(items of all windows), or kept sorted by a compiled loop, which moves a quarter of a
    window per item on average. Long windows, and those that grow along the row, are searched by ranks, O(n_values log n_values)
    for windows of any size.
    """
    check_interpolation(interpolation)
    low, high = windows
    target = result_type(data.dtype)
    sizes = high - low
    data = np.ascontiguousarray(_as_floats(data, sizes, q, interpolation))
    loop = find_loop("window_select", data.dtype, False, len(low), often=True)
    has_nan = holds_nan(data)
    is_short = len(data) <= strategy.sizes.RANK_SLOTS  # no window is longer
    mean_size = len(data) if is_short else int(np.add.reduce(sizes)) // max(1, len(sizes))
    by = strategy.choose("window_quantile", loop is not None and not has_nan, mean_size)
    if by == "compiled" and loop is not None:
        return _slide(loop, data, windows, sizes, q, interpolation, target)
    out = zeros(len(low), target)
    if by == "ranks":
        return _search(data, windows, q, interpolation, out)
    order = np.argsort(sizes, kind="stable")
    cut = from_counts(np.bincount(sizes, minlength=1)).tolist()

    def work(task: tuple[int, int, int]) -> None:
        size, first, last = task
        items = order[first:last]
        table = blocks.rows_2d(data, low[items], size)
        with np.errstate(all="ignore"):
            out[items] = of_table(table.copy() if len(items) == 1 else table, q, interpolation, out.dtype)

    tasks = []
    for size in range(1, len(cut) - 1):
        step = max(1, strategy.sizes.BATCH_VALUES // size)
        tasks += [(size, first, min(first + step, cut[size + 1])) for first in range(cut[size], cut[size + 1], step)]
    if int(sizes.sum()) < strategy.sizes.THREAD_VALUES:
        for task in tasks:
            work(task)
    else:
        blocks.map_tasks(work, tasks)
    return out


def _as_floats(data: NDArray[Any], sizes: NDArray[np.int64], q: float, interpolation: str) -> NDArray[Any]:
    """Convert integers to float64 if any two mix to the same number, which the loop of floats then does."""
    if data.dtype.kind == "f" or not len(data):
        return data
    if data.dtype.itemsize == 8:
        _, _, weights = slots_of(np.arange(longest_of(sizes)), q, interpolation)
        is_exact = bool(((weights == 0) | (weights == 0.5)).all())
        if not is_exact or largest_magnitude(data) > 2**51:
            return data
    return data.astype(np.float64)


def _slide(
    loop: compiled.Compiled,
    data: NDArray[Any],
    windows: Windows,
    sizes: NDArray[np.int64],
    q: float,
    interpolation: str,
    target: np.dtype[Any],
) -> NDArray[Any]:
    """The q-quantile of each window by a compiled loop; there are no nulls and no NaN."""
    low, high = windows
    longest = longest_of(sizes)
    below, above, weights = (_slots_of_few if longest < strategy.sizes.CALL_VALUES else _slots)(longest, q, interpolation)
    is_float = data.dtype.kind == "f"
    ends = [data[:0] if is_float else empty(len(low), data.dtype) for _ in range(2)]
    mixed_items = zeros(len(low), np.float64) if is_float else empty(0, np.float64)
    step = -(-len(low) // (blocks.n_cores() if len(low) >= strategy.sizes.THREAD_VALUES else 1))

    def work(first: int) -> None:
        scratch = empty(longest, data.dtype)
        loop(data, low, high, first, min(first + step, len(low)), below, above, weights, scratch, *ends, mixed_items)

    if len(low) < strategy.sizes.THREAD_VALUES:
        work(0)
    else:
        blocks.map_tasks(work, range(0, len(low), max(step, 1)))
    if is_float:
        return without_signed_zeros(mixed_items).astype(target, copy=False)
    out, full = zeros(len(low), target), sizes > 0
    lower, upper = (one[full] for one in ends)
    with np.errstate(all="ignore"):
        out[full] = mixed(lower, upper, lower, weights[sizes[full]], out.dtype)
    return out


def _slots(longest: int, q: float, interpolation: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the slots of a quantile in sorted windows of each size up to the longest, as `slots_of` does."""
    return slots_of(np.maximum(np.arange(longest + 1) - 1, 0), q, interpolation)


_slots_of_few = functools.lru_cache(64)(_slots)
"""As `_slots`; its arrays are kept, and never written."""


def _search(data: NDArray[Any], windows: Windows, q: float, interpolation: str, out: NDArray[Any]) -> NDArray[Any]:
    """Fill `out` by the ranks of the items; there are no nulls."""
    low, high = windows
    full = high > low
    low, high = low[full], high[full]
    order = np.argsort(data, kind="stable")
    ranks = inverse(order)
    below, above, weights = slots_of(high - low - 1, q, interpolation)
    lower = data[order[_kth_smallest(ranks, low, high, below)]]
    upper, between = lower.copy(), above > below
    upper[between] = data[order[_kth_smallest(ranks, low[between], high[between], above[between])]]
    largest = lower
    if data.dtype.kind == "f":
        nans = zeros(len(data) + 1, np.int64)
        np.cumsum(np.isnan(data), out=nans[1:])
        largest = np.where(nans[high] > nans[low], data.dtype.type(np.nan), lower)
    with np.errstate(all="ignore"):
        out[full] = mixed(lower, upper, largest, weights, out.dtype)
    return out


def _kth_smallest(
    ranks: NDArray[np.int64], low: NDArray[np.int64], high: NDArray[np.int64], k: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find the k-th smallest of the different ranks from `low` to before `high`, for many ranges at once.

    Notes
    -----
    This is a wavelet matrix. For each bit, from the highest on, ranks are partitioned by the bit in a stable way, and a range
    becomes that of its ranks without the bit; or with the bit, if at most k of its ranks lack it.
    """
    n = len(ranks)
    low, high, k = low.copy(), high.copy(), k.copy()
    found = zeros(len(k), np.int64)
    for bit in reversed(range((n - 1).bit_length())):
        is_set = (ranks >> bit) & 1 == 1
        before = zeros(n + 1, np.int64)
        np.cumsum(~is_set, out=before[1:])
        first, last = before[low], before[high]
        without = last - first
        up = k >= without
        n_without = int(before[-1])
        low = np.where(up, low - first + n_without, first)
        high = np.where(up, high - last + n_without, last)
        k -= np.where(up, without, 0)
        found += up.astype(np.int64) << bit
        ranks = np.concatenate([ranks[~is_set], ranks[is_set]])
    return found
