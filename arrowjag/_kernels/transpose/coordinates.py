"""The destination of every atom: strategies of transposition, from whole slices to a radix sort of coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import (
    from_counts,
    from_sizes,
    is_int32,
    longest_of,
    parents,
    positions,
    row_sizes,
    runs,
)
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.move.gather import take_rows
from arrowjag._kernels.move.scatter import inverse
from arrowjag._kernels.order.digits import radix_order
from arrowjag._kernels.order.sort import lexsort
from arrowjag._kernels.reduce.segments import reduceat

__all__ = [
    "Extents",
    "Move",
    "Moved",
    "Offsets",
    "Shears",
    "by_column",
    "exact",
    "neighbours",
    "never",
    "one_frame",
    "radix",
    "rising",
    "row_max",
    "slices",
]


def by_column(offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Order the items of ragged rows by their position in the row; the order is stable.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    columns : (longest row + 1,) int64 array
        Offsets of the columns.
    items : (n_values,) int64 array
        The item at each place of the columns.

    Notes
    -----
    O(n_rows + n_values), two new arrays. A list of rows, from which each column drops the rows that it exceeds, gives the items
    of a column in order, without coordinates: 10M items in 1M rows take 70 ms of CPU time, where sorting by coordinates takes 570.
    The compiled loop writes the items of each row into all columns instead. Columns of few rows are sorted, in blocks that stay in
    cache.
    """
    sizes = np.diff(offsets)
    columns = from_sizes(len(sizes) - np.cumsum(np.bincount(sizes, minlength=1))[:-1])
    items = empty(int(offsets[-1]), np.int64)
    blocks = list(pairwise([*range(0, len(sizes), strategy.sizes.COLUMN_ROWS), len(sizes)]))
    n_wide = int(np.searchsorted(-np.diff(columns), -strategy.sizes.COLUMN_MIN_ROWS * len(blocks), side="right"))
    counts = np.array([_rows_longer(sizes[first:last], n_wide) for first, last in blocks]).reshape(len(blocks), n_wide)
    starts = columns[:n_wide] + np.cumsum(counts, axis=0) - counts

    loop, heads = _placing(len(items)), np.zeros(min(len(sizes), strategy.sizes.COLUMN_ROWS), np.int64)

    def write(block: int) -> None:
        first, last = blocks[block]
        if loop is not None:
            loop(offsets[first : last + 1], heads, n_wide, 0, last - first, np.ascontiguousarray(starts[block]), items)
        else:
            _write_columns(offsets[first : last + 1], starts[block].tolist(), counts[block].tolist(), items)

    map_tasks(write, range(len(blocks)))
    rows = np.flatnonzero(sizes > n_wide)
    _sort_columns(offsets[rows], sizes[rows], columns, n_wide, items)
    return columns, items


def _placing(n_values: int) -> Compiled | None:
    """Return the loop that writes items column by column, if it is ready and chosen."""
    return strategy.loop_of("columns", find_loop("placed_columns", np.dtype(np.int64), False, n_values))


def _rows_longer(sizes: NDArray[np.int64], n_columns: int) -> NDArray[np.int64]:
    """Count for each of the first columns the rows that reach it."""
    found: NDArray[np.int64] = len(sizes) - np.cumsum(np.bincount(np.minimum(sizes, n_columns), minlength=n_columns + 1))
    return found[:n_columns]


def _write_columns(offsets: NDArray[np.int64], starts: list[int], counts: list[int], items: NDArray[np.int64]) -> None:
    """Write the items of a block of rows into the place of the block in each column."""
    n_columns = len(starts)
    heads = offsets[:-1]
    sizes: NDArray[Any] = np.minimum(np.diff(offsets), n_columns)
    if n_columns < 2**16:
        sizes = sizes.astype(np.uint16)
    for column, (start, count) in enumerate(zip(starts, counts, strict=True)):
        if count < len(heads):
            longer = sizes > column
            heads, sizes = heads[longer], sizes[longer]
        np.add(heads, column, out=items[start : start + count])


def _sort_columns(
    heads: NDArray[np.int64], sizes: NDArray[np.int64], columns: NDArray[np.int64], n_wide: int, items: NDArray[np.int64]
) -> None:
    """Write the columns from `n_wide` on, of the few rows that reach them."""
    n_columns = len(columns) - 1
    bounds, start = [n_wide], n_wide
    while start < n_columns:
        end = int(np.searchsorted(columns, columns[start] + strategy.sizes.WORD_VALUES, side="right")) - 1
        start = min(max(end, start + 1), start + 2**16)
        bounds.append(start)

    def write(block: tuple[int, int]) -> None:
        first, last = block
        reach = sizes > first
        offsets = from_sizes(np.minimum(sizes[reach] - first, last - first))
        order = np.argsort(positions(offsets).astype(np.uint16), kind="stable")
        items[columns[first] : columns[last]] = runs(heads[reach] + first, offsets)[order]

    map_tasks(write, list(pairwise(bounds)))


def rising(data: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which items are larger than the one before them in their row."""
    rises = np.zeros(len(data), np.bool_)
    np.greater(data[1:], data[:-1], out=rises[1:])
    firsts = offsets[:-1]
    rises[firsts[offsets[1:] > firsts]] = False
    return rises


def row_max(data: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest item of each row, 0 where there is none."""
    result = np.zeros(len(offsets) - 1, np.int64)
    reduceat(np.maximum, data, offsets, result)
    return result


Offsets = Sequence[NDArray[np.int64]]


Extents = Sequence[int | None]


Shears = Callable[[], bool]
"""A function that returns whether items were renumbered; it is called only if a permutation must not shear."""


def never() -> bool:
    """Return False: for moves that are chosen only if nothing shears."""
    return False


Moved = tuple[list[NDArray[np.int64]], NDArray[np.int64], Shears]
"""Offsets of the moved dims, the old atom of each new one, and whether it sheared."""


Move = Callable[[Offsets, NDArray[np.bool_] | None], Moved]
"""From the offsets of the moved dims and which frames are valid."""


def one_frame(rows: NDArray[np.int64]) -> Moved:
    """Transpose one large frame of two dims, with as many columns as its longest row has items, whatever it declares."""
    columns, items = by_column(rows)
    sizes = np.diff(rows)
    return [np.array([0, len(columns) - 1]), columns], items, lambda: bool((sizes[1:] > sizes[:-1]).any())


def slices(width: int, levels: Offsets, _: NDArray[np.bool_] | None) -> Moved:
    """Transpose slices of one declared width: column c of a frame becomes its row c."""
    # Every item of a column lies one width behind the one before it, so ranges of rows times the width are all there is to compute:
    # 4 ms for 1M items where the coordinates of the exact way need 14.
    n_frames = len(levels[0]) - 1
    inner, rows = take_rows(levels[0], np.repeat(np.arange(n_frames), width))
    rows *= width
    rows += np.repeat(np.tile(np.arange(width), n_frames), np.diff(inner))
    return [np.arange(n_frames + 1) * width, inner], rows, never


def neighbours(width: int | None, levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> Moved:
    """Transpose two neighbouring dims: a frame has as many columns as its longest row has items, or as many as are declared."""
    # Columns are numbered across frames, so that the numbers of a block mostly fit 16 bits and one round sorts them, whatever the
    # frames are; counting them gives the sizes. 100 items take 15 microseconds where coordinates need 100.
    outer, inner = levels
    sizes = row_sizes(inner)
    if width is None:
        heads = from_counts(row_max(sizes, outer))  # no more than there are items
    else:
        heads = from_sizes(_declared_sizes(width, len(outer) - 1, frame_valid))
    n_columns, first_columns = int(heads[-1]), heads[:-1].repeat(row_sizes(outer))
    count, place = find_loop("counted_columns", heads.dtype, False, int(inner[-1])), _placing(int(inner[-1]))
    if count is not None and place is not None:
        counts, order = np.zeros(n_columns, np.int64), empty(int(inner[-1]), np.int64)
        count(inner, first_columns, 0, len(sizes), counts)
        cuts = from_counts(counts)
        place(inner, first_columns, longest_of(sizes), 0, len(sizes), cuts[:-1].copy(), order)
    else:
        column = runs(first_columns, inner)
        cuts, order = from_counts(np.bincount(column, minlength=n_columns)), radix_order(column, n_columns - 1)
    return [heads, cuts], order, lambda: bool(rising(sizes, outer).any())


def exact(kept: list[int | None], levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> Moved:
    # Without shear the first slice and the first sibling hold all coordinates that occur. One atom for each child has zeros in what
    # comes behind it, so counting those atoms gives the sizes, and no sort is needed: 14 ms for 1M items instead of 25.
    row, (i_a, *between, i_b) = _coordinates(levels)
    keys = [i_b, *between]
    n_rows, moved = len(levels[0]) - 1, []
    for j, key in enumerate(keys):
        size = kept[j]
        if size is None:
            sizes = np.bincount(row[np.logical_and.reduce([later == 0 for later in (i_a, *keys[j + 1 :])])], minlength=n_rows)
        else:
            sizes = _declared_sizes(size, n_rows, frame_valid if j == 0 else None)
        moved.append(from_sizes(sizes))
        row = moved[-1][row] + key
        n_rows = int(moved[-1][-1])
    moved.append(from_sizes(np.bincount(row, minlength=n_rows)))
    return moved, inverse(moved[-1][row] + i_a), never


def _declared_sizes(size: int, n_rows: int, valid: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    sizes = np.full(n_rows, size, np.int64)
    if valid is not None:
        sizes[~valid] = 0
    return sizes


def _coordinates(levels: Offsets) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Return the frame of each atom and its place in each of the moved dims, in 32 bits if they fit."""
    places = [_narrow(positions(levels[-1]), levels)]
    row = parents(levels[-1])
    for level in levels[-2::-1]:
        places.append(_at(_narrow(positions(level), levels), row))
        row = _at(parents(level), row)
    return row, places[::-1]


def _narrow(data: NDArray[np.int64], levels: Offsets) -> NDArray[Any]:
    return data.astype(np.int32) if all(map(is_int32, levels)) else data


def _at(data: NDArray[Any], index: NDArray[Any]) -> NDArray[Any]:
    # pyarrow takes by 32-bit numbers at the speed of memcpy, numpy makes 64-bit ones of them first: 2.5 ms for 5M instead of 13.
    taken: NDArray[Any] = (
        data[index]
        if strategy.choose("take", len(index)) == "small"
        else pc.take(pa.array(data), pa.array(index), boundscheck=False).to_numpy()
    )
    return taken


def radix(kept: list[int | None], order: Sequence[int], levels: Offsets, frame_valid: NDArray[np.bool_] | None) -> Moved:
    frames, places = _coordinates(levels)
    keys = [places[d] for d in order]
    n_frames = len(levels[0]) - 1
    n_keys = len(order) - 1  # the last dims, if they keep their order, need no sort: it is stable
    while n_keys and order[n_keys - 1] < order[n_keys]:
        n_keys -= 1
    atoms = _sorted_atoms(frames, n_frames, keys[:n_keys])
    moved, sheared = _levels(frames, keys, atoms, kept, n_frames, frame_valid)
    return moved, atoms, lambda: sheared


def _sorted_atoms(frames: NDArray[Any], n_frames: int, keys: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Sort the atoms by frame and keys; the sort is stable."""
    n_values = [longest_of(key) + 1 for key in keys]
    if math.prod(n_values, start=max(n_frames, 1)) >= 2**63:
        return lexsort([(frames, None), *((key, None) for key in keys)], np.array([0, len(frames)]))
    narrow = math.prod(n_values, start=max(n_frames, 1)) < 2**31 and all(one.dtype == np.int32 for one in (frames, *keys))
    code: NDArray[Any] = frames.astype(np.int32 if narrow else np.int64)
    for key, n in zip(keys, n_values, strict=True):
        code *= n
        code += key
    return radix_order(code)


def _levels(
    frames: NDArray[Any],
    keys: Sequence[NDArray[np.int64]],
    atoms: NDArray[np.int64],
    kept: list[int | None],
    n_frames: int,
    frame_valid: NDArray[np.bool_] | None,
) -> tuple[list[NDArray[np.int64]], bool]:
    """Return the offsets of the moved dims, and whether any coordinate was renumbered."""
    begins = np.zeros(len(atoms), np.bool_)  # True where an atom is in another row than the atom before it
    begins[:1] = True
    if n_frames > 1:
        row = _at(frames, atoms)
        np.not_equal(row[1:], row[:-1], out=begins[1:])
    heads = np.flatnonzero(begins)
    rows, n_rows, sheared = frames[atoms[heads]].astype(np.int64), n_frames, False
    moved = []
    for j, key in enumerate(keys[:-1]):
        place, above = _at(key, atoms), begins.copy()
        begins[1:] |= place[1:] != place[:-1]
        heads = np.flatnonzero(begins)
        owner = rows[np.cumsum(above[heads]) - 1]
        present = from_sizes(np.bincount(owner, minlength=n_rows))
        sheared = sheared or bool((positions(present) != place[heads]).any())
        size = kept[j]
        if size is None:
            rows = np.arange(len(heads))
        else:
            present = from_sizes(_declared_sizes(size, n_rows, frame_valid if j == 0 else None))
            rows = present[owner] + place[heads]
        moved.append(present)
        n_rows = int(present[-1])
    sizes = np.zeros(n_rows, np.int64)
    sizes[rows] = np.diff(heads, append=len(atoms))
    moved.append(from_sizes(sizes))
    sheared = sheared or bool((positions(moved[-1]) != _at(keys[-1], atoms)).any())
    return moved, sheared
