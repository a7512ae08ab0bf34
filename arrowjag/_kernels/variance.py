"""The variance of each row: from sums of squares where they lose no digits, around the means of rows elsewhere."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.flat import spread
from arrowjag._kernels.gather import take_rows
from arrowjag._kernels.masks import filled
from arrowjag._kernels.memory import empty, zeros
from arrowjag._kernels.segments import LARGE_BLOCKS, Block, moments, reduce_rows

__all__ = ["std", "var"]

_TRUSTED = 61.8
"""How many times as large as the result the square of the mean may be: six of 53 bits are lost. No whole number, for exact ties."""

_ROUNDING = 2.0**-62
"""A mean of n items is off by some roundings. What that adds to the squares is taken off where it is not lost beside them."""

_PROBES = 64
"""Values of a block that say which way suits most of its rows."""

_Way = Callable[[NDArray[np.float64], NDArray[np.bool_] | None, NDArray[np.int64], "_Sums"], NDArray[np.float64]]


class _Sums(NamedTuple):
    """What both ways know of each row."""

    n: NDArray[np.float64]
    means: NDArray[np.float64]


def var(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The variance of each row, stable; null where a row has `ddof` items or fewer; types as `mean`."""
    return moments(lambda block, out: _variance(block, out, ddof), data, valid, offsets, LARGE_BLOCKS)


def std(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The standard deviation of each row; as `var` otherwise."""

    def work(block: Block, out: NDArray[np.float64]) -> NDArray[np.bool_]:
        enough = _variance(block, out, ddof)
        np.sqrt(out, out=out)
        return enough

    return moments(work, data, valid, offsets, LARGE_BLOCKS)


def _variance(block: Block, out: NDArray[np.float64], ddof: int) -> NDArray[np.bool_]:
    # Sums of squares are 25 ms of work for 5M float64 in 500k rows. Deviations are 35: the mean of a row has to be spread over its
    # items. One way does all rows of a block; those that belong to the other are done anew, so that what a row gives depends on no
    # other row.
    values, valid = block.filled(0, np.float64), block.valid
    n = block.counts.astype(np.float64)
    means = zeros(len(out), np.float64)
    reduce_rows(np.add, values, block.offsets, means)
    means /= n
    near = _near_zero(block)
    first, second = (_from_squares, _from_deviations) if near else (_from_deviations, _from_squares)
    out[:] = first(values, valid, block.offsets, _Sums(n, means))
    by_squares = n * means * means <= _TRUSTED * out
    rows = ((by_squares != near) & (n > 0)).nonzero()[0]
    if len(rows):
        offsets, items = take_rows(block.offsets, rows)
        out[rows] = second(values[items], None if valid is None else valid[items], offsets, _Sums(n[rows], means[rows]))
    enough: NDArray[np.bool_] = n > builtins.max(ddof, 0)
    n -= ddof
    out /= n
    return enough


def _near_zero(block: Block) -> bool:
    """Whether most values lie nearer to 0 than a few times their spread."""
    step = builtins.max(1, len(block.data) // _PROBES)
    probes = block.data[::step]
    if block.valid is not None:
        probes = probes[block.valid[::step]]
    total = float(np.add.reduce(probes, dtype=np.float64))
    squares = float(np.add.reduce(np.multiply(probes, probes, dtype=np.float64)))
    return not len(probes) or total * total <= len(probes) * squares * _TRUSTED / (_TRUSTED + 2)


def _from_squares(
    values: NDArray[np.float64], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], sums: _Sums
) -> NDArray[np.float64]:
    """The sum of squared deviations of each row, as the sum of squares less what the mean accounts for; nulls are 0 already."""
    del valid
    squares = zeros(len(sums.n), np.float64)
    reduce_rows(np.add, np.multiply(values, values, out=empty(len(values), np.float64)), offsets, squares)
    squares -= sums.n * sums.means * sums.means
    return squares


def _from_deviations(
    values: NDArray[np.float64], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], sums: _Sums
) -> NDArray[np.float64]:
    """The sum of squared deviations of each row, one by one."""
    deviations = _deviations(values, valid, offsets, sums.means)
    squares = zeros(len(sums.n), np.float64)
    reduce_rows(np.add, np.multiply(deviations, deviations, out=deviations), offsets, squares)
    tiny = (squares > 0) & (squares < np.square(sums.n * sums.means) * _ROUNDING)
    if tiny.any():
        rows = tiny.nonzero()[0]
        offsets, items = take_rows(offsets, rows)
        left = zeros(len(rows), np.float64)
        deviations = _deviations(values[items], None if valid is None else valid[items], offsets, sums.means[rows])
        reduce_rows(np.add, deviations, offsets, left)
        squares[rows] -= left * left / sums.n[rows]
    return squares


def _deviations(
    values: NDArray[np.float64], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], means: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Each item less the mean of its row; 0 for a null. A new array."""
    found = empty(len(values), np.float64)
    if len(values):
        spread(means, offsets, slice(0, len(values)), found)
    np.subtract(values, found, out=found)
    return found if valid is None else filled(found, valid, 0)
