"""Maps: rows of entries, which are structs of `key` and `value`; lookups by key or by position, and conversion to Arrow's maps.

Keys are equal as items of `unique` are: NaN equals NaN, -0.0 equals 0.0. Where a key occurs twice in a row, its last entry counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.base.words import or_all, unless_all
from arrowjag._kernels.equal.groups import group_items
from arrowjag._kernels.equal.members import last_equal
from arrowjag._kernels.move import gather
from arrowjag._ops import along_axis, cursor, elementwise, sets, struct_fields, structure
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError, plural
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["as_maps", "contains_key", "entries", "get", "is_entry", "unique_entries"]

_FIELDS = ("key", "value")
_MOST_ENTRIES = 2**31 - 1
"""Arrow's maps count entries in 32 bits."""


def is_entry(type: pa.DataType) -> bool:
    """Return whether a type is an entry of a map: a struct of exactly `key` and `value`."""
    if not pt.is_struct(type) or type.num_fields != 2:
        return False
    return bool(type.get_field_index("key") >= 0 and type.get_field_index("value") >= 0)


class _Found(NamedTuple):
    """One item per row of a column, or none."""

    shape: JaggedShape
    """The dims of the result."""
    rows: IntArray
    """The number of the row of the column to which each position of `shape` belongs."""
    places: IntArray
    """The number of the item; -1 if there is none."""
    known: BoolArray
    """False where the row, or the key, is null."""


# --------------------------------------------------------------------------------------------------- lookup


def get(column: Column, sought: pa.Scalar | Column | int, default: pa.Scalar | Column | None) -> Column:
    """Return one item per row: the value of a key if the leaves are entries of maps, else the item at a position.

    Parameters
    ----------
    column : Column
        Of at least one dim; leaves that are maps are opened.
    sought : pa.Scalar, Column or int
        A key, or a position; a column has one per row, or is expanded to the rows by the prefix rule.
    default : pa.Scalar, Column or None
        The result where there is no such key, or the position is out of range.

    Returns
    -------
    Column
        With one dim less, and the dims of the values. Null where the row, the sought key or the found value is null. Cost: one
        pass over the keys and one gather.
    """
    column = struct_fields.opened_maps(column)
    structure.check_rows(column.ndim, "get")
    if is_entry(column.type):
        assert not isinstance(sought, int)
        if default is None and not isinstance(sought, Column):
            return _values_of(column, sought)
        found, source = _by_key(column, sought, "get"), struct_fields.field(column, "value")
    else:
        assert not isinstance(sought, pa.Scalar)
        if default is None and isinstance(sought, int):
            return cursor.nth_or_null(column, sought)
        found, source = _by_position(column, sought), column
    return _picked(source, column.ndim, found, default)


def contains_key(column: Column, sought: pa.Scalar | Column) -> Column:
    """Return whether each row has an entry of a key; null where the row or the key is null."""
    column = struct_fields.opened_maps(column)
    if not isinstance(sought, Column):
        return sets.contains(struct_fields.field(column, "key"), sought, -1)
    found = _by_key(column, sought, "contains_key")
    return Column(found.shape, _arrow.from_numpy(found.places >= 0, found.known))


def _by_key(column: Column, sought: pa.Scalar | Column, operation: str) -> _Found:
    keys = _part_of(column, "key")
    dim = column.shape.dims[-1]
    if isinstance(sought, Column):
        rows, probes = _beside_rows(column, sought, operation)
        last = last_equal(_equal_per_row(keys, dim.offsets, rows, probes.values, operation), None, True, dim.offsets)
        known = or_all(_arrow.valid_of(probes.values), len(probes.values))
    else:
        rows = Column(column.shape[:-1], _arrow.numbers(len(dim)))
        known = np.full(len(dim), sought.is_valid)
        last = _last_of(keys, sought, dim.offsets, operation)
    numbers = rows.values.to_numpy()
    places = last[numbers] if isinstance(sought, Column) else last
    return _Found(rows.shape, numbers, places, known & _valid_rows(column, numbers))


def _part_of(column: Column, name: str) -> pa.Array:
    """Return the keys or the values of entries, which may be lists."""
    return _arrow.field_of(column.values, struct_fields.place_of(column.type, name))


def _values_of(column: Column, sought: pa.Scalar) -> Column:
    """Return the value of one key in each row, null where there is none."""
    offsets, outer = column.shape.dims[-1].offsets, column.shape.dims[:-1]
    values = struct_fields.field(column, "value")
    last = _last_of(_part_of(column, "key"), sought, offsets, "get")
    there = last >= 0
    return structure.take_items(values, column.ndim, last, outer, unless_all(there))


def _last_of(keys: pa.Array, sought: pa.Scalar, offsets: IntArray, operation: str) -> IntArray:
    """Return the last item of each row with a key; -1 where there is none, or the key is null."""
    if sought.is_valid:
        return sets.last_equal_to(keys, sought, offsets, operation)
    return np.full(len(offsets) - 1, -1, np.int64)


def _equal_per_row(keys: pa.Array, offsets: IntArray, rows: Column, probes: pa.Array, operation: str) -> BoolArray:
    """Flag the items equal to the key that is sought in their row; rows without one have no such item."""
    (key, valid), (probe, present) = sets.joint_keys(keys, probes, operation)
    place = np.full(len(offsets) - 1, -1, np.int64)
    place[rows.values.to_numpy()] = np.arange(len(probe))
    if present is not None:
        place[rows.values.to_numpy()[~present]] = -1
    each = np.repeat(place, row_sizes(offsets))
    if len(probe) == 0:
        return np.zeros(len(key), bool)
    wanted = probe[np.maximum(each, 0)]
    equal: BoolArray = key == wanted
    if key.dtype.kind == "f":
        equal |= np.isnan(key) & np.isnan(wanted)
    equal &= each >= 0
    return equal if valid is None else equal & valid


def _by_position(column: Column, sought: int | Column) -> _Found:
    dim = column.shape.dims[-1]
    rows = Column(column.shape[:-1], _arrow.numbers(len(dim)))
    if isinstance(sought, Column):
        rows, sought = _beside_rows(column, sought, "get")
    numbers = rows.values.to_numpy()
    position, unknown = cursor.positions(sought)
    starts, sizes = dim.offsets[numbers], dim.sizes[numbers]
    position = np.where(position < 0, position + sizes, position)
    places = np.where((position >= 0) & (position < sizes), starts + position, -1)
    known = _valid_rows(column, numbers)
    return _Found(rows.shape, numbers, places, known if unknown is None else known & ~unknown)


def _beside_rows(column: Column, sought: Column, operation: str) -> tuple[Column, Column]:
    """Return the row numbers and the keys to look up, of one shape."""
    if sought.ndim >= column.ndim:
        raise ShapeError(
            f"{operation}: the keys or positions have {dims_text(sought.shape.dims)}, "
            f"but the rows have {column.ndim - 1}; use take for several positions per row, translate for several keys"
        )
    rows, probes = structure.align(
        [Column(column.shape[:-1], _arrow.numbers(column.shape.nodes(column.ndim - 1))), sought], operation
    )
    return rows, probes


def _valid_rows(column: Column, rows: IntArray) -> BoolArray:
    """Flag the rows that are not null."""
    validity = column.shape.dims[-1].validity
    return np.ones(len(rows), bool) if validity is None else validity[rows]


def _picked(source: Column, depth: int, found: _Found, default: pa.Scalar | Column | None) -> Column:
    """Take the items that were found, after the first `depth` dims of the source, and the default where there is none."""
    there = found.places >= 0
    valid = found.known & there
    lacks = found.known & ~there
    if default is None or source.ndim == depth:
        mask = unless_all(valid)
        taken = structure.take_items(source, depth, np.where(valid, found.places, 0), found.shape.dims, mask)
        if default is None:
            return taken
        return _or_default(taken, Column(found.shape, _arrow.from_numpy(~lacks)), default)
    return _or_default_rows(source, depth, found, default)


def _or_default(taken: Column, kept: Column, default: pa.Scalar | Column) -> Column:
    if isinstance(default, Column) and default.ndim > taken.ndim:
        raise ShapeError(f"get: expected at most one default per row, {taken.shape!r}, got {default.shape!r}")
    elementwise.common_type([taken.type, default.type], "get")
    return elementwise.where(kept, taken, default)


def _or_default_rows(source: Column, depth: int, found: _Found, default: pa.Scalar | Column) -> Column:
    """Return the values found, which have dims of their own, and the default for the others: one such value, or one per row."""
    below = source.ndim - depth
    if not isinstance(default, Column) or default.ndim not in (below, below + depth - 1):
        got = repr(default.shape) if isinstance(default, Column) else f"a scalar of {default.type}"
        raise ShapeError(
            f"get: the values of {source.shape!r} have {plural(below, 'dim')}, and the default must have as many, got {got}"
        )
    above = default.ndim - below
    if above and default.shape[:above] != source.shape[: depth - 1]:
        raise ShapeError(f"get: a default per row must have the rows of {source.shape[: depth - 1]!r}, got {default.shape!r}")
    type = elementwise.common_type([source.type, default.type], "get")
    source, default = (elementwise.cast(one, type, operation="get") for one in (source, default))
    both = structure.end_to_end([(source, depth), (default, above)])
    spare = found.rows if above else np.zeros_like(found.rows)
    index = np.where(found.places >= 0, found.places, source.shape.nodes(depth) + spare)
    known = found.known
    return structure.take_items(both, 1, np.where(known, index, 0), found.shape.dims, unless_all(known))


# --------------------------------------------------------------------------------------------------- making maps


def entries(keys: Column, values: Column | pa.Scalar) -> Column:
    """Return rows of entries from keys and values of the same rows; deeper values become lists inside the entries."""
    if keys.ndim < 2:
        raise ShapeError(f"to_map: keys need rows of items, at least 2 dims, got {keys.shape!r}")
    if isinstance(values, Column) and values.ndim > keys.ndim:
        keys, values, outer = sets.same_rows(keys, values, keys.ndim, "to_map")
        lists = _column.to_arrow(along_axis.items_as_rows(values, keys.ndim))
        shape = JaggedShape._trusted(outer)
        return struct_fields.zip_fields({"key": Column(shape, keys.values), "value": Column(shape, lists)}, "to_map")
    return struct_fields.zip_fields({"key": keys, "value": values}, "to_map")


def unique_entries(column: Column) -> tuple[Column, int]:
    """Keep one entry per key: the first position and the last value. Also return how many entries were dropped.

    Raises
    ------
    JagTypeError
        If the leaves are not entries.
    JagValueError
        If a key is null.
    """
    column = struct_fields.opened_maps(column)
    if column.ndim < 2 or not is_entry(column.type):
        raise JagTypeError(
            f"to_map: a map is a row of structs with the fields key and value, got {column.shape!r} of {column.type}; "
            "aj.to_map(keys, values) makes such rows"
        )
    key, value = (_part_of(column, name) for name in _FIELDS)
    dim = column.shape.dims[-1]
    if key.null_count:
        place = int(np.argmin(or_all(_arrow.valid_of(key), len(key))))
        row = cursor.row_of_item(column.shape, place)
        raise JagValueError(f"to_map: a key of {row} is null, and maps can't have null keys; drop such entries first")
    cut, ends, items = group_items([_arrow.equality_key(key, "to_map")], dim.offsets)
    dropped = len(items) - (len(ends) - 1)
    if not dropped:
        return column, 0
    parts = [gather.take(key, items[ends[:-1]]), gather.take(value, items[ends[1:] - 1])]
    shape = JaggedShape._trusted([*column.shape.dims[:-1], along_axis.resized(dim, cut)])
    return Column(shape, pa.StructArray.from_arrays(parts, names=list(_FIELDS))), dropped


def as_maps(column: Column) -> Column:
    """Return Arrow maps, one per row of entries, as the leaves of a column of one dim less."""
    dim = column.shape.dims[-1]
    if dim.size > _MOST_ENTRIES:
        most = f"to_map: an Arrow map array holds at most {_MOST_ENTRIES} entries"
        raise JagOverflowError(f"{most}, got {dim.size}; convert the array in slices")
    key, value = (_part_of(column, name) for name in _FIELDS)
    assert key.null_count == 0  # has an effect: it counts the nulls, without which Arrow aborts before pyarrow 26
    type = pa.map_(key.type, value.type)
    entry = pa.StructArray.from_arrays([key, value], fields=[type.key_field, type.item_field])
    buffers = [_arrow.bitmap(dim.validity), pa.py_buffer(dim.offsets.astype(np.int32))]
    return Column(column.shape[:-1], pa.Array.from_buffers(type, len(dim), buffers, children=[entry]))
