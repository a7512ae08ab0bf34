"""Reductions of flat numpy data over rows: sums, products, means, variances, counts, any and all.

Each takes `data` (n_values,), `valid` (n_values,) boolean or None, `offsets` (n_rows + 1,) and returns (result, valid), both
with one entry a row; valid is None where every row has a result. Nulls are skipped. O(n_rows + n_values) each.
Extremes and order statistics live in files of their own and are named here too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.extremes import argmax, argmin, first, last, max, min
from arrowjag._kernels.quantiles import median, n_unique, quantile
from arrowjag._kernels.segments import Block, accumulator, by_length, counts, over_blocks, reduceat, result_type
from arrowjag.errors import JagOverflowError

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "by_length",
    "count",
    "first",
    "last",
    "max",
    "mean",
    "median",
    "min",
    "n_unique",
    "prod",
    "quantile",
    "std",
    "sum",
    "var",
]

Valid = NDArray[np.bool_] | None


def count(valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], None]:
    """The number of items of each row that are not null."""
    return counts(valid, offsets), None


def sum(
    data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], min_count: int | None = None
) -> tuple[NDArray[Any], Valid]:
    """The sum of each row; 0 for a row without items.

    Parameters
    ----------
    min_count : int, optional
        Rows with fewer items that are not null give null.

    Returns
    -------
    (n_rows,) array
        int64 for bool and signed integers, uint64 for unsigned ones; floats keep their type and are added up in float64.
        A sum is never -0.0.

    Raises
    ------
    JagOverflowError
        An integer sum does not fit 64 bits; names the row.
    """
    target = accumulator(data.dtype)
    out = np.zeros(len(offsets) - 1, target)

    def work(block: Block) -> None:
        values = block.filled(0, target)
        reduceat(np.add, values, block.offsets, out[block.rows])
        if target.kind != "f" and _may_overflow(values, block.offsets):
            _check_sums(values, block)

    over_blocks(work, data, valid, offsets)
    if target.kind == "f":
        out += 0.0  # turns -0.0 into 0.0
        with np.errstate(over="ignore"):
            out = out.astype(data.dtype, copy=False)
    return out, _enough(min_count, valid, offsets)


def _may_overflow(values: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    """Whether the largest magnitude times the longest row leaves the type: cheap, and almost always says no."""
    if not len(values):
        return False
    largest = _larger(int(values.max()), -int(values.min()))
    return largest * int(np.diff(offsets).max()) > np.iinfo(values.dtype).max


def _larger(a: int, b: int) -> int:
    return a if a > b else b


def _check_sums(values: NDArray[Any], block: Block) -> None:
    """Raise if a row's exact sum leaves the type; the halves of 32 bits of each number are added up apart."""
    high, low = np.zeros((2, len(block.offsets) - 1), np.int64)
    reduceat(np.add, (values >> 32).astype(np.int64), block.offsets, high)
    reduceat(np.add, (values & 0xFFFFFFFF).astype(np.int64), block.offsets, low)
    high += low >> 32
    limits = np.iinfo(values.dtype)
    _raise_overflow("sum", (high > limits.max >> 32) | (high < limits.min >> 32), block, values.dtype)


def _raise_overflow(operation: str, bad: NDArray[np.bool_], block: Block, dtype: np.dtype[Any]) -> None:
    if bad.any():
        row = block.rows.start + int(np.argmax(bad))
        raise JagOverflowError(
            f"{operation}: integer overflow, the result of row {row} does not fit {dtype}. Cast to float64 first for an approximate result."
        )


def prod(
    data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], min_count: int | None = None
) -> tuple[NDArray[Any], Valid]:
    """The product of each row; 1 for a row without items. Types, min_count and overflow as in `sum`."""
    target = accumulator(data.dtype)
    out = np.ones(len(offsets) - 1, target)

    def work(block: Block) -> None:
        values = block.filled(1, target)
        reduceat(np.multiply, values, block.offsets, out[block.rows])
        if target.kind != "f":
            _check_products(values, block)

    over_blocks(work, data, valid, offsets)
    with np.errstate(over="ignore"):
        out = out.astype(data.dtype, copy=False) if target.kind == "f" else out
    return out, _enough(min_count, valid, offsets)


def _check_products(values: NDArray[Any], block: Block) -> None:
    """Raise if a row's exact product leaves the type: by magnitude in float64, and in Python integers where that is too close."""
    size = np.ones(len(block.offsets) - 1)
    reduceat(np.multiply, np.abs(values.astype(np.float64)), block.offsets, size)
    size[np.isnan(size)] = 0  # infinity times zero: a zero in the row makes the exact product 0
    limit = float(np.iinfo(values.dtype).max)
    close = np.flatnonzero(np.abs(size - limit) <= limit * 1e-9)
    bad = size > limit
    for row in close.tolist():  # only rows within a billionth of the limit
        exact = int(np.multiply.reduce(values[block.offsets[row] : block.offsets[row + 1]].astype(object)))
        bad[row] = not np.iinfo(values.dtype).min <= exact <= np.iinfo(values.dtype).max
    _raise_overflow("prod", bad, block, values.dtype)


def _enough(min_count: int | None, valid: Valid, offsets: NDArray[np.int64]) -> Valid:
    if not min_count or min_count < 0:
        return None
    enough = counts(valid, offsets) >= min_count
    return None if enough.all() else enough


def mean(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """The mean of each row; null for a row without items. Floats keep their type, all others give float64."""
    n = counts(valid, offsets)
    total = np.zeros(len(n))

    def work(block: Block) -> None:
        part = total[block.rows]
        reduceat(np.add, block.filled(0, np.float64), block.offsets, part)
        part /= n[block.rows]

    over_blocks(work, data, valid, offsets)
    return _where_counted(total, n > 0, data.dtype)


def var(
    data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], Valid]:
    """The variance of each row, in two passes (stable); null where a row has no more than `ddof` items. Types as in `mean`."""
    n = counts(valid, offsets)
    out = np.zeros(len(n))

    def work(block: Block) -> None:
        part, sizes, items = out[block.rows], np.diff(block.offsets), n[block.rows]
        values = block.filled(0, np.float64)
        reduceat(np.add, values, block.offsets, part)
        deviations = values - np.repeat(part / items, sizes)
        deviations *= deviations
        if block.valid is not None:
            np.copyto(deviations, 0, where=~block.valid)
        reduceat(np.add, deviations, block.offsets, part)
        part /= items - ddof

    over_blocks(work, data, valid, offsets)
    return _where_counted(out, n > ddof, data.dtype) if ddof >= 0 else _where_counted(out, n > 0, data.dtype)


def std(
    data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int = 1
) -> tuple[NDArray[Any], Valid]:
    """The standard deviation of each row; as `var` otherwise."""
    squares, present = var(data.astype(np.float64) if data.dtype.kind == "f" else data, valid, offsets, ddof)
    with np.errstate(over="ignore"):
        return np.sqrt(squares).astype(result_type(data.dtype), copy=False), present


def _where_counted(out: NDArray[Any], enough: NDArray[np.bool_], dtype: np.dtype[Any]) -> tuple[NDArray[Any], Valid]:
    with np.errstate(over="ignore"):
        out = out.astype(result_type(dtype), copy=False)
    if enough.all():
        return out, None
    return np.where(enough, out, out.dtype.type(0)), enough


def any(data: NDArray[np.bool_], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], None]:
    """Whether a row has an item that is True; False for a row without items."""
    return _logical(np.logical_or, data, valid, offsets)


def all(data: NDArray[np.bool_], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], None]:
    """Whether no item of a row is False; True for a row without items."""
    return _logical(np.logical_and, data, valid, offsets)


def _logical(ufunc: np.ufunc, data: NDArray[np.bool_], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], None]:
    neutral = ufunc is np.logical_and
    out = np.full(len(offsets) - 1, neutral)
    over_blocks(lambda block: reduceat(ufunc, block.filled(neutral), block.offsets, out[block.rows]), data, valid, offsets)
    return out, None
