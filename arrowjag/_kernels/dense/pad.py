"""Between rows of values and a padded dense array, over any number of jagged levels.

A value whose places in its rows are c1, .., ck belongs to the cell (row, c1, .., ck), if every ci is less than mi.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_sizes, longest_of, parents, positions, row_sizes
from arrowjag._kernels.move.gather import ranges

__all__ = ["combine", "pad", "unpad"]


def pad(data: NDArray[Any], offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int], fill: object = 0) -> NDArray[Any]:
    """Lay rows out in a dense array.

    Parameters
    ----------
    data : (n_values, ...) array
        Items may have dense dims of their own.
    offsets : k arrays
        From the outermost level in; the last one cuts the values.
    max_sizes : k integers, not negative
        Longer rows are cut, at every level.
    fill : scalar
        For the cells that have no value.

    Returns
    -------
    (n_rows, m1, .., mk, ...) array of the data's type

    Notes
    -----
    O(cells + n_values).
    """
    shape = (len(offsets[0]) - 1, *max_sizes, *data.shape[1:])
    width = int(max_sizes[-1])
    by_window = data.size > 0 and strategy.choose("pad", width, blocks.is_word(data)) == "windows"
    dense = _new(shape, data.dtype)
    if len(offsets) > 1 or not (dense.size and data.size):
        dense[...] = fill
    if not (dense.size and data.size):
        return dense
    if by_window:
        bits = blocks.words(np.array([fill], data.dtype))[0]
        _pad_windows(blocks.words(data), offsets, max_sizes, bits, blocks.words(dense))
        return dense
    cells, items = _flat(dense, len(max_sizes) + 1), _flat(data, 1)
    last, match = offsets[-1], _matcher(offsets, max_sizes)

    def work(first: int, end: int) -> None:
        item, cell = match(first, end)
        if len(offsets) == 1:
            dense[first:end] = fill  # in blocks, so that the cells are still in cache when the values are written
        cells[cell] = items[last[first] : last[end]][item]

    blocks.map_rows(work, last, block_values=_block_values(items.itemsize))
    return dense


def unpad(dense: NDArray[Any], offsets: Sequence[NDArray[np.int64]], fill: object = 0) -> NDArray[Any]:
    """Take rows out of a dense array.

    Parameters
    ----------
    dense : (n_rows, m1, .., mk, ...) array
    offsets : k arrays
        From the outermost level in; the last one cuts the result.
    fill : scalar
        For the values whose cell the dense array lacks.

    Returns
    -------
    (n_values, ...) array of the same type

    Notes
    -----
    O(n_values), reads only the cells it needs; O(cells) where these are few and rows of one level at most 64 wide.
    """
    data = _new((int(offsets[-1][-1]), *dense.shape[len(offsets) + 1 :]), dense.dtype)
    if data.size:
        _take_out(lambda items, take: take(data[items]), dense, offsets, fill)
    return data


def combine(
    function: np.ufunc, data: NDArray[Any], dense: NDArray[Any], offsets: Sequence[NDArray[np.int64]], fill: object = 0
) -> NDArray[Any]:
    """function(data, unpad(dense, offsets, fill)), block by block, so that what is taken out stays in cache.

    Parameters
    ----------
    function : ufunc of two operands
    data : (n_values, ...) array of numbers
    dense, offsets, fill
        As for `unpad`.

    Returns
    -------
    (n_values, ...) array of the type that the two promote to

    Notes
    -----
    As `unpad`. Floating-point warnings are off.
    """
    out = _new(data.shape, np.result_type(data.dtype, dense.dtype))

    def work(items: slice, take: Callable[[NDArray[Any]], None]) -> None:
        other = _new(data[items].shape, dense.dtype)
        take(other)
        with np.errstate(all="ignore"):
            function(data[items], other, out=out[items])

    if out.size:
        _take_out(work, dense, offsets, fill)
    return out


def _take_out(
    work: Callable[[slice, Callable[[NDArray[Any]], None]], None],
    dense: NDArray[Any],
    offsets: Sequence[NDArray[np.int64]],
    fill: object,
) -> None:
    """Call work(items, take) on blocks of values, on all cores; take(out) writes these values to an array that holds just them."""
    by_window, last = _goes_by_window(dense, offsets), offsets[-1]
    taker = (_window_taker if by_window else _item_taker)(dense, offsets, fill)
    item_bytes = math.prod(dense.shape[len(offsets) + 1 :]) * dense.itemsize
    blocks.map_rows(
        lambda first, end: work(slice(int(last[first]), int(last[end])), partial(taker, first, end)),
        last,
        block_values=_block_values(item_bytes, strategy.sizes.WINDOW_FACTOR if by_window else 1),
    )


def _new(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A new array that is not set to anything."""
    return np.empty(shape, dtype) if dtype.hasobject else empty(math.prod(shape), dtype).reshape(shape)


def _block_values(item_bytes: int, factor: int = 1) -> int:
    """How many items make a block of a few megabytes."""
    return max(1 << 10, factor * min(strategy.sizes.CACHE_VALUES, strategy.sizes.WINDOW_BYTES // max(item_bytes, 1)))


# --------------------------------------------------------------------------------------------------- narrow rows


def _pad_windows(
    data: NDArray[Any], offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int], fill: Any, dense: NDArray[Any]
) -> None:
    """Copy rows as windows, and put the fill where they read on into the next rows.

    Notes
    -----
    10M float32 in 1M rows of up to 20 need 18 ms of CPU time, where one index per value needs 44 and fbgemm_gpu 48.
    """
    last, width = offsets[-1], int(max_sizes[-1])
    bases = _bases(offsets, max_sizes) if len(offsets) > 1 else None
    inside = blocks.inside(width)
    keep = -inside.astype(fill.dtype)  # all bits are set where the row has a cell
    rest = ~keep & fill if fill else None
    cells = dense.reshape(-1, width)

    def work(first: int, end: int) -> None:
        sizes = np.minimum(row_sizes(last[first : end + 1]), width)
        target = cells[first:end] if bases is None else empty((end - first) * width, data.dtype).reshape(-1, width)
        scratch = empty(target.size, data.dtype).reshape(target.shape)
        items = blocks.take_windows(data, last[first:end], width)
        np.bitwise_and(items, blocks.looked_up(keep, sizes, scratch), out=target)
        if rest is not None:
            target |= blocks.looked_up(rest, sizes, scratch)
        if bases is not None:
            kept = bases[first:end] >= 0
            cells[bases[first:end][kept]] = target[kept]

    blocks.map_cells(work, len(last) - 1, width * data.itemsize)


def _window_taker(
    dense: NDArray[Any], offsets: Sequence[NDArray[np.int64]], fill: object
) -> Callable[[int, int, NDArray[Any]], None]:
    """Return a function that copies whole innermost rows first .. end - 1; each overwrites the excess of the row before it."""
    last, sizes = offsets[-1], dense.shape[1 : len(offsets) + 1]
    n_inner = math.prod(dense.shape[len(offsets) + 1 :])
    cells = np.ascontiguousarray(dense).reshape(-1, sizes[-1] * n_inner)
    bases = _bases(offsets, sizes) if len(offsets) > 1 else None

    def take_out(first: int, end: int, out: NDArray[Any]) -> None:
        local = last[first : end + 1] - last[first]
        if bases is None:
            rows = cells[first:end]
        else:
            rows = blocks.opaque(cells)[bases[first:end]].view(cells.dtype).reshape(end - first, -1)
            rows[bases[first:end] < 0] = fill
        if longest_of(row_sizes(local)) > sizes[-1]:
            out[...] = fill
        blocks.put_windows(rows, local[:-1] * n_inner, out.reshape(-1))

    return take_out


# --------------------------------------------------------------------------------------------------- any rows


def _flat(array: NDArray[Any], outer: int) -> NDArray[Any]:
    """Merge the first `outer` dims into one, and the inner ones into one opaque item that is copied whole."""
    array = np.ascontiguousarray(array)
    width = math.prod(array.shape[outer:])
    if width == 1:
        return array.reshape(-1)
    return array.reshape(-1).view(np.dtype((np.void, width * array.dtype.itemsize)))


def _item_taker(
    dense: NDArray[Any], offsets: Sequence[NDArray[np.int64]], fill: object
) -> Callable[[int, int, NDArray[Any]], None]:
    """Return a function that writes the values of innermost rows first .. end - 1 to an array of just these values."""
    cells = _flat(dense, len(offsets) + 1)
    match = _matcher(offsets, dense.shape[1 : len(offsets) + 1])

    def take_out(first: int, end: int, out: NDArray[Any]) -> None:
        if not dense.size:
            out[...] = fill
            return
        item, cell = match(first, end)
        items = _flat(out, 1)
        if isinstance(item, slice):
            np.take(cells, cell, out=items, mode="clip")
        else:
            out[...] = fill
            items[item] = cells[cell]

    return take_out


def _goes_by_window(dense: NDArray[Any], offsets: Sequence[NDArray[np.int64]]) -> bool:
    """Whether rows are so short, and so full, that to copy all their cells costs less than to find the ones that are wanted."""
    width, item_bytes = int(dense.shape[len(offsets)]), math.prod(dense.shape[len(offsets) + 1 :]) * dense.itemsize
    if dense.size == 0 or dense.dtype.hasobject:
        return False
    return strategy.choose("unpad", len(offsets[-1]) - 1, int(offsets[-1][-1]), width, item_bytes) == "windows"


def _matcher(
    offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int]
) -> Callable[[int, int], tuple[slice | NDArray[np.int64], NDArray[np.int64]]]:
    """Return a function that finds, for the values of some innermost rows, which have a cell, and which cell."""
    last, size = offsets[-1], int(max_sizes[-1])
    bases = _bases(offsets, max_sizes)

    def match(first: int, end: int) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
        local, base = last[first : end + 1] - last[first], bases[first:end]
        kept = np.where(base < 0, 0, np.minimum(row_sizes(local), size))
        places = from_sizes(kept)
        # A row's cells are a run like its items, so that one number per row, spread over it, leads from item to cell, for
        # any number of levels. In blocks that stay in cache 5M values in 500k rows padded to 20 need 40 ms of CPU time
        # (numpy's mask of cells, and one of items that are cut: 51).
        cells = np.repeat(base * size - places[:-1], kept)
        cells += np.arange(len(cells))
        return (slice(None) if len(cells) == local[-1] else ranges(local[:-1], kept)), cells

    return match


def _bases(offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int]) -> NDArray[np.int64]:
    """The cell, within the dims above the last one, of each innermost row; -1 where a level above cuts it off."""
    bases = np.arange(len(offsets[0]) - 1)
    for level, size in zip(offsets[:-1], max_sizes[:-1], strict=True):
        above, place = bases[parents(level)], positions(level)
        bases = np.where((above >= 0) & (place < size), above * size + place, -1)
    return bases
