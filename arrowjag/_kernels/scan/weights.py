"""Weights inside rows: softmax. One result for each item, computed block by block so that temporaries stay in cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.reduce.float_sums import row_sums
from arrowjag._kernels.reduce.segments import Block, over_blocks, reduceat, result_type, shifted

__all__ = ["softmax"]


def softmax(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], beta: float = 1.0
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """exp(beta * x) of each item over the row's sum of them.

    Parameters
    ----------
    data : (n_values,) array of floats or integers
    valid : (n_values,) bool array, optional
        Nulls take no part.
    offsets : (n_rows + 1,) int64 array
    beta : float

    Returns
    -------
    (n_values,) array of the same dtype, float64 for integers
        NaN in rows that hold a NaN or whose largest exponent is infinite.
    valid : (n_values,) bool array or None
        As given.

    Notes
    -----
    O(n_values), on all cores. Half precision is computed in float32.
    """
    target = result_type(data.dtype)
    wide = np.float32 if target == np.float16 else target
    out = empty(len(data), target)
    pivot = np.minimum if beta < 0 else np.maximum

    def work(block: Block) -> None:
        sizes = row_sizes(block.offsets)
        values = shifted(block, pivot) if data.dtype.kind in "iu" else block.filled(0, wide)
        scaled = values * np.asarray(beta, wide)
        if block.valid is not None:
            scaled[~block.valid] = -np.inf
        top = zeros(len(sizes), wide)
        reduceat(np.maximum, scaled, block.offsets, top)
        scaled -= top.repeat(sizes)
        np.exp(scaled, out=scaled)
        if block.valid is not None:
            scaled[~block.valid] = 0  # where all are null, the distance from their -inf is NaN
        total = empty(len(sizes), np.float64)
        row_sums(scaled, None, block.offsets, total)
        out[block.items] = scaled / total.repeat(sizes)

    over_blocks(work, data, valid, offsets)
    return out, valid
