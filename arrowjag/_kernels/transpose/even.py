"""Compute the destination of every atom of dims whose rows are all of one size, as a sum of one number per dim."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_cells
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import of_size

__all__ = ["even", "is_even"]


def is_even(offsets: NDArray[np.int64], size: int) -> bool:
    """Whether all rows have this size."""
    n_rows = len(offsets) - 1
    return int(offsets[-1]) == n_rows * size and bool((offsets[:-1] == np.arange(n_rows) * size).all())


def even(n_frames: int, sizes: list[int], order: Sequence[int], first: int) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """Permute frames of dims of these sizes.

    Parameters
    ----------
    n_frames : int
    sizes : list of int
        Of the dims from number `first` on.
    order : sequence of int
        The numbers of these dims in their new order.
    first : int

    Returns
    -------
    list of int64 arrays
        The offsets of the dims in their new order.
    int64 array
        The position of each atom of the result.
    """
    new = [d - first for d in order]
    moved, n_atoms = [], n_frames
    for size in (sizes[d] for d in new):
        moved.append(of_size(size, n_atoms))
        n_atoms *= size
    if not n_atoms:  # the products of declared extents may have more than 64 bits
        return moved, np.empty(0, np.int64)
    apart = [math.prod(sizes[d + 1 :]) for d in new]
    axes = [np.arange(n_frames) * math.prod(sizes), *(np.arange(sizes[d]) * step for d, step in zip(new, apart, strict=True))]
    longer = [axis for axis in axes if len(axis) > 1] or axes[:1]
    return moved, functools.reduce(lambda inner, outer: _all_sums(outer, inner), reversed(longer))


def _all_sums(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add each item of `one` to each item of `two`, which vary fastest; in blocks, on all cores."""
    out = empty(len(one) * len(two), np.int64).reshape(len(one), len(two))

    def work(first: int, last: int) -> None:
        if len(two) >= strategy.sizes.FEW_COLUMNS:
            np.add(one[first:last, None], two, out=out[first:last])
            return
        for place, number in enumerate(two):  # numpy would call its loop once per row, also for short rows
            np.add(one[first:last], number, out=out[first:last, place])

    map_cells(work, len(one), 8 * len(two))
    return out.reshape(-1)
