"""Indexing: `x[...]` as numpy from the outermost dim, `x.S[...]` as Koda, take, and windows of rows; all walk with a `Cursor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.move import gather
from arrowjag._ops import structure
from arrowjag._ops.cursor import (
    ALL,
    MISSING,
    NULL,
    Cursor,
    Window,
    finish,
    finish_slice,
    new_dim,
    nth_or_null,
    null_rows,
    pick,
    row_name,
    rows_of,
    slice_frame,
    slice_rows,
)
from arrowjag.dims import Dim, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, ShapeError, plural
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["agreed", "getitem", "rows_at", "slice_frame", "subslice", "take", "window"]


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
    cursor, depth = _enter(column, keys)
    for place, key in enumerate(keys[depth:], depth):
        if key is None:
            cursor = new_dim(cursor)
        elif isinstance(key, Window) and place == len(keys) - 1:
            return finish_slice(column, cursor, key, _aligned_bounds(cursor, key))
        elif isinstance(key, Window):
            cursor = slice_rows(column, cursor, key, _aligned_bounds(cursor, key))
        elif isinstance(key, Column):
            if is_mask := pt.is_boolean(key.type):
                _check_mask(column, cursor, key)
            cursor = _gather(column, cursor, next(arrays), is_mask=is_mask)
        else:
            cursor = pick(column, cursor, key, strict=True, operation="indexing")
    return finish(column, cursor)


def rows_at(column: Column, index: Column) -> Column:
    """Index by a single array of integers, as `getitem` does; no other arrays need to be broadcast."""
    return finish(column, _gather(column, Cursor(), index, is_mask=False))


def _any_array(keys: Sequence[Any]) -> bool:
    return any(isinstance(key, Column) for key in keys)


def _spell_out(keys: Sequence[Any], ndim: int) -> list[Any]:
    """Replace the ellipsis by full slices."""
    dots, named = [], 0
    for place, key in enumerate(keys):
        if key is Ellipsis:
            dots.append(place)
        elif key is not None:
            named += 1
    if len(dots) > 1:
        raise JagIndexError("an index can hold only one ellipsis")
    if named > ndim:
        raise JagIndexError(f"too many indices for an array of {plural(ndim, 'dim')}, got {named}")
    result = list(keys)
    if dots:
        result[dots[0] : dots[0] + 1] = [ALL] * (ndim - named)
    return result


def _enter(column: Column, keys: Sequence[Any]) -> tuple[Cursor, int]:
    """Return a cursor below the full slices that keys begin with, but for the last key, and how many they are."""
    depth = 0
    while depth < len(keys) - 1 and keys[depth] is ALL:
        depth += 1
    return _whole(column, depth), depth


def _check_adjacent(keys: Sequence[Any]) -> None:
    """Raise for index arrays separated by a slice, unless the first key is an array: numpy would move their dims to the front."""
    if len(keys) < 3:
        return
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
        return Column(JaggedShape._trusted([Uniform._frame(len(kept))]), pa.array(kept))
    if not (pt.is_integer(key.type) or pt.is_null(key.type)):
        raise JagTypeError(f"an index array must hold integers or booleans, got {key.type}")
    return key


def _check_mask(column: Column, cursor: Cursor, mask: Column) -> None:
    _, sizes, null, _ = rows_of(column.shape.dims[cursor.depth], cursor.places)
    wrong = sizes != len(mask.values)
    wrong = wrong if null is None else wrong & ~null
    if wrong.any():
        place = int(wrong.argmax())
        name = row_name(column.shape, cursor.depth, int(cursor.places[place]))
        raise JagIndexError(
            f"the mask has {plural(len(mask.values), 'entry')}, {name} has {plural(sizes[place], 'item')} at dim {cursor.depth}"
        )


def _gather(column: Column, cursor: Cursor, index: Column, *, is_mask: bool) -> Cursor:
    """Select by an index array; the first of several arrays adds the dims that all of them share."""
    if cursor.owners is None and not cursor.outer and _is_there(column.shape.dims[cursor.depth], cursor.places[0]):
        # In a single row the entries of the index map to the items directly: the index needs no copy per row.
        cursor = Cursor(index.shape.dims, cursor.depth, cursor.places, range(index.shape.size), cursor.loose)
        return pick(column, cursor, index, strict=True, operation="indexing")
    if cursor.owners is None:
        cursor = _enter_arrays(column, cursor, index, is_mask)
    assert cursor.owners is not None
    if isinstance(cursor.owners, range):
        return pick(column, cursor, index, strict=True, operation="indexing")
    entries = Column(JaggedShape._trusted([Uniform(len(cursor.owners), 1)]), gather.take(index.values, cursor.owners))
    return pick(column, cursor, entries, strict=True, operation="indexing")


def _is_there(dim: Dim, place: int) -> bool:
    return place >= 0 and (dim.validity is None or bool(dim.validity[place]))


def _enter_arrays(column: Column, cursor: Cursor, index: Column, is_mask: bool) -> Cursor:
    """Repeat the shape of the index arrays below each position of the cursor; null rows become null."""
    null = null_rows(column.shape.dims[cursor.depth], cursor.places)
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
    if not isinstance(window.start, (Column, Dim)) and not isinstance(window.stop, (Column, Dim)):
        return None
    frame = Column(JaggedShape._trusted(cursor.outer), pa.nulls(len(cursor.places)))
    bounds: list[Any] = []
    for one in window[:2]:
        if isinstance(one, Dim):
            sizes = one.stretched(len(cursor.places)).sizes
            bounds.append(Column(frame.shape, pa.array(sizes)))
        elif isinstance(one, Column):
            if one.ndim > frame.ndim:
                raise ShapeError(
                    f"a bound of a slice has one entry per row, at most {plural(frame.ndim, 'dim')}, got {one.ndim}; "
                    "use x.S for several ranges per row"
                )
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
    if len(keys) == 1 and isinstance(keys[0], int) and column.ndim:
        return nth_or_null(column, keys[0])
    if Ellipsis not in [key for key in keys if not isinstance(key, Column)]:
        keys = [Ellipsis, *keys]
    keys = _spell_out(keys, column.ndim)
    if len(keys) > 1 and isinstance(keys[-1], int) and all(key is ALL for key in keys[:-1]):
        return nth_or_null(column, keys[-1])
    cursor, depth = _enter(column, keys)
    for key in keys[depth:]:
        if isinstance(key, Window):
            cursor, bounds = _meet(column, cursor, list(key[:2]), "S")
            cursor = _cut_loosely(column, cursor, key, bounds)
        else:
            cursor, (index,) = _meet(column, cursor, [key], "S")
            cursor = pick(column, cursor, index, strict=False, operation="S")
    return finish(column, cursor)


def _cut_loosely(column: Column, cursor: Cursor, window: Window, bounds: list[Any]) -> Cursor:
    """Slice with the rule that a null bound gives an empty row."""
    arrays = any(isinstance(one, Column) for one in bounds)
    return slice_rows(column, cursor._replace(loose=cursor.loose or arrays), window, (bounds[0], bounds[1]))


def _meet(column: Column, cursor: Cursor, operands: list[Any], operation: str) -> tuple[Cursor, list[Any]]:
    """Align positions or bounds with the rows of the cursor; longer arrays add dims, in which a null row stays null."""
    arrays = [one for one in operands if isinstance(one, Column)]
    if not arrays:
        return cursor, operands
    for one in arrays:
        _check_positions(one, operation)
    depth, rows = len(cursor.outer), cursor.places
    from_first = isinstance(rows, range) and rows.start == 0
    held = Column(JaggedShape._trusted(cursor.outer), _arrow.numbers(len(rows)) if from_first else pa.array(cursor.numbers))
    if depth > 1 and any(one.ndim > depth for one in arrays):  # drop entries below null outer rows: the cursor has no row for them
        agreed, *arrays = structure.agree([held, *arrays], operation, levels=depth - 1)
        rows = rows if agreed is held else _arrow.to_numpy(agreed.values)[0]
        held = agreed
    null = null_rows(column.shape.dims[cursor.depth], rows)
    if null is not None:
        arrays = [one if one.ndim <= depth else _null_below(one, depth, null, operation) for one in arrays]
    held, *arrays = structure.align([held, *arrays], operation)
    places = _arrow.to_numpy(held.values)[0]
    fitted = iter(arrays)
    moved = Cursor(held.shape.dims, cursor.depth, places, cursor.owners, cursor.loose)
    return moved, [next(fitted) if isinstance(one, Column) else one for one in operands]


def _null_below(index: Column, depth: int, null: BoolArray, operation: str) -> Column:
    """Drop the entries of an index below null rows."""
    if index.shape.nodes(depth) != len(null):
        raise ShapeError(f"{operation}: an index of {index.shape!r} does not fit {plural(len(null), 'row')}")
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
    cursor = _whole(column, place)
    if isinstance(index, Column):
        cursor, (index,) = _meet(column, cursor, [index], "take")
    strict = out_of_bounds == "raise"
    cursor = pick(column, cursor, index, strict=strict, operation="take")
    if not strict and isinstance(cursor.places, np.ndarray):
        cursor = cursor._replace(places=np.where(cursor.places == MISSING, NULL, cursor.places))
    return finish(column, cursor._replace(loose=False) if cursor.loose else cursor)


def window(column: Column, wanted: Window, axis: int, operation: str, names: tuple[str, str] = ("start", "stop")) -> Column:
    """Slice each row at an axis; column bounds have one entry per row, and a null entry makes its row null.

    `names` are those of the bounds in errors.
    """
    place = structure.normalize_axis(axis, column.ndim, operation)
    if isinstance(wanted.start, Column) or isinstance(wanted.stop, Column):
        column, (start, stop) = agreed(column, dict(zip(names, wanted[:2], strict=True)), place, operation)
        wanted = Window(start, stop, wanted.step)
    cursor = _whole(column, place)
    return finish_slice(column, cursor, wanted, _aligned_bounds(cursor, wanted))


def agreed(column: Column, given: Mapping[str, Any], place: int, operation: str) -> tuple[Column, Sequence[Any]]:
    """Drop, from a column and the values of its rows, the items below rows that are null in any of them; scalars stay."""
    columns = {name: one for name, one in given.items() if isinstance(one, Column)}
    if not columns:
        return column, list(given.values())
    for name, one in columns.items():
        if one.ndim > place:
            message = f"{operation}: {name} has {dims_text(one.shape.dims)}, but the rows have {place}"
            raise ShapeError(f"{message}; give one value per row or fewer")
    column, *others = structure.agree([column, *columns.values()], operation, levels=place)
    rest = iter(others)
    return column, [next(rest) if isinstance(one, Column) else one for one in given.values()]


def _whole(column: Column, depth: int) -> Cursor:
    """Return a cursor at all items after `depth` dims."""
    outer = column._shape._dims[:depth]
    return Cursor(outer, depth, range(outer[-1]._size if outer else 1))
