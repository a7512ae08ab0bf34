"""The variance of each row, in two passes: the mean, then squared deviations from it, with the correction term."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import filled, spread
from arrowjag._kernels.base.loops import find_loop
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.reduce.float_sums import row_sums
from arrowjag._kernels.reduce.segments import Block, moments, shifted

__all__ = ["std", "var", "variance_of"]


def var(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The variance of each row, exact for integers of 64 bits; null where a row has `ddof` items or fewer; types as `mean`.

    All sums are taken in the order that `float_sums` documents. The squared sum of the deviations, divided by their number, is
    subtracted: it would be 0 if the mean were exact.
    """
    return moments(lambda block, out: variance_of(block, out, ddof), data, valid, offsets, strategy.sizes.LARGE_VALUES)


def std(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The standard deviation of each row; as `var` otherwise."""

    def work(block: Block, out: NDArray[np.float64]) -> NDArray[np.bool_]:
        enough = variance_of(block, out, ddof)
        np.sqrt(out, out=out)
        return enough

    return moments(work, data, valid, offsets, strategy.sizes.LARGE_VALUES)


def variance_of(block: Block, out: NDArray[np.float64], ddof: int) -> NDArray[np.bool_]:
    """Fill `out` with the variances of a block, and say which rows have more than `ddof` items."""
    n = block.counts.astype(np.float64)
    data = block.data if block.data.dtype.kind == "f" else shifted(block)
    loop = find_loop("squares", data.dtype, block.valid is not None, len(data))
    if strategy.choose("variance", loop is not None) == "compiled" and loop is not None:
        loop(np.ascontiguousarray(data), block.valid, block.offsets, 0, len(out), out)
    else:
        _squares(data, block.valid, block.offsets, n, out)
    np.maximum(out, 0, out=out)  # the correction can leave a rounding below 0
    enough: NDArray[np.bool_] = n > builtins.max(ddof, 0)
    n -= ddof
    out /= n
    return enough


def _squares(
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    n: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """The sum of squared deviations of each row, as the compiled loop of this name computes it."""
    row_sums(data, valid, offsets, out)
    deviations = empty(len(data), np.float64)
    if len(data):
        spread(out / n, offsets, slice(0, len(data)), deviations)
    np.subtract(data, deviations, out=deviations)
    if valid is not None:
        deviations = filled(deviations, valid, 0)
    correction = empty(len(out), np.float64)
    row_sums(deviations, None, offsets, correction)
    row_sums(np.multiply(deviations, deviations, out=deviations), None, offsets, out)
    correction *= correction
    correction /= n
    out -= correction
