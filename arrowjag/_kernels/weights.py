"""Weights inside rows: softmax. One result for each item, computed block by block so that temporaries stay in cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.memory import empty_like, zeros
from arrowjag._kernels.offsets import row_sizes
from arrowjag._kernels.segments import Block, over_blocks, reduceat

__all__ = ["softmax"]


def softmax(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], beta: float = 1.0
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """exp(beta * x) of each item over the row's sum of them.

    Parameters
    ----------
    data : (n_values,) float array
    valid : (n_values,) bool array, optional
        Nulls take no part.
    offsets : (n_rows + 1,) int64 array
    beta : float

    Returns
    -------
    (n_values,) array of the same dtype
        NaN in rows that hold a NaN or whose largest exponent is infinite.
    valid : (n_values,) bool array or None
        As given.

    Notes
    -----
    O(n_values), on all cores. Half precision is computed in float32.
    """
    wide = np.float32 if data.dtype == np.float16 else data.dtype
    out = empty_like(data)

    def work(block: Block) -> None:
        sizes = row_sizes(block.offsets)
        scaled = block.filled(0, wide) * np.asarray(beta, wide)
        if block.valid is not None:
            scaled[~block.valid] = -np.inf
        top = zeros(len(sizes), wide)
        reduceat(np.maximum, scaled, block.offsets, top)
        scaled -= top.repeat(sizes)
        np.exp(scaled, out=scaled)
        if block.valid is not None:
            scaled[~block.valid] = 0  # where all are null, the distance from their -inf is NaN
        total = np.ones(len(sizes), np.float64)
        reduceat(np.add, scaled.astype(np.float64, copy=False), block.offsets, total)
        out[block.items] = scaled / total.repeat(sizes)

    over_blocks(work, data, valid, offsets)
    return out, valid
