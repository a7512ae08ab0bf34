"""Means of items that are drawn from each row with replacement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.reduce.float_sums import row_sums
from arrowjag._kernels.reduce.segments import drop_nulls, result_type

__all__ = ["bootstrap_means"]


def bootstrap_means(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], n: int, seed: int
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """n means per row, each of as many items as the row has, drawn with replacement.

    Parameters
    ----------
    data : (n_values,) array of numbers
    valid : (n_values,) bool array, optional
        Nulls are not drawn.
    offsets : (n_rows + 1,) int64 array
    n : int
    seed : int

    Returns
    -------
    (n_rows, n) array of the data's float type, float64 for others; (n_rows,) bool array, False for rows without items, or None

    Notes
    -----
    O(n * n_values). All rows are drawn from together; the draws don't depend on how many means are computed at once.
    """
    data, offsets = drop_nulls(data, valid, offsets)
    generator = np.random.default_rng(seed)
    sizes = row_sizes(offsets)
    n_rows, n_values = len(sizes), len(data)
    out = empty(n_rows * n, np.float64).reshape(n, n_rows)
    together = max(1, strategy.sizes.CACHE_VALUES // max(n_values, n_rows, 1))
    starts, widths = offsets[:-1].repeat(sizes), sizes.repeat(sizes).astype(np.float64)
    for first in range(0, n, together):
        part = out[first : first + together]
        draws = generator.random((len(part), n_values))
        draws *= widths
        items = draws.astype(np.int64)
        items += starts
        cut = np.append((np.arange(len(part))[:, None] * n_values + offsets[:-1]).reshape(-1), len(part) * n_values)
        row_sums(data[items.reshape(-1)], None, cut, part.reshape(-1))
    with np.errstate(all="ignore"):
        out /= sizes
        means = np.ascontiguousarray(out.T).astype(result_type(data.dtype), copy=False)
    full = sizes > 0
    return means, None if full.all() else full
