"""The nearest row of a matrix for many vectors: BLAS finds candidates, exact distances decide between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.reduce.float_sums import row_sums

__all__ = ["distances", "nearest"]


def distances(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared distances of pairs of rows of two matrices, added in the order of `float_sums`."""
    apart = np.subtract(one, two).reshape(-1)
    out = empty(len(one), np.float64)
    row_sums(apart * apart, None, np.arange(len(one) + 1) * one.shape[1], out)
    return out


def nearest(vectors: NDArray[Any], matrix: NDArray[Any], metric: str = "l2") -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The row of a matrix that is nearest to each vector, the first of equally near ones.

    Parameters
    ----------
    vectors : (n, width) array
    matrix : (m, width) array, m at least 1
    metric : "l2" or "cosine"

    Returns
    -------
    (n,) int64 array
    (n,) bool array
        False where no distance is a number.

    Notes
    -----
    O(n * m * width) in BLAS, in blocks on all cores. Its sums depend on the shape of a block; so rows of the matrix whose
    distance is within the possible rounding of the smallest one are compared again, by differences added in a fixed order.
    """
    vectors, matrix = vectors.astype(np.float64), np.ascontiguousarray(matrix, np.float64)
    n, width = vectors.shape
    if metric == "cosine":
        vectors, matrix = _scaled(vectors), _scaled(matrix)
    squares = np.einsum("ij,ij->i", matrix, matrix)
    largest = float(np.max(squares[np.isfinite(squares)], initial=0))
    out, known = empty(n, np.int64), empty(n, np.bool_)
    step = max(1, strategy.sizes.LARGE_VALUES // max(len(matrix), width, 1))

    def work(first: int) -> None:
        part = vectors[first : first + step]
        with np.errstate(all="ignore"):
            apart = part @ matrix.T
            apart *= -2
            apart += squares
            apart[np.isnan(apart)] = np.inf
            best = apart.argmin(axis=1)
            least = apart[np.arange(len(part)), best]
            own = np.einsum("ij,ij->i", part, part)
            slack = (width + 8) * 4 * np.finfo(np.float64).eps * (own + largest)
            close = apart <= (least + slack)[:, None]
            rows = (np.count_nonzero(close, axis=1) > 1).nonzero()[0]
            if len(rows):
                which, candidates = close[rows].nonzero()
                exact = distances(part[rows[which]], matrix[candidates])
                begins = np.searchsorted(which, np.arange(len(rows)))
                lowest = np.fmin.reduceat(exact, begins)
                hits = (exact == lowest[which]).nonzero()[0]
                owners, at = np.unique(which[hits], return_index=True)
                best[rows[owners]] = candidates[hits[at]]
            known[first : first + step] = np.isfinite(least) & np.isfinite(own)
        out[first : first + step] = best

    blocks.map_tasks(work, range(0, n, step))
    return out, known


def _scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        scaled: NDArray[np.float64] = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return scaled
