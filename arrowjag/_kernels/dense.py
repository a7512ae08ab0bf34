"""Between rows of values and a padded dense array, over any number of jagged levels.

A value whose places in its rows are c1, .., ck belongs to the cell (row, c1, .., ck), if every ci is less than mi.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks, windows
from arrowjag._kernels.gather import ranges
from arrowjag._kernels.memory import empty
from arrowjag._kernels.offsets import from_sizes, parents, positions

__all__ = ["pad", "unpad"]

_BLOCK_VALUES = 1 << 17
_BLOCK_BYTES = 1 << 21


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
    by_window = windows.is_word(data) and 0 < width <= windows.WIDEST and data.size > 0
    dense = _new(shape, data.dtype)
    if len(offsets) > 1 or not (dense.size and data.size):
        dense[...] = fill
    if not (dense.size and data.size):
        return dense
    if by_window:
        bits = windows.words(np.array([fill], data.dtype))[0]
        _pad_windows(windows.words(data), offsets, max_sizes, bits, windows.words(dense))
        return dense
    cells, items = _flat(dense, len(max_sizes) + 1), _flat(data, 1)

    def move(item: slice | NDArray[np.int64], cell: NDArray[np.int64], rows: slice) -> None:
        if len(offsets) == 1:
            dense[rows] = fill  # block by block, so that it meets the values in cache
        cells[cell] = items[item]

    _match(move, offsets, max_sizes, _block_values(items))
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
    O(n_values), reads only the cells it needs; O(cells) where rows of one level are at most 64 cells wide.
    """
    levels, sizes = len(offsets), dense.shape[1 : len(offsets) + 1]
    lacks = any(int(np.diff(cut).max(initial=0)) > size for cut, size in zip(offsets, sizes, strict=True))
    shape = (int(offsets[-1][-1]), *dense.shape[levels + 1 :])
    data = _new(shape, dense.dtype)
    if lacks or not dense.size:
        data[...] = fill
    if not (dense.size and data.size):
        return data
    if levels == 1 and not lacks and sizes[0] <= windows.WIDEST and windows.is_word(data) and windows.has_polars():
        _unpad_cells(windows.words(dense).reshape(-1, sizes[0]), offsets[0], windows.words(data))
        return data
    cells, items = _flat(dense, levels + 1), _flat(data, 1)

    def move(item: slice | NDArray[np.int64], cell: NDArray[np.int64], rows: slice) -> None:
        del rows
        if isinstance(item, slice):
            np.take(cells, cell, out=items[item], mode="clip")
        else:
            items[item] = cells[cell]

    _match(move, offsets, sizes, _block_values(items))
    return data


def _new(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A new array that is not set to anything."""
    return np.empty(shape, dtype) if dtype.hasobject else empty(math.prod(shape), dtype).reshape(shape)


def _block_values(items: NDArray[Any]) -> int:
    """How many items make a block of a few megabytes."""
    return max(1 << 10, min(_BLOCK_VALUES, _BLOCK_BYTES // max(items.itemsize, 1)))


# --------------------------------------------------------------------------------------------------- narrow rows


def _pad_windows(
    data: NDArray[Any], offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int], fill: Any, dense: NDArray[Any]
) -> None:
    """Copy rows as windows, and put the fill where they read on into the next rows.

    Notes
    -----
    10M float32 in 1M rows of up to 20 need 24 ms of CPU time, where one index a value needs 44 and fbgemm_gpu 48.
    """
    last, width = offsets[-1], int(max_sizes[-1])
    bases = _bases(offsets, max_sizes) if len(offsets) > 1 else None
    inside = windows.inside(width)
    keep = np.where(inside, ~fill.dtype.type(0), 0).astype(fill.dtype)
    rest = np.where(inside, 0, fill).astype(fill.dtype)
    cells = dense.reshape(-1, width)

    def work(first: int, end: int) -> None:
        sizes = np.minimum(np.diff(last[first : end + 1]), width)
        target = cells[first:end] if bases is None else empty((end - first) * width, data.dtype).reshape(-1, width)
        windows.copy_windows(data, last[first:end], target)
        scratch = empty(target.size, data.dtype).reshape(target.shape)
        target &= windows.looked_up(keep, sizes, scratch)
        if fill:
            target |= windows.looked_up(rest, sizes, scratch)
        if bases is not None:
            kept = bases[first:end] >= 0
            cells[bases[first:end][kept]] = target[kept]

    windows.map_cells(work, len(last) - 1, width)


def _unpad_cells(cells: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Drop the cells behind the end of each row."""

    def work(first: int, end: int) -> None:
        sizes = np.diff(offsets[first : end + 1])
        windows.filter_cells(cells[first:end], sizes, out[offsets[first] : offsets[end]])

    windows.map_cells(work, len(cells), cells.shape[1])


# --------------------------------------------------------------------------------------------------- any rows


def _flat(array: NDArray[Any], outer: int) -> NDArray[Any]:
    """The first `outer` dims as one; what is inside as one opaque item that is copied whole."""
    array = np.ascontiguousarray(array)
    width = int(np.prod(array.shape[outer:]))
    if width == 1:
        return array.reshape(-1)
    return array.reshape(-1).view(np.dtype((np.void, width * array.dtype.itemsize)))


def _match(
    move: Callable[[slice | NDArray[np.int64], NDArray[np.int64], slice], None],
    offsets: Sequence[NDArray[np.int64]],
    max_sizes: Sequence[int],
    block_values: int,
) -> None:
    """Call move(items, cells, rows) on blocks of values that have a cell, on all cores."""
    last, size = offsets[-1], int(max_sizes[-1])
    bases = _bases(offsets, max_sizes)

    def work(first: int, end: int) -> None:
        local, base = last[first : end + 1], bases[first:end]
        sizes = np.diff(local)
        kept = np.where(base < 0, 0, np.minimum(sizes, size))
        places = from_sizes(kept)
        # A row's cells are a run like its items, so that one number a row, spread over it, leads from item to cell, for
        # any number of levels. In blocks that stay in cache 5M values in 500k rows padded to 20 need 40 ms of CPU time
        # (numpy's mask of cells, and one of items that are cut: 51).
        cells = np.repeat(base * size - places[:-1], kept)
        cells += np.arange(len(cells))
        whole = len(cells) == local[-1] - local[0]
        move(slice(int(local[0]), int(local[-1])) if whole else ranges(local[:-1], kept), cells, slice(first, end))

    blocks.map_rows(work, last, block_values=block_values)


def _bases(offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int]) -> NDArray[np.int64]:
    """The cell, within the dims above the last one, of each innermost row; -1 where a level above cuts it off."""
    bases = np.arange(len(offsets[0]) - 1)
    for level, size in zip(offsets[:-1], max_sizes[:-1], strict=True):
        above, place = bases[parents(level)], positions(level)
        bases = np.where((above >= 0) & (place < size), above * size + place, -1)
    return bases
