"""Indexing: `x[...]` as numpy from the outermost dim, `x.S[...]` as Koda, take, and windows of rows.

Both walk the dims with a `Cursor`: which items of the column stand where in the result. Every step is a few vector operations on
the offsets of one dim; values are gathered once, at the end, and not at all while the items stay neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column, storage_type
from arrowjag._kernels import gather, picks
from arrowjag._kernels import offsets as _offsets
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
    "positions",
    "row_name",
    "subslice",
    "take",
    "window",
]

NULL = -1
"""A place whose item is null in the result."""

MISSING = -2
"""A place out of range: null as a leaf, an empty row above (Koda's rule)."""

Bound: TypeAlias = "int | Column | Dim | None"

_LARGEST = 2**63 - 1
"""Positions are int64; one beyond lies outside of every row."""


class Window(NamedTuple):
    """A range of each row; bounds are absent, one int for all rows, or a column of them."""

    start: Bound = None
    stop: Bound = None
    step: int = 1


Key: TypeAlias = "int | Window | Column | None"
"""One entry of an index: a position, a range, an array of positions or a row mask, or None for a new dim."""

ALL = Window()

_MANY = 1 << 12
"""Positions that are worth to be worked on in blocks."""


class Cursor(NamedTuple):
    """Where indexing stands.

    Attributes
    ----------
    outer : tuple of Dim
        The dims of the result so far.
    depth : int
        The items that are held lie after so many dims of the column.
    places : numpy.ndarray of int64, or range
        Which item stands at each place of `outer`; NULL or MISSING where there is none. A range: neighbours, all there.
    owners : numpy.ndarray of int64, range, or None
        For index arrays: which entry of theirs each place belongs to. A range: each to its own.
    loose : bool
        Whether places may be MISSING, by the kind of the index: then the next dim can't keep its extent.
    """

    outer: tuple[Dim, ...] = ()
    depth: int = 0
    places: IntArray | range = range(1)
    owners: IntArray | range | None = None
    loose: bool = False

    @property
    def numbers(self) -> IntArray:
        """The places as an array."""
        places = self.places
        return np.arange(places.start, places.stop) if isinstance(places, range) else places


# --------------------------------------------------------------------------------------------------- rows of a dim


def _rows(dim: Dim, places: IntArray | range) -> tuple[IntArray, IntArray, BoolArray | None, BoolArray | None]:
    """Start and size of the row at each place, and which are null and which missing (None: none are)."""
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
    """Which of the rows at places are null; None where none are."""
    if dim.validity is None:
        return None if isinstance(places, range) else _flags(places)[0]
    return _rows(dim, places)[2]


def _flags(places: IntArray) -> tuple[BoolArray | None, BoolArray | None, IntArray]:
    """Null places, missing places, and places that are safe to look up."""
    if not len(places) or np.minimum.reduce(places) >= 0:
        return None, None, places
    null, missing = places == NULL, places == MISSING
    return (null if null.any() else None), (missing if missing.any() else None), np.maximum(places, 0)


def either(one: BoolArray | None, two: BoolArray | None) -> BoolArray | None:
    if one is None or two is None:
        return two if one is None else one
    return one | two


def row_name(shape: JaggedShape, depth: int, place: int) -> str:
    """A row for an error message: its path of positions from the rows of the frame."""
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
    """One item of each row, or all from a single row; the dim disappears."""
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
    outside = position.view(np.uint64) >= sizes.view(np.uint64)  # below 0 is beyond every size
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
    """The items at many positions, where each place has a row and each position an item in it; None elsewhere.

    A null row has no item for any position.
    """
    n = len(places) if isinstance(index, int) else index.shape.size
    if n < _MANY or len(dim) == 0:
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
    found, outside = picks.pick(offsets, rows, position)
    return found if outside is None else None


def _from_end(position: Any, sizes: IntArray) -> Any:
    """Negative positions counted from the ends of their rows."""
    negative = position < 0
    return np.where(negative, position + sizes, position) if np.count_nonzero(negative) else position


def positions(index: int | Column) -> tuple[Any, BoolArray | None]:
    """An index as int64 numpy data and where it is null."""
    if isinstance(index, int):
        return np.int64(max(-_LARGEST, min(index, _LARGEST))), None  # beyond, every row lacks it
    if pt.is_null(index.type):
        return np.zeros(index.shape.size, np.int64), np.ones(index.shape.size, bool)
    data, valid = _arrow.to_numpy(index.values)
    if data.dtype == np.uint64 and (data > _LARGEST).any():
        data = np.minimum(data, np.uint64(_LARGEST))
    return data.astype(np.int64, copy=False), None if valid is None else ~valid


def _cut(column: Column, cursor: Cursor, window: Window, bounds: tuple[Any, Any] | None = None) -> Cursor:
    """A range of each row; a dim is added. `bounds` are the window's own, already aligned with the places."""
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
    """The ranges that leave neighbours: whole rows, and a stretch of a single row. No offsets are written."""
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
    """The owners of the items of a dim."""
    if cursor.owners is None:
        return None
    return below.parents.astype(np.int64) if isinstance(cursor.owners, range) else cursor.owners[below.parents]


def _extent(dim: Dim, window: Window) -> int | None:
    """The extent that int bounds leave of a declared one."""
    if dim.extent is None or not all(isinstance(one, (int, type(None))) for one in window[:2]):
        return None
    return len(range(*slice(window.start, window.stop, window.step).indices(dim.extent)))


def _clip(start: Any, stop: Any, step: int, sizes: IntArray) -> tuple[Any, IntArray, BoolArray | None]:
    """Python's slice rule for each row: first position, number of items, and where a bound is null."""
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
    """The result: everything below the items that the cursor holds."""
    if cursor.loose and cursor.depth < column.ndim:
        cursor = _cut(column, cursor, ALL)
    if isinstance(cursor.places, range):
        result = structure.slice_items(column, cursor.depth, cursor.places.start, cursor.places.stop, cursor.outer)
    else:
        null, missing, safe = _flags(cursor.places)
        lost = either(null, missing)
        result = structure.take_items(column, cursor.depth, safe, cursor.outer, None if lost is None else ~lost)
    return _or_null(result)


def _or_null(result: Column) -> Column:
    """A single row that is null has no shape: it is a null scalar of the row's list type."""
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
        What is indexed.
    keys : sequence of int, Window, Column, None or Ellipsis
        One entry a dim. Arrays are integers, or booleans of one dim; they are expanded to each other by the prefix rule and work
        item by item, as in numpy, and the dims of the result that they make stand where the first of them does.

    Returns
    -------
    Column
        A null row gives null. Rows that stay neighbours are shared, not copied; otherwise one gather a level.

    Raises
    ------
    JagIndexError
        If a position is out of range (the row is named), or there are more keys than dims.
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
    """The keys with the ellipsis written as whole dims."""
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
    """Dims of separated index arrays go to the front in numpy; where that would reorder dims we don't guess."""
    fancy = [place for place, key in enumerate(keys) if isinstance(key, (int, Column))]
    if len(fancy) < 2 or not _any_array(keys):
        return
    together = fancy[-1] - fancy[0] == len(fancy) - 1
    if not together and (fancy[0] != 0 or not isinstance(keys[0], Column)):
        raise JagIndexError(
            "index arrays that a slice stands between must begin at the first dim: numpy would move their dims to the front. "
            "Index in two steps"
        )


def _as_index(key: Column) -> Column:
    """A mask of one dim as the positions of what it keeps; integer arrays as they are."""
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
    """Pick by an index array; the first one of several makes the dims that all of them share."""
    if cursor.owners is None and not cursor.outer and _is_there(column.shape.dims[cursor.depth], cursor.places[0]):
        # In a single row each entry is its own: nothing has to be copied under the places of the cursor.
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
    """Under each place of the cursor a copy of the shape of the index arrays; null rows become null instead."""
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
    """What stands at items after `depth` dims, for each innermost item."""
    if depth == shape.ndim:
        return places
    if depth == 0:
        return np.full(shape.size, places[0])
    spread: IntArray = places[shape.composed(depth, shape.ndim).parents]
    return spread


def _aligned_bounds(cursor: Cursor, window: Window) -> tuple[Any, Any] | None:
    """Array bounds with one entry a place; None where both bounds are plain."""
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
                raise ShapeError(f"a bound of {one.ndim} dims for rows of {frame.ndim} dims; x.S takes several ranges a row")
            bounds.append(_bound_on(one, frame))
        else:
            bounds.append(one)
    return bounds[0], bounds[1]


def _bound_on(bound: Column, frame: Column) -> Column:
    """A bound spread over the rows; rows that are null in it have a null bound."""
    fitted = structure.align([bound, frame], "a bound")[0]
    if fitted.shape == frame.shape:
        return fitted
    raise ShapeError(f"a bound of {bound.shape!r} must have no null rows where {frame.shape!r} has rows")


# --------------------------------------------------------------------------------------------------- as Koda


def subslice(column: Column, keys: Sequence[Any]) -> Column:
    """Index the last dims, as Koda's `x.S[...]` does.

    Parameters
    ----------
    column : Column
        What is indexed.
    keys : sequence of int, Window, Column or Ellipsis
        One entry a dim; without an ellipsis the last dims are addressed. Arrays of positions and of bounds are aligned with the
        rows that earlier keys have selected: a shorter one is spread over the rows, a longer one adds its dims.

    Returns
    -------
    Column
        Out of range and null positions give a null leaf, or an empty row above the leaves; a null bound gives an empty row; a null
        row stays null.

    Raises
    ------
    JagIndexError
        If there are more keys than dims.
    ShapeError
        If an array fits neither way.
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
    """A range in which a null bound means an empty row."""
    arrays = any(isinstance(one, Column) for one in bounds)
    return _cut(column, cursor._replace(loose=cursor.loose or arrays), window, (bounds[0], bounds[1]))


def _meet(column: Column, cursor: Cursor, operands: list[Any], operation: str) -> tuple[Cursor, list[Any]]:
    """Align positions or bounds with the rows that the cursor stands at; longer ones add dims, and a null row is null there."""
    arrays = [one for one in operands if isinstance(one, Column)]
    if not arrays:
        return cursor, operands
    for one in arrays:
        _check_positions(one, operation)
    depth = len(cursor.outer)
    held = Column(JaggedShape._trusted(cursor.outer), pa.array(cursor.numbers))
    rows = cursor.places
    if depth > 1 and any(one.ndim > depth for one in arrays):  # what stands under rows that are null further out has no row here
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
    """An index without the entries that stand under null rows."""
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
    """In each row at an axis the items that an index names; Koda's `take`.

    Parameters
    ----------
    column : Column
        What is taken from.
    index : int or Column
        Positions in the rows at the axis, negative from the end. A column of as many dims as there are above the axis takes one
        item a row; a longer one makes the dims that it has more; a shorter one is spread over the rows.
    axis : int
        The dim that the positions run over.
    out_of_bounds : {"raise", "null"}
        What a position outside of its row gives.

    Returns
    -------
    Column
        Null for a null position and in a null row. One gather a level; extents below the axis are kept.
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
    """A range of each row at an axis; bounds that are columns have one entry a row, and a null entry makes its row null."""
    place = structure.normalize_axis(axis, column.ndim, operation)
    column, (start, stop) = agreed(column, wanted[:2], place, operation)
    wanted = wanted._replace(start=start, stop=stop)
    cursor = _whole(column, place)
    return _finish(column, _cut(column, cursor, wanted, _aligned_bounds(cursor, wanted)))


def agreed(column: Column, bounds: Sequence[Any], place: int, operation: str) -> tuple[Column, Sequence[Any]]:
    """A column and bounds of its rows at an axis without what stands under rows that are null in any of them."""
    columns = [one for one in bounds if isinstance(one, Column)]
    if not columns:
        return column, bounds
    for one in columns:
        if one.ndim > place:
            raise ShapeError(f"{operation}: {one.shape!r} has {one.ndim} dims, the rows that it bounds have {place}")
    column, *columns = structure.agree([column, *columns], operation, levels=place)
    rest = iter(columns)
    return column, [next(rest) if isinstance(one, Column) else one for one in bounds]


def _whole(column: Column, depth: int) -> Cursor:
    """The cursor at all items after `depth` dims."""
    return Cursor(column.shape.dims[:depth], depth, range(column.shape.nodes(depth)))
