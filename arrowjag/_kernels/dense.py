"""Between rows of values and a padded dense array, over any number of jagged levels.

A value whose places in its rows are c1, .., ck belongs to the cell (row, c1, .., ck), if every ci is less than mi.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks
from arrowjag._kernels.gather import ranges
from arrowjag._kernels.offsets import from_sizes, parents, positions

__all__ = ["pad", "unpad"]

_BLOCK_VALUES = 1 << 17
_WINDOW_CELLS = 64
"""Widest row of the dense array that is copied as one window; what it reads beyond its end is wiped."""


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
    by_window = _is_word(data) and 0 < width <= _WINDOW_CELLS and data.size > 0
    if by_window and len(offsets) == 1:
        dense = np.empty(shape, data.dtype)
    else:
        dense = np.zeros(shape, data.dtype) if _is_zero(fill) else np.full(shape, fill, data.dtype)
    if not (dense.size and data.size):
        return dense
    if by_window:
        _copy_windows(_words(data), offsets, max_sizes, _words(np.array([fill], data.dtype))[0], _words(dense))
        return dense
    cells, items = _flat(dense, len(max_sizes) + 1), _flat(data, 1)

    def move(item: slice | NDArray[np.int64], cell: NDArray[np.int64]) -> None:
        cells[cell] = items[item]

    _match(move, offsets, max_sizes)
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
    data = np.full(shape, fill, dense.dtype) if lacks or not dense.size else np.empty(shape, dense.dtype)
    if not (dense.size and data.size):
        return data
    if levels == 1 and not lacks and sizes[0] <= _WINDOW_CELLS and _is_word(data) and _has_polars():
        _filter_cells(_words(np.ascontiguousarray(dense)).reshape(-1, sizes[0]), offsets[0], _words(data))
        return data
    cells, items = _flat(dense, levels + 1), _flat(data, 1)

    def move(item: slice | NDArray[np.int64], cell: NDArray[np.int64]) -> None:
        if isinstance(item, slice):
            np.take(cells, cell, out=items[item], mode="clip")
        else:
            items[item] = cells[cell]

    _match(move, offsets, sizes)
    return data


def _is_zero(fill: object) -> bool:
    """Whether fresh zeroed memory will do; -0.0 has a bit set."""
    return not isinstance(fill, str | bytes) and bool(fill == 0) and not np.signbit(np.float64(fill))  # type: ignore[arg-type]


# --------------------------------------------------------------------------------------------------- narrow rows


def _is_word(data: NDArray[Any]) -> bool:
    """Whether an item is as wide as an integer, so that its bits can be masked."""
    return data.dtype.kind != "O" and data.dtype.itemsize in (1, 2, 4, 8) and int(np.prod(data.shape[1:])) == 1


def _words(data: NDArray[Any]) -> NDArray[Any]:
    """The bits of all items as unsigned integers, one after the other; shares the memory of contiguous data."""
    return np.ascontiguousarray(data).reshape(-1).view(f"u{data.dtype.itemsize}")


def _opaque(rows: NDArray[Any]) -> NDArray[Any]:
    """Each row of a 2-D array as one item that is copied whole."""
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).reshape(-1)


def _copy_windows(
    data: NDArray[Any], offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int], fill: Any, dense: NDArray[Any]
) -> None:
    """Copy as many items as a dense row has cells from where each row starts, and wipe what belongs to the next rows.

    Notes
    -----
    One copy a row, and one of its mask, which is looked up by its size: 10M float32 in 1M rows of up to 20 need 24 ms of CPU time,
    where one index a value needs 44 and fbgemm_gpu 48.
    """
    last, width = offsets[-1], int(max_sizes[-1])
    bases = _bases(offsets, max_sizes) if len(offsets) > 1 else None
    inside = np.arange(width) < np.arange(width + 1)[:, None]
    keep = _opaque(np.where(inside, ~fill.dtype.type(0), 0).astype(fill.dtype))
    rest = _opaque(np.where(inside, 0, fill).astype(fill.dtype)) if fill else None
    cells = dense.reshape(-1, width)

    def work(first: int, end: int) -> None:
        start, stop = int(last[first]), int(last[end])
        starts, sizes = last[first:end] - start, np.minimum(np.diff(last[first : end + 1]), width)
        block = data[start : stop + width]
        if len(block) < stop - start + width:
            block = np.concatenate([block, np.zeros(stop - start + width - len(block), data.dtype)])
        windows = np.ndarray((stop - start + 1,), keep.dtype, block, strides=(data.itemsize,))
        target = cells[first:end] if bases is None else np.empty((end - first, width), data.dtype)
        _opaque(target)[:] = windows[starts]
        target &= _looked_up(keep, sizes, target)
        if rest is not None:
            target |= _looked_up(rest, sizes, target)
        if bases is not None:
            kept = bases[first:end] >= 0
            cells[bases[first:end][kept]] = target[kept]

    _map_cells(work, len(last) - 1, width)


def _looked_up(table: NDArray[Any], sizes: NDArray[np.int64], like: NDArray[Any]) -> NDArray[Any]:
    out = np.empty_like(like)
    np.take(table, sizes, out=_opaque(out), mode="clip")
    return out


def _filter_cells(cells: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Drop the cells behind the end of each row: polars filters 20M of them in 10 ms, numpy in 40."""
    import polars as pl

    width = cells.shape[1]
    inside = _opaque(np.arange(width) < np.arange(width + 1)[:, None])

    def work(first: int, end: int) -> None:
        mask = np.empty((end - first, width), np.bool_)
        np.take(inside, np.diff(offsets[first : end + 1]), out=_opaque(mask), mode="clip")
        kept = pl.Series(cells[first:end].reshape(-1)).filter(pl.Series(mask.reshape(-1)))
        out[offsets[first] : offsets[end]] = kept.to_numpy()

    _map_cells(work, len(cells), width)


def _has_polars() -> bool:
    try:
        import polars as pl  # noqa: F401
    except ImportError:
        return False
    return True


def _map_cells(work: Callable[[int, int], None], n_rows: int, width: int) -> None:
    """Call work(first_row, end_row) on blocks of about as many cells, on all cores."""
    step = max(1, 2 * _BLOCK_VALUES // width)
    blocks.map_tasks(lambda first: work(first, min(first + step, n_rows)), range(0, n_rows, step))


# --------------------------------------------------------------------------------------------------- any rows


def _flat(array: NDArray[Any], outer: int) -> NDArray[Any]:
    """The first `outer` dims as one; what is inside as one opaque item that is copied whole."""
    array = np.ascontiguousarray(array)
    width = int(np.prod(array.shape[outer:]))
    if width == 1:
        return array.reshape(-1)
    return array.reshape(-1).view(np.dtype((np.void, width * array.dtype.itemsize)))


def _match(
    move: Callable[[slice | NDArray[np.int64], NDArray[np.int64]], None],
    offsets: Sequence[NDArray[np.int64]],
    max_sizes: Sequence[int],
) -> None:
    """Call move(items, cells) on blocks of values that have a cell, on all cores."""
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
        move(slice(int(local[0]), int(local[-1])) if whole else ranges(local[:-1], kept), cells)

    blocks.map_rows(work, last, block_values=_BLOCK_VALUES)


def _bases(offsets: Sequence[NDArray[np.int64]], max_sizes: Sequence[int]) -> NDArray[np.int64]:
    """The cell, within the dims above the last one, of each innermost row; -1 where a level above cuts it off."""
    bases = np.arange(len(offsets[0]) - 1)
    for level, size in zip(offsets[:-1], max_sizes[:-1], strict=True):
        above, place = bases[parents(level)], positions(level)
        bases = np.where((above >= 0) & (place < size), above * size + place, -1)
    return bases
