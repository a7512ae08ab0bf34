"""Whether sums and products of integers fit 64 bits: first by a cheap bound, and where that is not enough by exact sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.offsets import longest_of, row_sizes
from arrowjag._kernels.reduce.segments import Block
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError

__all__ = ["may_overflow", "raise_overflow", "sum_halves", "sums_overflow"]


def may_overflow(values: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    """Whether the largest magnitude times the length of the longest row exceeds the type. If not, no sum of a row does."""
    # If no value is negative, the bits that are set in any of them are an upper bound: one pass, where the extremes take two.
    bits = int(np.bitwise_or.reduce(values))
    largest = bits if bits >= 0 else largest_magnitude(values)
    return largest * longest_of(row_sizes(offsets)) > np.iinfo(values.dtype).max


def sum_halves(
    values: NDArray[Any], add: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sums of 64-bit integers as ``high * 2**32 + low``, exact for fewer than 2**31 items per sum.

    Parameters
    ----------
    values : array of int64 or uint64
    add : callable
        Returns the sums of int64 that stand in place of the values. It is called with the upper and with the lower 32 bits of each.

    Returns
    -------
    high, low : int64 arrays
        `low` is from 0 to ``2**32 - 1``.
    """
    high, low = (add(part.astype(np.int64)) for part in (values >> 32, values & 0xFFFFFFFF))
    return high + (low >> 32), low & 0xFFFFFFFF


def sums_overflow(high: NDArray[np.int64], dtype: np.dtype[Any]) -> NDArray[np.bool_]:
    """Which of the sums from `sum_halves` an integer type of 64 bits does not hold; `high` decides."""
    limits = np.iinfo(dtype)
    found: NDArray[np.bool_] = (high > limits.max >> 32) | (high < limits.min >> 32)
    return found


def raise_overflow(operation: str, rows: NDArray[Any], block: Block, dtype: np.dtype[Any]) -> None:
    """Raise an error that names the first of some rows, which are counted within the block; do nothing if there are none."""
    if len(rows):
        row = block.rows.start + int(rows.min())
        what = f"integer overflow, the result of row {row} does not fit {dtype}"
        raise JagOverflowError(f"{operation}: {what}. {OVERFLOW_HINT}", row=row)
