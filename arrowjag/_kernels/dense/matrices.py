"""Rows of one length as a batch of matrices (rows, length, width), softmax over the lengths, and the nearest row of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks, fill
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.memory import empty, empty_like, zeros
from arrowjag._kernels.base.words import all_set
from arrowjag._kernels.reduce import max as _row_max
from arrowjag._kernels.reduce.ordered import row_sums

__all__ = ["distances", "nearest", "of_length", "put", "rows_of", "softmax"]

AnyArray = NDArray[Any]
IntArray = NDArray[np.int64]


def of_length(offsets: IntArray, width: int, limit: int | None = None) -> list[tuple[int, IntArray]]:
    """Batches of rows of one length (cut to the limit), empty ones left out."""
    cut = offsets if limit is None else _offsets.from_sizes(np.minimum(_offsets.row_sizes(offsets), limit))
    return [
        (batch.length, batch.rows) for batch in blocks.batches(cut, max_values=max(1, strategy.sizes.BATCH_VALUES // max(width, 1)))
    ]


def rows_of(data: AnyArray, offsets: IntArray, rows: IntArray, length: int) -> AnyArray:
    """The first `length` items of some rows as a (rows, length, width) array."""
    width = data.shape[1]
    if width == 0:
        return np.empty((len(rows), length, 0), data.dtype)
    numbers = np.ascontiguousarray(data).reshape(-1)
    return blocks.rows_2d(numbers, offsets[rows] * width, length * width).reshape(len(rows), length, width)


def put(out: AnyArray, offsets: IntArray, rows: IntArray, items: AnyArray) -> None:
    """Write such an array to where the rows begin."""
    width = out.shape[1]
    if width and len(rows):
        blocks.put_rows(out.reshape(-1), offsets[rows] * width, items.astype(out.dtype, copy=False).reshape(len(rows), -1))


# --------------------------------------------------------------------------------------------------- softmax


def softmax(data: AnyArray, offsets: IntArray, limit: int | None = None, valid: NDArray[np.bool_] | None = None) -> AnyArray:
    """exp of each item over the sum of them in its row and column.

    Parameters
    ----------
    data : (n_items, width) array of floats
    offsets : (n_rows + 1,) int64 array
    limit : int, optional
        Items of a row from this place on get 0.
    valid : (n_items, width) bool array, optional
        Nulls are skipped; their results are unspecified.

    Returns
    -------
    (n_items, width) array of the same type
        NaN where a column of a row holds a NaN or an infinite largest exponent.

    Notes
    -----
    O(n_items * width), on all cores. Half floats are computed in float32.
    """
    sizes = _offsets.row_sizes(offsets)
    if limit is not None and _offsets.longest_of(sizes) > limit:
        cut = _offsets.from_sizes(np.minimum(sizes, limit))
        kept, out = _offsets.runs(offsets[:-1], cut), zeros(data.size, data.dtype).reshape(data.shape)
        out[kept] = softmax(data[kept], cut, valid=None if valid is None else valid[kept])
        return out
    if data.dtype == np.float16:
        return softmax(data.astype(np.float32), offsets, valid=valid).astype(data.dtype)
    if data.shape[1] == 1:
        return _softmax_flat(data.reshape(-1), offsets, None if valid is None else valid.reshape(-1)).reshape(data.shape)
    out = empty(data.size, data.dtype).reshape(data.shape)
    if data.size:
        _softmax_by_place(np.ascontiguousarray(data), offsets, valid, out)
    return out


PLACES = 64
"""Rows of several columns up to this length are added place by place: 0.5 s for 320M float32, by length 0.9. Longer ones are
shifted by their largest item, which changes bits, so this is no size of strategies."""

_SAFE = 40.0
"""exp of a number this far from 0, and the sum of many, is far from both ends of float32."""


def _softmax_flat(data: AnyArray, offsets: IntArray, valid: NDArray[np.bool_] | None) -> AnyArray:
    """One number per item, in blocks on all cores. A row is shifted by its maximum only where that is needed to keep exp in range.

    Which rows are shifted depends on the row alone, so that a row gives the same in every chunk; a block whose sums say that none
    is needs no maxima: 10M float32 in 1M rows take 35 ms of CPU time instead of 100.
    """
    out = empty_like(data)

    def work(first: int, end: int) -> None:
        span, local = _offsets.span_of(offsets, first, end)
        if span.start == span.stop:
            return
        items, part, known = data[span], out[span], None if valid is None else valid[span]
        total = _exponents(items, known, local, part)
        _shift(items, known, local, part, total)
        part /= fill.Source(total, local).part(slice(0, len(part)))

    blocks.map_rows(lambda first, end: without_warnings(work, first, end), offsets, block_values=strategy.sizes.SOFTMAX_BLOCK)
    return out


def _exponents(items: AnyArray, known: NDArray[np.bool_] | None, offsets: IntArray, out: AnyArray) -> AnyArray:
    """exp of all items into `out`, 0 for nulls; the sum of each row."""
    _exponentiate(items, known, out)
    total = empty(len(offsets) - 1, np.float64)
    row_sums(out, None, offsets, total)
    total[offsets[1:] == offsets[:-1]] = 1
    return total.astype(out.dtype, copy=False)


def _exponentiate(items: AnyArray, known: NDArray[np.bool_] | None, out: AnyArray) -> None:
    """exp of all items into `out`, 0 for nulls."""
    np.exp(items, out=out)
    if known is not None:
        bits = out.view(f"u{out.itemsize}")
        np.multiply(bits, known, out=bits)  # as integers, because exp of a value under a null may be infinite


def _shift(items: AnyArray, known: NDArray[np.bool_] | None, offsets: IntArray, out: AnyArray, total: AnyArray) -> None:
    """Compute again the rows whose largest item may be far from 0, with this item subtracted before exp."""
    sizes = _offsets.row_sizes(offsets)
    safe = (total >= (2 * np.exp(-_SAFE) * sizes).astype(total.dtype)) & (total <= total.dtype.type(np.exp(_SAFE) / 2))
    safe |= sizes == 0
    if all_set(safe):
        return
    rows = (~safe).nonzero()[0]
    sizes = sizes[rows]
    local = _offsets.from_sizes(sizes)
    place = slice(None) if len(rows) == len(total) else _offsets.runs(offsets[rows], local)
    items = items[place] if known is None else np.where(known[place], items[place], items.dtype.type(-np.inf))
    top = _row_max(items, None, local)[0].astype(items.dtype, copy=False)
    top = np.where(np.abs(top) <= _SAFE, items.dtype.type(0), top)
    items = items - fill.Source(top, local).part(slice(0, len(items)))
    total[rows] = _exponents(items, None, local, items)
    out[place] = items


def _softmax_by_place(data: AnyArray, offsets: IntArray, valid: NDArray[np.bool_] | None, out: AnyArray) -> None:
    """Short rows of items of several numbers, in blocks on all cores, without a shift where the sums say that none is needed.

    Which rows are shifted depends on the row alone; longer ones always are. 320M float32 in 1M rows of up to 20 items of 32 take
    0.5 s of CPU time.
    """

    def work(first: int, end: int) -> IntArray:
        items, local = _offsets.span_of(offsets, first, end)
        if items.start == items.stop:
            return np.empty(0, np.int64)
        part = out[items]
        sizes = _offsets.row_sizes(local)
        short = sizes <= PLACES
        if not short.any():
            return first + sizes.nonzero()[0]
        with np.errstate(all="ignore"):
            _exponentiate(data[items], None if valid is None else valid[items], part)
            total = _sums_by_place(part, local, np.where(short, sizes, 0))
            safe = (total >= total.dtype.type(np.exp(-_SAFE))) & (total <= total.dtype.type(np.exp(_SAFE)))
            part /= np.take(blocks.opaque(total), _offsets.parents(local), mode="clip").view(part.dtype).reshape(part.shape)
        safe &= short[:, None]
        return np.empty(0, np.int64) if safe.all() else first + (~safe).any(axis=1).nonzero()[0]

    width = data.shape[1]
    size = max(1, strategy.sizes.WINDOW_BYTES // (width * data.itemsize))
    rows = np.concatenate(blocks.map_rows(work, offsets, min_values=strategy.sizes.THREAD_VALUES // width, block_values=size))
    found = of_length(_offsets.from_sizes(offsets[rows + 1] - offsets[rows]), width)
    _softmax_batches(data, offsets, [(length, rows[some]) for length, some in found], valid, out)


def _sums_by_place(items: AnyArray, offsets: IntArray, sizes: IntArray) -> AnyArray:
    """The sum of each row and column, 1 where a row has no items: all first items, then all second ones, and so on."""
    order, sizes = blocks.order_by_size(sizes)
    if not sizes[-1]:
        return np.ones((len(sizes), items.shape[1]), items.dtype)
    counts = len(sizes) - np.searchsorted(sizes, np.arange(sizes[-1]), "right")  # how many rows have an item in each place
    rows = order[::-1][: counts[0]]
    starts, whole = offsets[rows], blocks.opaque(items)
    total = np.take(whole, starts, mode="clip").view(items.dtype).reshape(len(rows), -1)
    more = np.empty_like(total)
    for place, count in enumerate(counts[1:].tolist(), start=1):
        np.take(whole, starts[:count] + place, out=blocks.opaque(more[:count]), mode="clip")
        total[:count] += more[:count]
    result = np.ones((len(sizes), items.shape[1]), items.dtype)
    blocks.opaque(result)[rows] = blocks.opaque(total)
    return result


def _softmax_batches(
    data: AnyArray, offsets: IntArray, batches: list[tuple[int, IntArray]], valid: NDArray[np.bool_] | None, out: AnyArray
) -> None:
    """Process the rows of one length at a time, stored slot by slot, so that one numpy call covers a slot of all rows.

    320M float32 in 1M rows of up to 20 items of 32 take 0.9 s of CPU time; row by row, in loops over 32 numbers, they take 1.7.
    """
    width = data.shape[1]

    def by_place(numbers: AnyArray, length: int, rows: IntArray) -> AnyArray:
        items = blocks.opaque(rows_of(numbers, offsets, rows, length).reshape(-1, width)).reshape(len(rows), length)
        return items.T.copy(order="C").view(numbers.dtype)

    def work(batch: tuple[int, IntArray]) -> None:
        length, rows = batch
        if width == 0:
            return
        places = by_place(data, length, rows)
        if valid is not None:
            places[~by_place(valid, length, rows)] = -np.inf
        with np.errstate(all="ignore"):
            places -= places.max(axis=0)
            np.exp(places, out=places)
            places /= places.sum(axis=0)
        items = blocks.opaque(places.reshape(-1, width)).reshape(length, len(rows))
        put(out, offsets, rows, np.ascontiguousarray(items.T).view(data.dtype))

    blocks.map_tasks(work, batches)


def distances(one: NDArray[np.float64], two: NDArray[np.float64], i: IntArray, j: IntArray) -> NDArray[np.float64]:
    """The squared distances of row i of one matrix and row j of another, of each pair; added in the order of `row_sums`.

    Where many rows are alike, there are as many pairs as products of both: their items are taken pair by pair, in blocks.
    """
    out, width = empty(len(i), np.float64), one.shape[1]
    step = max(1, strategy.sizes.CACHE_VALUES // max(width, 1))
    for first in range(0, len(i), step):
        some = slice(first, first + step)
        apart = (one[i[some]] - two[j[some]]).reshape(-1)
        row_sums(apart * apart, None, np.arange(len(out[some]) + 1) * width, out[some])
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
    matrix = np.ascontiguousarray(matrix, np.float64)
    n, width = vectors.shape
    if metric == "cosine":
        matrix = _scaled_rows(matrix)
    squares = np.einsum("ij,ij->i", matrix, matrix)
    largest = float(np.max(squares[np.isfinite(squares)], initial=0))
    out, known = empty(n, np.int64), empty(n, np.bool_)
    # Threads of OpenBLAS and of this pool would wait for each other, so blocks are too small for OpenBLAS to start threads.
    at_once = strategy.sizes.BLAS_PRODUCTS // max(1, len(matrix) * width)
    is_wide = at_once < strategy.sizes.BLAS_ROWS
    step = max(1, (strategy.sizes.LARGE_VALUES if is_wide else strategy.sizes.CACHE_VALUES) // max(len(matrix), width, 1))
    at_once = step if is_wide else at_once

    def work(first: int) -> None:
        part = vectors[first : first + step].astype(np.float64, copy=False)
        if metric == "cosine":
            part = _scaled_rows(part)
        apart = np.empty((len(part), len(matrix)))
        for begin in range(0, len(part), at_once):
            some = slice(begin, begin + at_once)
            np.matmul(part[some], matrix.T, out=apart[some])
        apart *= -2
        apart += squares
        best, least = _lowest(apart)
        own = np.einsum("ij,ij->i", part, part)
        slack = (width + 8) * 4 * np.finfo(np.float64).eps * (own + largest)
        close = apart <= (least + slack)[:, None]
        _compare_close(part, matrix, close, best)
        known[first : first + step] = np.isfinite(least) & np.isfinite(own)
        out[first : first + step] = best

    blocks.map_tasks(lambda first: without_warnings(work, first), range(0, n, step))
    return out, known


def _compare_close(
    vectors: NDArray[np.float64], matrix: NDArray[np.float64], close: NDArray[np.bool_], best: NDArray[np.intp]
) -> None:
    """Write to `best` the nearest of the rows of a matrix that are close to a vector, by exact distances, if there are several."""
    rows = (np.add.reduce(close, axis=1, dtype=np.intp) > 1).nonzero()[0]
    if not len(rows):
        return
    which, candidates = close[rows].nonzero()
    exact = distances(vectors, matrix, rows[which], candidates)
    lowest = np.fmin.reduceat(exact, np.searchsorted(which, np.arange(len(rows))))
    hits = (exact == lowest[which]).nonzero()[0]
    owners, at = np.unique(which[hits], return_index=True)
    best[rows[owners]] = candidates[hits[at]]


def _lowest(rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The place and value of the smallest number of each row; infinite if all are NaN, which become infinite in place."""
    best = rows.argmin(axis=1)
    least = rows[np.arange(len(rows)), best]
    if np.count_nonzero(np.isnan(least)):  # numpy gives the first NaN
        rows[np.isnan(rows)] = np.inf
        return _lowest(rows)
    return best, least


def _scaled_rows(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        scaled: NDArray[np.float64] = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return scaled
