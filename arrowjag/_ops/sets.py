"""Equal items inside rows: distinct values, counts, membership, set operations, searches and dictionaries.

Everywhere NaN equals NaN, -0.0 equals 0.0 and a null equals nothing. Along an outer axis whole sub-trees are the items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels import distinct as _distinct
from arrowjag._kernels import gather
from arrowjag._kernels import groups as _groups
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import sets as _kernels
from arrowjag._kernels import sort as _sort
from arrowjag._kernels.lookup import lookup
from arrowjag._kernels.member import is_member
from arrowjag._ops import axes as _axes
from arrowjag._ops import elementwise, places, structure
from arrowjag.dims import Dim
from arrowjag.errors import ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["contains", "is_in", "same_rows", "searchsorted", "set_operation", "translate", "unique", "value_counts"]

Key = tuple[npt.NDArray[Any], BoolArray | None]


def unique(column: Column, axis: Any) -> Column:
    """The distinct items of each row in order of first appearance."""
    column, place = places.grouped(column, axis, "unique")
    dim = column.shape.dims[place]
    cut, first = _distinct.unique([places.item_key(column, place + 1, "unique")], dim.offsets)
    return structure.keep_items(column, place + 1, first, (*column.shape.dims[:place], places.resized(dim, cut)))


def value_counts(column: Column, axis: Any) -> Column:
    """The distinct items of each row and how often each occurs, as a struct."""
    column, place = places.grouped(column, axis, "value_counts")
    dim = column.shape.dims[place]
    cut, items, counts = _groups.value_counts([places.item_key(column, place + 1, "value_counts")], dim.offsets)
    outer = (*column.shape.dims[:place], places.resized(dim, cut))
    found = places.below(structure.take_items(column, place + 1, items, outer), place + 1)
    values = found.values if place + 1 == column.ndim else _column.to_arrow(found)
    struct = pa.StructArray.from_arrays([values, _arrow.from_numpy(counts)], names=["value", "count"])
    return Column(JaggedShape._trusted(outer), struct)


def joint_keys(one: pa.Array, two: pa.Array, operation: str) -> tuple[Key, Key]:
    """Keys of two arrays that compare across them."""
    type = elementwise.promote([one.type, two.type], operation)
    if _arrow.is_numeric(type) or _arrow.is_temporal(type):
        return _arrow.to_numpy(_cast(one, type)), _arrow.to_numpy(_cast(two, type))
    return _halves(_arrow.order_key(_arrow.join([_cast(one, type), _cast(two, type)]), operation), len(one))


def _halves(both: Key, n: int) -> tuple[Key, Key]:
    key, valid = both
    return (key[:n], None if valid is None else valid[:n]), (key[n:], None if valid is None else valid[n:])


def _cast(values: pa.Array, type: pa.DataType) -> pa.Array:
    return values if values.type == type else elementwise.cast(Column(JaggedShape(len(values)), values), type).values


# --------------------------------------------------------------------------------------------------- rows of a set


class _Probes(NamedTuple):
    """Sets, one a row, and the items to look up in them: `probes` in the result's shape, cut into the rows of the sets."""

    sets: Column
    probes: Column
    offsets: IntArray


def _probes(sets: Column, probes: Column, operation: str) -> _Probes:
    """Bring items to the rows they are looked up in: the dims above those rows are a prefix of the items' shape, or the reverse.

    A null row of the sets makes null what stands at its place.
    """
    depth = sets.ndim - 1
    if depth == 0:
        return _Probes(sets, probes, np.array([0, probes.shape.size]))
    n_rows = sets.shape.nodes(depth)
    frame, probes = structure.agree([Column(sets.shape[:depth], _arrow.numbers(n_rows)), probes], operation)
    if probes.ndim < depth:
        frame, probes = structure.expand_all([frame, probes])
    rows = None if len(frame.values) == n_rows else frame.values.to_numpy()
    validity = sets.shape.dims[depth].validity
    if validity is not None:
        probes = structure.null_items(probes, depth, validity if rows is None else validity[rows])
    if rows is not None:
        sets = structure.take_items(sets, depth, rows, frame.shape.dims)
    deeper = probes.ndim > depth
    return _Probes(sets, probes, probes.shape.composed(depth, probes.ndim).offsets if deeper else np.arange(len(frame.values) + 1))


def _present(values: pa.Array) -> BoolArray | None:
    return _arrow.valid_of(values)


def _rows_along(column: Column, axis: Any, operation: str) -> Column:
    """The rows to look things up in as the last dim: trailing dims together, or the items at each place without an outer axis."""
    found = _axes.normalize_axes(axis, column.ndim, operation)
    last = found[-1] == column.ndim - 1
    return _axes.trailing(column, found[0]) if last else _axes.move_last(column, found[0]).column


def contains(column: Column, value: elementwise.Operand, axis: Any) -> Column:
    """Whether each row holds a value: one for all rows, or one or several for each."""
    rows = _rows_along(column, axis, "contains")
    if isinstance(value, Column):
        return _looked_up(rows, value, "contains")
    dim = rows.shape.dims[-1]
    if not value.is_valid:
        return Column(rows.shape[:-1], pa.nulls(len(dim), pa.bool_()))
    equal = _equal(rows.values, value)
    result, _ = _reduce.any(equal, None, dim.offsets)
    return Column(rows.shape[:-1], _arrow.from_numpy(result, dim.validity))


def _equal(values: pa.Array, value: pa.Scalar) -> BoolArray:
    """Which items equal a value that is not null."""
    (key, valid), (one, _) = joint_keys(values, pa.repeat(value, 1), "contains")
    equal: BoolArray = key == one[0]
    if key.dtype.kind == "f" and np.isnan(one[0]):
        equal = np.isnan(key)
    return equal if valid is None else equal & valid


def _looked_up(sets: Column, probes: Column, operation: str) -> Column:
    sets, probes, offsets = _probes(sets, probes, operation)
    key, set_key = joint_keys(probes.values, sets.values, operation)
    found = _kernels.member(key, offsets, set_key, sets.shape.dims[-1].offsets)
    return Column(probes.shape, _arrow.from_numpy(found, _present(probes.values)))


def is_in(column: Column, values: Column) -> Column:
    """Whether each item is in a flat set, or in its row of a jagged one."""
    if values.ndim > 1:
        return _looked_up(values, column, "is_in")
    (key, valid), (set_key, set_valid) = joint_keys(column.values, values.values, "is_in")
    known = set_key if set_valid is None else set_key[set_valid]
    bits = pa.py_buffer(is_member(key, known))
    return Column(column.shape, pa.Array.from_buffers(pa.bool_(), len(key), [_arrow.bitmap(valid), bits]))


def searchsorted(column: Column, sought: Column, side: Literal["left", "right"], axis: Any) -> Column:
    """The slot in the sorted row where each item sought would keep it sorted."""
    sets, probes, offsets = _probes(_rows_along(column, axis, "searchsorted"), sought, "searchsorted")
    key, set_key = joint_keys(probes.values, sets.values, "searchsorted")
    slots = _sort.searchsorted(set_key[0], sets.shape.dims[-1].offsets, key[0], offsets, side, set_key[1])
    return Column(probes.shape, _arrow.from_numpy(slots, key[1]))


def translate(column: Column, keys: Column, values: Column, axis: Any) -> Column:
    """The value that stands beside the equal key in the row's dictionary; null where there is none."""
    if keys.ndim == 0:
        raise ShapeError("translate: keys need rows, got a single value")
    if values.ndim > keys.ndim:
        raise ShapeError(f"translate: values have {values.ndim} dims, {values.shape!r}, their keys {keys.ndim}")
    keys, values = structure.align([keys, values], "translate")
    # The dictionary's rows travel as item numbers, so that keys and values are taken by one gather.
    numbers = _arrow.numbers(keys.shape.size)
    tables, probes, offsets = _probes(_rows_along(Column(keys.shape, numbers), axis, "translate"), column, "translate")
    items = None if tables.values is numbers else tables.values.to_numpy()
    table_keys = keys.values if items is None else gather.take(keys.values, items)
    key, table_key = joint_keys(probes.values, table_keys, "translate")
    if len(table_key[0]) == 0:
        return Column(probes.shape, pa.nulls(len(key[0]), values.type))
    found, hit = lookup(table_key, tables.shape.dims[-1].offsets, key, offsets)
    return Column(probes.shape, gather.take(values.values, found if items is None else items[found], hit))


# --------------------------------------------------------------------------------------------------- two columns


def same_rows(one: Column, two: Column, depth: int, operation: str) -> tuple[Column, Column, tuple[Dim, ...]]:
    """Two columns cut down to the rows after the first `depth` dims that are valid in both, and the dims above those rows."""
    one, two = structure.agree([one, two], operation, levels=depth)
    return one, two, structure.merge_dims([one.shape.dims[:depth], two.shape.dims[:depth]])


_SETS: dict[str, Callable[..., _groups.Items]] = {
    "union": _kernels.union,
    "intersection": _kernels.intersection,
    "difference": _kernels.difference,
}


def set_operation(name: str, one: Column, two: Column, axis: Any) -> Column:
    """Union, intersection or difference of rows: distinct items in order of first appearance."""
    if one.ndim != two.ndim:
        raise ShapeError(f"{name}: {one.shape!r} and {two.shape!r} must have equally many dims")
    type = elementwise.promote([one.type, two.type], name)
    one, place = places.grouped(elementwise.cast(one, type), axis, name)
    two, _ = places.grouped(elementwise.cast(two, type), axis, name)
    one, two, outer = same_rows(one, two, place, name)
    source, depth = one, place + 1
    if name == "union" or depth < one.ndim:
        source, depth = structure.end_to_end([(one, depth), (two, depth)]), 1
    if place + 1 == one.ndim:
        key, other = joint_keys(one.values, two.values, name)
    else:
        key, other = _halves(places.item_key(source, 1, name), one.shape.nodes(place + 1))
    dims = one.shape.dims[place], two.shape.dims[place]
    cut, items = _SETS[name](key, dims[0].offsets, other, dims[1].offsets)
    return structure.take_items(source, depth, items, (*outer, places.resized(dims[0], cut)))
