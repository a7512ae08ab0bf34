"""Moving windows along rows: the last `window` items up to each one. The first window - 1 slots of a row are null."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import parents
from arrowjag._kernels.base.words import or_all, unless_all
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.overflow import raise_overflow, sum_halves, sums_overflow
from arrowjag._kernels.reduce.segments import EXACT, Block, Valid, accumulator, over_blocks, result_type, without_signed_zeros
from arrowjag._kernels.scan import reaches_back
from arrowjag.errors import JagValueError

__all__ = ["full", "rolling_count", "rolling_max", "rolling_mean", "rolling_min", "rolling_sum", "whole_windows"]


def rolling_sum(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], window: int) -> tuple[NDArray[Any], Valid]:
    """Sum the last `window` items; null if the row has fewer items up to here, or if one of them is null.

    Returns
    -------
    (n_values,) array
        int64 for bool and signed integers, uint64 for unsigned ones; floats keep their type and are added up in
        float64.

    Raises
    ------
    JagOverflowError
        An integer sum does not fit 64 bits; names the row.
    JagValueError
        `window` is less than 1.

    Notes
    -----
    O(n_values log(window)). Items are only added, never subtracted: NaN and rounding errors affect only windows that contain their
    item, and data under a null does not reach a sum that is not null.
    """
    target = accumulator(data.dtype)
    out = zeros(len(data), data.dtype if target.kind == "f" else target)
    known = full(valid, offsets, window)

    def work(block: Block) -> None:
        values = block.data.astype(target, copy=False)
        _store(out[block.items], np.add, values, window)
        if target.kind == "f":
            out[block.items] += 0  # a sum is never -0.0
        else:
            _check_sums(values, block, known, window)

    over_blocks(work, data, None, offsets)
    return out, known


def rolling_mean(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], window: int) -> tuple[NDArray[Any], Valid]:
    """Average the last `window` items; floats keep their type, other types give float64. Nulls are as in `rolling_sum`."""
    out = zeros(len(data), result_type(data.dtype))

    def work(block: Block) -> None:
        totals, places = _window_totals(block, window), _places(out[block.items], window)
        if block.data.dtype.kind == "f":  # a sum is never -0.0; that of one item may be the data itself
            totals = np.add(totals, 0.0, out=places if places.dtype == totals.dtype else None)
        np.divide(totals, window, out=places, casting="same_kind")

    known = full(valid, offsets, window)
    over_blocks(work, data, None, offsets)
    return out, known


def _window_totals(block: Block, window: int) -> NDArray[np.float64]:
    """Sum windows in float64; sums of integers are exact and rounded once."""
    if block.data.dtype.kind in "iu":
        values = block.data.astype(accumulator(block.data.dtype), copy=False)
        if largest_magnitude(values) * min(window, len(values)) > EXACT:
            high, low = _halves(values, window)
            return np.multiply(high, 2.0**32, dtype=np.float64) + low
    return whole_windows(np.add, block.data.astype(np.float64, copy=False), window)


def rolling_min(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], window: int) -> tuple[NDArray[Any], Valid]:
    """Return the smallest of the last `window` items, NaN only if all are NaN. Nulls are as in `rolling_sum`."""
    return _extreme(np.fmin, data, valid, offsets, window)


def rolling_max(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], window: int) -> tuple[NDArray[Any], Valid]:
    """Return the largest of the last `window` items, NaN only if all are NaN. Nulls are as in `rolling_sum`."""
    return _extreme(np.fmax, data, valid, offsets, window)


def rolling_count(valid: Valid, offsets: NDArray[np.int64], window: int) -> tuple[NDArray[np.int64], Valid]:
    """Count those of the last `window` items that are not null; only the first window - 1 slots of a row are null, as in pandas."""
    _check_window(window)
    present = or_all(valid, int(offsets[-1]))
    return rolling_sum(present, None, offsets, window)


def _extreme(
    ufunc: np.ufunc, data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], window: int
) -> tuple[NDArray[Any], Valid]:
    values = data.view(np.uint8) if data.dtype == np.bool_ else data
    out = zeros(len(values), values.dtype)
    known = full(valid, offsets, window)

    def work(block: Block) -> None:
        _store(out[block.items], ufunc, block.data, window)
        without_signed_zeros(out[block.items])

    over_blocks(work, values, None, offsets)
    return out.view(data.dtype), known


def whole_windows(ufunc: np.ufunc, data: NDArray[Any], window: int, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The result of ufunc over data[i : i + window] of each i, without regard to rows; `ufunc` is associative.

    The results go to `out` if it is given.
    """
    # Windows that cross rows are null, so shifted copies of the flat values are enough, without work per row. Spans
    # of 1, 2, 4.. items make any window in log(window) passes: 5M values, window 8: 26 ms, polars 420.
    n = len(data) - window + 1
    if n <= 0:
        return data[:0]
    words = data.view(np.uint8) if data.dtype == np.bool_ else data
    loop = strategy.loop_of("window", find_loop(_LOOPS[ufunc], words.dtype, False, len(data)))
    if loop is not None:
        out = empty(n, data.dtype) if out is None else out
        tile = max(strategy.sizes.WINDOW_TILE, window)
        loop(np.ascontiguousarray(words), 0, n, window, tile, empty(2 * (tile + window), words.dtype), out.view(words.dtype))
        return out
    found, done, span = data[:0], 0, 1
    while True:
        if window & span:
            part = data[done : done + n]
            found = ufunc(found, part) if done else part
            done += span
        span *= 2
        if span > window:
            break
        data = ufunc(data[: -(span // 2)], data[span // 2 :])
    if out is None:
        return found
    out[:] = found
    return out


_LOOPS: dict[Any, str] = {np.add: "rolling_sums", np.fmin: "rolling_min", np.fmax: "rolling_max", np.logical_and: "rolling_min"}
"""The compiled loop of each ufunc; the minimum of flags, 0 or 1, is their logical and."""


def _places(out: NDArray[Any], window: int) -> NDArray[Any]:
    """Return the slots of the last items of windows."""
    return out[window - 1 :]


def _store(out: NDArray[Any], ufunc: np.ufunc, data: NDArray[Any], window: int) -> None:
    """Put the result of each window at its last item."""
    places = _places(out, window)
    if not len(places):
        return
    if out.dtype == data.dtype:
        whole_windows(ufunc, data, window, places)
    else:
        places[:] = whole_windows(ufunc, data, window)


def _check_window(window: int) -> None:
    if window < 1:
        raise JagValueError(f"rolling: window must be at least 1, got {window}.")


def full(valid: Valid, offsets: NDArray[np.int64], window: int) -> Valid:
    """Which items end a window that lies in one row and holds no null."""
    _check_window(window)
    known = reaches_back(offsets, window - 1)
    if valid is not None and len(valid) >= window:
        _places(known, window)[:] &= whole_windows(np.logical_and, valid, window)
    return unless_all(known)


def _check_sums(values: NDArray[Any], block: Block, known: Valid, window: int) -> None:
    """Raise if an exact sum does not fit the type."""
    if largest_magnitude(values) * min(window, len(values)) <= np.iinfo(values.dtype).max:
        return
    high = zeros(len(values), np.int64)
    places = _places(high, window)
    places[:] = _halves(values, window)[0][: len(places)]
    bad = sums_overflow(high, values.dtype)
    if known is not None:
        bad &= known[block.items]
    raise_overflow("rolling sum", parents(block.offsets)[bad], block, values.dtype)


def _halves(values: NDArray[Any], window: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The exact sum of each window, as `sum_halves` returns it."""
    return sum_halves(values, lambda part: whole_windows(np.add, part, window))
