"""A cursor walks the dims of a column: each argument of an index picks or cuts rows of the next dim, from the outermost one.

It maps positions of the result to items of the column. Each step is a few vector operations on the offsets of one dim; values are
gathered once, at the end. A contiguous selection is a slice and gathers nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import AnyColumn, Column, storage_type
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.extremes import least
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.words import nulls_like
from arrowjag._kernels.move import gather, merge
from arrowjag._kernels.move.pick import items_at
from arrowjag._kernels.move.rows import slice_ranges, take_ranges
from arrowjag._kernels.reduce.first_last import take_nth
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagError, JagIndexError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "FAR",
    "Bound",
    "Key",
    "Window",
    "either",
    "naming_rows",
    "nth_or_null",
    "or_null",
    "positions",
    "row_name",
    "row_of_item",
]


Result = TypeVar("Result")
NULL = -1
"""Marks a position whose item is null in the result."""


MISSING = -2
"""Marks a position out of range: a null leaf, or an empty row above the leaves (Koda's rule)."""


Bound: TypeAlias = "int | Column | Dim | None"


FAR = 2**62
"""A position beyond the end of every row; the sum of two such positions fits 64 bits."""


_UNSIGNED = np.dtype(np.uint64)
"""Made once: numpy looks a type up at each call."""


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
_BOUNDS = (int, type(None))
"""Types of the bounds of a slice that need no conversion."""


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


def rows_of(dim: Dim, places: IntArray | range) -> tuple[IntArray, IntArray, BoolArray | None, BoolArray | None]:
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


def null_rows(dim: Dim, places: IntArray | range) -> BoolArray | None:
    """Flag the null rows among those at `places`; None if there are none."""
    if dim.validity is None:
        return None if isinstance(places, range) else _flags(places)[0]
    return rows_of(dim, places)[2]


def _flags(places: IntArray) -> tuple[BoolArray | None, BoolArray | None, IntArray]:
    """Return flags of null positions, flags of missing ones, and positions with both replaced by 0."""
    if not len(places) or least(places) >= 0:
        return None, None, places
    null, missing = places == NULL, places == MISSING
    return (null if null.any() else None), (missing if missing.any() else None), np.maximum(places, 0)


def either(one: BoolArray | None, two: BoolArray | None) -> BoolArray | None:
    if one is None or two is None:
        return two if one is None else one
    return one | two


def row_name(shape: JaggedShape, depth: int, place: int, what: str = "row") -> str:
    """Describe a row in an error message, by its path of positions from the outermost rows."""
    if depth == 0:
        return "the frame"
    path: list[int] = []
    for dim in reversed(shape.dims[1:depth]):
        owner = dim.index_of(place)
        path.append(place - dim.offset_of(owner))
        place = owner
    path.append(place)
    return f"{what} {path[0]}" if len(path) == 1 else f"{what} " + "".join(f"[{one}]" for one in reversed(path))


def row_of_item(shape: JaggedShape, item: int) -> str:
    """Name the row that holds an item, in an error message; each item of a flat column is a row."""
    if shape.ndim > 1:
        return row_name(shape, shape.ndim - 1, shape.dims[-1].index_of(item))
    return row_name(shape, shape.ndim, item) if shape.ndim else "the array"


def naming_rows(shape: JaggedShape, depth: int, function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function that knows only flat offsets; its error then names the row by its path in the shape, `depth` dims deep.

    Without a dim above them, all items form a single row, and the error names none.
    """
    try:
        return function(*arguments)
    except JagError as error:
        named = error if error.row is None or depth == 1 else error.in_row(row_name(shape, depth, error.row))
        raise named from error.__cause__


_NULL_INSTEAD = {"indexing": "; x.S[...] gives null there", "take": '; out_of_bounds="null" gives null there'}
"""By operation, the end of the error for rows that are too short for an index: the call that gives null there."""


def pick(column: Column, cursor: Cursor, index: int | Column, *, strict: bool, operation: str) -> Cursor:
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
    starts, sizes, null, missing = rows_of(dim, cursor.places)
    position, unknown = positions(index)
    outside = _beyond(position, sizes)
    if np.count_nonzero(outside):  # some of these may count from the end
        position = np.where(position < 0, position + sizes, position)
        outside = _beyond(position, sizes)
    gone = either(null, unknown if strict else None)
    if gone is not None:
        outside &= ~gone
    if strict and np.count_nonzero(outside):
        place = int(outside.argmax())
        asked = index if isinstance(index, int) else positions(index)[0][place]
        row = place if len(sizes) > 1 else 0
        name = row_name(column.shape, cursor.depth, int(cursor.places[row]))
        hint = _NULL_INSTEAD.get(operation, "") if cursor.depth else ""
        there = f"{plural(int(sizes[row]), 'item')} at dim {cursor.depth}"
        raise JagIndexError(f"{operation}: index {brief(asked)} is out of range for {name}, which has {there}{hint}")
    places = starts + position
    if not strict:
        for lost in (outside, unknown, missing):
            places = places if lost is None else np.where(lost, MISSING, places)
    if gone is not None:
        places = np.where(gone, NULL, places)
    return Cursor(cursor.outer, cursor.depth + 1, places, cursor.owners, not strict)


def _beyond(position: Any, sizes: IntArray) -> BoolArray:
    """Flag the positions that are not from 0 to before the size: as uint64, a negative one exceeds every size."""
    beyond: BoolArray = position.view(_UNSIGNED) >= sizes.view(_UNSIGNED)
    return beyond


def nth_or_null(column: Column, index: int) -> Column:
    """Return the leaf at a position of each innermost row; null out of range and in a null row. Negative counts from the end."""
    dims = column._shape._dims
    dim = dims[-1]
    shape = JaggedShape._trusted(dims[:-1])
    if dim._n == 1 and -dim._size <= index < dim._size:
        return column._sliced(shape, index % dim._size)
    taken = take_nth(column.values, dim.offsets, index)
    if taken is not None:
        return Column(shape, taken)
    position = max(-_LARGEST, min(index, _LARGEST))
    starts, ends = dim.offsets[:-1], dim.offsets[1:]
    places = np.subtract(ends, starts, out=empty(len(starts), np.int64))
    there = places > position if position >= 0 else places >= -position
    np.add(starts if position >= 0 else ends, position if abs(position) <= dim.size else 0, out=places)
    values = gather.take(column.values, places, there) if dim.size else nulls_like(column.values, len(dim))
    return Column(shape, values)


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
    found, outside = items_at(offsets, rows, position)
    return found if outside is None else None


def _from_end(position: Any, sizes: IntArray) -> Any:
    """Add the row size to negative positions."""
    negative = position < 0
    return np.where(negative, position + sizes, position) if np.count_nonzero(negative) else position


def positions(index: int | Column) -> tuple[Any, BoolArray | None]:
    """Convert an index to int64 positions and flags of nulls."""
    if isinstance(index, int):
        return np.int64(max(-_LARGEST, min(index, _LARGEST))), None  # larger positions are out of range too
    data, valid = _arrow.to_int64(index.values)
    return data, None if valid is None else ~valid


def slice_rows(column: Column, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None = None) -> Cursor:
    """Slice each row; adds a dim. `bounds` replace those of the window and are aligned with the cursor's positions."""
    dim = column._shape._dims[cursor.depth]
    return _cut_neighbours(dim, cursor, window) or _placed(cursor, window, *_sliced(dim, cursor, window, bounds))


def _placed(cursor: Cursor, window: Window, begins: IntArray, below: Dim) -> Cursor:
    """Return the cursor at the items of the slices."""
    places = _offsets.runs(begins, below.offsets, window.step)
    return Cursor((*cursor.outer, below), cursor.depth + 1, places, _owned(cursor, below))


def _sliced(dim: Dim, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None) -> tuple[IntArray, Dim]:
    """Return the first item of each slice, and the dim of the slices."""
    fixed = _fixed_slices(dim, cursor.places, window) if bounds is None else None
    if fixed is None:
        begins, offsets, null = _slices(dim, cursor, window, bounds)
    else:
        (begins, offsets), null = fixed, null_rows(dim, cursor.places)
    extent = _extent(dim, window) if not cursor.loose else None
    if extent is not None and null is None:
        return begins, Uniform(extent, len(begins))
    return begins, Ragged.from_offsets(offsets, validity=None if null is None else ~null, extent=extent, check=False)


def _fixed_slices(dim: Dim, places: IntArray | range, window: Window) -> tuple[IntArray, IntArray] | None:
    """Slice neighbouring rows by bounds that are the same for all; None for other slices, or if no compiled loop is ready."""
    if window.step != 1 or not isinstance(places, range) or (fixed := _int_bounds(window)) is None:
        return None
    return slice_ranges(dim.offsets[places.start : places.stop + 1], fixed[0] or 0, fixed[1])


def _slices(
    dim: Dim, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None
) -> tuple[IntArray, IntArray, BoolArray | None]:
    """Return the first item of each slice, the offsets of the slices, and flags of null rows."""
    starts, sizes, null, _ = rows_of(dim, cursor.places)
    start, stop = (window.start, window.stop) if bounds is None else bounds
    begin, counts, unknown = _clip(start, stop, window.step, sizes)
    if unknown is not None:
        counts = np.where(unknown, 0, counts)
        if not cursor.loose:
            null = either(null, unknown)
    if null is not None:
        counts = np.where(null, 0, counts)
    begins = starts if isinstance(begin, int) and begin == 0 else starts + begin
    return begins, _offsets.from_sizes(counts, dim.size), null


def slice_frame(column: AnyColumn, key: slice) -> AnyColumn | None:
    """Slice the rows of the frame side by side; None if they are null, or for a step or a bound that is no Python int."""
    dims = column._shape._dims
    if not dims or key.step is not None or type(key.start) not in _BOUNDS or type(key.stop) not in _BOUNDS:
        return None
    frame = dims[0]
    if frame._validity is not None:
        return None
    first, last, _ = key.indices(frame._size)
    n = last - first if last > first else 0
    rows = Uniform._frame(n) if frame._extent is None else Uniform(n)
    return structure.slice_items(column, 1, first, first + n, (rows,))


def _int_bounds(window: Window) -> tuple[int | None, int | None] | None:
    """Return the bounds if each is None or an int for all rows."""
    start, stop, _ = window
    if (start is None or isinstance(start, int)) and (stop is None or isinstance(stop, int)):
        return start, stop
    return None


def finish_slice(column: Column, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None) -> Column:
    """Slice each row and build the result, as `slice_rows` and `finish` do; slices of leaves are copied in one step."""
    dims = column._shape._dims
    dim = dims[cursor.depth]
    found = _cut_neighbours(dim, cursor, window)
    if found is None:
        begins, below = _sliced(dim, cursor, window, bounds)
        if cursor.depth == len(dims) - 1:
            values = _items(column.values, dim._n, begins, below.offsets, window.step)
            return or_null(Column(JaggedShape._trusted((*cursor.outer, below)), values))
        found = _placed(cursor, window, begins, below)
    cursor = found
    if cursor.loose or isinstance(cursor.places, range):
        return finish(column, cursor)
    return or_null(structure.take_items(column, cursor.depth, cursor.places, cursor.outer))


def _items(values: pa.Array, n_rows: int, begins: IntArray, offsets: IntArray, step: int) -> pa.Array:
    """Take the items of slices of some of the rows; a compiled loop copies them as runs, if there is one for the type."""
    if step == 1 and merge.by_rows(values.type, n_rows, len(values), len(begins)) in ("compiled", "runs"):
        found = take_ranges(values, begins, offsets)
        if found is not None:
            return found
    return gather.take(values, _offsets.runs(begins, offsets, step))


def _cut_neighbours(dim: Dim, cursor: Cursor, window: Window) -> Cursor | None:
    """Slice without writing offsets, if the result is contiguous: whole rows, or part of a single row. None otherwise."""
    rows = cursor.places
    if not isinstance(rows, range):
        return None
    if _keeps_rows(dim, window):
        below, first = dim._part(rows.start, rows.stop)
        below = below.with_extent(None) if cursor.loose else below
        owners = _owned(cursor, below)
        return Cursor((*cursor.outer, below), cursor.depth + 1, range(first, first + below._size), owners)
    plain = window.step == 1 and _int_bounds(window) is not None
    if len(rows) != 1 or not plain or (dim.validity is not None and not dim.validity[rows.start]) or cursor.owners is not None:
        return None
    first = dim._offset_at(rows.start)
    begin, end, _ = slice(window.start, window.stop).indices(dim._at(rows.start))
    end = max(begin, end)
    below = Uniform(end - begin, 1, declared=dim.extent is not None and not cursor.loose)
    return Cursor((*cursor.outer, below), cursor.depth + 1, range(first + begin, first + end))


def _keeps_rows(dim: Dim, window: Window) -> bool:
    """Whether a window with int bounds holds every row as a whole, as the first three items of rows of three do."""
    if window is ALL:
        return True
    bounds = _int_bounds(window) if window.step == 1 else None
    if bounds is None:
        return False
    start, stop = bounds[0] or 0, bounds[1]
    if start == 0 and stop is None:
        return True
    least = max(-start, 0) if stop is None else stop  # the window can't hold rows that are longer than this on average
    if dim._size > least * dim._n:
        return False
    longest = dim.max(default=0) if dim.extent is None else dim.extent
    return (start == 0 or start <= -longest) and (stop is None or stop >= longest)


def _owned(cursor: Cursor, below: Dim) -> IntArray | None:
    """Return the index-array entry of each item of a dim."""
    if cursor.owners is None:
        return None
    return below.parents.astype(np.int64) if isinstance(cursor.owners, range) else cursor.owners[below.parents]


def _extent(dim: Dim, window: Window) -> int | None:
    """Return the declared extent after slicing with int bounds, or None."""
    if dim.extent is None or _int_bounds(window) is None:
        return None
    return len(range(*slice(window.start, window.stop, window.step).indices(dim.extent)))


def _clip(start: Any, stop: Any, step: int, sizes: IntArray) -> tuple[Any, IntArray, BoolArray | None]:
    """Apply Python's slice rule per row: first position, number of items, and flags of null bounds."""
    low, high = (0, sizes) if step > 0 else (-1, sizes - 1)
    begin: Any = low if step > 0 else high
    end: Any = sizes if step > 0 else np.int64(-1)
    null: BoolArray | None = None
    unknown: BoolArray | None = None
    if start is not None:
        begin, null = _clamped(start, sizes, low, high)
    if stop is not None:
        end, unknown = _clamped(stop, sizes, low, high)
    if step == 1 and start is None:
        return begin, end, unknown
    count = end - begin if step == 1 else (end - begin + (step - 1 if step > 0 else step + 1)) // step
    return begin, count if step == 1 and stop is None else np.maximum(count, 0), either(null, unknown)


def _clamped(bound: Any, sizes: IntArray, low: int, high: IntArray) -> tuple[IntArray, BoolArray | None]:
    """Return the position of a bound in each row, from `low` to `high`, and flags of null bounds."""
    if isinstance(bound, int):
        position = max(-_LARGEST, min(bound, _LARGEST))
        return np.minimum(high, position) if position >= 0 else np.maximum(sizes + position, low), None
    position, null = positions(bound)
    return np.minimum(np.maximum(_from_end(position, sizes), low), high), null


def new_dim(cursor: Cursor) -> Cursor:
    return cursor._replace(outer=(*cursor.outer, Uniform(1, len(cursor.places))))


def finish(column: Column, cursor: Cursor) -> Column:
    """Build the result from the items of the cursor and everything below them."""
    if cursor.loose and cursor.depth < column.ndim:
        cursor = slice_rows(column, cursor, ALL)
    if isinstance(cursor.places, range):
        result = structure.slice_items(column, cursor.depth, cursor.places.start, cursor.places.stop, cursor.outer)
    else:
        null, missing, safe = _flags(cursor.places)
        lost = either(null, missing)
        result = structure.take_items(column, cursor.depth, safe, cursor.outer, None if lost is None else ~lost)
    return or_null(result)


def or_null(result: Column) -> Column:
    """Convert a single null row to a null scalar of its list type, because a null row has no shape."""
    dims = result._shape._dims
    if not dims or dims[0]._validity is None:
        return result
    row = storage_type(result.type, result.ndim + 1, (None, None, *result.shape.extents[1:]))
    return Column(JaggedShape(), pa.nulls(1, row))
