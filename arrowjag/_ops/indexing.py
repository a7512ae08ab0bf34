"""Indexing: `x[...]` as numpy from the outermost dim, `x.S[...]` as Koda, take, and windows of rows.

Both walk the dims with a `Cursor`, which maps positions of the result to items of the column. Each step is a few vector operations
on the offsets of one dim; values are gathered once, at the end. A contiguous selection is a slice and gathers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column, storage_type
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.move import gather
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "Bound",
    "Key",
    "Window",
    "agreed",
    "either",
    "getitem",
    "or_null",
    "positions",
    "row_name",
    "subslice",
    "take",
    "window",
]

NULL = -1
"""Marks a position whose item is null in the result."""

MISSING = -2
"""Marks a position out of range: a null leaf, or an empty row above the leaves (Koda's rule)."""

Bound: TypeAlias = "int | Column | Dim | None"

_LARGEST = 2**63 - 1
"""Largest int64. Positions beyond it are clamped: they are out of range for every row."""


class Window(NamedTuple):
    """A slice of each row. A bound is None, one int for all rows, or a column with one entry per row."""

    start: Bound = None
    stop: Bound = None
    step: int = 1


Key: TypeAlias = "int | Window | Column | None"
"""One entry of an index: a position, a range, an array of positions or a row mask, or None for a new dim."""

ALL = Window()


class Cursor(NamedTuple):
    """State of indexing between two keys.

    Attributes
    ----------
    outer : tuple of Dim
        The dims of the result so far.
    depth : int
        Number of dims of the column that are already indexed.
    places : numpy.ndarray of int64, or range
        The item at each position of `outer`; NULL or MISSING if there is none. A range holds contiguous items without nulls.
    owners : numpy.ndarray of int64, range, or None
        For index arrays: the entry of the index arrays that each position belongs to. A range maps each position to itself.
    loose : bool
        Whether the kind of index allows MISSING positions, so that the next dim can't keep its extent.
    """

    outer: tuple[Dim, ...] = ()
    depth: int = 0
    places: IntArray | range = range(1)
    owners: IntArray | range | None = None
    loose: bool = False

    @property
    def numbers(self) -> IntArray:
        """`places` as an array."""
        places = self.places
        return np.arange(places.start, places.stop) if isinstance(places, range) else places


# --------------------------------------------------------------------------------------------------- rows of a dim


def _rows(dim: Dim, places: IntArray | range) -> tuple[IntArray, IntArray, BoolArray | None, BoolArray | None]:
    """Return start and size of the row at each position, and flags of null and of missing rows (None if there are none)."""
    if isinstance(places, range):
        cut = dim.offsets[places.start : places.stop + 1]
        valid = dim.validity
        null = None if valid is None else ~valid[places.start : places.stop]
        return cut[:-1], cut[1:] - cut[:-1], null, None
    null, missing, safe = _flags(places)
    if dim.validity is not None:
        void = ~dim.validity[safe] if len(dim) else np.ones(len(safe), bool)
        null = void if null is None else null | void
        null = null if missing is None else null & ~missing
    if len(dim) == 0:
        return np.zeros(len(safe), np.int64), np.zeros(len(safe), np.int64), null, missing
    starts = dim.offsets[safe]
    sizes = dim.offsets[1:][safe] - starts
    lost = either(null, missing)
    if lost is not None:
        sizes = np.where(lost, 0, sizes)
    return starts, sizes, null, missing


def _null_rows(dim: Dim, places: IntArray | range) -> BoolArray | None:
    """Flag the null rows among those at `places`; None if there are none."""
    if dim.validity is None:
        return None if isinstance(places, range) else _flags(places)[0]
    return _rows(dim, places)[2]


def _flags(places: IntArray) -> tuple[BoolArray | None, BoolArray | None, IntArray]:
    """Return flags of null positions, flags of missing ones, and positions with both replaced by 0."""
    if not len(places) or np.minimum.reduce(places) >= 0:
        return None, None, places
    null, missing = places == NULL, places == MISSING
    return (null if null.any() else None), (missing if missing.any() else None), np.maximum(places, 0)


def either(one: BoolArray | None, two: BoolArray | None) -> BoolArray | None:
    if one is None or two is None:
        return two if one is None else one
    return one | two


def row_name(shape: JaggedShape, depth: int, place: int) -> str:
    """Describe a row in an error message, by its path of positions from the outermost rows."""
    if depth == 0:
        return "the frame"
    path: list[int] = []
    for dim in reversed(shape.dims[1:depth]):
        owner = dim.index_of(place)
        path.append(place - dim.offset_of(owner))
        place = owner
    path.append(place)
    return f"row {path[0]}" if len(path) == 1 else "row " + "".join(f"[{one}]" for one in reversed(path))


# --------------------------------------------------------------------------------------------------- steps


def _pick(column: Column, cursor: Cursor, index: int | Column, *, strict: bool, operation: str) -> Cursor:
    """Select one item per row, or several items of a single row; removes the dim."""
    dim = column.shape.dims[cursor.depth]
    if isinstance(index, int) and len(cursor.places) == 1 and isinstance(cursor.places, range):
        place = cursor.places.start
        size = dim[place]
        if -size <= index < size and (dim.validity is None or dim.validity[place]):
            start = dim.offset_of(place) + index % size
            return cursor._replace(depth=cursor.depth + 1, places=range(start, start + 1), loose=not strict)
    found = _pick_many(dim, cursor.places, index) if strict else None
    if found is not None:
        return Cursor(cursor.outer, cursor.depth + 1, found, cursor.owners)
    starts, sizes, null, missing = _rows(dim, cursor.places)
    position, unknown = positions(index)
    position = _from_end(position, sizes)
    outside = position.view(np.uint64) >= sizes.view(np.uint64)  # as uint64, a negative position exceeds every size
    gone = either(null, unknown if strict else None)
    if gone is not None:
        outside &= ~gone
    if strict and np.count_nonzero(outside):
        place = int(outside.argmax())
        asked = index if isinstance(index, int) else positions(index)[0][place]
        row = place if len(sizes) > 1 else 0
        name = row_name(column.shape, cursor.depth, int(cursor.places[row]))
        raise JagIndexError(
            f"{operation}: index {asked} is out of range for {name}, which has {sizes[row]} items at dim {cursor.depth}"
        )
    places = starts + position
    if not strict:
        for lost in (outside, unknown, missing):
            places = places if lost is None else np.where(lost, MISSING, places)
    if gone is not None:
        places = np.where(gone, NULL, places)
    return Cursor(cursor.outer, cursor.depth + 1, places, cursor.owners, not strict)


def _pick_many(dim: Dim, places: IntArray | range, index: int | Column) -> IntArray | None:
    """Look up many positions with one kernel. Returns None if a row or an item is missing; the caller falls back.

    A null row has no items.
    """
    n = len(places) if isinstance(index, int) else index.shape.size
    if len(dim) == 0 or strategy.choose("nth", n) == "whole":
        return None
    position: Any = index
    if isinstance(index, Column):
        if pt.is_null(index.type) or pt.is_uint64(index.type) or index.values.null_count:
            return None
        position = _arrow.to_numpy(index.values)[0]
    if isinstance(places, range):
        if dim.validity is not None and not dim.validity[places.start : places.stop].all():
            return None
        offsets, rows = dim.offsets[places.start : places.stop + 1], None
    elif len(places) == n and places.min() >= 0:
        offsets, rows = dim.offsets, places
    else:
        return None
    found, outside = gather.pick(offsets, rows, position)
    return found if outside is None else None


def _from_end(position: Any, sizes: IntArray) -> Any:
    """Add the row size to negative positions."""
    negative = position < 0
    return np.where(negative, position + sizes, position) if np.count_nonzero(negative) else position


def positions(index: int | Column) -> tuple[Any, BoolArray | None]:
    """Convert an index to int64 positions and flags of nulls."""
    if isinstance(index, int):
        return np.int64(max(-_LARGEST, min(index, _LARGEST))), None  # larger positions are out of range too
    if pt.is_null(index.type):
        return np.zeros(index.shape.size, np.int64), np.ones(index.shape.size, bool)
    data, valid = _arrow.to_numpy(index.values)
    if data.dtype == np.uint64 and (data > _LARGEST).any():
        data = np.minimum(data, np.uint64(_LARGEST))
    return data.astype(np.int64, copy=False), None if valid is None else ~valid


def _cut(column: Column, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None = None) -> Cursor:
    """Slice each row; adds a dim. `bounds` replace those of the window and are aligned with the cursor's positions."""
    dim = column.shape.dims[cursor.depth]
    if isinstance(cursor.places, range):
        quick = _cut_neighbours(dim, cursor, window)
        if quick is not None:
            return quick
    starts, sizes, null, _ = _rows(dim, cursor.places)
    start, stop = (window.start, window.stop) if bounds is None else bounds
    begin, counts, unknown = _clip(start, stop, window.step, sizes)
    if unknown is not None:
        counts = np.where(unknown, 0, counts)
        if not cursor.loose:
            null = either(null, unknown)
    if null is not None:
        counts = np.where(null, 0, counts)
    offsets = _offsets.from_sizes(counts, dim.size)
    extent = _extent(dim, window) if not cursor.loose else None
    below: Dim = Ragged.from_offsets(offsets, validity=None if null is None else ~null, extent=extent, check=False)
    if extent is not None and null is None:
        below = Uniform(extent, len(counts))
    places = _offsets.runs(starts + begin, offsets, window.step)
    owners = _owned(cursor, below)
    return Cursor((*cursor.outer, below), cursor.depth + 1, places, owners)


def _cut_neighbours(dim: Dim, cursor: Cursor, window: Window) -> Cursor | None:
    """Slice without writing offsets, if the result is contiguous: whole rows, or part of a single row. None otherwise."""
    rows = cursor.places
    assert isinstance(rows, range)
    first, last = dim.offset_of(rows.start), dim.offset_of(rows.stop)
    if window.start is None and window.stop is None and window.step == 1:
        below = dim[rows.start : rows.stop]
        below = below.with_extent(None) if cursor.loose else below
        owners = _owned(cursor, below)
        return Cursor((*cursor.outer, below), cursor.depth + 1, range(first, last), owners)
    plain = window.step == 1 and all(isinstance(one, (int, type(None))) for one in window[:2])
    if len(rows) != 1 or not plain or (dim.validity is not None and not dim.validity[rows.start]) or cursor.owners is not None:
        return None
    begin, end, _ = slice(window.start, window.stop).indices(last - first)
    end = max(begin, end)
    below = Uniform(end - begin, 1, declared=dim.extent is not None and not cursor.loose)
    return Cursor((*cursor.outer, below), cursor.depth + 1, range(first + begin, first + end))


def _owned(cursor: Cursor, below: Dim) -> IntArray | None:
    """Return the index-array entry of each item of a dim."""
    if cursor.owners is None:
        return None
    return below.parents.astype(np.int64) if isinstance(cursor.owners, range) else cursor.owners[below.parents]


def _extent(dim: Dim, window: Window) -> int | None:
    """Return the declared extent after slicing with int bounds, or None."""
    if dim.extent is None or not all(isinstance(one, (int, type(None))) for one in window[:2]):
        return None
    return len(range(*slice(window.start, window.stop, window.step).indices(dim.extent)))


def _clip(start: Any, stop: Any, step: int, sizes: IntArray) -> tuple[Any, IntArray, BoolArray | None]:
    """Apply Python's slice rule per row: first position, number of items, and flags of null bounds."""
    low, high = (0, sizes) if step > 0 else (-1, sizes - 1)
    begin, end = (low, sizes) if step > 0 else (high, np.int64(-1))
    unknown: BoolArray | None = None
    if start is not None:
        position, null = positions(start)
        begin, unknown = _clamped(position, sizes, low, high), null
    if stop is not None:
        position, null = positions(stop)
        end, unknown = _clamped(position, sizes, low, high), either(unknown, null)
    count = end - begin if step == 1 else (end - begin + (step - 1 if step > 0 else step + 1)) // step
    return begin, np.maximum(count, 0), unknown


def _clamped(position: Any, sizes: IntArray, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(_from_end(position, sizes), low), high)


def _new_dim(cursor: Cursor) -> Cursor:
    return cursor._replace(outer=(*cursor.outer, Uniform(1, len(cursor.places))))


def _finish(column: Column, cursor: Cursor) -> Column:
    """Build the result from the items of the cursor and everything below them."""
    if cursor.loose and cursor.depth < column.ndim:
        cursor = _cut(column, cursor, ALL)
    if isinstance(cursor.places, range):
        result = structure.slice_items(column, cursor.depth, cursor.places.start, cursor.places.stop, cursor.outer)
    else:
        null, missing, safe = _flags(cursor.places)
        lost = either(null, missing)
        result = structure.take_items(column, cursor.depth, safe, cursor.outer, None if lost is None else ~lost)
    return or_null(result)


def or_null(result: Column) -> Column:
    """Convert a single null row to a null scalar of its list type, because a null row has no shape."""
    dims = result.shape.dims
    if not dims or dims[0].validity is None:
        return result
    row = storage_type(result.type, result.ndim + 1, (None, None, *result.shape.extents[1:]))
    return Column(JaggedShape(), pa.nulls(1, row))


# --------------------------------------------------------------------------------------------------- as numpy


def getitem(column: Column, keys: Sequence[Any]) -> Column:
    """Index from the outermost dim, as numpy does.

    Parameters
    ----------
    column : Column
        The source.
    keys : sequence of int, Window, Column, None or Ellipsis
        One entry per dim. Arrays hold integers, or booleans of one dim. They are broadcast against each other by the prefix rule
        and applied elementwise, as in numpy; their dims appear in the result at the position of the first array.

    Returns
    -------
    Column
        A null row gives null. A contiguous selection shares the values; any other costs one gather per level.

    Raises
    ------
    JagIndexError
        If a position is out of range (the message names the row), or there are more keys than dims.
    """
    keys = _spell_out(keys, column.ndim)
    _check_adjacent(keys)
    found = [_as_index(key) for key in keys if isinstance(key, Column)]
    arrays = iter(structure.align(found, "index arrays") if found else [])
    cursor = Cursor()
    for key in keys:
        if key is None:
            cursor = _new_dim(cursor)
        elif isinstance(key, Window):
            cursor = _cut(column, cursor, key, _aligned_bounds(cursor, key))
        elif isinstance(key, Column):
            if pt.is_boolean(key.type):
                _check_mask(column, cursor, key)
            cursor = _gather(column, cursor, next(arrays), is_mask=pt.is_boolean(key.type))
        else:
            cursor = _pick(column, cursor, key, strict=True, operation="indexing")
    return _finish(column, cursor)


def _any_array(keys: Sequence[Any]) -> bool:
    return any(isinstance(key, Column) for key in keys)


def _spell_out(keys: Sequence[Any], ndim: int) -> list[Any]:
    """Replace the ellipsis by full slices."""
    dots = [place for place, key in enumerate(keys) if key is Ellipsis]
    if len(dots) > 1:
        raise JagIndexError("an index can hold only one ellipsis")
    named = len([key for key in keys if key is not None]) - len(dots)
    if named > ndim:
        raise JagIndexError(f"{named} indices for an array of {ndim} dims")
    result = list(keys)
    if dots:
        result[dots[0] : dots[0] + 1] = [ALL] * (ndim - named)
    return result


def _check_adjacent(keys: Sequence[Any]) -> None:
    """Raise for index arrays separated by a slice, unless the first key is an array: numpy would move their dims to the front."""
    fancy = [place for place, key in enumerate(keys) if isinstance(key, (int, Column))]
    if len(fancy) < 2 or not _any_array(keys):
        return
    together = fancy[-1] - fancy[0] == len(fancy) - 1
    if not together and (fancy[0] != 0 or not isinstance(keys[0], Column)):
        raise JagIndexError(
            "index arrays separated by a slice must begin at the first dim: numpy would move their dims to the front. "
            "Index in two steps"
        )


def _as_index(key: Column) -> Column:
    """Convert a mask of one dim to the positions that it selects; integer arrays are returned unchanged."""
    if pt.is_boolean(key.type):
        if key.ndim != 1:
            raise JagIndexError("a jagged mask must be the only index; use x[mask] or x.filter(mask)")
        data, valid = _arrow.to_numpy(key.values)
        kept = (data if valid is None else data & valid).nonzero()[0]
        return Column(JaggedShape._trusted([Uniform(len(kept), 1, declared=False)]), pa.array(kept))
    if not (pt.is_integer(key.type) or pt.is_null(key.type)):
        raise JagTypeError(f"an index array must hold integers or booleans, got {key.type}")
    return key


def _check_mask(column: Column, cursor: Cursor, mask: Column) -> None:
    _, sizes, null, _ = _rows(column.shape.dims[cursor.depth], cursor.places)
    wrong = sizes != len(mask.values)
    wrong = wrong if null is None else wrong & ~null
    if wrong.any():
        place = int(wrong.argmax())
        name = row_name(column.shape, cursor.depth, int(cursor.places[place]))
        raise JagIndexError(f"the mask has {len(mask.values)} entries, {name} has {sizes[place]} items at dim {cursor.depth}")


def _gather(column: Column, cursor: Cursor, index: Column, *, is_mask: bool) -> Cursor:
    """Select by an index array; the first of several arrays adds the dims that all of them share."""
    if cursor.owners is None and not cursor.outer and _is_there(column.shape.dims[cursor.depth], cursor.places[0]):
        # In a single row the entries of the index map to the items directly: the index needs no copy per row.
        cursor = Cursor(index.shape.dims, cursor.depth, cursor.places, range(index.shape.size), cursor.loose)
        return _pick(column, cursor, index, strict=True, operation="indexing")
    if cursor.owners is None:
        cursor = _enter_arrays(column, cursor, index, is_mask)
    assert cursor.owners is not None
    if isinstance(cursor.owners, range):
        return _pick(column, cursor, index, strict=True, operation="indexing")
    entries = Column(JaggedShape._trusted([Uniform(len(cursor.owners), 1)]), gather.take(index.values, cursor.owners))
    return _pick(column, cursor, entries, strict=True, operation="indexing")


def _is_there(dim: Dim, place: int) -> bool:
    return place >= 0 and (dim.validity is None or bool(dim.validity[place]))


def _enter_arrays(column: Column, cursor: Cursor, index: Column, is_mask: bool) -> Cursor:
    """Repeat the shape of the index arrays below each position of the cursor; null rows become null."""
    null = _null_rows(column.shape.dims[cursor.depth], cursor.places)
    first, *inner = index.shape.dims
    if cursor.outer and not is_mask:
        first = first.with_extent(first.size)
    numbers = Column(JaggedShape._trusted([first, *inner]), _arrow.numbers(index.shape.size))
    n = len(cursor.places)
    owners = structure.take_items(numbers, 0, np.zeros(n, np.int64), cursor.outer, None if null is None else ~null)
    places = _spread(cursor.numbers, len(cursor.outer), owners.shape)
    return cursor._replace(outer=owners.shape.dims, places=places, owners=_arrow.to_numpy(owners.values)[0])


def _spread(places: IntArray, depth: int, shape: JaggedShape) -> IntArray:
    """Broadcast the entries at `depth` dims to the innermost items."""
    if depth == shape.ndim:
        return places
    if depth == 0:
        return np.full(shape.size, places[0])
    spread: IntArray = places[shape.composed(depth, shape.ndim).parents]
    return spread


def _aligned_bounds(cursor: Cursor, window: Window) -> tuple[Any, Any] | None:
    """Align array bounds with the positions of the cursor; None if neither bound is an array."""
    if not any(isinstance(one, (Column, Dim)) for one in window[:2]):
        return None
    frame = Column(JaggedShape._trusted(cursor.outer), pa.nulls(len(cursor.places)))
    bounds: list[Any] = []
    for one in window[:2]:
        if isinstance(one, Dim):
            sizes = one.stretched(len(cursor.places)).sizes
            bounds.append(Column(frame.shape, pa.array(sizes)))
        elif isinstance(one, Column):
            if one.ndim > frame.ndim:
                raise ShapeError(f"a bound of {one.ndim} dims for rows of {frame.ndim} dims; use x.S for several ranges per row")
            bounds.append(_bound_on(one, frame))
        else:
            bounds.append(one)
    return bounds[0], bounds[1]


def _bound_on(bound: Column, frame: Column) -> Column:
    """Broadcast a bound to the rows; null rows of the bound give null entries."""
    fitted = structure.align([bound, frame], "a bound")[0]
    if fitted.shape == frame.shape:
        return fitted
    raise ShapeError(f"a bound of {bound.shape!r} has null rows where {frame.shape!r} has valid ones")


# --------------------------------------------------------------------------------------------------- as Koda


def subslice(column: Column, keys: Sequence[Any]) -> Column:
    """Index the last dims, as Koda's `x.S[...]` does.

    Parameters
    ----------
    column : Column
        The source.
    keys : sequence of int, Window, Column or Ellipsis
        One entry per dim; without an ellipsis they apply to the last dims. Arrays of positions and of bounds are aligned with the
        rows that earlier keys selected: a shorter array is broadcast to the rows, a longer one adds its dims.

    Returns
    -------
    Column
        Null positions and positions out of range give a null leaf, or an empty row above the leaves; a null bound gives an empty
        row; a null row stays null.

    Raises
    ------
    JagIndexError
        If there are more keys than dims.
    ShapeError
        If neither shape is a prefix of the other.
    """
    if Ellipsis not in [key for key in keys if not isinstance(key, Column)]:
        keys = [Ellipsis, *keys]
    keys = _spell_out(keys, column.ndim)
    cursor = Cursor()
    for key in keys:
        if isinstance(key, Window):
            cursor, bounds = _meet(column, cursor, list(key[:2]), "S")
            cursor = _cut_loosely(column, cursor, key, bounds)
        else:
            cursor, (index,) = _meet(column, cursor, [key], "S")
            cursor = _pick(column, cursor, index, strict=False, operation="S")
    return _finish(column, cursor)


def _cut_loosely(column: Column, cursor: Cursor, window: Window, bounds: list[Any]) -> Cursor:
    """Slice with the rule that a null bound gives an empty row."""
    arrays = any(isinstance(one, Column) for one in bounds)
    return _cut(column, cursor._replace(loose=cursor.loose or arrays), window, (bounds[0], bounds[1]))


def _meet(column: Column, cursor: Cursor, operands: list[Any], operation: str) -> tuple[Cursor, list[Any]]:
    """Align positions or bounds with the rows of the cursor; longer arrays add dims, in which a null row stays null."""
    arrays = [one for one in operands if isinstance(one, Column)]
    if not arrays:
        return cursor, operands
    for one in arrays:
        _check_positions(one, operation)
    depth = len(cursor.outer)
    held = Column(JaggedShape._trusted(cursor.outer), pa.array(cursor.numbers))
    rows = cursor.places
    if depth > 1 and any(one.ndim > depth for one in arrays):  # drop entries below null outer rows: the cursor has no row for them
        agreed, *arrays = structure.agree([held, *arrays], operation, levels=depth - 1)
        rows = rows if agreed is held else _arrow.to_numpy(agreed.values)[0]
        held = agreed
    null = _null_rows(column.shape.dims[cursor.depth], rows)
    if null is not None:
        arrays = [one if one.ndim <= depth else _null_below(one, depth, null, operation) for one in arrays]
    held, *arrays = structure.align([held, *arrays], operation)
    places = _arrow.to_numpy(held.values)[0]
    fitted = iter(arrays)
    moved = cursor._replace(outer=held.shape.dims, places=places)
    return moved, [next(fitted) if isinstance(one, Column) else one for one in operands]


def _null_below(index: Column, depth: int, null: BoolArray, operation: str) -> Column:
    """Drop the entries of an index below null rows."""
    if index.shape.nodes(depth) != len(null):
        raise ShapeError(f"{operation}: an index of {index.shape!r} does not fit {len(null)} rows")
    if depth == 0:
        return structure.take_items(index, 0, np.zeros(1, np.int64), (), ~null)
    return structure.null_items(index, depth, ~null)


def _check_positions(index: Column, operation: str) -> None:
    if not (pt.is_integer(index.type) or pt.is_null(index.type)):
        raise JagTypeError(f"{operation}: an index must hold integers, got {index.type}")


# --------------------------------------------------------------------------------------------------- take, windows


def take(column: Column, index: int | Column, axis: int = -1, out_of_bounds: str = "raise") -> Column:
    """Select items by position in each row at an axis, as Koda's `take` does.

    Parameters
    ----------
    column : Column
        The source.
    index : int or Column
        Positions in the rows at the axis; negative ones count from the end. A column with one dim per dim above the axis selects
        one item per row; a longer one adds its further dims; a shorter one is broadcast to the rows.
    axis : int
        The dim that the positions refer to.
    out_of_bounds : {"raise", "null"}
        Whether a position out of range raises or gives null.

    Returns
    -------
    Column
        Null for a null position and in a null row. Extents below the axis are kept. Cost: one gather per level.
    """
    place = structure.normalize_axis(axis, column.ndim, "take")
    if out_of_bounds not in ("raise", "null"):
        raise JagTypeError(f"take: out_of_bounds is 'raise' or 'null', got {out_of_bounds!r}")
    cursor = _whole(column, place)
    if isinstance(index, Column):
        cursor, (index,) = _meet(column, cursor, [index], "take")
    strict = out_of_bounds == "raise"
    cursor = _pick(column, cursor, index, strict=strict, operation="take")
    if not strict and isinstance(cursor.places, np.ndarray):
        cursor = cursor._replace(places=np.where(cursor.places == MISSING, NULL, cursor.places))
    return _finish(column, cursor._replace(loose=False))


def window(column: Column, wanted: Window, axis: int, operation: str) -> Column:
    """Slice each row at an axis; column bounds have one entry per row, and a null entry makes its row null."""
    place = structure.normalize_axis(axis, column.ndim, operation)
    column, (start, stop) = agreed(column, wanted[:2], place, operation)
    wanted = wanted._replace(start=start, stop=stop)
    cursor = _whole(column, place)
    return _finish(column, _cut(column, cursor, wanted, _aligned_bounds(cursor, wanted)))


def agreed(column: Column, bounds: Sequence[Any], place: int, operation: str) -> tuple[Column, Sequence[Any]]:
    """Drop, from a column and the bounds of its rows, the items below rows that are null in any of them."""
    columns = [one for one in bounds if isinstance(one, Column)]
    if not columns:
        return column, bounds
    for one in columns:
        if one.ndim > place:
            raise ShapeError(f"{operation}: {one.shape!r} has {one.ndim} dims, but the rows have {place}")
    column, *columns = structure.agree([column, *columns], operation, levels=place)
    rest = iter(columns)
    return column, [next(rest) if isinstance(one, Column) else one for one in bounds]


def _whole(column: Column, depth: int) -> Cursor:
    """Return a cursor at all items after `depth` dims."""
    return Cursor(column.shape.dims[:depth], depth, range(column.shape.nodes(depth)))
