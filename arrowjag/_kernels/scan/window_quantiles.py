"""Quantiles over windows: the windows of one size are sorted side by side, or one sorted buffer slides along each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.loops import find_loop
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.reduce.quantiles import check_interpolation, mixed, of_table, slots_of
from arrowjag._kernels.reduce.segments import result_type
from arrowjag._kernels.scan.windows import Windows

__all__ = ["quantiles"]


def quantiles(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, windows: Windows, q: float, interpolation: str = "linear"
) -> NDArray[Any]:
    """The q-quantile of each window; nulls are left out, a NaN gives NaN; 0 for a window without items.

    Parameters
    ----------
    data : (n_values,) array of numbers
    valid : (n_values,) bool array, optional
    windows : Windows
    q : float
        From 0 to 1.
    interpolation : str
        As in `reduce.quantile`.

    Returns
    -------
    (n_values,) array of the data's float type, float64 for others

    Notes
    -----
    Sorting takes O(items of all windows); a compiled loop moves on average a quarter of a window per item instead.
    """
    check_interpolation(interpolation)
    low, high = windows
    if valid is not None:
        before = np.zeros(len(data) + 1, np.int64)
        np.cumsum(valid, out=before[1:])
        data, low, high = data[valid], before[low], before[high]
    data = np.ascontiguousarray(data)
    out = zeros(len(low), result_type(data.dtype))
    sizes = high - low
    loop = find_loop("window_select", data.dtype, False, len(low))
    has_nan = data.dtype.kind == "f" and len(data) > 0 and np.isnan(np.minimum.reduce(data))
    if strategy.choose("window_quantile", loop is not None and not has_nan) == "compiled" and loop is not None:
        return _slide(loop, data, Windows(low, high), q, interpolation, out)
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


def _slide(
    loop: compiled.Compiled, data: NDArray[Any], windows: Windows, q: float, interpolation: str, out: NDArray[Any]
) -> NDArray[Any]:
    """Fill `out` by a compiled loop; there are no nulls and no NaN."""
    low, high = windows
    sizes = high - low
    longest = int(sizes.max(initial=0))
    below, above, weights = slots_of(np.maximum(np.arange(longest + 1) - 1, 0), q, interpolation)
    is_float = data.dtype.kind == "f"
    ends = [empty(0 if is_float else len(low), data.dtype) for _ in range(2)]
    mixed_items = zeros(len(low), np.float64) if is_float else empty(0, np.float64)
    step = -(-len(low) // (blocks.n_cores() if len(low) >= strategy.sizes.THREAD_VALUES else 1))

    def work(first: int) -> None:
        scratch = empty(longest, data.dtype)
        loop(data, low, high, first, min(first + step, len(low)), below, above, weights, scratch, *ends, mixed_items)

    blocks.map_tasks(work, range(0, len(low), max(step, 1)))
    if is_float:
        return mixed_items.astype(out.dtype, copy=False)
    full = sizes > 0
    lower, upper = (one[full] for one in ends)
    with np.errstate(all="ignore"):
        out[full] = mixed(lower, upper, lower, weights[sizes[full]], out.dtype)
    return out
