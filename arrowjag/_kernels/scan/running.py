"""Running totals along rows: one result for each item.

Each takes `data` (n_values,), `valid` (n_values,) boolean or None, `offsets` (n_rows + 1,) and returns (result, valid),
both with one entry per item. In cumulative functions a null stays null and is skipped; data under a null is arbitrary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.extremes import identity_of, start_values
from arrowjag._kernels.base.memory import empty, empty_like, zeros
from arrowjag._kernels.base.offsets import from_sizes, longest_of, parents, positions, row_sizes
from arrowjag._kernels.base.totals import running_count
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.overflow import may_overflow, raise_overflow, sum_halves, sums_overflow
from arrowjag._kernels.reduce.segments import Block, Valid, accumulator, over_blocks, without_signed_zeros

__all__ = ["cumcount", "cummax", "cummin", "cumprod", "cumsum"]


def cumsum(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """Running sums of each row.

    Returns
    -------
    (n_values,) array
        int64 for bool and signed integers, uint64 for unsigned ones; floats keep their type and are added up in
        float64. The value under a null is the sum so far. Rows share no arithmetic: neither rounding nor NaN reaches the next
        row.

    Raises
    ------
    JagOverflowError
        A running sum of integers does not fit 64 bits; names the row.
    """
    target = accumulator(data.dtype)
    out = empty(len(data), data.dtype if target.kind == "f" else target)

    def work(block: Block) -> None:
        name = "cumsum" if target.kind == "f" else "cumsum_integers"
        if _run(name, block, out[block.items]) == 0:
            return
        values = block.filled(0, target)
        out[block.items] = _accumulate(np.add, values, block.offsets)
        if target.kind != "f" and may_overflow(values, block.offsets):
            _check_sums(values, block)

    over_blocks(work, data, valid, offsets, _block_values(offsets))
    return out, valid


def _run(name: str, block: Block, out: NDArray[Any], *start: NDArray[Any]) -> int | None:
    """Return the result of a compiled loop, which fills `out`, or None if it is not ready."""
    loop = strategy.loop_of("running", find_loop(name, block.data.dtype, block.valid is not None, len(block.data), often=True))
    if loop is None:
        return None
    return loop(np.ascontiguousarray(block.data), block.valid, block.offsets, 0, len(block.offsets) - 1, *start, out)


def _check_sums(values: NDArray[Any], block: Block) -> None:
    """Raise if an exact running sum does not fit the type."""
    high, _ = sum_halves(values, lambda part: _accumulate(np.add, part, block.offsets))
    raise_overflow("cumsum", parents(block.offsets)[sums_overflow(high, values.dtype)], block, values.dtype)


def cumprod(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """Running products of each row; types and overflow as in `cumsum`."""
    target = accumulator(data.dtype)
    out = empty(len(data), data.dtype if target.kind == "f" else target)

    def work(block: Block) -> None:
        if _run("cumprod" if target.kind == "f" else "cumprod_integers", block, out[block.items]) == 0:
            return
        values = block.filled(1, target)
        out[block.items] = _accumulate(np.multiply, values, block.offsets)
        if target.kind != "f":
            _check_products(values, block)

    over_blocks(work, data, valid, offsets, _block_values(offsets))
    return out, valid


def _check_products(values: NDArray[Any], block: Block) -> None:
    """Raise if an exact running product does not fit the type: by magnitude in float64, near the limit in Python integers."""
    size = _accumulate(np.multiply, np.abs(values.astype(np.float64)), block.offsets)
    limits = np.iinfo(values.dtype)
    owners = parents(block.offsets)
    bad = [owners[~(size <= limits.max * (1 + 1e-9))]]
    for row in np.unique(owners[np.abs(size - limits.max) <= limits.max * 1e-9]).tolist():  # within a billionth of the limit
        exact = np.multiply.accumulate(values[block.offsets[row] : block.offsets[row + 1]].astype(object))
        if not limits.min <= min(exact) <= max(exact) <= limits.max:
            bad.append(np.array([row]))
    raise_overflow("cumprod", np.concatenate(bad), block, values.dtype)


def cummin(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """Return the smallest item of each row so far, in the type of the data; 0.0 replaces -0.0, and NaN stays until another item."""
    return _running_extreme(np.fmin, data, valid, offsets)


def cummax(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """Return the largest item of each row so far, in the type of the data; 0.0 replaces -0.0, and NaN stays until another item."""
    return _running_extreme(np.fmax, data, valid, offsets)


def _running_extreme(ufunc: np.ufunc, data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    kind, largest = data.dtype.kind, ufunc is np.fmax
    values = data.view(np.uint8) if kind == "b" else data
    fill = np.nan if kind == "f" else identity_of(values.dtype, largest)
    out = empty_like(values)

    def work(block: Block) -> None:
        name = "cummax" if largest else "cummin"
        if _run(name, block, out[block.items], start_values(values.dtype, largest)) is None:
            out[block.items] = without_signed_zeros(_accumulate(ufunc, block.filled(fill), block.offsets))

    over_blocks(work, values, valid, offsets, _block_values(offsets))
    return out.astype(np.bool_) if kind == "b" else out, valid


def _block_values(offsets: NDArray[np.int64]) -> int:
    """Choose values per block. A block takes as many steps as its longest short row has slots, so larger ones take fewer."""
    # Of very short rows, twice as many leave the cache: 5M values in rows of one take 110 ms of CPU time, not 43.
    return strategy.sizes.CACHE_VALUES * (1 if offsets[-1] < 2 * len(offsets) else 2)


def _accumulate(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """Call ufunc.accumulate on each row; the result is a new array."""
    # Each step is one call for all rows: carry[rows that reach slot j] = ufunc(carry, slot j). Rows are in descending order
    # of size, so that those are the first ones. 5M values in 500k rows: 30 ms of CPU time, polars' cum_sum 320.
    sizes = row_sizes(offsets)
    longest = longest_of(sizes)
    by = strategy.choose("scan", len(sizes), longest, ufunc is np.add and data.dtype.kind in "iu")
    if by == "matrix":
        return _accumulate_few(ufunc, data, sizes, longest)
    if by == "totals":
        return _add_up_integers(data, offsets)
    out = empty_like(data)
    out[:] = data
    if by == "lengths":
        _accumulate_long(ufunc, data, offsets, out)
        short = ((sizes > 1) & (sizes <= strategy.sizes.SCAN_LENGTH)).nonzero()[0]
        sizes = sizes[short]
        order = short[_falling(sizes)]
    else:
        order = _falling(sizes)
    reach = np.cumsum(np.bincount(sizes, minlength=1)[::-1])[::-1]  # reach[j]: rows of size j or more
    item = offsets[order[: reach[1]]] if len(reach) > 1 else offsets[:0]
    carry = out.take(item)
    for n_rows in reach[2:].tolist():
        item, carry = item[:n_rows], carry[:n_rows]
        item += 1
        ufunc(carry, out.take(item), out=carry)
        out[item] = carry
    return out


def _add_up_integers(data: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """Sum integers, which wrap around: one pass sums all rows as one, and another one subtracts the sum before each row.

    Exact for integers only, which wrap around and come back. 5M int64 in 500k rows take 12 ms of work instead of 36.
    """
    running, steps = empty_like(data), empty_like(data)
    np.cumsum(data, dtype=data.dtype, out=running)
    heads = offsets[:-1][offsets[:-1] < offsets[1:]][1:]
    before = running[heads - 1]
    steps[:] = data
    steps[heads] -= np.diff(before, prepend=before.dtype.type(0))
    return np.cumsum(steps, dtype=data.dtype, out=running)


def _accumulate_few(ufunc: np.ufunc, data: NDArray[Any], sizes: NDArray[np.int64], longest: int) -> NDArray[Any]:
    """Accumulate all rows as one matrix; cells beyond the end of a row are dropped. 100 values take 8 us instead of 60."""
    inside = np.arange(longest) < sizes[:, None]
    matrix = zeros(inside.size, data.dtype).reshape(inside.shape)
    matrix[inside] = data
    found: NDArray[Any] = ufunc.accumulate(matrix, axis=1)[inside]
    return found


def _falling(sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Order short rows from the longest to the shortest."""
    order: NDArray[Any] = pc.array_sort_indices(pa.array(sizes.astype(np.uint8)), order="descending").to_numpy()
    return order


def _accumulate_long(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Accumulate rows longer than SCAN_LENGTH: many rows of one length as a matrix, few one by one."""
    # One call per row where fewer than SCAN_ROWS share a length: at most seven for each of sqrt(2 n) lengths. To copy such rows
    # out and back costs a fourth more. Not in place: numpy would copy the row and keep the interpreter to itself meanwhile.
    sizes = row_sizes(offsets)
    long = (sizes > strategy.sizes.SCAN_LENGTH).nonzero()[0]
    _, length, times = np.unique(sizes[long], return_inverse=True, return_counts=True)
    crowded = times[length] >= strategy.sizes.SCAN_ROWS
    alone = long[~crowded]
    for start, end in zip(offsets[alone].tolist(), offsets[alone + 1].tolist(), strict=True):
        ufunc.accumulate(data[start:end], 0, None, out[start:end])
    rows = long[crowded]
    for size, batch in blocks.batches(from_sizes(sizes[rows])):
        starts = offsets[rows[batch]]
        blocks.put_rows(out, starts, ufunc.accumulate(blocks.rows_2d(data, starts, size), axis=1))


def cumcount(valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], Valid]:
    """Count the items of a row so far that are not null, from 1; a null stays null."""
    if valid is None:
        return positions(offsets, 1), None
    if find_loop("cumsum_integers", valid.dtype, False, len(valid)) is None and strategy.choose("count", len(valid)) == "whole":
        return _counts_so_far(valid, offsets).astype(np.int64, copy=False), valid
    out = empty(len(valid), np.int64)

    def work(block: Block) -> None:
        if _run("cumsum_integers", block, out[block.items]) is None:
            out[block.items] = _counts_so_far(block.data, block.offsets)

    over_blocks(work, valid, None, offsets)
    return out, valid


def _counts_so_far(valid: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[Any]:
    running = running_count(valid)
    counts: NDArray[Any] = running[1:] - running[offsets[:-1]].repeat(row_sizes(offsets))
    return counts
