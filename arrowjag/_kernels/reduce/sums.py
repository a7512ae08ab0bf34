"""Counts, sums, products and means of each row, of drawn items too, and any and all.

Each takes `data` (n_values,), `valid` (n_values,) boolean or None, `offsets` (n_rows + 1,) and returns (result, valid),
both with one entry per row; valid is None where every row has a result. Nulls are skipped. O(n_rows + n_values) each.

Sums of floats are added in the order of `row_sums`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import count_block, from_counts, row_sizes
from arrowjag._kernels.base.random_numbers import generator, uniform
from arrowjag._kernels.base.words import as_flags, unless_all
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.reduce.ordered import are_shared, row_sums
from arrowjag._kernels.reduce.overflow import may_overflow, raise_overflow, sum_halves, sums_overflow
from arrowjag._kernels.reduce.segments import (
    Block,
    Valid,
    Validity,
    accumulator,
    counts,
    drop_nulls,
    find_row_loop,
    moments,
    over_blocks,
    reduce_rows,
    reduceat,
    result_type,
)

__all__ = ["all", "any", "bootstrap_means", "count", "mean", "prod", "sum"]


def count(valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], None]:
    """The number of items of each row that are not null."""
    return counts(valid, offsets), None


def sum(data: NDArray[Any], valid: Validity, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], None]:
    """The sum of each row; 0 for a row without items.

    Returns
    -------
    (n_rows,) array
        int64 for bool and signed integers, uint64 for unsigned ones; floats keep their type and are added up in
        float64. A sum is never -0.0.

    Raises
    ------
    JagOverflowError
        An integer sum does not fit 64 bits; names the row.
    """
    target = accumulator(data.dtype)
    found = _compiled_sums(data, valid, offsets, target)
    if found is not None:
        return found, None
    valid = as_flags(valid)
    out = zeros(len(offsets) - 1, data.dtype if target.kind == "f" else target)

    def work(block: Block) -> None:
        if target.kind == "f":
            part = out[block.rows]
            wide = part if part.dtype == target else empty(len(part), target)
            row_sums(block.data, block.valid, block.offsets, wide)
            if wide is not part:
                part[:] = wide
            return
        values = block.filled(0, target)
        reduce_rows(np.add, values, block.offsets, out[block.rows])
        if may_overflow(values, block.offsets):
            _check_sums(values, block)

    size = strategy.sizes.LARGE_VALUES if target.kind == "f" else strategy.sizes.CACHE_VALUES
    without_room = len(data) >= strategy.sizes.THREAD_VALUES and _needs_no_room(data, valid)  # fewer are one block
    over_blocks(work, data, valid, offsets, size, per_core=without_room, light=True)
    return out, None


def _compiled_sums(data: NDArray[Any], valid: Validity, offsets: NDArray[np.int64], target: np.dtype[Any]) -> NDArray[Any] | None:
    """The sums of rows by one compiled loop; None if none is ready, a sum does not fit, or cores share the pieces of rows."""
    if target.kind == "f":
        if are_shared(len(data), len(offsets) - 1):
            return None
        loop, known = find_row_loop("sum" if data.dtype == target else "rounded_sum", data, valid, offsets)
        loop = strategy.loop_of("row_sum", loop, len(data))
    else:
        loop, known = find_row_loop("sum_integers", data, valid, offsets)
        loop = strategy.loop_of("integer_sum", loop)
    return _looped(loop, data, known, offsets, target)


def _looped(
    loop: Compiled | None, data: NDArray[Any], known: NDArray[Any] | None, offsets: NDArray[np.int64], target: np.dtype[Any]
) -> NDArray[Any] | None:
    """One result per row by a compiled loop; None if there is none, or if an integer may not fit: an exact check decides."""
    if loop is None:
        return None
    out = empty(len(offsets) - 1, data.dtype if target.kind == "f" else target)
    data = np.ascontiguousarray(data)
    n_bad = map_rows(lambda first, last: loop(data, known, offsets, first, last, out), offsets, light=_is_light(known))
    return None if max(n_bad) else out


def _is_light(known: NDArray[Any] | None) -> bool:
    """Whether a loop takes long rows at the speed of memory: bytes of nulls take twice as long."""
    return known is None or known.dtype != np.bool_


def _needs_no_room(data: NDArray[Any], valid: Valid) -> bool:
    """Whether sums have no temporaries, which blocks would keep in cache."""
    is_float = data.dtype.kind == "f"
    ready = find_loop("sum" if is_float else "sum_integers", data.dtype, valid is not None, len(data)) is not None
    by = strategy.choose("row_sum", len(data), ready) if is_float else strategy.choose("integer_sum", ready)
    return by == "compiled" or (valid is None and data.dtype == accumulator(data.dtype))


def _run_integers(block: Block, out: NDArray[Any]) -> bool:
    """Fill `out` with exact sums by a compiled loop; False if there is none, or if a sum does not fit."""
    loop = find_loop("sum_integers", block.data.dtype, block.valid is not None, len(block.data), often=True)
    loop = strategy.loop_of("integer_sum", loop)
    if loop is None:
        return False
    return not loop(np.ascontiguousarray(block.data), block.valid, block.offsets, 0, len(out), out)


def _check_sums(values: NDArray[Any], block: Block) -> None:
    """Raise if a row's exact sum leaves the type."""
    high, _ = _halves(values, block.offsets)
    raise_overflow("sum", sums_overflow(high, values.dtype).nonzero()[0], block, values.dtype)


def _halves(values: NDArray[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The exact sum of each row, as `sum_halves` returns it."""

    def add(part: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = np.zeros(len(offsets) - 1, np.int64)
        reduceat(np.add, part, offsets, sums)
        return sums

    return sum_halves(values, add)


def prod(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], None]:
    """The product of each row, from left to right; 1 for a row without items. Types and overflow as in `sum`."""
    target = accumulator(data.dtype)
    name = "prod" if target.kind == "f" else "prod_integers"
    loop = find_loop(name, data.dtype, valid is not None, len(data), often=True)
    found = _looped(strategy.loop_of("product", loop), data, valid, offsets, target)
    if found is not None:
        return found, None
    out = np.ones(len(offsets) - 1, target)

    def work(block: Block) -> None:
        values = block.filled(1, target)
        reduceat(np.multiply, values, block.offsets, out[block.rows])
        if target.kind != "f":
            _check_products(values, block)

    over_blocks(work, data, valid, offsets)
    return without_warnings(out.astype, data.dtype, copy=False) if target.kind == "f" else out, None


def _check_products(values: NDArray[Any], block: Block) -> None:
    """Raise if a row's exact product leaves the type: by magnitude in float64, in Python integers if close."""
    size = np.ones(len(block.offsets) - 1)
    reduceat(np.multiply, np.abs(values.astype(np.float64)), block.offsets, size)
    size[np.isnan(size)] = 0  # infinity times zero: a zero in the row makes the exact product 0
    limit = float(np.iinfo(values.dtype).max)
    close = (np.abs(size - limit) <= limit * 1e-9).nonzero()[0]
    bad = size > limit
    for row in close.tolist():  # only rows within a billionth of the limit
        exact = int(np.multiply.reduce(values[block.offsets[row] : block.offsets[row + 1]].astype(object)))
        bad[row] = not np.iinfo(values.dtype).min <= exact <= np.iinfo(values.dtype).max
    raise_overflow("prod", bad.nonzero()[0], block, values.dtype)


def mean(data: NDArray[Any], valid: Validity, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """The mean of each row; null for a row without items. Floats keep their type, all others give float64.

    The sum of integers is exact, whatever their size, and rounded once.
    """
    found = _compiled_means(data, valid, offsets)
    if found is not None:
        return found
    valid = as_flags(valid)

    def work(block: Block, out: NDArray[np.float64]) -> NDArray[np.bool_]:
        n = block.counts
        if data.dtype.kind in "iu":
            _exact_sums(block, out)
        else:
            row_sums(block.data, block.valid, block.offsets, out)
        out /= n
        return n > 0

    size = strategy.sizes.CACHE_VALUES if data.dtype.kind in "iu" else strategy.sizes.LARGE_VALUES
    return moments(work, data, valid, offsets, size, per_core=_needs_no_room(data, valid), light=True)


def _compiled_means(data: NDArray[Any], valid: Validity, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid] | None:
    """The means of rows by one compiled loop, which adds, counts and divides; None if there is none, or if a sum does not fit."""
    is_float = data.dtype.kind == "f"
    if is_float and are_shared(len(data), len(offsets) - 1):
        return None
    loop, known = find_row_loop("mean" if is_float else "mean_integers", data, valid, offsets)
    loop = strategy.loop_of("row_sum", loop, len(data)) if is_float else strategy.loop_of("integer_sum", loop)
    if loop is None:
        return None
    out = empty(len(offsets) - 1, result_type(data.dtype))
    data = np.ascontiguousarray(data)
    there = (empty(len(out), np.bool_),) if is_float else ()
    empty_rows = map_rows(lambda first, last: loop(data, known, offsets, first, last, out, *there), offsets, light=_is_light(known))
    if min(empty_rows) < 0:
        return None
    if max(empty_rows) == 0:
        return out, None
    return out, there[0] if there else out == out  # noqa: PLR0124  # means of integers are never NaN


def _exact_sums(block: Block, out: NDArray[np.float64]) -> None:
    """Fill `out` with sums of integers, rounded once."""
    sums = zeros(len(out), accumulator(block.data.dtype))
    if _run_integers(block, sums):
        out[:] = sums
        return
    values = block.filled(0, sums.dtype)
    if may_overflow(values, block.offsets):
        high, low = _halves(values, block.offsets)
        np.multiply(high, 2.0**32, out=out)
        out += low
        return
    reduce_rows(np.add, values, block.offsets, sums)
    out[:] = sums


def any(data: NDArray[np.bool_], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], None]:
    """Whether a row has an item that is True; False for a row without items."""
    # Counting by running totals has no cost per row: 4 ms where logical_or.reduceat needs 9.
    out = empty(len(offsets) - 1, np.bool_)

    def work(block: Block) -> None:
        np.greater(count_block(block.filled(False), block.offsets), 0, out=out[block.rows])

    over_blocks(work, data, valid, offsets)
    return out, None


def all(data: NDArray[np.bool_], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], None]:
    """Whether no item of a row is False; True for a row without items."""
    out = empty(len(offsets) - 1, np.bool_)

    def work(block: Block) -> None:
        np.equal(count_block(~block.filled(True), block.offsets), 0, out=out[block.rows])

    over_blocks(work, data, valid, offsets)
    return out, None


def bootstrap_means(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: int, seed: int) -> tuple[NDArray[Any], Valid]:
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
    numbers = generator(seed)
    sizes = row_sizes(offsets)
    n_rows, n_values = len(sizes), len(data)
    means = empty(n_rows * n, result_type(data.dtype)).reshape(n_rows, n)
    together = max(1, strategy.sizes.CACHE_VALUES // max(n_values, n_rows, 1))
    for first in range(0, n, together):
        part = means[:, first : first + together]
        draws = uniform(numbers, part.shape[1] * n_values).reshape(part.shape[1], n_values)
        draw = functools.partial(_means_of_drawn, data, offsets, draws, part)
        map_rows(functools.partial(without_warnings, draw), offsets, block_values=strategy.sizes.CACHE_VALUES)
    return means, unless_all(sizes > 0)


def _means_of_drawn(
    data: NDArray[Any], offsets: NDArray[np.int64], draws: NDArray[np.float64], out: NDArray[Any], low: int, high: int
) -> None:
    """Fill out[low:high] with means of the items of some rows that numbers from 0 to 1 draw."""
    n = len(draws)
    sizes = row_sizes(offsets[low : high + 1])
    each = sizes.reshape(1, -1).repeat(n, axis=0).reshape(-1)
    sums = empty(len(each), np.float64)
    row_sums(_drawn(data, offsets, draws, low, high), None, from_counts(each), sums)
    sums /= each
    out[low:high] = sums.reshape(n, -1).T


def _drawn(data: NDArray[Any], offsets: NDArray[np.int64], draws: NDArray[np.float64], low: int, high: int) -> NDArray[Any]:
    """The items of some rows that numbers from 0 to 1 draw, one for each slot; those of one row of `draws` after another."""
    cut = offsets[low : high + 1]
    loop = strategy.loop_of("drawn", find_loop("drawn", data.dtype, False, len(data), often=True))
    if loop is not None:
        out = empty(len(draws) * int(cut[-1] - cut[0]), data.dtype)
        loop(np.ascontiguousarray(data), offsets, low, high, draws, len(draws), len(data), out)
        return out
    sizes = row_sizes(cut)
    items = (draws[:, cut[0] : cut[-1]] * sizes.repeat(sizes)).astype(np.int64)
    items += cut[:-1].repeat(sizes)
    return data[items.reshape(-1)]
